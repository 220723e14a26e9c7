# warpgrade_lab(<folder>): adds a student's tests of one lab, read from its lab.json.
#
#   <lab>/check          compiles the student's current file and checks the whole lab once; the other tests report parts
#   <lab>/build          the file compiles
#   <lab>/<task>/<case>  one for each case of a task
#   <lab>/<task>         one for each task with objectives or a speed-up
#
# The tests have the results of `warpgrade check`: what it skips, because a task before has failed, is skipped here, too.
# They compile the file themselves: no rebuild is needed after an edit. Labels: the lab's id, "lab", and "bonus" for bonus
# tasks. The tests fail on an unchanged skeleton, so the kit's own test presets exclude the label "lab".
#
# warpgrade_first_mistake(): makes ctest print the first mistake after its summary, without an option.

set(WARPGRADE_LAB_DEVICE auto CACHE STRING "Device of the students' tests: auto, virtual or cuda")

set(_warpgrade_lab_results "${CMAKE_BINARY_DIR}/lab-results")

function(_warpgrade_lab_test lab name)
  add_test(NAME "${lab}/${name}" COMMAND warpgrade lab-test "${lab}" --folder "${_warpgrade_lab_results}" ${ARGN})
  set_tests_properties("${lab}/${name}" PROPERTIES
    ENVIRONMENT "WARPGRADE_HOME=${PROJECT_SOURCE_DIR}" LABELS "lab;${lab}" TIMEOUT 300
    SKIP_RETURN_CODE 4) # nothing graded: a task before has failed, or the case is for another kind of device
endfunction()

# A test that reports the check or the task `name`, with more labels.
function(_warpgrade_lab_report lab name)
  _warpgrade_lab_test("${lab}" "${name}" --check "${name}")
  set_tests_properties("${lab}/${name}" PROPERTIES FIXTURES_REQUIRED "${lab}/check")
  set_property(TEST "${lab}/${name}" APPEND PROPERTY LABELS ${ARGN})
endfunction()

# Stops the configuration with the file's name if `error` is not empty.
function(_warpgrade_lab_json_error manifest error)
  if(error)
    message(FATAL_ERROR "${manifest}: ${error}\nCorrect the file; `warpgrade lint` prints details.")
  endif()
endfunction()

# The tests of one task: of its cases, and of the task if it also has objectives or a speed-up.
function(_warpgrade_lab_task lab manifest task)
  string(JSON id ERROR_VARIABLE error GET "${task}" id)
  _warpgrade_lab_json_error("${manifest}" "${error}")
  string(JSON is_bonus ERROR_VARIABLE no_bonus GET "${task}" bonus)
  set(labels)
  if(NOT no_bonus AND is_bonus)
    set(labels bonus)
  endif()
  string(JSON case_count ERROR_VARIABLE no_cases LENGTH "${task}" cases)
  if(NOT no_cases AND case_count GREATER 0)
    math(EXPR last "${case_count} - 1")
    foreach(index RANGE ${last})
      string(JSON name GET "${task}" cases ${index})
      _warpgrade_lab_report("${lab}" "${id}/${name}" ${labels})
    endforeach()
  endif()
  string(JSON objectives ERROR_VARIABLE no_objectives GET "${task}" objectives)
  string(JSON speedup ERROR_VARIABLE no_speedup GET "${task}" speedup)
  if(NOT no_objectives OR NOT no_speedup)
    _warpgrade_lab_report("${lab}" "${id}" ${labels})
  endif()
endfunction()

function(warpgrade_lab folder)
  set(manifest "${folder}/lab.json")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${manifest}")
  file(READ "${manifest}" json)
  string(JSON lab ERROR_VARIABLE error GET "${json}" id)
  _warpgrade_lab_json_error("${manifest}" "${error}")
  string(JSON task_count ERROR_VARIABLE error LENGTH "${json}" tasks)
  _warpgrade_lab_json_error("${manifest}" "${error}")

  _warpgrade_lab_test("${lab}" check --device "${WARPGRADE_LAB_DEVICE}" --build-cache "${CMAKE_BINARY_DIR}/lab-cache")
  set_tests_properties("${lab}/check" PROPERTIES FIXTURES_SETUP "${lab}/check" PROCESSORS 2)
  _warpgrade_lab_report("${lab}" build)
  math(EXPR last "${task_count} - 1")
  foreach(index RANGE ${last})
    string(JSON task GET "${json}" tasks ${index})
    _warpgrade_lab_task("${lab}" "${manifest}" "${task}")
  endforeach()
endfunction()

# ctest prints no output of failed tests unless it is asked to, but it does print the output of commands that run after
# the tests. This command prints nothing if no test of a lab has failed.
function(warpgrade_first_mistake)
  set(program "\"${CMAKE_BINARY_DIR}/bin/warpgrade\"")
  set(command "\"${CMAKE_COMMAND}\" -E env \"WARPGRADE_HOME=${PROJECT_SOURCE_DIR}\" ${program} lab-test --folder \"${_warpgrade_lab_results}\"")
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/CTestCustom.cmake"
    CONTENT "set(CTEST_CUSTOM_POST_TEST [=[@command@]=])\n" @ONLY)
endfunction()
