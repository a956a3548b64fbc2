#include "peer/lever_stand.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/shell/config_paths.hpp"
#include "app/shell/console.hpp"
#include "app/shell/interrupt.hpp"
#include "app/shell/packet_summary.hpp"
#include "endpoint/udp.hpp"
#include "input/lever_desk.hpp"
#include "input/remote_levers.hpp"
#include "knuckleboom/core/command/operator_input.hpp"
#include "knuckleboom/core/training/input_event.hpp"
#include "knuckleboom/io/device_file.hpp"
#include "knuckleboom/io/input_file.hpp"
#include "knuckleboom/runtime/pacer.hpp"

namespace knuckleboom::peer {
namespace {

// Lever positions of a file at a time.
class Script {
 public:
  explicit Script(io::InputFile file) : file_(std::move(file)) {}

  const command::OperatorInput& at(double t_s) {
    for (; next_ < file_.events.size() && time_of(next_) <= t_s; ++next_)
      if (file_.events[next_].kind == training::InputEventKind::kInput)
        now_ = file_.events[next_].input;
    return now_;
  }
  double duration_s() const {
    return file_.events.empty() ? 0.0 : time_of(file_.events.size() - 1);
  }

 private:
  double time_of(std::size_t event) const {
    return static_cast<double>(file_.events[event].tick) / file_.header.rate_Hz;
  }
  io::InputFile file_;
  std::size_t next_ = 0;
  command::OperatorInput now_{};
};

command::LeverSetup setup_of(const LeverStandSettings& settings) {
  if (!settings.devices.empty()) return io::read_devices(settings.devices);
  const std::filesystem::path file = app::user_device_file();
  if (file.empty()) return {};
  const io::UserDevices devices = io::load_user_devices(file);
  if (!devices.problem.empty()) app::complain(devices.problem);
  return devices.setup.value_or(command::LeverSetup{});
}

class LeverStand {
 public:
  explicit LeverStand(const LeverStandSettings& settings)
      : settings_(settings), endpoint_(own_end(settings)), wire_(settings.wire) {
    if (!settings.input.empty()) {
      script_.emplace(io::read_input(settings.input));
    } else {
      desk_.emplace(setup_of(settings), 0.0);
      desk_->take_notices();  // they concern users with a keyboard
      const auto& attached = desk_->raw().attached();
      if (attached.empty()) app::complain("no lever is plugged in: neutral is sent until one is");
      for (const input::RawDevice& device : attached)
        app::complain("sending " + device.identity.name);
    }
  }

  std::string run() {
    runtime::Clock& clock = runtime::monotonic_clock();
    runtime::Pacer pacer(1.0 / settings_.rate_Hz);
    pacer.start();
    std::int64_t ticks = 0;
    for (double t = 0.0; !over(t); t = static_cast<double>(++ticks) / settings_.rate_Hz) {
      pacer.wait();
      const std::int64_t now = clock.now_ns();
      endpoint_.receive(now, nothing_);  // the trainer's challenges
      const command::OperatorInput input = levers(t);
      wire_.put(endpoint_.compose(input::remote_values(input), now), now);
      wire_.deliver(now, endpoint_);
      pacer.tick_finished();
    }
    return fmt::format(
        "{} packets sent, {} dropped, {} again, {} overtaken\n"
        "from the trainer: {}\n",
        endpoint_.counters().sent, wire_.counters().dropped, wire_.counters().repeated,
        wire_.counters().overtaken, app::packet_sentence(endpoint_.counters()));
  }

 private:
  static endpoint::UdpSettings own_end(const LeverStandSettings& settings) {
    endpoint::UdpSettings udp = endpoint::udp_settings(settings.udp);
    std::swap(udp.peer, udp.own);
    udp.key = settings.key;
    return udp;
  }

  bool over(double t) const {
    if (app::interrupted()) return true;
    if (settings_.duration_s >= 0.0) return t >= settings_.duration_s;
    return script_ && t > script_->duration_s();
  }

  command::OperatorInput levers(double t) {
    if (script_) return script_->at(t);
    desk_->poll(t);
    for (const input::Notice& notice : desk_->take_notices()) app::complain(notice.text);
    return desk_->levers();
  }

  const LeverStandSettings& settings_;
  endpoint::UdpEndpoint endpoint_;
  exchange::SignalFrame nothing_{};
  Wire wire_;
  std::optional<Script> script_;
  std::optional<input::LeverDesk> desk_;
};

}  // namespace

std::string run_lever_stand(const LeverStandSettings& settings) {
  return LeverStand(settings).run();
}

}  // namespace knuckleboom::peer
