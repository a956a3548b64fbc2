// Attempts made of invented snapshots, so that every figure has a known answer.
#pragma once

#include "knuckleboom/core/training/task.hpp"

namespace knuckleboom::test {

inline constexpr double kTick = 1e-3;

class Attempt {
 public:
  explicit Attempt(const training::Exercise& exercise, const training::DangerZone& zone = {},
                   std::vector<training::Tyre> tyres = {})
      : task(exercise, zone, std::move(tyres)) {
    state = task.initial_state();
    score = task.initial_score();
    at.held_log = -1;
    for (training::PoseSnapshot& log : at.log) log.q[0] = 1.0;
  }

  void tip(const Vec3& p) {
    for (int c = 0; c < 3; ++c) at.sim.tip_W[c] = p(c);
  }
  void grip(const Vec3& p, const Vec3& axis) {
    for (int c = 0; c < 3; ++c) {
      at.grip_W[c] = p(c);
      at.grip_axis_W[c] = axis(c);
    }
  }
  void log(int index, const Vec3& p) {
    for (int c = 0; c < 3; ++c) at.log[index].p[c] = p(c);
  }
  void lever(double axis) {
    at.input.axis[0] = axis;
    at.shaped[0] = axis;
  }

  void step() {
    ++at.sim.tick;
    task.observe(dt, at, state, score);
  }
  void steps(int count) {
    for (int i = 0; i < count; ++i) step();
  }
  // A tick at rest and one with a lever out: from here on the attempt runs.
  void start() {
    step();
    lever(0.5);
    step();
  }
  // Straight to p with the given speed.
  void move(const Vec3& p, double speed = 1.0) {
    const Vec3 from(at.sim.tip_W[0], at.sim.tip_W[1], at.sim.tip_W[2]);
    const int count = 1 + static_cast<int>((p - from).norm() / (speed * kTick));
    for (int i = 1; i <= count; ++i) {
      tip(from + (p - from) * i / count);
      step();
    }
  }
  training::TaskPhase phase() const { return at.task.phase; }

  double dt = kTick;
  training::Task task;
  training::TaskState state;
  training::ScoreState score;
  training::SessionSnapshot at{};
};

}  // namespace knuckleboom::test
