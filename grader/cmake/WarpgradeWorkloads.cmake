# The workloads: every folder grader/workloads/<name>/ is one; there is no other list of them.
#
#   adapter.cpp   part of the harness programs
#   *_test.cpp    part of the labs' test program
#   other *.cpp   part of the module `lab`, through the target `workloads`
#   naive.cu      built when a submission is graded
#
# Sets WARPGRADE_WORKLOAD_ADAPTERS and _TESTS (absolute paths) and WARPGRADE_WORKLOAD_INCLUDE, a folder with
# registered_workloads.inc: WARPGRADE_WORKLOAD(<name>) for each, in the order of their names.

file(GLOB WARPGRADE_WORKLOAD_ADAPTERS CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/grader/workloads/*/adapter.cpp")
file(GLOB WARPGRADE_WORKLOAD_TESTS CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/grader/workloads/*/*_test.cpp")

set(registered "")
foreach(adapter IN LISTS WARPGRADE_WORKLOAD_ADAPTERS)
  cmake_path(GET adapter PARENT_PATH folder)
  cmake_path(GET folder FILENAME name)
  string(APPEND registered "WARPGRADE_WORKLOAD(${name})\n")
endforeach()
set(WARPGRADE_WORKLOAD_INCLUDE "${PROJECT_BINARY_DIR}/workloads")
file(CONFIGURE OUTPUT "${WARPGRADE_WORKLOAD_INCLUDE}/registered_workloads.inc" CONTENT "${registered}")

# warpgrade_add_workloads(<target>): adds all workloads to a target. They are compiled as one file; the names of each are in
# the namespace grader::<name>, where workload() is.
function(warpgrade_add_workloads target)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/grader/workloads/*/*.cpp")
  list(FILTER sources EXCLUDE REGEX "/adapter\\.cpp$|_test\\.cpp$")
  add_library(workloads OBJECT ${sources})
  target_include_directories(workloads PRIVATE "${PROJECT_SOURCE_DIR}/grader")
  warpgrade_options(workloads)
  warpgrade_quick_build(workloads -O2)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:workloads>)
endfunction()
