// Apart from session_header.cpp: the program that reads session files needs this and not what makes a session.
#include "session_header.hpp"

namespace knuckleboom::io {
namespace {

constexpr std::uint64_t kMostEntries = 4096;
constexpr std::int32_t kJournalFormat = 3;

// The order of both directions is written once.
template <class Field, class Header>
void for_each_text(Header& h, Field field) {
  for (auto* text : {&h.program, &h.processor, &h.id, &h.start_utc, &h.learner, &h.learner_id,
                     &h.parent_id, &h.exercise, &h.machine, &h.levers, &h.exercise_hash.hex,
                     &h.machine_hash.hex, &h.levers_hash.hex})
    field(*text);
}

// The texts of an entry, in their order.
constexpr std::string ChannelInfo::*kOfChannel[] = {&ChannelInfo::name, &ChannelInfo::unit,
                                                    &ChannelInfo::description};
constexpr std::string SessionText::*kOfText[] = {&SessionText::role, &SessionText::name,
                                                 &SessionText::text};
using Option = std::pair<std::string, std::string>;
constexpr std::string Option::*kOfOption[] = {&Option::first, &Option::second};

template <class Entry, std::size_t N>
void put_list(std::string& out, const std::vector<Entry>& list,
              std::string Entry::*const (&texts)[N]) {
  put(out, static_cast<std::uint64_t>(list.size()));
  for (const Entry& entry : list)
    for (const auto text : texts) put_text(out, entry.*text);
}

template <class Entry, std::size_t N>
void take_list(ByteReader& reader, std::vector<Entry>& list,
               std::string Entry::*const (&texts)[N]) {
  list.clear();
  const std::uint64_t count = take_count(reader);
  for (std::uint64_t i = 0; i < count && reader.good(); ++i) {
    Entry& entry = list.emplace_back();
    for (const auto text : texts) entry.*text = reader.take_text();
  }
}

}  // namespace

std::uint64_t take_count(ByteReader& reader) {
  const auto count = reader.take<std::uint64_t>();
  if (count <= kMostEntries) return count;
  reader.fail();
  return 0;
}

void put_texts(std::string& out, const std::vector<SessionText>& texts) {
  put_list(out, texts, kOfText);
}

void take_texts(ByteReader& reader, std::vector<SessionText>& texts) {
  take_list(reader, texts, kOfText);
}

std::string to_bytes(const SessionHeader& header) {
  std::string out;
  put(out, kJournalFormat);
  for_each_text(header, [&out](const std::string& text) { put_text(out, text); });
  put(out, header.parent_tick);
  put(out, header.rate_Hz);
  put(out, header.first_tick);
  put(out, header.layout.version);
  put(out, header.layout.bytes);
  put(out, header.layout.places);
  put_texts(out, header.texts);
  put_list(out, header.options, kOfOption);
  put_list(out, header.channels, kOfChannel);
  put_list(out, header.figures, kOfChannel);
  put_text(out, header.fields);
  put_text(out, header.instructor);
  put_text(out, header.previous);
  put(out, header.judging);
  return out;
}

bool is_other_format(std::string_view bytes) {
  ByteReader reader(bytes);
  const auto format = reader.take<std::int32_t>();
  return reader.good() && (format < 1 || format > kJournalFormat);
}

bool from_bytes(std::string_view bytes, SessionHeader& header) {
  ByteReader reader(bytes);
  const auto format = reader.take<std::int32_t>();
  if (format < 1 || format > kJournalFormat) return false;
  for_each_text(header, [&reader](std::string& text) { text = reader.take_text(); });
  header.parent_tick = reader.take<std::int64_t>();
  header.rate_Hz = reader.take<double>();
  header.first_tick = reader.take<std::int64_t>();
  header.layout.version = reader.take<std::uint32_t>();
  header.layout.bytes = reader.take<std::uint64_t>();
  header.layout.places = reader.take<std::uint64_t>();
  take_texts(reader, header.texts);
  take_list(reader, header.options, kOfOption);
  take_list(reader, header.channels, kOfChannel);
  take_list(reader, header.figures, kOfChannel);
  // Format 1 did not describe the states.
  header.fields = format > 1 ? reader.take_text() : std::string();
  // Format 2 knew no chain of sessions.
  header.instructor = format > 2 ? reader.take_text() : std::string();
  header.previous = format > 2 ? reader.take_text() : std::string();
  header.judging = format > 2 ? reader.take<std::int32_t>() : 0;
  return reader.good() && reader.empty();
}

}  // namespace knuckleboom::io
