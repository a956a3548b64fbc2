// Planar mechanisms in the vertical x-z plane, and their motion in closed form.
#pragma once

#include <cmath>
#include <string>

#include "knuckleboom/core/command/scenario.hpp"
#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/multibody/loops.hpp"

namespace knuckleboom::test {

// Bars along x at zero, turning about -y: positive angles lift them.
struct FourBar {
  double ground = 1.0, crank = 0.3, coupler = 0.9, rocker = 0.7;
};

inline multibody::Body bar(const char* name, int parent, const Vec3& at, double length,
                           double mass) {
  multibody::Body body;
  body.name = body.joint_name = name;
  body.parent = parent;
  body.in_parent.p = at;
  body.type = multibody::JointType::kRevolute;
  body.axis_B = -Vec3::UnitY();
  body.inertia.mass = mass;
  body.inertia.com = Vec3(0.5 * length, 0.0, 0.0);
  const double I = mass * length * length / 12.0;
  body.inertia.about_com = Vec3(0.0, I, I).asDiagonal();
  return body;
}

// Appends crank, coupler and rocker; the loop closes coupler and rocker.
inline multibody::Loop add_four_bar(multibody::Tree& tree, const FourBar& f,
                                    const Vec3& at = Vec3::Zero(), const char* suffix = "") {
  const std::string end = suffix;
  const int crank = tree.add_body(bar(("crank" + end).c_str(), multibody::kBase, at, f.crank, 1.0));
  const int coupler =
      tree.add_body(bar(("coupler" + end).c_str(), crank, Vec3(f.crank, 0.0, 0.0), f.coupler, 2.0));
  const int rocker = tree.add_body(bar(("rocker" + end).c_str(), multibody::kBase,
                                       at + Vec3(f.ground, 0.0, 0.0), f.rocker, 1.5));
  multibody::Loop loop;
  loop.name = "pin" + end;
  loop.body_a = coupler;
  loop.point_a = Vec3(f.coupler, 0.0, 0.0);
  loop.body_b = rocker;
  loop.point_b = Vec3(f.rocker, 0.0, 0.0);
  return loop;
}

// R. Norton, Design of Machinery, ch. 4, 6, 7: absolute angles of coupler and rocker, open branch.
struct FourBarMotion {
  double angle[3], rate[3], acceleration[3];  // crank, coupler, rocker
};
inline FourBarMotion four_bar_motion(const FourBar& f, double angle, double rate,
                                     double acceleration) {
  const double a = f.crank, b = f.coupler, c = f.rocker, d = f.ground;
  const double x = a * std::cos(angle), y = a * std::sin(angle);
  const double e = std::hypot(d - x, -y);
  const double base = std::atan2(-y, d - x);
  const double t3 = base + std::acos((b * b + e * e - c * c) / (2.0 * b * e));
  const double t4 = std::atan2(y + b * std::sin(t3), x + b * std::cos(t3) - d);
  const double w3 = a * rate / b * std::sin(t4 - angle) / std::sin(t3 - t4);
  const double w4 = a * rate / c * std::sin(angle - t3) / std::sin(t4 - t3);
  const double A = c * std::sin(t4), B = b * std::sin(t3), D = c * std::cos(t4),
               E = b * std::cos(t3);
  const double C = a * acceleration * std::sin(angle) + a * rate * rate * std::cos(angle) +
                   b * w3 * w3 * std::cos(t3) - c * w4 * w4 * std::cos(t4);
  const double F = a * acceleration * std::cos(angle) - a * rate * rate * std::sin(angle) -
                   b * w3 * w3 * std::sin(t3) + c * w4 * w4 * std::sin(t4);
  const double a3 = (C * D - A * F) / (A * E - B * D);
  const double a4 = (C * E - B * F) / (A * E - B * D);
  return {{angle, t3, t4}, {rate, w3, w4}, {acceleration, a3, a4}};
}

// Crank at the origin, rod, slider along x through the origin.
struct CrankSlider {
  double crank = 0.2, rod = 0.7;
};
inline void add_crank_slider(multibody::Tree& tree, const CrankSlider& c,
                             std::vector<multibody::Loop>& loops) {
  const int crank = tree.add_body(bar("crank", multibody::kBase, Vec3::Zero(), c.crank, 1.0));
  const int rod = tree.add_body(bar("rod", crank, Vec3(c.crank, 0.0, 0.0), c.rod, 2.0));
  multibody::Body slider = bar("slider", rod, Vec3(c.rod, 0.0, 0.0), 0.2, 3.0);
  const int block = tree.add_body(slider);
  // As in the paper: two points on the line, the pin of the slider and another of the slider.
  for (int k = 0; k < 2; ++k) {
    multibody::Loop loop;
    loop.name = k == 0 ? "pin" : "guide";
    loop.kind = multibody::LoopKind::kPointLine;
    loop.body_a = block;
    loop.point_a = Vec3(0.1 * k, 0.0, 0.0);
    loop.body_b = multibody::kBase;
    loop.direction_b = Vec3::UnitX();
    loops.push_back(loop);
  }
}
struct SliderMotion {
  double rod_angle, rod_rate, rod_acceleration;  // absolute
  double x, x_dot, x_ddot;
};
inline SliderMotion slider_motion(const CrankSlider& c, double angle, double rate,
                                  double acceleration) {
  const double s = c.crank / c.rod;
  const double phi = std::asin(-s * std::sin(angle));
  const double phi_dot = -s * std::cos(angle) * rate / std::cos(phi);
  const double phi_ddot = (-s * (std::cos(angle) * acceleration - std::sin(angle) * rate * rate) +
                           std::sin(phi) * phi_dot * phi_dot) /
                          std::cos(phi);
  SliderMotion m{phi, phi_dot, phi_ddot, 0.0, 0.0, 0.0};
  m.x = c.crank * std::cos(angle) + c.rod * std::cos(phi);
  m.x_dot = -c.crank * std::sin(angle) * rate - c.rod * std::sin(phi) * phi_dot;
  m.x_ddot = -c.crank * (std::cos(angle) * rate * rate + std::sin(angle) * acceleration) -
             c.rod * (std::cos(phi) * phi_dot * phi_dot + std::sin(phi) * phi_ddot);
  return m;
}

// Torque at the crank from the motion alone: power of all bars over the crank's rate.
inline double four_bar_torque(const FourBar& f, double angle, double rate, double acceleration,
                              double& kinetic) {
  const FourBarMotion m = four_bar_motion(f, angle, rate, acceleration);
  const double length[3] = {f.crank, f.coupler, f.rocker};
  const double mass[3] = {1.0, 2.0, 1.5};
  // Start of each bar: its velocity and acceleration.
  double v[2] = {0.0, 0.0}, a[2] = {0.0, 0.0};
  double power = 0.0;
  kinetic = 0.0;
  for (int i = 0; i < 3; ++i) {
    const double c = std::cos(m.angle[i]), s = std::sin(m.angle[i]);
    if (i == 2) v[0] = v[1] = a[0] = a[1] = 0.0;
    const double w = m.rate[i], al = m.acceleration[i], l = length[i];
    const auto vx = [&](double r) { return v[0] - r * s * w; };
    const auto vz = [&](double r) { return v[1] + r * c * w; };
    const auto ax = [&](double r) { return a[0] - r * s * al - r * c * w * w; };
    const auto az = [&](double r) { return a[1] + r * c * al - r * s * w * w; };
    const double I = mass[i] * l * l / 12.0;
    const double h = 0.5 * l;
    power += mass[i] * (ax(h) * vx(h) + (az(h) + 9.81) * vz(h)) + I * al * w;
    kinetic += 0.5 * mass[i] * (vx(h) * vx(h) + vz(h) * vz(h)) + 0.5 * I * w * w;
    const double end_v[2] = {vx(l), vz(l)}, end_a[2] = {ax(l), az(l)};
    v[0] = end_v[0], v[1] = end_v[1], a[0] = end_a[0], a[1] = end_a[1];
  }
  return power / rate;
}

// The mechanism alone, driven at its crank by nothing or by a torque.
inline machine::MachineModel four_bar_machine(const FourBar& f = {}, int count = 1) {
  machine::MachineModel model;
  model.name = "four_bar";
  for (int k = 0; k < count; ++k)
    model.loops.push_back(
        add_four_bar(model.tree, f, Vec3(0.0, 0.5 * k, 0.0), std::to_string(k).c_str()));
  for (int k = 0; k < count; ++k) model.drives.push_back({3 * k, 0.0, 0.0});
  finish(model);
  return model;
}

inline command::Scenario four_bar_start(double crank, double duration_s, int count = 1) {
  command::Scenario scenario;
  scenario.name = "four_bar";
  scenario.duration_s = duration_s;
  for (int k = 0; k < count; ++k) {
    const std::string end = std::to_string(k);
    scenario.initial.push_back({"crank" + end, crank, false, false, 0.0, 0.0});
    scenario.initial.push_back({"coupler" + end, 0.5, false, false, 0.0, 0.0});
    scenario.initial.push_back({"rocker" + end, 1.5, false, false, 0.0, 0.0});
  }
  return scenario;
}

}  // namespace knuckleboom::test
