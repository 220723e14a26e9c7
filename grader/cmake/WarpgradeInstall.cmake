# cmake --install BUILD [--prefix DIR]: the programs, completions for three shells and the manual page. The labs and pages
# stay in the checkout, where the installed program finds them.
#
# For students (grader/doc/decisions/0029-student-archive.md), if the programs are portable:
# cmake --build BUILD --target student-archive: the archive, BUILD/cuda-course.tar.xz
# cpack --config BUILD/CPackConfig.cmake: the same files as a Debian package

# As they are: the grader gives the harness programs the folder of their runtime library.
set(programs warpgrade harness-virtual box-init unpack)
foreach(program IN ITEMS harness-cuda read-roster)
  if(TARGET ${program})
    list(APPEND programs ${program})
  endif()
endforeach()
foreach(program IN LISTS programs)
  install(PROGRAMS "$<TARGET_FILE:${program}>" DESTINATION bin)
endforeach()
install(DIRECTORY "${CMAKE_BINARY_DIR}/lib/virtual" DESTINATION lib)

# What the program prints of itself.
set(install_own_texts "
  set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share\")
  foreach(one IN ITEMS \"completion bash;bash-completion/completions/warpgrade\"
                       \"completion zsh;zsh/site-functions/_warpgrade\"
                       \"completion fish;fish/vendor_completions.d/warpgrade.fish\" \"man;man/man1/warpgrade.1\")
    list(GET one 0 command)
    list(GET one 1 file)
    separate_arguments(command)
    get_filename_component(folder \"\${share}/\${file}\" DIRECTORY)
    file(MAKE_DIRECTORY \"\${folder}\")
    message(STATUS \"Installing: \${share}/\${file}\")
    execute_process(COMMAND \"$<TARGET_FILE:warpgrade>\" \${command} OUTPUT_FILE \"\${share}/\${file}\"
                    COMMAND_ERROR_IS_FATAL ANY)
  endforeach()")
install(CODE "${install_own_texts}")

if(NOT WARPGRADE_PORTABLE)
  return()
endif()

add_custom_target(student-archive
  COMMAND warpgrade release --out "${CMAKE_BINARY_DIR}/cuda-course.tar.xz"
  DEPENDS ${programs} virtual_cudart
  WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
  USES_TERMINAL VERBATIM)

# The files of the archive in lib/warpgrade, and the program in the PATH.
install(CODE "
  set(archive \"${CMAKE_BINARY_DIR}/package/warpgrade.tar.gz\")
  file(MAKE_DIRECTORY \"${CMAKE_BINARY_DIR}/package\")
  execute_process(COMMAND \"$<TARGET_FILE:warpgrade>\" release --out \"\${archive}\" COMMAND_ERROR_IS_FATAL ANY)
  set(prefix \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
  file(ARCHIVE_EXTRACT INPUT \"\${archive}\" DESTINATION \"\${prefix}/lib\")
  file(MAKE_DIRECTORY \"\${prefix}/bin\")
  file(CREATE_LINK ../lib/warpgrade/grader/bin/warpgrade \"\${prefix}/bin/warpgrade\" SYMBOLIC)"
  COMPONENT student EXCLUDE_FROM_ALL)
install(CODE "${install_own_texts}" COMPONENT student EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL student)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_CONTACT "The instructors of the course <course@warpgrade.invalid>")
set(CPACK_DEBIAN_STUDENT_PACKAGE_NAME warpgrade-student)
set(CPACK_DEBIAN_STUDENT_FILE_NAME DEB-DEFAULT)
set(CPACK_COMPONENT_STUDENT_DESCRIPTION "CUDA labs and the program that checks them, without a GPU\nStart with: cp -r /usr/lib/warpgrade/labs cuda-labs")
# Debian 12's C library; a C++ compiler, which links the students' programs, brings the other libraries.
set(CPACK_DEBIAN_STUDENT_PACKAGE_DEPENDS "libc6 (>= 2.36), libstdc++6 (>= 12)")
set(CPACK_DEBIAN_STUDENT_PACKAGE_RECOMMENDS "clang, bubblewrap")
set(CPACK_DEBIAN_STUDENT_PACKAGE_SECTION education)
include(CPack)
