// The instructor's card beside the picture: faults, bookmarks, messages, health. The exercise goes on.
#pragma once

#include <string>
#include <vector>

#include "knuckleboom/core/training/session.hpp"
#include "knuckleboom/runtime/simulation_thread.hpp"
#include "view/panels/menu.hpp"

namespace knuckleboom::app {

enum InstructorId : int {
  kInstructorPlace = 100,  // choice: where the fault is
  kInstructorFault,        // choice: which one
  kInstructorSwitch,       // it begins or ends
  kInstructorClear,        // all end
  kInstructorBookmark,
  kInstructorMessage,  // text is typed here; accept shows it
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
  // What is shown of now.
  void update(const training::SessionSnapshot& now, const runtime::Published& published,
              const std::string& recording);

  // The cursor stands on the first row, which harms nobody.
  void open();
  // Of the card, or of the question that waits for its answer.
  view::panels::Menu& menu();
  // What ends an attempt is asked before it is done: kInstructorAgain, kInstructorMain.
  void ask(int id);
  bool asking() const { return asked_ >= 0; }
  int take_answer();  // what was asked; the question is gone
  // A choice was changed.
  void change();
  // The fault that is chosen, -1: none.
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
  int asked_ = -1;                        // what the question is about; -1: none
  std::vector<std::vector<int>> faults_;  // by place
  std::string message_;
  bool there_ = false;
};

}  // namespace knuckleboom::app
