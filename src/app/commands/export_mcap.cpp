#include "app/commands/export_mcap.hpp"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/commands/options.hpp"
#include "app/session/filing.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/json.hpp"
#include "app/shell/plot.hpp"
#include "app/shell/table_notes.hpp"
#include "app/shell/text.hpp"
#include "app/telemetry/mcap_writer.hpp"
#include "app/telemetry/messages.hpp"
#include "app/telemetry/topics.hpp"
#include "knuckleboom/recording/session_columns.hpp"
#include "knuckleboom/recording/session_file.hpp"
#include "knuckleboom/recording/table_file.hpp"

namespace knuckleboom::app {
namespace {

namespace fs = std::filesystem;

using McapTexts = std::vector<std::pair<std::string, std::string>>;

struct McapOptions {
  std::string source, output;
};

constexpr std::string_view kMcapSuffix = ".mcap";
constexpr double kLongestMcapTime = 9e9;  // s; nanoseconds since 1970 up to the year 2255

// Foxglove's own schema of a line in a log.
constexpr std::string_view kLogSchemaName = "foxglove.Log";
std::string log_schema() {
  return fmt::format(
      R"({{"type":"object","title":"{}","properties":{{"{}":{},"level":{{"type":"integer"}},)"
      R"("message":{{"type":"string"}},"name":{{"type":"string"}},"file":{{"type":"string"}},)"
      R"("line":{{"type":"integer"}}}}}})",
      kLogSchemaName, kTimestamp, time_schema());
}
constexpr int kLogInfo = 2;

// Rows of all channels, as messages of their topics.
class McapRows {
 public:
  McapRows(McapWriter& writer, const std::vector<io::ChannelInfo>& channels) : writer_(writer) {
    for (const Topic& topic : topics_of(channels))
      topics_.push_back({writer.add({topic.name, json_type(topic), std::string(kJsonSchemaName),
                                     json_schema(topic), std::string(kJsonName)}),
                         JsonMessages(topic)});
  }
  void write(std::uint64_t time_ns, const std::vector<double>& row) {
    for (const auto& [number, messages] : topics_) {
      text_.clear();
      messages.append(time_ns, row, text_);
      writer_.write(number, time_ns, text_);
    }
  }
  std::size_t topics() const { return topics_.size(); }

 private:
  McapWriter& writer_;
  std::vector<std::pair<std::uint16_t, JsonMessages>> topics_;
  std::string text_;
};

struct McapContent {
  std::size_t channels = 0, topics = 0, rows = 0, events = 0;
  double first_s = 0.0, last_s = 0.0;
};

// --- A session --------------------------------------------------------------------

std::string log_message(std::uint64_t time_ns, const io::SessionEvent& event) {
  std::string out = "{";
  append_quoted(kTimestamp, out);
  out += ':';
  append_time(time_ns, out);
  out += fmt::format(R"(,"level":{},"message":)", kLogInfo);
  append_quoted(event.text.empty() ? event.kind : event.kind + ": " + event.text, out);
  out += R"(,"name":)";
  append_quoted(event.kind, out);
  return out + R"(,"file":"","line":0})";
}

// All but who drove it.
McapTexts texts_of(const io::SessionColumns& session) {
  McapTexts out;
  for (const auto& [name, text] : session.header)
    if (name != "learner_id" && name != "instructor") out.emplace_back(name, text);
  return out;
}

McapContent write_session(McapWriter& writer, const io::SessionColumns& session) {
  const auto seconds = [&session](std::int64_t tick) {
    return static_cast<double>(tick) / session.rate_Hz;
  };
  const auto time_ns = [&](std::int64_t tick) {
    return static_cast<std::uint64_t>(std::llround(1e9 * seconds(tick)));
  };
  writer.describe("session", texts_of(session));
  McapRows rows(writer, session.channels);
  std::uint16_t log = 0;
  if (!session.events.empty())
    log = writer.add({"/events", std::string(kLogSchemaName), std::string(kJsonSchemaName),
                      log_schema(), std::string(kJsonName)});
  auto event = session.events.begin();
  const auto write_events = [&](std::int64_t until_tick) {
    for (; event != session.events.end() && event->tick <= until_tick; ++event)
      writer.write(log, time_ns(event->tick), log_message(time_ns(event->tick), *event));
  };
  const std::size_t width = session.channels.size();
  std::vector<double> row(width);
  for (std::size_t i = 0; i < session.channel_ticks.size(); ++i) {
    write_events(session.channel_ticks[i]);
    const float* const begin = session.rows.data() + i * width;
    row.assign(begin, begin + width);
    rows.write(time_ns(session.channel_ticks[i]), row);
  }
  write_events(session.end_tick);
  McapContent out{width, rows.topics(), session.channel_ticks.size(), session.events.size(), 0, 0};
  if (out.rows == 0) return out;
  out.first_s = seconds(session.channel_ticks.front());
  out.last_s = seconds(session.channel_ticks.back());
  return out;
}

// --- A table ----------------------------------------------------------------------

// "machine: harvester 42e5..." of the lines in front of a trace; others are remarks.
McapTexts texts_of(const io::Trace& table) {
  McapTexts out;
  std::set<std::string> names;
  for (std::size_t i = 0; i < table.header_lines.size(); ++i) {
    const std::string& line = table.header_lines[i];
    const std::size_t colon = line.find(": ");
    std::string name = i == 0                       ? "program"
                       : colon == std::string::npos ? fmt::format("remark {}", i)
                                                    : line.substr(0, colon);
    if (!names.insert(name).second) name = fmt::format("remark {}", i);
    out.emplace_back(std::move(name),
                     i == 0 || colon == std::string::npos ? line : line.substr(colon + 2));
  }
  return out;
}

McapContent write_table(McapWriter& writer, const io::Trace& table) {
  writer.describe("table", texts_of(table));
  McapRows rows(writer, described(table.columns));
  const std::vector<double>& t = table.data[static_cast<std::size_t>(table.time_column())];
  std::vector<double> row(table.columns.size());
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (!(t[i] >= 0.0 && t[i] <= kLongestMcapTime))
      throw UserError(fmt::format(
          "{}: row {} is at {:g} s; an MCAP file knows times from 0 s, as of a run, or from 1970, "
          "as of a clock",
          table.file, i + 1, t[i]));
    for (std::size_t k = 0; k < row.size(); ++k) row[k] = table.data[k][i];
    rows.write(static_cast<std::uint64_t>(std::llround(1e9 * t[i])), row);
  }
  McapContent out{row.size(), rows.topics(), table.rows(), 0, 0.0, 0.0};
  if (out.rows == 0) return out;
  out.first_s = t.front();
  out.last_s = t.back();
  return out;
}

// --- The command ------------------------------------------------------------------

int write_mcap(const McapOptions& options) {
  const fs::path output = options.output;
  if (output.extension() != kMcapSuffix)
    throw UserError(
        fmt::format("--output {}: an MCAP file's name ends in {}", options.output, kMcapSuffix));
  check_output_path(output, "--output");
  check_is_ours(output, is_our_mcap);
  const bool is_session =
      is_session_file(options.source) ||
      (!fs::exists(options.source) && is_session_file(find_session(options.source)));
  McapContent content;
  if (is_session) {
    const fs::path source = find_session(options.source);
    check_distinct({{"--output", output}}, {source.string()});
    const io::SessionColumns session = io::read_session_columns(source);
    for (const std::string& remark : session.remarks) complain(remark);
    McapWriter writer(output, io::this_program());
    content = write_session(writer, session);
    writer.close();
  } else {
    check_distinct({{"--output", output}}, {options.source});
    const io::Trace table = io::read_table(options.source);
    tell_notes(options.source, table.notes);
    McapWriter writer(output, io::this_program());
    content = write_table(writer, table);
    writer.close();
  }
  const auto count = [](std::size_t n, const char* one, const char* more) {
    return counted(static_cast<long long>(n), one, more);
  };
  std::string text = fmt::format(
      "{}: {} in {}, {} from {:g} to {:g} s", output.string(),
      count(content.channels, "channel", "channels"), count(content.topics, "topic", "topics"),
      count(content.rows, "row", "rows"), content.first_s, content.last_s);
  if (content.events > 0) text += ", " + count(content.events, "event", "events");
  say(text + "\n");
  return kSuccess;
}

}  // namespace

Command export_mcap_command() {
  const auto o = std::make_shared<McapOptions>();
  return {
      .name = "mcap",
      .sentence = "Write a session or a table over time for Foxglove and PlotJuggler",
      .arguments = {{.name = "source",
                     .target = &o->source,
                     .kind = session_value("SESSION|FILE"),
                     .sentence = "Session, trace, or table of another program",
                     .required = true},
                    {.name = "-o,--output",
                     .target = &o->output,
                     .kind = file_value("FILE.mcap", ".mcap"),
                     .sentence = "The MCAP file; one that was not written by this command stays",
                     .required = true}},
      .examples = {},
      .run = [o] { return write_mcap(*o); }};
}

}  // namespace knuckleboom::app
