// A question with its answers.
#pragma once

#include <string>

#include "view/panels/menu.hpp"

namespace knuckleboom::view::panels {

struct Question {
  std::string title, count;  // "Danger zone", "3 of 10"
  std::string text;
  std::string verdict;  // after the answer; empty: not answered yet
  bool right = false;
  std::string because;
};
// The menu below it has the answers, or what comes next.
MenuIntent draw_question(Painter& painter, const Question& question, Menu& menu,
                         const Pointer& pointer);

}  // namespace knuckleboom::view::panels
