// The instructor's card beside the view: faults, bookmarks, messages, health. The exercise goes on.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/trainer/pin_entry.hpp"
#include "knuckleboom/core/training/session.hpp"
#include "knuckleboom/runtime/simulation_thread.hpp"
#include "view/panels/menu.hpp"

namespace knuckleboom::app {

enum InstructorId : int {
  kInstructorPlace = 100,  // choice: place of the fault
  kInstructorFault,        // choice: fault
  kInstructorSwitch,       // it begins or ends
  kInstructorClear,        // all end
  kInstructorBookmark,
  kInstructorMessage,  // text input; accept shows the message
  kInstructorPause,
  kInstructorAgain,
  kInstructorMain,
  kInstructorClose,
  kInstructorPin,  // digits; accept hands them over
  kInstructorYes,
  kInstructorNo,
};

class InstructorCard {
 public:
  // For another session.
  void begin(const training::Session& session);
  // Updates the displayed state.
  void update(const training::SessionSnapshot& now, const runtime::Published& published,
              const std::string& recording);

  // The cursor is on the first row, which is harmless. locked: only a PIN opens the rest.
  void open(bool locked);
  bool locked() const { return locked_; }
  void type_digit(char digit) {
    pin_.type(digit);
    show_pin();
  }
  // Opens it where refusal_of(PIN) is empty; otherwise shows that, and takes the next PIN after a
  // time that doubles.
  void try_pin(double now_s, const std::function<std::string(const std::string&)>& refusal_of);
  // Menu of the card, of a pending question, or of the lock.
  view::panels::Menu& menu();
  // Asks for confirmation before ending an attempt: kInstructorAgain, kInstructorMain.
  void ask(int id);
  bool asking() const { return asked_ >= 0; }
  int take_answer();  // the confirmed action; closes the question
  // A choice was changed.
  void change();
  // The selected fault, -1: none.
  int chosen() const;
  bool chosen_is_there() const { return there_; }

  bool typing() const;  // the message's row is selected
  void type(const std::string& text);
  void erase();  // the last character, or digit
  std::string take_message();

 private:
  void list_faults();

  const training::Session* session_ = nullptr;
  void show_pin();

  view::panels::Menu menu_, question_, lock_;
  int asked_ = -1;                        // action of the pending question; -1: none
  std::vector<std::vector<int>> faults_;  // by place
  std::string message_;
  PinEntry pin_;
  bool there_ = false, locked_ = false;
};

}  // namespace knuckleboom::app
