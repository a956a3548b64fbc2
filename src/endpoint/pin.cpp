#include "endpoint/pin.hpp"

#include <algorithm>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "endpoint/key.hpp"
#include "endpoint/secret_file.hpp"
#include "endpoint/sodium.hpp"

namespace knuckleboom::endpoint {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPinHead = "knuckleboom-pin 1\n";
constexpr std::size_t kShortestPin = 4, kLongestPin = 12;
constexpr const char* kNoPin = "there is no PIN in {0}";
constexpr const char* kPinAdvice =
    "delete it and set another PIN with 'knuckleboom station set-pin', or 'chmod 600' it";

}  // namespace

bool is_pin(std::string_view text) {
  return text.size() >= kShortestPin && text.size() <= kLongestPin &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool pin_is_set(const fs::path& file) {
  std::error_code fault;
  return fs::symlink_status(file, fault).type() != fs::file_type::not_found;
}

std::string pin_hash(std::string_view pin) {
  start_sodium();
  std::string hash(crypto_pwhash_STRBYTES, '\0');
  if (crypto_pwhash_str(hash.data(), pin.data(), pin.size(), crypto_pwhash_OPSLIMIT_INTERACTIVE,
                        crypto_pwhash_MEMLIMIT_INTERACTIVE) != 0)
    throw EndpointError("there is too little memory for the hash of a PIN; it takes 64 MiB");
  return hash.c_str();
}

// A hash made to last for hours would hold the card up.
bool is_pin_hash(const std::string& hash) {
  start_sodium();
  return hash.size() < crypto_pwhash_STRBYTES &&
         crypto_pwhash_str_needs_rehash(hash.c_str(), crypto_pwhash_OPSLIMIT_INTERACTIVE,
                                        crypto_pwhash_MEMLIMIT_INTERACTIVE) == 0;
}

bool pin_fits(const std::string& hash, std::string_view pin) {
  return is_pin_hash(hash) && crypto_pwhash_str_verify(hash.c_str(), pin.data(), pin.size()) == 0;
}

void set_pin(const fs::path& file, std::string_view pin) {
  const std::string hash = pin_hash(pin);
  make_folder_of(file);
  const fs::path next = fmt::format("{}.{}.new", file.string(), ::getpid());
  std::error_code fault;
  fs::remove(next, fault);
  write_secret(next, O_WRONLY | O_CREAT | O_EXCL, fmt::format("{}{}\n", kPinHead, hash));
  fs::rename(next, file, fault);
  if (fault)
    throw EndpointError(fmt::format("{} cannot be replaced: {}", file.string(), fault.message()));
}

bool pin_opens(const fs::path& file, std::string_view pin) {
  const std::string text = read_secret(file, kNoPin, kPinAdvice);
  const std::string hash = text.starts_with(kPinHead) && text.ends_with('\n')
                               ? text.substr(kPinHead.size(), text.size() - kPinHead.size() - 1)
                               : std::string();
  if (!is_pin_hash(hash))
    throw EndpointError(
        fmt::format("{} is no PIN of this program; if it is of no other use, delete it and set one "
                    "with 'knuckleboom station set-pin'",
                    file.string()));
  return pin_fits(hash, pin);
}

}  // namespace knuckleboom::endpoint
