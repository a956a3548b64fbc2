// Levers on a thread of their own, with virtual ones, while the main thread does nothing.
#include "input/lever_thread.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/runtime/pacer.hpp"
#include "knuckleboom/runtime/simulation_thread.hpp"
#include "virtual_stick.hpp"

namespace knuckleboom::input::lever_thread_test {
namespace {

using namespace std::chrono_literals;
using command::LeverAxis;
using test::VirtualStick;
using testing::Each;

constexpr int kFull = command::kRawMax;

// Shows the input it runs with, and remembers when it changed.
class EchoTicker : public runtime::Ticker {
 public:
  void apply(const training::Command&) override {}
  void tick(const command::OperatorInput& input, training::SessionSnapshot& out) override {
    ++ticks_;
    observe(out);
    out.input = input;
    if (input.axis[0] != last_) changed_ns = runtime::monotonic_clock().now_ns();
    last_ = input.axis[0];
  }
  void observe(training::SessionSnapshot& out) override {
    out = {};
    out.sim.tick = ticks_;
  }

  std::atomic<std::int64_t> changed_ns{0};

 private:
  std::int64_t ticks_ = 0;
  double last_ = 0.0;
};

class LeverThreadWithSticks : public test::SdlJoysticks {
 protected:
  void SetUp() override {
    SdlJoysticks::SetUp();
    if (IsSkipped()) return;
    left_.emplace();
    right_.emplace();
    levers_.emplace();
    simulation_.emplace(ticker_);
    simulation_->start();
    levers_->connect(&*simulation_);
    levers_->operate(true);
  }
  void TearDown() override {
    if (levers_) levers_->connect(nullptr);
    simulation_.reset();
    levers_.reset();
    left_.reset();
    right_.reset();
    SdlJoysticks::TearDown();
  }

  double in_force(LeverAxis axis) {
    simulation_->refresh();
    return simulation_->published().newer.input.axis[static_cast<std::size_t>(axis)];
  }
  // Milliseconds until it is so.
  double wait_until(const std::function<bool()>& so) {
    const auto start = std::chrono::steady_clock::now();
    while (!so() && std::chrono::steady_clock::now() - start < 20s)
      std::this_thread::sleep_for(1ms);
    EXPECT_TRUE(so());
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
  }
  static void press(LeverDesk& desk, SDL_Scancode key) {
    SDL_Event event{};
    event.type = SDL_KEYDOWN;
    event.key.keysym.scancode = key;
    desk.handle(event);
  }

  EchoTicker ticker_;
  std::optional<VirtualStick> left_, right_;
  std::optional<LeverThread> levers_;
  std::optional<runtime::SimulationThread> simulation_;
};

// The main thread sleeps all the time, as with blocked rendering.
TEST_F(LeverThreadWithSticks, GiveNeutralWhenOneVanishesWhileThePictureStands) {
  wait_until([&] { return in_force(LeverAxis::kLeftX) == 0.0; });
  std::this_thread::sleep_for(20ms);  // seen at the centre
  left_->axis(0, kFull);
  const double moved_ms = wait_until([&] { return in_force(LeverAxis::kLeftX) == 1.0; });
  left_.reset();
  const double neutral_ms = wait_until([&] { return in_force(LeverAxis::kLeftX) == 0.0; });
  std::printf("to the tick: a move %.1f ms, neutral %.1f ms\n", moved_ms, neutral_ms);
  right_->axis(1, -kFull - 1);  // the other one still works
  wait_until([&] { return in_force(LeverAxis::kRightY) == 1.0; });
}

// From the driver's report to the tick: the poll's period and a tick.
TEST_F(LeverThreadWithSticks, BringEveryMoveToATick) {
  std::this_thread::sleep_for(20ms);
  std::vector<double> took_ms;
  for (int i = 1; i <= 100; ++i) {
    const std::int64_t moved_ns = runtime::monotonic_clock().now_ns();
    left_->axis(0, i % 2 == 1 ? kFull : 0);
    const double before = i % 2 == 1 ? 0.0 : 1.0;
    wait_until([&] { return in_force(LeverAxis::kLeftX) != before; });
    took_ms.push_back(static_cast<double>(ticker_.changed_ns - moved_ns) * 1e-6);
  }
  std::sort(took_ms.begin(), took_ms.end());
  std::printf("lever to tick: p50 %.2f ms, p95 %.2f ms, max %.2f ms of %zu\n", took_ms[49],
              took_ms[94], took_ms.back(), took_ms.size());
  EXPECT_GT(took_ms.front(), 0.0);
}

TEST_F(LeverThreadWithSticks, GiveNeutralToWhoDoesNotOperate) {
  std::this_thread::sleep_for(20ms);
  left_->axis(0, kFull);
  wait_until([&] { return in_force(LeverAxis::kLeftX) == 1.0; });
  levers_->operate(false);
  EXPECT_THAT(levers_->sent().input.axis, Each(0.0));
  wait_until([&] { return in_force(LeverAxis::kLeftX) == 0.0; });
  levers_->operate(true);
  wait_until([&] { return in_force(LeverAxis::kLeftX) == 1.0; });
}

// The machine moves already when its operator comes: from the recorded positions to his.
TEST_F(LeverThreadWithSticks, ComeInWithoutAJump) {
  std::this_thread::sleep_for(20ms);
  left_->axis(0, kFull);
  levers_->operate(false);
  command::OperatorInput recorded{};
  recorded.axis[static_cast<std::size_t>(LeverAxis::kLeftX)] = -0.5;
  levers_->ramp_in_from(recorded);
  levers_->operate(true);
  EXPECT_NEAR(levers_->sent().input.axis[static_cast<std::size_t>(LeverAxis::kLeftX)], -0.5, 0.02);
  wait_until([&] { return in_force(LeverAxis::kLeftX) < -0.3; });
  double before = -0.5;
  int back = 0;
  wait_until([&] {
    const double now = in_force(LeverAxis::kLeftX);
    if (now < before) ++back;
    before = now;
    return now == 1.0;
  });
  EXPECT_EQ(back, 0);
}

TEST_F(LeverThreadWithSticks, TakeHeldKeysForReleasedWhileThePictureStands) {
  press(*levers_->access(), SDL_SCANCODE_D);
  wait_until([&] {
    levers_->beat();
    return in_force(LeverAxis::kLeftX) == 1.0;
  });
  wait_until([&] { return in_force(LeverAxis::kLeftX) == 0.0; });  // no beat any more
  wait_until([&] {
    levers_->beat();  // rendering continues, and the key is still held
    return in_force(LeverAxis::kLeftX) == 1.0;
  });
}

TEST_F(LeverThreadWithSticks, ComeAndGoWhileOthersLook) {
  for (int i = 0; i < 50; ++i) {
    left_.reset();
    levers_->connect(nullptr);
    for (const Notice& notice : levers_->access()->take_notices())
      EXPECT_FALSE(notice.text.empty());
    {
      const auto desk = levers_->access();  // nobody looks meanwhile
      left_.emplace();
      left_->axis(0, kFull);  // not at its centre when it comes
    }
    levers_->connect(&*simulation_);
    levers_->beat();
    std::this_thread::sleep_for(5ms);
    EXPECT_EQ(in_force(LeverAxis::kLeftX), 0.0);
    levers_->access()->warnings();
    levers_->access()->devices();
  }
}

}  // namespace
}  // namespace knuckleboom::input::lever_thread_test
