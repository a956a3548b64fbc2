# The package for Python. Where pybind11 or Python's headers are missing it is left out, with a remark.

# knuckleboom_python: whether it is built. KNUCKLEBOOM_PYTHON_DIR: where it is installed, below the prefix.
set(knuckleboom_python FALSE)
if(KNUCKLEBOOM_PYTHON)
  # Debian's packages are for Debian's Python alone; another may come first in the path.
  if(NOT DEFINED Python_EXECUTABLE AND EXISTS /usr/bin/python3)
    set(Python_EXECUTABLE /usr/bin/python3)
  endif()
  find_package(Python 3.9 QUIET COMPONENTS Interpreter Development.Module)
  set(PYBIND11_FINDPYTHON ON)
  if(Python_FOUND)
    find_package(pybind11 2.9 CONFIG QUIET)
  endif()
  if(Python_FOUND AND pybind11_FOUND)
    set(knuckleboom_python TRUE)
  else()
    set(python_missing "Python or pybind11 not found (Debian: python3-dev pybind11-dev)")
    if(NOT KNUCKLEBOOM_PYTHON STREQUAL "AUTO")
      message(FATAL_ERROR "${python_missing}; -D KNUCKLEBOOM_PYTHON=OFF leaves the package for Python out.")
    endif()
    message(STATUS "${python_missing}: the package for Python is left out")
  endif()
endif()

# knuckleboom_sessions: whether session files are read and written.
set(knuckleboom_sessions ${KNUCKLEBOOM_PROGRAM})
if(knuckleboom_python AND NOT KNUCKLEBOOM_PROGRAM)
  include(hdf5)
  include(matio)
  find_path(SECCOMP_INCLUDE_DIR seccomp.h)
  find_library(SECCOMP_LIBRARY seccomp)
  if(TARGET knuckleboom_matio AND SECCOMP_INCLUDE_DIR AND SECCOMP_LIBRARY)
    knuckleboom_require_plain(seccomp seccomp.h libseccomp-dev)
    set(knuckleboom_sessions TRUE)
  else()
    message(STATUS "HDF5, libmatio or libseccomp not found (Debian: libhdf5-dev libmatio-dev libseccomp-dev): "
                   "the package for Python reads no sessions")
  endif()
endif()
if(NOT knuckleboom_python)
  return()
endif()

# Debian's Python looks there: in lib/python3 below /usr, in lib/python3.11 below /usr/local.
set(python_dir "lib/python${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}/site-packages")
if(EXISTS /etc/debian_version)
  string(REPLACE site-packages dist-packages python_dir "${python_dir}")
  if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    set(python_dir "lib/python3/dist-packages")
  endif()
endif()
set(KNUCKLEBOOM_PYTHON_DIR
    "${python_dir}"
    CACHE STRING "Where the package for Python is installed, below the prefix")
cmake_path(ABSOLUTE_PATH KNUCKLEBOOM_PYTHON_DIR BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" NORMALIZE
           OUTPUT_VARIABLE python_package_dir)
set(python_package_dir "${python_package_dir}/knuckleboom")
file(RELATIVE_PATH config_from_MODULE "${python_package_dir}" "${CMAKE_INSTALL_FULL_DATADIR}/knuckleboom/config")
file(RELATIVE_PATH reader_from_MODULE "${python_package_dir}" "${CMAKE_INSTALL_FULL_LIBEXECDIR}/knuckleboom")

# The engine's own code is in the module, so that it needs no library beside it. It shows Python its entry alone.
function(knuckleboom_python_module)
  set(folder "${PROJECT_BINARY_DIR}/python/knuckleboom")
  # Linear models are of a layer that pip does not build; the two units need nothing else of it.
  pybind11_add_module(knuckleboom_python MODULE NO_EXTRAS "${CMAKE_CURRENT_SOURCE_DIR}/python/engine.cpp"
                      "${CMAKE_CURRENT_SOURCE_DIR}/python/linear.cpp"
                      "${CMAKE_CURRENT_SOURCE_DIR}/analysis/linear_model.cpp"
                      "${CMAKE_CURRENT_SOURCE_DIR}/reference/rates.cpp"
                      $<TARGET_OBJECTS:knuckleboom_c_objects>)
  set(exports "${CMAKE_CURRENT_SOURCE_DIR}/python/exports.map")
  set_target_properties(knuckleboom_python PROPERTIES OUTPUT_NAME _engine LIBRARY_OUTPUT_DIRECTORY "${folder}"
                                                      LINK_DEPENDS "${exports}")
  # No tick runs through the unit itself.
  target_compile_options(knuckleboom_python PRIVATE $<$<CONFIG:Release>:-O1>)
  target_include_directories(knuckleboom_python PRIVATE "${PROJECT_SOURCE_DIR}/include" "${CMAKE_CURRENT_SOURCE_DIR}")
  target_link_libraries(knuckleboom_python PRIVATE knuckleboom::core knuckleboom::io)
  target_link_options(knuckleboom_python PRIVATE "LINKER:--version-script=${exports}" "LINKER:--as-needed")
  if(knuckleboom_sessions)
    target_link_libraries(knuckleboom_python PRIVATE knuckleboom::recording)
    target_compile_definitions(knuckleboom_python PRIVATE KNUCKLEBOOM_HAS_SESSIONS)
    add_dependencies(knuckleboom_python knuckleboom_session_reader)
    add_custom_command(
      TARGET knuckleboom_python
      POST_BUILD
      COMMAND "${CMAKE_COMMAND}" -E create_symlink "$<TARGET_FILE:knuckleboom_session_reader>"
              "${folder}/knuckleboom-session-reader"
      VERBATIM)
    install(TARGETS knuckleboom_session_reader RUNTIME DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/knuckleboom"
                                                       COMPONENT python)
  endif()

  file(MAKE_DIRECTORY "${folder}")
  # In the build folder the package is used with PYTHONPATH=<build>/python.
  file(GLOB files CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/python/knuckleboom/*")
  list(FILTER files INCLUDE REGEX "\\.pyi?$|/py\\.typed$")
  foreach(file IN LISTS files)
    cmake_path(GET file FILENAME name)
    file(CREATE_LINK "${file}" "${folder}/${name}" SYMBOLIC)
  endforeach()
  install(
    FILES ${files}
    DESTINATION "${KNUCKLEBOOM_PYTHON_DIR}/knuckleboom"
    COMPONENT python)
  install(TARGETS knuckleboom_python LIBRARY DESTINATION "${KNUCKLEBOOM_PYTHON_DIR}/knuckleboom" COMPONENT python)
endfunction()
