#include "app/trainer/instructor.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "app/session/session_texts.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/core/machine/actuator.hpp"
#include "language/text.hpp"
#include "view/panels/format.hpp"

namespace knuckleboom::app {
namespace {

using view::panels::MenuRow;

constexpr std::size_t kLongestMessage = 120;  // bytes
constexpr std::size_t kFaultsShown = 5;
constexpr float kLabelWidth = 74.0F, kRowHeight = 25.0F;  // points: it leaves the instruments free

MenuRow action(int id, std::string label, bool gap = false) {
  MenuRow row;
  row.id = id;
  row.label = std::move(label);
  row.gap_above = gap;
  return row;
}

}  // namespace

void InstructorCard::begin(const training::Session& session) {
  session_ = &session;
  menu_ = {};
  menu_.title = tr("Instructor");
  MenuRow place = action(kInstructorPlace, tr("Where"));
  faults_.clear();
  const auto add_place = [&](const std::string& name, auto belongs) {
    std::vector<int> list;
    for (int i = 0; i < static_cast<int>(session.faults().size()); ++i)
      if (belongs(i)) list.push_back(i);
    if (list.empty()) return;
    faults_.push_back(std::move(list));
    place.choices.push_back({name});
  };
  const auto fault = [&session](int i) -> const command::Fault& {
    return session.faults()[static_cast<std::size_t>(i)];
  };
  const int own = static_cast<int>(session.exercise().faults.size());
  add_place(tr("this exercise"), [own](int i) { return i < own; });
  add_place(tr("whole machine"), [&](int i) { return i >= own && fault(i).function.empty(); });
  for (const machine::Actuator& actuator : session.machine().actuators) {
    const std::string& joint = session.machine().joint_name(actuator.link);
    add_place(tr(spoken(joint)), [&](int i) { return i >= own && fault(i).function == joint; });
  }
  menu_.rows = {std::move(place),
                action(kInstructorFault, tr("Fault")),
                action(kInstructorSwitch, ""),
                action(kInstructorClear, tr("End all faults")),
                action(kInstructorBookmark, tr("Bookmark this moment"), true),
                action(kInstructorMessage, ""),
                action(kInstructorPause, tr("Pause"), true),
                action(kInstructorClose, tr("Close this card")),
                action(kInstructorAgain, tr("Start the exercise again"), true),
                action(kInstructorMain, tr("Another exercise"))};
  menu_.label_width = kLabelWidth;
  menu_.row_height = kRowHeight;
  list_faults();
}

void InstructorCard::open(bool locked) {
  menu_.selected = 0;
  asked_ = -1;
  locked_ = locked;
  pin_.clear();
  lock_ = {};
  lock_.title = tr("Instructor");
  lock_.rows = {action(kInstructorPin, ""), action(kInstructorClose, tr("Close this card"))};
  lock_.subtitle = tr("Faults and messages need the instructor's PIN.");
  show_pin();
}

view::panels::Menu& InstructorCard::menu() {
  if (locked_) return lock_;
  return asked_ >= 0 ? question_ : menu_;
}

void InstructorCard::show_pin() { lock_.rows.front().label = tr("PIN: ") + pin_.shown(); }

void InstructorCard::try_pin(double now_s,
                             const std::function<std::string(const std::string&)>& refusal_of) {
  if (pin_.empty()) return;
  locked_ = !pin_.opens(now_s, refusal_of, lock_.subtitle);
  show_pin();
}

void InstructorCard::ask(int id) {
  asked_ = id;
  question_ = {};
  question_.title = id == kInstructorAgain ? tr("Start again?") : tr("Another exercise?");
  question_.subtitle = id == kInstructorAgain
                           ? tr("The attempt that is going on ends here.")
                           : tr("The session that is going on ends here; its recording is kept.");
  question_.rows = {action(kInstructorNo, tr("No, go on")),
                    action(kInstructorYes, id == kInstructorAgain ? tr("Yes, start it again")
                                                                  : tr("Yes, to the main menu"))};
}

int InstructorCard::take_answer() { return std::exchange(asked_, -1); }

void InstructorCard::list_faults() {
  MenuRow& row = *menu_.find(kInstructorFault);
  row.choices.clear();
  row.chosen = 0;
  const auto place = static_cast<std::size_t>(menu_.find(kInstructorPlace)->chosen);
  if (place >= faults_.size()) return;
  for (const int i : faults_[place])
    row.choices.push_back({fault_name(session_->faults()[static_cast<std::size_t>(i)])});
}

void InstructorCard::change() { list_faults(); }

int InstructorCard::chosen() const {
  const auto place = static_cast<std::size_t>(menu_.find(kInstructorPlace)->chosen);
  const auto fault = static_cast<std::size_t>(menu_.find(kInstructorFault)->chosen);
  return place < faults_.size() && fault < faults_[place].size() ? faults_[place][fault] : -1;
}

void InstructorCard::update(const training::SessionSnapshot& now,
                            const runtime::Published& published, const std::string& recording) {
  const int fault = chosen();
  const std::vector<int> there = faults_there(*session_, now);
  there_ = std::find(there.begin(), there.end(), fault) != there.end();
  menu_.find(kInstructorSwitch)->label = there_ ? tr("End it") : tr("Begin it");
  menu_.find(kInstructorSwitch)->enabled = fault >= 0;
  menu_.find(kInstructorPause)->label = published.paused ? tr("Go on (it is paused)") : tr("Pause");
  menu_.find(kInstructorClear)->enabled = !there.empty();
  menu_.find(kInstructorMessage)->label = tr_format("Message: {}{}", message_,
                                                    typing()           ? "_"
                                                    : message_.empty() ? "..."
                                                                       : "");
  std::string text;
  for (std::size_t i = 0; i < there.size() && i < kFaultsShown; ++i)
    text +=
        (i == 0 ? "" : ", ") + fault_name(session_->faults()[static_cast<std::size_t>(there[i])]);
  if (!there.empty()) text = tr_format("there now: {}", text);
  if (there.size() > kFaultsShown)
    text += " " + tr_format("and {} more", there.size() - kFaultsShown);
  if (there.empty()) text = tr("no fault is there now");
  const runtime::ThreadHealth& health = published.health;
  menu_.subtitle =
      fmt::format("{}\n{}\n{}", text,
                  tr_format("tick {}, late {} (99 %), lost {:.1f} s",
                            view::panels::microseconds_text(health.tick_mean_us),
                            view::panels::microseconds_text(health.lateness.p99_us), health.lost_s),
                  recording.empty() ? tr("not recorded") : recording);
}

bool InstructorCard::typing() const {
  return !locked_ && asked_ < 0 && menu_.selected >= 0 &&
         menu_.selected < static_cast<int>(menu_.rows.size()) &&
         menu_.rows[static_cast<std::size_t>(menu_.selected)].id == kInstructorMessage;
}

void InstructorCard::type(const std::string& text) {
  if (message_.size() + text.size() <= kLongestMessage) message_ += text;
}

void InstructorCard::erase() {
  if (locked_) {
    pin_.erase();
    return show_pin();
  }
  erase_character(message_);
}

std::string InstructorCard::take_message() { return std::exchange(message_, {}); }

}  // namespace knuckleboom::app
