// Whatever the bytes, reading a session gives a record or a FileError: once as an HDF5 file, with the work of
// the other process done in this one, once as the contents of a journal whose checksums are right.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include <unistd.h>

#include "knuckleboom/recording/session_file.hpp"
#include "recording/bytes.hpp"
#include "recording/hdf5_handle.hpp"
#include "recording/journal_blocks.hpp"
#include "recording/session_header.hpp"
#include "recording/session_unfold.hpp"

namespace {

namespace fs = std::filesystem;
using knuckleboom::io::JournalKind;

const fs::path& file() {
  static const fs::path path =
      fs::temp_directory_path() / ("session_fuzz_" + std::to_string(::getpid()));
  return path;
}

void read(std::string_view bytes) {
  std::ofstream(file(), std::ios::binary | std::ios::trunc) << bytes;
  try {
    const auto record = knuckleboom::io::read_session(file());
    if (record.inputs.empty()) std::abort();
    for (const auto& channel : record.header.channels) record.channel(channel.name);
    const auto session = knuckleboom::io::make_session(record.header);
    for (std::size_t i = 0; i < record.state_ticks.size(); ++i) record.state(i, *session);
  } catch (const knuckleboom::io::FileError&) {
    // Refusing is fine; anything else is a finding.
  }
}

void unfold(std::string bytes) {
  try {
    knuckleboom::io::unfold_session(bytes, false, [](std::string_view, std::uint64_t) {});
  } catch (const knuckleboom::io::Hdf5Error&) {
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  unfold(std::string(bytes));

  knuckleboom::io::SessionHeader header;
  header.id = "0123456789abcdef0123456789abcdef";
  header.start_utc = "2026-11-28T06:40:12Z";
  header.rate_Hz = 1000.0;
  const auto& type = knuckleboom::state::struct_of<knuckleboom::training::SessionState>();
  header.layout = knuckleboom::io::layout_of(type, knuckleboom::io::kStateFormat);
  header.fields = knuckleboom::io::describe(type);
  header.channels = {{"one", "m", "first"}, {"two", "", "second"}};
  header.figures = {{"time_s", "s", "time"}};
  // The first byte says whether the header too is the fuzzer's; then kind, length and bytes of each block.
  knuckleboom::io::ByteReader reader(bytes);
  const bool own_header = reader.take<std::uint8_t>() % 2 == 0;
  std::uint64_t sequence = 0;
  std::string journal;
  if (own_header)
    journal = knuckleboom::io::journal_block(JournalKind::kHeader, sequence++,
                                             knuckleboom::io::to_bytes(header));
  while (reader.good() && !reader.empty()) {
    const auto kind = static_cast<JournalKind>(1 + reader.take<std::uint8_t>() % 9);
    const auto length = reader.take<std::uint16_t>();
    journal += knuckleboom::io::journal_block(kind, sequence++, reader.take_bytes(length));
  }
  read(journal);
  return 0;
}
