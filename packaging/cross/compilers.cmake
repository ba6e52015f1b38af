# In a build for another architecture: what compiles programs for it, by the names that compilers and binutils have on a machine of that
# architecture (programs/, and tests that compile as a user does). With the words that make a cross compiler of each; a configuration file for
# clang, as it complains of words on its command line that it has no use for.
set(EINKORN_COMPILERS ${CMAKE_BINARY_DIR}/compilers)
set(triple ${CMAKE_LIBRARY_ARCHITECTURE})

function(stands_for program)
  foreach(name IN LISTS ARGN)
    list(JOIN program " " words)
    file(CONFIGURE OUTPUT ${EINKORN_COMPILERS}/${name} CONTENT "#!/bin/sh\nexec ${words} \"$@\"\n")
    file(CHMOD ${EINKORN_COMPILERS}/${name} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  endforeach()
endfunction()

# The versions that the lists of tests/conformance are of.
stands_for("/usr/bin/${triple}-gcc-12;--sysroot=${CMAKE_SYSROOT}" gcc gcc-12 cc)
stands_for("/usr/bin/${triple}-g++-12;--sysroot=${CMAKE_SYSROOT}" g++ g++-12 c++)
stands_for("/usr/bin/${triple}-gfortran-12;--sysroot=${CMAKE_SYSROOT}" gfortran gfortran-12)
set(clang_words ${CMAKE_BINARY_DIR}/compilers.cfg)
file(CONFIGURE OUTPUT ${clang_words} CONTENT "--target=${triple}\n--sysroot=${CMAKE_SYSROOT}\n-L${CMAKE_SYSROOT}/usr/lib/llvm-19/lib\n")
foreach(name clang clang++)
  stands_for("/usr/lib/llvm-19/bin/${name};--config=${clang_words}" ${name}-19)
endforeach()
# Of another C library than ours, whose programs are refused: Debian's words for gcc, with the sysroot's paths but for the program's own.
file(READ ${CMAKE_SYSROOT}/usr/lib/${CMAKE_SYSTEM_PROCESSOR}-linux-musl/musl-gcc.specs specs)
string(REPLACE "/usr/" "${CMAKE_SYSROOT}/usr/" specs "${specs}")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/musl-gcc.specs CONTENT "${specs}" @ONLY)
stands_for("/usr/bin/${triple}-gcc-12;-specs=${CMAKE_BINARY_DIR}/musl-gcc.specs" musl-gcc)
foreach(name ar as ld nm objcopy objdump readelf strip)
  stands_for(/usr/bin/${triple}-${name} ${name})
endforeach()

# A folder of the programs' own, as one that a build for this machine has found may be remembered.
foreach(which GCC=gcc-12 GXX=g++-12 CLANG=clang-19)
  string(REGEX MATCH "(.+)=(.+)" matched ${which})
  set(EINKORN_${CMAKE_MATCH_1} ${EINKORN_COMPILERS}/${CMAKE_MATCH_2} CACHE FILEPATH "Compiles programs under test")
endforeach()

# Runs a test's program, and what that starts: tests/cross/emulated.py.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(EINKORN_EMULATED ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/cross/emulated.py --target ${CMAKE_SYSTEM_PROCESSOR}
    --sysroot ${CMAKE_SYSROOT} --tools ${EINKORN_COMPILERS} --)
