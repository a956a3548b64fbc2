// Panels of the trainer over the view.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "app/session/head_texts.hpp"
#include "app/session/session_texts.hpp"
#include "app/trainer/trainer.hpp"
#include "language/text.hpp"
#include "view/panels/direction.hpp"
#include "view/panels/ghost_gap.hpp"
#include "view/pointing.hpp"

namespace knuckleboom::app {
namespace {

using training::TaskPhase;
using view::panels::InstrumentLevel;
using view::panels::Message;
using view::panels::MessagePlace;
using view::panels::Painter;
using view::panels::Pointer;

constexpr double kEdgeOfView = 0.04;     // share of the picture
constexpr float kGripKeptFree = 190.0F;  // points

// Towards a target out of view; never before the grapple.
void point_to_target(Painter& painter, const view::CameraView& view,
                     const training::SessionSnapshot& now) {
  if (now.task.target < 0 || has_ended(now)) return;
  const Vec3 target(now.task.target_W[0], now.task.target_W[1], now.task.target_W[2]);
  const Vec3 grip(now.grip_W[0], now.grip_W[1], now.grip_W[2]);
  const auto aspect = static_cast<double>(painter.width() / painter.height());
  const view::Pointing to = view::pointing_to(view, target, aspect, kEdgeOfView);
  if (to.inside) return;
  const auto right = static_cast<float>(to.right), down = static_cast<float>(to.down);
  view::panels::Place place = view::panels::direction_place(painter, right, down);
  // Beside the grapple rather than before it.
  double x = 0.0, y = 0.0;
  if (view::project(view, grip, static_cast<int>(painter.width()),
                    static_cast<int>(painter.height()), x, y)) {
    const auto grip_x = static_cast<float>(x), grip_y = static_cast<float>(y);
    if (std::hypot(grip_x - place.x, grip_y - place.y) < kGripKeptFree)
      place.x = grip_x + (place.x < grip_x ? -kGripKeptFree : kGripKeptFree);
  }
  view::panels::draw_direction(painter, place, right, down);
}

}  // namespace

void Trainer::draw_panels(Painter& painter, const Pointer& pointer) {
  if (has_session()) draw_driving(painter);
  draw_screen(painter, pointer);
  if (screens_.now() == Screen::kHelp) return;
  view::panels::draw_messages(painter, messages(),
                              !operates()                             ? MessagePlace::kBottom
                              : screens_.now() == Screen::kInstructor ? MessagePlace::kBesideCard
                              : instruments_ == InstrumentLevel::kOff ? MessagePlace::kTop
                                                                      : MessagePlace::kBelowTask);
}

void Trainer::draw_driving(Painter& painter) {
  view::panels::draw_instruments(painter, instruments_, faces_, shown_, readings());
  if (!drives()) return;  // the instructor's card says it itself
  const runtime::Published& now = session_->now();
  if (now.played_out)
    return view::panels::draw_banner(painter,
                                     demonstrating_ ? tr("THAT IS HOW") : tr("END OF THE INPUT"),
                                     tr("Esc opens the menu"));
  if (taking_over_)
    return view::panels::draw_banner(
        painter, tr("YOUR TURN"),
        tr("P begins; what the levers do then goes over to where you hold them"));
  if (session_->paused())
    return view::panels::draw_banner(painter, tr("PAUSED"), tr("P goes on, Esc opens the menu"));
  if (shown_.task.phase == TaskPhase::kReady && !now.playing)
    return view::panels::draw_briefing(painter, briefing_);
  if (ghost_ && !has_ended(shown_)) view::panels::draw_ghost_gap(painter, ghost_->gap_s(shown_));
  if (picture_.scene() != nullptr && picture_.overlays().targets)
    point_to_target(painter, picture_.scene()->view(), shown_);
}

void Trainer::draw_screen(Painter& painter, const Pointer& pointer) {
  view::panels::MenuIntent intent;
  switch (screens_.now()) {
    case Screen::kDriving:
      return;
    case Screen::kHelp:
      return view::panels::draw_help(painter, help());
    case Screen::kInstructor: {
      const view::panels::FreeCorner corner = view::panels::free_corner(instruments_);
      intent =
          view::panels::draw_side_menu(painter, instructor_.menu(), pointer, corner.x, corner.y);
      break;
    }
    case Screen::kResult:
      intent = view::panels::draw_result(painter, figures_, result_, pointer);
      break;
    case Screen::kQuiz:
      intent = view::panels::draw_question(painter, quiz_.question(), quiz_.menu(), pointer);
      break;
    case Screen::kLeverSettings:
      intent = view::panels::draw_menu(painter, *menu(), pointer);
      view::panels::draw_lever_bar(painter, settings_page_.bar(levers_.access()->current()));
      break;
    case Screen::kSettings:
    case Screen::kMain:
    case Screen::kPause:
    case Screen::kDevices:
    case Screen::kLearner:
    case Screen::kCourse:
    case Screen::kLesson:
      intent = view::panels::draw_menu(painter, *menu(), pointer);
      break;
  }
  // Handled in the next frame: this one is still being drawn.
  if (intent.activated >= 0 || intent.changed >= 0) clicked_ = intent;
}

view::panels::InstrumentReadings Trainer::readings() const {
  const runtime::Published& now = session_->now();
  const runtime::ThreadHealth& health = now.health;
  view::panels::InstrumentReadings out;
  out.task = task_line(session_->session(), shown_);
  out.mode = tr(label_of(static_cast<command::ControlMode>(shown_.control_mode)));
  out.fidelity = tr(label_of(static_cast<machine::Fidelity>(shown_.fidelity)));
  out.session = learner_;
  if (now.playing) out.session = demonstrating_ ? tr("demonstration") : tr("from an input file");
  out.held = held_text(session_->session(), shown_);
  out.head = head_display(session_->session(), shown_);
  out.figures = figure_rows(session_->session().exercise(), shown_.score, has_ended(shown_));
  out.timing.rate_Hz = session_->session().exercise().rate_Hz;
  out.timing.overruns = health.overruns;
  out.timing.lost_s = health.lost_s;
  out.timing.lateness_p50_us = health.lateness.p50_us;
  out.timing.lateness_p99_us = health.lateness.p99_us;
  out.timing.lateness_max_us = health.lateness.max_us;
  out.timing.tick_us = health.tick_mean_us;
  out.timing.frames_per_s = frames_.rate();
  out.timing.picture_latency_ms = latency_.newest_ms();
  return out;
}

view::panels::Help Trainer::help() const {
  view::panels::Help help = lever_help(pattern_, lever_keys(), button_keys());
  const auto devices = levers_.access()->devices();
  const auto in_use = std::count_if(devices.begin(), devices.end(), [](const auto& line) {
    return line.state == input::DeviceState::kInUse;
  });
  help.devices =
      devices.empty()
          ? tr("No lever is plugged in: the keyboard replaces them; with Shift it is slow.")
          : tr_format("{} of {} plugged-in devices move the machine.", in_use, devices.size());
  help.keys = key_help();
  if (!has_session()) return help;  // from the main menu
  const machine::MachineModel& machine = session_->session().machine();
  if (machine.wheels.empty() && !machine.head.present) help.buttons.clear();
  return help;
}

std::vector<Message> Trainer::messages() const {
  std::vector<Message> out;
  for (const std::string& warning : levers_.access()->warnings())
    out.push_back({view::panels::Tone::kWarning, warning});
  for (Message& message : notices_.at(now_s())) {
    const bool told = std::any_of(out.begin(), out.end(), [&message](const Message& other) {
      return other.text == message.text;
    });
    if (!told) out.push_back(std::move(message));
  }
  // On the screen they are complete sentences; in the terminal they follow the program's name.
  for (Message& message : out)
    if (message.who.empty() && !message.text.empty() && message.text[0] >= 'a' &&
        message.text[0] <= 'z')
      message.text[0] = static_cast<char>(message.text[0] - 'a' + 'A');
  return out;
}

}  // namespace knuckleboom::app
