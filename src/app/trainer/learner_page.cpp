#include "app/trainer/learner_page.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "app/shell/text.hpp"
#include "app/trainer/menus.hpp"
#include "language/text.hpp"

namespace knuckleboom::app {
namespace {

using view::panels::MenuRow;

constexpr std::size_t kLongestTypedName = 60;  // bytes; what fits in its row

}  // namespace

void LearnerPage::open(std::vector<KnownLearner> known, const std::string& current) {
  known_ = std::move(known);
  name_.clear();
  pin_.clear();
  new_pin_.clear();
  menu_ = {};
  menu_.title = tr("Who drives?");
  menu_.subtitle = tr("Attempts are filed under a learner, and the course remembers what is done.");
  MenuRow who = action_row(kLearnerWho, tr("Learner"), "");
  who.choices.push_back({tr("nobody"), tr("Sessions are recorded, but filed under no name."), {}});
  for (const KnownLearner& one : known_) {
    if (one.learner.key == current) who.chosen = static_cast<int>(who.choices.size());
    who.choices.push_back(
        {one.learner.name,
         one.pin_hash.empty() ? tr("Left and right: another one.") : tr("This learner has a PIN."),
         one.learner.key});
  }
  menu_.rows.push_back(std::move(who));
  list_rows(known_.empty() ? kLearnerName : kLearnerWho);
}

void LearnerPage::list_rows(int selected) {
  menu_.rows.resize(1);
  const KnownLearner* who = chosen();
  if (who != nullptr && !who->pin_hash.empty())
    menu_.rows.push_back(action_row(kLearnerPin, "", tr("Type the PIN and press Enter.")));
  menu_.rows.push_back(action_row(kLearnerTake, tr("Drive under this name"),
                                  tr("Files what comes under this learner.")));
  menu_.rows.push_back(action_row(kLearnerName, "",
                                  tr("Type a name and press Enter. It stays on this computer; "
                                     "recordings have a number in its place."),
                                  true));
  menu_.rows.push_back(
      action_row(kLearnerNewPin, "",
                 tr("4 to 12 digits that this menu then asks for; leave it empty to do "
                    "without. It keeps classmates from driving under your name.")));
  menu_.rows.push_back(
      action_row(kLearnerAdd, tr("Join"), tr("Adds the learner, who drives then.")));
  menu_.rows.push_back(action_row(kMenuBack, tr("Back"), "", true));
  for (std::size_t i = 0; i < menu_.rows.size(); ++i)
    if (menu_.rows[i].id == selected) menu_.selected = static_cast<int>(i);
}

void LearnerPage::change() {
  pin_.clear();
  list_rows(kLearnerWho);
}

view::panels::Menu& LearnerPage::menu() {
  if (MenuRow* row = menu_.find(kLearnerPin)) row->label = tr("PIN: ") + pin_.shown();
  menu_.find(kLearnerName)->label = tr("New learner: ") + name_ +
                                    (types_name()    ? "_"
                                     : name_.empty() ? "..."
                                                     : "");
  menu_.find(kLearnerNewPin)->label = new_pin_.empty() && !on(kLearnerNewPin)
                                          ? tr("PIN for it: none")
                                          : tr("PIN for it: ") + new_pin_.shown();
  return menu_;
}

bool LearnerPage::on(int id) const {
  return menu_.selected >= 0 && menu_.selected < static_cast<int>(menu_.rows.size()) &&
         menu_.rows[static_cast<std::size_t>(menu_.selected)].id == id;
}

void LearnerPage::type(const std::string& text) {
  if (name_.size() + text.size() <= kLongestTypedName) name_ += text;
}

void LearnerPage::erase() {
  if (types_name())
    erase_character(name_);
  else if (types_digits())
    (on(kLearnerPin) ? pin_ : new_pin_).erase();
}

const KnownLearner* LearnerPage::chosen() const {
  const int index = menu_.rows.front().chosen;
  return index < 1 ? nullptr : &known_.at(static_cast<std::size_t>(index - 1));
}

bool LearnerPage::opens(double now_s,
                        const std::function<std::string(const std::string&)>& refusal_of) {
  const KnownLearner* who = chosen();
  if (who == nullptr || who->pin_hash.empty()) return true;
  if (pin_.empty()) {
    say(tr("This learner has a PIN: type it below the name."));
    return false;
  }
  return pin_.opens(now_s, refusal_of, menu_.subtitle);
}

}  // namespace knuckleboom::app
