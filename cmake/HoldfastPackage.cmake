# A Debian package of the installed tree: cpack -G DEB in the build folder. Its dependencies are those of the libraries that
# the command and the shared library load.
set(CPACK_PACKAGE_NAME holdfast)
set(CPACK_PACKAGE_CONTACT "Holdfast contributors <holdfast@example.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON) # needs dpkg-dev
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "chromium, ffmpeg, gnuplot-nox")
include(CPack)
