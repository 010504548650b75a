# Writes what PROGRAM, behind its emulator where it is for another machine, says of itself into FOLDER: manual page, completions.
file(MAKE_DIRECTORY "${FOLDER}")
foreach(row IN ITEMS "macaw.1 man" "macaw completion bash" "_macaw completion zsh" "macaw.fish completion fish")
  separate_arguments(words UNIX_COMMAND "${row}")
  list(POP_FRONT words file)
  execute_process(COMMAND ${PROGRAM} ${words} OUTPUT_FILE "${FOLDER}/${file}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
