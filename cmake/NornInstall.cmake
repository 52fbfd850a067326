# What is installed, and how the parts find each other at run time: always by $ORIGIN, never by a path of the build.
#
# Default: the C++ library and the command below the prefix. Component "python": the package and the command for an
# environment; scikit-build-core asks for it when it makes a wheel, tools/build.sh when it installs into .venv.
include(CMakePackageConfigHelpers)

option(NORN_BUNDLE_ONEDNN "Install oneDNN's library beside Norn's" ON)
set_target_properties(norn PROPERTIES INSTALL_RPATH "$ORIGIN")

if(NORN_ONEDNN AND NORN_BUNDLE_ONEDNN)
  get_target_property(norn_dnnl DNNL::dnnl IMPORTED_LOCATION_RELEASE)
  get_target_property(norn_dnnl_soname DNNL::dnnl IMPORTED_SONAME_RELEASE)
  if(NOT norn_dnnl OR NOT norn_dnnl_soname)
    message(FATAL_ERROR "oneDNN's shared library was not found; configure with -DNORN_BUNDLE_ONEDNN=OFF")
  endif()
  get_filename_component(norn_dnnl_prefix ${norn_dnnl}/../.. ABSOLUTE)
endif()

# norn_install_onednn(DESTINATION args...): nothing when oneDNN comes with the system or is not used.
function(norn_install_onednn destination)
  if(norn_dnnl)
    install(PROGRAMS ${norn_dnnl} DESTINATION ${destination} RENAME ${norn_dnnl_soname} ${ARGN})
  endif()
endfunction()

install(TARGETS norn EXPORT nornTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/norn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
norn_install_onednn(${CMAKE_INSTALL_LIBDIR})
if(norn_dnnl AND EXISTS ${norn_dnnl_prefix}/share/doc/onednn)
  install(DIRECTORY ${norn_dnnl_prefix}/share/doc/onednn DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(NORN_CLI)
  set_target_properties(norn_cli PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  install(TARGETS norn_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

set(norn_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/norn)
install(EXPORT nornTargets NAMESPACE norn:: DESTINATION ${norn_package_dir})
configure_package_config_file(cmake/nornConfig.cmake.in nornConfig.cmake INSTALL_DESTINATION ${norn_package_dir})
write_basic_package_version_file(nornConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/nornConfig.cmake ${PROJECT_BINARY_DIR}/nornConfigVersion.cmake
  DESTINATION ${norn_package_dir})

# The prefix in norn.pc is relative to the file, so that an installed tree can be moved.
file(RELATIVE_PATH norn_pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/norn.pc.in norn.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/norn.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(NORN_PYTHON)
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)
  set(norn_python_lib lib/python${Python_VERSION_MAJOR}.${Python_VERSION_MINOR})
  set_target_properties(norn_python PROPERTIES INSTALL_RPATH "$ORIGIN")
  set_property(TARGET norn_cli APPEND PROPERTY INSTALL_RPATH
    "$ORIGIN/../${norn_python_lib}/site-packages/norn" "$ORIGIN/../${norn_python_lib}/dist-packages/norn")
  set(python_part COMPONENT python EXCLUDE_FROM_ALL)
  if(SKBUILD)
    # A wheel holds no links and no oneDNN: that comes from the package it depends on, in the environment's lib.
    set_target_properties(norn PROPERTIES VERSION 0 INSTALL_RPATH "$ORIGIN;$ORIGIN/../../..")
    set(norn_python_dir norn)
    set(norn_scripts_dir ${SKBUILD_SCRIPTS_DIR})
  else()
    set(norn_python_dir ${norn_python_lib}/site-packages/norn)
    set(norn_scripts_dir bin)
    install(DIRECTORY python/norn/ DESTINATION ${norn_python_dir} ${python_part} PATTERN __pycache__ EXCLUDE)
    norn_install_onednn(${norn_python_dir} ${python_part})
  endif()
  install(TARGETS norn_python LIBRARY DESTINATION ${norn_python_dir} ${python_part})
  get_target_property(norn_stub norn_python norn_stub)
  install(FILES ${norn_stub} DESTINATION ${norn_python_dir} ${python_part})
  install(TARGETS norn LIBRARY DESTINATION ${norn_python_dir} ${python_part} NAMELINK_SKIP)
  install(TARGETS norn_cli RUNTIME DESTINATION ${norn_scripts_dir} ${python_part})
endif()
