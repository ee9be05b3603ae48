# Run by CPack for the archive: files next to bin, lib and share.
file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}" TYPE PROGRAM FILES "${CMAKE_CURRENT_LIST_DIR}/../../install.sh")
