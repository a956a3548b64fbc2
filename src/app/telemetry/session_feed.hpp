// The channels of a training session for the telemetry server.
#pragma once

#include <memory>
#include <vector>

#include "app/telemetry/telemetry_feed.hpp"
#include "knuckleboom/core/training/channels.hpp"
#include "knuckleboom/recording/session_columns.hpp"
#include "knuckleboom/runtime/session_ticker.hpp"

namespace knuckleboom::app {

class SessionFeed final : public ShotFeed<training::SessionSnapshot>, public runtime::TickWatcher {
 public:
  explicit SessionFeed(const training::Session& session);
  void after_tick(std::int64_t tick, const training::SessionSnapshot& snapshot) override {
    offer(tick, snapshot);
  }
};

std::vector<io::ChannelInfo> session_infos(const training::Session& session);

}  // namespace knuckleboom::app
