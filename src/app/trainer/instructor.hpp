// The instructor's card beside the view: faults, bookmarks, messages, health. The exercise goes on.
#pragma once

#include <string>
#include <vector>

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

  // The cursor is on the first row, which is harmless.
  void open();
  // Menu of the card, or of a pending question.
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
  void erase();  // the last character
  std::string take_message();

 private:
  void list_faults();

  const training::Session* session_ = nullptr;
  view::panels::Menu menu_, question_;
  int asked_ = -1;                        // action of the pending question; -1: none
  std::vector<std::vector<int>> faults_;  // by place
  std::string message_;
  bool there_ = false;
};

}  // namespace knuckleboom::app
