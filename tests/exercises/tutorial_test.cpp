// The operator's tutorial, followed by lever inputs written from its text (tests/data/tutorial): what it and the
// briefings promise comes true on the exercises' machine.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "input/keyboard.hpp"
#include "knuckleboom/core/training/input_event.hpp"
#include "knuckleboom/io/input_file.hpp"
#include "support/paths.hpp"
#include "support/trainer.hpp"

namespace knuckleboom::tutorial_test {
namespace {

using training::SessionSnapshot;

// A session moved by an input file, or by a hand that changes one axis after the other.
class Lesson {
 public:
  explicit Lesson(const std::string& exercise, const char* file = nullptr, bool jaws = true)
      : session_(test::shipped_session(exercise)), state_(session_->initial_state()), jaws_(jaws) {
    if (file != nullptr)
      input_ = io::read_input(std::string(KNUCKLEBOOM_SOURCE_DIR "/tests/data/tutorial/") + file);
    now_ = session_->snapshot(state_);
  }

  template <class Seen>
  void until(double t_s, const Seen& seen) {
    training::InputPlayback playback(input_.events, state_.tick);
    while (now_.sim.t_s < t_s - 1e-6) {
      command::OperatorInput levers = playback.advance(
          state_.tick, [&](const training::Command& c) { session_->apply(c, state_); });
      if (input_.events.empty()) levers = hand_;
      if (!jaws_) levers.axis[static_cast<std::size_t>(command::LeverAxis::kRightRocker)] = 0.0;
      session_->step(levers, state_, now_);
      seen(now_);
    }
  }
  void until(double t_s) {
    until(t_s, [](const SessionSnapshot&) {});
  }
  void set(machine::Fidelity fidelity) {
    session_->apply({training::CommandKind::kFidelity, static_cast<std::int32_t>(fidelity)},
                    state_);
  }
  void hand(command::LeverAxis axis, double value) {
    hand_.axis[static_cast<std::size_t>(axis)] = value;
  }

  const SessionSnapshot& now() const { return now_; }
  double at(const char* joint) const { return now_.sim.joint[link(joint)].position; }
  const sim::ActuatorSnapshot& oil(const char* joint) const {
    return now_.sim.actuator[now_.sim.actuator_of_joint[link(joint)]];
  }
  // Angle of the grapple from plumb [rad].
  double plumb() const {
    return std::acos(std::clamp(-now_.hang_W[2] / vec(now_.hang_W).norm(), -1.0, 1.0));
  }

 private:
  int link(const char* joint) const { return session_->machine().tree.find_joint(joint); }

  std::unique_ptr<training::Session> session_;
  training::SessionState state_;
  bool jaws_;
  io::InputFile input_;
  command::OperatorInput hand_{};
  SessionSnapshot now_{};
};

TEST(Tutorial, EachLeverMovesWhatTheTableSays) {
  Lesson lesson("free_play", "levers.csv");
  const auto moved = [&](double from, double to, const char* joint) {
    lesson.until(from);
    const double before = lesson.at(joint);
    lesson.until(to);
    return lesson.at(joint) - before;
  };
  EXPECT_GT(moved(1.0, 3.2, "boom"), 0.2);
  EXPECT_GT(moved(6.0, 8.2, "stick"), 0.3);
  EXPECT_LT(moved(9.0, 11.2, "stick"), -0.3);
  EXPECT_GT(2.0 * moved(12.0, 13.2, "extension"), 0.3);  // the end, as the chain doubles it
  EXPECT_LT(2.0 * moved(14.0, 15.2, "extension"), -0.3);
  EXPECT_GT(moved(16.0, 18.2, "swing"), 0.5);
  EXPECT_LT(moved(22.0, 24.2, "swing"), -0.5);
  EXPECT_GT(moved(28.0, 29.2, "rotator"), 0.2);
  const double open = lesson.now().grapple_opening, hits = lesson.now().score.end_stop_hits;
  const std::int64_t arrivals = lesson.now().sim.health.stop_hits;
  lesson.until(31.2);
  const double closed = lesson.now().grapple_opening;
  EXPECT_LT(closed, open - 0.2);
  lesson.until(34.0);
  EXPECT_GT(lesson.now().grapple_opening, closed + 0.2);
  // That the jaws open to their stop is their work.
  EXPECT_GT(lesson.now().sim.health.stop_hits, arrivals);
  EXPECT_EQ(lesson.now().score.end_stop_hits, hits);
  EXPECT_EQ(lesson.now().score.collisions, 0);
}

// "Small deflections are slow; the last third is fast."
TEST(Tutorial, SmallDeflectionsAreSlow) {
  const auto speed = [](double lever) {
    Lesson lesson("free_play");
    lesson.hand(command::LeverAxis::kLeftX, -lever);
    lesson.until(1.5);
    const double before = lesson.at("swing");
    lesson.until(2.0);
    return (lesson.at("swing") - before) / 0.5;
  };
  const double full = speed(1.0), third = speed(1.0 / 3.0), two_thirds = speed(2.0 / 3.0);
  std::printf("swing at a third, two thirds of the lever: %.3f, %.2f of %.2f rad/s\n", third / full,
              two_thirds / full, full);
  EXPECT_LT(third, 0.10 * full);
  EXPECT_LT(two_thirds, 0.5 * full);
}

// "With Shift the lever goes only half of the way, which is a seventh of the speed": enough for the balls of "reach".
TEST(Tutorial, ShiftKeysReachABall) {
  Lesson lesson("reach");
  const auto push = [&](command::LeverAxis axis, double error, double sign) {
    lesson.hand(axis,
                std::fabs(error) < 0.1 ? 0.0 : std::copysign(input::kFineShare, sign * error));
  };
  while (lesson.now().task.step < 2 && lesson.now().sim.t_s < 60.0) {
    const double* ball = lesson.now().task.target_W;
    const double* tip = lesson.now().sim.tip_W;
    push(command::LeverAxis::kLeftY, std::hypot(ball[0], ball[1]) - std::hypot(tip[0], tip[1]),
         1.0);
    push(command::LeverAxis::kRightY, ball[2] - tip[2], -1.0);
    lesson.until(lesson.now().sim.t_s + 0.1);
  }
  std::printf("two balls with Shift in %.1f s\n", lesson.now().sim.t_s);
  EXPECT_EQ(lesson.now().task.step, 2);
  EXPECT_LT(lesson.now().sim.t_s, 40.0);

  Lesson turn("reach");
  turn.hand(command::LeverAxis::kLeftX, -input::kFineShare);
  turn.until(9.5);
  std::printf("swing with Shift: %.1f degrees in 9.5 s\n", 57.3 * turn.at("swing"));
  EXPECT_GT(57.3 * turn.at("swing"), 20.0);
  EXPECT_LT(57.3 * turn.at("swing"), 60.0);
}

// From the largest to the smallest height of the tip after the boom's lever went back over `release_s`.
double nod(double release_s) {
  const auto axis = command::LeverAxis::kRightY;
  Lesson lesson("free_play");
  lesson.until(1.0);
  lesson.hand(axis, -1.0);
  lesson.until(3.0);
  while (lesson.now().sim.t_s < 3.0 + release_s) {
    lesson.hand(axis, (lesson.now().sim.t_s - 3.0) / release_s - 1.0);
    lesson.until(lesson.now().sim.t_s + 0.01);
  }
  lesson.hand(axis, 0.0);
  lesson.until(3.4 + release_s);
  double low = 1e9, high = -1e9;
  lesson.until(6.4 + release_s, [&](const SessionSnapshot& s) {
    low = std::min(low, s.sim.tip_W[2]);
    high = std::max(high, s.sim.tip_W[2]);
  });
  return high - low;
}

// "When you let go of the lever, the boom nods by 20 cm. Return it over a second, and it nods half as far."
TEST(Tutorial, AGentleStopNodsHalfAsFar) {
  const double hard = nod(0.0), soft = nod(1.0);
  std::printf("nod of the tip: %.3f m, after a second's return %.3f m\n", hard, soft);
  EXPECT_NEAR(hard, 0.20, 0.04);
  EXPECT_LT(soft, 0.6 * hard);
}

// "There the pump's pressure rises to its highest and the flow ends"; no relief valve opens.
TEST(Tutorial, AtAnEndStopThePumpStops) {
  Lesson lesson("free_play");
  lesson.hand(command::LeverAxis::kRightY, -1.0);
  lesson.until(6.0);
  EXPECT_EQ(lesson.oil("boom").at_stop, 1);
  EXPECT_EQ(lesson.oil("boom").at_relief, 0);
  EXPECT_GT(lesson.now().sim.pump_Pa, 250e5);
  EXPECT_LT(std::fabs(lesson.oil("boom").flow_a_m3_per_s), 2.0 / 60e3);
}

// Briefing of "path" and section 4: the stick coming in lowers the tip, so the boom comes up with it.
TEST(Tutorial, TheStickComingInLowersTheTip) {
  Lesson lesson("path");
  const double before = lesson.now().sim.tip_W[2];
  lesson.hand(command::LeverAxis::kLeftY, -0.7);
  lesson.until(2.5);
  std::printf("stick in for 2.5 s: %.2f m\n", lesson.now().sim.tip_W[2] - before);
  EXPECT_LT(lesson.now().sim.tip_W[2], before - 0.1);
}

// Pressure on the boom's port A that its load alone needs [Pa].
double load_of(const Lesson& lesson) {
  return lesson.oil("boom").force / 1.9007e-2;  // area A of the lift cylinders
}

// Section 5, its first log. The same levers without closing show what the log adds.
TEST(Tutorial, ALogIsTakenIntoItsBunk) {
  Lesson lesson("logs", "log.csv"), empty("logs", "log.csv", false);
  lesson.until(6.5);
  const double still = lesson.plumb();
  lesson.until(8.0);
  EXPECT_LT(std::fabs(lesson.plumb() - still), 0.01);  // "it swings for a few seconds"
  EXPECT_LT(lesson.plumb(), 0.09);
  EXPECT_NEAR(lesson.now().grip_W[2] - lesson.now().log[0].p[2], 1.2, 0.3);
  lesson.until(17.0);
  EXPECT_EQ(lesson.now().held_log, 0);  // "*holds* names it"
  lesson.until(24.5);
  empty.until(24.5);
  EXPECT_NEAR(lesson.now().sim.tip_W[2], empty.now().sim.tip_W[2], 0.15);
  const double more = load_of(lesson) - load_of(empty);
  std::printf("boom's pressure with the log %.0f bar, %.1f bar more\n", 1e-5 * load_of(lesson),
              1e-5 * more);
  EXPECT_GT(more, 6e5);
  EXPECT_LT(more, 16e5);
  lesson.until(44.0);
  const double carried = lesson.oil("boom").port_a_Pa;
  lesson.until(49.0);
  EXPECT_LT(lesson.oil("boom").port_a_Pa, 0.85 * carried);  // "until the boom's pressure falls"
  lesson.until(60.0);
  EXPECT_EQ(lesson.now().held_log, -1);
  EXPECT_EQ(lesson.now().task.step, 1);  // "a log counts when it lies still in its bunk"
  EXPECT_EQ(lesson.now().score.collisions, 0);
}

// The measured crane has no swing, so the demonstrator cannot drive it: two levers towards the angles at which the booms'
// triangle (2.875 and 2.58 m) has its corner in the ball.
TEST(LabCrane, PassesItsExerciseInBothModels) {
  for (const machine::Fidelity fidelity : {machine::Fidelity::kReduced, machine::Fidelity::kFull}) {
    Lesson lesson("lab_reach");
    lesson.set(fidelity);
    while (lesson.now().task.phase < training::TaskPhase::kPassed && lesson.now().sim.t_s < 180.0) {
      const double* ball = lesson.now().task.target_W;
      const double x = ball[0] + 0.09, z = ball[2] - 1.4261, first = 2.875, second = 2.58;
      const double away = std::hypot(x, z);
      const auto corner = [](double a, double b, double opposite) {
        return std::acos((a * a + b * b - opposite * opposite) / (2.0 * a * b));
      };
      const double lift = std::atan2(z, x) + corner(first, away, second);
      const double tilt = corner(first, second, away) - std::numbers::pi;
      const auto lever = [](double error) { return std::clamp(4.0 * error, -0.7, 0.7); };
      lesson.hand(command::LeverAxis::kRightY, -lever(lift - lesson.at("lift")));
      lesson.hand(command::LeverAxis::kLeftY, lever(tilt - lesson.at("tilt")));
      lesson.until(lesson.now().sim.t_s + 0.1);
    }
    std::printf("lab_reach, %s: %d of %d in %.1f s, %.0f collisions\n",
                std::string(machine::word_of(fidelity)).c_str(), lesson.now().task.step,
                lesson.now().task.steps, lesson.now().sim.t_s, lesson.now().score.collisions);
    EXPECT_EQ(lesson.now().task.phase, training::TaskPhase::kPassed);
    EXPECT_EQ(lesson.now().sim.health.non_finite, 0);
  }
}

}  // namespace
}  // namespace knuckleboom::tutorial_test
