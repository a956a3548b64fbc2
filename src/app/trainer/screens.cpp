#include "app/trainer/screens.hpp"

#include <cstddef>
#include <iterator>

namespace knuckleboom::app {
namespace {

// clang-format off
constexpr ScreenRule kRules[] = {
    // by Screen              driven  keys   any closes  pauses
    {Screen::kDriving,       true,   true,  false,      false},
    {Screen::kMain,          false,  false, false,      false},
    {Screen::kPause,         false,  false, false,      true},
    {Screen::kResult,        false,  false, false,      false},  // the machine may come to rest behind it
    {Screen::kDevices,       false,  false, false,      true},
    {Screen::kHelp,          false,  false, true,       true},
    {Screen::kInstructor,    true,   false, false,      false},  // the levers are the trainee's
    {Screen::kLearner,       false,  false, false,      false},
    {Screen::kCourse,        false,  false, false,      false},
    {Screen::kLesson,        false,  false, false,      false},
    {Screen::kQuiz,          false,  false, false,      false},
    {Screen::kSettings,      false,  false, false,      true},
    {Screen::kLeverSettings, false,  false, false,      true},
};
// clang-format on

constexpr bool in_order() {
  for (std::size_t i = 0; i < std::size(kRules); ++i)
    if (static_cast<std::size_t>(kRules[i].screen) != i) return false;
  return true;
}
static_assert(in_order());

}  // namespace

const ScreenRule& rule_of(Screen screen) { return kRules[static_cast<std::size_t>(screen)]; }

bool Screens::open(Screen screen) {
  if (screen == now_) return false;
  behind_.push_back(now_);
  now_ = screen;
  return true;
}

void Screens::back() {
  if (!behind_.empty()) {
    now_ = behind_.back();
    behind_.pop_back();
  } else if (now_ != Screen::kMain) {
    now_ = Screen::kDriving;
  }
}

void Screens::begin_with(Screen screen) {
  now_ = screen;
  behind_.clear();
}

}  // namespace knuckleboom::app
