#include "endpoint/station.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "endpoint/sodium.hpp"

namespace knuckleboom::endpoint {
namespace {

using PublicKey = std::array<std::uint8_t, crypto_sign_PUBLICKEYBYTES>;
using Signature = std::array<std::uint8_t, crypto_sign_BYTES>;
constexpr std::size_t kReadPiece = std::size_t{1} << 20;

struct Pair {
  PublicKey open{};
  std::array<std::uint8_t, crypto_sign_SECRETKEYBYTES> secret{};
  explicit Pair(const WireKey& station) {
    start_sodium();
    static_assert(sizeof station.bytes == crypto_sign_SEEDBYTES);
    crypto_sign_seed_keypair(open.data(), secret.data(), station.bytes.data());
  }
  ~Pair() { sodium_memzero(secret.data(), secret.size()); }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
};

const std::uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

template <class Bytes>
std::string in_base_64(const Bytes& bytes) {
  std::string out(sodium_base64_encoded_len(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(out.data(), out.size(), bytes.data(), bytes.size(),
                    sodium_base64_VARIANT_ORIGINAL);
  out.pop_back();  // its own end
  return out;
}

template <class Bytes>
bool from_base_64(const std::string& text, Bytes& bytes) {
  std::size_t size = 0;
  const char* end = nullptr;
  return sodium_base642bin(bytes.data(), bytes.size(), text.data(), text.size(), nullptr, &size,
                           &end, sodium_base64_VARIANT_ORIGINAL) == 0 &&
         size == bytes.size() && end == text.data() + text.size();
}

template <class Bytes>
std::string in_hexadecimal(const Bytes& bytes) {
  std::string out;
  for (const std::uint8_t byte : bytes) out += fmt::format("{:02x}", byte);
  return out;
}

}  // namespace

std::string public_key(const WireKey& station) { return in_base_64(Pair(station).open); }

std::string sign(const WireKey& station, std::string_view message) {
  const Pair pair(station);
  Signature signature{};
  crypto_sign_detached(signature.data(), nullptr, bytes_of(message), message.size(),
                       pair.secret.data());
  return in_base_64(signature);
}

bool is_signed(const std::string& public_key, std::string_view message,
               const std::string& signature) {
  start_sodium();
  PublicKey open{};
  Signature bytes{};
  return from_base_64(public_key, open) && from_base_64(signature, bytes) &&
         crypto_sign_verify_detached(bytes.data(), bytes_of(message), message.size(),
                                     open.data()) == 0;
}

bool is_public_key(const std::string& text) {
  PublicKey open{};
  return from_base_64(text, open);
}

std::string public_fingerprint(const std::string& public_key) {
  const std::string digest = text_digest(public_key);
  return fmt::format("{}-{}-{}-{}", digest.substr(0, 4), digest.substr(4, 4), digest.substr(8, 4),
                     digest.substr(12, 4));
}

std::string content_digest(int descriptor, std::size_t begin) {
  start_sodium();
  crypto_generichash_state state;
  crypto_generichash_init(&state, nullptr, 0, crypto_generichash_BYTES);
  std::vector<std::uint8_t> piece(kReadPiece);
  for (auto at = static_cast<off_t>(begin);;) {
    const ssize_t n = ::pread(descriptor, piece.data(), piece.size(), at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0)
      throw EndpointError(
          fmt::format("cannot be read: {}", std::generic_category().message(errno)));
    if (n == 0) break;
    crypto_generichash_update(&state, piece.data(), static_cast<std::size_t>(n));
    at += n;
  }
  std::array<std::uint8_t, crypto_generichash_BYTES> digest{};
  crypto_generichash_final(&state, digest.data(), digest.size());
  return in_hexadecimal(digest);
}

std::string text_digest(std::string_view text) {
  std::array<std::uint8_t, crypto_hash_sha256_BYTES> digest{};
  crypto_hash_sha256(digest.data(), bytes_of(text), text.size());
  return in_hexadecimal(digest);
}

std::string seal(const WireKey& station, std::string_view text) {
  start_sodium();
  constexpr std::string_view kPurpose = "knuckleboom row of learners";
  std::array<std::uint8_t, 32> key{};  // another one than that of the signatures
  crypto_generichash(key.data(), key.size(), bytes_of(kPurpose), kPurpose.size(),
                     station.bytes.data(), station.bytes.size());
  std::array<std::uint8_t, 16> tag{};
  crypto_generichash(tag.data(), tag.size(), bytes_of(text), text.size(), key.data(), key.size());
  return in_hexadecimal(tag);
}

}  // namespace knuckleboom::endpoint
