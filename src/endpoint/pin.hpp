// The PIN that opens the instructor's card, and the file of its hash (argon2id): docs/reference/trust.md
#pragma once

#include <filesystem>
#include <string_view>

namespace knuckleboom::endpoint {

// 4 to 12 digits.
bool is_pin(std::string_view text);
// A file that cannot be looked at counts as a PIN.
bool pin_is_set(const std::filesystem::path& file);
// In place of the one before. Throws EndpointError, and then has changed nothing.
void set_pin(const std::filesystem::path& file, std::string_view pin);
// Whether it is the PIN; takes about a tenth of a second and 64 MiB. Throws EndpointError for a file
// that cannot be believed.
bool pin_opens(const std::filesystem::path& file, std::string_view pin);

}  // namespace knuckleboom::endpoint
