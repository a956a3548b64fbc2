#include "app/trainer/pin_entry.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "language/text.hpp"

namespace knuckleboom::app {
namespace {

constexpr std::size_t kLongestPin = 12;
constexpr double kLongestPinWait = 60.0;  // s

}  // namespace

void PinEntry::type(char digit) {
  if (digits_.size() < kLongestPin) digits_ += digit;
}

bool PinEntry::opens(double now_s, const std::function<std::string(const std::string&)>& refusal_of,
                     std::string& sentence) {
  sentence.clear();
  if (now_s >= next_s_) {
    std::string refusal = refusal_of(digits_);
    if (refusal.empty()) {
      wrong_ = 0;
      digits_.clear();
      return true;
    }
    next_s_ = now_s + std::min(kLongestPinWait, std::exp2(++wrong_));
    sentence = std::move(refusal) + '\n';
  }
  digits_.clear();
  sentence += tr_format("The next one is taken in {:.0f} s.", std::ceil(next_s_ - now_s));
  return false;
}

}  // namespace knuckleboom::app
