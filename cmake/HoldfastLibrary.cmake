# libholdfast, shared and static, from one set of objects; its installation; find_package and
# pkg-config.
#
# The shared library brings what it needs itself, so a consumer of holdfast::holdfast looks for
# nothing else. A consumer of holdfast::static links expat, qhull, zlib and jansson too: they are found by
# holdfastConfig.cmake, and listed under Requires.private in holdfast.pc.
include(CMakePackageConfigHelpers)

set(holdfast_private_libraries PkgConfig::EXPAT PkgConfig::QHULL PkgConfig::ZLIB PkgConfig::JANSSON)
set(holdfast_private_modules EXPAT=expat QHULL=qhull_r ZLIB=zlib JANSSON=jansson) # CMake name = pkg-config name

# While the major version is 0 a minor version may break the interface: programs ask for 0.MINOR then.
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(HOLDFAST_INTERFACE ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  set(holdfast_compatibility SameMinorVersion)
else()
  set(HOLDFAST_INTERFACE ${PROJECT_VERSION_MAJOR})
  set(holdfast_compatibility SameMajorVersion)
endif()

add_library(holdfast SHARED $<TARGET_OBJECTS:holdfast_objects>)
add_library(holdfast_static STATIC $<TARGET_OBJECTS:holdfast_objects>)
set_target_properties(holdfast PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${HOLDFAST_INTERFACE})
set_target_properties(holdfast_static PROPERTIES OUTPUT_NAME holdfast EXPORT_NAME static)
foreach(target holdfast holdfast_static)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                              $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
                                              $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PRIVATE ${holdfast_private_libraries} m Threads::Threads)
endforeach()
if(HF_SANITIZE)
  target_link_options(holdfast PRIVATE -fsanitize=${HF_SANITIZE})
else()
  target_link_options(holdfast PRIVATE -Wl,-z,defs,-z,relro,-z,now) # nothing undefined; sanitizers come with the program
endif()
if(HF_COVERAGE)
  target_link_options(holdfast PRIVATE --coverage)
endif()

# Installation.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/holdfast)
install(TARGETS holdfast EXPORT holdfastTargets)
install(TARGETS holdfast_static EXPORT holdfastStaticTargets)
install(DIRECTORY include/holdfast ${PROJECT_BINARY_DIR}/include/holdfast
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT holdfastTargets NAMESPACE holdfast:: DESTINATION ${package_dir})
install(EXPORT holdfastStaticTargets NAMESPACE holdfast:: DESTINATION ${package_dir})

# Licences: ours, and those of what the page inside of the library contains.
install(FILES ${page_notices} DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(FILES ${page_notices} DESTINATION holdfast/licenses RENAME holdfast.txt COMPONENT python EXCLUDE_FROM_ALL)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR}) # pages that the headers name

# find_package(holdfast)
list(JOIN holdfast_private_modules " " HOLDFAST_PRIVATE_MODULES)
configure_package_config_file(cmake/holdfastConfig.cmake.in ${PROJECT_BINARY_DIR}/holdfastConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/holdfastConfigVersion.cmake
                                 COMPATIBILITY ${holdfast_compatibility})
install(FILES ${PROJECT_BINARY_DIR}/holdfastConfig.cmake ${PROJECT_BINARY_DIR}/holdfastConfigVersion.cmake
        DESTINATION ${package_dir})

# pkg-config
string(REGEX REPLACE "[A-Z]+=" "" HOLDFAST_PC_REQUIRES "${holdfast_private_modules}")
list(JOIN HOLDFAST_PC_REQUIRES ", " HOLDFAST_PC_REQUIRES)
file(RELATIVE_PATH HOLDFAST_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" HOLDFAST_PC_TO_PREFIX "${HOLDFAST_PC_TO_PREFIX}")
configure_file(cmake/holdfast.pc.in ${PROJECT_BINARY_DIR}/holdfast.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/holdfast.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
