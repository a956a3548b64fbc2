#include "app/commands/oddities.hpp"

#include <cmath>

#include <fmt/format.h>

namespace knuckleboom::app {
namespace {

// Wide enough for anything that digs, lifts or is pushed by air.
constexpr double kLeastPump = 2e5, kMostPump = 1e8;            // Pa
constexpr double kLeastGyration = 1e-3, kMostGyration = 30.0;  // m
constexpr double kMostMass = 1e6;                              // kg
constexpr double kMostArm = 100.0;                             // m

void look_at(const multibody::Body& body, std::vector<std::string>& out) {
  const double mass = body.inertia.mass;
  if (!(mass > 0.0)) return;
  if (mass > kMostMass)
    out.push_back(fmt::format("body '{}' weighs {:g} kg; are those grams?", body.name, mass));
  const double arm = body.inertia.com.norm();
  if (arm > kMostArm)
    out.push_back(
        fmt::format("the centre of mass of body '{}' lies {:g} m from its frame; are "
                    "those millimetres?",
                    body.name, arm));
  // Of the largest moment: the mass at one distance from an axis.
  const double gyration = std::sqrt(body.inertia.about_com.diagonal().maxCoeff() / mass);
  if (gyration > kMostGyration)
    out.push_back(
        fmt::format("the inertia of body '{}' is that of {:g} kg at {:g} m from its centre; "
                    "is it in kg mm^2?",
                    body.name, mass, gyration));
  if (gyration > 0.0 && gyration < kLeastGyration)
    out.push_back(
        fmt::format("the inertia of body '{}' is that of {:g} kg at {:g} mm from its centre; "
                    "is it in t m^2?",
                    body.name, mass, 1e3 * gyration));
}

}  // namespace

std::vector<std::string> oddities(const machine::MachineModel& model) {
  std::vector<std::string> out;
  for (int i = 0; i < model.tree.body_count(); ++i) look_at(model.tree.body(i), out);
  const double pump = model.supply.pump_Pa;
  if (!model.actuators.empty() && !(pump >= kLeastPump && pump <= kMostPump))
    out.push_back(fmt::format("the supply has {:g} Pa, {:g} bar; is that the unit that is meant?",
                              pump, pump * 1e-5));
  return out;
}

}  // namespace knuckleboom::app
