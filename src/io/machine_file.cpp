#include "knuckleboom/io/machine_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <numbers>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "document.hpp"
#include "friction_table.hpp"
#include "gains_table.hpp"
#include "knuckleboom/core/math/trig.hpp"
#include "knuckleboom/core/world/grapple.hpp"
#include "rotation.hpp"
#include "table_reader.hpp"
#include "text_file.hpp"
#include "visual_reader.hpp"

namespace knuckleboom::io {
namespace {

using hydraulics::ActuatorKind;
using machine::LinkageKind;
using multibody::JointType;

constexpr std::size_t kMaxBodies = 256;
constexpr std::size_t kMaxValves = 64;
constexpr std::size_t kMaxVisuals = 256;
// What a grapple and the log it holds take of the world's room for machine parts.
constexpr std::size_t kGrappleShapes = world::kGrappleParts + 1;
constexpr double kLongest = 1000.0;  // m

class MachineReader {
 public:
  MachineReader(const Node& root, Report& report) : root_(root), report_(report) {}

  machine::MachineModel read() {
    TableReader reader(report_, root_, "the machine file");
    model_.name = name_of(reader, "name");
    model_.description = reader.text("description").value_or("");
    model_.tree.gravity_W =
        Vec3(0.0, 0.0, -reader.required("gravity", Dimension::kAcceleration, Range{0.0, 100.0}));
    hydraulic_ = root_.find("actuator") != nullptr;
    read_supply(reader);
    read_closed_valve(reader);
    read_bodies(reader);
    read_loops(reader);
    read_drives(reader);
    read_valves(reader);
    protection_ = reader.subtable("protection");
    if (protection_ != nullptr) read_protection(*protection_);
    oil_ = reader.subtable("oil");
    if (oil_ != nullptr) read_fluid(*oil_);
    read_actuators(reader);
    read_controllers(reader);
    read_tip(reader);
    read_shapes(reader);
    read_grapple(reader);
    read_visuals(reader);
    reader.done();
    list_sources(root_, "");
    report_.throw_if_any();

    for (std::string& sentence : machine::finish(model_)) {
      const Place place = place_named_in(sentence);
      report_.error(place, std::move(sentence));
    }
    report_.throw_if_any();
    return std::move(model_);
  }

 private:
  struct BodyDraft {
    multibody::Body body;
    std::string parent;
    Place place;
    Place parent_place;
    friction::FrictionModel friction;
    bool limits_given = false;
  };
  struct ActuatorDraft {
    machine::Actuator actuator;
    Place place;
  };

  std::string name_of(TableReader& reader, std::string_view key) {
    std::string name = reader.required_text(key);
    if (!name.empty() && !is_name(name))
      reader.error(key, fmt::format("'{}' is \"{}\"; a name starts with a letter and has letters, "
                                    "digits, '_' and '-' only, at most 64",
                                    key, name));
    return name;
  }

  void read_supply(TableReader& root) {
    const Node* node = hydraulic_ ? root.required_subtable("supply") : root.subtable("supply");
    if (node == nullptr) return;
    TableReader reader(report_, *node, "'supply'");
    model_.supply.kind = reader
                             .choice<hydraulics::SupplyKind>(
                                 "kind", {{"constant", hydraulics::SupplyKind::kConstant},
                                          {"pump", hydraulics::SupplyKind::kPump}})
                             .value_or(hydraulics::SupplyKind::kConstant);
    model_.supply.pump_Pa = reader.required("pump", Dimension::kPressure, Range{0.0, 1e8, true});
    model_.supply.tank_Pa =
        reader.quantity("tank", Dimension::kPressure, kNonNegative).value_or(0.0);
    if (reader.has("pump") && model_.supply.pump_Pa > 0.0 &&
        model_.supply.tank_Pa >= model_.supply.pump_Pa)
      reader.error("tank", "the tank must be at a lower pressure than the pump");
    if (model_.supply.kind == hydraulics::SupplyKind::kPump) read_pump(reader);
    reader.done();
  }

  void read_pump(TableReader& reader) {
    using hydraulics::PumpControl;
    hydraulics::PumpSupply& pump = model_.supply.pump;
    const auto control =
        reader.choice<PumpControl>("control", {{"fixed", PumpControl::kFixed},
                                               {"pressure", PumpControl::kPressure},
                                               {"load_sensing", PumpControl::kLoadSensing}});
    if (!reader.has("control")) reader.missing("control", {Dimension::kNone});
    pump.control = control.value_or(PumpControl::kLoadSensing);
    const auto read = [&reader](double& value, std::string_view stem, Dimension dimension,
                                Range range) {
      if (const auto given = reader.quantity(stem, dimension, range)) value = *given;
    };
    pump.displacement = reader.required("displacement", Dimension::kMotorDisplacement, kPositive);
    read(pump.speed_ratio, "speed_ratio", Dimension::kNone, Range{0.01, 100.0});
    const bool senses = pump.control == PumpControl::kLoadSensing;
    const bool regulated = pump.control != PumpControl::kFixed;
    if (senses) {
      pump.margin_Pa = reader.required("margin", Dimension::kPressure, kPositive);
      pump.standby_Pa = reader.required("standby", Dimension::kPressure, kPositive);
      read(pump.load_line_s, "load_line", Dimension::kTime, kNonNegative);
    }
    if (regulated) {
      pump.stroke_time_s = reader.required("stroke_time", Dimension::kTime, Range{1e-3, 10.0});
      pump.regulator_band_Pa =
          reader.required("regulator_band", Dimension::kPressure, Range{1e4, 1e8});
      read(pump.regulator_damping_s, "regulator_damping", Dimension::kTime, Range{0.0, 1.0});
      read(pump.power_limit_W, "power_limit", Dimension::kPower, kPositive);
    }
    read(pump.leak, "leak", Dimension::kFlowPerPressure, kNonNegative);
    read(pump.drag_torque, "drag_torque", Dimension::kTorque, kNonNegative);
    if (const auto pistons = reader.integer("pistons", 1, 99)) pump.pistons = *pistons;
    read(pump.ripple, "ripple", Dimension::kNone, Range{0.0, 1.0});
    if (pump.ripple > 0.0 && pump.pistons == 0)
      reader.error("ripple", "a ripple needs the number of pistons; add 'pistons'");
    if (const Node* node = reader.required_subtable("gallery")) {
      TableReader gallery(report_, *node, "'gallery' of 'supply'");
      // Smaller ones would swing with the actuators within a tick.
      pump.gallery_volume = gallery.required("volume", Dimension::kVolume, Range{1e-4, 10.0});
      pump.gallery_bulk_modulus =
          gallery.required("bulk_modulus", Dimension::kPressure, Range{1e7, 1e10});
      gallery.done();
    }
    if (const Node* node = reader.required_subtable("relief")) {
      TableReader relief(report_, *node, "'relief' of 'supply'");
      pump.relief_Pa = relief.required("set", Dimension::kPressure, kPositive);
      pump.relief_conductance =
          relief.required("conductance", Dimension::kFlowPerPressure, kPositive);
      relief.done();
    }
    if (const Node* node = reader.required_subtable("engine")) read_engine(*node, pump.engine);
    constexpr std::size_t kMost = 8;
    for (const Node* node : reader.tables("accumulator", kMost)) {
      TableReader own(report_, *node, "the accumulator");
      hydraulics::Accumulator accumulator;
      if (own.has("name")) name_of(own, "name");
      accumulator.precharge_Pa = own.required("precharge", Dimension::kPressure, kNonNegative);
      accumulator.gas_volume = own.required("volume", Dimension::kVolume, Range{1e-6, 10.0});
      accumulator.exponent =
          own.quantity("exponent", Dimension::kNone, Range{1.05, 2.0}).value_or(1.3);
      own.done();
      pump.accumulators.push_back(accumulator);
    }
  }

  void read_engine(const Node& node, hydraulics::Engine& engine) {
    TableReader reader(report_, node, "'engine' of 'supply'");
    engine.speed = reader.required("speed", Dimension::kAngularSpeed, Range{1.0, 1e4});
    const auto inertia = reader.quantity("inertia", Dimension::kInertia, kPositive);
    // Without inertia the speed never changes.
    if (reader.has("inertia") || reader.has("droop") || reader.has("torque_max")) {
      engine.inertia = inertia.value_or(0.0);
      if (!reader.has("inertia")) reader.missing("inertia", {Dimension::kInertia});
      engine.droop = reader.required("droop", Dimension::kNone, Range{0.001, 0.5});
      engine.torque_max = reader.required("torque_max", Dimension::kTorque, kPositive);
      engine.governor_s =
          reader.quantity("governor_lag", Dimension::kTime, kNonNegative).value_or(0.0);
    }
    reader.done();
  }

  void read_closed_valve(TableReader& root) {
    const Node* node =
        hydraulic_ ? root.required_subtable("closed_valve") : root.subtable("closed_valve");
    if (node == nullptr) return;
    TableReader reader(report_, *node, "'closed_valve'");
    const auto kind = reader.choice<machine::ClosedValveModel>(
        "model", {{"dynamic", machine::ClosedValveModel::kDynamic},
                  {"quasi_static", machine::ClosedValveModel::kQuasiStatic}});
    if (!reader.has("model")) reader.missing("model", {Dimension::kNone});
    if (kind) model_.closed_valve = *kind;
    model_.tau_Q = reader.required("tau_Q", Dimension::kTime, Range{1e-4, 1.0});
    reader.done();
  }

  // --- Bodies ---------------------------------------------------------------------------------

  void read_bodies(TableReader& root) {
    const auto nodes = root.tables("body", kMaxBodies);
    if (nodes.empty()) {
      if (!root.has("body"))
        report_.error(root_.place, "the machine file has no bodies; add at least one [[body]]");
      return;
    }
    std::vector<BodyDraft> drafts;
    drafts.reserve(nodes.size());
    for (const Node* node : nodes) drafts.push_back(read_body(*node));
    check_body_names(drafts);
    add_in_order(drafts);
  }

  BodyDraft read_body(const Node& node) {
    const Node* name = node.find("name");
    TableReader reader(
        report_, node,
        name != nullptr && name->is_string() ? fmt::format("body '{}'", name->text) : "the body");
    BodyDraft draft;
    draft.place = node.place;
    draft.body.name = name_of(reader, "name");
    draft.parent = reader.text("parent").value_or("base");
    draft.parent_place = reader.place_of("parent");
    draft.body.in_parent.p = reader.required_vector("position", Dimension::kLength);
    if (const auto rpy = reader.vector("rpy", Dimension::kAngle))
      draft.body.in_parent.R = rotation(*rpy);
    draft.body.inertia = read_inertia(reader);
    if (const Node* joint = reader.subtable("joint")) read_joint(*joint, draft);
    reader.done();
    return draft;
  }

  multibody::RigidInertia read_inertia(TableReader& reader) {
    multibody::RigidInertia inertia;
    const std::size_t before = report_.count();
    inertia.mass = reader.required("mass", Dimension::kMass, Range{0.0, 1e6});
    inertia.com = reader.required_vector("com", Dimension::kLength);
    const auto I = reader.numbers("inertia", Dimension::kInertia, kAny, 3, 6);
    if (!reader.has("inertia")) reader.missing("inertia", {Dimension::kInertia});
    if (!I) return inertia;
    if (I->size() != 3 && I->size() != 6) {
      reader.error("inertia", fmt::format("'inertia' has {} entries; expected [xx, yy, zz] or "
                                          "[xx, yy, zz, xy, xz, yz]",
                                          I->size()));
      return inertia;
    }
    inertia.about_com.diagonal() = Vec3((*I)[0], (*I)[1], (*I)[2]);
    if (I->size() == 6) {
      inertia.about_com(0, 1) = inertia.about_com(1, 0) = (*I)[3];
      inertia.about_com(0, 2) = inertia.about_com(2, 0) = (*I)[4];
      inertia.about_com(1, 2) = inertia.about_com(2, 1) = (*I)[5];
    }
    if (report_.count() != before) return inertia;
    if (inertia.mass == 0.0 && !inertia.about_com.isZero(0.0))
      reader.error("mass",
                   fmt::format("{} has an inertia but no mass; give its mass", reader.what()));
    else if (!multibody::is_physical(inertia))
      reader.error(
          "inertia",
          fmt::format("{} has an inertia no body can have: each principal moment must be "
                      "at least zero and at most the sum of the other two; check the "
                      "order xx, yy, zz, xy, xz, yz and that it is about the centre of mass",
                      reader.what()));
    return inertia;
  }

  void read_joint(const Node& node, BodyDraft& draft) {
    multibody::Body& body = draft.body;
    const Node* name = node.find("name");
    TableReader reader(report_, node,
                       name != nullptr && name->is_string()
                           ? fmt::format("joint '{}'", name->text)
                           : fmt::format("the joint of body '{}'", body.name));
    const auto type = reader.choice<JointType>("type", {{"revolute", JointType::kRevolute},
                                                        {"prismatic", JointType::kPrismatic},
                                                        {"fixed", JointType::kFixed}});
    if (!reader.has("type")) reader.missing("type", {Dimension::kNone});
    if (!type) {
      // Without its type the units of the rest cannot be judged.
      return;
    }
    body.type = *type;
    if (body.type == JointType::kFixed) {
      if (reader.has("name")) body.joint_name = name_of(reader, "name");
      reader.done();
      return;
    }
    body.joint_name = name_of(reader, "name");
    body.axis_B = reader.required_vector("axis", Dimension::kNone);
    if (const double length = body.axis_B.stableNorm(); length > 0.0 && std::isfinite(length))
      body.axis_B /= length;
    else if (const auto* axis = node.find("axis"); axis != nullptr && axis->is_array())
      reader.error("axis", fmt::format("the axis of {} has no direction; give a vector that is not "
                                       "zero, such as [0, 0, 1]",
                                       reader.what()));
    const bool revolute = body.type == JointType::kRevolute;
    const Dimension position = revolute ? Dimension::kAngle : Dimension::kLength;
    const auto lower = reader.quantity("lower", position);
    const auto upper = reader.quantity("upper", position);
    draft.limits_given = reader.has("lower") || reader.has("upper");
    if (reader.has("lower") != reader.has("upper"))
      reader.error(reader.has("lower") ? "lower" : "upper",
                   fmt::format("{} has only one limit; give 'lower' and 'upper', or neither",
                               reader.what()));
    if (lower && upper) {
      body.lower = *lower;
      body.upper = *upper;
      if (*lower >= *upper)
        reader.error("lower", fmt::format("the lower limit of {} ({}) is not below the upper ({}); "
                                          "exchange them or leave both out for no limits",
                                          reader.what(), *lower, *upper));
    }
    draft.friction = read_friction(report_, reader, revolute, "damping", false, body.damping);
    body.stiffness =
        reader
            .quantity("spring", revolute ? Dimension::kRotaryStiffness : Dimension::kStiffness,
                      kPositive)
            .value_or(0.0);
    body.rest = reader.quantity("spring_rest", position).value_or(0.0);
    if (reader.has("spring_rest") && !reader.has("spring"))
      reader.error("spring_rest", fmt::format("the spring of {} has a rest only; give 'spring' too",
                                              reader.what()));
    body.stop_stiffness =
        reader
            .quantity("stop_stiffness",
                      revolute ? Dimension::kRotaryStiffness : Dimension::kStiffness, kPositive)
            .value_or(0.0);
    body.stop_damping =
        reader
            .quantity("stop_damping", revolute ? Dimension::kRotaryDamping : Dimension::kDamping,
                      kNonNegative)
            .value_or(0.0);
    if (reader.has("stop_stiffness") && !draft.limits_given)
      reader.error("stop_stiffness",
                   fmt::format("the stops of {} have no place: give it 'lower' and "
                               "'upper', or remove 'stop_stiffness'",
                               reader.what()));
    if (reader.has("stop_damping") && !reader.has("stop_stiffness"))
      reader.error("stop_damping",
                   fmt::format("the stops of {} have a damping only; give 'stop_stiffness' too",
                               reader.what()));
    reader.done();
  }

  void check_body_names(const std::vector<BodyDraft>& drafts) {
    std::set<std::string> bodies{"base"};
    std::set<std::string> joints;
    int moving = 0;
    for (const BodyDraft& draft : drafts) {
      if (draft.body.name == "base")
        report_.error(draft.place, "no body may be called 'base'; that is the ground");
      else if (!draft.body.name.empty() && !bodies.insert(draft.body.name).second)
        report_.error(draft.place,
                      fmt::format("there are two bodies called '{}'; rename one", draft.body.name));
      if (!draft.body.joint_name.empty() && !joints.insert(draft.body.joint_name).second)
        report_.error(draft.place, fmt::format("there are two joints called '{}'; rename one",
                                               draft.body.joint_name));
      if (draft.body.type != JointType::kFixed && ++moving == kMaxLinks + 1)
        report_.error(draft.place,
                      fmt::format("a machine has at most {} moving bodies", kMaxLinks));
    }
    if (moving == 0 && !report_.any())
      report_.error(root_.place, "no body can move; give at least one a joint that is not fixed");
  }

  // Parents first; bodies that are ready at the same time stay in the order of the file.
  void add_in_order(std::vector<BodyDraft>& drafts) {
    std::vector<std::string> names{"base"};
    for (const BodyDraft& draft : drafts) names.push_back(draft.body.name);
    bool known = true;
    for (const BodyDraft& draft : drafts) {
      if (std::find(names.begin(), names.end(), draft.parent) != names.end()) continue;
      known = false;
      report_.error(draft.parent_place,
                    fmt::format("body '{}' has the parent '{}', which does not exist{}",
                                draft.body.name, draft.parent, alternatives(draft.parent, names)));
    }
    const bool sound = !report_.any();
    std::vector<friction::FrictionModel> friction;
    std::map<std::string, int> added{{"base", multibody::kBase}};
    std::vector<bool> done(drafts.size(), false);
    for (bool progress = true; progress;) {
      progress = false;
      for (std::size_t i = 0; i < drafts.size(); ++i) {
        const auto parent = added.find(drafts[i].parent);
        if (done[i] || parent == added.end()) continue;
        done[i] = progress = true;
        const int index = static_cast<int>(added.size()) - 1;
        added.emplace(drafts[i].body.name, index);
        places_.emplace("body " + drafts[i].body.name, drafts[i].place);
        if (!drafts[i].body.joint_name.empty()) {
          joint_names_.push_back(drafts[i].body.joint_name);
          joint_types_[drafts[i].body.joint_name] = drafts[i].body.type;
          joint_limited_[drafts[i].body.joint_name] = drafts[i].limits_given;
          places_.emplace("joint " + drafts[i].body.joint_name, drafts[i].place);
        }
        // With errors the tree is not needed, and it would refuse some of the bodies.
        if (!sound) continue;
        drafts[i].body.parent = parent->second;
        model_.tree.add_body(drafts[i].body);
        if (drafts[i].body.type != JointType::kFixed) friction.push_back(drafts[i].friction);
      }
    }
    for (std::size_t i = 0; known && i < drafts.size(); ++i)
      if (!done[i])
        report_.error(drafts[i].parent_place,
                      fmt::format("body '{}' hangs on itself: its chain of parents never reaches "
                                  "'base'; give one body of the circle another parent",
                                  drafts[i].body.name));
    if (std::any_of(friction.begin(), friction.end(),
                    [](const auto& dry) { return dry.kind != friction::Kind::kNone; }))
      model_.joint_friction = std::move(friction);
    bodies_known_ = known;
  }

  // --- Loops and drives -----------------------------------------------------------------------

  // The body that a key names, base included; kBase where it is wrong.
  int any_body(TableReader& reader, std::string_view key, bool required) {
    const std::string body = required ? reader.required_text(key) : reader.text(key).value_or("");
    const int found = model_.tree.find_body(body);
    if (body.empty() || body == "base" || found != multibody::kBase ||
        model_.tree.body_count() == 0)
      return found;
    std::vector<std::string> names{"base"};
    for (int i = 0; i < model_.tree.body_count(); ++i) names.push_back(model_.tree.body(i).name);
    reader.error(key, fmt::format("{} names the body '{}', which does not exist{}", reader.what(),
                                  body, alternatives(body, names)));
    return found;
  }

  void read_loops(TableReader& root) {
    std::set<std::string> names;
    const auto nodes = root.tables("loop", kMaxBodies);
    if (nodes.size() > static_cast<std::size_t>(multibody::kMaxLoops))
      report_.error(nodes[multibody::kMaxLoops]->place,
                    fmt::format("there are {} loops; a machine has at most {}", nodes.size(),
                                multibody::kMaxLoops));
    for (const Node* node : nodes) {
      const std::string called = text_of(*node, "name");
      TableReader reader(report_, *node,
                         called.empty() ? "the loop" : fmt::format("loop '{}'", called));
      multibody::Loop loop;
      loop.name = name_of(reader, "name");
      if (!loop.name.empty() && !names.insert(loop.name).second)
        report_.error(node->place,
                      fmt::format("there are two loops called '{}'; rename one", loop.name));
      const auto kind = reader.choice<multibody::LoopKind>(
          "kind", {{"point_point", multibody::LoopKind::kPointPoint},
                   {"point_line", multibody::LoopKind::kPointLine}});
      if (!reader.has("kind")) reader.missing("kind", {Dimension::kNone});
      if (!kind) continue;  // without its kind the rest cannot be judged
      loop.kind = *kind;
      loop.body_a = any_body(reader, "body_a", true);
      loop.point_a = reader.required_vector("point_a", Dimension::kLength);
      loop.body_b = any_body(reader, "body_b", true);
      loop.point_b = reader.required_vector("point_b", Dimension::kLength);
      if (*kind == multibody::LoopKind::kPointLine)
        loop.direction_b = direction_of(reader, "direction_b");
      if (text_of(*node, "body_a") == text_of(*node, "body_b") && !text_of(*node, "body_a").empty())
        reader.error("body_b", fmt::format("both ends of {} are on one body; a loop joins two",
                                           reader.what()));
      reader.done();
      places_.emplace("loop " + loop.name, node->place);
      model_.loops.push_back(std::move(loop));
    }
  }

  void read_drives(TableReader& root) {
    std::set<std::string> seen;
    for (const Node* node : root.tables("drive", kMaxBodies)) {
      const std::string joint = text_of(*node, "joint");
      TableReader reader(report_, *node,
                         joint.empty() ? "the drive" : fmt::format("the drive of '{}'", joint));
      const auto type = joint_of(reader);
      if (!joint.empty() && !seen.insert(joint).second)
        report_.error(node->place, fmt::format("joint '{}' has two drives; remove one", joint));
      if (!type) continue;  // without its joint the units cannot be judged
      const bool slides = *type == JointType::kPrismatic;
      machine::JointDrive drive;
      drive.link = model_.tree.find_joint(joint);
      drive.torque_limit = reader
                               .quantity(slides ? "force_limit" : "torque_limit",
                                         slides ? Dimension::kForce : Dimension::kTorque, kPositive)
                               .value_or(0.0);
      drive.speed_gain =
          reader
              .quantity("speed_gain", slides ? Dimension::kDamping : Dimension::kRotaryDamping,
                        kPositive)
              .value_or(0.0);
      reader.done();
      if (drive.link != multibody::kBase) model_.drives.push_back(drive);
    }
  }

  // --- Valves ---------------------------------------------------------------------------------

  void read_valves(TableReader& root) {
    const Node* node = root.subtable("valve");
    if (node == nullptr) return;
    if (node->entries.size() > kMaxValves) {
      report_.error(node->place, fmt::format("there are {} valves; at most {} are possible",
                                             node->entries.size(), kMaxValves));
      return;
    }
    for (const Entry& entry : node->entries) {
      if (!entry.value.is_table()) {
        report_.error(entry.place, fmt::format("'valve' holds named valves, headed [valve.NAME]; "
                                               "'{}' is {}",
                                               entry.key, kind_name(entry.value.kind)));
        continue;
      }
      valve_names_.push_back(entry.key);
      valve_places_.push_back(entry.place);
      valves_.push_back(read_valve(entry.value, fmt::format("valve '{}'", entry.key)));
      valve_used_.push_back(false);
    }
  }

  hydraulics::Valve read_valve(const Node& node, const std::string& what) {
    TableReader reader(report_, node, what);
    hydraulics::Valve valve;
    const std::size_t before = report_.count();
    valve.overlap_V = reader.required("overlap", Dimension::kVoltage, kNonNegative);
    valve.full_V = reader.required("full", Dimension::kVoltage, kPositive);
    if (report_.count() == before && reader.has("overlap") && reader.has("full") &&
        valve.full_V <= valve.overlap_V)
      reader.error("full",
                   fmt::format("{} is fully open at {} V, within its overlap of {} V; 'full' "
                               "must be larger",
                               what, valve.full_V, valve.overlap_V));
    valve.min_conductance_ratio =
        reader.required("min_conductance_ratio", Dimension::kNone, Range{0.0, 0.1, true});
    valve.spool_time_constant_s =
        reader.quantity("spool_time_constant", Dimension::kTime, kNonNegative).value_or(0.0);
    read_compensator(reader, valve);
    constexpr std::array<std::string_view, 4> kEdges = {"pump_to_a", "b_to_tank", "pump_to_b",
                                                        "a_to_tank"};
    // What all edges share may be left out when each has its own.
    const bool optional = std::all_of(kEdges.begin(), kEdges.end(), [&](std::string_view edge) {
      return node.find(edge) != nullptr;
    });
    const hydraulics::Conductance common = read_conductance(reader, valve, {}, !optional);
    for (std::size_t i = 0; i < kEdges.size(); ++i) {
      valve.edge[i] = common;
      const Node* edge = reader.subtable(kEdges[i]);
      if (edge == nullptr) continue;
      TableReader edge_reader(report_, *edge, fmt::format("edge '{}' of {}", kEdges[i], what));
      valve.edge[i] = read_conductance(edge_reader, valve, common, true);
      edge_reader.done();
    }
    reader.done();
    return valve;
  }

  void read_compensator(TableReader& reader, hydraulics::Valve& valve) {
    using hydraulics::CompensatorKind;
    valve.load_check = reader.flag("load_check").value_or(false);
    if (const auto lag = reader.quantity("load_check_lag", Dimension::kTime, kNonNegative))
      valve.load_check_lag_s = *lag;
    const Node* node = reader.subtable("compensator");
    if (node == nullptr) return;
    TableReader own(report_, *node, fmt::format("the compensator of {}", reader.what()));
    hydraulics::Compensator& compensator = valve.compensator;
    const auto kind =
        own.choice<CompensatorKind>("kind", {{"none", CompensatorKind::kNone},
                                             {"upstream", CompensatorKind::kUpstream},
                                             {"flow_sharing", CompensatorKind::kFlowSharing}});
    if (!own.has("kind")) own.missing("kind", {Dimension::kNone});
    compensator.kind = kind.value_or(CompensatorKind::kNone);
    if (compensator.kind == CompensatorKind::kUpstream)
      compensator.margin_Pa = own.required("margin", Dimension::kPressure, kPositive);
    if (compensator.kind != CompensatorKind::kNone)
      compensator.lag_s = own.required("lag", Dimension::kTime, Range{1e-3, 1.0});
    own.done();
  }

  // Flow in l/min or m3/s at a drop, over the opening or over the volts.
  std::optional<hydraulics::Conductance> read_rated(TableReader& reader,
                                                    const hydraulics::Valve& valve) {
    const auto drop = reader.quantity("rated_drop", Dimension::kPressure, kPositive);
    const auto by_opening = reader.curve("flow", Dimension::kFlow, Range{0.0, 1.0}, kNonNegative);
    auto rated = by_opening;
    if (const auto by_volt =
            reader.curve("flow_by_volt", Dimension::kFlow, kNonNegative, kNonNegative)) {
      rated = by_volt;
      for (double& x : rated->x) {
        x = (x - valve.overlap_V) / (valve.full_V - valve.overlap_V);
        if (x < -1e-9 || x > 1.0 + 1e-9) {
          reader.error("flow_by_volt",
                       fmt::format("'flow_by_volt' of {} goes beyond the spool's {} to {} V",
                                   reader.what(), valve.overlap_V, valve.full_V));
          return std::nullopt;
        }
        x = std::clamp(x, 0.0, 1.0);
      }
    }
    if (!reader.has("flow") && !reader.has("flow_by_volt")) {
      if (reader.has("rated_drop"))
        reader.error("rated_drop",
                     fmt::format("{} has a 'rated_drop' without flows; add 'flow'", reader.what()));
      return std::nullopt;
    }
    for (const std::string_view other : {"conductance", "polynomial", "table"})
      if (reader.has(other))
        reader.error(other, fmt::format("{} gives flows and a '{}'; keep one of them",
                                        reader.what(), other));
    if (reader.has("flow") && reader.has("flow_by_volt"))
      reader.error("flow_by_volt",
                   fmt::format("{} gives flows twice; keep one of 'flow' and 'flow_by_volt'",
                               reader.what()));
    if (!reader.has("rated_drop")) reader.missing("rated_drop", {Dimension::kPressure});
    if (!rated || !drop) return std::nullopt;
    hydraulics::Conductance conductance;
    const double most = rated->y.back();
    conductance.scale = most / std::sqrt(*drop);
    conductance.table = *rated;
    if (most > 0.0)
      for (double& y : conductance.table.y) y /= most;
    return conductance;
  }

  hydraulics::Conductance read_conductance(TableReader& reader, const hydraulics::Valve& valve,
                                           hydraulics::Conductance conductance, bool required) {
    const std::size_t before = report_.count();
    const auto rated = read_rated(reader, valve);
    const bool by_flow = reader.has("flow") || reader.has("flow_by_volt");
    if (rated) conductance = *rated;
    const auto scale = reader.quantity("conductance", Dimension::kOrificeConductance, kPositive);
    if (scale) conductance.scale = *scale;
    if (required && !by_flow && conductance.scale == 0.0 && !reader.has("conductance"))
      reader.missing("conductance", {Dimension::kOrificeConductance});
    const auto coefficients = reader.numbers("polynomial", Dimension::kNone, kAny, 1, 3);
    const auto table = reader.curve("table", Range{0.0, 1.0}, kNonNegative);
    if (by_flow && !rated) return conductance;
    if (reader.has("polynomial") && reader.has("table")) {
      reader.error("table", fmt::format("{} has a 'polynomial' and a 'table'; keep one of them",
                                        reader.what()));
      return conductance;
    }
    if (coefficients) {
      conductance.table = {};
      conductance.polynomial = {};
      std::copy(coefficients->begin(), coefficients->end(), conductance.polynomial.begin());
    } else if (table) {
      conductance.table = *table;
    }
    const bool none =
        conductance.table.x.empty() && conductance.polynomial == std::array<double, 3>{};
    if (required && none && !reader.has("polynomial") && !reader.has("table")) {
      reader.error("", fmt::format("{} has neither 'polynomial' nor 'table'; add one of them: the "
                                   "share of 'conductance' over the opening 0 to 1",
                                   reader.what()));
      return conductance;
    }
    if (report_.count() != before || (!coefficients && !table && !rated)) return conductance;
    // A spool that is moved further never opens less.
    hydraulics::Conductance shape = conductance;
    shape.scale = 1.0;
    double last = hydraulics::conductance(shape, 0.0);
    for (int i = 1; i <= 100; ++i) {
      const double next = hydraulics::conductance(shape, i / 100.0);
      if (!(next >= last - 1e-12 * std::fabs(last)) || (i == 100 && !(next > 0.0))) {
        reader.error(
            rated ? (reader.has("flow") ? "flow" : "flow_by_volt")
                  : (coefficients ? "polynomial" : "table"),
            fmt::format("the curve of {} falls (or stays at zero) near an opening of {}; it "
                        "must rise from 0 to 1",
                        reader.what(), i / 100.0));
        break;
      }
      last = next;
    }
    return conductance;
  }

  // --- Actuators ------------------------------------------------------------------------------

  void read_actuators(TableReader& root) {
    std::vector<ActuatorDraft> drafts;
    std::set<std::string> names;
    std::map<std::string, Place> moved;
    for (const Node* node : root.tables("actuator", kMaxActuators)) {
      ActuatorDraft draft = read_actuator(*node);
      const std::string joint = text_of(*node, "joint");
      if (!draft.actuator.name.empty() && !names.insert(draft.actuator.name).second)
        report_.error(node->place, fmt::format("there are two actuators called '{}'; rename one",
                                               draft.actuator.name));
      if (!joint.empty() && !moved.emplace(joint, node->place).second)
        report_.error(node->place,
                      fmt::format("joint '{}' has two actuators, this one and that of line {}; a "
                                  "joint has at most one",
                                  joint, moved[joint].line));
      places_.emplace("actuator " + draft.actuator.name, draft.place);
      actuated_.insert(joint);
      drafts.push_back(std::move(draft));
    }
    for (std::size_t i = 0; i < valve_used_.size(); ++i)
      if (!valve_used_[i] && !report_.any())
        report_.error(valve_places_[i],
                      fmt::format("valve '{}' is used by no actuator; name it in one or remove it",
                                  valve_names_[i]));
    std::stable_sort(drafts.begin(), drafts.end(), [](const auto& a, const auto& b) {
      return a.actuator.link < b.actuator.link;
    });
    for (ActuatorDraft& draft : drafts) model_.actuators.push_back(std::move(draft.actuator));
  }

  static std::string text_of(const Node& node, std::string_view key) {
    const Node* value = node.find(key);
    return value != nullptr && value->is_string() ? value->text : std::string();
  }

  // Type of the joint a table names; refuses one that does not exist.
  std::optional<JointType> joint_of(TableReader& reader) {
    const std::string joint = reader.required_text("joint");
    if (joint.empty()) return std::nullopt;
    const auto found = joint_types_.find(joint);
    if (found == joint_types_.end()) {
      if (bodies_known_)
        reader.error("joint", fmt::format("{} names the joint '{}', which does not exist{}",
                                          reader.what(), joint, alternatives(joint, joint_names_)));
      return std::nullopt;
    }
    if (found->second == JointType::kFixed)
      reader.error("joint",
                   fmt::format("{} names the joint '{}', which is fixed; name one that moves",
                               reader.what(), joint));
    return found->second;
  }

  ActuatorDraft read_actuator(const Node& node) {
    const std::string joint = text_of(node, "joint");
    const std::string called = identity(node);
    TableReader reader(report_, node,
                       called.empty() ? "the actuator" : fmt::format("actuator '{}'", called));
    ActuatorDraft draft;
    draft.place = node.place;
    machine::Actuator& actuator = draft.actuator;
    actuator.name = reader.has("name") ? name_of(reader, "name") : joint;
    const auto type = joint_of(reader);
    actuator.link = model_.tree.find_joint(joint);
    const auto kind = reader.choice<ActuatorKind>(
        "kind", {{"cylinder", ActuatorKind::kCylinder}, {"motor", ActuatorKind::kMotor}});
    if (!kind) {
      if (!reader.has("kind"))
        report_.error(node.place,
                      fmt::format("{} lacks 'kind'; add kind = \"cylinder\" or kind = \"motor\"",
                                  reader.what()));
      return draft;  // without its kind the rest cannot be judged
    }
    hydraulics::Circuit& circuit = actuator.circuit;
    circuit.kind = *kind;
    if (*kind == ActuatorKind::kCylinder)
      read_cylinder(reader, actuator, type);
    else
      read_motor(reader, actuator, type);
    read_oil_of(reader, circuit);
    circuit.line1 = read_line(reader, "line_a", circuit, 0);
    circuit.line2 = read_line(reader, "line_b", circuit, 1);
    read_valve_of(reader, circuit);
    read_protection_of(reader, circuit);
    circuit.holding[0] = read_holding(reader, "holding_a");
    circuit.holding[1] = read_holding(reader, "holding_b");
    read_end_stops(reader, actuator, joint);
    reader.done();
    return draft;
  }

  void read_cylinder(TableReader& reader, machine::Actuator& actuator,
                     std::optional<JointType> type) {
    hydraulics::Circuit& circuit = actuator.circuit;
    const bool areas = reader.has("area_a") || reader.has("area_b");
    if (areas) {
      circuit.A1 = reader.required("area_a", Dimension::kArea, kPositive);
      circuit.A2 = reader.required("area_b", Dimension::kArea, kPositive);
      for (const std::string_view stem : {"bore", "rod"}) {
        // Asked for so that it counts as known.
        reader.quantity(stem, Dimension::kLength);
        if (reader.has(stem))
          reader.error(stem,
                       fmt::format("{} gives areas and a '{}'; give either 'bore' and 'rod' or "
                                   "'area_a' and 'area_b'",
                                   reader.what(), stem));
      }
    } else {
      const std::size_t before = report_.count();
      const double bore = reader.required("bore", Dimension::kLength, kPositive);
      const double rod = reader.required("rod", Dimension::kLength, kNonNegative);
      if (report_.count() == before && bore > 0.0 && rod >= bore)
        reader.error("rod",
                     fmt::format("the rod of {} ({} mm) is not thinner than its bore ({} mm); "
                                 "check which is which",
                                 reader.what(), rod * 1e3, bore * 1e3));
      circuit.A1 = std::numbers::pi / 4.0 * bore * bore;
      circuit.A2 = std::numbers::pi / 4.0 * (bore * bore - rod * rod);
    }
    actuator.friction = read_friction(report_, reader, false, "friction", true, circuit.B);
    const auto base_pin = reader.vector("base_pin", Dimension::kLength);
    const auto rod_pin = reader.vector("rod_pin", Dimension::kLength);
    if (reader.has("base_body") || reader.has("rod_body")) {
      actuator.linkage.kind = LinkageKind::kPins;
      actuator.linkage.base_body = any_body(reader, "base_body", true);
      actuator.linkage.rod_body = any_body(reader, "rod_body", true);
      if (!reader.has("base_pin")) reader.missing("base_pin", {Dimension::kLength});
      if (!reader.has("rod_pin")) reader.missing("rod_pin", {Dimension::kLength});
      actuator.linkage.base_pin = base_pin.value_or(Vec3::Zero());
      actuator.linkage.rod_pin = rod_pin.value_or(Vec3::Zero());
      return;
    }
    // Asked for so that they count as known.
    reader.text("base_body");
    reader.text("rod_body");
    if (!type) return;
    if (*type == JointType::kRevolute) {
      actuator.linkage.kind = LinkageKind::kTriangle;
      if (!reader.has("base_pin")) reader.missing("base_pin", {Dimension::kLength});
      if (!reader.has("rod_pin")) reader.missing("rod_pin", {Dimension::kLength});
      actuator.linkage.base_pin = base_pin.value_or(Vec3::Zero());
      actuator.linkage.rod_pin = rod_pin.value_or(Vec3::Zero());
    } else {
      for (const std::string_view pin : {"base_pin", "rod_pin"})
        if (reader.has(pin))
          reader.error(pin, fmt::format("{} lies along a slide and has no pins; remove '{}'",
                                        reader.what(), pin));
    }
  }

  void read_motor(TableReader& reader, machine::Actuator& actuator, std::optional<JointType> type) {
    hydraulics::Circuit& circuit = actuator.circuit;
    if (type && *type == JointType::kPrismatic)
      reader.error("joint",
                   fmt::format("{} is a motor on a sliding joint; a motor turns a revolute "
                               "joint",
                               reader.what()));
    circuit.D_m = reader.required("displacement", Dimension::kMotorDisplacement, kPositive);
    circuit.N = reader.required("gear_ratio", Dimension::kNone, kPositive);
    actuator.friction = read_friction(report_, reader, true, "friction", true, circuit.B);
    const auto leak = [&](std::string_view stem) {
      const auto resistance = reader.quantity(stem, Dimension::kLinearResistance, kPositive);
      return resistance ? 1.0 / *resistance : 0.0;
    };
    circuit.leak_internal = leak("leak_internal");
    circuit.leak_external1 = leak("leak_a");
    circuit.leak_external2 = leak("leak_b");
  }

  hydraulics::Fluid read_fluid(const Node& node) {
    hydraulics::Fluid fluid;
    TableReader reader(report_, node, "'oil'");
    fluid.bulk_Pa = reader.required("bulk_modulus", Dimension::kPressure, kPositive);
    const auto read = [&](double& value, std::string_view stem, Dimension dimension, Range range) {
      if (const auto given = reader.quantity(stem, dimension, range)) value = *given;
    };
    read(fluid.density, "density", Dimension::kDensity, kPositive);
    read(fluid.air_share, "air_share", Dimension::kNone, Range{0.0, 0.5});
    read(fluid.polytropic, "polytropic", Dimension::kNone, Range{1.0, 1.67});
    reader.done();
    return fluid;
  }

  // With a table of the oil the lines give volumes, else capacitances.
  void read_oil_of(TableReader& reader, hydraulics::Circuit& circuit) {
    const Node* own = reader.subtable("oil");
    circuit.volumes = own != nullptr || oil_ != nullptr;
    const bool cylinder = circuit.kind == ActuatorKind::kCylinder;
    const auto body = reader.quantity("closed_length", Dimension::kLength);
    const auto stroke = reader.quantity("stroke", Dimension::kLength, kPositive);
    if (!circuit.volumes) return;
    Node merged;
    if (oil_ != nullptr) merged = *oil_;
    if (own != nullptr) merge(merged, *own);
    if (oil_ == nullptr) merged.place = own->place;
    circuit.fluid = read_fluid(merged);
    if (!cylinder) return;
    for (const std::string_view stem : {"closed_length", "stroke"})
      if (!reader.has(stem))
        reader.missing(stem, {Dimension::kLength}, "since there is an [oil] table");
    circuit.chamber[0].area = circuit.A1;
    circuit.chamber[1].area = circuit.A2;
    circuit.chamber[0].x_empty = body.value_or(0.0);
    circuit.chamber[1].x_empty = body.value_or(0.0) + stroke.value_or(0.0);
  }

  hydraulics::Line read_line(TableReader& parent, std::string_view key,
                             hydraulics::Circuit& circuit, std::size_t side) {
    hydraulics::Line line;
    const Node* node = parent.required_subtable(key);
    if (node == nullptr) return line;
    TableReader reader(report_, *node, fmt::format("'{}' of {}", key, parent.what()));
    if (circuit.volumes) {
      read_chamber(reader, circuit.fluid, line, circuit.chamber[side]);
      line.C = hydraulics::capacitance(circuit.fluid, circuit.chamber[side],
                                       circuit.chamber[1 - side].x_empty, 0.0);
    } else {
      line.I = reader.required("inertance", Dimension::kInertance, kPositive);
      line.C = reader.required("capacitance", Dimension::kCapacitance, kPositive);
    }
    line.R =
        reader.required("resistance",
                        circuit.kind == ActuatorKind::kCylinder ? Dimension::kQuadraticResistance
                                                                : Dimension::kLinearResistance,
                        kPositive);
    reader.done();
    return line;
  }

  // A hose by its length and bore, which give volume and inertance, or by those two.
  void read_chamber(TableReader& reader, const hydraulics::Fluid& fluid, hydraulics::Line& line,
                    hydraulics::Chamber& chamber) {
    if (reader.has("hose_length") || reader.has("hose_bore")) {
      const double length = reader.required("hose_length", Dimension::kLength, kPositive);
      const double bore = reader.required("hose_bore", Dimension::kLength, kPositive);
      const double area = std::numbers::pi / 4.0 * bore * bore;
      chamber.hose_m3 = area * length;
      line.I = area > 0.0 ? fluid.density * length / area : 0.0;
    } else {
      // Asked for so that they count as known.
      reader.quantity("hose_length", Dimension::kLength);
      reader.quantity("hose_bore", Dimension::kLength);
      chamber.hose_m3 = reader.quantity("hose_volume", Dimension::kVolume, kPositive).value_or(0.0);
      const bool left_over = reader.has("capacitance");
      if (!reader.has("hose_volume") && !left_over)
        reader.missing("hose_volume", {Dimension::kVolume},
                       "since there is an [oil] table, or give hose_length and hose_bore");
      line.I = reader.quantity("inertance", Dimension::kInertance, kPositive).value_or(0.0);
      if (!reader.has("inertance") && !left_over)
        reader.missing("inertance", {Dimension::kInertance});
    }
    if (reader.has("capacitance")) {
      reader.quantity("capacitance", Dimension::kCapacitance);
      reader.error("capacitance",
                   fmt::format("{} gives a capacitance, but since there is an [oil] table that "
                               "follows from the volume; write hose_length and hose_bore in place "
                               "of 'capacitance' and 'inertance', or hose_volume in place of "
                               "'capacitance'",
                               reader.what()));
    }
    const auto read = [&](double& value, std::string_view stem, Dimension dimension, Range range) {
      if (const auto given = reader.quantity(stem, dimension, range)) value = *given;
    };
    read(chamber.hose_bulk_Pa, "hose_bulk_modulus", Dimension::kPressure, kPositive);
    read(chamber.wall_bulk_Pa, "wall_bulk_modulus", Dimension::kPressure, kPositive);
    read(chamber.dead_m3, "dead_volume", Dimension::kVolume, kNonNegative);
    read(chamber.trapped_air_m3, "trapped_air", Dimension::kVolume, kNonNegative);
  }

  hydraulics::LoadHolding read_holding(TableReader& parent, std::string_view key) {
    using hydraulics::HoldingKind;
    hydraulics::LoadHolding holding;
    const Node* node = parent.subtable(key);
    if (node == nullptr) return holding;
    TableReader reader(report_, *node, fmt::format("'{}' of {}", key, parent.what()));
    const auto kind =
        reader.choice<HoldingKind>("kind", {{"none", HoldingKind::kNone},
                                            {"counterbalance", HoldingKind::kCounterbalance},
                                            {"pilot_check", HoldingKind::kPilotCheck}});
    if (!reader.has("kind")) reader.missing("kind", {Dimension::kNone});
    holding.kind = kind.value_or(HoldingKind::kNone);
    if (holding.kind == HoldingKind::kCounterbalance)
      holding.set_Pa = reader.required("set", Dimension::kPressure, kPositive);
    if (holding.kind != HoldingKind::kNone) {
      holding.pilot_ratio = reader.required("pilot_ratio", Dimension::kNone, kPositive);
      holding.range_Pa = reader.required("range", Dimension::kPressure, Range{1e4, 1e8});
      holding.lag_s = reader.required("lag", Dimension::kTime, Range{1e-3, 1.0});
      holding.conductance = read_flow_at_drop(reader);
    }
    reader.done();
    return holding;
  }

  // A conductance as such, or as a flow at a drop.
  double read_flow_at_drop(TableReader& reader) {
    const auto conductance =
        reader.quantity("conductance", Dimension::kOrificeConductance, kPositive);
    const auto flow = reader.quantity("flow", Dimension::kFlow, kPositive);
    const auto drop = reader.quantity("rated_drop", Dimension::kPressure, kPositive);
    if (reader.has("conductance")) {
      for (const std::string_view other : {"flow", "rated_drop"})
        if (reader.has(other))
          reader.error(other, fmt::format("{} gives a conductance and a '{}'; keep one of them",
                                          reader.what(), other));
      return conductance.value_or(1.0);
    }
    if (!reader.has("flow")) reader.missing("flow", {Dimension::kFlow});
    if (!reader.has("rated_drop")) reader.missing("rated_drop", {Dimension::kPressure});
    return flow && drop ? *flow / std::sqrt(*drop) : 1.0;
  }

  void read_valve_of(TableReader& reader, hydraulics::Circuit& circuit) {
    const Node* node = reader.any("valve");
    if (node == nullptr) {
      report_.error(reader.place(), fmt::format("{} has no valve; add valve = \"NAME\" of a "
                                                "[valve.NAME], or a table of its own",
                                                reader.what()));
    } else if (node->is_table()) {
      circuit.valve = read_valve(*node, fmt::format("the valve of {}", reader.what()));
    } else if (node->is_string()) {
      const auto found = std::find(valve_names_.begin(), valve_names_.end(), node->text);
      if (found == valve_names_.end()) {
        report_.error(node->place,
                      fmt::format("{} names the valve '{}', which does not exist{}", reader.what(),
                                  node->text, alternatives(node->text, valve_names_)));
        return;
      }
      const auto index = static_cast<std::size_t>(found - valve_names_.begin());
      valve_used_[index] = true;
      circuit.valve = valves_[index];
    } else {
      report_.error(node->place,
                    fmt::format("'valve' must be the name of a valve or a table, not {}",
                                kind_name(node->kind)));
    }
  }

  void read_protection_of(TableReader& reader, hydraulics::Circuit& circuit) {
    const Node* own = reader.subtable("protection");
    if (own == nullptr && protection_ == nullptr) {
      if (!reader.has("protection"))
        report_.error(reader.place(),
                      fmt::format("{} has no protection; add [protection] for all actuators or one "
                                  "of its own (enabled = false for none)",
                                  reader.what()));
      return;
    }
    Node merged;
    if (protection_ != nullptr) merged = *protection_;
    if (own != nullptr) merge(merged, *own);
    if (protection_ == nullptr) merged.place = own->place;
    circuit.protection = read_protection(merged);
  }

  hydraulics::Protection read_protection(const Node& node) {
    hydraulics::Protection protection;
    TableReader reader(report_, node, "'protection'");
    protection.enabled = reader.flag("enabled").value_or(true);
    const bool needed = protection.enabled;
    const auto read = [&](double& value, std::string_view stem, Dimension dimension, Range range) {
      const auto given = reader.quantity(stem, dimension, range);
      if (given) value = *given;
      if (!given && needed && !reader.has(stem)) reader.missing(stem, {dimension});
    };
    read(protection.relief_Pa, "relief", Dimension::kPressure, kPositive);
    read(protection.relief_conductance, "relief_conductance", Dimension::kFlowPerPressure,
         kPositive);
    // Below the tank, or oil would flow all the time; above vacuum, or it would never open.
    read(protection.anti_cavitation_Pa, "anti_cavitation", Dimension::kPressure,
         Range{-1.0e5, 0.0, false});
    read(protection.anti_cavitation_conductance, "anti_cavitation_conductance",
         Dimension::kFlowPerPressure, kPositive);
    reader.done();
    return protection;
  }

  void read_end_stops(TableReader& parent, machine::Actuator& actuator, const std::string& joint) {
    const Node* node = parent.subtable("end_stops");
    if (node == nullptr) return;
    TableReader reader(report_, *node, fmt::format("'end_stops' of {}", parent.what()));
    machine::EndStops& stops = actuator.stops;
    const bool motor = actuator.circuit.kind == ActuatorKind::kMotor;
    const Dimension displacement = motor ? Dimension::kAngle : Dimension::kLength;
    const Dimension damping = motor ? Dimension::kRotaryDamping : Dimension::kDamping;
    stops.enabled = reader.flag("enabled").value_or(true);
    const auto low = reader.quantity("min", displacement);
    const auto high = reader.quantity("max", displacement);
    if (reader.has("min") != reader.has("max"))
      reader.error(reader.has("min") ? "min" : "max",
                   fmt::format("{} has one end only; give 'min' and 'max', or neither to take them "
                               "from the limits of the joint",
                               reader.what()));
    if (low && high) {
      stops.x_min = *low;
      stops.x_max = *high;
      if (*low >= *high)
        reader.error("min",
                     fmt::format("'min' of {} is not below 'max'; exchange them", reader.what()));
    } else if (stops.enabled && !reader.has("min") && joint_limited_.contains(joint) &&
               !joint_limited_[joint]) {
      report_.error(node->place, fmt::format("{} has no ends: joint '{}' has no limits; give it "
                                             "'lower' and 'upper', or give 'min' and 'max' here",
                                             reader.what(), joint));
    }
    stops.cushion = reader.required("cushion", displacement, kNonNegative);
    stops.cushion_damping = reader.required("cushion_damping", damping, kNonNegative);
    stops.stiffness = reader.required(
        "stiffness", motor ? Dimension::kRotaryStiffness : Dimension::kStiffness, kPositive);
    stops.damping = reader.required("damping", damping, kNonNegative);
    reader.done();
  }

  // --- Controllers and tip --------------------------------------------------------------------

  void read_controllers(TableReader& root) {
    std::map<std::string, control::PidGains> gains;
    for (const Node* node : root.tables("controller", kMaxActuators)) {
      const std::string joint = text_of(*node, "joint");
      TableReader reader(
          report_, *node,
          joint.empty() ? "the controller" : fmt::format("the controller of '{}'", joint));
      const auto type = joint_of(reader);
      if (!joint.empty() && gains.contains(joint))
        report_.error(node->place,
                      fmt::format("joint '{}' has two controllers; remove one", joint));
      if (type && *type != JointType::kFixed && !actuated_.contains(joint))
        reader.error("joint", fmt::format("{} has nothing to move: joint '{}' has no actuator",
                                          reader.what(), joint));
      if (type) gains[joint] = read_gains(reader, *type == JointType::kPrismatic);
    }
    for (const machine::Actuator& actuator : model_.actuators) {
      if (actuator.link < 0) continue;
      const std::string& joint = model_.joint_name(actuator.link);
      if (!gains.contains(joint))
        report_.error(places_["actuator " + actuator.name],
                      fmt::format("actuator '{}' has no controller; add a [[controller]] with "
                                  "joint = \"{}\"",
                                  actuator.name, joint));
      else
        model_.controllers.push_back(gains[joint]);
    }
  }

  void read_tip(TableReader& root) {
    const Node* node = root.required_subtable("tip");
    if (node == nullptr) return;
    TableReader reader(report_, *node, "'tip'");
    const std::string body = reader.required_text("body");
    model_.tip_B = reader.required_vector("position", Dimension::kLength);
    std::vector<std::string> names;
    names.reserve(static_cast<std::size_t>(model_.tree.body_count()));
    for (int i = 0; i < model_.tree.body_count(); ++i) names.push_back(model_.tree.body(i).name);
    model_.tip_body = std::max(0, model_.tree.find_body(body));
    if (!body.empty() && !names.empty() && model_.tree.find_body(body) == multibody::kBase)
      reader.error("body", fmt::format("the tip is on body '{}', which does not exist{}", body,
                                       alternatives(body, names)));
    reader.done();
  }

  // --- Shapes, grapple and looks --------------------------------------------------------------

  // The body that a table names; kBase where it may be the ground, or where it is wrong.
  int body_of(TableReader& reader, bool base_allowed) {
    const std::string body = reader.required_text("body");
    const int found = model_.tree.find_body(body);
    if (body.empty() || found != multibody::kBase || (base_allowed && body == "base") ||
        model_.tree.body_count() == 0)
      return found;
    std::vector<std::string> names;
    if (base_allowed) names.emplace_back("base");
    for (int i = 0; i < model_.tree.body_count(); ++i) names.push_back(model_.tree.body(i).name);
    reader.error("body", fmt::format("{} is on body '{}', which does not exist{}", reader.what(),
                                     body, alternatives(body, names)));
    return found;
  }

  void read_shapes(TableReader& root) {
    const bool grapple = root.has("grapple");
    const std::size_t room =
        static_cast<std::size_t>(world::kMaxMachineShapes) - (grapple ? kGrappleShapes : 0);
    std::set<std::string> names;
    const auto nodes = root.tables("shape", kMaxBodies);
    if (nodes.size() > room)
      report_.error(nodes[room]->place,
                    fmt::format("there are {} shapes; a machine has at most {}{}", nodes.size(),
                                room, grapple ? " beside a grapple" : ""));
    for (const Node* node : nodes) {
      const std::string called = text_of(*node, "name");
      TableReader reader(report_, *node,
                         called.empty() ? "the shape" : fmt::format("shape '{}'", called));
      machine::ContactShape shape;
      shape.name = name_of(reader, "name");
      if (!shape.name.empty() && !names.insert(shape.name).second)
        report_.error(node->place,
                      fmt::format("there are two shapes called '{}'; rename one", shape.name));
      shape.body = body_of(reader, true);
      const auto role =
          reader.choice<machine::ShapeRole>("role", {{"carrier", machine::ShapeRole::kCarrier},
                                                     {"boom", machine::ShapeRole::kBoom},
                                                     {"stick", machine::ShapeRole::kStick},
                                                     {"head", machine::ShapeRole::kHead}});
      if (role)
        shape.role = *role;
      else if (!reader.has("role"))
        reader.missing("role", {Dimension::kNone});
      shape.from_B = reader.required_vector("from", Dimension::kLength);
      shape.to_B = reader.required_vector("to", Dimension::kLength);
      shape.radius = reader.required("radius", Dimension::kLength, Range{0.0, kLongest, true});
      reader.done();
      model_.shapes.push_back(std::move(shape));
    }
  }

  // A direction, of any length but zero.
  Vec3 direction_of(TableReader& reader, std::string_view key) {
    const auto given = reader.vector(key, Dimension::kNone);
    if (!given) {
      if (!reader.has(key)) reader.missing(key, {Dimension::kNone});
      return Vec3::UnitX();
    }
    const double length = given->stableNorm();
    if (length > 0.0 && std::isfinite(length)) return *given / length;
    reader.error(key, fmt::format("'{}' of {} has no direction; give a vector that is not zero, "
                                  "such as [0, 0, -1]",
                                  key, reader.what()));
    return Vec3::UnitX();
  }

  void read_grapple(TableReader& root) {
    const Node* node = root.subtable("grapple");
    if (node == nullptr) return;
    TableReader reader(report_, *node, "the grapple");
    machine::Grapple& grapple = model_.grapple;
    const std::size_t before = report_.count();
    constexpr Range kSize{0.0, kLongest, true};
    grapple.present = true;
    grapple.body = body_of(reader, false);
    grapple.pin_B = reader.required_vector("pin", Dimension::kLength);
    grapple.log_axis_B = direction_of(reader, "log_axis");
    grapple.open_axis_B = direction_of(reader, "open_axis");
    grapple.reach_axis_B = direction_of(reader, "reach_axis");
    grapple.hinge_distance = reader.required("hinge_distance", Dimension::kLength, kSize);
    grapple.jaw_length = reader.required("jaw_length", Dimension::kLength, kSize);
    grapple.jaw_width = reader.required("jaw_width", Dimension::kLength, kSize);
    grapple.tine_radius = reader.required("tine_radius", Dimension::kLength, kSize);
    grapple.opening_max = reader.required("opening", Dimension::kLength, kSize);
    grapple.closing_time_s = reader.required("closing_time", Dimension::kTime, Range{0.01, 100.0});
    grapple.grip_force_N = reader.required("grip_force", Dimension::kForce, kPositive);
    reader.done();
    if (report_.count() == before) check_grapple(reader);
  }

  void check_grapple(TableReader& reader) {
    const machine::Grapple& g = model_.grapple;
    // The jaws' angle at either end needs a sine within bounds.
    constexpr double kSteepest = 0.99;
    constexpr double kSquare = 1e-6;
    const auto square = [&](const Vec3& a, const Vec3& b, const char* of_a, const char* of_b) {
      if (std::fabs(a.dot(b)) > kSquare)
        reader.error(
            of_b, fmt::format("'{}' and '{}' of the grapple are not at right angles", of_a, of_b));
    };
    square(g.log_axis_B, g.open_axis_B, "log_axis", "open_axis");
    square(g.log_axis_B, g.reach_axis_B, "log_axis", "reach_axis");
    square(g.open_axis_B, g.reach_axis_B, "open_axis", "reach_axis");
    const double half = 0.5 * g.hinge_distance;
    if (half - g.tine_radius > kSteepest * g.jaw_length)
      reader.error("jaw_length",
                   fmt::format("the jaws cannot meet: their hinges are {} m apart and "
                               "they are {} m long; make them longer than half of it",
                               g.hinge_distance, g.jaw_length));
    const double widest = 2.0 * (kSteepest * g.jaw_length + half - g.tine_radius);
    if (g.opening_max > widest)
      reader.error("opening", fmt::format("jaws of {} m on hinges {} m apart open to {:.3f} m at "
                                          "most, not to {} m",
                                          g.jaw_length, g.hinge_distance, widest, g.opening_max));
    // Without a tree (the bodies have faults) its body is not known.
    if (g.body != multibody::kBase && model_.tree.body(g.body).link == multibody::kBase)
      reader.error("body", fmt::format("the grapple is on body '{}', which does not move",
                                       model_.tree.body(g.body).name));
  }

  void read_visuals(TableReader& root) {
    for (const Node* node : root.tables("visual", kMaxVisuals)) {
      TableReader reader(report_, *node, "the visual");
      const int body = body_of(reader, true);
      model_.visuals.push_back(read_visual(reader, report_.file(reader.place_of("file").file)));
      model_.visuals.back().body = body;
    }
  }

  // --- Sources --------------------------------------------------------------------------------

  static std::string written(const Node& node) {
    if (node.is_number()) return node.text;
    if (node.is_string()) return '"' + node.text + '"';
    std::string text = "[";
    for (const Node& item : node.items) text += (text.size() > 1 ? ", " : "") + written(item);
    return text + "]";
  }

  // The source of the first number in it; empty if there is none.
  static const std::string* source_of(const Node& node) {
    if (node.is_number()) return &node.source;
    for (const Node& item : node.items)
      if (const std::string* source = source_of(item)) return source;
    return nullptr;
  }

  void list_sources(const Node& node, const std::string& path) {
    const auto below = [&](const std::string& step) {
      return path.empty() ? step : path + "." + step;
    };
    for (const Entry& entry : node.entries) {
      const std::string key = below(entry.key);
      if (entry.value.is_table()) {
        list_sources(entry.value, key);
      } else if (entry.value.is_array_of_tables()) {
        for (std::size_t i = 0; i < entry.value.items.size(); ++i) {
          const Node& item = entry.value.items[i];
          const std::string name = identity(item);
          list_sources(item, key + "." + (name.empty() ? fmt::format("{}", i) : name));
        }
      } else if (const std::string* source = source_of(entry.value)) {
        const Unit* unit = split_key(entry.key).unit;
        std::string value = written(entry.value);
        if (unit != nullptr) value.append(" ").append(unit->label);
        model_.sources.push_back({key, std::move(value), *source});
      }
    }
  }

  // Place of the first thing that a sentence names, as in "actuator 'boom'".
  Place place_named_in(const std::string& sentence) const {
    std::size_t first = std::string::npos;
    Place place = root_.place;
    for (const auto& [name, candidate] : places_) {
      const std::size_t space = name.find(' ');
      const std::string quoted = name.substr(0, space + 1) + "'" + name.substr(space + 1) + "'";
      const std::size_t at = sentence.find(quoted);
      if (at >= first) continue;
      first = at;
      place = candidate;
    }
    return place;
  }

  const Node& root_;
  Report& report_;
  machine::MachineModel model_;
  const Node* protection_ = nullptr;
  const Node* oil_ = nullptr;
  std::vector<std::string> valve_names_;
  std::vector<Place> valve_places_;
  std::vector<hydraulics::Valve> valves_;
  std::vector<bool> valve_used_;
  std::vector<std::string> joint_names_;
  std::map<std::string, JointType> joint_types_;
  std::map<std::string, bool> joint_limited_;
  std::set<std::string> actuated_;
  std::map<std::string, Place> places_;  // by kind and name: "actuator boom"
  bool bodies_known_ = false;
  bool hydraulic_ = true;  // there are actuators
};

}  // namespace

namespace {

// A URDF in place of a machine file would fail as broken TOML.
void refuse_urdf(std::string_view text, const std::string& file_name) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first == std::string_view::npos || text[first] != '<') return;
  throw FileError(file_name,
                  "this is XML; a machine file is TOML and names its URDF: urdf = \"crane.urdf\"");
}

MachineFile read_text(std::string_view text, const std::string& file_name,
                      std::span<const Override> overrides, const std::vector<NamedText>* bases,
                      std::vector<Diagnostic>* unknown) {
  Report report;
  report.leave_out_unknown(unknown);
  Hasher hash;
  DocumentOptions options;
  options.what = "machine file";
  options.sources = true;
  options.base = true;
  options.joint_alias = true;
  options.bases = bases;
  MachineFile file;
  options.imports = &file.imports;
  refuse_urdf(text, file_name);
  const Node root = read_document(text, file_name, overrides, options, report, hash);
  MachineReader reader(root, report);
  file.model = reader.read();
  file.hash = hash.result();
  file.files = report.files_read();
  file.notes = report.notes();
  return file;
}

}  // namespace

MachineFile read_machine_text(std::string_view text, const std::string& file_name,
                              std::span<const Override> overrides) {
  return read_text(text, file_name, overrides, nullptr, nullptr);
}

MachineFile read_machine_texts(std::string_view text, const std::string& file_name,
                               const std::vector<NamedText>& bases,
                               std::span<const Override> overrides,
                               std::vector<Diagnostic>* unknown) {
  return read_text(text, file_name, overrides, &bases, unknown);
}

MachineFile read_machine(const std::filesystem::path& path, std::span<const Override> overrides) {
  return read_machine_text(read_text_file(path, kConfigurationLimit, "machine file"), path.string(),
                           overrides);
}

}  // namespace knuckleboom::io
