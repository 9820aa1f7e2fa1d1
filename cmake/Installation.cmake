# `make install`: program, library, headers, CMake package, example tables, man
# page, completions.

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/lamarck)

install(TARGETS lamarck EXPORT lamarckTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS lamarck_program DESTINATION ${CMAKE_INSTALL_BINDIR})
install(EXPORT lamarckTargets NAMESPACE lamarck:: DESTINATION ${package_dir})

configure_package_config_file(cmake/lamarckConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/lamarckConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/package/lamarckConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/package/lamarckConfig.cmake
  ${PROJECT_BINARY_DIR}/package/lamarckConfigVersion.cmake
  cmake/FindRE2.cmake
  cmake/FindPrometheusCore.cmake
  cmake/Findutf8proc.cmake
  DESTINATION ${package_dir})

# The tables that the examples of the help use.
install(FILES tests/data/iris.csv tests/data/planets.csv
  examples/data/swing.csv examples/data/pendulum.csv examples/data/sales.csv examples/data/comets.csv
  examples/data/law-plan.json examples/data/README.md
  DESTINATION ${CMAKE_INSTALL_DATADIR}/lamarck/examples)

# The program writes its own manual and completions, so they always match it.
set(written ${PROJECT_BINARY_DIR}/written)
add_custom_command(
  OUTPUT ${written}/lamarck.1 ${written}/lamarck.bash ${written}/_lamarck
    ${written}/lamarck.fish
  COMMAND ${CMAKE_COMMAND} -E make_directory ${written}
  COMMAND lamarck_program manual > ${written}/lamarck.1
  COMMAND lamarck_program completion bash > ${written}/lamarck.bash
  COMMAND lamarck_program completion zsh > ${written}/_lamarck
  COMMAND lamarck_program completion fish > ${written}/lamarck.fish
  DEPENDS lamarck_program VERBATIM
  COMMENT "Writing the man page and the shell completions")
add_custom_target(written ALL DEPENDS ${written}/lamarck.1)
install(FILES ${written}/lamarck.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
set(share ${CMAKE_INSTALL_DATADIR})
install(FILES ${written}/lamarck.bash RENAME lamarck
  DESTINATION ${share}/bash-completion/completions)
install(FILES ${written}/_lamarck DESTINATION ${share}/zsh/site-functions)
install(FILES ${written}/lamarck.fish
  DESTINATION ${share}/fish/vendor_completions.d)
