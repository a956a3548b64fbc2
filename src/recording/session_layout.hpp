// The tables of a session file in memory and in HDF5: what writer and reader must agree on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "hdf5_handle.hpp"
#include "knuckleboom/recording/session_file.hpp"

namespace knuckleboom::io {

struct LeverRow {
  std::int64_t tick;
  double axis[command::kLeverAxes];
  std::int64_t buttons;  // not in files of before
};
inline constexpr std::size_t kCommandText = 32;
struct CommandRow {
  std::int64_t tick;
  std::int32_t kind, value;
  char text[kCommandText];
};
struct HashRow {
  std::int64_t tick;
  std::uint64_t hash;
};
inline constexpr std::size_t kKindText = 32;
// An event; its text follows in the file, as long as the longest of them.
struct EventRow {
  std::int64_t tick;
  char kind[kKindText];
  double value[4];
};

Hdf5Handle lever_type();
Hdf5Handle command_type();
Hdf5Handle hash_type();
Hdf5Handle event_type(std::size_t text_size);
// begin_tick, end_tick, phase, then the figures by name; all are 8 bytes wide.
Hdf5Handle attempt_type(const std::vector<ChannelInfo>& figures);

}  // namespace knuckleboom::io
