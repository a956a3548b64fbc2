// Digits typed for a PIN, and the time to wait after a wrong one.
#pragma once

#include <functional>
#include <string>

namespace knuckleboom::app {

class PinEntry {
 public:
  void type(char digit);
  void erase() {
    if (!digits_.empty()) digits_.pop_back();
  }
  void clear() { digits_.clear(); }
  bool empty() const { return digits_.empty(); }
  const std::string& digits() const { return digits_; }
  std::string shown() const { return std::string(digits_.size(), '*') + "_"; }

  // Hands the digits over. True: refusal_of(them) is empty. Otherwise the next PIN is taken after a time that
  // doubles, as sentence says.
  bool opens(double now_s, const std::function<std::string(const std::string&)>& refusal_of,
             std::string& sentence);

 private:
  std::string digits_;
  double next_s_ = 0.0;
  int wrong_ = 0;
};

}  // namespace knuckleboom::app
