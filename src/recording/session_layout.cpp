#include "session_layout.hpp"

#include <fmt/format.h>

namespace knuckleboom::io {
namespace {

Hdf5Handle compound(std::size_t size) {
  return {H5Tcreate(H5T_COMPOUND, size), H5Tclose, "row type"};
}

void insert(const Hdf5Handle& type, const std::string& name, std::size_t offset, hid_t member) {
  require(H5Tinsert(type.id(), name.c_str(), offset, member) >= 0, "row type");
}

}  // namespace

std::unique_lock<std::recursive_mutex> hdf5_lock() {
  static std::recursive_mutex mutex;
  std::unique_lock<std::recursive_mutex> lock(mutex);
  // All is closed by hand; the library's own tidying up at the program's end crashes over a file that
  // could not be written.
  static const bool ready =
      H5dont_atexit() >= 0 && H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
  (void)ready;
  return lock;
}

Hdf5Handle lever_type() {
  Hdf5Handle type = compound(sizeof(LeverRow));
  insert(type, "tick", offsetof(LeverRow, tick), H5T_NATIVE_INT64);
  for (std::size_t i = 0; i < command::kLeverAxes; ++i)
    insert(type, command::kLeverAxisNames[i], offsetof(LeverRow, axis) + i * sizeof(double),
           H5T_NATIVE_DOUBLE);
  insert(type, "buttons", offsetof(LeverRow, buttons), H5T_NATIVE_INT64);
  return type;
}

Hdf5Handle command_type() {
  Hdf5Handle type = compound(sizeof(CommandRow));
  insert(type, "tick", offsetof(CommandRow, tick), H5T_NATIVE_INT64);
  insert(type, "kind", offsetof(CommandRow, kind), H5T_NATIVE_INT32);
  insert(type, "value", offsetof(CommandRow, value), H5T_NATIVE_INT32);
  insert(type, "text", offsetof(CommandRow, text), text_type(kCommandText).id());
  return type;
}

Hdf5Handle hash_type() {
  Hdf5Handle type = compound(sizeof(HashRow));
  insert(type, "tick", offsetof(HashRow, tick), H5T_NATIVE_INT64);
  insert(type, "hash", offsetof(HashRow, hash), H5T_NATIVE_UINT64);
  return type;
}

Hdf5Handle event_type(std::size_t text_size) {
  Hdf5Handle type = compound(sizeof(EventRow) + text_size);
  insert(type, "tick", offsetof(EventRow, tick), H5T_NATIVE_INT64);
  insert(type, "kind", offsetof(EventRow, kind), text_type(kKindText).id());
  for (std::size_t i = 0; i < 4; ++i)
    insert(type, fmt::format("value{}", i), offsetof(EventRow, value) + i * sizeof(double),
           H5T_NATIVE_DOUBLE);
  insert(type, "text", sizeof(EventRow), text_type(text_size).id());
  return type;
}

Hdf5Handle attempt_type(const std::vector<ChannelInfo>& figures) {
  constexpr std::size_t kWidth = 8;
  static_assert(sizeof(std::int64_t) == kWidth && sizeof(double) == kWidth);
  Hdf5Handle type = compound((3 + figures.size()) * kWidth);
  insert(type, "begin_tick", 0, H5T_NATIVE_INT64);
  insert(type, "end_tick", kWidth, H5T_NATIVE_INT64);
  insert(type, "phase", 2 * kWidth, H5T_NATIVE_INT64);
  for (std::size_t i = 0; i < figures.size(); ++i)
    insert(type, figures[i].name, (3 + i) * kWidth, H5T_NATIVE_DOUBLE);
  return type;
}

}  // namespace knuckleboom::io
