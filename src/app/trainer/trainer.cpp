#include "app/trainer/trainer.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <thread>
#include <utility>

#include <SDL2/SDL.h>
#include <fmt/format.h>

#include "app/session/coaching.hpp"
#include "app/session/filing.hpp"
#include "app/session/session_texts.hpp"
#include "app/session/signing.hpp"
#include "app/shell/config_paths.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "app/shell/language.hpp"
#include "app/shell/log.hpp"
#include "app/shell/text.hpp"
#include "app/trainer/course_pages.hpp"
#include "app/trainer/demonstration.hpp"
#include "app/trainer/drive_summary.hpp"
#include "app/trainer/lever_stand.hpp"
#include "app/trainer/menus.hpp"
#include "app/trainer/session_folder.hpp"
#include "app/window/exit_guard.hpp"
#include "app/window/frame_pace.hpp"
#include "endpoint/pin.hpp"
#include "knuckleboom/io/device_file.hpp"
#include "knuckleboom/runtime/interpolation.hpp"
#include "language/text.hpp"

namespace knuckleboom::app {
namespace {

using command::ControlMode;
using machine::Fidelity;
using training::TaskPhase;
using view::CameraKind;
using view::panels::InstrumentLevel;

constexpr double kResultDelay = 1.2;              // s, to see the end of the last movement
constexpr double kLongestResultDelay = 6.0;       // s, until the attempt is written and looked at
constexpr double kLongestDemonstration = 1800.0;  // s
constexpr double kDemonstrationRest = 2.0;        // s
constexpr double kPictureTime = 2.0;              // s, default of --screenshot
constexpr std::chrono::milliseconds kHiddenPause{20};
constexpr double kTicksAwaited = 1.5;
constexpr double kAwaitMargin = 5e-4;  // s
constexpr std::chrono::microseconds kAwaitStep{100};
constexpr std::chrono::milliseconds kGhostLook{50};
constexpr double kBackdropTurn = 0.03;  // rad/s, behind the menu
constexpr int kWarmUpPictures = 3;

view::panels::MenuKeys menu_keys(const input::MenuButtons& buttons) {
  return {buttons.up, buttons.down, buttons.left, buttons.right, buttons.accept, buttons.back};
}

// Why a PIN does not open the card; empty: it does. The picture stands still for a tenth of a second.
std::string refusal_of_pin(const std::string& pin) {
  try {
    return endpoint::pin_opens(instructor_pin_file(), pin) ? "" : tr("That is not the PIN.");
  } catch (const endpoint::EndpointError& error) {
    return error.what();
  }
}

}  // namespace

Trainer::Trainer(Picture& picture, Presses& presses, DriveRequest request,
                 io::TrainerSettings settings, command::LeverSetup desk)
    : request_(std::move(request)),
      settings_(std::move(settings)),
      picture_(picture),
      levers_(std::move(desk)),
      sound_(sound::Sound::open(request_.mute || settings_.muted)),
      presses_(presses) {
  std::memset(static_cast<void*>(&shown_), 0, sizeof shown_);
  if (!request_.levers_from.empty())
    levers_.access()->listen_to(open_lever_stand(request_.levers_from, request_.wire_key));
  if (request_.camera)
    picture_.set_camera(*request_.camera);
  else if (!settings_.camera.empty())
    picture_.set_camera(camera_of(settings_.camera, "camera"));
  if (request_.instruments)
    instruments_ = *request_.instruments;
  else if (!settings_.instruments.empty())
    instruments_ = instruments_of(settings_.instruments, "instruments");
  sound_.set_volume(settings_.volume);
}

Trainer::~Trainer() { levers_.connect(nullptr); }

double Trainer::now_s() const { return static_cast<double>(now_ns()) * 1e-9; }

int Trainer::run() {
  begin();
  return run_frames();
}

int Trainer::run_from(LoadedSession loaded, const SessionBranch& branch) {
  start(std::move(loaded), {}, &branch);
  levers_.ramp_in_from(branch.levers);
  taking_over_ = true;
  return run_frames();
}

int Trainer::run_frames() {
  if (!sound_.muted() && !sound_.available()) notices_.say(now_s(), sound_.sentence());
  // Xlib ends the program when its display is lost.
  const ExitGuard guard([this] {
    complain("the display went away");
    if (!session_) return;
    const std::string recording = session_->save_recording();
    if (!recording.empty()) complain("recording: " + recording);
  });
  while (!done_ && !interrupted()) frame();
  if (!request_.screenshot.empty() && !picture_taken_) {
    complain("no screenshot: the run ended before its time");
    picture_failed_ = true;
  }
  finish();
  if (interrupted()) return kInterruptedRun;
  if (non_finite_) return kNonFinite;
  return recording_failed_ || picture_failed_ ? kInternalError : kSuccess;
}

void Trainer::finish() {
  const language::English terminal;
  end_session();
  if (probe_) probe_->stop();
  for (const SessionEnd& end : ended_) say_at_end(session_summary(end, true));
  if (ended_.empty()) say("no exercise was begun\n");
  say_at_end(run_summary(frames_, latency_,
                         probe_ ? probe_->result() : runtime::LatenessProbe::Result{}, summary_,
                         sound_.sentence()));
  const auto desk = levers_.access();
  if (desk->remote() != nullptr) say_at_end(stand_summary(*desk->remote()));
}

// --- Sessions -------------------------------------------------------------------

void Trainer::begin() {
  announce(tr("Getting ready"));
  const RecordingChoice recording = recording_choice(request_, 1, !picture_.window().offscreen());
  for (const std::string& sentence : keep_cut_off_sessions(recording.folder))
    notices_.say(now_s(), sentence, true);
  SessionChoice choice = request_.choice;
  if (!request_.input.empty()) input_ = load_input(request_.input, choice);
  const bool wants_menu = request_.menu || (choice.exercise.empty() && !input_);
  // Choices of the command line are preset in the menu.
  if (!choice.exercise.empty()) settings_.exercise = choice.exercise;
  if (!choice.machine.empty()) settings_.machine = choice.machine;
  if (!choice.levers.empty()) settings_.levers = choice.levers;
  if (choice.control) settings_.control = word_of(*choice.control);
  if (choice.fidelity) settings_.fidelity = word_of(*choice.fidelity);
  if (wants_menu && request_.learner.empty()) drive_as_last_time();
  if (wants_menu) return open_main_menu({});
  if (request_.demonstrate) choice = demonstrable(choice);
  LoadedSession loaded = load_session(choice);
  std::vector<training::InputEvent> playback;
  if (request_.demonstrate)
    playback = demonstration(loaded, kLongestDemonstration, kDemonstrationRest);
  if (input_) {
    for (const std::string& sentence : differences(*input_, loaded))
      notices_.say(now_s(), sentence, true);
    playback = std::move(input_->file.events);
    input_.reset();
  }
  start(std::move(loaded), std::move(playback));
  demonstrating_ = request_.demonstrate;
}

void Trainer::start_chosen(bool demonstrate) {
  try {
    announce(demonstrate ? tr("Practising") : tr("Getting ready"));
    SessionChoice choice = choice_of(settings_, request_.choice);
    if (demonstrate) choice = demonstrable(choice);
    LoadedSession loaded = load_session(choice);
    std::vector<training::InputEvent> playback;
    if (demonstrate) playback = demonstration(loaded, kLongestDemonstration, kDemonstrationRest);
    start(std::move(loaded), std::move(playback));
    demonstrating_ = demonstrate;
  } catch (const view::WindowError&) {
    throw;
  } catch (const std::runtime_error& error) {  // UserError, FileError
    open_main_menu(error.what());
  } catch (const std::invalid_argument& error) {
    open_main_menu(error.what());
  }
}

void Trainer::start(LoadedSession loaded, std::vector<training::InputEvent> playback,
                    const SessionBranch* branch) {
  end_session();
  RecordingChoice recording = recording_choice(request_, request_.sessions_before + ++sessions_,
                                               !picture_.window().offscreen(), branch != nullptr);
  for (const std::string& remark : recording.remarks) {
    complain(remark);
    notices_.say(now_s(), remark, true);
  }
  by_hand_ = playback.empty() && branch == nullptr;
  if (!playback.empty()) recording.options.emplace_back("playback", "1");
  // A demonstration by the program is not a learner's result.
  const bool by_hand = playback.empty() || (sessions_ == 1 && !request_.input.empty());
  if (!by_hand) recording.learner = recording.learner_id = {};
  learner_ = recording.learner;
  std::vector<training::AttemptCommand> plan;
  for (const TimedFault& fault : request_.faults) {
    try {
      plan.push_back(attempt_command(fault, *loaded.session));
    } catch (const UserError& error) {
      if (sessions_ == 1) throw;  // another exercise may lack some of them
      notices_.say(now_s(), error.what(), true);
    }
  }
  aids_ = aids_of(settings_of(request_.choice.settings), loaded, by_hand_);
  prepare_ghost(loaded);
  session_ = std::make_unique<LiveSession>(std::move(loaded), std::move(playback), std::move(plan),
                                           recording, branch, request_.telemetry);
  if (!session_->loaded().purpose.empty()) notices_.say(now_s(), session_->loaded().purpose, true);
  levers_.connect(&session_->thread());
  const training::Session& session = session_->session();
  picture_.show_world(&session);
  if (picture_.scene() != nullptr)
    for (const std::string& note : picture_.scene()->notes()) notices_.say(now_s(), note, true);
  for (const std::string& note : session.notes()) notices_.say(now_s(), note, true);
  if (!session.machine().caution.empty()) notices_.say(now_s(), session.machine().caution, true);
  instructor_.begin(session);
  faults_seen_.clear();
  watch_news_ = {};
  faces_ = faces_of(session);
  briefing_ = briefing_of(session.exercise());
  log(LogLevel::kInfo, "begun: " + briefing_.title);
  if (!probe_) probe_ = std::make_unique<runtime::LatenessProbe>(session.exercise().rate_Hz);
  SDL_SetWindowTitle(picture_.window().sdl(),
                     fmt::format("Knuckleboom: {}", briefing_.title).c_str());
  demonstrating_ = false;
  restarts_ = 0;
  begin_attempt();
  screens_.begin_with(Screen::kDriving);
  note_aids();
  warm_up(branch);
  if (branch == nullptr) go_on();
}

void Trainer::begin_attempt() {
  result_shown_ = false;
  ended_s_ = -1.0;
  hinted_.clear();
  hinted_s_ = looked_s_ = now_s();
}

// The first frames of a world take long, while textures and shaders are uploaded to the graphics
// card.
void Trainer::warm_up(const SessionBranch* branch) {
  session_->update();
  const training::Session& session = session_->session();
  shown_ = session.snapshot(branch != nullptr ? branch->state : session.initial_state());
  if (picture_.scene() != nullptr) picture_.scene()->show(shown_, shown_, 1.0);
  for (int i = 0; i < kWarmUpPictures; ++i) announce(tr("Getting ready"));
  frames_.interrupt();
}

void Trainer::open_main_menu(const std::string& complaint) {
  end_session();
  show_main_rows();
  if (!complaint.empty()) notices_.say(now_s(), complaint, true);
  // The forest behind the menu is optional and must not fail.
  if (complaint.empty() && picture_.scene() == nullptr) {
    try {
      const LoadedSession loaded = load_session(choice_of(settings_, request_.choice));
      picture_.show_world(loaded.session.get());
      const training::SessionSnapshot still =
          loaded.session->snapshot(loaded.session->initial_state());
      if (picture_.scene() != nullptr) picture_.scene()->show(still, still, 1.0);
    } catch (const io::FileError&) {
    } catch (const UserError&) {
    } catch (const std::invalid_argument&) {
    }
  }
  picture_.show_backdrop();
  screens_.begin_with(Screen::kMain);
  menu_input_.reset();
}

void Trainer::end_session() {
  if (!session_) return;
  levers_.connect(nullptr);
  review_.drop();
  ended_.push_back(session_->finish());
  const SessionEnd& end = ended_.back();
  if (end.recording_failed) {
    recording_failed_ = true;
    complain(end.recording);
  }
  if (!end.session_fault.empty()) {
    recording_failed_ = true;
    complain(end.session_fault);
  } else if (!end.session_file.empty()) {
    if (const std::string fault = sign_and_file(end.session_file); !fault.empty())
      notices_.say(now_s(), fault, true);
  }
  latency_.forget();
  session_.reset();
}

void Trainer::announce(const std::string& text, const std::string& below) {
  picture_.draw([&](view::panels::Painter& painter, const view::panels::Pointer&) {
    view::panels::draw_banner(painter, text, below.empty() ? tr("one moment") : below);
  });
  picture_.swap();
}

// --- A frame --------------------------------------------------------------------

void Trainer::frame() {
  const std::int64_t start = now_ns();
  frame_s_ = now_s();
  if (first_frame_s_ < 0.0) first_frame_s_ = frame_s_;
  presses_.push_due(frame_s_);
  levers_.beat();
  take_events();
  for (const input::Notice& notice : levers_.access()->take_notices())
    notices_.say(now_s(), notice.text, notice.warning);
  take_menu_input();
  act_on(std::exchange(clicked_, {}));
  if (done_) return;
  follow_levers();
  follow_session();
  follow_faults();
  follow_task();
  follow_coach();
  if ((SDL_GetWindowFlags(picture_.window().sdl()) & SDL_WINDOW_MINIMIZED) != 0) {
    std::this_thread::sleep_for(kHiddenPause);
  } else {
    draw();
  }
  end_conditions();
  if (!done_) rest_of_frame(start, request_.fps);
}

void Trainer::take_events() {
  SDL_Event event;
  while (SDL_PollEvent(&event) != 0) take_event(event);
}

void Trainer::take_event(const SDL_Event& event) {
  if (event.type == SDL_QUIT) {
    done_ = true;
    return;
  }
  if (screens_.now() == Screen::kInstructor && take_instructor_event(event)) return;
  if (screens_.now() == Screen::kLearner && take_learner_event(event)) return;
  if (screens_.now() != Screen::kInstructor) levers_.access()->handle(event);
  if (event.type == SDL_KEYDOWN && event.key.repeat == 0) {
    const KeyBinding* binding = find_binding(event.key.keysym.scancode);
    const bool anywhere = binding != nullptr && (binding->action == KeyAction::kFullscreen ||
                                                 binding->action == KeyAction::kPicture ||
                                                 binding->action == KeyAction::kMute);
    if (screens_.rule().any_closes && !anywhere) return back();
    if (binding != nullptr && (drives() || anywhere)) return act_on(*binding);
    if (binding != nullptr && binding->action == KeyAction::kHelp) return open(Screen::kHelp);
    if (binding != nullptr && binding->action == KeyAction::kInstructor &&
        screens_.now() == Screen::kInstructor)
      return back();
  }
  if (menu() != nullptr) menu_input_.handle(event);
  if (drives()) move_free_camera(picture_, event);
}

void Trainer::take_menu_input() {
  const input::MenuButtons buttons = [this] {
    // The levers stay with the trainee.
    if (screens_.now() == Screen::kInstructor) return menu_input_.update(now_s(), {}, {});
    const auto desk = levers_.access();
    // They show what they do.
    if (screens_.now() == Screen::kLeverSettings)
      return menu_input_.update(now_s(), {}, desk->menu_buttons());
    return menu_input_.update(now_s(), desk->levers(), desk->menu_buttons());
  }();
  if (drives()) {
    if (buttons.menu) open(Screen::kPause);
    return;
  }
  if (screens_.now() == Screen::kHelp) {
    if (buttons.accept || buttons.back) back();
    return;
  }
  if (screens_.now() == Screen::kDevices) {
    const int selected = devices_.selected;
    const std::size_t rows = devices_.rows.size();
    devices_ = devices_menu(*levers_.access(), !user_folder().empty());
    if (devices_.rows.size() == rows) devices_.selected = selected;
  }
  if (view::panels::Menu* open_menu = menu(); open_menu != nullptr)
    act_on(view::panels::act(*open_menu, menu_keys(buttons)));
}

void Trainer::follow_levers() {
  if (!has_session()) return;
  levers_.operate(operates() && !session_->paused());
  const input::SentInput sent = levers_.sent();
  if (sent.event_ns == 0 || sent.event_ns == sent_event_ns_) return;
  sent_event_ns_ = sent.event_ns;
  latency_.sent(sent.input, sent.event_ns, frames_.frames());
  await_tick(sent.input);
}

// A tick is short compared with a frame: waiting for the tick that uses a new input lets this frame
// show it.
void Trainer::await_tick(const command::OperatorInput& input) {
  const double longest_s = kTicksAwaited * session_->session().tick_s() + kAwaitMargin;
  const std::int64_t until = now_ns() + static_cast<std::int64_t>(longest_s * 1e9);
  while (session_->now().newer.input != input && now_ns() < until) {
    std::this_thread::sleep_for(kAwaitStep);
    session_->thread().refresh();
  }
}

void Trainer::follow_session() {
  if (!has_session()) return;
  if (const auto fault = session_->update()) {
    recording_failed_ = true;
    notices_.say(now_s(), *fault, true);
  }
  const runtime::Published& now = session_->now();
  shown_ = now.newer;
  if (picture_.scene() != nullptr)
    picture_.scene()->show(now.older, now.newer, runtime::interpolation_share(now, now_ns()));
  show_ghost();
  sound_.set_paused(now.paused);
  sound_.update(now.newer);
  for (const std::string& news :
       watch_news_.take(session_->session().machine(), now.newer.sim.watch))
    notices_.say(now_s(), news, true);
  if (now.newer.sim.health.non_finite > 0 && !non_finite_) {
    non_finite_ = true;
    notices_.say(now_s(), tr("The simulation has left the real numbers; start again with F5."),
                 true);
  }
}

void Trainer::follow_task() {
  if (!has_session()) return;
  if (!has_ended(shown_)) {
    ended_s_ = -1.0;
    result_shown_ = false;
    return;
  }
  if (ended_s_ < 0.0) {
    ended_s_ = now_s();
    row_read_ = advised_ = false;
    advice_.clear();
  }
  if (result_shown_ || !drives()) return;
  if (now_s() - ended_s_ < (read_running_row() ? kResultDelay : kLongestResultDelay)) return;
  const training::Exercise& exercise = session_->session().exercise();
  figures_.passed = shown_.task.phase == TaskPhase::kPassed;
  figures_.exercise = briefing_.title;
  figures_.reason = failure_reason(exercise, shown_);
  if (figures_.passed && exercise.points.given())
    figures_.reason = task_line(session_->session(), shown_) + ".";
  if (!figures_.reason.empty()) figures_.reason += " ";
  if (const std::string is = diagnosis_text(session_->session(), shown_); !is.empty())
    figures_.reason += is + " ";
  figures_.reason += trust_to_come();
  for (const view::panels::FigureRow& row : element_rows(shown_))
    figures_.reason += fmt::format(" {}: {}.", row.label, row.value);
  figures_.figures = figure_rows(exercise, shown_.score, true);
  if (session_->now().playing || demonstrating_)
    figures_.exercise += demonstrating_ ? tr(", a demonstration") : tr(", from an input file");
  if (!figures_.passed && shown_.task.danger == 0 && !advised_ &&
      !session_->loaded().choice.variant)
    if (std::string miss = nearest_miss(exercise, shown_.score); !miss.empty())
      advice_.push_back(std::move(miss));
  show_history();
  result_shown_ = true;
  open(Screen::kResult);
}

void Trainer::draw() {
  if (!has_session() && picture_.scene() != nullptr)
    picture_.scene()->orbit().azimuth = kBackdropTurn * (now_s() - first_frame_s_) - 2.2;
  if (!picture_.usable()) {
    complain("the window was lost; opening it again while the session waits");
    if (has_session()) session_->pause();
    picture_.renew(has_session() ? &session_->session() : nullptr);
    notices_.say(now_s(), tr("The window was lost and opened again."), true);
    if (has_session()) open(Screen::kPause);
  }
  picture_.draw([this](view::panels::Painter& painter, const view::panels::Pointer& pointer) {
    draw_panels(painter, pointer);
  });
  take_pictures();
  picture_.swap();
  const std::int64_t shown_ns = now_ns();
  if (has_session() && !session_->now().paused)
    latency_.shown(shown_.input, shown_ns, frames_.frames());
  frames_.frame(shown_ns);
}

void Trainer::take_pictures() {
  summary_ = picture_.summary();
  if (picture_wanted_) {
    picture_wanted_ = false;
    picture_to_file();
  }
  if (request_.screenshot.empty() || picture_taken_) return;
  const double since = frame_s_ - first_frame_s_;
  const bool last = request_.frames >= 0 && frames_.frames() + 1 >= request_.frames;
  const bool over = this->over();
  const bool played = has_session() && session_->now().played_out;
  const bool others = request_.frames >= 0 || request_.duration_s >= 0.0 || played ||
                      (has_session() && session_->now().playing);
  const double at = request_.at_s >= 0.0 ? request_.at_s : kPictureTime;
  const bool due = request_.at_s >= 0.0 || !others ? since >= at : last || over || played;
  if (!due && !last && !over) return;
  picture_taken_ = true;
  picture_failed_ = !keep_picture(picture_.pixels(), request_.screenshot);
}

// The duration is over and each key due in it was pressed.
bool Trainer::over() const {
  return request_.duration_s >= 0.0 && frame_s_ - first_frame_s_ >= request_.duration_s &&
         !presses_.waiting(frame_s_);
}

void Trainer::end_conditions() {
  if (request_.frames >= 0 && frames_.frames() >= request_.frames) done_ = true;
  if (over()) done_ = true;
  const bool played = has_session() && session_->now().played_out;
  if (played && !demonstrating_ && picture_.window().offscreen()) done_ = true;
  // Only a screenshot was requested.
  if (picture_taken_ && request_.frames < 0 && request_.duration_s < 0.0 && request_.input.empty())
    done_ = true;
}

// Messages to the trainee.
void Trainer::follow_faults() {
  if (!has_session()) return;
  const training::Session& session = session_->session();
  const std::vector<int> there = faults_there(session, shown_);
  for (const int i : there) {
    const command::Fault& fault = session.faults()[static_cast<std::size_t>(i)];
    if (!fault.hidden &&
        std::find(faults_seen_.begin(), faults_seen_.end(), i) == faults_seen_.end())
      notices_.say(now_s(), tr_format("Fault: {}", fault_name(fault)), true);
  }
  faults_seen_ = there;
  if (screens_.now() == Screen::kInstructor)
    instructor_.update(
        shown_, session_->now(),
        session_->recorder() != nullptr ? session_->recorder()->file().filename().string() : "");
}

// --- Keys and menus -------------------------------------------------------------

void Trainer::act_on(const KeyBinding& binding) {
  switch (binding.action) {
    case KeyAction::kMenu:
      return open(Screen::kPause);
    case KeyAction::kPause:
      return toggle_pause();
    case KeyAction::kRestart:
      return restart();
    case KeyAction::kHelp:
      return open(Screen::kHelp);
    case KeyAction::kInstructor:
      return open(Screen::kInstructor);
    case KeyAction::kNextCamera:
      return set_camera(
          static_cast<CameraKind>((static_cast<int>(picture_.camera()) + 1) % view::kCameraKinds));
    case KeyAction::kCamera:
      return set_camera(static_cast<CameraKind>(binding.value));
    case KeyAction::kControl:
      return next_control();
    case KeyAction::kFidelity:
      return next_fidelity();
    case KeyAction::kInstruments:
      return next_instruments();
    case KeyAction::kInset:
      return toggle_overlay(&view::OverlaySettings::inset, tr("Picture of the tip"));
    case KeyAction::kGuides:
      notices_.say(now_s(), picture_.toggle_guides() ? tr("Guides: on") : tr("Guides: off"));
      return note_aids();
    case KeyAction::kTrail:
      return toggle_overlay(&view::OverlaySettings::trail, tr("Trail of the tip"));
    case KeyAction::kMute:
      return toggle_mute();
    case KeyAction::kFullscreen:
      return picture_.window().set_fullscreen(!picture_.window().fullscreen());
    case KeyAction::kPicture:
      picture_wanted_ = true;
      return;
  }
}

void Trainer::act_on(const view::panels::MenuIntent& intent) {
  if (screens_.now() == Screen::kInstructor) return act_as_instructor(intent);
  if (screens_.now() == Screen::kLearner) return act_as_learner(intent);
  if (screens_.now() == Screen::kCourse || screens_.now() == Screen::kLesson)
    return act_in_course(intent);
  if (screens_.now() == Screen::kQuiz) return act_in_quiz(intent);
  if (screens_.now() == Screen::kSettings || screens_.now() == Screen::kLeverSettings)
    return act_in_settings(intent);
  if (intent.changed >= 0) change_choice(intent.changed);
  if (intent.back && screens_.now() != Screen::kMain) return back();
  switch (intent.activated) {
    case kMenuStart:
      return start_chosen(false);
    case kMenuShow:
      return start_chosen(true);
    case kMenuLearner:
      return open(Screen::kLearner);
    case kMenuCourse:
      return open(Screen::kCourse);
    case kMenuSettings:
      return open_settings();
    case kMenuNext:
      return go_on_with_course();
    case kMenuHelp:
      return open(Screen::kHelp);
    case kMenuDevices:
      return open(Screen::kDevices);
    case kMenuQuit:
      done_ = true;
      return;
    case kMenuContinue:
      resume_ = has_session();
      return back();
    case kMenuBack:
      return back();
    case kMenuDiagnose:
      return diagnose();
    case kMenuAgain:
      return restart();
    case kMenuMain:
      return open_main_menu({});
    case kMenuReplay:
      return replay_session();
    case kMenuSwap:
      return levers_.access()->swap_levers();
    case kMenuConfirm:
      return levers_.access()->confirm_order();
    case kMenuSave:
      try {
        const std::filesystem::path file = user_device_file();
        const command::LeverSetup setup = levers_.access()->setup();
        io::write_devices(file, setup);
        return notices_.say(now_s(), tr_format("The levers are kept in {}.", file.string()));
      } catch (const io::FileError& error) {
        return notices_.say(now_s(), error.what(), true);
      }
    default:
      return;
  }
}

void Trainer::note(const char* kind, const std::string& text) {
  if (session_->recorder() == nullptr) return;
  io::SessionEvent event;
  event.kind = kind;
  event.text = text;
  session_->recorder()->note(event);
}

// Aids to the eye are part of the conditions that attempts are compared by.
void Trainer::note_aids() {
  if (!has_session()) return;
  const view::OverlaySettings& shown = picture_.overlays();
  if (shown.targets) note("aid", "guides");
  if (shown.inset) note("aid", "picture of the tip");
  if (shown.trail) note("aid", "trail of the tip");
  if (picture_.camera() != view::CameraKind::kCab) note("aid", "view from outside");
  if (ghost_) note("aid", "ghost");
  if (aids_.coach) note("aid", "coach");
}

void Trainer::prepare_ghost(const LoadedSession& loaded) {
  ghost_.reset();
  if (aids_.ghost == GhostKind::kNone) return;
  std::atomic<bool> goes_on = true;
  const auto is_wanted = [&goes_on] { return goes_on && !interrupted(); };
  const auto make = [&] {
    if (aids_.ghost != GhostKind::kDemonstration)
      return best_ghost(loaded,
                        aids_.ghost == GhostKind::kOwnBest ? request_.learner_id : std::string(),
                        is_wanted);
    const LoadedSession shown = load_session(demonstrable(loaded.choice));
    Ghost seen;
    demonstration(
        shown, kLongestDemonstration, kDemonstrationRest,
        [&seen](const training::SessionSnapshot& now) { seen.add(now); }, is_wanted);
    return seen;
  };
  try {
    std::future<Ghost> work = std::async(std::launch::async, make);
    wait_for_ghost(work, goes_on);
    Ghost made = work.get();
    if (!made.empty() && is_wanted()) ghost_ = std::move(made);
  } catch (const std::exception& error) {
    notices_.say(now_s(), error.what(), true);
  }
}

// The window answers meanwhile, and Esc gives it up.
void Trainer::wait_for_ghost(const std::future<Ghost>& work, std::atomic<bool>& goes_on) {
  while (work.wait_for(kGhostLook) != std::future_status::ready) {
    announce(tr("Getting ready"), tr("Esc: without the ghost"));
    SDL_Event event;
    while (SDL_PollEvent(&event) != 0) {
      done_ = done_ || event.type == SDL_QUIT;
      if (event.type != SDL_KEYDOWN) levers_.access()->handle(event);
      if (done_ || (event.type == SDL_KEYDOWN && event.key.keysym.scancode == SDL_SCANCODE_ESCAPE))
        goes_on = false;
    }
    levers_.beat();
  }
}

void Trainer::show_ghost() {
  if (picture_.scene() == nullptr) return;
  if (!ghost_ || shown_.task.phase == TaskPhase::kReady) return picture_.scene()->hide_ghost();
  const Ghost::Around around = ghost_->at(shown_.score.time_s);
  picture_.scene()->show_ghost(around.before, around.after, around.alpha);
}

// How far the result can be believed; the session is signed when it ends.
const char* Trainer::trust_to_come() const {
  if (session_->recorder() == nullptr)
    return tr("This session is not recorded, so that nothing shows it.");
  return by_hand_ ? tr("Recorded; T3 at most, when it is signed at the end of the session.")
                  : tr("Recorded; T1 at most, as not all of it was driven by hand from the start.");
}

void Trainer::act_as_instructor(const view::panels::MenuIntent& intent) {
  if (!has_session()) return;
  if (instructor_.locked()) {
    if (intent.activated == kInstructorPin) return instructor_.try_pin(now_s(), refusal_of_pin);
    if (intent.back || intent.activated == kInstructorClose) back();
    return;
  }
  if (instructor_.asking()) {
    const bool yes = intent.activated == kInstructorYes;
    if (!yes && !intent.back && intent.activated != kInstructorNo) return;
    const int asked = instructor_.take_answer();
    if (!yes) return;
    return asked == kInstructorAgain ? restart() : open_main_menu({});
  }
  if (intent.changed == kInstructorPlace) instructor_.change();
  if (intent.back) return back();
  switch (intent.activated) {
    case kInstructorSwitch:
      if (instructor_.chosen() >= 0)
        session_->set_fault(instructor_.chosen(), !instructor_.chosen_is_there());
      return;
    case kInstructorClear:
      for (const int fault : faults_there(session_->session(), shown_))
        session_->set_fault(fault, false);
      return;
    case kInstructorBookmark:
      note("bookmark", "bookmark");
      return notices_.say(now_s(), session_->recorder() != nullptr
                                       ? tr("Bookmarked")
                                       : tr("This session is not recorded: no bookmark"));
    case kInstructorMessage: {
      const std::string text = instructor_.take_message();
      if (text.empty()) return;
      note("message", text);
      return notices_.speak(now_s(), tr("Instructor"), text);
    }
    case kInstructorPause:
      return toggle_pause();
    case kInstructorAgain:
    case kInstructorMain:
      return instructor_.ask(intent.activated);
    case kInstructorClose:
      return back();
    default:
      return;
  }
}

// While the card is open, keys belong to the instructor; the levers stay with the trainee. True:
// handled.
bool Trainer::take_instructor_event(const SDL_Event& event) {
  if (event.type == SDL_TEXTINPUT) {
    if (instructor_.typing()) instructor_.type(event.text.text);
    return true;
  }
  if (event.type == SDL_KEYDOWN && instructor_.locked()) {
    const char digit = digit_of(event.key.keysym.scancode);
    if (digit != 0) instructor_.type_digit(digit);
    if (event.key.keysym.scancode == SDL_SCANCODE_BACKSPACE) instructor_.erase();
    return digit != 0;
  }
  if (event.type != SDL_KEYDOWN || !instructor_.typing()) return false;
  const SDL_Scancode key = event.key.keysym.scancode;
  if (key == SDL_SCANCODE_BACKSPACE) instructor_.erase();
  return key != SDL_SCANCODE_F2 && !is_for_menu(key);
}

void Trainer::change_choice(int id) {
  take_choices(main_, settings_);
  if (id == kMenuVolume) {
    sound_.set_muted(settings_.muted);
    sound_.set_volume(settings_.volume);
  }
  if (id == kMenuLanguage) {
    speak(settings_.language);
    const int selected = main_.selected;
    show_main_rows();
    main_.selected = selected;
  }
  if (id == kMenuInstruments) instruments_ = instruments_of(settings_.instruments, "instruments");
  if (id == kMenuQuality) picture_.set_quality(quality_of(settings_.quality, "quality"));
}

void Trainer::open(Screen screen) {
  const Screen before = screens_.now();
  if (!screens_.open(screen)) return;
  if (before == Screen::kDriving) resume_ = has_session() && !session_->paused();
  menu_input_.reset();
  if (screen == Screen::kPause)
    pause_ = pause_menu(briefing_.title, has_session() && !session_->now().playing, suspects());
  if (screen == Screen::kHelp) find_pattern();
  if (screen == Screen::kInstructor) {
    levers_.access()->keyboard().centre();
    instructor_.open(endpoint::pin_is_set(instructor_pin_file()));
  }
  if (screen == Screen::kDevices)
    devices_ = devices_menu(*levers_.access(), !user_folder().empty());
  if (screen == Screen::kLearner) list_learners();
  if (screen == Screen::kCourse && learning_.course())
    course_ = course_menu(*learning_.course(), learning_.lessons(), request_.learner);
  if (has_session() && screens_.rule().pauses && !clock_goes_on()) session_->pause();
}

// Value: the number of the fault.
std::vector<view::panels::MenuChoice> Trainer::suspects() const {
  std::vector<view::panels::MenuChoice> out;
  if (!has_session() || session_->now().playing) return out;
  for (const int fault : suspected_faults(session_->session(), shown_))
    out.push_back({fault_text(session_->session(), fault), {}, std::to_string(fault)});
  return out;
}

void Trainer::diagnose() {
  const view::panels::MenuRow* row = pause_.find(kMenuSuspect);
  if (row == nullptr || !has_session()) return;
  const view::panels::MenuChoice& said = row->choices[static_cast<std::size_t>(row->chosen)];
  session_->diagnose(std::stoi(said.value));
  notices_.say(now_s(), tr_format("You said: {}.", said.name));
  resume_ = true;
  back();
}

// Functions of the levers, now or after a start.
void Trainer::find_pattern() {
  pattern_ = {};
  if (has_session()) {
    pattern_ =
        as_driven(session_->session().control(), static_cast<ControlMode>(shown_.control_mode));
    return;
  }
  try {
    const LoadedSession loaded = load_session(choice_of(settings_, request_.choice));
    const ControlMode mode = loaded.choice.control.value_or(loaded.exercise().mode);
    pattern_ = as_driven(loaded.session->control(), mode);
  } catch (const std::exception& error) {
    notices_.say(now_s(), error.what(), true);
  }
}

void Trainer::back() {
  screens_.back();
  menu_input_.reset();
  if (screens_.now() == Screen::kDriving && resume_ && session_->paused()) go_on();
}

view::panels::Menu* Trainer::menu() {
  switch (screens_.now()) {
    case Screen::kMain:
      return &main_;
    case Screen::kPause:
      return &pause_;
    case Screen::kResult:
      return &result_;
    case Screen::kDevices:
      return &devices_;
    case Screen::kInstructor:
      return &instructor_.menu();
    case Screen::kLearner:
      return &learner_page_.menu();
    case Screen::kCourse:
      return &course_;
    case Screen::kLesson:
      return &lesson_;
    case Screen::kQuiz:
      return &quiz_.menu();
    case Screen::kSettings:
      return &settings_page_.menu();
    case Screen::kLeverSettings:
      return &settings_page_.levers();
    case Screen::kDriving:
    case Screen::kHelp:
      break;
  }
  return nullptr;
}

// Where a fault is to be found the time to think counts: behind a page the levers rest and the clock goes on.
bool Trainer::clock_goes_on() const { return !suspects().empty(); }

void Trainer::toggle_pause() {
  if (!has_session()) return;
  if (!session_->paused() && screens_.now() != Screen::kInstructor && clock_goes_on())
    return notices_.say(now_s(), tr("The time goes on until the fault is named."));
  if (session_->paused())
    go_on();
  else
    session_->pause();
}

void Trainer::go_on() {
  if (!has_session()) return;
  // At a take-over the keys are already held; behind a page they may have been released unnoticed.
  if (!std::exchange(taking_over_, false)) levers_.access()->keyboard().centre();
  levers_.operate(true);  // effective from the first tick
  session_->resume();
}

// Ends the session and replays its recording.
void Trainer::replay_session() {
  end_session();
  wanted_replay_ = ended_.back().session_file;
  if (!wanted_replay_.empty()) {
    done_ = true;
    return;
  }
  open_main_menu(tr("Of this session nothing was recorded, so there is nothing to see again."));
}

void Trainer::restart() {
  if (!has_session()) return;
  if (session_->now().playing)
    return notices_.say(now_s(),
                        demonstrating_
                            ? tr("This is a demonstration: it ends by itself or by Esc, and "
                                 "then the exercise can be started again.")
                            : tr("The levers come from an input file: the exercise can be "
                                 "started again after its end."),
                        true);
  screens_.begin_with(Screen::kDriving);
  latency_.forget();
  session_->restart();
  if (ghost_) ghost_->restart();
  ++restarts_;
  begin_attempt();
  notices_.say(now_s(), tr("From the start again"));
  go_on();
}

void Trainer::next_control() {
  const auto next = static_cast<ControlMode>((shown_.control_mode + 1) % command::kControlModes);
  session_->set_control(next);
  notices_.say(now_s(), tr(label_of(next)));
}

void Trainer::next_fidelity() {
  const auto now = static_cast<Fidelity>(shown_.fidelity);
  const Fidelity next = now == Fidelity::kReduced ? Fidelity::kFull
                        : now == Fidelity::kFull  ? Fidelity::kPaper
                                                  : Fidelity::kReduced;
  session_->set_fidelity(next);
  notices_.say(now_s(), tr(label_of(next)));
}

void Trainer::next_instruments() {
  instruments_ = next_level(instruments_);
  settings_.instruments = word_of(instruments_);
}

void Trainer::set_camera(CameraKind camera) {
  picture_.set_camera(camera);
  settings_.camera = word_of(camera);
  notices_.say(now_s(), tr_format("Camera: {}", tr_in("camera", word_of(camera))));
  note_aids();
}

void Trainer::toggle_overlay(bool view::OverlaySettings::*which, const char* name) {
  notices_.say(now_s(), fmt::format("{}: {}", name, picture_.toggle(which) ? tr("on") : tr("off")));
  note_aids();
}

void Trainer::toggle_mute() {
  settings_.muted = !sound_.muted();
  sound_.set_muted(settings_.muted);
  notices_.say(now_s(), settings_.muted       ? tr("Sound: off")
                        : !sound_.available() ? sound_.sentence()
                                              : tr("Sound: on"));
}

void Trainer::picture_to_file() {
  try {
    notices_.say(now_s(), tr_format("Picture: {}", picture_into_folder(picture_.pixels())));
  } catch (const std::runtime_error& error) {
    notices_.say(now_s(), error.what(), true);
  }
}

}  // namespace knuckleboom::app
