// Knuckleboom::core without any file: a rod on a pin swings with the period of the textbook.
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>
#include <vector>

#include <knuckleboom/core/sim/simulation.hpp>

using namespace knuckleboom;

int main() {
  constexpr double kLength = 2.0, kMass = 10.0, kStart = 0.01;  // m, kg, rad
  multibody::Body rod;
  rod.name = rod.joint_name = "rod";
  rod.type = multibody::JointType::kRevolute;
  rod.axis_B = -Vec3::UnitY();
  rod.inertia.mass = kMass;
  rod.inertia.com = Vec3(0.0, 0.0, -0.5 * kLength);
  const double inertia = kMass * kLength * kLength / 12.0;
  rod.inertia.about_com = Vec3(inertia, inertia, 0.0).asDiagonal();
  machine::MachineModel model;
  model.name = "pendulum";
  model.tree.add_body(rod);
  for (const std::string& fault : machine::finish(model))
    std::fprintf(stderr, "%s\n", fault.c_str());

  command::Scenario scenario;
  scenario.duration_s = 10.0;
  scenario.initial.push_back({"rod", kStart});
  const sim::Simulation simulation(model, scenario);
  sim::SimState state = simulation.initial_state(machine::Fidelity::kReduced);
  double last = kStart;
  std::vector<double> crossings;
  while (state.tick < simulation.tick_count()) {
    simulation.step(state);
    const double q = state.machine.q[0];
    if (last > 0.0 && q <= 0.0)
      crossings.push_back(simulation.time(state) - simulation.tick_s() * q / (q - last));
    last = q;
  }
  const double period =
      (crossings.back() - crossings.front()) / (static_cast<double>(crossings.size()) - 1.0);
  const double textbook = 2.0 * std::numbers::pi * std::sqrt(2.0 * kLength / (3.0 * 9.81));
  std::printf("period %.6f s, by the textbook %.6f s\n", period, textbook);
  return std::fabs(period - textbook) < 1e-4 * textbook ? 0 : 1;
}
