// HDF5's handles as values, and its errors as exceptions.
#pragma once

#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include <hdf5.h>

#ifdef H5_HAVE_PARALLEL
#error "session files need the serial HDF5 library"
#endif

namespace knuckleboom::io {

// A call into the library failed; the catcher knows the file.
class Hdf5Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The library as Debian builds it may be in one thread at a time. Silences its own messages.
std::unique_lock<std::recursive_mutex> hdf5_lock();

inline hid_t checked(hid_t id, const char* what) {
  if (id < 0) throw Hdf5Error(what);
  return id;
}
inline void require(bool good, const char* what) {
  if (!good) throw Hdf5Error(what);
}

class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, Close close, const char* what) : id_(checked(id, what)), close_(close) {}
  // Holds nothing where the library gave nothing.
  static Hdf5Handle if_any(hid_t id, Close close) {
    Hdf5Handle out;
    out.id_ = id;
    out.close_ = close;
    return out;
  }
  ~Hdf5Handle() { reset(); }
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    if (this == &other) return *this;
    reset();
    id_ = std::exchange(other.id_, -1);
    close_ = other.close_;
    return *this;
  }
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;

  hid_t id() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }
  bool reset() {
    if (id_ < 0) return true;
    const auto lock = hdf5_lock();
    return close_(std::exchange(id_, -1)) >= 0;
  }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

inline Hdf5Handle text_type() {  // of any length, UTF-8
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "text type");
  require(H5Tset_size(type.id(), H5T_VARIABLE) >= 0, "text type");
  require(H5Tset_cset(type.id(), H5T_CSET_UTF8) >= 0, "text type");
  return type;
}
inline Hdf5Handle text_type(std::size_t size) {  // of a size, filled up with zeros
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "text type");
  require(H5Tset_size(type.id(), size) >= 0, "text type");
  require(H5Tset_cset(type.id(), H5T_CSET_UTF8) >= 0, "text type");
  require(H5Tset_strpad(type.id(), H5T_STR_NULLPAD) >= 0, "text type");
  return type;
}

inline void write_attribute(hid_t object, const std::string& name, hid_t type, const void* value) {
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose, "attribute");
  const Hdf5Handle attribute(
      H5Acreate2(object, name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
      "attribute");
  require(H5Awrite(attribute.id(), type, value) >= 0, "attribute");
}
inline void write_attribute(hid_t object, const std::string& name, const std::string& text) {
  const char* pointer = text.c_str();
  write_attribute(object, name, text_type().id(), &pointer);
}
inline void write_attribute(hid_t object, const std::string& name, double value) {
  write_attribute(object, name, H5T_NATIVE_DOUBLE, &value);
}
inline void write_attribute(hid_t object, const std::string& name, std::int64_t value) {
  write_attribute(object, name, H5T_NATIVE_INT64, &value);
}
inline void write_attribute(hid_t object, const std::string& name, std::uint64_t value) {
  write_attribute(object, name, H5T_NATIVE_UINT64, &value);
}

}  // namespace knuckleboom::io
