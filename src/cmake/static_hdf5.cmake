# HDF5_STATIC_LIBRARIES and HDF5_STATIC_WORKS: the static library, where it is installed and can do without what
# its drivers for the network need. The shared one brings 28 libraries along (curl, TLS, Kerberos, LDAP): 20 ms
# at each start, and code that a process reading foreign files had better not have.
include(CheckCXXSourceCompiles)

find_library(HDF5_STATIC_HL_LIBRARY NAMES libhdf5_serial_hl.a libhdf5_hl.a)
find_library(HDF5_STATIC_LIBRARY NAMES libhdf5_serial.a libhdf5.a)
find_library(SZ_LIBRARY sz)
find_library(Z_LIBRARY z)
mark_as_advanced(HDF5_STATIC_HL_LIBRARY HDF5_STATIC_LIBRARY SZ_LIBRARY Z_LIBRARY)
set(HDF5_STATIC_LIBRARIES "${HDF5_STATIC_HL_LIBRARY}" "${HDF5_STATIC_LIBRARY}" "${SZ_LIBRARY}" "${Z_LIBRARY}"
                          ${CMAKE_DL_LIBS} m)
if(NOT HDF5_STATIC_LIBRARIES MATCHES "NOTFOUND")
  set(CMAKE_REQUIRED_INCLUDES "${HDF5_INCLUDE_DIR}")
  set(CMAKE_REQUIRED_LIBRARIES ${HDF5_STATIC_LIBRARIES})
  check_cxx_source_compiles(
    "#include <hdf5_hl.h>
     int main() { return H5open() + (H5LTopen_file_image(nullptr, 0, 0) < 0); }"
    HDF5_STATIC_WORKS)
  unset(CMAKE_REQUIRED_INCLUDES)
  unset(CMAKE_REQUIRED_LIBRARIES)
endif()
