// Apart from session_header.cpp: the program that reads session files needs this and not what makes a session.
#include "session_header.hpp"

namespace knuckleboom::io {
namespace {

constexpr std::uint64_t kMostEntries = 4096;
constexpr std::int32_t kJournalFormat = 2;

// The order of both directions is written once.
template <class Field, class Header>
void for_each_text(Header& h, Field field) {
  for (auto* text : {&h.program, &h.processor, &h.id, &h.start_utc, &h.learner, &h.learner_id,
                     &h.parent_id, &h.exercise, &h.machine, &h.levers, &h.exercise_hash.hex,
                     &h.machine_hash.hex, &h.levers_hash.hex})
    field(*text);
}

void put_channels(std::string& out, const std::vector<ChannelInfo>& channels) {
  put(out, static_cast<std::uint64_t>(channels.size()));
  for (const ChannelInfo& channel : channels) {
    put_text(out, channel.name);
    put_text(out, channel.unit);
    put_text(out, channel.description);
  }
}

void take_channels(ByteReader& reader, std::vector<ChannelInfo>& channels) {
  channels.clear();
  const std::uint64_t count = take_count(reader);
  for (std::uint64_t i = 0; i < count && reader.good(); ++i) {
    ChannelInfo& channel = channels.emplace_back();
    channel.name = reader.take_text();
    channel.unit = reader.take_text();
    channel.description = reader.take_text();
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
  put(out, static_cast<std::uint64_t>(texts.size()));
  for (const SessionText& text : texts) {
    put_text(out, text.role);
    put_text(out, text.name);
    put_text(out, text.text);
  }
}

void take_texts(ByteReader& reader, std::vector<SessionText>& texts) {
  texts.clear();
  const std::uint64_t count = take_count(reader);
  for (std::uint64_t i = 0; i < count && reader.good(); ++i) {
    SessionText& text = texts.emplace_back();
    text.role = reader.take_text();
    text.name = reader.take_text();
    text.text = reader.take_text();
  }
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
  put(out, static_cast<std::uint64_t>(header.options.size()));
  for (const auto& [name, value] : header.options) {
    put_text(out, name);
    put_text(out, value);
  }
  put_channels(out, header.channels);
  put_channels(out, header.figures);
  put_text(out, header.fields);
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
  header.options.clear();
  const std::uint64_t count = take_count(reader);
  for (std::uint64_t i = 0; i < count && reader.good(); ++i) {
    auto& [name, value] = header.options.emplace_back();
    name = reader.take_text();
    value = reader.take_text();
  }
  take_channels(reader, header.channels);
  take_channels(reader, header.figures);
  // Format 1 did not describe the states.
  header.fields = format > 1 ? reader.take_text() : std::string();
  return reader.good() && reader.empty();
}

}  // namespace knuckleboom::io
