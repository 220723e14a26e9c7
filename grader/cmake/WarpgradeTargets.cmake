# warpgrade_module(<name> SOURCES … [LINK …]): a static library of one module folder.
# warpgrade_options(<target>): warnings, sanitizers and arithmetic rules that hold for every target.

function(warpgrade_options target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
    # Designated initialisers name what differs from the defaults; naming the rest too would hide it.
    -Wno-missing-field-initializers
    # g++ 12 sees overlaps in "literal" + std::string that are not there (GCC bug 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
    # g++ 13 takes every reference that a function with a temporary argument returns for one to that temporary.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-dangling-reference>
    # The same source gives the same numbers on every machine: a * b + c stays two roundings unless fma is written.
    -ffp-contract=off)
  if(WARPGRADE_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(WARPGRADE_FUZZ)
    target_compile_options(${target} PRIVATE
      -fsanitize=fuzzer-no-link,address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  endif()
  if(WARPGRADE_SANITIZE)
    list(JOIN WARPGRADE_SANITIZE "," sanitizers)
    target_compile_options(${target} PRIVATE -fsanitize=${sanitizers} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${target} PRIVATE -fsanitize=${sanitizers})
  endif()
endfunction()

function(warpgrade_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  add_library(${name} STATIC ${arg_SOURCES})
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}/grader")
  target_link_libraries(${name} PUBLIC ${arg_LINK})
  warpgrade_options(${name})
endfunction()
