# cmake --install: everything that a user needs, relocatable. The tool finds its library and models from its own file, by
# what bin/, lib/ and share/ are to each other; so these three stand together in a folder of their own, and what others
# look for leads there or stands where they look:
#   LIBDIR/einkorn/bin, lib      the tool; the library under its names, which no linker may find by chance
#   LIBDIR/einkorn/share         -> DATADIR/einkorn: machine models
#   LIBDIR/einkorn/include       -> INCLUDEDIR, for einkorn cc
#   BINDIR/einkorn               -> the tool
#   INCLUDEDIR                   ompx_locality.h, ompx_compat.h; einkorn/: codelet.h, codelet.hpp, taskgraph.h;
#                                einkorn/tools: omp-tools.h, for tools (OMPT) that gcc builds
#   LIBDIR/cmake/Einkorn, DATADIR/pkgconfig, MANDIR, completions, DATADIR/einkorn/modulefiles
# Components: tool (with the library), devel, compiler (einkorn-codelets, where it is built). DESTDIR works.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(home ${CMAKE_INSTALL_LIBDIR}/einkorn)

install(TARGETS einkorn RUNTIME DESTINATION ${home}/bin COMPONENT tool)
install(TARGETS einkorn_runtime einkorn_audit einkorn_ompt LIBRARY DESTINATION ${home}/lib COMPONENT tool)
install(TARGETS einkorn_allocations LIBRARY DESTINATION ${home}/lib COMPONENT tool)
if(TARGET einkorn_accesses)
  install(TARGETS einkorn_accesses LIBRARY DESTINATION ${home}/lib COMPONENT tool)
endif()
if(TARGET einkorn-codelets)
  install(TARGETS einkorn-codelets RUNTIME DESTINATION ${home}/bin COMPONENT compiler)
endif()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/share/machines DESTINATION ${CMAKE_INSTALL_DATADIR}/einkorn COMPONENT tool)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/einkorn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT devel)
install(FILES ${CMAKE_SOURCE_DIR}/include/ompx_locality.h ${CMAKE_SOURCE_DIR}/include/ompx_compat.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT devel)
# Not where clang's own would be hidden by it.
install(FILES ${CMAKE_SOURCE_DIR}/include/omp-tools.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/einkorn/tools COMPONENT devel)

# A relative link of a component; FROM and TO below the prefix.
function(einkorn_install_link component from to)
  cmake_path(ABSOLUTE_PATH from BASE_DIRECTORY /prefix NORMALIZE OUTPUT_VARIABLE there)
  cmake_path(ABSOLUTE_PATH to BASE_DIRECTORY /prefix NORMALIZE OUTPUT_VARIABLE target)
  cmake_path(GET there PARENT_PATH folder)
  cmake_path(RELATIVE_PATH target BASE_DIRECTORY ${folder})
  cmake_path(GET from FILENAME name)
  cmake_path(GET from PARENT_PATH destination)
  set(made ${CMAKE_BINARY_DIR}/links/${from})
  cmake_path(GET made PARENT_PATH made_in)
  file(MAKE_DIRECTORY ${made_in})
  file(CREATE_LINK ${target} ${made} SYMBOLIC)
  install(FILES ${made} DESTINATION ${destination} COMPONENT ${component})
endfunction()
foreach(name ${EINKORN_LIBRARY_NAMES})
  einkorn_install_link(tool ${home}/lib/${name} ${home}/lib/libgomp-einkorn.so)
endforeach()
einkorn_install_link(tool ${home}/share ${CMAKE_INSTALL_DATADIR}/einkorn)
einkorn_install_link(devel ${home}/include ${CMAKE_INSTALL_INCLUDEDIR})
einkorn_install_link(tool ${CMAKE_INSTALL_BINDIR}/einkorn ${home}/bin/einkorn)

# Manual pages and completions, made by asking the tool.
set(texts ${CMAKE_BINARY_DIR}/texts)
add_custom_command(OUTPUT ${texts}/man/man1/einkorn.1.gz
  COMMAND ${EINKORN_EMULATED} ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/manual.py --tool $<TARGET_FILE:einkorn>
          --variables ${CMAKE_SOURCE_DIR}/src/runtime/settings/config.def --machines ${CMAKE_SOURCE_DIR}/share/machines ${texts}
  DEPENDS ${CMAKE_CURRENT_LIST_DIR}/manual.py einkorn ${CMAKE_SOURCE_DIR}/src/runtime/settings/config.def VERBATIM)
add_custom_target(einkorn_texts ALL DEPENDS ${texts}/man/man1/einkorn.1.gz)
install(DIRECTORY ${texts}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT tool)
foreach(shell bash-completion zsh fish)
  install(DIRECTORY ${texts}/${shell} DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT tool)
endforeach()

# What other projects and environments look for. All find the prefix from their own place.
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/EinkornConfig.cmake.in ${CMAKE_BINARY_DIR}/EinkornConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Einkorn PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/EinkornConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/EinkornConfig.cmake ${CMAKE_BINARY_DIR}/EinkornConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Einkorn COMPONENT devel)
# Headers only, so of every architecture.
set(pkgconfig ${CMAKE_INSTALL_DATADIR}/pkgconfig)
cmake_path(ABSOLUTE_PATH pkgconfig BASE_DIRECTORY /prefix NORMALIZE OUTPUT_VARIABLE there)
file(RELATIVE_PATH up_to_prefix ${there} /prefix)
configure_file(${CMAKE_CURRENT_LIST_DIR}/einkorn.pc.in ${CMAKE_BINARY_DIR}/einkorn.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/einkorn.pc DESTINATION ${pkgconfig} COMPONENT devel)
configure_file(${CMAKE_CURRENT_LIST_DIR}/modulefile.in ${CMAKE_BINARY_DIR}/modulefile @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/modulefile DESTINATION ${CMAKE_INSTALL_DATADIR}/einkorn/modulefiles/einkorn
  RENAME ${PROJECT_VERSION} COMPONENT tool)

add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -D MANIFEST=${CMAKE_BINARY_DIR}/install_manifest.txt
  -P ${CMAKE_CURRENT_LIST_DIR}/uninstall.cmake VERBATIM)
