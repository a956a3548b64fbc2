// The trainer's menus: their rows and choices.
#pragma once

#include <string>
#include <vector>

#include "app/session/drive_request.hpp"
#include "input/lever_desk.hpp"
#include "knuckleboom/io/trainer_settings.hpp"
#include "view/panels/menu.hpp"

namespace knuckleboom::app {

enum MenuId : int {
  kMenuStart = 1,
  kMenuShow,
  kMenuExercise,
  kMenuMachine,
  kMenuLayout,
  kMenuControl,
  kMenuFidelity,
  kMenuQuality,
  kMenuVolume,
  kMenuInstruments,
  kMenuDevices,
  kMenuHelp,
  kMenuQuit,
  kMenuContinue,
  kMenuAgain,
  kMenuMain,
  kMenuReplay,
  kMenuSwap,
  kMenuConfirm,
  kMenuSave,
  kMenuBack,
  kMenuInfo,
  kMenuSuspect,
  kMenuDiagnose,
  kMenuLearner,
  kMenuCourse,
  kMenuNext,
  kMenuLanguage,
  kMenuSettings,
};

// A row that does something, and says what.
view::panels::MenuRow action_row(int id, std::string label, std::string detail = {},
                                 bool gap = false);

// The rows of the main menu on who drives.
struct LearnerRows {
  std::string learner;        // empty: nobody
  std::string next;           // of the course: "lesson 2, Path"; empty: nothing, or it is not known
  std::string settings = {};  // in words; empty: as in the files
};

// All existing files; the rows are set from the settings.
view::panels::Menu main_menu(const io::TrainerSettings& settings, const LearnerRows& rows = {});
// The reverse: the rows' choices into the settings.
void take_choices(const view::panels::Menu& menu, io::TrainerSettings& settings);
// "" stands for the exercise's value. asked: from the command line, for choices without a menu row.
SessionChoice choice_of(const io::TrainerSettings& settings, const SessionChoice& asked);

// suspects: what the operator may say is wrong; empty: it is not asked now.
view::panels::Menu pause_menu(const std::string& exercise, bool can_restart,
                              std::vector<view::panels::MenuChoice> suspects = {});
struct ResultChoice {
  bool passed = false;
  bool demonstrated = false;  // driven by the program
  bool wanted_again = false;  // by the lesson
  std::string next = {};      // of the course, other than this exercise; empty: nothing
};
view::panels::Menu result_menu(const ResultChoice& choice);
// Assignment of devices. can_save: the layout may be saved as the user's own.
view::panels::Menu devices_menu(const input::LeverDesk& desk, bool can_save);

}  // namespace knuckleboom::app
