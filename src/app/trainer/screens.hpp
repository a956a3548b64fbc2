// The screens of the trainer and the ways between them.
//
//                 attempt is over
//        +---------------------------> result --- again ---> driving
//        |      F2                       |
//     driving -----> instructor          +-- replay: the trainer ends with it
//      ^ |  \ Esc                        |
//      | |   +-----> pause --+--> devices, help
//      | |                   |           |
//      | +- F1 ----> help    |           |
//      |                     +-----------+----- main menu ---> main --+--> devices, help
//      +---------------------------- start, show ----------------------+--> learner, settings --> levers
//      |                                                               |
//      +---------------------------- start, show ---------- lesson <---+-- course
//                                                             |
//                                                             +--> quiz
//
// A result goes on to the next part of the course: its exercise, or its quiz with the main menu behind it.
// Back leads to the screen that was there before; from the first one to driving. The main menu has
// nothing behind it. What holds on a screen is a row of the table in screens.cpp.
#pragma once

#include <vector>

namespace knuckleboom::app {

enum class Screen {
  kDriving,
  kMain,
  kPause,
  kResult,
  kDevices,
  kHelp,
  kInstructor,
  kLearner,
  kCourse,
  kLesson,
  kQuiz,
  kSettings,
  kLeverSettings,
};

struct ScreenRule {
  Screen screen;
  bool driven;      // the levers move the machine
  bool keys;        // the trainer's keys work, and the mouse moves the free camera
  bool any_closes;  // any key goes back
  bool pauses;      // the session is paused when it opens
};
const ScreenRule& rule_of(Screen screen);

class Screens {
 public:
  Screen now() const { return now_; }
  const ScreenRule& rule() const { return rule_of(now_); }

  // In front of the one that is shown. False: it is shown already.
  bool open(Screen screen);
  // To the one behind.
  void back();
  // With nothing behind it.
  void begin_with(Screen screen);

 private:
  Screen now_ = Screen::kDriving;
  std::vector<Screen> behind_;
};

}  // namespace knuckleboom::app
