# Man pages, completions and the example profile come from the program itself.
set(pages_folder ${CMAKE_CURRENT_BINARY_DIR}/pages)
set(pages_generator ${CMAKE_SOURCE_DIR}/tools/make_command_pages.py)
add_custom_command(
  OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/commands.json
  COMMAND sonde --dump-commands > commands.json
  DEPENDS sonde
  COMMENT "Listing the commands"
  VERBATIM)
add_custom_command(
  OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/pages.stamp
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${pages_folder}
  COMMAND ${Python3_EXECUTABLE} ${pages_generator} commands.json ${PROJECT_VERSION} ${pages_folder}
  COMMAND ${CMAKE_COMMAND} -E touch pages.stamp
  DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/commands.json ${pages_generator}
  COMMENT "Writing man pages and completions"
  VERBATIM)
add_custom_command(
  OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/inference.sqlite
  COMMAND sonde synth --program inference --plant gap --plant pageable --seed 1 -o inference.sqlite --force-overwrite
  DEPENDS sonde
  COMMENT "Making the example profile"
  VERBATIM)
# Not a part of `all`: only installing needs them.
add_custom_target(sonde_pages DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/pages.stamp ${CMAKE_CURRENT_BINARY_DIR}/inference.sqlite)
install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" --build \"${CMAKE_BINARY_DIR}\" --target sonde_pages
                COMMAND_ERROR_IS_FATAL ANY)")

install(DIRECTORY ${pages_folder}/man DESTINATION share)
install(FILES ${pages_folder}/sonde.bash DESTINATION share/bash-completion/completions RENAME sonde)
install(FILES ${pages_folder}/sonde.fish DESTINATION share/fish/vendor_completions.d)
# zsh reads the first folder, Debian's zsh the second one too.
install(FILES ${pages_folder}/_sonde DESTINATION share/zsh/site-functions)
install(FILES ${pages_folder}/_sonde DESTINATION share/zsh/vendor-completions)
