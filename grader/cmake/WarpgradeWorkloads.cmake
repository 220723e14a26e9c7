# The workloads: every folder grader/workloads/<name>/ is one, and nothing else lists them.
#
#   adapter.cpp   goes into the harness programs
#   *_test.cpp    go into the test program of the labs
#   other *.cpp   go into the module `lab`
#   naive.cu      is built when a submission is graded
#
# Sets WARPGRADE_WORKLOAD_ADAPTERS, _TESTS and _SOURCES (absolute paths) and WARPGRADE_WORKLOAD_INCLUDE, a folder with
# registered_workloads.inc: WARPGRADE_WORKLOAD(<name>) for each, in the order of their names.

file(GLOB WARPGRADE_WORKLOAD_ADAPTERS CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/grader/workloads/*/adapter.cpp")
file(GLOB WARPGRADE_WORKLOAD_TESTS CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/grader/workloads/*/*_test.cpp")
file(GLOB WARPGRADE_WORKLOAD_SOURCES CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/grader/workloads/*/*.cpp")
list(REMOVE_ITEM WARPGRADE_WORKLOAD_SOURCES ${WARPGRADE_WORKLOAD_ADAPTERS} ${WARPGRADE_WORKLOAD_TESTS})

set(registered "")
foreach(adapter IN LISTS WARPGRADE_WORKLOAD_ADAPTERS)
  cmake_path(GET adapter PARENT_PATH folder)
  cmake_path(GET folder FILENAME name)
  string(APPEND registered "WARPGRADE_WORKLOAD(${name})\n")
endforeach()
set(WARPGRADE_WORKLOAD_INCLUDE "${PROJECT_BINARY_DIR}/workloads")
file(CONFIGURE OUTPUT "${WARPGRADE_WORKLOAD_INCLUDE}/registered_workloads.inc" CONTENT "${registered}")
