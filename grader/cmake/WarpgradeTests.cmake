# warpgrade_test(<name> SOURCES … [LINK …] [LABEL …] [EACH_FILE_ALONE]): one Catch2 program; every TEST_CASE becomes a ctest test
# "<name>: <test case>" with the label <name> (or LABEL). Test cases tagged [slow], [corpus] (they grade a whole corpus of
# programs) or [nightly] get this label instead, and the default test preset leaves them out. The files of a program are
# compiled as unity; each puts its names into a namespace of its own.
# EACH_FILE_ALONE: they are compiled one by one.

if(WARPGRADE_TESTS)
  if(Catch2_VERSION VERSION_LESS 3)
    # Catch2 2 is one header: its main() is compiled once here.
    add_library(warpgrade_test_main STATIC "${PROJECT_SOURCE_DIR}/grader/tests/catch_main.cpp")
    target_link_libraries(warpgrade_test_main PUBLIC Catch2::Catch2)
  else()
    add_library(warpgrade_test_main INTERFACE)
    target_link_libraries(warpgrade_test_main INTERFACE Catch2::Catch2WithMain)
  endif()
endif()

# Tests are compiled for a short build, not for speed, with a precompiled header of their own: the kit's and Catch2.
set(warpgrade_test_optimisation $<$<CONFIG:Release>:-O0>)
if(WARPGRADE_TESTS AND WARPGRADE_UNITY)
  add_library(warpgrade_test_precompiled STATIC "${PROJECT_SOURCE_DIR}/grader/tests/precompiled.cpp")
  target_include_directories(warpgrade_test_precompiled PRIVATE
    "${PROJECT_SOURCE_DIR}/grader" "${PROJECT_SOURCE_DIR}/grader/tests")
  target_precompile_headers(warpgrade_test_precompiled PRIVATE "${PROJECT_SOURCE_DIR}/grader/tests/precompiled.hpp")
  target_link_libraries(warpgrade_test_precompiled PUBLIC warpgrade_test_main warpgrade_precompiled-O1)
  warpgrade_options(warpgrade_test_precompiled)
  target_compile_options(warpgrade_test_precompiled PRIVATE ${warpgrade_test_optimisation})
endif()

function(warpgrade_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "EACH_FILE_ALONE" "LABEL" "SOURCES;LINK")
  if(NOT arg_LABEL)
    set(arg_LABEL "${name}")
  endif()
  set(program "test-${name}")
  add_executable(${program} ${arg_SOURCES})
  target_include_directories(${program} PRIVATE "${PROJECT_SOURCE_DIR}/grader" "${PROJECT_SOURCE_DIR}/grader/tests")
  target_compile_definitions(${program} PRIVATE
    WARPGRADE_SOURCE_DIR="${PROJECT_SOURCE_DIR}" WARPGRADE_BINARY_DIR="${CMAKE_BINARY_DIR}")
  target_link_libraries(${program} PRIVATE ${arg_LINK} warpgrade_test_main)
  warpgrade_options(${program})
  target_compile_options(${program} PRIVATE ${warpgrade_test_optimisation})
  if(WARPGRADE_UNITY)
    if(NOT arg_EACH_FILE_ALONE)
      set_target_properties(${program} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${WARPGRADE_UNITY_BATCH})
    endif()
    warpgrade_reuse_precompiled(${program} warpgrade_test_precompiled)
  endif()

  # A test that Catch cannot find by its name, for example because of a semicolon in it, fails. Catch2 3 does so unasked.
  set(find_all "")
  if(Catch2_VERSION VERSION_LESS 3)
    set(find_all EXTRA_ARGS --warn NoTests)
  endif()
  # Catch's script gets the prefix from `cmake -D`, which keeps a trailing space only within single quotes.
  set(prefix "'${name}: '")
  catch_discover_tests(${program} TEST_PREFIX "${prefix}" TEST_SPEC "~[slow]~[corpus]~[nightly]" ${find_all}
    PROPERTIES LABELS "${arg_LABEL}" TIMEOUT 120)
  # Catch2 2 warns if a search finds no test, so programs without such tests are not searched for them.
  foreach(kind IN ITEMS slow corpus nightly)
    set(tagged "")
    foreach(source IN LISTS arg_SOURCES)
      file(STRINGS "${source}" lines REGEX "\\[${kind}\\]\"" LIMIT_COUNT 1)
      list(APPEND tagged ${lines})
    endforeach()
    if(tagged)
      catch_discover_tests(${program} TEST_PREFIX "${prefix}" TEST_SPEC "[${kind}]" ${find_all}
        PROPERTIES LABELS ${kind} TIMEOUT 900)
    endif()
  endforeach()
endfunction()
