// A recorded session in the trainer's window: the same cameras and instruments, and a timeline.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/replay/replay_clock.hpp"
#include "app/replay/video.hpp"
#include "app/session/drive_request.hpp"
#include "app/session/notes.hpp"
#include "app/session/take_over.hpp"
#include "app/window/frame_meter.hpp"
#include "app/window/notices.hpp"
#include "app/window/picture.hpp"
#include "app/window/presses.hpp"
#include "knuckleboom/runtime/replayer.hpp"
#include "sound/sound.hpp"
#include "view/panels/help.hpp"
#include "view/panels/instruments.hpp"
#include "view/panels/timeline.hpp"

union SDL_Event;

namespace knuckleboom::app {

// Session and initial view of a replay.
struct ReplayShow {
  io::SessionRecord record;
  double from_s = 0.0;
  double speed = 1.0;
  bool paused = false;
  double loop_begin_s = -1.0, loop_end_s = -1.0;  // no loop unless the end is after the beginning
  std::vector<std::string> plots;                 // names of channels
  std::filesystem::path video;                    // of all from there to the end; empty: none
};

enum class ReplayAction {
  kPause,
  kSeek,  // value: seconds; with Shift ten times as far, with Ctrl single ticks
  kFirst,
  kLast,
  kMark,   // value: +1 next, -1 previous; with Shift only mistakes
  kSpeed,  // value: +1, -1
  kLoopBegin,
  kLoopEnd,
  kNoLoop,
  kChannel,  // value: +1, -1, in the lowest curve
  kMoreCurves,
  kFewerCurves,
  kTakeOver,
  kWriteNote,
  kRemoveNote,
  kClose,
  kHelp,
  kNextCamera,
  kCamera,
  kInstruments,
  kInset,
  kGuides,
  kTrail,
  kMute,
  kFullscreen,
  kPicture,
};

class ReplayWindow {
 public:
  enum class Outcome {
    kClosed,
    kTakeOver,
    kEnded
  };  // kEnded: by itself, by a signal, or the window

  // Picture and presses must outlive it. Throws UserError for an unknown channel, io::FileError for
  // a session that cannot be shown.
  ReplayWindow(Picture& picture, Presses& presses, ReplayShow show, const DriveRequest& request);
  ReplayWindow(const ReplayWindow&) = delete;
  ReplayWindow& operator=(const ReplayWindow&) = delete;

  int run();  // an ExitStatus
  Outcome outcome() const { return outcome_; }
  // After kTakeOver: the instant that was shown.
  TakeOver take_over();

 private:
  void frame();
  void take_events();
  void take_event(const SDL_Event& event);
  bool take_typing(const SDL_Event& event);
  void act(ReplayAction action, int value, unsigned modifiers);
  void follow();
  void tell_remarks();
  void note_mismatches();
  void draw();
  void draw_panels(view::panels::Painter& painter, const view::panels::Pointer& pointer);
  void take_pictures();
  void take_video();
  bool over() const;
  void end_conditions();
  std::string summary() const;

  void to_mark(int direction, bool bad_only);
  void ask_to_take_over();
  void add_curve(std::size_t channel);
  void change_channel(int direction);
  void write_note();
  void keep_note();
  void remove_note();
  void read_notes();
  void read_marks();
  view::panels::Timeline timeline() const;
  view::panels::InstrumentReadings readings() const;

  double now_s() const;
  double seconds(double tick) const;  // since the session's first tick
  double tick_at(double seconds) const;

  Picture& picture_;
  Presses& presses_;
  DriveRequest request_;
  runtime::Replayer replayer_;
  std::string learner_;  // who drove; may be empty
  ReplayClock clock_;
  sound::Sound sound_;
  Notices notices_;
  FrameMeter frames_;
  std::unique_ptr<Video> video_;  // null: none, or it is whole

  view::panels::InstrumentFaces faces_;
  view::panels::InstrumentLevel instruments_ = view::panels::InstrumentLevel::kFull;
  std::vector<view::panels::TimelineMark> marks_;
  std::vector<view::panels::TimelineMark> advice_marks_;
  struct Curve {
    std::size_t channel;  // of the session
    view::panels::TimelineCurve curve;
    std::vector<float> samples;
  };
  std::vector<Curve> curves_;
  std::vector<learners::Note> notes_;
  std::optional<std::string> typed_;  // of a note that is being written
  bool key_as_text_ = false;          // the text of the key that began it is still to come
  std::int64_t remove_asked_ = -1;    // id of the note that a second press removes
  std::int64_t told_mismatches_ = 0;
  std::size_t told_remarks_ = 0;

  Outcome outcome_ = Outcome::kEnded;
  bool done_ = false, help_ = false;
  bool picture_taken_ = false, picture_failed_ = false, picture_wanted_ = false;
  // Actions due at the start of a frame are done before the end.
  double first_frame_s_ = -1.0, last_frame_s_ = -1.0;
  double seek_s_ = -1.0;  // requested by the mouse in the last frame
};

std::vector<view::panels::KeyHelp> replay_key_help();

}  // namespace knuckleboom::app
