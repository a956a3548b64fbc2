#include "knuckleboom/io/input_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "csv_fields.hpp"
#include "text_file.hpp"

namespace knuckleboom::io {
namespace {

using command::kLeverAxes;
using command::kLeverAxisNames;
using command::OperatorInput;
using training::Command;
using training::CommandKind;
using training::InputEvent;
using training::InputEventKind;

constexpr std::size_t kInputLimit = std::size_t{1} << 30;
constexpr std::size_t kMaxDiagnostics = 20;
constexpr std::int64_t kMaxTick = std::int64_t{1} << 53;
constexpr double kMaxRateHz = 1e5;
constexpr std::string_view kFormatLine = "knuckleboom input ";

struct NamedCommand {
  std::string_view name;
  Command command;
};
constexpr NamedCommand kCommands[] = {
    {"control_mode:valve",
     {CommandKind::kControlMode, static_cast<std::int32_t>(command::ControlMode::kValve)}},
    {"control_mode:joint_rate",
     {CommandKind::kControlMode, static_cast<std::int32_t>(command::ControlMode::kJointRate)}},
    {"control_mode:boom_tip",
     {CommandKind::kControlMode, static_cast<std::int32_t>(command::ControlMode::kBoomTip)}},
    {"fidelity:reduced",
     {CommandKind::kFidelity, static_cast<std::int32_t>(machine::Fidelity::kReduced)}},
    {"fidelity:paper",
     {CommandKind::kFidelity, static_cast<std::int32_t>(machine::Fidelity::kPaper)}},
    {"fidelity:full",
     {CommandKind::kFidelity, static_cast<std::int32_t>(machine::Fidelity::kFull)}},
    {"restart", {CommandKind::kRestart, 0}},
};

// These end in the number of a fault.
constexpr NamedCommand kNumbered[] = {
    {"fault:", {CommandKind::kFault, 0}},
    {"clear_fault:", {CommandKind::kClearFault, 0}},
    {"diagnose:", {CommandKind::kDiagnose, 0}},
};

std::string known_commands() {
  std::string out;
  for (const NamedCommand& known : kCommands) out += fmt::format("{}, ", known.name);
  for (const NamedCommand& known : kNumbered) out += fmt::format("{}NUMBER, ", known.name);
  return out + "end";
}

constexpr const char* kNoButtons = "none";

std::string known_columns() {
  std::string out = "tick or t_s, command, buttons";
  for (const char* name : kLeverAxisNames) out += fmt::format(", {}", name);
  return out;
}

template <class Number>
std::optional<Number> parsed(std::string_view field) {
  if (field.starts_with('+')) field.remove_prefix(1);
  Number value{};
  const char* end = field.data() + field.size();
  const auto [at, code] = std::from_chars(field.data(), end, value);
  if (at != end || field.empty() || code != std::errc()) return std::nullopt;
  return value;
}

bool is_hash(std::string_view word) {
  return word.size() == 32 && word.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// --- Reading ------------------------------------------------------------------

class InputParser {
 public:
  InputParser(std::string_view text, const std::string& file, double rate_Hz)
      : text_(text), file_(file) {
    out_.header.rate_Hz = rate_Hz;
  }

  InputFile parse() {
    for_each_line(text_, [this](std::string_view line, int number) {
      number_ = number;
      const std::string_view content = trimmed(line);
      if (content.empty()) return true;
      if (content.front() == '#')
        remark(trimmed(content.substr(1)));
      else if (columns_.empty())
        names(line);
      else
        row(line);
      return errors_.size() < kMaxDiagnostics;
    });
    if (columns_.empty() && errors_.empty())
      errors_.push_back(
          {file_, 1, 1, "there is no line of column names; expected " + known_columns()});
    if (!errors_.empty()) throw FileError(std::move(errors_));
    return std::move(out_);
  }

 private:
  static constexpr int kTick = -1, kTime = -2, kCommand = -3,
                       kButtons = -4;  // columns; axes from 0

  void error(std::size_t column, std::string message) {
    if (errors_.size() < kMaxDiagnostics)
      errors_.push_back({file_, number_, static_cast<int>(column), std::move(message)});
  }

  void remark(std::string_view text) {
    if (text.starts_with(kFormatLine)) return format(trimmed(text.substr(kFormatLine.size())));
    const std::size_t colon = std::min(text.find(':'), text.size());
    const std::string_view key = text.substr(0, colon);
    const std::string_view value = trimmed(text.substr(std::min(colon + 1, text.size())));
    InputHeader& header = out_.header;
    if (key == "program") {
      header.program = value;
    } else if (key == "exercise") {
      named(value, header.exercise, header.exercise_hash);
    } else if (key == "machine") {
      named(value, header.machine, header.machine_hash);
    } else if (key == "levers") {
      named(value, header.levers, header.levers_hash);
    } else if (key == "rate_Hz") {
      rate(value);
    } else if (key == "fault_seed") {
      fault_seed(value);
    } else {
      header.remarks.emplace_back(text);
    }
  }

  void format(std::string_view version) {
    if (parsed<int>(version) != kInputFormat)
      error(1, fmt::format("this is input format '{}', but this program reads format {}; use the "
                           "program that wrote it",
                           shown(version), kInputFormat));
  }

  static void named(std::string_view value, std::string& name, ContentHash& hash) {
    const std::size_t space = value.rfind(' ');
    if (space != std::string_view::npos && is_hash(value.substr(space + 1))) {
      hash.hex = value.substr(space + 1);
      value = trimmed(value.substr(0, space));
    }
    name = value;
  }

  void rate(std::string_view value) {
    const std::optional<double> rate = parsed<double>(value);
    if (!columns_.empty())
      error(1, "'rate_Hz' must stand before the line of column names; move it there");
    else if (!rate || !(*rate > 0.0 && *rate <= kMaxRateHz))
      error(1, fmt::format("'rate_Hz' is '{}'; it must be a number of ticks per second above 0 and "
                           "at most {}",
                           shown(value), kMaxRateHz));
    else
      out_.header.rate_Hz = *rate;
  }

  void fault_seed(std::string_view value) {
    out_.header.fault_seed = parsed<std::uint64_t>(value);
    if (!out_.header.fault_seed)
      error(1, fmt::format("'fault_seed' is '{}'; it must be a whole number from 0", shown(value)));
  }

  void names(std::string_view line) {
    split_fields(line, [&](std::string_view field, std::size_t column) {
      const int meaning = meaning_of(field);
      if (meaning == kUnknown)
        error(column,
              fmt::format("there is no column '{}'; known are {}", shown(field), known_columns()));
      else if (std::find(columns_.begin(), columns_.end(), meaning) != columns_.end())
        error(column, fmt::format("there are two columns '{}'; remove one", shown(field)));
      columns_.push_back(meaning);
    });
    const auto times = std::count_if(columns_.begin(), columns_.end(),
                                     [](int c) { return c == kTick || c == kTime; });
    if (times != 1)
      error(1, fmt::format("there {}; one column, 'tick' or 't_s', must say when",
                           times == 0 ? "is no time" : "are two times"));
  }

  static constexpr int kUnknown = -5;
  static int meaning_of(std::string_view name) {
    if (name == "tick") return kTick;
    if (name == "t_s") return kTime;
    if (name == "command") return kCommand;
    if (name == "buttons") return kButtons;
    const auto axis = std::find(std::begin(kLeverAxisNames), std::end(kLeverAxisNames), name);
    return axis == std::end(kLeverAxisNames) ? kUnknown
                                             : static_cast<int>(axis - std::begin(kLeverAxisNames));
  }

  void row(std::string_view line) {
    const std::size_t errors_before = errors_.size();
    bool moved = false, end = false;
    std::optional<Command> command;
    std::int64_t tick = 0;
    OperatorInput input = input_;
    std::size_t index = 0;
    const std::size_t count = split_fields(line, [&](std::string_view field, std::size_t column) {
      if (index == columns_.size()) return;
      const int meaning = columns_[index++];
      if (meaning == kTick || meaning == kTime) {
        tick = time(field, column, meaning);
      } else if (field.empty()) {
        return;  // as before
      } else if (meaning == kCommand) {
        end = field == "end";
        if (!end) command = command_of(field, column);
      } else if (meaning == kButtons) {
        moved = true;
        input.buttons = buttons(field, column);
      } else if (meaning >= 0) {
        moved = true;
        input.axis[meaning] = position(field, column, meaning);
      }
    });
    if (count != columns_.size())
      return error(1,
                   fmt::format("this line has {} field{}, but there are {} columns; the line may "
                               "have been cut off",
                               count, count == 1 ? "" : "s", columns_.size()));
    if (errors_.size() != errors_before) return;
    if (ended_) return error(1, "this line follows the end; remove it or the 'end' above");
    if (end && moved)
      return error(1, "a line that says 'end' cannot move a lever; leave its fields empty");
    if (tick < last_tick_)
      return error(1, "this line is earlier than the one before it; sort the lines by time");
    last_tick_ = tick;
    ended_ = end;
    if (command) out_.events.push_back({tick, InputEventKind::kCommand, *command, {}});
    if (moved) out_.events.push_back({tick, InputEventKind::kInput, {}, input_ = input});
    if (end) out_.events.push_back({tick, InputEventKind::kEnd, {}, {}});
  }

  std::int64_t time(std::string_view field, std::size_t column, int meaning) {
    if (meaning == kTick) {
      const std::optional<std::int64_t> tick = parsed<std::int64_t>(field);
      if (tick && *tick >= 0 && *tick <= kMaxTick) return *tick;
      error(column, fmt::format("column 'tick': '{}' is not a whole number from 0", shown(field)));
      return 0;
    }
    const std::optional<double> t_s = parsed<double>(field);
    const double tick = t_s ? *t_s * out_.header.rate_Hz : -1.0;
    if (tick >= 0.0 && tick <= static_cast<double>(kMaxTick)) return std::llround(tick);
    error(column,
          fmt::format("column 't_s': '{}' is not a number of seconds from 0", shown(field)));
    return 0;
  }

  std::int64_t buttons(std::string_view field, std::size_t column) {
    std::int64_t held = 0;
    if (field == kNoButtons) return held;
    while (!field.empty()) {
      const std::string_view name = field.substr(0, field.find('+'));
      const auto found = std::find(std::begin(command::kLeverButtonNames),
                                   std::end(command::kLeverButtonNames), name);
      if (found == std::end(command::kLeverButtonNames)) {
        error(column, fmt::format("column 'buttons': '{}' is no button; it has names such as "
                                  "left_1+panel_2, or '{}'",
                                  shown(name), kNoButtons));
        return 0;
      }
      held |= std::int64_t{1} << (found - std::begin(command::kLeverButtonNames));
      field.remove_prefix(std::min(field.size(), name.size() + 1));
    }
    return held;
  }

  double position(std::string_view field, std::size_t column, int axis) {
    const std::optional<double> value = parsed<double>(field);
    if (value && *value >= -1.0 && *value <= 1.0) return *value;
    error(column, fmt::format("column '{}': '{}' is not a lever position from -1 to 1",
                              kLeverAxisNames[axis], shown(field)));
    return 0.0;
  }

  std::optional<Command> command_of(std::string_view field, std::size_t column) {
    for (const NamedCommand& known : kCommands)
      if (field == known.name) return known.command;
    for (const NamedCommand& known : kNumbered) {
      if (!field.starts_with(known.name)) continue;
      const auto number = parsed<std::int32_t>(field.substr(known.name.size()));
      if (number && *number >= 0 && *number < command::kMaxFaults)
        return Command{known.command.kind, *number};
    }
    error(column,
          fmt::format("there is no command '{}'; known are {}", shown(field), known_commands()));
    return std::nullopt;
  }

  std::string_view text_;
  const std::string& file_;
  int number_ = 0;  // of the line
  std::vector<int> columns_;
  OperatorInput input_{};
  std::int64_t last_tick_ = 0;
  bool ended_ = false;
  InputFile out_;
  std::vector<Diagnostic> errors_;
};

// --- Writing ------------------------------------------------------------------

std::string header_text(const InputHeader& header) {
  std::string out = fmt::format("# {}{}\n", kFormatLine, kInputFormat);
  const auto line = [&](const char* key, const std::string& name, const ContentHash& hash) {
    if (!name.empty())
      out +=
          fmt::format("# {}: {}{}{}\n", key, one_line(name), hash.hex.empty() ? "" : " ", hash.hex);
  };
  line("program", header.program, {});
  line("exercise", header.exercise, header.exercise_hash);
  line("machine", header.machine, header.machine_hash);
  line("levers", header.levers, header.levers_hash);
  if (header.rate_Hz > 0.0) out += fmt::format("# rate_Hz: {}\n", header.rate_Hz);
  if (header.fault_seed) out += fmt::format("# fault_seed: {}\n", *header.fault_seed);
  for (const std::string& remark : header.remarks) out += fmt::format("# {}\n", one_line(remark));
  out += "tick";
  for (const char* name : kLeverAxisNames) out += fmt::format(",{}", name);
  return out + ",buttons,command\n";
}

std::string names_of_buttons(std::int64_t held) {
  std::string out;
  for (std::size_t i = 0; i < command::kLeverButtons; ++i)
    if ((held >> i & 1) != 0)
      out += (out.empty() ? "" : "+") + std::string(command::kLeverButtonNames[i]);
  return out.empty() ? kNoButtons : out;
}

// 0 and -0 differ.
bool same_bits(double a, double b) { return a == b && std::signbit(a) == std::signbit(b); }

}  // namespace

std::string word_of(const Command& command) {
  for (const NamedCommand& known : kCommands)
    if (known.command.kind == command.kind &&
        (known.command.value == command.value || command.kind == CommandKind::kRestart))
      return std::string(known.name);
  for (const NamedCommand& known : kNumbered)
    if (known.command.kind == command.kind) return fmt::format("{}{}", known.name, command.value);
  return {};
}

InputFile read_input(const std::filesystem::path& path, double rate_Hz) {
  return InputParser(read_text_file(path, kInputLimit, "input file"), path.string(), rate_Hz)
      .parse();
}

InputFile read_input_text(std::string_view text, const std::string& file_name, double rate_Hz) {
  check_text(text, file_name, kInputLimit, "input file");
  return InputParser(text, file_name, rate_Hz).parse();
}

InputWriter::InputWriter(const std::filesystem::path& path, const InputHeader& header)
    : file_(path) {
  file_.write(header_text(header));
}

void InputWriter::write(std::span<const InputEvent> events) {
  for (const InputEvent& event : events) {
    line_ = fmt::format("{}", event.tick);
    if (event.kind == InputEventKind::kInput)
      write_axes(event.input);
    else
      line_.append(kLeverAxes + 1, ',');
    line_ += ',';
    if (event.kind == InputEventKind::kCommand) {
      const std::string word = word_of(event.command);
      if (word.empty()) throw std::invalid_argument("no input file can hold this command");
      line_ += word;
    }
    if (event.kind == InputEventKind::kEnd) line_ += "end";
    line_ += '\n';
    file_.write(line_);
  }
}

// Only what has moved; the first, so that the line says something, if nothing has.
void InputWriter::write_axes(const OperatorInput& input) {
  const bool pressed = first_ ? input.buttons != 0 : input.buttons != last_.buttons;
  bool any = first_ || pressed;
  for (int i = 1; i < kLeverAxes; ++i) any = any || !same_bits(input.axis[i], last_.axis[i]);
  for (int i = 0; i < kLeverAxes; ++i) {
    line_ += ',';
    if (first_ || !same_bits(input.axis[i], last_.axis[i]) || (i == 0 && !any))
      fmt::format_to(std::back_inserter(line_), "{}", input.axis[i]);
  }
  line_ += ',';
  if (pressed) line_ += names_of_buttons(input.buttons);
  last_ = input;
  first_ = false;
}

std::filesystem::path InputWriter::close() { return file_.close_new(); }

}  // namespace knuckleboom::io
