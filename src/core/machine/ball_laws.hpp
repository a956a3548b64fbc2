// Dampers and springs of ball joints within a step, as those of single joints in joint_laws.hpp. Their angular
// velocity and rotation vector are linear in the turns' rates, with the derivatives at the middle of the step.
#pragma once

#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/machine/state.hpp"
#include "knuckleboom/core/multibody/ball.hpp"

namespace knuckleboom::machine {

struct BallLaw {
  const multibody::Ball* ball;
  Mat3 omega, phi;  // angular velocity and change of the rotation vector by the three turns' rates
  Vec3 bent, bent_star;  // rotation vector at the start of the step; explicit part of a stage's end
  double weight;         // of the torques at the stage's end
  double step;           // by which the rates there move the rotation vector [s]

  static Vec3 turns(const multibody::Ball& ball, const double* by_joint) {
    return Eigen::Map<const Vec3>(by_joint + ball.first + 1);
  }
  Vec3 rates(const double* v) const { return turns(*ball, v); }
  // Torques on the turns that the damper and a spring bent by phi overcome.
  Vec3 resistance(const Vec3& rate, const Vec3& bent_by) const {
    return omega.transpose() * ball->damping.cwiseProduct(omega * rate) +
           phi.transpose() * ball->stiffness.cwiseProduct(bent_by);
  }
  // Their slope by the rates at the stage's end, with its weight.
  Mat3 slope() const {
    return weight * (omega.transpose() * ball->damping.asDiagonal() * omega +
                     step * (phi.transpose() * ball->stiffness.asDiagonal() * phi));
  }
  double loss(const Vec3& rate) const {
    const Vec3 w = omega * rate;
    return w.dot(ball->damping.cwiseProduct(w));
  }
};

struct BallLaws {
  int count = 0;
  BallLaw ball[kMaxLinks / multibody::kTurns];

  // q: at the start of the step.
  void start(const MachineModel& model, const double* q, const double* q_mid) {
    for (const multibody::Ball& joint : model.balls) {
      if (joint.damping.isZero(0.0) && joint.stiffness.isZero(0.0)) continue;
      BallLaw& b = ball[count++];
      const multibody::Bend middle = multibody::bend(q_mid + joint.first);
      b.ball = &joint;
      b.omega = multibody::turning(q_mid + joint.first);
      b.phi = middle.by_turn;
      b.bent = middle.phi - b.phi * (BallLaw::turns(joint, q_mid) - BallLaw::turns(joint, q));
    }
  }
  // A stage whose joints moved for a time at rates v before its own end counts.
  void begin_stage(double moved_s, const double* v, double weight, double step) {
    for (int i = 0; i < count; ++i) {
      BallLaw& b = ball[i];
      b.bent_star = b.bent + moved_s * (b.phi * b.rates(v));
      b.weight = weight;
      b.step = step;
    }
  }
  void add(const double* v, double* tau) const {
    for (int i = 0; i < count; ++i) {
      const BallLaw& b = ball[i];
      const Vec3 rate = b.rates(v);
      const Vec3 torque = b.weight * b.resistance(rate, b.bent_star + b.step * (b.phi * rate));
      for (int t = 0; t < 3; ++t) tau[b.ball->first + 1 + t] -= torque(t);
    }
  }
  // Adds what acts at the start of a step, with a weight.
  void add_start(const double* v, double weight, double* bias) const {
    for (int i = 0; i < count; ++i) {
      const BallLaw& b = ball[i];
      const Vec3 torque = weight * b.resistance(b.rates(v), b.bent);
      for (int t = 0; t < 3; ++t) bias[b.ball->first + 1 + t] += torque(t);
    }
  }
  void book(double weight, const double* v, EnergyLedger& energy) const {
    for (int i = 0; i < count; ++i) energy.friction += weight * ball[i].loss(ball[i].rates(v));
  }
};

}  // namespace knuckleboom::machine
