// Signatures of sessions by the computers that recorded them: docs/reference/trust.md.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "endpoint/key.hpp"

namespace knuckleboom::app {

// This computer's key; one is made where there is none. Throws UserError.
endpoint::WireKey own_station();

struct TrustedStation {
  std::string key, name;  // public key; what people here call it
};
std::filesystem::path own_station_file();
std::filesystem::path own_instructor_file();
std::filesystem::path instructor_pin_file();  // endpoint/pin.hpp
// Throws UserError for a file that cannot be read or is none.
std::vector<TrustedStation> trusted_stations();
void keep_trusted_stations(const std::vector<TrustedStation>& stations);

// Signs a session file that this program has just completed. Empty: done, or there is no home for a key;
// otherwise why not, in one sentence. Never throws.
std::string sign_session(const std::filesystem::path& file) noexcept;

// This computer's instructor, who countersigns; a key is made where there is none. Throws UserError.
endpoint::WireKey own_instructor();
// Adds that who has this key was there. Throws UserError or io::FileError; the session must be signed.
void countersign_session(const std::filesystem::path& file, const endpoint::WireKey& instructor);

// Who signed a session file.
struct SignedBy {
  std::string digest;        // of its content
  std::string station;       // public key; empty: nobody
  bool own = false;          // this computer
  std::string name;          // of a trusted one; empty: a stranger
  std::string witness;       // public key of who has countersigned; empty: nobody
  std::string witness_name;  // of a trusted one, or "this computer's instructor"; empty: a stranger
};
// Throws io::FileError for a signature that is not of this content.
SignedBy signed_by(const std::filesystem::path& file);

}  // namespace knuckleboom::app
