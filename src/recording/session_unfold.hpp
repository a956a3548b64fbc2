// From session files to blocks: the one place where the HDF5 library reads. docs/reference/session_file.md
// says in which process.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

namespace knuckleboom::io {

// Some blocks, and the number of the next.
using SendBlocks = std::function<void(std::string_view blocks, std::uint64_t next)>;

// image: the bytes of a session file, left as they are. Sends, in pieces, the blocks of a journal, numbered
// from 0 on: header, extent, inputs, hashes, attempts, rows, events, states. outline: without
// levers, events and states, and of the rows the last one. Checks what keeps the memory small and nothing
// else. Throws Hdf5Error.
void unfold_session(std::span<char> image, bool outline, const SendBlocks& send);

}  // namespace knuckleboom::io
