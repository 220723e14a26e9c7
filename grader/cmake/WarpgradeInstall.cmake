# cmake --install BUILD [--prefix DIR]: the programs, completions for three shells and the manual page. The labs and pages
# stay in the checkout, where the installed program finds them.

# As they are: the grader gives the harness programs the folder of their runtime library.
set(programs warpgrade harness-virtual box-init unpack read-roster)
if(TARGET harness-cuda)
  list(APPEND programs harness-cuda)
endif()
foreach(program IN LISTS programs)
  install(PROGRAMS "$<TARGET_FILE:${program}>" DESTINATION bin)
endforeach()
install(DIRECTORY "${CMAKE_BINARY_DIR}/lib/virtual" DESTINATION lib)

# What the program prints of itself.
install(CODE "
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
