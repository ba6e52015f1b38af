# The wheel's share of the tool, from EINKORN_TREE, a tree that `cmake --install` has left (packaging/wheel.py):
#   einkorn/tool/bin, lib, share   beside the Python package: the tool finds the others from its own file
#   scripts/einkorn                the command, a script: wheels hold no links, and the tool needs its neighbours
#   data/include, lib/pkgconfig    the headers, where compilers of that environment look
#   data/share                     manual pages and completions, where man and shells look for commands of such a bin/
file(GLOB home ${EINKORN_TREE}/lib*/einkorn ${EINKORN_TREE}/lib/*/einkorn)
if(NOT EXISTS ${home}/bin/einkorn)
  message(FATAL_ERROR "${EINKORN_TREE} has no tool: cmake --install BUILD --component tool --prefix ${EINKORN_TREE}")
endif()
install(PROGRAMS ${home}/bin/einkorn DESTINATION einkorn/tool/bin)
file(GLOB libraries ${home}/lib/*.so)
foreach(library IN LISTS libraries)
  if(NOT IS_SYMLINK ${library})
    install(PROGRAMS ${library} DESTINATION einkorn/tool/lib)
  endif()
endforeach()
install(DIRECTORY ${EINKORN_TREE}/share/einkorn/machines DESTINATION einkorn/tool/share)
install(DIRECTORY ${EINKORN_TREE}/include/ DESTINATION ${SKBUILD_DATA_DIR}/include)
install(FILES ${EINKORN_TREE}/share/pkgconfig/einkorn.pc DESTINATION ${SKBUILD_DATA_DIR}/lib/pkgconfig)
foreach(texts man bash-completion zsh fish)
  install(DIRECTORY ${EINKORN_TREE}/share/${texts} DESTINATION ${SKBUILD_DATA_DIR}/share)
endforeach()

set(EINKORN_PYTHON python${Python_VERSION_MAJOR}.${Python_VERSION_MINOR})
configure_file(${CMAKE_CURRENT_LIST_DIR}/command.sh.in ${CMAKE_CURRENT_BINARY_DIR}/command/einkorn @ONLY)
install(PROGRAMS ${CMAKE_CURRENT_BINARY_DIR}/command/einkorn DESTINATION ${SKBUILD_SCRIPTS_DIR})

# The names that programs ask for are links in other installations. Here each is a library without contents, that leads to the one
# file and has its versions: with copies instead, a program of two compilers would get two runtimes.
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/empty.c "")
file(STRINGS ${EINKORN_TREE}/versions versions)
set(map)
foreach(version IN LISTS versions)
  string(APPEND map "${version} {};\n")
endforeach()
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/versions.map "${map}")
add_library(gomp-einkorn SHARED ${CMAKE_CURRENT_BINARY_DIR}/empty.c)  # in the place of the one file, whose soname is another
foreach(name libgomp.so.1 libomp.so.5 libomp.so libiomp5.so)
  string(MAKE_C_IDENTIFIER ${name} target)
  add_library(${target} SHARED ${CMAKE_CURRENT_BINARY_DIR}/empty.c)
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${name} SUFFIX "" INSTALL_RPATH $ORIGIN BUILD_WITH_INSTALL_RPATH ON
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/names)
  target_link_options(${target} PRIVATE -nostdlib -Wl,--no-as-needed -Wl,--version-script=${CMAKE_CURRENT_BINARY_DIR}/versions.map)
  target_link_libraries(${target} PRIVATE gomp-einkorn)
  install(TARGETS ${target} LIBRARY DESTINATION einkorn/tool/lib)
endforeach()
