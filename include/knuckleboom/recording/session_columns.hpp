// A session as plain numbers and texts, for other programs: nothing of the core is needed to read them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace knuckleboom::io {

struct ChannelInfo {
  std::string name, unit, description;
};

// An event. Readers skip kinds they do not know.
struct SessionEvent {
  std::int64_t tick = 0;  // ticks run before it
  std::string kind;       // "phase", "collision", ...: docs/reference/session_file.md
  double value[4] = {0.0, 0.0, 0.0, 0.0};
  std::string text;
};

struct StateHash {
  std::int64_t tick = 0;    // ticks run
  std::uint64_t value = 0;  // state::hash
};

struct SessionColumns {
  struct Attempt {
    std::int64_t begin_tick = 0, end_tick = 0;
    std::int32_t phase = 0;       // training::TaskPhase
    std::vector<double> figures;  // by SessionColumns::figures
  };

  std::string path;
  std::vector<std::pair<std::string, std::string>> header;  // texts, named as the file's attributes
  std::vector<std::pair<std::string, std::string>> options;  // of the request
  double rate_Hz = 0.0;                                      // ticks a second
  std::int64_t first_tick = 0, end_tick = 0;
  bool complete = false;
  std::int64_t lost = 0;  // records there was no room for
  std::vector<std::string> remarks;

  std::vector<ChannelInfo> channels, figures;
  std::vector<std::int64_t> channel_ticks;  // ticks run before each row
  std::vector<float> rows;                  // one after the other, each by channels

  std::vector<std::string> lever_names;
  std::vector<std::int64_t> lever_ticks;  // from which each row holds
  std::vector<double> lever_values;       // row after row, each by lever_names
  std::vector<std::int64_t> lever_buttons;
  std::vector<std::pair<std::int64_t, std::string>> commands;  // tick, word of input files
  std::vector<SessionEvent> events;
  std::vector<Attempt> attempts;
  std::vector<StateHash> hashes;
};

// Throws FileError, as read_session.
SessionColumns read_session_columns(const std::filesystem::path& path);

}  // namespace knuckleboom::io
