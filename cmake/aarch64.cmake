# Builds for Linux on aarch64 with Debian's cross compiler: `make aarch64` runs the tests under qemu-user, which is an
# emulator of a processor; `make aarch64-system` in an emulated machine with a kernel of its own (ASSAY_EMULATOR=OFF).
# ASSAY_SYSROOT is the folder that scripts/sysroot fills.
option(ASSAY_EMULATOR "tests, and the programs that they start, are run in qemu-user" ON)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ASSAY_SYSROOT) # the compiler's own tests read this file again
if(NOT EXISTS "${ASSAY_SYSROOT}/usr/include")
  message(FATAL_ERROR "no '${ASSAY_SYSROOT}/usr/include': run scripts/sysroot first, or 'make aarch64'")
endif()
set(CMAKE_SYSROOT "${ASSAY_SYSROOT}")
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_C_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
if(EXISTS /usr/libexec/mold/ld) # Debian's: it links for every machine, in a fifth of the time
  set(CMAKE_EXE_LINKER_FLAGS_INIT -B/usr/libexec/mold)
endif()
set(ASSAY_RUN qemu-aarch64 -L "${ASSAY_SYSROOT}") # what the build itself must run
if(ASSAY_EMULATOR)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${ASSAY_RUN})
endif()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${ASSAY_SYSROOT}")
set(ENV{PKG_CONFIG_LIBDIR} "${ASSAY_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${ASSAY_SYSROOT}/usr/share/pkgconfig")
