// The pages of the window in the language in use, with as much on them as there can be.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "view/panels/painter.hpp"

namespace knuckleboom::testing_texts {

struct WindowPage {
  std::string name;
  std::function<void(view::panels::Painter&)> draw;
};
std::vector<WindowPage> window_pages();

// The report of an attempt that has everything, without its HTML: one text a line.
std::vector<std::string> report_texts();

}  // namespace knuckleboom::testing_texts
