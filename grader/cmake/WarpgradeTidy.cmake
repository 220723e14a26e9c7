# Target `tidy`: runs clang-tidy on every source of this configuration but generated ones, in parallel, without compiling
# anything. Findings are errors. The checks, and why some are off, are in .clang-tidy. All machines use one version: equal findings.

find_program(WARPGRADE_RUN_CLANG_TIDY run-clang-tidy-14)
if(WARPGRADE_RUN_CLANG_TIDY)
  add_custom_target(tidy
    COMMAND "${WARPGRADE_RUN_CLANG_TIDY}" -quiet -extra-arg=-Wno-unknown-warning-option -p "${CMAKE_BINARY_DIR}"
      "^${PROJECT_SOURCE_DIR}/grader/"
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    USES_TERMINAL VERBATIM)
else()
  add_custom_target(tidy
    COMMAND "${CMAKE_COMMAND}" -E echo "run-clang-tidy-14 is missing: run grader/setup.sh --dev, then configure again"
    COMMAND "${CMAKE_COMMAND}" -E false
    VERBATIM)
endif()
