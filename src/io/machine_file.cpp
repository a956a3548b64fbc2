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

#include "declare/machine_keys.hpp"
#include "document.hpp"
#include "friction_table.hpp"
#include "gains_table.hpp"
#include "knuckleboom/core/control/no_controller.hpp"
#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/math/trig.hpp"
#include "knuckleboom/core/worksite/worksite.hpp"
#include "knuckleboom/core/world/grapple.hpp"
#include "machine_document.hpp"
#include "moments.hpp"
#include "rotation.hpp"
#include "table_reader.hpp"
#include "text_file.hpp"
#include "visual_reader.hpp"

namespace knuckleboom::io {
namespace {

using hydraulics::ActuatorKind;
using machine::LinkageKind;
using multibody::JointType;

namespace keys = declare::keys;
namespace machine_keys = keys::machine_file;

constexpr std::size_t kMaxValves = 64;
// Machine parts of the world occupied by a grapple and the log it holds.
constexpr std::size_t kGrappleShapes = world::kGrappleParts + 1;

// How messages call a table: by its name or joint if it has one.
std::string called(std::string_view kind, std::string_view name) {
  return name.empty() ? fmt::format("the {}", kind) : fmt::format("{} '{}'", kind, name);
}
std::string called_of(std::string_view kind, std::string_view joint) {
  return joint.empty() ? fmt::format("the {}", kind) : fmt::format("the {} of '{}'", kind, joint);
}

class MachineReader {
 public:
  MachineReader(const Node& root, Report& report) : root_(root), report_(report) {}

  machine::MachineModel read(std::string& purpose) {
    TableReader reader(report_, root_, machine_keys::table, "the machine file");
    reader.fill(model_);
    purpose = reader.text(machine_keys::purpose).value_or("");
    model_.tree.gravity_W = Vec3(0.0, 0.0, -reader.value(machine_keys::gravity));
    on_air_ = any_actuator([](const std::string& kind) { return kind == keys::actuator::kAir; });
    hydraulic_ = any_actuator([](const std::string& kind) { return kind != keys::actuator::kAir; });
    read_supply(reader);
    read_air(reader);
    if (const Node* node = reader.subtable(machine_keys::closed_valve))
      fill(*node, keys::closed_valve::table, "'closed_valve'", model_);
    read_bodies(reader);
    read_loops(reader);
    read_couplings(reader);
    read_drives(reader);
    read_valves(reader);
    protection_ = reader.subtable(machine_keys::protection);
    if (protection_ != nullptr) read_protection(*protection_);
    oil_ = reader.subtable(machine_keys::oil);
    if (oil_ != nullptr) read_fluid(*oil_);
    if (const Node* watch = reader.subtable(machine_keys::watch))
      fill(*watch, keys::watch::table, "'watch'", model_.watch);
    read_actuators(reader);
    read_controllers(reader);
    read_tip(reader);
    read_shapes(reader);
    read_load_space(reader);
    read_grapple(reader);
    read_head(reader);
    read_wheels(reader);
    read_driveline(reader);
    read_joint_lock(reader);
    for (const Node* node : reader.tables(machine_keys::visuals)) read_visual_of(*node);
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
  // The turns of a ball (core/multibody/ball.hpp), with what each of them turns about.
  struct Turn {
    std::string_view name;
    int axis;
  };
  static constexpr Turn kTurns[multibody::kTurns] = {
      {"hold", 1}, {"yaw", 2}, {"pitch", 1}, {"roll", 0}};
  struct BodyDraft {
    multibody::Body body;
    std::string parent;
    Place place;
    Place parent_place;
    friction::FrictionModel friction;
    bool limits_given = false;
    // A joint with several freedoms: the drafts of all but the last, with what their joints have.
    std::vector<BodyDraft> before;
    // A ball's turns have no name that a file may use; the first of them has what belongs to the ball.
    bool turn = false;
    std::optional<multibody::Ball> ball;
  };
  struct ActuatorDraft {
    machine::Actuator actuator;
    Place place;
  };

  // A table whose keys are all members of one thing.
  template <class T>
  void fill(const Node& node, const KeyTable& keys, std::string what, T& object) {
    TableReader reader(report_, node, keys, std::move(what));
    if (reader.fill(object)) reader.done();
  }

  template <class Is>
  bool any_actuator(Is is) const {
    const Node* actuators = root_.find(machine_keys::actuators.name);
    if (actuators == nullptr || !actuators->is_array()) return false;
    return std::any_of(actuators->items.begin(), actuators->items.end(),
                       [&](const Node& node) { return is(text_of(node, "kind")); });
  }

  // A table that a machine with actuators on oil must have.
  const Node* hydraulic_table(TableReader& root, const Key& key) {
    if (hydraulic_ && !root.has(key)) root.missing(key);
    return root.subtable(key);
  }

  void refuse_twin(std::set<std::string>& names, const std::string& name, std::string_view kind,
                   const Place& place) {
    if (!name.empty() && !names.insert(name).second)
      report_.error(place, fmt::format("there are two {} called '{}'; rename one", kind, name));
  }

  void read_air(TableReader& root) {
    const Node* node = root.subtable(machine_keys::air);
    if (node == nullptr && on_air_) root.missing(machine_keys::air);
    if (on_air_ && !hydraulic_)
      for (const Key* key : {&machine_keys::supply, &machine_keys::closed_valve,
                             &machine_keys::protection, &machine_keys::oil})
        if (root.has(*key))
          root.error(*key, fmt::format("'{}' is for oil, and this machine is on air; remove it",
                                       key->name));
    if (node == nullptr) return;
    if (!on_air_)
      report_.error(node->place,
                    "'air' is there, but no actuator is an \"air_cylinder\"; remove it");
    TableReader reader(report_, *node, keys::air::table, "'air'");
    reader.fill(model_.air);
    if (const Node* valve = reader.subtable(keys::air::valve)) read_air_valve(*valve);
    reader.done();
  }

  void read_air_valve(const Node& node) {
    namespace k = keys::air_valve;
    TableReader reader(report_, node, k::table, "the valve of 'air'");
    air_spool_.overlap_V = air_valve_.dead_zone_V = reader.value(k::dead_zone);
    air_spool_.full_V = reader.value(k::full);
    air_spool_.spool_time_constant_s = reader.value(k::lag);
    air_valve_.area_max = reader.value(k::area);
    air_valve_.leakage = reader.value(k::leakage);
    const double way = air_spool_.full_V - air_valve_.dead_zone_V;
    if (way > 0.0)
      air_valve_.gain = air_valve_.area_max / way;
    else if (air_spool_.full_V > 0.0)
      reader.error(k::full,
                   "the valve is fully open within its dead zone; both count from the middle");
    reader.done();
  }

  void read_supply(TableReader& root) {
    const Node* node = hydraulic_table(root, machine_keys::supply);
    if (node == nullptr) return;
    TableReader reader(report_, *node, keys::supply::table, "'supply'");
    machine::Supply& supply = model_.supply;
    if (!reader.fill(supply)) return;
    if (reader.has(keys::supply::pump) && supply.pump_Pa > 0.0 && supply.tank_Pa >= supply.pump_Pa)
      reader.error(keys::supply::tank, "the tank must be at a lower pressure than the pump");
    if (supply.kind != hydraulics::SupplyKind::kPump || read_pump(reader, supply.pump))
      reader.done();
  }

  // False if its control is not known.
  bool read_pump(TableReader& reader, hydraulics::PumpSupply& pump) {
    if (!reader.fill(pump)) return false;
    if (pump.ripple > 0.0 && pump.pistons == 0)
      reader.error(keys::supply::ripple, "a ripple needs the number of pistons; add 'pistons'");
    if (const Node* node = reader.subtable(keys::supply::gallery))
      fill(*node, keys::gallery::table, "'gallery' of 'supply'", pump);
    if (const Node* node = reader.subtable(keys::supply::relief))
      fill(*node, keys::main_relief::table, "'relief' of 'supply'", pump);
    if (const Node* node = reader.subtable(keys::supply::engine)) {
      TableReader engine(report_, *node, keys::engine::table, "'engine' of 'supply'");
      // Without inertia the speed never changes.
      for (const Key* key :
           {&keys::engine::inertia, &keys::engine::droop, &keys::engine::torque_max})
        if (engine.has(*key)) engine.choose(keys::engine::torque_max.name);
      engine.fill(pump.engine);
      engine.done();
    }
    for (const Node* node : reader.tables(keys::supply::accumulators)) {
      TableReader own(report_, *node, keys::accumulator::table, "the accumulator");
      own.text(keys::accumulator::name);
      own.fill(pump.accumulators.emplace_back());
      own.done();
    }
    return true;
  }

  // --- Bodies ---------------------------------------------------------------------------------

  void read_bodies(TableReader& root) {
    const auto nodes = root.tables(machine_keys::bodies);
    if (nodes.empty()) return;
    std::vector<BodyDraft> drafts;
    drafts.reserve(nodes.size());
    for (const Node* node : nodes) add_chain(read_body(*node), drafts);
    check_body_names(drafts);
    add_in_order(drafts);
  }

  BodyDraft read_body(const Node& node) {
    namespace k = keys::body_table;
    TableReader reader(report_, node, k::table, called("body", text_of(node, "name")));
    BodyDraft draft;
    draft.place = node.place;
    reader.fill(draft.body);
    draft.parent = reader.text(k::parent).value_or("base");
    draft.parent_place = reader.place_of(k::parent);
    draft.body.in_parent.p = reader.vector(k::position).value_or(Vec3::Zero());
    if (const auto rpy = reader.vector(k::rpy)) draft.body.in_parent.R = rotation(*rpy);
    draft.body.inertia = read_inertia(reader);
    if (const Node* joint = reader.subtable(k::joint)) read_joint(*joint, draft);
    reader.done();
    return draft;
  }

  multibody::RigidInertia read_inertia(TableReader& reader) {
    namespace k = keys::body_table;
    multibody::RigidInertia inertia;
    const std::size_t before = report_.count();
    reader.fill(inertia);
    if (!read_moments(reader, k::inertia, inertia.about_com)) return inertia;
    if (report_.count() != before) return inertia;
    if (inertia.mass == 0.0 && !inertia.about_com.isZero(0.0))
      reader.error(k::mass,
                   fmt::format("{} has an inertia but no mass; give its mass", reader.what()));
    else if (!multibody::is_physical(inertia))
      reader.error(
          k::inertia,
          fmt::format("{} has an inertia no body can have: each principal moment must be "
                      "at least zero and at most the sum of the other two; check the "
                      "order xx, yy, zz, xy, xz, yz and that it is about the centre of mass",
                      reader.what()));
    else
      remark_gyration(reader, inertia);
    return inertia;
  }

  // The largest moment as the mass at one distance from an axis: mass and moment may each be usual.
  void remark_gyration(TableReader& reader, const multibody::RigidInertia& inertia) {
    constexpr double kLeast = 1e-3, kMost = 30.0;  // m
    if (!(inertia.mass > 0.0)) return;
    const double gyration = std::sqrt(inertia.about_com.diagonal().maxCoeff() / inertia.mass);
    if (gyration == 0.0 || (gyration >= kLeast && gyration <= kMost)) return;
    report_.remark(reader.place_of(keys::body_table::inertia),
                   fmt::format("the inertia of {} is that of {:g} kg at {:g} m from its centre, "
                               "usually {:g} m to {:g} m: no part is smaller or larger",
                               reader.what(), inertia.mass, gyration, kLeast, kMost));
  }

  void read_joint(const Node& node, BodyDraft& draft) {
    namespace k = keys::joint_table;
    multibody::Body& body = draft.body;
    const std::string name = text_of(node, "name");
    TableReader reader(report_, node, k::table,
                       name.empty() ? fmt::format("the joint of body '{}'", body.name)
                                    : fmt::format("joint '{}'", name));
    k::Form form;
    if (!reader.fill(form)) return;  // without its type the units of the rest cannot be judged
    const bool single =
        form.kind == k::JointKind::kRevolute || form.kind == k::JointKind::kPrismatic;
    body.type = form.kind == k::JointKind::kFixed       ? JointType::kFixed
                : form.kind == k::JointKind::kPrismatic ? JointType::kPrismatic
                                                        : JointType::kRevolute;
    reader.slides(body.type == JointType::kPrismatic);
    if (!single) reader.fill(body);  // its name
    if (body.type == JointType::kFixed) return reader.done();
    const bool ball = form.kind == k::JointKind::kSpherical || form.kind == k::JointKind::kFree;
    if (!ball) body.axis_B = direction_of(reader, k::axis);
    single ? read_coordinate(reader, draft) : read_coordinates(reader, form.kind, draft);
    reader.done();
  }

  // One that is not at right angles to the axis is refused.
  Vec3 direction_across(TableReader& reader, const Key& key, const Vec3& axis) {
    constexpr double kSquare = 1e-6;
    const Vec3 direction = direction_of(reader, key);
    if (reader.has(key) && reader.has(keys::joint_table::axis) &&
        std::fabs(direction.dot(axis)) > kSquare)
      reader.error(key, fmt::format("'{}' and 'axis' of {} are not at right angles", key.name,
                                    reader.what()));
    return direction;
  }

  // Several freedoms of a joint: one after the other, the last on the body itself.
  void read_coordinates(TableReader& reader, keys::joint_table::JointKind kind, BodyDraft& draft) {
    namespace k = keys::joint_table;
    struct Coordinate {
      std::string_view name;
      const Key* key;  // null: a ball's turn
      JointType type;
      Vec3 axis;
    };
    const auto free = [](const Key& key, JointType type, const Vec3& axis) {
      return Coordinate{key.name, &key, type, axis};
    };
    const Vec3 axis = draft.body.axis_B;
    std::vector<Coordinate> all;
    if (kind == k::JointKind::kUniversal) {
      all = {free(k::first, JointType::kRevolute, axis),
             free(k::second, JointType::kRevolute, direction_across(reader, k::second_axis, axis))};
    } else if (kind == k::JointKind::kPlanar) {
      const Vec3 along = direction_across(reader, k::along, axis);
      all = {free(k::x, JointType::kPrismatic, along),
             free(k::y, JointType::kPrismatic, axis.cross(along).normalized()),
             free(k::turn, JointType::kRevolute, axis)};
    } else {
      if (kind == k::JointKind::kFree)
        all = {free(k::x, JointType::kPrismatic, Vec3::UnitX()),
               free(k::y, JointType::kPrismatic, Vec3::UnitY()),
               free(k::z, JointType::kPrismatic, Vec3::UnitZ())};
      for (const Turn& turn : kTurns)
        all.push_back({turn.name, nullptr, JointType::kRevolute, Vec3::Unit(turn.axis)});
    }
    const std::string body = draft.body.name;
    const std::string joint = draft.body.joint_name;
    for (const Coordinate& c : all) {
      const bool last = &c == &all.back();
      BodyDraft part;
      BodyDraft& own = last ? draft : part;
      own.place = draft.place;
      own.parent_place = draft.parent_place;
      if (!last) own.body.name = fmt::format("{}_{}", body, c.name);
      if (!joint.empty()) own.body.joint_name = fmt::format("{}_{}", joint, c.name);
      own.body.type = c.type;
      own.body.axis_B = c.axis;
      own.turn = c.key == nullptr;
      if (own.turn && c.name == kTurns[0].name) own.ball = read_ball(reader, joint);
      if (own.turn) {
      } else if (const Node* table = reader.subtable(*c.key)) {
        TableReader coordinate(report_, *table, keys::coordinate::table,
                               fmt::format("'{}' of {}", c.key->name, reader.what()));
        coordinate.slides(c.type == JointType::kPrismatic);
        read_coordinate(coordinate, own);
        coordinate.done();
      }
      if (!last) draft.before.push_back(std::move(part));
    }
  }

  static multibody::Ball read_ball(TableReader& reader, const std::string& joint) {
    namespace k = keys::joint_table;
    multibody::Ball ball;
    ball.name = joint;
    ball.damping = reader.vector(k::turn_damping).value_or(Vec3::Zero());
    ball.stiffness = reader.vector(k::turn_spring).value_or(Vec3::Zero());
    return ball;
  }

  // A body after the massless ones that carry it, if its joint has several freedoms.
  static void add_chain(BodyDraft draft, std::vector<BodyDraft>& drafts) {
    const std::vector<BodyDraft> before = std::move(draft.before);
    for (BodyDraft part : before) {
      part.parent = std::exchange(draft.parent, part.body.name);
      part.body.in_parent = std::exchange(draft.body.in_parent, multibody::Pose{});
      drafts.push_back(std::move(part));
    }
    drafts.push_back(std::move(draft));
  }

  // Limits, friction, spring and stops of one freedom.
  void read_coordinate(TableReader& reader, BodyDraft& draft) {
    namespace k = keys::coordinate;
    multibody::Body& body = draft.body;
    const std::size_t before = report_.count();
    reader.fill(body);
    draft.limits_given = reader.has(k::lower) || reader.has(k::upper);
    if (reader.has(k::lower) != reader.has(k::upper))
      reader.error(reader.has(k::lower) ? k::lower : k::upper,
                   fmt::format("{} has only one limit; give 'lower' and 'upper', or neither",
                               reader.what()));
    else if (draft.limits_given && report_.count() == before && body.lower >= body.upper)
      reader.error(k::lower, fmt::format("the lower limit of {} ({}) is not below the upper ({}); "
                                         "exchange them or leave both out for no limits",
                                         reader.what(), body.lower, body.upper));
    draft.friction = read_friction(report_, reader, k::friction, k::damping, body.damping);
    if (reader.has(k::spring_rest) && !reader.has(k::spring))
      reader.error(
          k::spring_rest,
          fmt::format("the spring of {} has a rest only; give 'spring' too", reader.what()));
    if (reader.has(k::stop_stiffness) && !draft.limits_given)
      reader.error(k::stop_stiffness,
                   fmt::format("the stops of {} have no place: give it 'lower' and "
                               "'upper', or remove 'stop_stiffness'",
                               reader.what()));
    if (reader.has(k::stop_damping) && !reader.has(k::stop_stiffness))
      reader.error(k::stop_damping,
                   fmt::format("the stops of {} have a damping only; give 'stop_stiffness' too",
                               reader.what()));
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
      if (draft.ball && !draft.ball->name.empty() && !joints.insert(draft.ball->name).second)
        report_.error(draft.place, fmt::format("there are two joints called '{}'; rename one",
                                               draft.ball->name));
      if (draft.body.type != JointType::kFixed && ++moving == kMaxLinks + 1)
        report_.error(draft.place,
                      fmt::format("a machine has at most {} moving bodies", kMaxLinks));
    }
    if (moving == 0 && !report_.any())
      report_.error(
          root_.place,
          "no body can move; give at least one a joint that is not fixed, as [[body]] name = "
          "\"boom\", joint = { type = \"revolute\", axis = [0, 1, 0] }");
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
        if (drafts[i].ball) {
          balls_.insert(drafts[i].ball->name);
          places_.emplace("joint " + drafts[i].ball->name, drafts[i].place);
        }
        if (!drafts[i].turn && !drafts[i].body.joint_name.empty()) {
          joint_names_.push_back(drafts[i].body.joint_name);
          joint_types_[drafts[i].body.joint_name] = drafts[i].body.type;
          joint_limited_[drafts[i].body.joint_name] = drafts[i].limits_given;
          places_.emplace("joint " + drafts[i].body.joint_name, drafts[i].place);
        }
        // With errors the tree is not needed, and it would refuse some of the bodies.
        if (!sound) continue;
        drafts[i].body.parent = parent->second;
        const int body = model_.tree.add_body(drafts[i].body);
        if (drafts[i].ball) {
          drafts[i].ball->first = model_.tree.body(body).link;
          model_.balls.push_back(*drafts[i].ball);
        }
        if (drafts[i].body.type != JointType::kFixed) friction.push_back(drafts[i].friction);
      }
    }
    for (std::size_t i = 0; known && i < drafts.size(); ++i)
      if (!done[i])
        report_.error(
            drafts[i].parent_place,
            fmt::format("body '{}' is its own ancestor: its chain of parents never reaches "
                        "'base'; give one body of the circle another parent",
                        drafts[i].body.name));
    if (std::any_of(friction.begin(), friction.end(),
                    [](const auto& dry) { return dry.kind != friction::Kind::kNone; }))
      model_.joint_friction = std::move(friction);
    bodies_known_ = known;
  }

  // --- Loops and drives -----------------------------------------------------------------------

  // The body that a key names; kBase where it may be the ground, or where it is wrong.
  int body_of(TableReader& reader, const Key& key, bool base_allowed = true) {
    const std::string body = reader.text(key).value_or("");
    const int found = model_.tree.find_body(body);
    if (body.empty() || found != multibody::kBase || (base_allowed && body == "base") ||
        model_.tree.body_count() == 0)
      return found;
    std::vector<std::string> names;
    if (base_allowed) names.emplace_back("base");
    for (int i = 0; i < model_.tree.body_count(); ++i) names.push_back(model_.tree.body(i).name);
    reader.error(key, fmt::format("{} is on body '{}', which does not exist{}", reader.what(), body,
                                  alternatives(body, names)));
    return found;
  }

  void read_loops(TableReader& root) {
    namespace k = keys::loop;
    std::set<std::string> names;
    const auto nodes = root.tables(machine_keys::loops);
    if (nodes.size() > static_cast<std::size_t>(multibody::kMaxLoops))
      report_.error(nodes[multibody::kMaxLoops]->place,
                    fmt::format("there are {} loops; a machine has at most {}", nodes.size(),
                                multibody::kMaxLoops));
    for (const Node* node : nodes) {
      TableReader reader(report_, *node, k::table, called("loop", text_of(*node, "name")));
      multibody::Loop loop;
      if (!reader.fill(loop)) continue;  // without its kind the rest cannot be judged
      refuse_twin(names, loop.name, "loops", node->place);
      loop.body_a = body_of(reader, k::body_a);
      loop.body_b = body_of(reader, k::body_b);
      if (loop.kind == multibody::LoopKind::kPointLine)
        loop.direction_b = direction_of(reader, k::direction_b);
      const std::string a = text_of(*node, k::body_a.name);
      if (!a.empty() && a == text_of(*node, k::body_b.name))
        reader.error(k::body_b, fmt::format("both ends of {} are on one body; a loop joins two",
                                            reader.what()));
      reader.done();
      places_.emplace("loop " + loop.name, node->place);
      model_.loops.push_back(std::move(loop));
    }
  }

  void read_couplings(TableReader& root) {
    namespace k = keys::coupling;
    for (const Node* node : root.tables(machine_keys::couplings)) {
      const std::string joint = text_of(*node, k::joint.name);
      TableReader reader(report_, *node, k::table, called("coupling", joint));
      const auto type = joint_of(reader, k::joint);
      const auto other = joint_of(reader, k::follows);
      if (!type) continue;  // without its joint the units cannot be judged
      multibody::Coupling coupling;
      reader.slides(*type == JointType::kPrismatic);
      reader.fill(coupling);
      reader.done();
      places_.emplace("coupling " + joint, node->place);
      coupling.joint = model_.tree.find_joint(joint);
      coupling.follows = model_.tree.find_joint(text_of(*node, k::follows.name));
      if (other && coupling.joint != multibody::kBase) model_.couplings.push_back(coupling);
    }
  }

  void read_drives(TableReader& root) {
    std::set<std::string> seen;
    for (const Node* node : root.tables(machine_keys::drives)) {
      const std::string joint = text_of(*node, "joint");
      TableReader reader(report_, *node, keys::drive::table, called_of("drive", joint));
      const auto type = joint_of(reader, keys::drive::joint);
      if (!joint.empty() && !seen.insert(joint).second)
        report_.error(node->place, fmt::format("joint '{}' has two drives; remove one", joint));
      if (!type) continue;  // without its joint the units cannot be judged
      machine::JointDrive drive;
      drive.link = model_.tree.find_joint(joint);
      reader.slides(*type == JointType::kPrismatic);
      reader.choose(*type == JointType::kPrismatic ? "prismatic" : "revolute");
      reader.fill(drive);
      reader.done();
      if (drive.link != multibody::kBase) model_.drives.push_back(drive);
    }
  }

  // --- Valves ---------------------------------------------------------------------------------

  void read_valves(TableReader& root) {
    const Node* node = root.subtable(machine_keys::valves);
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
    namespace k = keys::valve;
    TableReader reader(report_, node, k::table, what);
    hydraulics::Valve valve;
    const std::size_t before = report_.count();
    reader.fill(valve);
    if (report_.count() == before && reader.has(k::overlap) && reader.has(k::full) &&
        valve.full_V <= valve.overlap_V)
      reader.error(k::full,
                   fmt::format("{} is fully open at {} V, within its overlap of {} V; 'full' "
                               "must be larger",
                               what, valve.full_V, valve.overlap_V));
    if (const Node* own = reader.subtable(k::compensator))
      fill(*own, keys::compensator::table, fmt::format("the compensator of {}", what),
           valve.compensator);
    // The common value may be left out if each edge has its own.
    const bool optional = std::all_of(std::begin(k::edges), std::end(k::edges),
                                      [&](const Key& edge) { return reader.has(edge); });
    const hydraulics::Conductance common = read_conductance(reader, valve, {}, !optional);
    std::array<double, 4> overlap_V{};
    overlap_V.fill(valve.overlap_V);
    for (std::size_t i = 0; i < valve.edge.size(); ++i) {
      valve.edge[i] = common;
      const Node* edge = reader.subtable(k::edges[i]);
      if (edge == nullptr) continue;
      TableReader edge_reader(report_, *edge, keys::edge::table,
                              fmt::format("edge '{}' of {}", k::edges[i].name, what));
      hydraulics::Valve seen = valve;
      seen.overlap_V = overlap_V[i] = own_overlap(edge_reader, valve);
      valve.edge[i] = read_conductance(edge_reader, seen, common, true);
      edge_reader.done();
    }
    if (report_.count() == before) open_late(overlap_V, valve);
    reader.done();
    return valve;
  }

  static double own_overlap(TableReader& reader, const hydraulics::Valve& valve) {
    const Key& key = keys::edge::overlap;
    const auto own = reader.quantity(key);
    if (!own) return valve.overlap_V;
    if (*own < valve.full_V) return *own;
    reader.error(key, fmt::format("{} opens at {} V, but its valve is fully open at {} V; "
                                  "'overlap' must be smaller",
                                  reader.what(), *own, valve.full_V));
    return valve.overlap_V;
  }

  // The spool's overlap is the least of its edges'; the curve of an edge that opens later has nothing up to there.
  static void open_late(const std::array<double, 4>& overlap_V, hydraulics::Valve& valve) {
    valve.overlap_V = *std::min_element(overlap_V.begin(), overlap_V.end());
    for (std::size_t i = 0; i < overlap_V.size(); ++i) {
      const double begin = (overlap_V[i] - valve.overlap_V) / (valve.full_V - valve.overlap_V);
      if (begin > 0.0) begin_curve_at(begin, valve.edge[i]);
    }
  }

  static void begin_curve_at(double begin, hydraulics::Conductance& edge) {
    constexpr int kPoints = 100;    // of a polynomial: within 1e-4 of its end
    constexpr double kJump = 1e-6;  // share of the opening, where a curve does not begin at zero
    Table late;
    const double first = edge.table.x.empty() ? 0.0 : edge.table.y.front();
    if (first > 0.0) late = {{begin * (1.0 - kJump), begin}, {0.0, first}};
    const auto add = [&](double opening, double share) {
      const double x = begin + (1.0 - begin) * opening;
      if (!late.x.empty() && x <= late.x.back()) return;
      late.x.push_back(x);
      late.y.push_back(share);
    };
    for (std::size_t i = 0; i < edge.table.x.size(); ++i) add(edge.table.x[i], edge.table.y[i]);
    const auto& c = edge.polynomial;
    for (int i = 0; edge.table.x.empty() && i <= kPoints; ++i) {
      const double opening = static_cast<double>(i) / kPoints;
      add(opening, hydraulics::polynomial_conductance(1.0, c[0], c[1], c[2], opening));
    }
    edge.table = late;
  }

  // Flow in l/min or m3/s at a drop, over the opening or over the volts.
  std::optional<hydraulics::Conductance> read_rated(TableReader& reader,
                                                    const hydraulics::Valve& valve) {
    namespace k = keys::opening;
    const auto drop = reader.quantity(k::rated_drop);
    const auto by_opening = reader.curve(k::flow);
    auto rated = by_opening;
    if (const auto by_volt = reader.curve(k::flow_by_volt)) {
      rated = by_volt;
      for (double& x : rated->x) {
        x = (x - valve.overlap_V) / (valve.full_V - valve.overlap_V);
        if (x < -1e-9 || x > 1.0 + 1e-9) {
          reader.error(k::flow_by_volt,
                       fmt::format("'flow_by_volt' of {} goes beyond the spool's {} to {} V",
                                   reader.what(), valve.overlap_V, valve.full_V));
          return std::nullopt;
        }
        x = std::clamp(x, 0.0, 1.0);
      }
    }
    if (!reader.has(k::flow) && !reader.has(k::flow_by_volt)) {
      if (reader.has(k::rated_drop))
        reader.error(k::rated_drop,
                     fmt::format("{} has a 'rated_drop' without flows; add 'flow'", reader.what()));
      return std::nullopt;
    }
    for (const Key* other : {&k::conductance, &k::polynomial, &k::table})
      if (reader.has(*other))
        reader.error(*other, fmt::format("{} gives flows and a '{}'; keep one of them",
                                         reader.what(), other->name));
    if (reader.has(k::flow) && reader.has(k::flow_by_volt))
      reader.error(k::flow_by_volt,
                   fmt::format("{} gives flows twice; keep one of 'flow' and 'flow_by_volt'",
                               reader.what()));
    if (!reader.has(k::rated_drop)) reader.missing(k::rated_drop);
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
    namespace k = keys::opening;
    const std::size_t before = report_.count();
    const auto rated = read_rated(reader, valve);
    const bool by_flow = reader.has(k::flow) || reader.has(k::flow_by_volt);
    if (rated) conductance = *rated;
    Key scale = k::conductance;  // needed where nothing else says it
    scale.needed = required && !by_flow && conductance.scale == 0.0;
    if (const auto given = reader.quantity(scale)) conductance.scale = *given;
    const auto coefficients = reader.numbers(k::polynomial);
    const auto table = reader.curve(k::table);
    if (by_flow && !rated) return conductance;
    if (reader.has(k::polynomial) && reader.has(k::table)) {
      reader.error(k::table, fmt::format("{} has a 'polynomial' and a 'table'; keep one of them",
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
    if (required && none && !reader.has(k::polynomial) && !reader.has(k::table)) {
      report_.error(reader.place(),
                    fmt::format("{} has neither 'polynomial' nor 'table'; add one of them: the "
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
            rated          ? (reader.has(k::flow) ? k::flow : k::flow_by_volt)
            : coefficients ? k::polynomial
                           : k::table,
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
    for (const Node* node : root.tables(machine_keys::actuators)) {
      ActuatorDraft draft = read_actuator(*node);
      const std::string joint = text_of(*node, "joint");
      refuse_twin(names, draft.actuator.name, "actuators", node->place);
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
  std::optional<JointType> joint_of(TableReader& reader, const Key& key) {
    const std::string joint = reader.text(key).value_or("");
    if (joint.empty()) return std::nullopt;
    const auto found = joint_types_.find(joint);
    if (balls_.contains(joint)) {
      reader.error(key,
                   fmt::format("{} names the joint '{}', which turns in any direction and has no "
                               "coordinate; name one with a single freedom",
                               reader.what(), joint));
      return std::nullopt;
    }
    if (found == joint_types_.end()) {
      if (bodies_known_)
        reader.error(key, fmt::format("{} names the joint '{}', which does not exist{}",
                                      reader.what(), joint, alternatives(joint, joint_names_)));
      return std::nullopt;
    }
    if (found->second == JointType::kFixed)
      reader.error(key, fmt::format("{} names the joint '{}', which is fixed; name one that moves",
                                    reader.what(), joint));
    return found->second;
  }

  ActuatorDraft read_actuator(const Node& node) {
    namespace k = keys::actuator;
    const std::string joint = text_of(node, "joint");
    TableReader reader(report_, node, k::table, called("actuator", identity(node)));
    ActuatorDraft draft;
    draft.place = node.place;
    machine::Actuator& actuator = draft.actuator;
    hydraulics::Circuit& circuit = actuator.circuit;
    const bool known = reader.fill(actuator);
    if (actuator.name.empty()) actuator.name = joint;
    const auto type = joint_of(reader, k::joint);
    actuator.link = model_.tree.find_joint(joint);
    if (!known) return draft;  // without its kind the rest cannot be judged
    reader.fill(circuit);
    reader.slides(circuit.kind == ActuatorKind::kCylinder);
    if (circuit.kind == ActuatorKind::kCylinder)
      read_cylinder(reader, actuator, type);
    else if (type && *type == JointType::kPrismatic)
      reader.error(k::joint,
                   fmt::format("{} is a motor on a sliding joint; a motor turns a revolute "
                               "joint",
                               reader.what()));
    actuator.friction = read_friction(report_, reader, k::friction, k::viscous, circuit.B);
    if (actuator.air) {
      read_air_cylinder(reader, actuator, joint);
      read_driver(reader, actuator);
      reader.done();
      return draft;
    }
    read_oil_of(reader, circuit);
    remark_slide(reader, actuator);
    circuit.line1 = read_line(reader, circuit, 0);
    circuit.line2 = read_line(reader, circuit, 1);
    read_valve_of(reader, circuit);
    read_protection_of(reader, circuit);
    for (std::size_t side = 0; side < 2; ++side)
      if (const Node* own = reader.subtable(k::holdings[side]))
        circuit.holding[side] =
            read_holding(*own, fmt::format("'{}' of {}", k::holdings[side].name, reader.what()));
    read_driver(reader, actuator);
    read_end_stops(reader, actuator, joint);
    reader.done();
    return draft;
  }

  void read_cylinder(TableReader& reader, machine::Actuator& actuator,
                     std::optional<JointType> type) {
    namespace k = keys::actuator;
    hydraulics::Circuit& circuit = actuator.circuit;
    if (reader.has(k::area_a) || reader.has(k::area_b)) {
      for (const Key* area : {&k::area_a, &k::area_b})
        if (!reader.has(*area)) reader.missing(*area);
      for (const Key* key : {&k::bore, &k::rod}) {
        if (!reader.has(*key)) continue;
        reader.quantity(*key);  // it is known, but not wanted
        reader.error(*key, fmt::format("{} gives areas and a '{}'; give either 'bore' and 'rod' or "
                                       "'area_a' and 'area_b'",
                                       reader.what(), key->name));
      }
    } else {
      const std::size_t before = report_.count();
      const double bore = reader.value(k::bore);
      const double rod = reader.value(k::rod);
      if (report_.count() == before && bore > 0.0 && rod >= bore)
        reader.error(k::rod,
                     fmt::format("the rod of {} ({} mm) is not thinner than its bore ({} mm); "
                                 "check which is which",
                                 reader.what(), rod * 1e3, bore * 1e3));
      circuit.A1 = std::numbers::pi / 4.0 * bore * bore;
      circuit.A2 = std::numbers::pi / 4.0 * (bore * bore - rod * rod);
    }
    machine::Linkage& linkage = actuator.linkage;
    const auto base_pin = reader.vector(k::base_pin);
    const auto rod_pin = reader.vector(k::rod_pin);
    if (reader.has(k::base_body) || reader.has(k::rod_body)) {
      linkage.kind = LinkageKind::kPins;
      for (const Key* key : {&k::base_body, &k::rod_body})
        if (!reader.has(*key)) reader.missing(*key);
      linkage.base_body = body_of(reader, k::base_body);
      linkage.rod_body = body_of(reader, k::rod_body);
    } else if (type && *type == JointType::kRevolute) {
      linkage.kind = LinkageKind::kTriangle;
    }
    const bool along_a_slide = type && linkage.kind == LinkageKind::kDirect;
    for (const Key* pin : {&k::base_pin, &k::rod_pin}) {
      if (linkage.kind != LinkageKind::kDirect && !reader.has(*pin)) reader.missing(*pin);
      if (along_a_slide && reader.has(*pin))
        reader.error(*pin, fmt::format("{} lies along a slide and has no pins; remove '{}'",
                                       reader.what(), pin->name));
    }
    if (along_a_slide) return;
    linkage.base_pin = base_pin.value_or(Vec3::Zero());
    linkage.rod_pin = rod_pin.value_or(Vec3::Zero());
  }

  void read_air_cylinder(TableReader& reader, machine::Actuator& actuator,
                         const std::string& joint) {
    namespace k = keys::actuator;
    machine::AirCylinder& own = *actuator.air;
    reader.fill(own);
    own.cylinder.area_cap = actuator.circuit.A1;
    own.cylinder.area_rod = actuator.circuit.A2;
    own.cylinder.stroke = reader.value(k::stroke);
    own.retracted = reader.value(k::closed_length);
    own.valve = air_valve_;
    actuator.circuit.valve = air_spool_;
    read_end_stops(reader, actuator, joint);
    if (const Node* stops = reader.table().find(k::end_stops.name))
      for (const char* end : {"min", "max"})
        for (const Entry& entry : stops->entries)
          if (split_key(entry.key).stem == end)
            report_.error(entry.place, fmt::format("'{}' of {}: its ends are those of the stroke; "
                                                   "remove it",
                                                   entry.key, reader.what()));
  }

  // The oil in the chambers of a cylinder along a slide counts from the joint's own position.
  void remark_slide(TableReader& reader, const machine::Actuator& actuator) {
    const hydraulics::Circuit& circuit = actuator.circuit;
    if (!circuit.volumes || circuit.kind != ActuatorKind::kCylinder ||
        actuator.linkage.kind != LinkageKind::kDirect || actuator.link == multibody::kBase)
      return;
    constexpr double kFits = 1e-6;  // m
    const multibody::Body& body = model_.tree.body(model_.tree.link(actuator.link).body);
    const double in = circuit.chamber[0].x_empty, out = circuit.chamber[1].x_empty;
    if (!(body.upper > body.lower) || (body.lower >= in - kFits && body.upper <= out + kFits))
      return;
    report_.remark(
        reader.place_of(keys::actuator::closed_length),
        fmt::format(
            "{} slides from {:g} to {:g} m, but its rod is in at {:g} m and out at {:g} m; on "
            "a sliding joint 'closed_length' is the position with the rod in",
            reader.what(), body.lower, body.upper, in, out));
  }

  hydraulics::Fluid read_fluid(const Node& node) {
    hydraulics::Fluid fluid;
    fill(node, keys::oil::table, "'oil'", fluid);
    return fluid;
  }

  // Single keys of an actuator's own table stand for those of the machine's.
  static Node laid_over(const Node* shared, const Node* own) {
    Node merged;
    if (shared != nullptr) merged = *shared;
    if (own != nullptr) merge(merged, *own);
    if (shared == nullptr) merged.place = own->place;
    return merged;
  }

  // With a table of the oil the lines give volumes, else capacitances.
  void read_oil_of(TableReader& reader, hydraulics::Circuit& circuit) {
    namespace k = keys::actuator;
    const Node* own = reader.subtable(k::oil);
    circuit.volumes = own != nullptr || oil_ != nullptr;
    const double closed = reader.value(k::closed_length);
    const double stroke = reader.value(k::stroke);
    if (!circuit.volumes) return;
    circuit.fluid = read_fluid(laid_over(oil_, own));
    if (circuit.kind != ActuatorKind::kCylinder) return;
    for (const Key* key : {&k::closed_length, &k::stroke})
      if (!reader.has(*key)) reader.missing(*key, "since there is an [oil] table");
    circuit.chamber[0].area = circuit.A1;
    circuit.chamber[1].area = circuit.A2;
    circuit.chamber[0].x_empty = closed;
    circuit.chamber[1].x_empty = closed + stroke;
  }

  hydraulics::Line read_line(TableReader& parent, hydraulics::Circuit& circuit, std::size_t side) {
    namespace k = keys::line;
    hydraulics::Line line;
    const Key& key = keys::actuator::lines[side];
    const Node* node = parent.subtable(key);
    if (node == nullptr) return line;
    TableReader reader(report_, *node, k::table,
                       fmt::format("'{}' of {}", key.name, parent.what()));
    reader.slides(circuit.kind == ActuatorKind::kCylinder);
    if (circuit.volumes) {
      reader.choose(k::kOil);
      read_chamber(reader, circuit.fluid, line, circuit.chamber[side]);
      line.C = hydraulics::capacitance(circuit.fluid, circuit.chamber[side],
                                       circuit.chamber[1 - side].x_empty, 0.0);
    } else {
      if (!reader.has(k::inertance)) reader.missing(k::inertance);
      line.I = reader.value(k::inertance);
      line.C = reader.value(k::capacitance);
    }
    reader.fill(line);
    reader.done();
    return line;
  }

  // A hose by its length and bore, which give volume and inertance, or by those two.
  void read_chamber(TableReader& reader, const hydraulics::Fluid& fluid, hydraulics::Line& line,
                    hydraulics::Chamber& chamber) {
    namespace k = keys::line;
    reader.fill(chamber);
    const double length = reader.value(k::hose_length), bore = reader.value(k::hose_bore);
    const double inertance = reader.value(k::inertance), volume = reader.value(k::hose_volume);
    const auto wants = [&reader](const Key& key, std::string_view why = {}) {
      if (!reader.has(key)) reader.missing(key, why);
    };
    if (reader.has(k::hose_length) || reader.has(k::hose_bore)) {
      wants(k::hose_length);
      wants(k::hose_bore);
      for (const Key* key : {&k::hose_volume, &k::inertance})
        if (reader.has(*key))
          reader.error(*key, fmt::format("{} gives the hose and its '{}', which follows from that; "
                                         "keep one of them",
                                         reader.what(), key->name));
      const double area = std::numbers::pi / 4.0 * bore * bore;
      chamber.hose_m3 = area * length;
      line.I = area > 0.0 ? fluid.density * length / area : 0.0;
    } else {
      chamber.hose_m3 = volume;
      line.I = inertance;
      if (!reader.has(k::capacitance)) {
        wants(k::hose_volume, "since there is an [oil] table, or give hose_length and hose_bore");
        wants(k::inertance);
      }
    }
    if (!reader.has(k::capacitance)) return;
    reader.quantity(k::capacitance);
    reader.error(k::capacitance,
                 fmt::format("{} gives a capacitance, but since there is an [oil] table that "
                             "follows from the volume; write hose_length and hose_bore in place "
                             "of 'capacitance' and 'inertance', or hose_volume in place of "
                             "'capacitance'",
                             reader.what()));
  }

  hydraulics::LoadHolding read_holding(const Node& node, std::string what) {
    hydraulics::LoadHolding holding;
    TableReader reader(report_, node, keys::holding::table, std::move(what));
    if (!reader.fill(holding)) return holding;
    if (holding.kind != hydraulics::HoldingKind::kNone)
      holding.conductance = read_flow_at_drop(reader);
    reader.done();
    return holding;
  }

  // A conductance as such, or as a flow at a drop.
  double read_flow_at_drop(TableReader& reader) {
    namespace k = keys::holding;
    const auto flow = reader.quantity(k::flow);
    const auto drop = reader.quantity(k::rated_drop);
    if (reader.has(k::conductance)) {
      for (const Key* other : {&k::flow, &k::rated_drop})
        if (reader.has(*other))
          reader.error(*other, fmt::format("{} gives a conductance and a '{}'; keep one of them",
                                           reader.what(), other->name));
      return reader.quantity(k::conductance).value_or(1.0);
    }
    for (const Key* key : {&k::flow, &k::rated_drop})
      if (!reader.has(*key)) reader.missing(*key);
    return flow && drop ? *flow / std::sqrt(*drop) : 1.0;
  }

  void read_valve_of(TableReader& reader, hydraulics::Circuit& circuit) {
    if (!reader.has(keys::actuator::valve))
      return report_.error(reader.place(), fmt::format("{} has no valve; add valve = \"NAME\" of a "
                                                       "[valve.NAME], or a table of its own",
                                                       reader.what()));
    const Node* node = reader.any(keys::actuator::valve);
    if (node->is_table()) {
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
    const Node* own = reader.subtable(keys::actuator::protection);
    if (own != nullptr || protection_ != nullptr)
      circuit.protection = read_protection(laid_over(protection_, own));
    else if (!reader.has(keys::actuator::protection))
      report_.error(reader.place(),
                    fmt::format("{} has no protection; add [protection] for all actuators or one "
                                "of its own (enabled = false for none)",
                                reader.what()));
  }

  hydraulics::Protection read_protection(const Node& node) {
    hydraulics::Protection protection;
    fill(node, keys::protection::table, "'protection'", protection);
    return protection;
  }

  void read_driver(TableReader& parent, machine::Actuator& actuator) {
    namespace k = keys::driver;
    const Node* node = parent.subtable(keys::actuator::driver);
    if (node == nullptr) return;
    TableReader reader(report_, *node, k::table, fmt::format("'driver' of {}", parent.what()));
    machine::ValveDriver& driver = actuator.driver;
    const std::size_t before = report_.count();
    reader.fill(driver);
    for (const std::size_t way : {0, 1})
      if (report_.count() == before && driver.start_V[way] >= driver.largest_V[way])
        reader.error(k::start,
                     fmt::format("{} starts at {} V, not below its largest command of {} V; lower "
                                 "'start'",
                                 reader.what(), driver.start_V[way], driver.largest_V[way]));
    reader.done();
  }

  void read_end_stops(TableReader& parent, machine::Actuator& actuator, const std::string& joint) {
    namespace k = keys::end_stops;
    const Node* node = parent.subtable(keys::actuator::end_stops);
    if (node == nullptr) return;
    TableReader reader(report_, *node, k::table, fmt::format("'end_stops' of {}", parent.what()));
    machine::EndStops& stops = actuator.stops;
    reader.slides(actuator.circuit.kind == ActuatorKind::kCylinder);
    const std::size_t before = report_.count();
    reader.fill(stops);
    if (reader.has(k::min) != reader.has(k::max))
      reader.error(reader.has(k::min) ? k::min : k::max,
                   fmt::format("{} has one end only; give 'min' and 'max', or neither to take them "
                               "from the limits of the joint",
                               reader.what()));
    else if (reader.has(k::min) && report_.count() == before && stops.x_min >= stops.x_max)
      reader.error(k::min,
                   fmt::format("'min' of {} is not below 'max'; exchange them", reader.what()));
    else if (stops.enabled && !reader.has(k::min) && joint_limited_.contains(joint) &&
             !joint_limited_[joint])
      report_.error(node->place, fmt::format("{} has no ends: joint '{}' has no limits; give it "
                                             "'lower' and 'upper', or give 'min' and 'max' here",
                                             reader.what(), joint));
    reader.done();
  }

  // --- Controllers and tip --------------------------------------------------------------------

  void read_controllers(TableReader& root) {
    std::map<std::string, control::PidGains> gains;
    for (const Node* node : root.tables(machine_keys::controllers)) {
      const std::string joint = text_of(*node, "joint");
      TableReader reader(report_, *node, keys::controller::table, called_of("controller", joint));
      const auto type = joint_of(reader, keys::controller::joint);
      if (!joint.empty() && gains.contains(joint))
        report_.error(node->place,
                      fmt::format("joint '{}' has two controllers; remove one", joint));
      if (type && *type != JointType::kFixed && !actuated_.contains(joint))
        reader.error(keys::controller::joint,
                     fmt::format("{} has nothing to move: joint '{}' has no actuator",
                                 reader.what(), joint));
      if (type) gains[joint] = read_gains(reader, *type == JointType::kPrismatic);
    }
    for (const machine::Actuator& actuator : model_.actuators) {
      if (actuator.link < 0) continue;
      // Without a controller only logs, levers and voltages move it.
      const auto own = gains.find(model_.joint_name(actuator.link));
      model_.controllers.push_back(own != gains.end() ? own->second : control::no_controller());
    }
  }

  void read_tip(TableReader& root) {
    const Node* node = root.subtable(machine_keys::tip);
    if (node == nullptr) {
      model_.tip_body = std::max(0, model_.tree.body_count() - 1);
      return;
    }
    TableReader reader(report_, *node, keys::tip::table, "the tip");
    reader.fill(model_);
    model_.tip_body = std::max(0, body_of(reader, keys::tip::body, false));
    reader.done();
  }

  // --- Shapes, grapple and looks --------------------------------------------------------------

  void read_shapes(TableReader& root) {
    const bool grapple = root.has(machine_keys::grapple);
    const std::size_t room =
        static_cast<std::size_t>(world::kMaxMachineShapes) - (grapple ? kGrappleShapes : 0);
    std::set<std::string> names;
    const auto nodes = root.tables(machine_keys::shapes);
    if (nodes.size() > room)
      report_.error(nodes[room]->place,
                    fmt::format("there are {} shapes; a machine has at most {}{}", nodes.size(),
                                room, grapple ? " beside a grapple" : ""));
    for (const Node* node : nodes) {
      TableReader reader(report_, *node, keys::shape::table,
                         called("shape", text_of(*node, "name")));
      machine::ContactShape shape;
      reader.fill(shape);
      refuse_twin(names, shape.name, "shapes", node->place);
      shape.body = body_of(reader, keys::shape::body);
      reader.done();
      model_.shapes.push_back(std::move(shape));
    }
  }

  void read_load_space(TableReader& root) {
    const Node* node = root.subtable(machine_keys::load_space);
    if (node == nullptr) return;
    TableReader reader(report_, *node, keys::load_space::table, "the load space");
    machine::LoadSpace& space = model_.load_space;
    space.present = reader.fill(space);
    space.body = body_of(reader, keys::load_space::body);
    reader.done();
    if (!space.present) return;
    for (machine::ContactShape& shape : machine::load_space_shapes(space))
      model_.shapes.push_back(std::move(shape));
    if (const std::size_t room = static_cast<std::size_t>(world::kMaxMachineShapes) -
                                 (root.has(machine_keys::grapple) ? kGrappleShapes : 0);
        model_.shapes.size() > room)
      report_.error(node->place, fmt::format("there are {} shapes with those of the load space; a "
                                             "machine has at most {}",
                                             model_.shapes.size(), room));
  }

  // A direction, of any length but zero.
  Vec3 direction_of(TableReader& reader, const Key& key) {
    const auto given = reader.vector(key);
    if (!given) return Vec3::UnitX();
    const double length = given->stableNorm();
    if (length > 0.0 && std::isfinite(length)) return *given / length;
    reader.error(key, fmt::format("'{}' of {} has no direction; give a vector that is not zero, "
                                  "such as [0, 0, -1]",
                                  key.name, reader.what()));
    return Vec3::UnitX();
  }

  void read_grapple(TableReader& root) {
    namespace k = keys::grapple;
    const Node* node = root.subtable(machine_keys::grapple);
    if (node == nullptr) return;
    TableReader reader(report_, *node, k::table, "the grapple");
    machine::Grapple& grapple = model_.grapple;
    const std::size_t before = report_.count();
    grapple.present = true;
    grapple.body = body_of(reader, k::body, false);
    grapple.log_axis_B = direction_of(reader, k::log_axis);
    grapple.open_axis_B = direction_of(reader, k::open_axis);
    grapple.reach_axis_B = direction_of(reader, k::reach_axis);
    const auto jaws = reader.texts(k::jaws);
    if (jaws)
      find_jaws(reader, *jaws);
    else
      for (const Key* key : {&k::closing_time, &k::grip_force})
        if (!reader.has(*key)) reader.missing(*key, "since there is no 'jaws'");
    reader.fill(grapple);
    reader.done();
    if (report_.count() == before) check_grapple(reader);
  }

  void find_jaws(TableReader& reader, const std::vector<std::string>& names) {
    namespace k = keys::grapple;
    for (const Key* key : {&k::closing_time, &k::grip_force})
      if (reader.has(*key))
        reader.error(*key, fmt::format("jaws that are bodies move and hold as their cylinder does; "
                                       "remove '{}' or 'jaws'",
                                       key->name));
    if (names.size() != 2) {
      reader.error(k::jaws, "'jaws' of the grapple must name two bodies");
      return;
    }
    for (const std::size_t side : {0, 1}) {
      const int body = model_.tree.find_body(names[side]);
      if (body == multibody::kBase && model_.tree.body_count() > 0)
        reader.error(k::jaws, fmt::format("jaw '{}' of the grapple is no body", names[side]));
      model_.grapple.jaw[side] = body;
    }
  }

  // Their joints must measure what jaw_angle() does.
  void check_jaws(TableReader& reader) {
    namespace k = keys::grapple;
    const machine::Grapple& g = model_.grapple;
    constexpr double kNear = 1e-3;  // m; of a unit vector
    constexpr double kSame = 0.01;  // rad
    constexpr double kSteepestAngle = -1.4;
    const Vec3 outwards = g.reach_axis_B.cross(g.open_axis_B);  // axis of the jaw on side +1
    int actuators = 0;
    for (const int side : {-1, 1}) {
      const multibody::Body& jaw = model_.tree.body(g.jaw[side < 0 ? 0 : 1]);
      const auto wrong = [&](std::string why) {
        reader.error(k::jaws, fmt::format("jaw '{}' of the grapple {}", jaw.name, why));
      };
      if (jaw.parent != g.body || jaw.type != JointType::kRevolute) {
        wrong(fmt::format("must turn on a hinge of body '{}'", model_.tree.body(g.body).name));
        continue;
      }
      const Vec3 hinge = g.pin_B + side * 0.5 * g.hinge_distance * g.open_axis_B;
      if ((jaw.in_parent.p - hinge).norm() > kNear)
        wrong(
            fmt::format("must have its hinge at [{:.3f}, {:.3f}, {:.3f}] m, half of "
                        "'hinge_distance' from the pin",
                        hinge.x(), hinge.y(), hinge.z()));
      const Vec3 axis = jaw.in_parent.R * jaw.axis_B;
      if ((axis - side * outwards).norm() > kNear)
        wrong(fmt::format("must turn outwards about [{:.3f}, {:.3f}, {:.3f}]", side * outwards.x(),
                          side * outwards.y(), side * outwards.z()));
      const double meet = std::asin((g.tine_radius - 0.5 * g.hinge_distance) / g.jaw_length);
      const double open = world::jaw_angle(worksite::grapple_shape(model_), 1.0);
      if (!(jaw.lower >= kSteepestAngle && jaw.lower <= meet + kSame) ||
          std::fabs(jaw.upper - open) > kSame)
        wrong(fmt::format(
            "must turn from {:.3f} rad, where the tips meet, or from less, where they have "
            "passed each other, to {:.3f} rad, where they are 'opening' apart; it has "
            "limits of {:.3f} and {:.3f} rad",
            meet, open, jaw.lower, jaw.upper));
      for (const machine::Actuator& actuator : model_.actuators)
        if (actuator.link == jaw.link) ++actuators;
    }
    const int links[2] = {model_.tree.body(g.jaw[0]).link, model_.tree.body(g.jaw[1]).link};
    const auto joins = [&links](const multibody::Coupling& c) {
      return ((c.joint == links[0] && c.follows == links[1]) ||
              (c.joint == links[1] && c.follows == links[0])) &&
             c.ratio == 1.0 && c.offset == 0.0;
    };
    if (g.jaw[0] == g.jaw[1] ||
        std::none_of(model_.couplings.begin(), model_.couplings.end(), joins) || actuators != 1)
      reader.error(
          k::jaws,
          "the grapple's jaws must be two bodies whose joints a coupling of ratio 1 joins, "
          "one of them with an actuator");
  }

  void check_grapple(TableReader& reader) {
    namespace k = keys::grapple;
    const machine::Grapple& g = model_.grapple;
    // The jaws' angle at either end needs a sine within bounds.
    constexpr double kSteepest = 0.99;
    constexpr double kSquare = 1e-6;
    const auto square = [&](const Vec3& a, const Vec3& b, const Key& of_a, const Key& of_b) {
      if (std::fabs(a.dot(b)) > kSquare)
        reader.error(of_b, fmt::format("'{}' and '{}' of the grapple are not at right angles",
                                       of_a.name, of_b.name));
    };
    square(g.log_axis_B, g.open_axis_B, k::log_axis, k::open_axis);
    square(g.log_axis_B, g.reach_axis_B, k::log_axis, k::reach_axis);
    square(g.open_axis_B, g.reach_axis_B, k::open_axis, k::reach_axis);
    const double half = 0.5 * g.hinge_distance;
    if (half - g.tine_radius > kSteepest * g.jaw_length)
      reader.error(k::jaw_length,
                   fmt::format("the jaws cannot meet: their hinges are {} m apart and "
                               "they are {} m long; make them longer than half of it",
                               g.hinge_distance, g.jaw_length));
    const double widest = 2.0 * (kSteepest * g.jaw_length + half - g.tine_radius);
    if (g.opening_max > widest)
      reader.error(k::opening, fmt::format("jaws of {} m on hinges {} m apart open to {:.3f} m at "
                                           "most, not to {} m",
                                           g.jaw_length, g.hinge_distance, widest, g.opening_max));
    if (g.driven()) check_jaws(reader);
    // Without a tree (the bodies have faults) its body is not known.
    if (g.body != multibody::kBase && model_.tree.body(g.body).link == multibody::kBase)
      reader.error(k::body, fmt::format("the grapple is on body '{}', which does not move",
                                        model_.tree.body(g.body).name));
  }

  void read_head(TableReader& root) {
    namespace k = keys::head;
    const Node* node = root.subtable(machine_keys::head);
    if (node == nullptr) return;
    TableReader reader(report_, *node, k::table, "the head");
    machine::Head& head = model_.head;
    head.present = true;
    const std::string tilt = reader.text(k::tilt).value_or("");
    reader.fill(head);
    reader.done();
    const machine::Grapple& g = model_.grapple;
    if (!g.present || g.driven()) {
      report_.error(node->place,
                    "a head is a [grapple] whose jaws are no bodies; add one without "
                    "'jaws', or remove [head]");
      return;
    }
    if (tilt.empty() || model_.tree.body_count() == 0) return;
    head.tilt_link = model_.tree.find_joint(tilt);
    const int link = head.tilt_link;
    if (link == multibody::kBase || !model_.tree.link(link).revolute || !model_.passive(link) ||
        model_.tree.body(g.body).link != link)
      reader.error(k::tilt, fmt::format("'{}' is no joint that turns the grapple's body and has no "
                                        "actuator; name the one that does",
                                        tilt));
  }

  void read_wheels(TableReader& root) {
    std::set<std::string> names;
    for (const Node* node : root.tables(machine_keys::wheels)) {
      TableReader reader(report_, *node, keys::wheel::table,
                         called("wheel", text_of(*node, "name")));
      machine::Wheel wheel;
      wheel.body = body_of(reader, keys::wheel::body, false);
      wheel.axis_B = direction_of(reader, keys::wheel::axis);
      reader.fill(wheel);
      refuse_twin(names, wheel.name, "wheels", node->place);
      reader.done();
      places_.emplace("wheel " + wheel.name, node->place);
      model_.wheels.push_back(std::move(wheel));
    }
  }

  void read_driveline(TableReader& root) {
    const Node* node = root.subtable(machine_keys::driveline);
    if (node == nullptr) return;
    TableReader reader(report_, *node, keys::driveline::table, "the driveline");
    machine::Driveline& driveline = model_.driveline;
    driveline.present = true;
    driveline.body = body_of(reader, keys::driveline::body, false);
    reader.fill(driveline);
    reader.done();
    if (driveline.engine_full < driveline.engine_floor)
      reader.error(keys::driveline::engine_full,
                   "'engine_full' of the driveline is below its 'engine_floor'");
    if (driveline.motor_full_Pa >= driveline.relief_Pa && driveline.relief_Pa > 0.0)
      reader.error(keys::driveline::motor_full,
                   "'motor_full' of the driveline must be below its 'relief'");
    places_.emplace("driveline", node->place);
  }

  void read_joint_lock(TableReader& root) {
    const Node* node = root.subtable(machine_keys::joint_lock);
    if (node == nullptr) return;
    TableReader reader(report_, *node, keys::joint_lock::table, "the joint lock");
    const auto type = joint_of(reader, keys::joint_lock::joint);
    if (type && *type != JointType::kRevolute)
      reader.error(keys::joint_lock::joint, "the joint lock is on a joint that slides");
    const std::string joint = text_of(*node, keys::joint_lock::joint.name);
    if (actuated_.contains(joint))
      reader.error(keys::joint_lock::joint,
                   "the joint lock is on a joint with an actuator, which holds it");
    reader.fill(model_.joint_lock);
    reader.done();
    model_.joint_lock.link = model_.tree.find_joint(joint);
  }

  void read_visual_of(const Node& node) {
    TableReader reader(report_, node, keys::visual::table, "the visual");
    const int body = body_of(reader, keys::visual::body);
    model_.visuals.push_back(
        read_visual(reader, report_.file(reader.place_of(keys::visual::file).file)));
    model_.visuals.back().body = body;
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
        const Unit* unit = declare::split_key(entry.key).unit;
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
  std::set<std::string> balls_;  // joints without coordinate
  std::set<std::string> actuated_;
  std::map<std::string, Place> places_;  // by kind and name: "actuator boom"
  bool bodies_known_ = false;
  bool hydraulic_ = true;        // there are actuators on oil
  bool on_air_ = false;          // there are pneumatic ones
  pneumatics::Valve air_valve_;  // of every pneumatic cylinder
  hydraulics::Valve air_spool_;
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
  MachineFile file;
  refuse_urdf(text, file_name);
  const Node root = read_document(text, file_name, overrides, machine_document(file.imports, bases),
                                  report, hash);
  MachineReader reader(root, report);
  file.model = reader.read(file.purpose);
  file.hash = hash.result();
  file.files = report.files_read();
  file.notes = report.notes();
  file.remarks = report.remarks();
  return file;
}

}  // namespace

DocumentOptions machine_document(std::vector<UrdfImport>& imports,
                                 const std::vector<NamedText>* bases) {
  DocumentOptions options;
  options.what = "machine file";
  options.keys = &machine_keys::table;
  options.sources = true;
  options.base = true;
  options.joint_alias = true;
  options.bases = bases;
  options.for_people = machine_keys::purpose.name;
  options.imports = &imports;
  return options;
}

std::string purpose_sentence(const MachineFile& file) {
  return file.purpose.empty() ? std::string() : file.model.name + " is " + file.purpose;
}

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

MachineFile read_urdf(const std::filesystem::path& path, std::span<const Override> overrides) {
  const std::string name = path.filename().string();
  const std::string text = fmt::format(
      "name = {}\nurdf = {}\nsource = {}\ngravity_m_per_s2 = 9.81\n",
      toml_string(plain_name(path.stem().string(), "urdf_")), toml_string(name), toml_string(name));
  return read_machine_text(text, path.string(), overrides);
}

}  // namespace knuckleboom::io
