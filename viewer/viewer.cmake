# Builds the page of `einkorn report --html` (viewer/dist/index.html) and links it into the tool.
# Included by src/report/CMakeLists.txt; gives the object library einkorn_viewer_page.
find_program(EINKORN_NPM npm)
find_program(EINKORN_NODE NAMES node nodejs)
if(NOT EINKORN_NPM OR NOT EINKORN_NODE)
  message(FATAL_ERROR "The page of `einkorn report --html` is built with node and npm, which are not here.\n"
    "Install them (Debian: apt-get install nodejs npm), or build the runtime alone: cmake -DEINKORN_RUNTIME_ONLY=ON.")
endif()

set(viewer ${CMAKE_CURRENT_LIST_DIR})
set(viewer_page ${viewer}/dist/index.html)
set(viewer_packages ${CMAKE_BINARY_DIR}/viewer/packages.stamp)
file(GLOB_RECURSE viewer_sources CONFIGURE_DEPENDS ${viewer}/src/*)
list(FILTER viewer_sources EXCLUDE REGEX "\\.test\\.ts$|/src/testing/")

add_custom_command(
  OUTPUT ${viewer_packages}
  COMMAND ${CMAKE_COMMAND} -DNPM=${EINKORN_NPM} -P ${CMAKE_SOURCE_DIR}/viewer/packages.cmake
  COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/viewer
  COMMAND ${CMAKE_COMMAND} -E touch ${viewer_packages}
  DEPENDS ${viewer}/package.json ${viewer}/package-lock.json
  WORKING_DIRECTORY ${viewer}
  COMMENT "Installing the viewer's packages" VERBATIM)

add_custom_command(
  OUTPUT ${viewer_page}
  COMMAND ${EINKORN_NPM} run --silent build
  DEPENDS ${viewer_packages} ${viewer_sources} ${viewer}/index.html ${viewer}/vite.config.mjs ${viewer}/tsconfig.json
  WORKING_DIRECTORY ${viewer}
  COMMENT "Building the page (type check and bundle)" VERBATIM)

# .incbin: the assembler copies the file in; no generated source to compile.
set(viewer_embed ${CMAKE_BINARY_DIR}/viewer/embed.cpp)
file(CONFIGURE OUTPUT ${viewer_embed} @ONLY CONTENT [[
__asm__(
  ".section .rodata\n"
  ".global einkorn_viewer_page\n"
  ".global einkorn_viewer_page_end\n"
  "einkorn_viewer_page:\n"
  ".incbin \"@viewer_page@\"\n"
  "einkorn_viewer_page_end:\n"
  ".byte 0\n"
  ".previous\n");
]])
set_source_files_properties(${viewer_embed} PROPERTIES OBJECT_DEPENDS ${viewer_page})
add_library(einkorn_viewer_page OBJECT ${viewer_embed})
