#include "knuckleboom/core/machine/air_rig.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "knuckleboom/core/friction/friction.hpp"
#include "knuckleboom/core/integration/joint_speeds.hpp"
#include "knuckleboom/core/integration/sdirk2.hpp"
#include "knuckleboom/core/machine/equations.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"
#include "linkage.hpp"

namespace knuckleboom::machine {
namespace {

using integration::Sdirk2;
using pneumatics::Chamber;
using pneumatics::kCap;
using pneumatics::kRod;

constexpr int kFrictionRounds = 8;
constexpr int kFootIterations = 8;
constexpr double kFootNear = 1e-4;        // m
constexpr double kShareOfInertia = 0.95;  // as in step_friction

// Data of a drive in the stages of one step.
struct AirStep {
  const AirDrive* drive;
  double J, x_n, x_star;
  pneumatics::Openings openings;
  Chamber star[2];
  pneumatics::CylinderStage stage;
  double bristle_star, bristle;
  double v_curve;   // speed for a falling curve that inertia could not follow
  bool lagging;     // it is
  double sense;     // +1, -1; 0: sticks
  double friction;  // viscous part included
};

double stuck_at_most(const AirStep& d) {
  return friction::sticks(d.drive->friction.kind) ? std::fabs(d.J) * d.drive->friction.F_s : 0.0;
}

friction::Force friction_at(AirStep& d, double g, double v) {
  const friction::FrictionModel& model = d.drive->friction;
  friction::Force f{0.0, 0.0};
  switch (model.kind) {
    case friction::Kind::kNone:
      break;
    case friction::Kind::kContinuous:
      f = friction::continuous(model, v);
      break;
    case friction::Kind::kCoulomb:
    case friction::Kind::kStribeck:
      if (d.sense == 0.0) break;
      f = friction::sliding(model, d.sense, d.lagging ? d.v_curve : v);
      if (d.lagging) f.slope = 0.0;
      break;
    case friction::Kind::kLuGre: {
      const friction::Bristle b = d.lagging
                                      ? friction::bristle_at(model, d.bristle_star, g, v, d.v_curve)
                                      : friction::bristle(model, d.bristle_star, g, v);
      d.bristle = b.z;
      f = friction::bristle_force(model, d.bristle_star, b, g, 1.0);
      break;
    }
  }
  f.force += d.drive->viscous * v;
  f.slope += d.drive->viscous;
  d.friction = f.force;
  return f;
}

void begin_drive(const AirDriveState& s, const AirDrive& drive, double q, double q_mid, double g,
                 double M_gii, double v, AirStep& d) {
  d.drive = &drive;
  const LinkageState mid = linkage_at(drive.linkage, q_mid);
  d.J = mid.J;
  d.x_n = d.x_star = linkage_at(drive.linkage, q).x - drive.displacement_in;
  d.openings = pneumatics::openings(drive.valve, s.spool_V);
  for (int k = 0; k < 2; ++k) {
    d.star[k] = s.chamber[k];
    d.stage.chamber[k].P = s.P[k];
  }
  d.bristle_star = d.bristle = s.bristle;
  const double x_dot = d.J * v;
  d.v_curve = x_dot;
  d.lagging = friction::steepest_fall(drive.friction, g) * d.J * d.J > kShareOfInertia * M_gii;
  d.sense = x_dot > 0.0 ? 1.0 : x_dot < 0.0 ? -1.0 : 0.0;
  d.friction = s.friction;
}

// Newton on the joint speeds with the sticking joints held, until their set no longer changes.
void solve_stage(const AirRig& rig, const pneumatics::FlowLaw& law, const double (*M_g)[kMaxLinks],
                 const double* bias, double g, const double* q_star, double* v_star,
                 AirStep* drives, double* v, AirRigState& state) {
  const int n = rig.tree.link_count();
  double tau[kMaxLinks];
  const auto forces = [&](const double* speed, double* out, double* slope) {
    for (int i = 0; i < n; ++i) {
      const multibody::Link& link = rig.tree.link(i);
      out[i] = -link.damping * speed[i];
      slope[i] = -link.damping;
      if (link.stiffness > 0.0) {
        out[i] -= link.stiffness * (q_star[i] + g * speed[i] - link.rest);
        slope[i] -= g * link.stiffness;
      }
    }
    for (std::size_t k = 0; k < rig.drives.size(); ++k) {
      AirStep& d = drives[k];
      const int i = d.drive->link;
      const double x_dot = d.J * speed[i];
      const double x = d.x_star + g * x_dot;
      pneumatics::cylinder_stage(law, rig.air, d.drive->cylinder, d.openings, d.star, g, x, x_dot,
                                 d.stage);
      const friction::Force f = friction_at(d, g, x_dot);
      const StopForce stop = stop_force(d.drive->stops, x, x_dot, g);
      out[i] += d.J * (d.stage.force - f.force + stop.force);
      slope[i] += d.J * d.J * (d.stage.by_v - f.slope + stop.dforce);
    }
    for (int i = 0; i < n; ++i) tau[i] = out[i];
  };
  bool broke[kMaxActuators] = {}, landed[kMaxActuators] = {};
  for (int round = 0;; ++round) {
    bool held[kMaxLinks] = {};
    bool any = false;
    for (std::size_t k = 0; k < rig.drives.size(); ++k) {
      const AirStep& d = drives[k];
      if (stuck_at_most(d) == 0.0 || d.sense != 0.0) continue;
      held[d.drive->link] = any = true;
      v[d.drive->link] = v_star[d.drive->link] = 0.0;
    }
    const integration::NewtonReport report = integration::solve_joint_speeds<kMaxLinks>(
        n, M_g, v_star, bias, any ? held : nullptr, v, forces);
    state.newton_worst = std::max<std::int64_t>(state.newton_worst, report.iterations);
    if (!report.converged) ++state.newton_unconverged;
    bool changed = false;
    for (std::size_t k = 0; k < rig.drives.size(); ++k) {
      AirStep& d = drives[k];
      const double most = stuck_at_most(d);
      if (most == 0.0) continue;
      const int i = d.drive->link;
      if (d.sense != 0.0) {
        if (d.sense * d.J * v[i] > 0.0) continue;
        d.sense = 0.0;
        landed[k] = changed = true;
      } else if (!(broke[k] && landed[k])) {
        double needed = bias[i] - tau[i];
        for (int j = 0; j < n; ++j)
          if (!held[j]) needed += M_g[i][j] * (v[j] - v_star[j]);
        if (std::fabs(needed) <= most) continue;
        d.sense = needed * d.J > 0.0 ? -1.0 : 1.0;
        broke[k] = changed = true;
      }
    }
    if (!changed) break;
    if (round == kFrictionRounds) {
      ++state.friction_unsettled;
      break;
    }
  }
  double slope[kMaxLinks];
  forces(v, tau, slope);
  for (std::size_t k = 0; k < rig.drives.size(); ++k) {
    AirStep& d = drives[k];
    if (stuck_at_most(d) > 0.0 && d.sense == 0.0) {
      double needed = bias[d.drive->link] - tau[d.drive->link];
      d.friction = d.J != 0.0 ? -needed / d.J : 0.0;
    }
  }
}

void book(const AirStep& d, double weight, double x_dot, AirDriveState& s) {
  for (int k = 0; k < 2; ++k) {
    const pneumatics::ChamberStage& c = d.stage.chamber[k];
    s.m_in += weight * c.m_dot;
    s.H_in += weight * c.H_dot;
    s.m_supply += weight * c.m_dot_supply;
  }
  const pneumatics::Cylinder& c = d.drive->cylinder;
  s.work += weight * x_dot *
            (d.stage.chamber[kCap].P * c.area_cap - d.stage.chamber[kRod].P * c.area_rod);
}

// The explicit part of the second stage.
void carry_on(AirStep& d, const AirDriveState& s, double h, double x_dot) {
  for (int k = 0; k < 2; ++k) {
    const Chamber& end = d.stage.chamber[k].end;
    d.star[k].m = s.chamber[k].m + Sdirk2::kCarry * (end.m - s.chamber[k].m);
    d.star[k].U = s.chamber[k].U + Sdirk2::kCarry * (end.U - s.chamber[k].U);
  }
  d.bristle_star = s.bristle + Sdirk2::kCarry * (d.bristle - s.bristle);
  d.x_star = d.x_n + h * Sdirk2::kWeight[0] * x_dot;
  d.v_curve = x_dot;
}

void end_drive(const AirRig& rig, const AirStep& d, double q, double v, AirDriveState& s,
               AirRigState& state) {
  const LinkageState at = linkage_at(d.drive->linkage, q);
  s.x = at.x - d.drive->displacement_in;
  s.v = at.J * v;
  for (int k = 0; k < 2; ++k) {
    const pneumatics::Side side = k == 0 ? kCap : kRod;
    s.chamber[k] = d.stage.chamber[k].end;
    s.P[k] = pneumatics::pressure(rig.air.gas, s.chamber[k],
                                  pneumatics::volume(d.drive->cylinder, side, s.x));
    s.T[k] = pneumatics::temperature(rig.air.gas, s.chamber[k]);
    state.chamber_worst =
        std::max<std::int64_t>(state.chamber_worst, d.stage.chamber[k].iterations);
    if (!std::isfinite(s.P[k])) ++state.non_finite;
  }
  s.force = pneumatics::force(rig.air, d.drive->cylinder, s.P[kCap], s.P[kRod]);
  s.friction = d.friction;
  s.bristle = d.bristle;
}

void middle_of_step(const AirRig& rig, const AirRigState& state, double* q_mid,
                    multibody::MassAndBias& body) {
  double v_mid[kMaxLinks] = {};
  const double h = rig.h;
  for (int i = 0; i < rig.tree.link_count(); ++i) {
    q_mid[i] = state.q[i] + 0.5 * h * (state.v[i] + 0.25 * h * state.a[i]);
    v_mid[i] = state.v[i] + 0.5 * h * state.a[i];
  }
  multibody::mass_and_bias(rig.tree, state.inertia, q_mid, v_mid, body);
}

void step_coupled(const AirRig& rig, const pneumatics::FlowLaw& law, AirRigState& state) {
  const int n = rig.tree.link_count();
  const double h = rig.h, g = Sdirk2::kGamma * h;
  double q_mid[kMaxLinks] = {};
  multibody::MassAndBias body;
  middle_of_step(rig, state, q_mid, body);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) body.M[i][j] /= g;
  AirStep drives[kMaxActuators];
  for (std::size_t k = 0; k < rig.drives.size(); ++k) {
    const int i = rig.drives[k].link;
    begin_drive(state.drive[k], rig.drives[k], state.q[i], q_mid[i], g, body.M[i][i], state.v[i],
                drives[k]);
  }
  double q_star[kMaxLinks], v_star[kMaxLinks], v[kMaxLinks], v_first[kMaxLinks];
  for (int i = 0; i < n; ++i) {
    q_star[i] = state.q[i];
    v_star[i] = state.v[i];
    v[i] = state.v[i] + g * state.a[i];
  }
  for (int stage = 0; stage < 2; ++stage) {
    solve_stage(rig, law, body.M, body.bias, g, q_star, v_star, drives, v, state);
    const double weight = h * Sdirk2::kWeight[stage];
    for (std::size_t k = 0; k < rig.drives.size(); ++k)
      book(drives[k], weight, drives[k].J * v[rig.drives[k].link], state.drive[k]);
    if (stage == 1) break;
    for (std::size_t k = 0; k < rig.drives.size(); ++k)
      carry_on(drives[k], state.drive[k], h, drives[k].J * v[rig.drives[k].link]);
    for (int i = 0; i < n; ++i) {
      v_first[i] = v[i];
      q_star[i] = state.q[i] + h * Sdirk2::kWeight[0] * v[i];
      const double a_first = (v[i] - v_star[i]) / g;
      v_star[i] = state.v[i] + Sdirk2::kCarry * (v[i] - state.v[i]);
      v[i] = v_star[i] + g * a_first;
    }
    // A drive that has come to rest starts again from rest.
    for (std::size_t k = 0; k < rig.drives.size(); ++k) {
      const int i = rig.drives[k].link;
      if (stuck_at_most(drives[k]) > 0.0 && drives[k].sense == 0.0) v_star[i] = v[i] = 0.0;
    }
  }
  for (int i = 0; i < n; ++i) {
    state.q[i] += h * (Sdirk2::kWeight[0] * v_first[i] + Sdirk2::kWeight[1] * v[i]);
    state.a[i] = (v[i] - v_star[i]) / g;
    state.v[i] = v[i];
    if (!std::isfinite(v[i])) ++state.non_finite;
  }
  for (std::size_t k = 0; k < rig.drives.size(); ++k) {
    const int i = rig.drives[k].link;
    end_drive(rig, drives[k], state.q[i], state.v[i], state.drive[k], state);
  }
}

struct Exchanged {
  double force;  // of air and friction on the piston [N]
  double moved;  // motion seen by the air [m]
};

// The actuators' program: chambers and friction along the received motion.
Exchanged exchanged_force(const AirRig& rig, const pneumatics::FlowLaw& law, const AirDrive& drive,
                          double q, double v, AirDriveState& s, AirRigState& state) {
  const double h = rig.h, g = Sdirk2::kGamma * h;
  AirStep d;
  begin_drive(s, drive, q, q + 0.5 * h * v, g, 1.0, v, d);
  const double x_dot = d.J * v;
  d.lagging = false;
  for (int stage = 0; stage < 2; ++stage) {
    pneumatics::cylinder_stage(law, rig.air, drive.cylinder, d.openings, d.star, g,
                               d.x_star + g * x_dot, x_dot, d.stage);
    friction_at(d, g, x_dot);
    book(d, h * Sdirk2::kWeight[stage], x_dot, s);
    if (stage == 0) carry_on(d, s, h, x_dot);
  }
  end_drive(rig, d, q + h * v, v, s, state);
  return {s.force - s.friction, s.x - d.x_n};
}

// The bodies' program: its own end stops and joint damping, forces as received.
void step_bodies(const AirRig& rig, const double* force, AirRigState& state) {
  const int n = rig.tree.link_count();
  const double h = rig.h;
  double q_mid[kMaxLinks] = {};
  multibody::MassAndBias body;
  middle_of_step(rig, state, q_mid, body);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) body.M[i][j] /= h;
  double v[kMaxLinks], v_star[kMaxLinks];
  for (int i = 0; i < n; ++i) v[i] = v_star[i] = state.v[i];
  const auto law = [&](const double* speed, double* out, double* slope) {
    for (int i = 0; i < n; ++i) {
      const multibody::Link& link = rig.tree.link(i);
      out[i] = -link.damping * speed[i] - link.stiffness * (state.q[i] + h * speed[i] - link.rest);
      slope[i] = -link.damping - h * link.stiffness;
    }
    for (std::size_t k = 0; k < rig.drives.size(); ++k) {
      const AirDrive& drive = rig.drives[k];
      const int i = drive.link;
      const LinkageState at = linkage_at(drive.linkage, q_mid[i]);
      const double x = at.x - at.J * (q_mid[i] - state.q[i] - h * speed[i]) - drive.displacement_in;
      const StopForce stop = stop_force(drive.stops, x, at.J * speed[i], h);
      out[i] += at.J * (force[k] + stop.force);
      slope[i] += at.J * at.J * stop.dforce;
    }
  };
  const integration::NewtonReport report =
      integration::solve_joint_speeds<kMaxLinks>(n, body.M, v_star, body.bias, nullptr, v, law);
  if (!report.converged) ++state.newton_unconverged;
  for (int i = 0; i < n; ++i) {
    state.a[i] = (v[i] - state.v[i]) / h;
    state.q[i] += h * v[i];
    state.v[i] = v[i];
    if (!std::isfinite(v[i])) ++state.non_finite;
  }
}

// Joint positions for the target of the foot.
void solve_foot(const AirRig& rig, double t, AirRigState& state) {
  const Vec3 target = foot_target(rig, t);
  double still[kMaxLinks] = {};
  bool there = false;
  for (int iteration = 0; iteration < kFootIterations; ++iteration) {
    const multibody::Kinematics at = multibody::forward_kinematics(rig.tree, state.q_foot, still);
    const multibody::PointMotion foot =
        multibody::point_motion(rig.tree, at, rig.foot.body, rig.foot.p_B);
    const Vec3 missing = target - foot.p_W;
    there = missing.squaredNorm() < kFootNear * kFootNear;
    Mat3 A = 1e-8 * Mat3::Identity();
    for (const AirDrive& drive : rig.drives) {
      const Vec3& J = nth(foot.J_W, drive.link);
      A += J * J.transpose();
    }
    const Vec3 y = A.inverse() * missing;
    for (const AirDrive& drive : rig.drives) {
      const std::size_t i = static_cast<std::size_t>(drive.link);
      const multibody::Body& body = rig.tree.body(rig.tree.link(drive.link).body);
      double& q = state.q_foot[i];
      q += foot.J_W[i].dot(y);
      if (body.upper > body.lower) q = std::clamp(q, body.lower, body.upper);
    }
  }
  if (!there) ++state.foot_out_of_reach;
}

// Positions and rates known to the controller and the actuators.
const double (*known(const AirRig& rig, const AirRigState& state))[kMaxLinks] {
  const std::int64_t from = std::max<std::int64_t>(0, state.tick - std::max(0, rig.exchange_ticks));
  return state.sent[from % (kMaxExchangeTicks + 1)];
}

void control_drives(const AirRig& rig, const double* q, AirRigState& state) {
  const double t = static_cast<double>(state.tick) * rig.h;
  if (rig.foot.used) solve_foot(rig, t, state);
  for (std::size_t k = 0; k < rig.drives.size(); ++k) {
    const AirDrive& drive = rig.drives[k];
    AirDriveState& s = state.drive[k];
    if (drive.mode == AirMode::kVoltage) {
      s.signal_V = command::value(drive.signal, t);
      s.reference = q[drive.link];
    } else {
      s.reference =
          drive.mode == AirMode::kFoot ? state.q_foot[drive.link] : command::value(drive.signal, t);
      if (state.tick % drive.gains.period_ticks == 0)
        s.signal_V =
            drive.valve.middle_V + control::sample(drive.gains, rig.h * drive.gains.period_ticks,
                                                   drive.sense, s.reference, q[drive.link], s.pid);
    }
  }
}

void send_motion(const AirRig& rig, AirRigState& state) {
  double(*to)[kMaxLinks] = state.sent[state.tick % (kMaxExchangeTicks + 1)];
  for (int i = 0; i < rig.tree.link_count(); ++i) {
    to[0][i] = state.q[i];
    to[1][i] = state.v[i];
  }
}

void fault(const std::string& who, const char* what) {
  if (what != nullptr) throw std::invalid_argument(who + ": " + what);
}

}  // namespace

void AirRig::finish() {
  fault("the air", pneumatics::fault_of(air));
  if (!(h > 0.0)) throw std::invalid_argument("the tick must be above zero");
  if (exchange_ticks > kMaxExchangeTicks)
    throw std::invalid_argument("the exchange is at most 63 ticks late");
  for (AirDrive& drive : drives) {
    const std::string who = "drive '" + drive.name + "'";
    fault(who, pneumatics::fault_of(drive.valve));
    fault(who, pneumatics::fault_of(drive.cylinder));
    fault(who, friction::fault_of(drive.friction));
    if (exchange_ticks >= 0 && friction::sticks(drive.friction.kind))
      throw std::invalid_argument(
          who +
          ": friction that sticks needs force and motion at one time; with exchange take "
          "viscous, continuous_coulomb_viscous or lugre");
    if (drive.linkage.kind == LinkageKind::kTriangle)
      derive(drive.linkage, tree.body(tree.link(drive.link).body).axis_B);
    const LinkageState at = linkage_at(drive.linkage, q_start[drive.link]);
    drive.sense = at.J < 0.0 ? -1.0 : 1.0;
    const double x = at.x - drive.displacement_in;
    if (!(x >= 0.0 && x <= drive.cylinder.stroke))
      throw std::invalid_argument(who + ": its piston starts beyond the stroke");
    drive.stops.enabled = true;
    drive.stops.x_min = 0.0;
    drive.stops.x_max = drive.cylinder.stroke;
  }
  if (foot.used) foot.home_W = foot_position(*this, q_start);
}

AirRigState start(const AirRig& rig) {
  AirRigState state;
  std::memset(static_cast<void*>(&state), 0, sizeof state);
  for (int i = 0; i < rig.tree.link_count(); ++i) {
    state.q[i] = state.q_foot[i] = rig.q_start[i];
    state.inertia[i] = nth(rig.tree.link_inertias(), i);
  }
  for (std::size_t k = 0; k < rig.drives.size(); ++k) {
    const AirDrive& drive = rig.drives[k];
    AirDriveState& s = state.drive[k];
    s.x = linkage_at(drive.linkage, state.q[drive.link]).x - drive.displacement_in;
    for (int side = 0; side < 2; ++side) {
      s.P[side] = drive.P_start[side];
      s.T[side] = rig.air.T_ambient;
      s.chamber[side] =
          pneumatics::filled(rig.air.gas, s.P[side], s.T[side],
                             pneumatics::volume(drive.cylinder, side == 0 ? kCap : kRod, s.x));
    }
    s.force = pneumatics::force(rig.air, drive.cylinder, s.P[kCap], s.P[kRod]);
    s.signal_V = s.spool_V = drive.valve.middle_V;
    s.reference = state.q[drive.link];
    s.pid = control::PidState{};
  }
  return state;
}

void step(const AirRig& rig, const pneumatics::FlowLaw& law, AirRigState& state) {
  send_motion(rig, state);
  const double(*seen)[kMaxLinks] = known(rig, state);
  control_drives(rig, seen[0], state);
  for (std::size_t k = 0; k < rig.drives.size(); ++k) {
    AirDriveState& s = state.drive[k];
    s.spool_V = pneumatics::follow(rig.drives[k].valve, rig.h, s.signal_V, s.spool_V);
  }
  if (rig.exchange_ticks < 0) {
    step_coupled(rig, law, state);
  } else {
    double force[kMaxActuators], x_before[kMaxActuators], told[kMaxActuators];
    for (std::size_t k = 0; k < rig.drives.size(); ++k) {
      const AirDrive& drive = rig.drives[k];
      const Exchanged e = exchanged_force(rig, law, drive, seen[0][drive.link], seen[1][drive.link],
                                          state.drive[k], state);
      force[k] = e.force;
      told[k] = e.moved;
      x_before[k] = linkage_at(drive.linkage, state.q[drive.link]).x;
    }
    step_bodies(rig, force, state);
    for (std::size_t k = 0; k < rig.drives.size(); ++k) {
      const AirDrive& drive = rig.drives[k];
      const double moved = linkage_at(drive.linkage, state.q[drive.link]).x - x_before[k];
      state.drive[k].exchange_gain += force[k] * (moved - told[k]);
    }
  }
  ++state.tick;
}

double body_energy(const AirRig& rig, const AirRigState& state) {
  const multibody::Energy e = multibody::energy(rig.tree, state.inertia, state.q, state.v);
  return e.kinetic + e.potential;
}

Vec3 foot_target(const AirRig& rig, double t) {
  Vec3 target = rig.foot.home_W;
  for (int k = 0; k < 3; ++k)
    target[k] += rig.foot.full * std::clamp(command::value(rig.foot.lever[k], t), -1.0, 1.0);
  return target;
}

Vec3 foot_position(const AirRig& rig, const double* q) {
  const double still[kMaxLinks] = {};
  return multibody::point_motion(rig.tree, multibody::forward_kinematics(rig.tree, q, still),
                                 rig.foot.body, rig.foot.p_B)
      .p_W;
}

}  // namespace knuckleboom::machine
