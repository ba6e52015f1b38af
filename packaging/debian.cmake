# cpack -G DEB (./dev package): einkorn, the tool with its library; einkorn-dev, the headers; einkorn-compiler, what
# makes codelets of OpenMP in C, where it is built. What they need of other
# packages is found by dpkg-shlibdeps. Debian's texts (copyright, changelog) are made here from LICENSE's name and the
# project's version; DEBFULLNAME and DEBEMAIL say who answers for the packages.
set(name Einkorn)
set(address einkorn@users.noreply.example)
if(DEFINED ENV{DEBEMAIL})
  set(address $ENV{DEBEMAIL})
endif()
if(DEFINED ENV{DEBFULLNAME})
  set(name $ENV{DEBFULLNAME})
endif()
# The commit's time, so that the same commit gives the same package.
execute_process(COMMAND git log -1 --format=%cD WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE date
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT date)
  set(date "Sun, 22 Nov 2026 00:00:00 +0000")
endif()

set(debian ${CMAKE_BINARY_DIR}/debian)
file(WRITE ${debian}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Einkorn

Files: *
Copyright: 2026 The Einkorn developers
License: Apache-2.0
 The whole text of the Apache License, Version 2.0, is in /usr/share/common-licenses/Apache-2.0.
")
# The audit library runs in a namespace of its own, where libc would be mapped a second time.
file(WRITE ${debian}/overrides "einkorn: shared-library-lacks-prerequisites [usr/lib/einkorn/lib/libeinkorn-audit.so]\n")
install(FILES ${debian}/overrides DESTINATION share/lintian/overrides RENAME einkorn COMPONENT tool EXCLUDE_FROM_ALL)
foreach(package einkorn einkorn-dev einkorn-compiler)
  file(WRITE ${debian}/${package}/changelog
    "einkorn (${PROJECT_VERSION}) unstable; urgency=medium\n\n  * What has changed: CHANGELOG.md of the sources.\n\n -- ${name} <${address}>  ${date}\n")
  execute_process(COMMAND gzip -9nf ${debian}/${package}/changelog)
endforeach()
install(FILES ${debian}/copyright ${debian}/einkorn/changelog.gz DESTINATION share/doc/einkorn COMPONENT tool EXCLUDE_FROM_ALL)
install(FILES ${debian}/copyright ${debian}/einkorn-dev/changelog.gz DESTINATION share/doc/einkorn-dev COMPONENT devel EXCLUDE_FROM_ALL)

install(FILES ${debian}/copyright ${debian}/einkorn-compiler/changelog.gz DESTINATION share/doc/einkorn-compiler COMPONENT compiler
  EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME einkorn)
set(CPACK_PACKAGE_CONTACT "${name} <${address}>")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL tool devel)
if(TARGET einkorn-codelets)
  list(APPEND CPACK_COMPONENTS_ALL compiler)
endif()
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_TOOL_PACKAGE_NAME einkorn)
set(CPACK_DEBIAN_TOOL_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
# Opened while running, when somebody asks for the machine.
set(CPACK_DEBIAN_TOOL_PACKAGE_RECOMMENDS libhwloc15)
set(CPACK_DEBIAN_DEVEL_PACKAGE_NAME einkorn-dev)
set(CPACK_DEBIAN_DEVEL_PACKAGE_DEPENDS einkorn)
set(CPACK_DEBIAN_COMPILER_PACKAGE_NAME einkorn-compiler)
set(CPACK_DEBIAN_COMPILER_PACKAGE_SHLIBDEPS ON)
# Clang's own headers (stddef, omp), which it parses with.
set(CPACK_DEBIAN_COMPILER_PACKAGE_DEPENDS "einkorn, einkorn-dev, libclang-common-19-dev, libomp-19-dev")
set(CPACK_COMPONENT_TOOL_DESCRIPTION "OpenMP runtime, recorder and simulator that show every grain
A library that takes the place of libgomp and libomp under unmodified OpenMP
programs, with schedulers that run tasks where their data is. A tool that
records what such a program does, ranks what costs most, draws each task and
chunk in a page for the browser, and predicts the program on other machines.")
set(CPACK_COMPONENT_DEVEL_DESCRIPTION "Codelets, taskgraphs and data placement for OpenMP programs (headers)
Headers for C and C++ programs that build graphs of codelets, or procedures,
beside their OpenMP, or say where tasks and data go. Such programs run on any
OpenMP library; only on Einkorn's these calls do something. A header for tools
(OMPT), too.")
set(CPACK_COMPONENT_COMPILER_DESCRIPTION "OpenMP in C compiled to codelets (einkorn cc)
Takes the compiler's place in a make: regions of OpenMP become codelets beside
their OpenMP form, as C that can be read, and gcc or clang compiles both.")
include(CPack)
