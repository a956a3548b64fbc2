// The PIN that opens the instructor's card, and the file of its hash (argon2id): docs/reference/trust.md
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace knuckleboom::endpoint {

// 4 to 12 digits.
bool is_pin(std::string_view text);
// argon2id of a PIN, as text; takes about a tenth of a second and 64 MiB. Throws EndpointError without the
// memory.
std::string pin_hash(std::string_view pin);
// Whether a text is such a hash, of this program's own strength.
bool is_pin_hash(const std::string& hash);
// Whether it is the PIN of such a hash; another text is nobody's.
bool pin_fits(const std::string& hash, std::string_view pin);

// A file that cannot be looked at counts as a PIN.
bool pin_is_set(const std::filesystem::path& file);
// In place of the one before. Throws EndpointError, and then has changed nothing.
void set_pin(const std::filesystem::path& file, std::string_view pin);
// Whether it is the PIN of the file. Throws EndpointError for a file
// that cannot be believed.
bool pin_opens(const std::filesystem::path& file, std::string_view pin);

}  // namespace knuckleboom::endpoint
