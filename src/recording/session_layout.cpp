#include "session_layout.hpp"

#include <cerrno>
#include <memory>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

namespace knuckleboom::io {
namespace {

constexpr std::string_view kFirstLine = "knuckleboom session ";
constexpr std::size_t kReadBytes = std::size_t{1} << 20;

Hdf5Handle compound(std::size_t size) {
  return {H5Tcreate(H5T_COMPOUND, size), H5Tclose, "row type"};
}

void insert(const Hdf5Handle& type, const std::string& name, std::size_t offset, hid_t member) {
  require(H5Tinsert(type.id(), name.c_str(), offset, member) >= 0, "row type");
}

// The digits after `key` up to the end of the line.
bool value_of(const std::string& block, std::string_view key, std::string& value) {
  const std::size_t begin = block.find(key);
  if (begin == std::string::npos) return false;
  const std::size_t end = block.find('\n', begin + key.size());
  if (end == std::string::npos) return false;
  value = block.substr(begin + key.size(), end - begin - key.size());
  return true;
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

std::string to_text(const Guard& guard) {
  std::string block = fmt::format(
      "{}{}\nbytes {}\nxxh3-128 {}\n"
      "From byte {} on this is an HDF5 file; h5py, MATLAB and h5dump open it as it is.\n",
      kFirstLine, kSessionFormat, guard.bytes, guard.hash, kGuardBytes);
  block.resize(kGuardBytes, ' ');
  block.back() = '\n';
  return block;
}

Guard guard_of(const std::string& block, const std::string& shown) {
  std::string format, bytes;
  Guard guard;
  if (!block.starts_with(kFirstLine))
    throw FileError(shown,
                    "this is not a session file; expected one that the trainer has recorded");
  if (block.size() < kGuardBytes)
    throw FileError(shown, "the session file is cut short: not even its beginning is whole");
  value_of(block, kFirstLine, format);
  if (format != fmt::to_string(kSessionFormat)) {
    if (!format.empty() && format.find_first_not_of("0123456789") == std::string::npos)
      throw FileError(shown,
                      fmt::format("the session file has format {}, this program reads format "
                                  "{}; use the version of the program that recorded it",
                                  format, kSessionFormat));
    throw FileError(shown, "the session file is damaged: its first line is not readable");
  }
  value_of(block, "\nbytes ", bytes);
  value_of(block, "\nxxh3-128 ", guard.hash);
  if (bytes.size() < 20 && bytes.find_first_not_of("0123456789") == std::string::npos)
    guard.bytes = bytes.empty() ? 0 : std::stoull(bytes);
  if (to_text(guard) != block)
    throw FileError(shown, "the session file is damaged: its first lines are not as written");
  return guard;
}

Guard guard_of(int descriptor, const std::string& shown) {
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  const std::unique_ptr<XXH3_state_t, Free> state(XXH3_createState());
  XXH3_128bits_reset(state.get());
  std::vector<char> buffer(kReadBytes);
  Guard guard;
  for (off_t at = kGuardBytes;;) {
    const ssize_t n = ::pread(descriptor, buffer.data(), buffer.size(), at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0)
      throw FileError(shown,
                      fmt::format("cannot be read: {}", std::generic_category().message(errno)));
    if (n == 0) break;
    XXH3_128bits_update(state.get(), buffer.data(), static_cast<std::size_t>(n));
    guard.bytes += static_cast<std::uint64_t>(n);
    at += n;
  }
  const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
  guard.hash = fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
  return guard;
}

}  // namespace knuckleboom::io
