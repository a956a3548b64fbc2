#include "knuckleboom/core/machine/model.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "knuckleboom/core/machine/equations.hpp"
#include "knuckleboom/core/multibody/kinematics.hpp"
#include "support/machines.hpp"
#include "support/random_tree.hpp"

namespace knuckleboom {
namespace {

using machine::Actuator;
using machine::LinkageKind;
using machine::LinkageState;
using machine::MachineModel;
using multibody::Body;
using multibody::JointType;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Distance of the two pins by the kinematics of the bodies that carry them.
double pin_distance(const MachineModel& model, const Actuator& actuator, const double* q) {
  const double rest[kMaxLinks] = {};
  const auto kinematics = multibody::forward_kinematics(model.tree, q, rest);
  const int index = model.tree.link(actuator.link).body;
  const Body& body = model.tree.body(index);
  const multibody::Pose moving = multibody::body_pose(model.tree, kinematics, index);
  const multibody::Pose parent = body.parent == multibody::kBase
                                     ? multibody::Pose{}
                                     : multibody::body_pose(model.tree, kinematics, body.parent);
  const Vec3 base_P = body.in_parent.R * actuator.linkage.base_pin + body.in_parent.p;
  const Vec3 base = parent.R * base_P + parent.p;
  const Vec3 rod = moving.R * actuator.linkage.rod_pin + moving.p;
  return (base - rod).norm();
}

// Length and lever over the whole joint range, all other joints anywhere.
void check_linkages(const MachineModel& model, test::Random& random) {
  for (std::size_t k = 0; k < model.actuators.size(); ++k) {
    const Actuator& actuator = model.actuators[k];
    if (actuator.linkage.kind != LinkageKind::kTriangle) continue;
    const Body& body = model.tree.body(model.tree.link(actuator.link).body);
    for (int i = 0; i <= 100; ++i) {
      double q[kMaxLinks] = {};
      for (int j = 0; j < model.joint_count(); ++j) q[j] = random.uniform(-1.0, 1.0);
      double& own = q[actuator.link];
      own = body.lower + (body.upper - body.lower) * i / 100.0;
      const LinkageState state = machine::displacement(model, static_cast<int>(k), own);
      ASSERT_NEAR(state.x, pin_distance(model, actuator, q), 1e-14);
      const double d = 1e-4;
      const double middle = own;
      own = middle + d;
      const double above = pin_distance(model, actuator, q);
      own = middle - d;
      ASSERT_NEAR(state.J, (above - pin_distance(model, actuator, q)) / (2.0 * d), 1e-7);
      ASSERT_GT(state.J * actuator.linkage.sign, 0.0);
    }
  }
}

TEST(Model, LinkagesOfTheReferenceMachine) {
  const MachineModel model = test::reference_machine();
  EXPECT_EQ(model.actuators[0].linkage.sign, 1.0);
  EXPECT_EQ(model.actuators[1].linkage.sign, 1.0);
  EXPECT_EQ(model.actuators[2].linkage.sign, -1.0);  // extending folds the stick in
  test::Random random(1);
  check_linkages(model, random);
  // A direct drive moves as its joint.
  EXPECT_EQ(machine::displacement(model, 0, 0.7).x, 0.7);
  EXPECT_EQ(machine::displacement(model, 0, 0.7).J, 1.0);
}

// Slanted axes, turned frames, pins off the plane.
TEST(Model, LinkagesOfRandomMachines) {
  test::Random random(2);
  int machines = 0;
  for (int attempt = 0; attempt < 5000 && machines < 200; ++attempt) {
    MachineModel model;
    Body body;
    body.name = body.joint_name = "first";
    body.type = JointType::kRevolute;
    body.axis_B = random.direction();
    body.in_parent = {random.rotation(), random.vector(1.0)};
    body.inertia.mass = 1.0;
    body.inertia.about_com = 0.1 * Mat3::Identity();
    model.tree.add_body(body);
    body.parent = 0;
    body.name = body.joint_name = "second";
    body.axis_B = random.direction();
    body.in_parent = {random.rotation(), random.vector(1.0)};
    body.lower = random.uniform(-2.0, 1.0);
    body.upper = body.lower + random.uniform(0.1, 1.5);
    model.tree.add_body(body);
    Actuator actuator;
    actuator.link = 1;
    actuator.circuit = test::reference_cylinder(0.1, 0.06, 7e-12, 6e-12);
    actuator.linkage.kind = LinkageKind::kTriangle;
    actuator.linkage.base_pin = random.vector(1.0);
    actuator.linkage.rod_pin = random.vector(1.0);
    model.actuators = {actuator};
    model.controllers.resize(1);
    if (!machine::finish(model).empty()) continue;  // a dead centre within its range
    ++machines;
    check_linkages(model, random);
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(machines, 200);
}

TEST(Model, EndStopsComeFromTheJointLimits) {
  const MachineModel model = test::reference_machine();
  for (const int k : {1, 2}) {
    const Actuator& actuator = model.actuators[static_cast<std::size_t>(k)];
    const Body& body = model.tree.body(model.tree.link(actuator.link).body);
    const double a = machine::displacement(model, k, body.lower).x;
    const double b = machine::displacement(model, k, body.upper).x;
    EXPECT_EQ(actuator.stops.x_min, std::min(a, b));
    EXPECT_EQ(actuator.stops.x_max, std::max(a, b));
  }
  MachineModel given = test::reference_machine();
  given.actuators[1].stops.x_min = 1.2;
  given.actuators[1].stops.x_max = 1.9;
  given.actuators[0].stops = given.actuators[1].stops;
  given.actuators[0].stops.x_min = given.actuators[0].stops.x_max = 0.0;
  EXPECT_TRUE(machine::finish(given).empty());
  EXPECT_EQ(given.actuators[1].stops.x_min, 1.2);
  EXPECT_EQ(given.actuators[1].stops.x_max, 1.9);
  EXPECT_FALSE(given.actuators[0].stops.enabled);  // the swing turns without end
}

TEST(Model, FinishingTwiceChangesNothing) {
  MachineModel model = test::reference_machine();
  const MachineModel before = model;
  EXPECT_TRUE(machine::finish(model).empty());
  for (std::size_t k = 0; k < model.actuators.size(); ++k) {
    EXPECT_EQ(model.actuators[k].linkage.k0, before.actuators[k].linkage.k0);
    EXPECT_EQ(model.actuators[k].linkage.kc, before.actuators[k].linkage.kc);
    EXPECT_EQ(model.actuators[k].linkage.ks, before.actuators[k].linkage.ks);
    EXPECT_EQ(model.actuators[k].stops.x_min, before.actuators[k].stops.x_min);
    EXPECT_EQ(model.actuators[k].stops.x_max, before.actuators[k].stops.x_max);
  }
}

struct Fault {
  const char* sentence;  // part of it
  std::function<void(MachineModel&)> make;
};

// Every sentence that finish() knows, each from the reference machine with one thing wrong.
const Fault kFaults[] = {
    {"no moving joint",
     [](MachineModel& m) {
       m.tree = multibody::Tree{};
       m.actuators.clear();
       m.controllers.clear();
     }},
    {"every actuator needs a controller", [](MachineModel& m) { m.controllers.pop_back(); }},
    {"'boom': its joint does not exist", [](MachineModel& m) { m.actuators[1].link = 3; }},
    {"'boom': its joint does not exist", [](MachineModel& m) { m.actuators[1].link = -1; }},
    {"'boom': joint 'swing' already has an actuator",
     [](MachineModel& m) {
       m.actuators[1].link = 0;
       m.actuators[1].linkage.kind = LinkageKind::kDirect;
       m.actuators[1].stops.enabled = false;
     }},
    {"'boom': a pin lies on the joint axis",
     [](MachineModel& m) { m.actuators[1].linkage.rod_pin = Vec3(0.0, 0.4, 0.0); }},
    {"'boom': its pins meet",
     [](MachineModel& m) {
       // At the lower end of the range, where the pins are nearest.
       const double q = -0.35;
       m.actuators[1].linkage.base_pin = Vec3(std::cos(q), 0.0, std::sin(q));
       m.actuators[1].linkage.rod_pin = Vec3(1.0, 0.0, 0.0);
     }},
    {"'boom': its lever arm vanishes",
     [](MachineModel& m) { m.actuators[1].linkage.base_pin = Vec3(-0.9, 0.0, -0.35); }},
    {"'boom': its line inertance", [](MachineModel& m) { m.actuators[1].circuit.line2.I = -1.0; }},
    {"'boom': its line inertance", [](MachineModel& m) { m.actuators[1].circuit.line1.I = kNan; }},
    {"'boom': its line capacitance", [](MachineModel& m) { m.actuators[1].circuit.line1.C = 0.0; }},
    {"'boom': its line resistance", [](MachineModel& m) { m.actuators[1].circuit.line1.R = -1.0; }},
    {"'boom': the rod is as thick as its bore",
     [](MachineModel& m) { m.actuators[1].circuit.A2 = 0.0; }},
    {"'boom': the head side must not be smaller",
     [](MachineModel& m) { m.actuators[1].circuit.A1 = 0.9 * m.actuators[1].circuit.A2; }},
    {"'swing': displacement and gear ratio",
     [](MachineModel& m) { m.actuators[0].circuit.D_m = 0.0; }},
    {"'swing': displacement and gear ratio",
     [](MachineModel& m) { m.actuators[0].circuit.N = -1.0; }},
    {"'swing': its line resistance",
     [](MachineModel& m) { m.actuators[0].circuit.line2.R = -1.0; }},
    {"'stick': viscous friction", [](MachineModel& m) { m.actuators[2].circuit.B = -1.0; }},
    {"'stick': leakage", [](MachineModel& m) { m.actuators[2].circuit.leak_internal = -1e-14; }},
    {"'stick': leakage", [](MachineModel& m) { m.actuators[2].circuit.leak_external2 = kNan; }},
    {"'stick': relief needs a pressure",
     [](MachineModel& m) { m.actuators[2].circuit.protection.relief_Pa = 0.0; }},
    {"'stick': relief needs a pressure",
     [](MachineModel& m) { m.actuators[2].circuit.protection.relief_conductance = 0.0; }},
    {"'stick': anti-cavitation opens between",
     [](MachineModel& m) { m.actuators[2].circuit.protection.anti_cavitation_Pa = 1.0; }},
    {"'stick': anti-cavitation opens between",
     [](MachineModel& m) { m.actuators[2].circuit.protection.anti_cavitation_Pa = -1e5; }},
    {"'stick': anti-cavitation needs a conductance",
     [](MachineModel& m) { m.actuators[2].circuit.protection.anti_cavitation_conductance = 0.0; }},
    {"'stick': the valve's overlap",
     [](MachineModel& m) { m.actuators[2].circuit.valve.overlap_V = -0.1; }},
    {"'stick': the valve must open fully beyond its overlap",
     [](MachineModel& m) { m.actuators[2].circuit.valve.full_V = 0.5; }},
    {"'stick': the valve's least conductance ratio",
     [](MachineModel& m) { m.actuators[2].circuit.valve.min_conductance_ratio = 0.0; }},
    {"'stick': the valve's least conductance ratio",
     [](MachineModel& m) { m.actuators[2].circuit.valve.min_conductance_ratio = 1.0; }},
    {"'stick': the spool's time constant",
     [](MachineModel& m) { m.actuators[2].circuit.valve.spool_time_constant_s = -1e-3; }},
    {"'stick': every metering edge",
     [](MachineModel& m) { m.actuators[2].circuit.valve.edge[3].scale = 0.0; }},
    {"'stick': an end stop needs a stiffness",
     [](MachineModel& m) { m.actuators[2].stops.stiffness = 0.0; }},
    {"'stick': end stop damping and cushion",
     [](MachineModel& m) { m.actuators[2].stops.damping = -1.0; }},
    {"'stick': end stop damping and cushion",
     [](MachineModel& m) { m.actuators[2].stops.cushion_damping = -1.0; }},
    {"'stick': end stop damping and cushion",
     [](MachineModel& m) { m.actuators[2].stops.cushion = -1e-3; }},
    {"'stick': the two cushions overlap",
     [](MachineModel& m) { m.actuators[2].stops.cushion = 1.0; }},
    {"the pump pressure must be above",
     [](MachineModel& m) { m.supply.pump_Pa = m.supply.tank_Pa; }},
    {"tau_Q must be above zero", [](MachineModel& m) { m.tau_Q = 0.0; }},
};

TEST(Model, NamesEachFault) {
  for (const Fault& fault : kFaults) {
    SCOPED_TRACE(fault.sentence);
    MachineModel model = test::reference_machine();
    fault.make(model);
    const std::vector<std::string> faults = machine::finish(model);
    ASSERT_EQ(faults.size(), 1u) << (faults.empty() ? "" : faults[1]);
    EXPECT_NE(faults[0].find(fault.sentence), std::string::npos) << faults[0];
  }
}

TEST(Model, NamesAllFaultsAtOnce) {
  MachineModel model = test::reference_machine();
  model.tau_Q = 0.0;
  model.actuators[2].circuit.B = -1.0;
  model.actuators[0].circuit.N = 0.0;
  EXPECT_EQ(machine::finish(model).size(), 3u);
}

Body slide(int parent, const std::string& name) {
  Body body;
  body.name = body.joint_name = name;
  body.parent = parent;
  body.type = JointType::kPrismatic;
  body.inertia.mass = 10.0;
  body.upper = 1.0;
  return body;
}

TEST(Model, ACylinderBetweenPinsNeedsARevoluteJointWithLimits) {
  MachineModel model;
  model.tree.add_body(slide(multibody::kBase, "mast"));
  Actuator actuator = test::reference_machine().actuators[1];
  actuator.link = 0;
  model.actuators = {actuator};
  model.controllers.resize(1);
  std::vector<std::string> faults = machine::finish(model);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_NE(faults[0].find("needs a revolute joint"), std::string::npos);
  // Along the slide it is fine.
  model.actuators[0].linkage.kind = LinkageKind::kDirect;
  EXPECT_TRUE(machine::finish(model).empty());

  MachineModel endless;
  Body arm = slide(multibody::kBase, "arm");
  arm.type = JointType::kRevolute;
  arm.upper = 0.0;
  endless.tree.add_body(arm);
  actuator.stops.enabled = false;
  endless.actuators = {actuator};
  endless.controllers.resize(1);
  faults = machine::finish(endless);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_NE(faults[0].find("needs limits on joint 'arm'"), std::string::npos);
}

TEST(Model, EveryJointMovesSomeInertia) {
  const auto hinge = [](int parent, const char* name) {
    Body body = slide(parent, name);
    body.type = JointType::kRevolute;
    return body;
  };
  const auto faults_of = [](const std::vector<Body>& bodies) {
    MachineModel model;
    for (const Body& body : bodies) model.tree.add_body(body);
    return machine::finish(model);
  };
  Body point = hinge(multibody::kBase, "arm");  // a point mass on its own axis
  std::vector<std::string> faults = faults_of({point});
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_NE(faults[0].find("joint 'arm' moves no inertia"), std::string::npos) << faults[0];
  point.inertia.com = Vec3(1.0, 0.0, 0.0);
  EXPECT_TRUE(faults_of({point}).empty());
  // Two hinges on one axis with nothing between them: each moves the arm, together they are one.
  Body bare = hinge(multibody::kBase, "bare");
  bare.inertia = multibody::RigidInertia{};
  point.parent = 0;
  faults = faults_of({bare, point});
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_NE(faults[0].find("the mass matrix is singular"), std::string::npos) << faults[0];
}

TEST(Model, HasRoomForSoManyActuators) {
  MachineModel model;
  for (int i = 0; i <= kMaxActuators; ++i)
    model.tree.add_body(slide(i - 1, "slide" + std::to_string(i)));
  for (int i = 0; i <= kMaxActuators; ++i) {
    Actuator actuator;
    actuator.name = "a" + std::to_string(i);
    actuator.link = i;
    actuator.circuit = test::reference_cylinder(0.1, 0.06, 7e-12, 6e-12);
    model.actuators.push_back(actuator);
    model.controllers.emplace_back();
    const std::vector<std::string> faults = machine::finish(model);
    if (i < kMaxActuators) {
      ASSERT_TRUE(faults.empty());
    } else {
      ASSERT_EQ(faults.size(), 1u);
      EXPECT_NE(faults[0].find("at most 24 actuators"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace knuckleboom
