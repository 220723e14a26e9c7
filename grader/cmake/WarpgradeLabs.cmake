# warpgrade_lab(<folder>): adds a student's tests of one lab, read from its lab.json.
#
#   <lab>/build        compiles the student's current file; the other tests need it
#   <lab>/<case>       one for each case
#   <lab>/task-<task>  one for each task with objectives or a speed-up
#
# The tests run `warpgrade check`, so `ctest -L <lab>` and grading share all code. They compile the file themselves: no
# rebuild is needed after an edit. Labels: the lab's id, and "lab". The tests fail on an unchanged skeleton, so the
# kit's own test presets exclude the label "lab".

set(WARPGRADE_LAB_DEVICE auto CACHE STRING "Device of the students' tests: auto, virtual or cuda")

function(_warpgrade_lab_test lab name)
  add_test(NAME "${lab}/${name}"
    COMMAND warpgrade check "${lab}" ${ARGN} --device "${WARPGRADE_LAB_DEVICE}"
      --build-cache "${CMAKE_BINARY_DIR}/lab-cache")
  set_tests_properties("${lab}/${name}" PROPERTIES
    ENVIRONMENT "WARPGRADE_HOME=${PROJECT_SOURCE_DIR}" LABELS "lab;${lab}" TIMEOUT 300
    SKIP_RETURN_CODE 4) # nothing graded: the case is for another kind of device
  if(NOT name STREQUAL "build")
    set_tests_properties("${lab}/${name}" PROPERTIES FIXTURES_REQUIRED "${lab}/build")
  endif()
endfunction()

# Stops the configuration with the file's name if `error` is not empty.
function(_warpgrade_lab_json_error manifest error)
  if(error)
    message(FATAL_ERROR "${manifest}: ${error}\nCorrect the file; `warpgrade lint` prints details.")
  endif()
endfunction()

function(warpgrade_lab folder)
  set(manifest "${folder}/lab.json")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${manifest}")
  file(READ "${manifest}" json)
  string(JSON lab ERROR_VARIABLE error GET "${json}" id)
  _warpgrade_lab_json_error("${manifest}" "${error}")
  string(JSON case_count ERROR_VARIABLE error LENGTH "${json}" cases)
  _warpgrade_lab_json_error("${manifest}" "${error}")
  string(JSON task_count ERROR_VARIABLE error LENGTH "${json}" tasks)
  _warpgrade_lab_json_error("${manifest}" "${error}")

  _warpgrade_lab_test("${lab}" build --build-only)
  set_tests_properties("${lab}/build" PROPERTIES FIXTURES_SETUP "${lab}/build")
  foreach(index RANGE 1 ${case_count})
    math(EXPR index "${index} - 1")
    string(JSON name MEMBER "${json}" cases ${index})
    _warpgrade_lab_test("${lab}" "${name}" --case "${name}")
  endforeach()
  foreach(index RANGE 1 ${task_count})
    math(EXPR index "${index} - 1")
    string(JSON name ERROR_VARIABLE error GET "${json}" tasks ${index} id)
    _warpgrade_lab_json_error("${manifest}" "${error}")
    string(JSON objectives ERROR_VARIABLE no_objectives GET "${json}" tasks ${index} objectives)
    string(JSON speedup ERROR_VARIABLE no_speedup GET "${json}" tasks ${index} speedup)
    if(NOT no_objectives OR NOT no_speedup)
      _warpgrade_lab_test("${lab}" "task-${name}" --task "${name}")
    endif()
  endforeach()
endfunction()
