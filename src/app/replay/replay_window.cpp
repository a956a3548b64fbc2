#include "app/replay/replay_window.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <SDL2/SDL.h>
#include <fmt/format.h>

#include "app/replay/replay_texts.hpp"
#include "app/session/coaching.hpp"
#include "app/session/filing.hpp"
#include "app/session/session_texts.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "app/shell/text.hpp"
#include "app/window/frame_pace.hpp"
#include "app/window/keys.hpp"
#include "language/text.hpp"
#include "view/panels/banners.hpp"
#include "view/panels/format.hpp"

namespace knuckleboom::app {
namespace {

using view::CameraKind;
using view::panels::InstrumentLevel;

constexpr const char* kDiffers = msgid("differs from the recording");
constexpr double kLongestStep = 0.2;  // s, of real time in one frame
constexpr std::size_t kMostCurves = 4;
constexpr std::size_t kStretches = 600;  // of a curve
constexpr double kPictureTime = 1.0;     // s, default of --screenshot

struct Binding {
  int scancode;
  ReplayAction action;
  int value;
  const char* key;   // nullptr: the keyboard's name
  const char* what;  // nullptr: described in another line
};

constexpr Binding kBindings[] = {
    {SDL_SCANCODE_SPACE, ReplayAction::kPause, 0, nullptr, msgid("pause, and go on")},
    {SDL_SCANCODE_P, ReplayAction::kPause, 0, nullptr, nullptr},
    {SDL_SCANCODE_LEFT, ReplayAction::kSeek, -1, msgid("Left, Right"),
     msgid("1 s back, on; Shift: 10 s; Ctrl: one tick")},
    {SDL_SCANCODE_RIGHT, ReplayAction::kSeek, 1, nullptr, nullptr},
    {SDL_SCANCODE_HOME, ReplayAction::kFirst, 0, msgid("Home, End"),
     msgid("to the begin, to the end")},
    {SDL_SCANCODE_END, ReplayAction::kLast, 0, nullptr, nullptr},
    {SDL_SCANCODE_PAGEUP, ReplayAction::kMark, -1, msgid("Page Up, Page Down"),
     msgid("stop at the event before, at the next; Shift: mistakes only")},
    {SDL_SCANCODE_PAGEDOWN, ReplayAction::kMark, 1, nullptr, nullptr},
    {SDL_SCANCODE_MINUS, ReplayAction::kSpeed, -1, "-, =", msgid("slower, faster (0.1 to 10 x)")},
    {SDL_SCANCODE_KP_MINUS, ReplayAction::kSpeed, -1, nullptr, nullptr},
    {SDL_SCANCODE_EQUALS, ReplayAction::kSpeed, 1, nullptr, nullptr},
    {SDL_SCANCODE_KP_PLUS, ReplayAction::kSpeed, 1, nullptr, nullptr},
    {SDL_SCANCODE_LEFTBRACKET, ReplayAction::kLoopBegin, 0, "[, ]",
     msgid("begin and end of a section that repeats")},
    {SDL_SCANCODE_RIGHTBRACKET, ReplayAction::kLoopEnd, 0, nullptr, nullptr},
    {SDL_SCANCODE_BACKSPACE, ReplayAction::kNoLoop, 0, nullptr, msgid("no section")},
    {SDL_SCANCODE_X, ReplayAction::kMoreCurves, 0, "X, Z", msgid("one curve more, one fewer")},
    {SDL_SCANCODE_Z, ReplayAction::kFewerCurves, 0, nullptr, nullptr},
    {SDL_SCANCODE_UP, ReplayAction::kChannel, -1, msgid("Up, Down"),
     msgid("another channel in the lowest curve")},
    {SDL_SCANCODE_DOWN, ReplayAction::kChannel, 1, nullptr, nullptr},
    {SDL_SCANCODE_RETURN, ReplayAction::kTakeOver, 0, msgid("Enter"),
     msgid("take over here, live")},
    {SDL_SCANCODE_KP_ENTER, ReplayAction::kTakeOver, 0, nullptr, nullptr},
    {SDL_SCANCODE_M, ReplayAction::kWriteNote, 0, msgid("M, Delete"),
     msgid("write a note here, remove it")},
    {SDL_SCANCODE_DELETE, ReplayAction::kRemoveNote, 0, nullptr, nullptr},
    {SDL_SCANCODE_C, ReplayAction::kNextCamera, 0, "C, 1 .. 5", msgid("next camera, that camera")},
    {SDL_SCANCODE_1, ReplayAction::kCamera, 0, nullptr, nullptr},
    {SDL_SCANCODE_2, ReplayAction::kCamera, 1, nullptr, nullptr},
    {SDL_SCANCODE_3, ReplayAction::kCamera, 2, nullptr, nullptr},
    {SDL_SCANCODE_4, ReplayAction::kCamera, 3, nullptr, nullptr},
    {SDL_SCANCODE_5, ReplayAction::kCamera, 4, nullptr, nullptr},
    {SDL_SCANCODE_TAB, ReplayAction::kInstruments, 0, nullptr,
     msgid("instruments: full, compact, off")},
    {SDL_SCANCODE_T, ReplayAction::kInset, 0, "T, G, B", msgid("view of the tip, guides, trail")},
    {SDL_SCANCODE_G, ReplayAction::kGuides, 0, nullptr, nullptr},
    {SDL_SCANCODE_B, ReplayAction::kTrail, 0, nullptr, nullptr},
    {SDL_SCANCODE_N, ReplayAction::kMute, 0, nullptr, msgid("sound on, off (at 1 x)")},
    {SDL_SCANCODE_F11, ReplayAction::kFullscreen, 0, "F11, F12", msgid("whole screen, screenshot")},
    {SDL_SCANCODE_F12, ReplayAction::kPicture, 0, nullptr, nullptr},
    {SDL_SCANCODE_F1, ReplayAction::kHelp, 0, nullptr, msgid("this page")},
    {SDL_SCANCODE_ESCAPE, ReplayAction::kClose, 0, "Esc", msgid("end the replay")},
};

}  // namespace

std::vector<view::panels::KeyHelp> replay_key_help() {
  std::vector<view::panels::KeyHelp> help;
  for (const Binding& binding : kBindings)
    if (binding.what != nullptr)
      help.push_back({binding.key != nullptr ? tr(binding.key) : key_name(binding.scancode),
                      tr(binding.what)});
  help.push_back({tr("Mouse"), tr("on the timeline: to that instant")});
  return help;
}

ReplayWindow::ReplayWindow(Picture& picture, Presses& presses, ReplayShow show,
                           const DriveRequest& request)
    : picture_(picture),
      presses_(presses),
      request_(request),
      replayer_(std::move(show.record)),
      learner_(learner_shown(replayer_.record().header)),
      clock_(replayer_.first_tick(), replayer_.end_tick(), replayer_.record().tick_s()),
      sound_(sound::Sound::open(request.mute)) {
  const io::SessionHeader& header = replayer_.record().header;
  for (const std::string& name : show.plots) {
    const auto found = std::find_if(header.channels.begin(), header.channels.end(),
                                    [&name](const io::ChannelInfo& c) { return c.name == name; });
    if (found == header.channels.end()) throw UserError(unknown_channel(header, name));
    if (curves_.size() < kMostCurves)
      add_curve(static_cast<std::size_t>(found - header.channels.begin()));
  }
  clock_.seek(tick_at(show.from_s));
  clock_.set_speed(show.speed);
  clock_.set_paused(show.paused);
  if (show.loop_end_s > show.loop_begin_s)
    clock_.set_loop(tick_at(show.loop_begin_s), tick_at(show.loop_end_s));
  if (!show.video.empty()) {
    video_ =
        std::make_unique<Video>(show.video, picture_.window().width(), picture_.window().height());
    clock_.set_paused(false);
    clock_.clear_loop();
  }
  if (request_.camera) picture_.set_camera(*request_.camera);
  if (request_.instruments) instruments_ = *request_.instruments;
  faces_ = faces_of(replayer_.session());
  for (const Coaching& coaching : coach_attempts(replayer_.record()))
    for (const CoachLine& line : coaching.lines)
      for (const double at_s : line.marks_s)
        advice_marks_.push_back(
            {at_s, view::panels::MarkKind::kAdvice, tr_format("coach: {}", line.text)});
  read_notes();
}

double ReplayWindow::now_s() const { return static_cast<double>(now_ns()) * 1e-9; }

double ReplayWindow::seconds(double tick) const {
  return (tick - static_cast<double>(replayer_.first_tick())) * replayer_.record().tick_s();
}

double ReplayWindow::tick_at(double s) const {
  return static_cast<double>(replayer_.first_tick()) + s / replayer_.record().tick_s();
}

void ReplayWindow::read_marks() {
  // Differences that were found on the way stay.
  std::erase_if(marks_, [](const auto& mark) { return mark.text != tr(kDiffers); });
  for (const io::SessionEvent& event : with_notes(replayer_.record(), notes_)) {
    const EventWords words = words_of(event, replayer_.session().exercise().task);
    if (!words.text.empty())
      marks_.push_back({seconds(static_cast<double>(event.tick)), words.kind, words.text});
  }
  marks_.insert(marks_.end(), advice_marks_.begin(), advice_marks_.end());
  std::stable_sort(marks_.begin(), marks_.end(),
                   [](const auto& a, const auto& b) { return a.at_s < b.at_s; });
}

int ReplayWindow::run() {
  picture_.show_world(&replayer_.session());
  SDL_SetWindowTitle(picture_.window().sdl(), "Knuckleboom: replay");
  tell_remarks();
  if (!video_) notices_.say(now_s(), tr("Replay: F1 shows the keys, Enter takes over"));
  while (!done_ && !interrupted()) frame();
  say(summary());
  if (video_) complain("the replay was ended before the video was whole; nothing is left of it");
  if (interrupted()) return kInterruptedRun;
  if (picture_failed_ || video_) return kInternalError;
  return replayer_.mismatch_count() > 0 ? kBeyondTolerance : kSuccess;
}

std::string ReplayWindow::summary() const {
  const auto line = [](const char* name, const std::string& text) {
    return fmt::format("  {:<20} {}\n", name, text);
  };
  return replay_description(replayer_) + line("hashes", check_text(replayer_)) +
         line("shown to", fmt::format("{:.3f} s", seconds(clock_.position()))) +
         line("pictures",
              fmt::format("{}, {:.1f} a second", frames_.frames(), frames_.mean_rate()));
}

// --- A frame --------------------------------------------------------------------

void ReplayWindow::frame() {
  const std::int64_t start = now_ns();
  const double now = now_s();
  if (first_frame_s_ < 0.0) first_frame_s_ = last_frame_s_ = now;
  presses_.push_due(now);
  take_events();
  if (done_) return;
  if (seek_s_ >= 0.0) clock_.seek(tick_at(std::exchange(seek_s_, -1.0)));
  // A video has its own time, however long a picture takes.
  if (video_)
    clock_.advance(frames_.frames() > 0 ? 1.0 / kVideoRate : 0.0);
  else if (!help_)
    clock_.advance(std::min(now - last_frame_s_, kLongestStep));
  last_frame_s_ = now;
  follow();
  draw();
  end_conditions();
  if (!done_ && !video_) rest_of_frame(start, request_.fps);
}

void ReplayWindow::take_events() {
  SDL_Event event;
  while (!done_ && SDL_PollEvent(&event) != 0) take_event(event);
}

void ReplayWindow::take_event(const SDL_Event& event) {
  if (event.type == SDL_QUIT) {
    done_ = true;
    return;
  }
  if (video_) {  // is made as it was asked for, or not at all
    done_ =
        done_ || (event.type == SDL_KEYDOWN && event.key.keysym.scancode == SDL_SCANCODE_ESCAPE);
    return;
  }
  if (typed_ && take_typing(event)) return;
  move_free_camera(picture_, event);
  if (event.type != SDL_KEYDOWN) return;
  if (std::exchange(help_, false)) return;
  for (const Binding& binding : kBindings) {
    if (binding.scancode != event.key.keysym.scancode) continue;
    // Held keys repeat for seeking actions.
    const bool repeats = binding.action == ReplayAction::kSeek ||
                         binding.action == ReplayAction::kMark ||
                         binding.action == ReplayAction::kChannel;
    if (event.key.repeat == 0 || repeats) act(binding.action, binding.value, event.key.keysym.mod);
    return;
  }
}

void ReplayWindow::follow() {
  const std::int64_t wanted = clock_.tick();
  if (replayer_.tick() != wanted) replayer_.seek(wanted);
  note_mismatches();
  const training::SessionSnapshot& now = replayer_.snapshot();
  if (picture_.scene() != nullptr) picture_.scene()->show(now, now, 1.0);
  sound_.set_paused(clock_.paused() || clock_.speed() != 1.0 || help_ || video_);
  sound_.update(now);
  for (Curve& curve : curves_)
    curve.curve.now = value_at(replayer_.record(), curve.samples, clock_.position());
}

void ReplayWindow::tell_remarks() {
  for (; told_remarks_ < replayer_.remarks().size(); ++told_remarks_) {
    const std::string& remark = replayer_.remarks()[told_remarks_];
    complain(remark);
    notices_.say(now_s(), remark, true);
  }
}

void ReplayWindow::note_mismatches() {
  tell_remarks();
  for (const auto& mismatches = replayer_.mismatches();
       told_mismatches_ < static_cast<std::int64_t>(mismatches.size()); ++told_mismatches_) {
    const runtime::ReplayMismatch& mismatch =
        mismatches[static_cast<std::size_t>(told_mismatches_)];
    const std::string text = mismatch_sentence(replayer_, mismatch);
    complain(text);
    notices_.say(now_s(), text, true);
    view::panels::TimelineMark mark{seconds(static_cast<double>(mismatch.tick)),
                                    view::panels::MarkKind::kBad, tr(kDiffers)};
    marks_.insert(std::upper_bound(marks_.begin(), marks_.end(), mark,
                                   [](const auto& a, const auto& b) { return a.at_s < b.at_s; }),
                  std::move(mark));
  }
}

void ReplayWindow::draw() {
  if (!picture_.usable()) {
    complain("the window was lost; opening it again");
    picture_.renew(&replayer_.session());
  }
  picture_.draw([this](view::panels::Painter& painter, const view::panels::Pointer& pointer) {
    draw_panels(painter, pointer);
  });
  take_pictures();
  take_video();
  picture_.swap();
  frames_.frame(now_ns());
}

void ReplayWindow::draw_panels(view::panels::Painter& painter,
                               const view::panels::Pointer& pointer) {
  if (help_)
    return view::panels::draw_key_page(
        painter, tr("Replay"), tr("The levers are disconnected while a recording is shown."),
        replay_key_help());
  view::panels::draw_instruments(painter, instruments_, faces_, replayer_.snapshot(), readings());
  if (typed_)
    view::panels::draw_entry(
        painter, tr_format("Note at {}", view::panels::clock_text(seconds(clock_.position()))),
        *typed_ + "_", tr("Enter keeps it, Esc does not"));
  const view::panels::TimelineIntent intent =
      view::panels::draw_timeline(painter, timeline(), pointer);
  if (intent.seek_s >= 0.0) seek_s_ = intent.seek_s;
  view::panels::draw_messages(painter, notices_.at(now_s()),
                              instruments_ == InstrumentLevel::kOff
                                  ? view::panels::MessagePlace::kTop
                                  : view::panels::MessagePlace::kBelowTask);
}

view::panels::Timeline ReplayWindow::timeline() const {
  view::panels::Timeline out;
  out.end_s = seconds(static_cast<double>(replayer_.end_tick()));
  out.at_s = seconds(clock_.position());
  if (clock_.loops()) {
    out.loop_begin_s = seconds(clock_.loop_begin());
    out.loop_end_s = seconds(clock_.loop_end());
  }
  out.speed = clock_.speed();
  out.paused = clock_.paused();
  out.marks = marks_;
  out.check = check_text(replayer_);
  out.check_bad = replayer_.mismatch_count() > 0;
  for (const Curve& curve : curves_) out.curves.push_back(curve.curve);
  return out;
}

view::panels::InstrumentReadings ReplayWindow::readings() const {
  const training::SessionSnapshot& now = replayer_.snapshot();
  view::panels::InstrumentReadings out;
  out.task = task_line(replayer_.session(), now);
  out.mode = tr(label_of(static_cast<command::ControlMode>(now.control_mode)));
  out.fidelity = tr(label_of(static_cast<machine::Fidelity>(now.fidelity)));
  out.session = learner_.empty() ? tr("replay") : tr_format("replay of {}", learner_);
  out.held = held_text(replayer_.session(), now);
  out.figures = figure_rows(replayer_.session().exercise(), now.score, has_ended(now));
  out.timing.rate_Hz = replayer_.record().header.rate_Hz;
  out.timing.frames_per_s = frames_.rate();
  return out;
}

void ReplayWindow::take_pictures() {
  if (std::exchange(picture_wanted_, false)) {
    try {
      notices_.say(now_s(), tr_format("Picture: {}", picture_into_folder(picture_.pixels())));
    } catch (const std::runtime_error& error) {
      notices_.say(now_s(), error.what(), true);
    }
  }
  if (request_.screenshot.empty() || picture_taken_) return;
  const double since = last_frame_s_ - first_frame_s_;
  const bool last = (request_.frames >= 0 && frames_.frames() + 1 >= request_.frames) || over();
  const bool others = request_.frames >= 0 || request_.duration_s >= 0.0;
  const double at = request_.at_s >= 0.0 ? request_.at_s : others ? 1e300 : kPictureTime;
  if (!last && since < at) return;
  picture_taken_ = true;
  picture_failed_ = !keep_picture(picture_.pixels(), request_.screenshot);
}

void ReplayWindow::take_video() {
  if (!video_) return;
  video_->add(picture_.pixels());
  if (!clock_.at_end()) return;
  video_->finish();
  say(fmt::format("  {:<20} {} pictures, {:.1f} s\n", "video", video_->pictures(),
                  static_cast<double>(video_->pictures()) / kVideoRate));
  video_.reset();
  done_ = true;
}

// The duration is over and each key due in it was pressed.
bool ReplayWindow::over() const {
  return request_.duration_s >= 0.0 && last_frame_s_ - first_frame_s_ >= request_.duration_s &&
         !presses_.waiting(last_frame_s_);
}

void ReplayWindow::end_conditions() {
  if (request_.frames >= 0 && frames_.frames() >= request_.frames) done_ = true;
  if (over()) done_ = true;
  if (picture_taken_ && request_.frames < 0 && request_.duration_s < 0.0) done_ = true;
}

// --- Keys -----------------------------------------------------------------------

void ReplayWindow::act(ReplayAction action, int value, unsigned modifiers) {
  const bool shift = (modifiers & KMOD_SHIFT) != 0;
  const bool ctrl = (modifiers & KMOD_CTRL) != 0;
  switch (action) {
    case ReplayAction::kPause:
      return clock_.set_paused(!clock_.paused());
    case ReplayAction::kSeek:
      if (ctrl) return clock_.step(value);
      return clock_.seek(clock_.position() +
                         value * (shift ? 10.0 : 1.0) / replayer_.record().tick_s());
    case ReplayAction::kFirst:
      return clock_.seek(static_cast<double>(replayer_.first_tick()));
    case ReplayAction::kLast:
      return clock_.seek(static_cast<double>(replayer_.end_tick()));
    case ReplayAction::kMark:
      return to_mark(value, shift);
    case ReplayAction::kSpeed:
      if (value > 0)
        clock_.faster();
      else
        clock_.slower();
      return;
    case ReplayAction::kLoopBegin:
      return clock_.begin_loop();
    case ReplayAction::kLoopEnd:
      return clock_.end_loop();
    case ReplayAction::kNoLoop:
      return clock_.clear_loop();
    case ReplayAction::kChannel:
      return change_channel(value);
    case ReplayAction::kMoreCurves:
      if (curves_.size() < kMostCurves && !replayer_.record().header.channels.empty())
        add_curve(next_channel(replayer_.record().header,
                               curves_.empty() ? 0 : curves_.back().channel, 1));
      return;
    case ReplayAction::kFewerCurves:
      if (!curves_.empty()) curves_.pop_back();
      return;
    case ReplayAction::kTakeOver:
      return ask_to_take_over();
    case ReplayAction::kWriteNote:
      return write_note();
    case ReplayAction::kRemoveNote:
      return remove_note();
    case ReplayAction::kClose:
      outcome_ = Outcome::kClosed;
      done_ = true;
      return;
    case ReplayAction::kHelp:
      help_ = true;
      return;
    case ReplayAction::kNextCamera:
      return picture_.set_camera(
          static_cast<CameraKind>((static_cast<int>(picture_.camera()) + 1) % view::kCameraKinds));
    case ReplayAction::kCamera:
      return picture_.set_camera(static_cast<CameraKind>(value));
    case ReplayAction::kInstruments:
      instruments_ = next_level(instruments_);
      return;
    case ReplayAction::kInset:
      picture_.toggle(&view::OverlaySettings::inset);
      return;
    case ReplayAction::kGuides:
      picture_.toggle_guides();
      return;
    case ReplayAction::kTrail:
      picture_.toggle(&view::OverlaySettings::trail);
      return;
    case ReplayAction::kMute:
      return sound_.set_muted(!sound_.muted());
    case ReplayAction::kFullscreen:
      return picture_.window().set_fullscreen(!picture_.window().fullscreen());
    case ReplayAction::kPicture:
      picture_wanted_ = true;
      return;
  }
}

void ReplayWindow::to_mark(int direction, bool bad_only) {
  const double here = seconds(clock_.position());
  const double margin = 0.5 * replayer_.record().tick_s();
  const view::panels::TimelineMark* best = nullptr;
  for (const view::panels::TimelineMark& mark : marks_) {
    if (bad_only && mark.kind != view::panels::MarkKind::kBad) continue;
    if (direction > 0 && mark.at_s > here + margin && (best == nullptr || mark.at_s < best->at_s))
      best = &mark;
    if (direction < 0 && mark.at_s < here - margin && (best == nullptr || mark.at_s > best->at_s))
      best = &mark;
  }
  if (best == nullptr)
    return notices_.say(now_s(), direction > 0 ? tr("Nothing more happens after this")
                                               : tr("Nothing has happened before this"));
  clock_.seek(std::round(tick_at(best->at_s)));
  clock_.set_paused(true);  // or the next jump would start elsewhere
}

void ReplayWindow::ask_to_take_over() {
  if (replayer_.source() != runtime::Replayer::Source::kSimulation)
    return notices_.say(
        now_s(),
        tr("This session was recorded by another version; after 'knuckleboom replay "
           "--recompute' it can be taken over"),
        true);
  outcome_ = Outcome::kTakeOver;
  done_ = true;
}

TakeOver ReplayWindow::take_over() {
  replayer_.seek(clock_.tick());
  const io::SessionHeader& header = replayer_.record().header;
  TakeOver out;
  out.loaded = recorded_session(header);
  out.branch.state = replayer_.state();
  out.branch.levers = replayer_.levers();
  out.branch.parent_id = header.id;
  return out;
}

// --- Notes ----------------------------------------------------------------------

void ReplayWindow::write_note() {
  clock_.set_paused(true);
  typed_.emplace();
  key_as_text_ = true;
}

// True: handled.
bool ReplayWindow::take_typing(const SDL_Event& event) {
  if (event.type == SDL_TEXTINPUT) {
    const std::string text = event.text.text;
    if (!std::exchange(key_as_text_, false) && typed_->size() + text.size() <= kLongestNote)
      *typed_ += text;
    return true;
  }
  if (event.type != SDL_KEYDOWN) return false;
  key_as_text_ = false;
  switch (event.key.keysym.scancode) {
    case SDL_SCANCODE_BACKSPACE:
      erase_character(*typed_);
      break;
    case SDL_SCANCODE_RETURN:
    case SDL_SCANCODE_KP_ENTER:
      keep_note();
      break;
    case SDL_SCANCODE_ESCAPE:
      typed_.reset();
      break;
    default:
      break;
  }
  return true;
}

void ReplayWindow::keep_note() {
  const std::string text = *std::exchange(typed_, std::nullopt);
  if (text.find_first_not_of(' ') == std::string::npos) return;
  try {
    add_note(replayer_.record().header, clock_.tick(), text);
    read_notes();
  } catch (const std::exception& error) {
    typed_ = text;  // not lost
    notices_.say(now_s(), error.what(), true);
  }
}

// The note of the instant that is shown, by a second press.
void ReplayWindow::remove_note() {
  const auto here = std::ranges::find_if(
      notes_, [this](const learners::Note& note) { return note.tick == clock_.tick(); });
  if (here == notes_.end())
    return notices_.say(now_s(),
                        tr("There is no note at this instant; Page Up and Page Down stop at them"));
  if (remove_asked_ != here->id) {
    remove_asked_ = here->id;
    return notices_.say(now_s(), tr_format("Delete once more removes the note: {}", here->text));
  }
  try {
    app::remove_note(*here);
    read_notes();
  } catch (const std::exception& error) {
    notices_.say(now_s(), error.what(), true);
  }
}

void ReplayWindow::read_notes() {
  remove_asked_ = -1;
  notes_.clear();
  try {
    notes_ = notes_of(replayer_.record().header);
  } catch (const std::exception& error) {
    notices_.say(now_s(), error.what(), true);
  }
  read_marks();
}

// --- Curves ---------------------------------------------------------------------

void ReplayWindow::add_curve(std::size_t channel) {
  const io::ChannelInfo& info = replayer_.record().header.channels[channel];
  Curve curve{channel, {}, replayer_.record().channel(info.name)};
  curve.curve = view::panels::curve_of(info.name, info.unit, curve.samples, kStretches);
  curves_.push_back(std::move(curve));
}

void ReplayWindow::change_channel(int direction) {
  if (curves_.empty()) return;
  const std::size_t next =
      next_channel(replayer_.record().header, curves_.back().channel, direction);
  curves_.pop_back();
  add_curve(next);
}

}  // namespace knuckleboom::app
