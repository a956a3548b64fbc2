#include "app/commands/stage.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "app/shell/config_paths.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/language.hpp"
#include "app/trainer/trainer.hpp"
#include "app/window/display.hpp"
#include "app/window/picture.hpp"
#include "input/raw_devices.hpp"
#include "knuckleboom/io/device_file.hpp"
#include "knuckleboom/io/trainer_settings.hpp"
#include "knuckleboom/recording/session_file.hpp"
#include "view/window.hpp"

namespace knuckleboom::app {
namespace {

namespace fs = std::filesystem;

fs::path settings_file() {
  const fs::path folder = user_folder();
  return folder.empty() ? fs::path() : folder / "trainer.toml";
}

// Misspelt words of the settings file are dropped one by one.
void check_words(io::TrainerSettings& settings, const std::string& file) {
  const auto check = [&file](std::string& word, const auto& meaning, const char* key) {
    if (word.empty()) return;
    try {
      meaning(word, fmt::format("{}: {}", file, key));
    } catch (const UserError& error) {
      complain(error.what());
      word.clear();
    }
  };
  check(settings.control, control_of, "control");
  check(settings.fidelity, fidelity_of, "fidelity");
  check(settings.quality, quality_of, "quality");
  check(settings.camera, camera_of, "camera");
  check(settings.instruments, instruments_of, "instruments");
  check(settings.language, language_of, "language");
}

io::TrainerSettings load_settings() {
  const fs::path file = settings_file();
  std::error_code ignored;
  if (file.empty() || !fs::exists(file, ignored)) return {};
  try {
    io::TrainerSettings settings = io::read_trainer_settings(file);
    check_words(settings, file.string());
    return settings;
  } catch (const io::FileError& error) {
    complain(error.what());
    complain("going on with the trainer's own settings");
    return {};
  }
}

void keep_settings(const io::TrainerSettings& before, const io::TrainerSettings& after) {
  const fs::path file = settings_file();
  if (file.empty() || before == after) return;
  try {
    io::write_trainer_settings(file, after);
  } catch (const io::FileError& error) {
    complain(fmt::format("the settings are not kept: {}", error.what()));
  }
}

command::LeverSetup load_desk() {
  const fs::path file = user_device_file();
  if (file.empty()) return {};
  const io::UserDevices devices = io::load_user_devices(file);
  if (!devices.problem.empty()) {
    complain(devices.problem);
    complain("going on with the usual layout of levers");
  }
  return devices.setup.value_or(command::LeverSetup{});
}

view::WindowRequest window_request(const DriveRequest& request) {
  view::WindowRequest window;
  window.width = request.width;
  window.height = request.height;
  window.fullscreen = request.fullscreen;
  return window;
}

view::Quality quality_from(const DriveRequest& request, const io::TrainerSettings& settings) {
  if (request.quality) return *request.quality;
  return settings.quality.empty() ? view::Quality::kAuto : quality_of(settings.quality, "quality");
}

// A failure on one screen remains one after the next.
int worst(int before, int now) {
  return before == kSuccess || now == kInterruptedRun ? now : before;
}

class Stage {
 public:
  Stage(DriveRequest request, const io::TrainerSettings& settings)
      : request_(std::move(request)),
        picture_(window_request(request_), quality_from(request_, settings), assets_folder()),
        presses_(request_.presses) {
    // SDL falls back to its offscreen driver where a display does not answer: nobody would see it.
    if (picture_.window().offscreen() && !request_.ends())
      throw view::WindowError("No window: the display cannot be reached; is DISPLAY right?");
    picture_.use_mouse(!picture_.window().offscreen());
  }

  // Returns the replay to show next, if any. wants_replay: one was requested, even if it cannot be
  // shown.
  std::optional<ReplayShow> drive(std::optional<TakeOver> take_over, int& status,
                                  bool& wants_replay) {
    const io::TrainerSettings settings = load_settings();
    io::TrainerSettings begun = settings;
    if (!request_.language.empty()) begun.language = std::exchange(request_.language, {});
    Trainer trainer(picture_, presses_, request_, begun, load_desk());
    status = take_over ? trainer.run_from(std::move(take_over->loaded), take_over->branch)
                       : trainer.run();
    // A run without a user does not change the user's settings.
    if (request_.presses.empty() && !request_.ends()) keep_settings(settings, trainer.settings());
    request_.sessions_before += trainer.sessions();
    request_.learner = trainer.learner();
    request_.learner_id = trainer.learner_id();
    request_.choice.settings = trainer.own_settings();
    wants_replay = !trainer.wanted_replay().empty();
    if (!wants_replay) return std::nullopt;
    try {
      ReplayShow show;
      show.record = io::read_session(trainer.wanted_replay());
      return show;
    } catch (const io::FileError& error) {
      complain(error.what());
      status = kInternalError;  // it was recorded a moment ago
      return std::nullopt;
    }
  }

  ReplayWindow::Outcome replay(ReplayShow show, std::optional<TakeOver>& take_over, int& status) {
    DriveRequest request = request_;
    request.mute = request.mute || load_settings().muted;
    ReplayWindow window(picture_, presses_, std::move(show), request);
    status = window.run();
    if (window.outcome() == ReplayWindow::Outcome::kTakeOver) take_over = window.take_over();
    return window.outcome();
  }

  // From now on nothing starts without the user.
  void begin_with_menu() {
    request_.menu = true;
    request_.demonstrate = false;
    request_.input.clear();
  }

 private:
  DriveRequest request_;
  Picture picture_;
  Presses presses_;
};

}  // namespace

void speak_as_chosen(const std::string& word) { speak(word, load_settings().language); }

int run_stage(DriveRequest request, std::optional<ReplayShow> replay) {
  leave_a_processor();
  input::prepare_sdl_input();
  const io::TrainerSettings settings = load_settings();
  speak(request.language, settings.language);
  Stage stage(std::move(request), settings);
  const bool replay_only = replay.has_value();
  std::optional<TakeOver> take_over;
  int status = kSuccess;
  for (;;) {
    int of_screen = kSuccess;
    if (replay) {
      const ReplayWindow::Outcome outcome = stage.replay(std::move(*replay), take_over, of_screen);
      status = worst(status, of_screen);
      replay.reset();
      if (outcome == ReplayWindow::Outcome::kEnded || (replay_only && !take_over)) return status;
      stage.begin_with_menu();
    }
    bool wants_replay = false;
    replay = stage.drive(std::exchange(take_over, std::nullopt), of_screen, wants_replay);
    status = worst(status, of_screen);
    if (!wants_replay) return status;
    if (!replay) stage.begin_with_menu();
  }
}

}  // namespace knuckleboom::app
