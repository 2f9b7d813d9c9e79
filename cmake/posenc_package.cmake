# What `cmake --install` copies: the library, its headers and CMake package, the tool, the licence.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/posenc)
get_target_property(posenc_type posenc TYPE)
configure_package_config_file(cmake/posenc-config.cmake.in posenc-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(posenc-config-version.cmake COMPATIBILITY SameMinorVersion)

# pkg-config: a static library passes its own needs on, a shared one has none to pass.
set(posenc_pc_private "")
if(posenc_type STREQUAL STATIC_LIBRARY)
  set(posenc_pc_private "-lstdc++ -lm -pthread")
  if(NOT POSENC_FETCH)
    string(PREPEND posenc_pc_private "-lhwy ")
  endif()
  if(POSENC_OPENMP)
    string(APPEND posenc_pc_private " ${OpenMP_CXX_FLAGS}")
  endif()
  if(POSENC_CUDA STREQUAL ON)
    string(APPEND posenc_pc_private " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lrt")
  endif()
endif()
# The file finds the folders from where it lies.
file(RELATIVE_PATH posenc_pc_up ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/posenc.pc.in posenc.pc @ONLY)

install(TARGETS posenc EXPORT posenc-targets)
if(POSENC_MODEL)  # in a shared library it is inside
  set(posenc_pc_model "")
  if(posenc_type STREQUAL STATIC_LIBRARY)
    set(posenc_pc_model "-L\${libdir} -lposenc_model")
  endif()
  configure_file(cmake/posenc-model.pc.in posenc-model.pc @ONLY)
  install(TARGETS posenc_model EXPORT posenc-targets)
  install(FILES ${PROJECT_BINARY_DIR}/posenc-model.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
install(DIRECTORY include/posenc TYPE INCLUDE)
install(FILES ${PROJECT_BINARY_DIR}/posenc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES packaging/posenc_rope.h TYPE INCLUDE)
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
  install(DIRECTORY tool/bench/contenders DESTINATION ${CMAKE_INSTALL_DATADIR}/posenc
          FILES_MATCHING PATTERN *.py)
endif()
install(FILES LICENSE README.md README.zh.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
