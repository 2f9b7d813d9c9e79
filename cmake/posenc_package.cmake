# What `cmake --install` copies: the library, its headers and CMake package, the tool, the licence.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/posenc)
get_target_property(posenc_type posenc TYPE)
configure_package_config_file(cmake/posenc-config.cmake.in posenc-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(posenc-config-version.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS posenc EXPORT posenc-targets)
install(DIRECTORY include/posenc TYPE INCLUDE)
install(EXPORT posenc-targets NAMESPACE posenc:: DESTINATION ${package_dir})
install(FILES ${PROJECT_BINARY_DIR}/posenc-config.cmake
              ${PROJECT_BINARY_DIR}/posenc-config-version.cmake DESTINATION ${package_dir})
if(POSENC_CLI)
  install(TARGETS posenc_cli)
  set(pages ${PROJECT_BINARY_DIR}/tool/cli)
  install(FILES ${pages}/posenc.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${pages}/posenc.bash RENAME posenc
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${pages}/_posenc DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()
install(FILES LICENSE README.md README.zh.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
