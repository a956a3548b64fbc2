// Channels as topics of messages, as other tools show them: which belong together, by the declaration of the
// channels. docs/reference/telemetry.md
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "knuckleboom/recording/session_columns.hpp"

namespace knuckleboom::app {

struct TopicField {
  std::string name;  // of the channel, behind its last dot
  std::string unit, description;
  std::size_t channel = 0;  // place in a row of all channels
};

struct Topic {
  std::string name;  // "/joints/boom"
  std::vector<TopicField> fields;
};

// Every channel is in one of them, in the order of the channels. Signals of an emulation tell by the dots in
// their names where they belong; a column that is no channel of this program is in /channels.
std::vector<Topic> topics_of(std::span<const io::ChannelInfo> channels);

// Columns of a table, with unit and meaning of those that are channels of this program.
std::vector<io::ChannelInfo> described(std::span<const std::string> columns);

}  // namespace knuckleboom::app
