# CPack's settings: a Debian package with its debug symbols apart, and an archive that runs from any folder.
set(CPACK_PACKAGE_NAME sonde)
set(CPACK_PACKAGE_VENDOR Sonde)
set(CPACK_PACKAGE_CONTACT "Sonde <sonde@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "explains why GPU work is slow, records it, and runs tasks on GPUs")
set(CPACK_PACKAGE_DESCRIPTION
    "Sonde reads profiles of Nsight Systems, Nsight Compute and PyTorch, lists what makes the program slow with the time
that a fix can save, compares runs and gates changes. It records profiles with CUPTI, and its service monitors the GPUs
of a host and runs tasks on them.")
set(CPACK_GENERATOR DEB TZST)
set(CPACK_THREADS 0)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.31)")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS ca-certificates)
set(CPACK_DEBIAN_DEBUGINFO_PACKAGE ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz) # Debian 11 reads no other that is as small
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_SOURCE_DIR}/debian/postinst ${CMAKE_CURRENT_SOURCE_DIR}/debian/prerm
                                       ${CMAKE_CURRENT_SOURCE_DIR}/debian/postrm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION TRUE)

set(processor ${CMAKE_SYSTEM_PROCESSOR})
if(processor STREQUAL "aarch64")
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
endif()
set(CPACK_PACKAGE_FILE_NAME sonde-${PROJECT_VERSION}-linux-${processor})
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_SOURCE_DIR}/cpack_generator.cmake)
include(CPack)
