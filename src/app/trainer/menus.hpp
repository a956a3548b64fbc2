// The trainer's menus: their rows, and what is chosen in them.
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
};

// All files there are; the rows stand where the settings say.
view::panels::Menu main_menu(const io::TrainerSettings& settings);
// The other way: what the rows say, into the settings.
void take_choices(const view::panels::Menu& menu, io::TrainerSettings& settings);
// "" stands for what the exercise says. asked: by the command line, for what the menu has no row for.
SessionChoice choice_of(const io::TrainerSettings& settings, const SessionChoice& asked);

view::panels::Menu pause_menu(const std::string& exercise, bool can_restart);
// demonstrated: nobody was at the levers.
view::panels::Menu result_menu(bool passed, bool demonstrated);
// Which device is which. can_save: the layout may become the user's own.
view::panels::Menu devices_menu(const input::LeverDesk& desk, bool can_save);

}  // namespace knuckleboom::app
