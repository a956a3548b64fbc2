// A lever stand over the loopback: neutral until centred, neutral when silent, reported to the
// user.
#include "input/remote_levers.hpp"

#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "input/lever_desk.hpp"
#include "support/wire_keys.hpp"
#include "virtual_stick.hpp"

namespace knuckleboom::input {
namespace {

using testing::Each;
using testing::HasSubstr;

// The stand's end; the levers listen at the next port.
class Stand {
 public:
  // It is challenged at the given time and heard from its next packet on.
  explicit Stand(double t_s = -0.01) {
    endpoint::UdpSettings settings;
    settings.peer.port = 9;
    settings.key = test::key_of(2);
    for (std::uint16_t port = 47301; port < 47399; port += 2) {
      settings.own.port = port;
      try {
        end_ = std::make_unique<endpoint::UdpEndpoint>(settings);
        levers = std::make_unique<RemoteLevers>(address(), settings.key);
        end_->set_peer(levers->endpoint().listens_at());
        send(0.0, 0.0, t_s);
        levers->poll(t_s);
        return;
      } catch (const endpoint::EndpointError&) {  // somebody has that port
      }
    }
  }
  std::string address() const { return "udp:" + endpoint::to_string(end_->listens_at()); }
  void send(double left_x, double right_y, double t_s) {
    std::array<double, command::kLeverAxes> axes{};
    axes[0] = left_x;
    axes[4] = right_y;
    send(axes, t_s);
  }
  void send(std::span<const double> axes, double t_s) {
    const auto now = static_cast<std::int64_t>(t_s * 1e9);
    exchange::SignalFrame nothing{};
    end_->receive(now, nothing);
    end_->send(axes, now);
  }

  std::unique_ptr<RemoteLevers> levers;

 private:
  std::unique_ptr<endpoint::UdpEndpoint> end_;
};

TEST(RemoteLevers, AreNeutralUntilAllWereAtTheirCentres) {
  Stand stand(0.99);
  ASSERT_TRUE(stand.levers);
  RemoteLevers& levers = *stand.levers;
  levers.poll(1.0);
  EXPECT_EQ(levers.state(), RemoteLevers::State::kSilent);
  const std::pair<double, double> moves[] = {{0.8, 0.0}, {0.0, 0.6}};
  double t = 1.002;
  for (const auto& [left, right] : moves) {
    stand.send(left, right, t);
    levers.poll(t);
    EXPECT_EQ(levers.state(), RemoteLevers::State::kCentre);
    EXPECT_THAT(levers.input().axis, Each(0.0));
    t += 0.002;
  }
  stand.send(0.03, -0.02, t);
  levers.poll(t);
  EXPECT_EQ(levers.state(), RemoteLevers::State::kInUse);
  EXPECT_EQ(levers.input().axis[0], 0.03);
  stand.send(0.8, -2.5, t + 0.002);
  levers.poll(t + 0.002);
  EXPECT_EQ(levers.input().axis[0], 0.8);
  EXPECT_EQ(levers.input().axis[4], -1.0);  // no lever goes further
}

TEST(RemoteLevers, AreNeutralAfterFiftyMillisecondsOfSilence) {
  for (const double period : {0.001, 0.002, 0.007}) {
    Stand stand;
    ASSERT_TRUE(stand.levers);
    RemoteLevers& levers = *stand.levers;
    stand.send(0.0, 0.0, 0.0);
    levers.poll(0.0);
    stand.send(0.9, 0.9, period);
    levers.poll(period);
    EXPECT_EQ(levers.input().axis[0], 0.9);
    for (int k = 2; k < 200; ++k) {
      const double silent = (k - 1) * period;
      levers.poll(k * period);
      const bool neutral = levers.input().axis[0] == 0.0;
      // To a tick; a poll that is due at a whole tick may find it just begun or just about to.
      if (silent < kRemoteStale - kRemoteTick) {
        ASSERT_FALSE(neutral) << period << " " << silent;
      }
      if (silent > kRemoteStale + kRemoteTick) {
        ASSERT_TRUE(neutral) << period << " " << silent;
      }
    }
    stand.send(0.9, 0.0, 200 * period);
    levers.poll(200 * period);
    EXPECT_THAT(levers.input().axis, Each(0.0));  // back, but not from the centre
  }
}

TEST(RemoteLevers, AreNeutralAtOnceAfterALongGapInThePolls) {
  Stand stand;
  ASSERT_TRUE(stand.levers);
  stand.send(0.0, 0.0, 0.0);
  stand.levers->poll(0.0);
  stand.send(0.5, 0.0, 0.001);
  stand.levers->poll(0.001);
  EXPECT_EQ(stand.levers->input().axis[0], 0.5);
  stand.levers->poll(3.0);
  EXPECT_EQ(stand.levers->state(), RemoteLevers::State::kSilent);
  EXPECT_THAT(stand.levers->input().axis, Each(0.0));
}

TEST(RemoteLevers, HoldButtonsDownWhileTheyAreHeard) {
  Stand stand;
  ASSERT_TRUE(stand.levers);
  RemoteLevers& levers = *stand.levers;
  std::array<double, kRemoteValues> values{};
  double t = 0.0;
  const auto after = [&](double buttons) {
    values.back() = buttons;
    stand.send(values, t += 0.002);
    levers.poll(t);
    return levers.input().buttons;
  };
  EXPECT_EQ(after(4.0), 0);  // held since before it was heard
  EXPECT_EQ(levers.state(), RemoteLevers::State::kCentre);
  EXPECT_EQ(after(0.0), 0);
  EXPECT_EQ(after(4.0), 4);
  EXPECT_EQ(after(65535.0), 65535);
  for (const double nonsense : {0.5, 3.7, -1.0, 65536.0, 1e300})
    EXPECT_EQ(after(nonsense), 0) << nonsense;
  EXPECT_EQ(after(32768.0), 32768);
  stand.send(0.3, 0.0, t += 0.002);  // ten values alone: the buttons grow stale, the axes do not
  levers.poll(t);
  EXPECT_EQ(levers.input().axis[0], 0.3);
  for (int k = 0; k < 60; ++k) {
    stand.send(0.3, 0.0, t += 0.001);
    levers.poll(t);
  }
  EXPECT_EQ(levers.input().buttons, 0);
  EXPECT_EQ(levers.input().axis[0], 0.3);
  EXPECT_EQ(after(2.0), 2);
  levers.poll(t + 0.2);
  EXPECT_EQ(levers.input().buttons, 0);
  EXPECT_EQ(levers.state(), RemoteLevers::State::kSilent);
}

class DeskWithStand : public test::SdlJoysticks {};

TEST_F(DeskWithStand, SaysWhatBecomesOfIt) {
  Stand stand;
  ASSERT_TRUE(stand.levers);
  LeverDesk desk;
  desk.listen_to(std::move(stand.levers));
  const auto warned = [&desk] {
    std::string all;
    for (const std::string& text : desk.warnings()) all += text + "\n";
    return all;
  };
  const auto said = [&desk] {
    std::string all;
    for (const Notice& notice : desk.take_notices()) all += notice.text + "\n";
    return all;
  };
  desk.poll(0.0);
  EXPECT_THAT(warned(), HasSubstr("the lever stand at 127.0.0.1:47"));
  EXPECT_THAT(warned(), HasSubstr("is silent: neutral"));
  stand.send(0.5, 0.0, 0.01);
  desk.poll(0.01);
  EXPECT_THAT(said(), HasSubstr("is heard"));
  EXPECT_THAT(warned(), HasSubstr("let them go"));
  stand.send(0.0, 0.0, 0.02);
  desk.poll(0.02);
  stand.send(0.5, 0.0, 0.03);
  desk.poll(0.03);
  EXPECT_EQ(desk.current().axis[0], 0.5);
  EXPECT_THAT(warned(), testing::Not(HasSubstr("stand")));
  desk.poll(0.2);
  EXPECT_THAT(desk.current().axis, Each(0.0));
  EXPECT_THAT(said(), HasSubstr("fell silent: neutral"));
}

// With a key that is not the trainer's: the user is told to compare them.
TEST_F(DeskWithStand, SaysWhyItIsSilent) {
  Stand stand;
  ASSERT_TRUE(stand.levers);
  const std::string address = stand.address();
  stand.levers.reset();
  LeverDesk desk;
  desk.listen_to(std::make_unique<RemoteLevers>(address, test::key_of(3)));
  desk.poll(0.0);
  const auto warned = [&desk] { return testing::PrintToString(desk.warnings()); };
  EXPECT_THAT(warned(), testing::Not(HasSubstr("key")));
  stand.send(0.0, 0.0, 0.01);
  desk.poll(0.01);
  EXPECT_THAT(warned(), HasSubstr("its packets are of another key: compare"));
}

}  // namespace
}  // namespace knuckleboom::input
