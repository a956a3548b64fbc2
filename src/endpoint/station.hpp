// Signatures of a computer on what it recorded (Ed25519), digests and seals. docs/reference/trust.md
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "endpoint/key.hpp"

namespace knuckleboom::endpoint {

// Public key and signature in base 64.
std::string public_key(const WireKey& station);
std::string sign(const WireKey& station, std::string_view message);
// False for what is no key or no signature, too.
bool is_signed(const std::string& public_key, std::string_view message,
               const std::string& signature);
bool is_public_key(const std::string& text);
// "3f2a-91c4-05de-7b18", for people to compare.
std::string public_fingerprint(const std::string& public_key);

// BLAKE2b-256 of a file's bytes from here to its end, 64 hexadecimal digits. Throws EndpointError.
std::string content_digest(int descriptor, std::size_t begin);
// SHA-256 of a text, 64 hexadecimal digits.
std::string text_digest(std::string_view text);
// A tag of a text that only who has the key can make, 32 hexadecimal digits.
std::string seal(const WireKey& station, std::string_view text);

}  // namespace knuckleboom::endpoint
