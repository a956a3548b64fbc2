#include "session_guard.hpp"

#include <cerrno>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

namespace knuckleboom::io {
namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 20;

constexpr std::pair<std::string_view, std::string SessionSignatures::*> kSignatureLines[] = {
    {"station", &SessionSignatures::station},
    {"signature", &SessionSignatures::signature},
    {"witness", &SessionSignatures::witness},
    {"countersignature", &SessionSignatures::countersignature}};

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

std::string to_text(const Guard& guard) {
  std::string block = fmt::format("{}{}\nbytes {}\nxxh3-128 {}\n", kSessionFirstLine,
                                  kSessionFormat, guard.bytes, guard.hash);
  for (const auto& [name, member] : kSignatureLines)
    if (const std::string& value = guard.signatures.*member; !value.empty())
      block += fmt::format("{} {}\n", name, value);
  block += fmt::format(
      "From byte {} on this is an HDF5 file; h5py, MATLAB and h5dump open it as it is.\n",
      kGuardBytes);
  block.resize(kGuardBytes, ' ');
  block.back() = '\n';
  return block;
}

Guard guard_of(const std::string& block, const std::string& shown) {
  std::string format, bytes;
  Guard guard;
  if (!block.starts_with(kSessionFirstLine))
    throw FileError(shown,
                    "this is not a session file; expected one that the trainer has recorded");
  if (block.size() < kGuardBytes)
    throw FileError(shown, "the session file is cut short: not even its beginning is whole");
  value_of(block, kSessionFirstLine, format);
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
  for (const auto& [name, member] : kSignatureLines)
    value_of(block, fmt::format("\n{} ", name), guard.signatures.*member);
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

Guard guard_in(int descriptor, const std::string& shown) {
  std::string block(kGuardBytes, '\0');
  const ssize_t n = ::pread(descriptor, block.data(), block.size(), 0);
  block.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return guard_of(block, shown);
}

SessionSignatures read_signatures(int descriptor, const std::string& shown) {
  return guard_in(descriptor, shown).signatures;
}

void put_signatures(int descriptor, const std::string& shown, const SessionSignatures& signatures) {
  Guard guard = guard_in(descriptor, shown);
  guard.signatures = signatures;
  const std::string block = to_text(guard);
  const bool good =
      block.size() == kGuardBytes &&
      ::pwrite(descriptor, block.data(), block.size(), 0) == static_cast<ssize_t>(block.size()) &&
      ::fsync(descriptor) == 0;
  if (!good)
    throw FileError(shown,
                    fmt::format("cannot be signed: {}", std::generic_category().message(errno)));
}

}  // namespace knuckleboom::io
