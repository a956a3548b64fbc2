// knuckleboom levers: shows, calibrates and binds the devices on the desk.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "app/commands/lever_dialogue.hpp"
#include "app/commands/options.hpp"
#include "app/session/load_session.hpp"
#include "app/shell/config_paths.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "app/shell/text.hpp"
#include "app/window/control_table.hpp"
#include "app/window/keys.hpp"
#include "input/lever_desk.hpp"
#include "knuckleboom/analysis/lever_tuning.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/io/device_file.hpp"
#include "knuckleboom/io/lever_file.hpp"

namespace knuckleboom::app {
namespace {

struct LeversOptions {
  std::string action;  // empty, "calibrate", "bind", "show" or "tune"
  bool list = false;   // once, even to a terminal
  int device = 0;      // as listed, from 1; 0: all that are bound
  std::string file;    // device file; empty: the user's own
  // For "tune".
  SessionChoice choice;
  std::string output;
};

namespace fs = std::filesystem;
using command::AxisBinding;
using command::ControlKind;

constexpr const char* kNoDevice =
    "no lever or game controller is attached; plug one in, or drive with the keyboard";
constexpr auto kDialoguePoll = std::chrono::milliseconds(5);
constexpr auto kRefresh = std::chrono::milliseconds(50);

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// --- What there is ------------------------------------------------------------

std::string slot_words(const input::DeviceLine& line) {
  switch (line.state) {
    case input::DeviceState::kMissing:
      return fmt::format("{}, not plugged in", line.slot_name);
    case input::DeviceState::kCentre:
      return fmt::format("{}, neutral until it has been at its centre", line.slot_name);
    case input::DeviceState::kInUse:
      return line.slot_name;
    case input::DeviceState::kUnclear:
      return "one of several equal levers that cannot be told apart";
    case input::DeviceState::kUnused:
      return "not bound";
  }
  return "";
}

std::string control_words(const AxisBinding& b) {
  std::string words;
  switch (b.kind) {
    case ControlKind::kAxis:
      words = fmt::format("axis {}", b.number);
      break;
    case ControlKind::kButtons:
      words = b.negative < 0   ? fmt::format("button {}", b.positive)
              : b.positive < 0 ? fmt::format("button {} (negative)", b.negative)
                               : fmt::format("buttons {} and {}", b.negative, b.positive);
      break;
    case ControlKind::kHatX:
      words = fmt::format("hat {} sideways", b.number);
      break;
    case ControlKind::kHatY:
      words = fmt::format("hat {} up and down", b.number);
      break;
  }
  return words + (b.invert ? ", inverted" : "");
}

std::string bar(double value) {
  constexpr int kHalf = 20;
  const int length = static_cast<int>(std::lround(std::clamp(value, -1.0, 1.0) * kHalf));
  std::string text(static_cast<std::size_t>(2 * kHalf + 1), ' ');
  text[kHalf] = '|';
  for (int i = 1; i <= std::abs(length); ++i)
    text[static_cast<std::size_t>(kHalf + (length > 0 ? i : -i))] = '#';
  return "[" + text + "]";
}

std::string device_text(const input::LeverDesk& desk, const command::LeverSetup& setup,
                        const input::RawDevice& device, int number, bool live) {
  const auto lines = desk.devices();
  const auto line = std::find_if(lines.begin(), lines.end(),
                                 [&device](const auto& l) { return l.device == device.id; });
  const input::RawState& state = device.state;
  std::string text =
      fmt::format("{}  {} ({})\n   {}, {}, {}\n", number, device.identity.name, slot_words(*line),
                  counted(static_cast<long long>(state.axes.size()), "axis", "axes"),
                  counted(static_cast<long long>(state.buttons.size()), "button", "buttons"),
                  counted(static_cast<long long>(state.hats.size()), "hat", "hats"));
  if (!live) {
    text += fmt::format("   guid {}", device.identity.guid);
    if (!device.identity.port.empty()) text += fmt::format(", port {}", device.identity.port);
    if (!device.identity.serial.empty()) text += fmt::format(", serial {}", device.identity.serial);
    text += "\n";
  }
  const auto is_bound = [&](std::size_t axis) {
    return std::any_of(setup.axes.begin(), setup.axes.end(), [&](const AxisBinding& b) {
      return line->slot >= 0 && b.slot == line->slot && b.kind == ControlKind::kAxis &&
             b.number == static_cast<int>(axis);
    });
  };
  for (std::size_t i = 0; live && i < state.axes.size(); ++i)
    if (!is_bound(i))
      text += fmt::format("   axis {:<7} {} {:6}{}\n", i, bar(state.axes[i] / 32768.0),
                          state.axes[i], state.axis_known[i] != 0 ? "" : "  not reported yet");
  for (const AxisBinding& b : setup.axes)
    if (line->slot >= 0 && b.slot == line->slot)
      text += live ? fmt::format("   {:12} {} {:+.2f}\n", command::name_of(b.function),
                                 bar(input::position(b, state)), input::position(b, state))
                   : fmt::format("   {:12} {}\n", command::name_of(b.function), control_words(b));
  return text;
}

std::string desk_text(const input::LeverDesk& desk, bool live) {
  const command::LeverSetup setup = desk.setup();
  std::string text;
  int number = 0;
  for (const input::RawDevice& device : desk.raw().attached())
    text += device_text(desk, setup, device, ++number, live);
  if (number == 0) text += fmt::format("{}\n", kNoDevice);
  for (const std::string& warning : desk.warnings()) text += fmt::format("! {}\n", warning);
  return text;
}

void tell_notices(input::LeverDesk& desk) {
  for (const input::Notice& notice : desk.take_notices())
    say(fmt::format("{}{}\n", notice.warning ? "! " : "", notice.text));
}

// --- On a terminal ------------------------------------------------------------

// Control sequences pass by say(), which takes them out of names.
void to_terminal(std::string_view sequence) {
  std::fwrite(sequence.data(), 1, sequence.size(), stdout);
}

int terminal_rows() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : 24;
}

// Redraws in place until Ctrl-C.
void show_live(input::LeverDesk& desk) {
  const InterruptGuard guard;
  say("Ctrl-C ends.\n");
  std::ptrdiff_t lines = 0;
  while (!interrupted()) {
    desk.poll(now_s());
    const auto notices = desk.take_notices();
    // From here to the end of the screen is redrawn; what has happened stays above.
    if (lines >= terminal_rows())
      to_terminal("\x1b[H\x1b[J");
    else if (lines > 0)
      to_terminal(fmt::format("\x1b[{}A\x1b[J", lines));
    for (const input::Notice& notice : notices) say(notice.text + "\n");
    const std::string text = desk_text(desk, true);
    lines = std::count(text.begin(), text.end(), '\n');
    say(text);
    if (!all_was_said()) return;
    std::this_thread::sleep_for(kRefresh);
  }
}

// True if a line has come in; input that has ended counts as a wish to stop.
bool line_waits(bool& ended) {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (::poll(&input, 1, 0) <= 0) return false;
  char buffer[256];
  const ssize_t n = ::read(STDIN_FILENO, buffer, sizeof buffer);
  if (n == 0) ended = true;
  return n > 0 && std::find(buffer, buffer + n, '\n') != buffer + n;
}

int ask(input::LeverDesk& desk, const LeversOptions& options, const fs::path& file) {
  if (isatty(STDIN_FILENO) == 0)
    throw UserError(fmt::format("'levers {}' asks for movements and Enter: run it in a terminal",
                                options.action));
  const InterruptGuard guard;
  bool ended = false;
  LeverTalk talk;
  talk.say = [](std::string_view text) {
    say(text);
    all_was_said();
  };
  talk.wait = [] {
    std::this_thread::sleep_for(kDialoguePoll);
    return now_s();
  };
  talk.entered = [&ended] { return line_waits(ended); };
  talk.stopped = [&ended] { return ended || interrupted(); };

  std::optional<command::LeverSetup> setup;
  if (options.action == "bind") {
    setup = bind_levers(desk, talk);
  } else {
    std::vector<int> devices;
    const auto& attached = desk.raw().attached();
    if (options.device > static_cast<int>(attached.size()))
      throw UserError(
          fmt::format("there is no device {}; 'levers --list' shows {}", options.device,
                      counted(static_cast<long long>(attached.size()), "device", "devices")));
    if (options.device > 0) {
      devices.push_back(attached[static_cast<std::size_t>(options.device) - 1].id);
    } else {
      for (const input::DeviceLine& line : desk.devices())
        if (line.slot >= 0 && line.device >= 0) devices.push_back(line.device);
    }
    if (devices.empty())
      throw UserError("no lever is bound to any device; run 'knuckleboom levers bind' first");
    setup = calibrate_levers(desk, devices, talk);
  }
  if (!setup) {
    complain("stopped; nothing was written");
    return kInterruptedRun;
  }
  if (setup->axes.empty()) throw UserError("no lever axis was bound; nothing was written");
  io::write_devices(file, *setup);
  say(fmt::format("written to {}\n", file.string()));
  if (options.action == "bind")
    say("'knuckleboom levers calibrate' measures ends, centre and noise of each axis\n");
  return kSuccess;
}

// Faults of the file end a command that would write it; else they are reported and defaults used.
command::LeverSetup setup_from(const fs::path& file, bool named, bool will_write) {
  io::UserDevices user = io::load_user_devices(file);
  if (!user.problem.empty()) {
    if (will_write || named)
      throw UserError(will_write ? user.problem +
                                       "\nmend this file or move it away first; it would "
                                       "be written over"
                                 : user.problem);
    complain(user.problem + "\nthe device file is left aside: going on with defaults");
    return {};
  }
  if (!user.setup) {
    if (named && !will_write)
      throw UserError(
          fmt::format("{}: there is no such file; expected a device file", file.string()));
    return {};
  }
  return *user.setup;
}

// --- Start commands -----------------------------------------------------------

void tell_tuned(const analysis::TunedFunction& f) {
  const char* unit = f.slides ? "m/s" : "rad/s";
  const bool jaws = f.joint.empty();
  const char* const towards[] = {jaws ? "open" : "larger", jaws ? "closed" : "smaller"};
  for (const std::size_t way : {0, 1})
    say(fmt::format("{:<12} {:<8} {:>8} {:>7.2f} V {:>7.3f} {}\n",
                    way == 1 ? ""
                    : jaws   ? "grapple"
                             : f.joint,
                    towards[way],
                    std::isnan(f.start_V[way]) ? "-" : fmt::format("{:.2f} V", f.start_V[way]),
                    f.full_V[way], f.full_speed[way], unit));
}

int tune(const LeversOptions& options) {
  SessionChoice choice = options.choice;
  if (choice.exercise.empty()) choice.exercise = "free_play";
  const LoadedSession loaded = load_session(choice);
  const training::Session& session = *loaded.session;
  if (!options.output.empty()) const io::AtomicFile writable(options.output);  // or throws
  const auto text = std::ranges::find(loaded.texts, "levers", &io::SessionText::role);
  say(fmt::format(
      "{}, levers {}: valve commands that begin to move each function, and those at full "
      "lever\n{:<12} {:<8} {:>8} {:>9} {:>7}\n",
      session.machine().name, session.control().pattern().name, "joint", "towards", "start", "full",
      "speed"));
  const std::vector<analysis::TunedFunction> tuned = analysis::tune_levers(
      session.machine(), session.control().pattern(), session.exercise(), tell_tuned);
  if (tuned.empty())
    throw UserError(fmt::format("levers '{}' move no joint by a valve; there is nothing to tune",
                                session.control().pattern().name));
  if (options.output.empty()) {
    say("nothing written; -o FILE.toml writes a lever file with these start commands\n");
    return kSuccess;
  }
  std::vector<io::LeverStart> starts;
  for (const analysis::TunedFunction& f : tuned)
    if (!std::isnan(f.start_V[0]) && !std::isnan(f.start_V[1]))
      starts.push_back({f.joint, {f.start_V[0], f.start_V[1]}});
  const std::string written = io::with_starts(text->text, loaded.levers_path.string(), starts);
  io::AtomicFile file(options.output);
  file.write(written);
  const fs::path name = file.close_new();
  say(fmt::format("written to {0}; drive with it by --levers {0}\n", name.string()));
  return kSuccess;
}

// --- The layout -----------------------------------------------------------------

void show_layout(const LeversOptions& options) {
  const std::string name = options.choice.levers.empty() ? "nordic_drive" : options.choice.levers;
  const command::LeverPattern pattern = io::read_levers(io::find_levers(name)).pattern;
  const std::vector<ControlRow> rows = control_rows(pattern, lever_keys(), button_keys());
  say(fmt::format("levers {}: {}\n", pattern.name, pattern.description));
  for (int mode = 0; mode < pattern.mode_count(); ++mode) {
    const std::string in = mode_name(pattern, mode);
    if (pattern.mode_count() > 1) say(fmt::format("\nmode {}\n", in));
    say(fmt::format("{:<28} {:<28} {:<22} {}\n", "what", "two sticks", "game controller", "key"));
    for (const ControlRow& row : rows)
      if (row.mode.empty() || row.mode == in)
        say(fmt::format(
            "{:<28} {:<28} {:<22} {}\n", row.does, row.sticks.empty() ? "-" : row.sticks,
            row.controller.empty() ? "-" : row.controller, row.keys.empty() ? "-" : row.keys));
  }
}

int levers(const LeversOptions& options) {
  if (options.action == "show") {
    if (options.list || options.device != 0 || !options.file.empty() ||
        !options.choice.machine.empty() || !options.choice.exercise.empty() ||
        !options.output.empty())
      throw UserError("'levers show' is about a lever file; it has --levers alone");
    show_layout(options);
    return kSuccess;
  }
  if (options.action == "tune") {
    if (options.list || options.device != 0 || !options.file.empty())
      throw UserError("--list, --device and --file are about devices; 'levers tune' has none");
    return tune(options);
  }
  if (!options.choice.machine.empty() || !options.choice.levers.empty() ||
      !options.choice.exercise.empty() || !options.output.empty())
    throw UserError(
        "--machine, --levers, --exercise and --output go with 'levers tune', --levers with 'levers "
        "show' as well");
  const bool will_write = !options.action.empty();
  const fs::path file = options.file.empty() ? user_device_file() : fs::path(options.file);
  if (file.empty() && will_write)
    throw UserError("neither XDG_CONFIG_HOME nor HOME is set; say where to write with --file");
  if (options.device != 0 && options.action != "calibrate")
    throw UserError("--device goes with 'levers calibrate' only");
  command::LeverSetup setup;
  if (!file.empty()) setup = setup_from(file, !options.file.empty(), will_write);
  const bool from_file = !setup.devices.empty();
  input::LeverDesk desk(std::move(setup), now_s());
  desk.poll(now_s());
  if (will_write && desk.raw().attached().empty()) throw UserError(kNoDevice);
  if (from_file) say(fmt::format("device file: {}\n", file.string()));
  if (!desk.raw().attached().empty() || from_file) tell_notices(desk);
  if (will_write) return ask(desk, options, file);
  if (options.list || isatty(STDOUT_FILENO) == 0)
    say(desk_text(desk, false));
  else
    show_live(desk);
  return kSuccess;
}

}  // namespace

Command levers_command() {
  const auto o = std::make_shared<LeversOptions>();
  constexpr auto kActions = +[]() -> std::vector<std::string> {
    return {"calibrate", "bind", "show", "tune"};
  };
  return {.name = "levers",
          .sentence = "Show, calibrate and bind levers and controllers, tune start commands",
          .arguments = {{.name = "action",
                         .target = &o->action,
                         .kind = word_value("ACTION", kActions, true),
                         .sentence = "What to do",
                         .without = "shows what the levers do"},
                        {.name = "--list",
                         .target = &o->list,
                         .sentence = "Name the devices once instead of showing live bars"},
                        {.name = "--device",
                         .target = &o->device,
                         .kind = {"N"},
                         .sentence = "Calibrate only this device, numbered as listed",
                         .range = Range{1, 99}},
                        {.name = "--file",
                         .target = &o->file,
                         .kind = file_value("FILE", ".toml"),
                         .sentence = "Device file",
                         .without = "the user's own, levers.toml"},
                        {.name = "--machine",
                         .target = &o->choice.machine,
                         .kind = machine_value(),
                         .sentence = "With 'tune': machine whose valves are tuned",
                         .without = "that of free_play"},
                        {.name = "--levers",
                         .target = &o->choice.levers,
                         .kind = lever_layout_value(),
                         .sentence = "Lever file: with 'show' of which, with 'tune' to start from",
                         .without = "nordic_drive, with 'tune' that of free_play"},
                        {.name = "--exercise",
                         .target = &o->choice.exercise,
                         .kind = exercise_value(),
                         .sentence = "With 'tune': exercise whose start is the pose",
                         .without = "free_play"},
                        {.name = "-o,--output",
                         .target = &o->output,
                         .kind = file_value("FILE", ".toml"),
                         .sentence = "With 'tune': lever file to write; if it exists, FILE-2.toml "
                                     "and so on"}},
          .examples = {"knuckleboom levers", "knuckleboom levers bind",
                       "knuckleboom levers show --levers nordic_drive",
                       "knuckleboom levers calibrate --device 1",
                       "knuckleboom levers tune --machine forwarder -o my_levers.toml"},
          .run = [o] { return levers(*o); }};
}

}  // namespace knuckleboom::app
