# warpgrade_module(<name> SOURCES … [LINK …] [OPTIMISE <level>]): a static library of one module folder, compiled with
# -O1. Only what runs often asks for -O2 or -O3, which take longer to compile.
# warpgrade_options(<target>): warnings, sanitizers and arithmetic rules for all targets.
# warpgrade_quick_build(<target> <level>): the level, and settings that shorten builds, see grader/doc/building.md.

option(WARPGRADE_UNITY "Compile several files of a module as one, against a precompiled header" ON)
set(WARPGRADE_UNITY_BATCH 40 CACHE STRING "Files that are compiled as one")

function(warpgrade_options target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
    # Designated initialisers name only the values that differ from the defaults; naming all would hide the differences.
    -Wno-missing-field-initializers
    # g++ 12 reports overlaps in "literal" + std::string that do not exist (GCC bug 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
    # g++ 13 assumes that a reference returned by a function with a temporary argument refers to that temporary.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-dangling-reference>
    # Collections of garbage are a tenth of g++'s time; without them it takes a fifth more memory, at most 1.5 GB a file.
    $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-expand=1000>
    $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=300000>
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

# A precompiled header serves only code that is compiled with the same options; one with the standard library, fmt and
# JSON is built for each level at which targets are compiled.
function(warpgrade_precompiled level header)
  set(name warpgrade_precompiled${level})
  if(WARPGRADE_UNITY)
    add_library(${name} STATIC "${PROJECT_SOURCE_DIR}/grader/base/precompiled.cpp")
    target_precompile_headers(${name} PRIVATE "${PROJECT_SOURCE_DIR}/grader/${header}")
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/grader")
    target_link_libraries(${name} PUBLIC fmt::fmt nlohmann_json::nlohmann_json)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:${level}>)
    warpgrade_options(${name})
  endif()
endfunction()
warpgrade_precompiled(-O1 base/precompiled.hpp)
warpgrade_precompiled(-O2 base/precompiled.hpp)
warpgrade_precompiled(-O3 vgpu/state/precompiled.hpp)

# Executables take -fPIC, as libraries do.
function(warpgrade_reuse_precompiled target owner)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
  target_link_libraries(${target} PRIVATE ${owner})  # the header's macros
endfunction()

function(warpgrade_quick_build target level)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${level}>)
  if(WARPGRADE_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${WARPGRADE_UNITY_BATCH})
    warpgrade_reuse_precompiled(${target} warpgrade_precompiled${level})
  endif()
endfunction()

function(warpgrade_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OPTIMISE" "SOURCES;LINK")
  if(NOT arg_OPTIMISE)
    set(arg_OPTIMISE -O1)
  endif()
  add_library(${name} STATIC ${arg_SOURCES})
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}/grader")
  target_link_libraries(${name} PUBLIC ${arg_LINK})
  warpgrade_options(${name})
  warpgrade_quick_build(${name} ${arg_OPTIMISE})
endfunction()
