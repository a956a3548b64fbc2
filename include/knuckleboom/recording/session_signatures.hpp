// Signatures at the beginning of a session file, over everything behind it: docs/reference/session_file.md.
#pragma once

#include <cstddef>
#include <string>

namespace knuckleboom::io {

// Where the signed part of a session file begins [bytes].
inline constexpr std::size_t kSessionContentBegin = 512;

// Keys and signatures in base 64; empty: none. The file itself says nothing about whose they are.
struct SessionSignatures {
  std::string station, signature;         // of the computer that recorded it
  std::string witness, countersignature;  // of who was there
};

// For an open session file; shown: its name in messages. Both throw FileError; put_signatures() writes the
// block before the content and needs a descriptor that may be written to.
SessionSignatures read_signatures(int descriptor, const std::string& shown);
void put_signatures(int descriptor, const std::string& shown, const SessionSignatures& signatures);

}  // namespace knuckleboom::io
