# warpgrade_build_identity(<target>): adds a source that defines grader::build_identity() (app/build_identity.hpp), the
# start of a SHA-256 of all sources that affect results: the grader's own without its tests, and the files with which
# submissions are compiled. The same sources give the same identity in every folder and on every machine.
#
# Run as a script (cmake -P) with -DROOT, -DLIST and -DOUT, this file writes that source.
function(warpgrade_build_identity target)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
    "${PROJECT_SOURCE_DIR}/grader/*.?pp" "${PROJECT_SOURCE_DIR}/grader/*.def" "${PROJECT_SOURCE_DIR}/grader/*.h" "${PROJECT_SOURCE_DIR}/grader/*.cu"
    "${PROJECT_SOURCE_DIR}/grader/*.cmake" "${PROJECT_SOURCE_DIR}/grader/CMakeLists.txt"
    "${PROJECT_SOURCE_DIR}/labs/include/*")
  list(FILTER files EXCLUDE REGEX "^grader/tests/|^grader/validate/")
  list(SORT files)
  set(list_file "${CMAKE_CURRENT_BINARY_DIR}/build_identity.txt")
  string(REPLACE ";" "\n" lines "${files}")
  file(CONFIGURE OUTPUT "${list_file}" CONTENT "${lines}\n" @ONLY)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/build_identity.cpp")
  list(TRANSFORM files PREPEND "${PROJECT_SOURCE_DIR}/")
  add_custom_command(OUTPUT "${source}"
    COMMAND "${CMAKE_COMMAND}" "-DROOT=${PROJECT_SOURCE_DIR}" "-DLIST=${list_file}" "-DOUT=${source}"
            -P "${PROJECT_SOURCE_DIR}/grader/cmake/WarpgradeBuildIdentity.cmake"
    DEPENDS ${files} "${list_file}"
    COMMENT "Compute the identity of the sources" VERBATIM)
  target_sources(${target} PRIVATE "${source}")
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  file(STRINGS "${LIST}" files)
  set(facts "")
  foreach(one IN LISTS files)
    file(SHA256 "${ROOT}/${one}" hash)
    string(APPEND facts "${one} ${hash}\n")
  endforeach()
  string(SHA256 hash "${facts}")
  string(SUBSTRING "${hash}" 0 12 hash)
  file(CONFIGURE OUTPUT "${OUT}" @ONLY CONTENT [[
// Made by WarpgradeBuildIdentity.cmake.
#include "app/build_identity.hpp"

namespace grader::app {

const char* build_identity() { return "@hash@"; }

}  // namespace grader::app
]])
endif()
