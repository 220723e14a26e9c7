# warpgrade_module(<name> SOURCES … [LINK …] [PRECOMPILED_BY <target>]): a static library of one module folder.
# warpgrade_options(<target>): warnings, sanitizers and arithmetic rules for all targets.
# warpgrade_optimise(<target> <level>): the optimisation level of a target whose speed matters; the default is -O1.
# warpgrade_quick_build(<target>): settings that shorten builds, see grader/doc/building.md.

option(WARPGRADE_UNITY "Compile several files of a module as one, against a precompiled header" ON)
set(WARPGRADE_UNITY_BATCH 10 CACHE STRING "Files that are compiled as one")

function(warpgrade_options target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
    # Designated initialisers name only the values that differ from the defaults; naming all would hide the differences.
    -Wno-missing-field-initializers
    # g++ 12 reports overlaps in "literal" + std::string that do not exist (GCC bug 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
    # g++ 13 assumes that a reference returned by a function with a temporary argument refers to that temporary.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-dangling-reference>
    # The same source must give the same numbers on every machine: a * b + c is rounded twice unless fma is written.
    -ffp-contract=off
    # ccache understands precompiled headers only so.
    $<$<AND:$<BOOL:${WARPGRADE_UNITY}>,$<CXX_COMPILER_ID:GNU>>:-fpch-preprocess>)
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

function(warpgrade_optimise target level)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${level}>)
endfunction()

# The precompiled header with the standard library, fmt and JSON, built once for the whole kit.
if(WARPGRADE_UNITY)
  add_library(warpgrade_precompiled STATIC "${PROJECT_SOURCE_DIR}/grader/base/precompiled.cpp")
  target_precompile_headers(warpgrade_precompiled PRIVATE "${PROJECT_SOURCE_DIR}/grader/base/precompiled.hpp")
  target_include_directories(warpgrade_precompiled PRIVATE "${PROJECT_SOURCE_DIR}/grader")
  target_link_libraries(warpgrade_precompiled PUBLIC fmt::fmt nlohmann_json::nlohmann_json)
  warpgrade_options(warpgrade_precompiled)
  # GCC 12 reads a header that was compiled with -O2 at all levels; one that was compiled with -O1 crashes it at -O2.
  warpgrade_optimise(warpgrade_precompiled -O2)
  set_source_files_properties("${PROJECT_SOURCE_DIR}/grader/base/precompiled.cpp" PROPERTIES
    COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
endif()

# A precompiled header serves only code that is compiled with the same options: executables take -fPIC, as libraries do.
function(warpgrade_reuse_precompiled target owner)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
  target_link_libraries(${target} PRIVATE ${owner})  # the header's macros, and JSON's members
endfunction()

function(warpgrade_quick_build target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PRECOMPILED_BY" "")
  if(NOT arg_PRECOMPILED_BY)
    set(arg_PRECOMPILED_BY warpgrade_precompiled)
  endif()
  if(WARPGRADE_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${WARPGRADE_UNITY_BATCH})
    warpgrade_reuse_precompiled(${target} ${arg_PRECOMPILED_BY})
  endif()
endfunction()

function(warpgrade_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PRECOMPILED_BY" "SOURCES;LINK")
  add_library(${name} STATIC ${arg_SOURCES})
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}/grader")
  target_link_libraries(${name} PUBLIC ${arg_LINK})
  warpgrade_options(${name})
  warpgrade_quick_build(${name} PRECOMPILED_BY ${arg_PRECOMPILED_BY})
endfunction()
