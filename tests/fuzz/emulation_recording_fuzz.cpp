// Whatever the bytes, reading a recorded emulation gives a recording that runs to its end, or a FileError:
// once as the file they are, once as the contents of blocks whose checksums are right.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

#include "app/shell/config_paths.hpp"
#include "knuckleboom/recording/emulation_recording.hpp"
#include "knuckleboom/runtime/emulation_replayer.hpp"
#include "recording/bytes.hpp"
#include "recording/emulation_blocks.hpp"
#include "recording/journal_blocks.hpp"

namespace {

namespace fs = std::filesystem;
namespace io = knuckleboom::io;

constexpr std::int64_t kMostTicks = 20;  // that are run

const fs::path& file() {
  static const fs::path path =
      fs::temp_directory_path() / ("emulation_recording_fuzz_" + std::to_string(::getpid()));
  return path;
}

// The shipped bench, so that commands and frames get as far as into its ticks.
const io::EmulationRecordingHeader& bench() {
  static const io::EmulationRecordingHeader header = [] {
    const fs::path config = knuckleboom::app::config_folders().back();
    io::EmulationRecordingHeader out;
    out.id = "0123456789abcdef0123456789abcdef";
    out.start_utc = "2026-11-28T06:40:12Z";
    out.tick_s = 1e-3;
    out.layout = io::emulation_layout();
    out.made_from = io::read_emulation_texts(
        config / "emulations/peg_on_plane.toml", {}, {},
        [&config](const std::string& name, const io::ScenarioPlaces::Place&) {
          return config / "machines" / name / "machine.toml";
        });
    std::string signals;
    for (const char* name : {"operator.z", "sensor.force_z", "host.base.position",
                             "host.base.valve", "emulated.yaw.motor_speed"})
      signals += std::string("[[signal]]\nname = \"") + name +
                 "\"\ndirection = \"in\"\nsource = \"network\"\n";
    out.made_from.texts.push_back({"signals", "signals.toml", signals});
    return out;
  }();
  return header;
}

void read(std::string_view bytes) {
  fs::remove(file());
  std::ofstream(file(), std::ios::binary) << bytes;
  try {
    io::EmulationRecording recording = io::read_emulation_recording(file());
    if (recording.end.end_tick < 0) std::abort();
    for (const auto& hash : recording.hashes)
      if (hash.tick > recording.end.end_tick) std::abort();
    std::int64_t frames = 0;
    io::EmulationFrames all(recording);
    for (std::int64_t k = 0; k < std::min<std::int64_t>(recording.end.end_tick, 100'000); ++k) {
      const auto& input = all.at(k);
      frames += (input.log.fresh | input.network.fresh) != 0 ? 1 : 0;
    }
    if (recording.end.end_tick <= 100'000 && frames != recording.frames) std::abort();
    recording.end.end_tick = std::min(recording.end.end_tick, kMostTicks);
    knuckleboom::runtime::EmulationReplayer replayer(std::move(recording));
    while (replayer.step()) {
    }
  } catch (const io::FileError&) {
    // Refusing is fine; anything else is a finding.
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);

  // The first byte says whether the header too is the fuzzer's; then kind, length and bytes of each block.
  io::ByteReader reader(bytes);
  const bool own_header = reader.take<std::uint8_t>() % 4 != 0;
  std::uint64_t sequence = 0;
  std::string blocks;
  if (own_header)
    blocks = io::journal_block(io::EmulationBlock::kHeader, sequence++, io::to_bytes(bench()));
  while (reader.good() && !reader.empty()) {
    const auto kind = static_cast<io::EmulationBlock>(101 + reader.take<std::uint8_t>() % 6);
    const auto length = reader.take<std::uint16_t>();
    blocks += io::journal_block(kind, sequence++, reader.take_bytes(length));
  }
  read(blocks);
  return 0;
}
