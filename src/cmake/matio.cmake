# knuckleboom_matio, where it can be found beside knuckleboom_hdf5: MAT-files. The static library: where it opens a file
# by name, the process that reads foreign files gives it the open one instead.
find_path(MATIO_INCLUDE_DIR matio.h)
find_library(MATIO_LIBRARY NAMES libmatio.a)
find_library(Z_LIBRARY z)
mark_as_advanced(MATIO_INCLUDE_DIR MATIO_LIBRARY Z_LIBRARY)
if(MATIO_INCLUDE_DIR AND MATIO_LIBRARY AND Z_LIBRARY AND TARGET knuckleboom_hdf5)
  add_library(knuckleboom_matio INTERFACE)
  target_include_directories(knuckleboom_matio SYSTEM INTERFACE "${MATIO_INCLUDE_DIR}" "${HDF5_INCLUDE_DIR}")
  target_link_libraries(knuckleboom_matio INTERFACE "${MATIO_LIBRARY}" knuckleboom_hdf5 "${Z_LIBRARY}")
endif()
