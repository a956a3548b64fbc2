// The page of the menu on which somebody says who drives, or joins: no name is known to the simulation.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/trainer/pin_entry.hpp"
#include "learners/database.hpp"
#include "view/panels/menu.hpp"

namespace knuckleboom::app {

enum LearnerPageId : int {
  kLearnerWho = 300,  // choice: nobody, and everybody who is filed
  kLearnerPin,        // digits
  kLearnerTake,
  kLearnerName,    // text: of a new learner
  kLearnerNewPin,  // digits, may be none
  kLearnerAdd,
};

struct KnownLearner {
  learners::Learner learner;
  std::string pin_hash;  // empty: no PIN is wanted
};

class LearnerPage {
 public:
  // current: key of who drives now; empty: nobody.
  void open(std::vector<KnownLearner> known, const std::string& current);
  view::panels::Menu& menu();
  void say(const std::string& sentence) { menu_.subtitle = sentence; }
  // Another learner was chosen.
  void change();

  bool types_name() const { return on(kLearnerName); }
  bool types_digits() const { return on(kLearnerPin) || on(kLearnerNewPin); }
  void type(const std::string& text);
  void type_digit(char digit) { (on(kLearnerPin) ? pin_ : new_pin_).type(digit); }
  void erase();

  // nullptr: nobody.
  const KnownLearner* chosen() const;
  // Whether the chosen one may drive; refusal_of: of a PIN.
  bool opens(double now_s, const std::function<std::string(const std::string&)>& refusal_of);
  const std::string& name() const { return name_; }
  const std::string& new_pin() const { return new_pin_.digits(); }

 private:
  bool on(int id) const;
  void list_rows(int selected);

  view::panels::Menu menu_;
  std::vector<KnownLearner> known_;
  std::string name_;
  PinEntry pin_, new_pin_;
};

}  // namespace knuckleboom::app
