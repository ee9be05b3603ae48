# Links with glibc 2.31 and with archives of everything else, from the sysroot that make_sysroot.sh unpacks.
# SONDE_PORTABLE_ARCHITECTURE: amd64 (default) or arm64.
set(SONDE_PORTABLE_ARCHITECTURE amd64 CACHE STRING "Debian's name of the processor to build for")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SONDE_PORTABLE_ARCHITECTURE)
set(CMAKE_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../../build/sysroot/${SONDE_PORTABLE_ARCHITECTURE})
cmake_path(NORMAL_PATH CMAKE_SYSROOT)

if(SONDE_PORTABLE_ARCHITECTURE STREQUAL "arm64")
  set(triplet aarch64-linux-gnu)
  set(CMAKE_SYSTEM_NAME Linux)
  set(CMAKE_SYSTEM_PROCESSOR aarch64)
  set(CMAKE_C_COMPILER ${triplet}-gcc)
  set(CMAKE_CXX_COMPILER ${triplet}-g++)
  set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L ${CMAKE_SYSROOT})
  # The cross compiler looks at its own C library's headers before the sysroot's: all folders are named, in order.
  set(includes "")
  foreach(name ../../../../${triplet}/include/c++/12 ../../../../${triplet}/include/c++/12/${triplet}
               ../../../../${triplet}/include/c++/12/backward)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${name} OUTPUT_VARIABLE folder
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(APPEND includes " -isystem ${folder}")
  endforeach()
  set(own "")
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=include OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE)
  foreach(folder ${folder} ${CMAKE_SYSROOT}/usr/include/${triplet} ${CMAKE_SYSROOT}/usr/include)
    string(APPEND own " -isystem ${folder}")
  endforeach()
  set(CMAKE_CXX_FLAGS_INIT "-nostdinc -nostdinc++${includes}${own}")
  set(CMAKE_C_FLAGS_INIT "-nostdinc${own}")
else()
  set(triplet x86_64-linux-gnu)
endif()

set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# The compiler looks beside itself for libraries before it looks in the sysroot: -B and -L put the sysroot first.
set(folder ${CMAKE_SYSROOT}/usr/lib/${triplet})
set(linking "-B${folder} -L${folder} -static-libgcc -Wl,--as-needed -Wl,--gc-sections")
set(CMAKE_EXE_LINKER_FLAGS_INIT "${linking} -static-libstdc++")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "${linking}")
# What the archives need of each other, after all of them.
set(CMAKE_CXX_STANDARD_LIBRARIES "-ltinfo -lelf -llzma -lbz2 -lzstd -lz -lpthread -ldl -lrt -lm")
