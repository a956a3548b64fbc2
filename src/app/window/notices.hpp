// Messages shown on the screen for a while.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/shell/log.hpp"
#include "view/panels/banners.hpp"

namespace knuckleboom::app {

class Notices {
 public:
  // A repeated message is shown longer instead of twice.
  void say(double now_s, std::string text, bool warning = false) {
    using view::panels::Tone;
    if (std::none_of(notices_.begin(), notices_.end(),
                     [&](const Notice& one) { return one.message.text == text; }))
      log(warning ? LogLevel::kWarning : LogLevel::kInfo, text);
    add(now_s + (warning ? kWarningTime : kNoticeTime),
        {warning ? Tone::kWarning : Tone::kNotice, std::move(text)});
  }
  // A person's message to the operator. Shown long enough to be read while driving.
  void speak(double now_s, std::string who, std::string text) {
    add(now_s + kSpokenTime, {view::panels::Tone::kSpoken, std::move(text), std::move(who)});
  }

  std::vector<view::panels::Message> at(double now_s) const {
    std::vector<view::panels::Message> out;
    for (const Notice& notice : notices_)
      if (notice.until_s > now_s) out.push_back(notice.message);
    return out;
  }

 private:
  static constexpr double kNoticeTime = 3.0, kWarningTime = 8.0, kSpokenTime = 12.0;  // s
  static constexpr std::size_t kMost = 5;

  struct Notice {
    double until_s;
    view::panels::Message message;
  };
  void add(double until_s, view::panels::Message message) {
    std::erase_if(notices_, [&message](const Notice& notice) {
      return notice.message.text == message.text && notice.message.who == message.who;
    });
    notices_.push_back({until_s, std::move(message)});
    if (notices_.size() > kMost) notices_.erase(notices_.begin());
  }

  std::vector<Notice> notices_;
};

}  // namespace knuckleboom::app
