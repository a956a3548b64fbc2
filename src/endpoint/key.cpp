#include "endpoint/key.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "endpoint/secret_file.hpp"
#include "endpoint/sodium.hpp"

namespace knuckleboom::endpoint {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHead = "knuckleboom-key 1\nkey ";
constexpr std::string_view kStationHead = "knuckleboom-station 1\nkey ";
constexpr std::size_t kDigits = 64;

std::string hexadecimal(const WireKey& key) {
  std::string out;
  for (const std::uint8_t byte : key.bytes) out += fmt::format("{:02x}", byte);
  return out;
}

std::string text_of(const WireKey& key, std::string_view head = kHead) {
  return fmt::format("{}{}\n", head, hexadecimal(key));
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Advice about a key that others can read.
constexpr const char* kWireAdvice =
    "make a new key with 'knuckleboom key rotate {0}', or 'chmod 600' it if you are sure that "
    "nobody "
    "has read it";
constexpr const char* kStationAdvice =
    "delete it, so that the next session makes another, or 'chmod 600' it if you are sure that "
    "nobody "
    "has read it";

constexpr const char* kNoKey = "there is no key file {0}; 'knuckleboom key make {0}' makes one";

std::string content(const fs::path& path, const char* advice = kWireAdvice) {
  return read_secret(path, kNoKey, advice);
}

WireKey parsed(const fs::path& path, std::string_view text, std::string_view head = kHead) {
  const EndpointError fault(
      head == kHead
          ? fmt::format("{0} is no key file; if it is of no other use, delete it, and 'knuckleboom "
                        "key make {0}' makes one",
                        path.string())
          : fmt::format("{} is no key of a station; if it is of no other use, delete it, and the "
                        "next session makes another",
                        path.string()));
  if (!text.starts_with(head)) throw fault;
  text.remove_prefix(head.size());
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.size() != kDigits) throw fault;
  WireKey key;
  key.given = true;
  for (std::size_t i = 0; i < key.bytes.size(); ++i) {
    const int high = digit_of(text[2 * i]), low = digit_of(text[2 * i + 1]);
    if (high < 0 || low < 0) throw fault;
    key.bytes[i] = static_cast<std::uint8_t>(16 * high + low);
  }
  return key;
}

fs::path revoked_file(const fs::path& file) { return file.string() + ".revoked"; }

bool stands_in(const fs::path& list, const std::string& print) {
  std::error_code fault;
  if (!fs::exists(list, fault) && !fault) return false;
  const EndpointError unknown(fmt::format(
      "{} cannot be read, so it is not known whether the key may be used", list.string()));
  std::ifstream stream(list);
  if (!stream) throw unknown;
  for (std::string line; std::getline(stream, line);)
    if (line == print) return true;
  if (!stream.eof()) throw unknown;
  return false;
}

void add_to(const fs::path& list, const std::string& print) {
  if (!stands_in(list, print)) write_secret(list, O_WRONLY | O_CREAT | O_APPEND, print + '\n');
}

void add_to_revoked(const fs::path& file, const fs::path& list, const std::string& print) {
  add_to(revoked_file(file), print);
  if (!list.empty()) add_to(list, print);
}

}  // namespace

WireKey drawn_key() {
  start_sodium();
  WireKey key;
  key.given = true;
  randombytes_buf(key.bytes.data(), key.bytes.size());
  return key;
}

std::string fingerprint(const WireKey& key) {
  constexpr std::string_view kPurpose = "knuckleboom fingerprint";
  std::array<std::uint8_t, 16> hash{};
  crypto_generichash(hash.data(), hash.size(),
                     reinterpret_cast<const std::uint8_t*>(kPurpose.data()), kPurpose.size(),
                     key.bytes.data(), key.bytes.size());
  std::string out;
  for (std::size_t i = 0; i < 8; ++i)
    out += fmt::format("{}{:02x}", i > 0 && i % 2 == 0 ? "-" : "", hash[i]);
  return out;
}

WireKey read_key(const fs::path& file, const fs::path& list) {
  const WireKey key = parsed(file, content(file));
  const std::string print = fingerprint(key);
  if (stands_in(revoked_file(file), print) || (!list.empty() && stands_in(list, print)))
    throw EndpointError(
        fmt::format("the key {0} in {1} has been revoked; 'knuckleboom key rotate {1}' makes "
                    "another in its place",
                    print, file.string()));
  return key;
}

void make_folder_of(const fs::path& file) {
  std::error_code fault;
  const fs::path folder = file.parent_path();
  if (!folder.empty() && fs::create_directories(folder, fault) && !fault)
    fs::permissions(folder, fs::perms::owner_all, fault);
}

WireKey make_key(const fs::path& file) {
  const WireKey key = drawn_key();
  if (fs::exists(fs::symlink_status(file)))
    throw EndpointError(fmt::format(
        "{0} exists and is left alone; 'knuckleboom key rotate {0}' puts another key in its place",
        file.string()));
  write_secret(file, O_WRONLY | O_CREAT | O_EXCL, text_of(key));
  return key;
}

WireKey station_key(const fs::path& file) {
  std::error_code fault;
  if (!fs::exists(fs::symlink_status(file, fault)) && fault != std::errc::permission_denied) {
    const WireKey key = drawn_key();
    make_folder_of(file);
    // Under another name first: two programs that start together end with one key.
    const fs::path next = fmt::format("{}.{}.new", file.string(), ::getpid());
    fs::remove(next, fault);
    write_secret(next, O_WRONLY | O_CREAT | O_EXCL, text_of(key, kStationHead));
    const bool first = ::link(next.c_str(), file.c_str()) == 0;
    const int why = errno;
    fs::remove(next, fault);
    if (first) return key;
    if (why != EEXIST)
      throw EndpointError(fmt::format("{} cannot be written: {}", file.string(),
                                      std::generic_category().message(why)));
  }
  return parsed(file, content(file, kStationAdvice), kStationHead);
}

WireKey rotate_key(const fs::path& file, const fs::path& list) {
  // A key that others could read is one more reason to change it: only its form matters here.
  const WireKey old = parsed(file, content(file, nullptr));
  const WireKey key = drawn_key();
  const fs::path next = file.string() + ".new";
  std::error_code fault;
  fs::remove(next, fault);
  write_secret(next, O_WRONLY | O_CREAT | O_EXCL, text_of(key));
  add_to_revoked(file, list, fingerprint(old));
  fs::rename(next, file, fault);
  if (fault)
    throw EndpointError(fmt::format("{} cannot be replaced: {}", file.string(), fault.message()));
  return key;
}

std::string revoke_key(const fs::path& file, const fs::path& list) {
  const std::string print = fingerprint(parsed(file, content(file)));
  add_to_revoked(file, list, print);
  return print;
}

}  // namespace knuckleboom::endpoint
