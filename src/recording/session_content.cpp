#include "session_content.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "belief.hpp"
#include "knuckleboom/io/input_file.hpp"
#include "knuckleboom/recording/session_journal.hpp"
#include "machine_texts.hpp"
#include "session_blocks.hpp"
#include "session_header.hpp"

namespace knuckleboom::io {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostTicks = std::int64_t{1} << 50;
constexpr std::size_t kMostEntries = 4096;
constexpr double kLowestRate = 250.0, kHighestRate = 2000.0;  // Hz, as in exercise files
constexpr double kLastPhase = 3;

bool are_channels(const std::vector<ChannelInfo>& channels, std::string_view reserved) {
  std::set<std::string_view> names;
  return channels.size() <= kMostEntries &&
         std::all_of(channels.begin(), channels.end(), [&](const ChannelInfo& channel) {
           return is_link_name(channel.name) && channel.name != reserved &&
                  channel.name != "description" && names.insert(channel.name).second &&
                  is_plain_text(channel.unit, kLongestText) &&
                  is_plain_text(channel.description, kLongestText);
         });
}

bool are_options(const std::vector<std::pair<std::string, std::string>>& options) {
  std::set<std::string_view> names;
  return options.size() <= kMostEntries &&
         std::all_of(options.begin(), options.end(), [&names](const auto& option) {
           return is_link_name(option.first) && names.insert(option.first).second &&
                  is_plain_text(option.second, kLongestText);
         });
}

bool are_texts(const std::vector<SessionText>& texts) {
  std::set<std::string_view> roles;
  return texts.size() <= kMostEntries &&
         std::all_of(texts.begin(), texts.end(), [&roles](const SessionText& text) {
           return is_link_name(text.role) && is_plain_text(text.name, kLongestText) &&
                  (text.role == "base" || text.role == kSpeciesRole ||
                   roles.insert(text.role).second);
         });
}

}  // namespace

// --- Header and extent ----------------------------------------------------------

std::string fault_of(const SessionHeader& h) {
  if (!is_id(h.id) || (!h.parent_id.empty() && !is_id(h.parent_id)) ||
      (!h.learner_id.empty() && !is_id(h.learner_id)))
    return "ids are none";
  if (!is_utc(h.start_utc)) return "start is no date";
  if (!is_plain_text(h.learner, kLongestName)) return "learner's name is none";
  if (!is_plain_text(h.instructor, kLongestName)) return "instructor is none";
  if (!h.previous.empty() && !is_id(h.previous)) return "digest of the session before it is none";
  for (const std::string* text : {&h.program, &h.processor, &h.exercise, &h.machine, &h.levers,
                                  &h.exercise_hash.hex, &h.machine_hash.hex, &h.levers_hash.hex})
    if (!is_plain_text(*text, kLongestText)) return "header has a text that is none";
  if (!(h.rate_Hz >= kLowestRate && h.rate_Hz <= kHighestRate))
    return "number of ticks a second is out of range";
  if (h.first_tick < 0 || h.first_tick > kMostTicks || h.parent_tick < -1 ||
      h.parent_tick > kMostTicks)
    return "first tick is out of range";
  if (h.layout.bytes > kMostBlock) return "states are too large";
  if (!are_channels(h.channels, "tick")) return "list of channels cannot be right";
  if (!are_channels(h.figures, "begin_tick")) return "list of figures cannot be right";
  if (!are_options(h.options)) return "list of options cannot be right";
  if (!are_texts(h.texts)) return "list of files cannot be right";
  return {};
}

bool read_end_mark(std::string_view payload, SessionEndMark& end) {
  ByteReader reader(payload);
  end = {};
  end.complete = true;
  end.end_tick = reader.take<std::int64_t>();
  end.end_hash = reader.take<std::uint64_t>();
  end.lost = reader.take<std::int64_t>();
  const std::uint64_t count = take_count(reader);
  std::set<std::string> names;
  for (std::uint64_t i = 0; i < count && reader.good(); ++i) {
    auto& [name, value] = end.health.emplace_back();
    name = reader.take_text();
    value = reader.take<double>();
    if (!is_link_name(name) || name == "description" || !names.insert(name).second) reader.fail();
  }
  return reader.good() && reader.empty() && end.lost >= 0;
}

SessionExtent extent_of(const fs::path& journal) {
  SessionExtent out;
  bool any = false, others = false, behind_end = false;
  std::string fault;
  const auto refuse_if = [&fault](bool wrong, const char* why) {
    if (wrong && fault.empty()) fault = why;
  };
  std::int64_t progress = 0;
  scan_journal(journal, [&](JournalKind kind, std::string_view payload) {
    if (!any) {
      others = kind == JournalKind::kHeader && is_other_format(payload);
      any = !others && kind == JournalKind::kHeader && from_bytes(payload, out.header);
      out.end.end_tick = out.header.first_tick;
      return any;
    }
    ByteReader reader(payload);
    behind_end = out.end.complete;
    if (kind == JournalKind::kProgress && !behind_end) {
      const auto tick = reader.take<std::int64_t>();
      refuse_if(!reader.good() || !reader.empty() || tick < out.end.end_tick,
                "its marks of progress go back");
      out.end.end_tick = progress = tick;
    }
    if (kind == JournalKind::kEnd && !behind_end) {
      refuse_if(!read_end_mark(payload, out.end), "its end mark holds what no end mark holds");
      refuse_if(out.end.end_tick < progress, "its end mark lies before the progress it has made");
    }
    return !behind_end;
  });
  if (others)
    throw FileError(journal.string(),
                    "this was recorded by another version of the program; use that version");
  if (!any)
    throw UnreadableJournal(journal.string(),
                            "this is no recording of a session, or its beginning is damaged");
  if (fault.empty())
    if (std::string wrong = fault_of(out.header); !wrong.empty()) fault = "its " + wrong;
  refuse_if(behind_end, "something follows its end mark");
  if (!fault.empty())
    throw UnreadableJournal(journal.string(),
                            fmt::format("the recording cannot be believed: {}", fault));
  return out;
}

// --- Content --------------------------------------------------------------------

SessionContent::SessionContent(std::string shown, const SessionExtent& extent, SessionSink& sink)
    : shown_(std::move(shown)),
      extent_(extent),
      sink_(sink),
      first_(extent.header.first_tick),
      end_(extent.end.end_tick),
      last_input_(first_),
      last_hash_(first_ - 1),
      last_state_(first_ - 1),
      last_row_(first_ - 1),
      last_attempt_(first_) {}

void SessionContent::refuse(const std::string& why) const {
  throw UnreadableJournal(shown_, fmt::format("the recording cannot be believed: {}", why));
}

void SessionContent::check(bool good, const char* what) const {
  if (!good) refuse(fmt::format("one of its {} cannot be right", what));
}

std::int64_t SessionContent::take_tick(ByteReader& reader, std::int64_t& last, bool strictly,
                                       const char* what) const {
  const auto tick = reader.take<std::int64_t>();
  check(reader.good(), what);
  if (tick > kMostTicks || (strictly ? tick <= last : tick < last))
    refuse(fmt::format("the ticks of its {} do not rise", what));
  return last = tick;
}

void SessionContent::take(JournalKind kind, std::string_view payload) {
  ByteReader reader(payload);
  switch (kind) {
    case JournalKind::kInputs:
      while (!reader.empty()) input(reader);
      return;
    case JournalKind::kHashes:
      while (!reader.empty()) hash(reader);
      return;
    case JournalKind::kState:
      return state(payload);
    case JournalKind::kRow:
      return row(reader, payload.size());
    case JournalKind::kEvent:
      return event(reader);
    case JournalKind::kAttempt:
      return attempt(reader);
    case JournalKind::kHeader:
    case JournalKind::kProgress:
    case JournalKind::kEnd:
      break;
  }
  refuse("a block of it is of a kind that has no place there");
}

void SessionContent::input(ByteReader& reader) {
  const auto kind = static_cast<training::InputEventKind>(reader.take<std::uint8_t>());
  const std::int64_t tick = take_tick(reader, last_input_, false, "inputs");
  if (kind == training::InputEventKind::kInput) {
    const auto moved = reader.take<std::uint16_t>();
    check(moved >> (command::kLeverAxes + 1) == 0, "inputs");
    for (std::size_t i = 0; i < command::kLeverAxes; ++i) {
      if ((moved >> i & 1U) == 0) continue;
      levers_.axis[i] = reader.take<double>();
      check(std::abs(levers_.axis[i]) <= 1.0, "lever positions");  // nor is it not a number
    }
    if ((moved & kButtonsMoved) != 0) {
      levers_.buttons = reader.take<std::int64_t>();
      check(levers_.buttons >> command::kLeverButtons == 0, "buttons");
    }
    check(reader.good(), "inputs");
    if (tick < end_) sink_.lever(tick, levers_);
  } else if (kind == training::InputEventKind::kCommand) {
    training::Command command{};
    command.kind = static_cast<training::CommandKind>(reader.take<std::int32_t>());
    command.value = reader.take<std::int32_t>();
    check(reader.good() && !word_of(command).empty(), "commands");
    if (tick <= end_) sink_.command(tick, command);
  } else {
    check(kind == training::InputEventKind::kEnd, "inputs");
  }
}

void SessionContent::hash(ByteReader& reader) {
  StateHash hash;
  hash.tick = take_tick(reader, last_hash_, true, "hashes");
  hash.value = reader.take<std::uint64_t>();
  const bool due = hash.tick % kSessionHashTicks == 0;
  check(reader.good() && (due || hash.tick == first_), "hashes");
  if (hash.tick > end_) return;
  if (due && hash.tick > first_) ++hashes_;
  sink_.hash(hash);
}

void SessionContent::state(std::string_view payload) {
  ByteReader reader(payload);
  const std::int64_t tick = take_tick(reader, last_state_, true, "states");
  const std::string_view bytes = payload.substr(sizeof tick);
  check(bytes.size() == extent_.header.layout.bytes, "states");
  if (tick <= end_) sink_.state(tick, bytes);
}

void SessionContent::row(ByteReader& reader, std::size_t bytes) {
  const std::int64_t tick = take_tick(reader, last_row_, true, "rows");
  values_.resize(extent_.header.channels.size());
  check(bytes == sizeof tick + values_.size() * sizeof(float), "rows");
  for (float& value : values_) value = reader.take<float>();
  if (tick <= end_) sink_.row(tick, values_);
}

void SessionContent::event(ByteReader& reader) {
  SessionEvent event;
  // Messages and other events come from different threads: their ticks need not increase.
  event.tick = reader.take<std::int64_t>();
  event.kind = reader.take_text();
  for (double& value : event.value) value = reader.take<double>();
  event.text = reader.take_text();
  check(reader.good() && reader.empty() && event.tick >= first_ && event.tick <= kMostTicks &&
            is_link_name(event.kind),
        "events");
  if (event.tick > end_) return;
  if (event.kind == "recording_gap" && event.value[0] > 0.0)
    gaps_ = std::max(gaps_, static_cast<std::int64_t>(std::min(event.value[0], 1e15)));
  sink_.event(event);
}

void SessionContent::attempt(ByteReader& reader) {
  SessionAttempt attempt;
  attempt.begin_tick = take_tick(reader, last_attempt_, false, "attempts");
  attempt.end_tick = reader.take<std::int64_t>();
  const auto phase = reader.take<std::int32_t>();
  while (reader.good() && !reader.empty()) attempt.figures.push_back(reader.take<double>());
  check(reader.good() && attempt.end_tick >= attempt.begin_tick && phase >= 0 &&
            phase <= kLastPhase && attempt.figures.size() == extent_.header.figures.size(),
        "attempts");
  attempt.phase = static_cast<training::TaskPhase>(phase);
  if (attempt.end_tick <= end_) sink_.attempt(attempt);
}

std::int64_t SessionContent::finish() const {
  // One at each multiple, unless records were lost, and that is said.
  const std::int64_t due = end_ / kSessionHashTicks - first_ / kSessionHashTicks;
  const std::int64_t lost = std::max(gaps_, extent_.end.lost);
  if (hashes_ < due - std::min(lost, due))
    refuse(fmt::format("it says that {} ticks were run, but has {} of {} hashes of them",
                       end_ - first_, hashes_, due));
  if (end_ - std::max({last_hash_, last_row_, last_state_, last_input_, first_}) > kLongestSilence)
    refuse(fmt::format("it says that {} ticks were run, and has nothing of the last of them",
                       end_ - first_));
  return lost;
}

std::int64_t read_journal(const fs::path& journal, const SessionExtent& extent, SessionSink& sink) {
  SessionContent content(journal.string(), extent, sink);
  scan_journal(journal, [&content](JournalKind kind, std::string_view payload) {
    if (kind == JournalKind::kEnd) return false;
    if (kind != JournalKind::kHeader && kind != JournalKind::kProgress) content.take(kind, payload);
    return true;
  });
  return content.finish();
}

}  // namespace knuckleboom::io
