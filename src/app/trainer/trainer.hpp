// The trainer with a window: events in, session on its own thread, frames out.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/drive_request.hpp"
#include "app/session/watch_texts.hpp"
#include "app/trainer/aids.hpp"
#include "app/trainer/input_latency.hpp"
#include "app/trainer/instructor.hpp"
#include "app/trainer/learning.hpp"
#include "app/trainer/live_session.hpp"
#include "app/trainer/quiz_page.hpp"
#include "app/trainer/running_review.hpp"
#include "app/trainer/screens.hpp"
#include "app/trainer/settings_page.hpp"
#include "app/window/frame_meter.hpp"
#include "app/window/keys.hpp"
#include "app/window/notices.hpp"
#include "app/window/picture.hpp"
#include "app/window/presses.hpp"
#include "input/lever_thread.hpp"
#include "input/menu_input.hpp"
#include "knuckleboom/io/trainer_settings.hpp"
#include "knuckleboom/runtime/lateness_probe.hpp"
#include "sound/sound.hpp"
#include "view/panels/banners.hpp"
#include "view/panels/help.hpp"
#include "view/panels/lever_bar.hpp"
#include "view/panels/menu.hpp"

namespace knuckleboom::app {

class Trainer {
 public:
  // Picture and presses must outlive it. desk: setup of the user's levers; its problems and those
  // of the settings have been reported. Throws view::WindowError.
  Trainer(Picture& picture, Presses& presses, DriveRequest request, io::TrainerSettings settings,
          command::LeverSetup desk);
  ~Trainer();
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  // Runs until the user quits or asks for a replay. Returns an ExitStatus.
  int run();
  // Starts from a take-over instead of the request.
  int run_from(LoadedSession loaded, const SessionBranch& branch);
  // The session file to be replayed now; empty: none.
  const std::filesystem::path& wanted_replay() const { return wanted_replay_; }
  int sessions() const { return sessions_; }  // number of begun sessions
  // Who drives; empty: nobody.
  const std::string& learner() const { return request_.learner; }
  const std::string& learner_id() const { return request_.learner_id; }
  const std::string& own_settings() const { return request_.choice.settings; }  // of who drives

  const io::TrainerSettings& settings() const { return settings_; }

 private:
  // Sessions.
  void begin();
  void start_chosen(bool demonstrate);
  void start(LoadedSession loaded, std::vector<training::InputEvent> playback,
             const SessionBranch* branch = nullptr);
  int run_frames();
  void replay_session();
  void begin_attempt();  // nothing is shown or said of it yet
  void warm_up(const SessionBranch* branch);
  void open_main_menu(const std::string& complaint);
  void end_session();
  // A frame with a message, before a slow operation.
  void announce(const std::string& text, const std::string& below = {});

  void finish();  // sessions and threads; prints the summary. Does not use window or scene.

  // One frame.
  void frame();
  void take_events();
  void take_event(const SDL_Event& event);
  void take_menu_input();
  void follow_levers();
  void await_tick(const command::OperatorInput& input);
  void follow_session();
  void follow_task();
  void follow_coach();
  void follow_faults();
  void draw();
  void take_pictures();
  bool over() const;
  void end_conditions();

  // Action of a key, a button or a menu row.
  void act_on(const KeyBinding& binding);
  void act_on(const view::panels::MenuIntent& intent);
  void change_choice(int id);
  void act_as_instructor(const view::panels::MenuIntent& intent);
  bool take_instructor_event(const SDL_Event& event);
  void note_aids();
  void prepare_ghost(const LoadedSession& loaded);
  void wait_for_ghost(const std::future<Ghost>& work, std::atomic<bool>& goes_on);
  void show_ghost();
  const char* trust_to_come() const;
  void note(const char* kind, const std::string& text);
  void toggle_pause();
  bool clock_goes_on() const;
  void go_on();
  void restart();
  void next_control();
  void next_fidelity();
  void next_instruments();
  void set_camera(view::CameraKind camera);
  void toggle_overlay(bool view::OverlaySettings::*which, const char* name);
  void toggle_mute();
  void picture_to_file();

  void open(Screen screen);
  void back();
  std::vector<view::panels::MenuChoice> suspects() const;
  void diagnose();

  // Who drives, and the course (trainer_learning.cpp).
  void drive_as(const learners::Learner* learner);  // nullptr: nobody
  void drive_as_last_time();
  void list_learners();
  void open_settings();
  void act_in_settings(const view::panels::MenuIntent& intent);
  void keep_own_settings();
  command::LeverPattern pattern_of_file() const;
  void show_main_rows();
  void act_as_learner(const view::panels::MenuIntent& intent);
  void act_in_course(const view::panels::MenuIntent& intent);
  void act_in_quiz(const view::panels::MenuIntent& intent);
  bool take_learner_event(const SDL_Event& event);
  void open_lesson(int number);
  void start_part(int number, bool demonstrate);
  void go_on_with_course();
  bool read_running_row();  // false: not yet
  ReviewQuestion question(bool result) const;
  void show_history();
  void find_pattern();
  view::panels::Menu* menu();  // of the screen; nullptr: none

  // Panels.
  void draw_panels(view::panels::Painter& painter, const view::panels::Pointer& pointer);
  void draw_driving(view::panels::Painter& painter);
  void draw_screen(view::panels::Painter& painter, const view::panels::Pointer& pointer);
  view::panels::InstrumentReadings readings() const;
  view::panels::Help help() const;
  std::vector<view::panels::Message> messages() const;

  bool has_session() const { return session_ != nullptr; }
  bool drives() const { return screens_.rule().keys && has_session(); }
  // The levers also move the machine while the instructor's card is open.
  bool operates() const { return has_session() && screens_.rule().driven; }
  double now_s() const;

  DriveRequest request_;
  io::TrainerSettings settings_;
  Picture& picture_;
  mutable input::LeverThread levers_;
  input::MenuInput menu_input_;
  sound::Sound sound_;
  Notices notices_;
  Presses& presses_;

  std::unique_ptr<LiveSession> session_;
  std::optional<LoadedInput> input_;  // of --input, until it has been taken
  command::LeverPattern pattern_;     // for the help
  view::panels::InstrumentFaces faces_;
  view::panels::Briefing briefing_;
  std::unique_ptr<runtime::LatenessProbe> probe_;
  std::vector<SessionEnd> ended_;
  int sessions_ = 0;
  std::string learner_;   // learner of the session; may be empty
  bool by_hand_ = false;  // from the start

  Screens screens_;
  view::panels::Menu main_, pause_, result_, devices_, course_, lesson_;
  Learning learning_;
  LearnerPage learner_page_;
  QuizPage quiz_;
  SettingsPage settings_page_;
  Aids aids_;                                // of the session
  std::optional<Ghost> ghost_;               // of the session
  RunningReview review_;                     // of the session
  std::vector<std::string> advice_;          // on the attempt that has ended
  std::vector<coach::Habit> hinted_;         // in this attempt
  double looked_s_ = 0.0, hinted_s_ = 0.0;   // when the coach looked, and spoke
  bool row_read_ = false, advised_ = false;  // of the attempt that has ended
  int lesson_shown_ = 0;                     // from 0
  int restarts_ = 0;                         // of the session
  InstructorCard instructor_;
  std::vector<int> faults_seen_;
  view::panels::Result figures_;
  view::panels::MenuIntent clicked_;  // by the mouse, in the last frame
  view::panels::InstrumentLevel instruments_ = view::panels::InstrumentLevel::kFull;
  bool result_shown_ = false;  // for this attempt
  double ended_s_ = -1.0;      // when the attempt ended
  bool demonstrating_ = false;
  bool resume_ = false;       // when the screen in front closes
  bool taking_over_ = false;  // until the operator continues
  bool non_finite_ = false;
  WatchNews watch_news_;  // of the session
  bool recording_failed_ = false;

  FrameMeter frames_;
  PictureSummary summary_;  // of the last picture
  InputLatency latency_;
  std::int64_t sent_event_ns_ = 0;  // of the newest lever event measured
  training::SessionSnapshot shown_{};
  double first_frame_s_ = -1.0;
  double frame_s_ = 0.0;  // start of this frame: actions due by then are done before the end
  bool picture_taken_ = false, picture_failed_ = false, picture_wanted_ = false;
  std::filesystem::path wanted_replay_;
  bool done_ = false;
};

}  // namespace knuckleboom::app
