// Pages on which a learner sets up the machine: how hard, how fast, and each lever with what it commands.
#pragma once

#include <cstddef>
#include <string>

#include "app/session/operator_settings.hpp"
#include "knuckleboom/core/command/operator_input.hpp"
#include "view/panels/lever_bar.hpp"
#include "view/panels/menu.hpp"

namespace knuckleboom::app {

enum SettingsPageId : int {
  kSettingsEase = 800,  // choices
  kSettingsSpeed,
  kSettingsRamps,
  kSettingsGhost,
  kSettingsCoach,
  kSettingsLevers,  // to the other page
  kSettingsPlain,   // all, or one lever, as in the files
  kSettingsFunction,
  kSettingsDeadZone,
  kSettingsCurve,
  kSettingsStart,
  kSettingsLargest,
};

class SettingsPage {
 public:
  // learner: empty: nobody. driving: a session goes on.
  void open(OperatorSettings settings, const std::string& learner, bool driving);
  // pattern: as its file has it.
  void open_levers(command::LeverPattern pattern);

  view::panels::Menu& menu() { return menu_; }
  view::panels::Menu& levers() { return levers_; }
  // A choice of either page.
  void change(int id);
  // kSettingsPlain on either page.
  void forget(bool of_lever);

  const OperatorSettings& settings() const { return settings_; }
  // The lever that is chosen, as it stands now.
  view::panels::LeverBar bar(const command::OperatorInput& input) const;

 private:
  const command::LeverFunction& function() const;
  void list();
  void list_levers();

  OperatorSettings settings_;
  command::LeverPattern pattern_;
  std::size_t function_ = 0;
  view::panels::Menu menu_, levers_;
};

}  // namespace knuckleboom::app
