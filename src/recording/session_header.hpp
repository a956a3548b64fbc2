// The header of a session as bytes, for journals; what headers of recordings have in common.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bytes.hpp"
#include "knuckleboom/recording/session_file.hpp"

namespace knuckleboom::io {

std::string random_id();  // 32 hexadecimal digits

std::string to_bytes(const SessionHeader& header);
// Whether another version of the program has written them.
bool is_other_format(std::string_view bytes);
// False: the bytes are no header.
bool from_bytes(std::string_view bytes, SessionHeader& header);

// One sentence on keys that were left out.
std::string left_out_sentence(const std::vector<Diagnostic>& unknown);

void put_texts(std::string& out, const std::vector<SessionText>& texts);
void take_texts(ByteReader& reader, std::vector<SessionText>& texts);
// More than any recording has says that it is damaged: the reader fails.
std::uint64_t take_count(ByteReader& reader);

}  // namespace knuckleboom::io
