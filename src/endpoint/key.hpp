// The secret that both ends of a connection share, and the file it is kept in.
//
//   knuckleboom-key 1
//   key 64 hexadecimal digits
//
// A file that anybody else may read is refused. Fingerprints of keys that must no longer be used
// stand in FILE.revoked and in a list for all files, one a line; docs/reference/endpoints.md.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>

#include "endpoint/error.hpp"

namespace knuckleboom::endpoint {

struct WireKey {
  std::array<std::uint8_t, 32> bytes{};
  bool given = false;  // false: packets carry a checksum that anybody can make
};

WireKey drawn_key();
// "3f2a-91c4-05de-7b18": tells keys apart and says nothing about them.
std::string fingerprint(const WireKey& key);

// Each throws EndpointError with a sentence, and then has changed nothing. list: fingerprints revoked
// for every file, besides those beside the file; none where it is empty.
WireKey read_key(const std::filesystem::path& file, const std::filesystem::path& list = {});
// The folder of a file, for its owner alone, if it is not there.
void make_folder_of(const std::filesystem::path& file);
// The file must not exist, its folder must.
WireKey make_key(const std::filesystem::path& file);
// The key that a computer signs its sessions with; one is made where there is none. endpoint/station.hpp
WireKey station_key(const std::filesystem::path& file);
// Another key takes the place of the file's, which is revoked.
WireKey rotate_key(const std::filesystem::path& file, const std::filesystem::path& list = {});
// From now on read_key() refuses the file's key, with the list in every copy. Its fingerprint.
std::string revoke_key(const std::filesystem::path& file, const std::filesystem::path& list = {});

}  // namespace knuckleboom::endpoint
