// Sentences that stand on the picture for a while.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "view/panels/banners.hpp"

namespace knuckleboom::app {

class Notices {
 public:
  // The same sentence again stands longer instead of twice.
  void say(double now_s, std::string text, bool warning = false) {
    std::erase_if(notices_, [&text](const Notice& notice) { return notice.message.text == text; });
    const double until = now_s + (warning ? kWarningTime : kNoticeTime);
    notices_.push_back({until, {warning, std::move(text)}});
    if (notices_.size() > kMost) notices_.erase(notices_.begin());
  }

  std::vector<view::panels::Message> at(double now_s) const {
    std::vector<view::panels::Message> out;
    for (const Notice& notice : notices_)
      if (notice.until_s > now_s) out.push_back(notice.message);
    return out;
  }

 private:
  static constexpr double kNoticeTime = 3.0, kWarningTime = 8.0;  // s
  static constexpr std::size_t kMost = 5;

  struct Notice {
    double until_s;
    view::panels::Message message;
  };
  std::vector<Notice> notices_;
};

}  // namespace knuckleboom::app
