#include "app/trainer/drive.hpp"

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "app/config_paths.hpp"
#include "app/console.hpp"
#include "app/exit_status.hpp"
#include "app/interrupt.hpp"
#include "app/trainer/drive_request.hpp"
#include "app/trainer/headless.hpp"
#include "app/trainer/trainer.hpp"
#include "input/raw_devices.hpp"
#include "knuckleboom/io/device_file.hpp"
#include "knuckleboom/io/trainer_settings.hpp"
#include "view/window.hpp"

namespace knuckleboom::app {
namespace {

namespace fs = std::filesystem;

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::string_view(value) : std::string_view();
}

bool somebody_watches() {
  const std::string_view driver = variable("SDL_VIDEODRIVER");
  if (driver == "offscreen" || driver == "dummy") return false;
  return !driver.empty() || !variable("DISPLAY").empty() || !variable("WAYLAND_DISPLAY").empty();
}

fs::path settings_file() {
  const fs::path folder = user_folder();
  return folder.empty() ? fs::path() : folder / "trainer.toml";
}

// Words that the settings file spells wrongly are forgotten one by one.
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
    complain(error.what());
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

// Mesa's software renderer would take every processor; one stays with the simulation, where there are
// enough for a picture as well.
void leave_a_processor() {
  const unsigned processors = std::thread::hardware_concurrency();
  if (processors > 3)
    setenv("LP_NUM_THREADS", std::to_string(processors - 1).c_str(), 0);  // the user's word counts
}

int drive_live(const DriveRequest& request) {
  leave_a_processor();
  input::prepare_sdl_input();
  const io::TrainerSettings settings = load_settings();
  Trainer trainer(request, settings, load_desk());
  const int status = trainer.run();
  // What a machine did by itself is not what its user likes.
  if (request.presses.empty() && !request.ends()) keep_settings(settings, trainer.settings());
  return status;
}

}  // namespace

int drive(const DriveOptions& options) {
  DriveRequest request = request_of(options);
  const InterruptGuard guard;
  if (!request.headless && !request.ends() && !somebody_watches()) {
    complain(
        "there is no display, so this is a headless run; with --frames, --duration or --screenshot "
        "pictures are drawn all the same");
    request.headless = true;
  }
  try {
    if (!request.headless) return drive_live(request);
  } catch (const view::WindowError& error) {
    if (request.ends()) throw RunFailure(error.what());
    complain(error.what());
    complain("going on without a picture");
  }
  try {
    return drive_headless(request);
  } catch (const view::WindowError& error) {
    throw RunFailure(error.what());
  }
}

}  // namespace knuckleboom::app
