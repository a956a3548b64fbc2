#include "app/telemetry/session_feed.hpp"

#include <cstddef>

namespace knuckleboom::app {

SessionFeed::SessionFeed(const training::Session& session)
    : ShotFeed(session.tick_s(), &training::copy_for_channels,
               [channels = training::session_channels(session)](
                   const training::SessionSnapshot& shot, std::vector<double>& row) {
                 for (std::size_t i = 0; i < channels.size(); ++i) row[i] = channels[i].value(shot);
               }) {}

std::vector<io::ChannelInfo> session_infos(const training::Session& session) {
  std::vector<io::ChannelInfo> out;
  for (const training::SessionChannel& one : training::session_channels(session))
    out.push_back({one.name, one.unit, one.description});
  return out;
}

}  // namespace knuckleboom::app
