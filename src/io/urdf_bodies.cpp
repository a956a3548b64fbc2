#include "urdf_bodies.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "declare/machine_keys.hpp"
#include "knuckleboom/core/multibody/nearest_inertia.hpp"
#include "knuckleboom/core/multibody/tree.hpp"
#include "knuckleboom/declare/units.hpp"
#include "rotation.hpp"
#include "urdf_meshes.hpp"
#include "urdf_parser.hpp"

namespace knuckleboom::io {
namespace {

namespace keys = declare::keys;
namespace machine_keys = keys::machine_file;

constexpr std::string_view kGround = "base";
constexpr std::size_t kMost = 256;  // links, and visible parts: as in a machine file

// --- Nodes ----------------------------------------------------------------------------------------

class Writer {
 public:
  explicit Writer(std::string source) : source_(std::move(source)) {}

  Node text(std::string value, Place place) const {
    Node node;
    node.kind = Node::Kind::kString;
    node.place = place;
    node.text = std::move(value);
    return node;
  }
  Node number(double value, Place place) const {
    Node node;
    node.kind = Node::Kind::kFloat;
    node.place = place;
    node.number = value;
    node.text = fmt::format("{}", value);
    node.source = source_;
    return node;
  }
  Node numbers(std::span<const double> values, Place place) const {
    Node node;
    node.kind = Node::Kind::kArray;
    node.place = place;
    for (const double value : values) node.items.push_back(number(value, place));
    return node;
  }
  Node vector(const Vec3& v, Place place) const { return numbers({v.data(), 3}, place); }
  // In the SI unit of what turns, or slides.
  static void add(Node& table, const declare::Key& key, Node value, bool slides = false) {
    const declare::Unit& unit = declare::units(key.of(slides)).front();
    const Place place = value.place;
    table.entries.push_back({declare::full_key(key.name, unit), place, std::move(value)});
  }
  static Node table(Place place) {
    Node node;
    node.place = place;
    return node;
  }

 private:
  std::string source_;
};

Vec3 angles_of(const Mat3& R) {
  return {std::atan2(R(2, 1), R(2, 2)), std::atan2(-R(2, 0), std::hypot(R(2, 1), R(2, 2))),
          std::atan2(R(1, 0), R(0, 0))};
}

Mat3 turned(const Vec3& axis, double angle) {
  Mat3 cross;
  cross << 0.0, -axis.z(), axis.y(), axis.z(), 0.0, -axis.x(), -axis.y(), axis.x(), 0.0;
  const auto [s, c] = sin_cos(angle);
  return Mat3::Identity() + s * cross + (1.0 - c) * cross * cross;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// --- Import ---------------------------------------------------------------------------------------

class Importer {
 public:
  Importer(const UrdfRobot& robot, const std::string& file, const Node& own, Report& report)
      : robot_(robot),
        file_(file),
        own_(own),
        report_(report),
        writer_(std::filesystem::path(file).filename().string()) {}

  Node tables(UrdfImport& import) {
    check_numbers();
    check_structure();
    report_.throw_if_any();
    import.file = file_;
    import.robot = robot_.name;
    Node root = Writer::table(robot_.place);
    Node bodies = array(), shapes = array(), visuals = array();
    for (const UrdfLink& link : robot_.links) {
      ImportedLink row;
      row.name = link.name;
      if (const UrdfJoint* joint = joint_to(link)) {
        row.parent = joint->parent;
        row.joint = joint->name;
        row.type = joint->type;
        row.here = moves(*joint) ? kind_of(*joint) : "fixed";
        if (joint->mimic) row.follows = joint->mimic->joint;
        row.limited = has_range(*joint);
        row.lower = joint->lower.value_or(0.0);
        row.upper = joint->upper.value_or(0.0);
      }
      row.mass = link.inertial ? link.inertial->mass : 0.0;
      if (link.name != kGround || joint_to(link) != nullptr) bodies.items.push_back(body(link));
      add_shapes(link, shapes, row);
      for (const UrdfGeometry& geometry : link.visuals) {
        visuals.items.push_back(visual(link, geometry, row));
      }
      import.links.push_back(std::move(row));
    }
    if (unplaced_meshes_ > 0)
      report_.note(
          first_unplaced_,
          fmt::format("{} in <collision> cannot touch, only boxes, cylinders, capsules and "
                      "spheres can; give [[shape]] in the machine file",
                      unplaced_meshes_ == 1 ? std::string("a mesh")
                                            : fmt::format("{} meshes", unplaced_meshes_)));
    add(root, machine_keys::bodies, std::move(bodies));
    add(root, machine_keys::shapes, std::move(shapes));
    add(root, machine_keys::visuals, std::move(visuals));
    if (report_.any()) report_.throw_if_any();
    return root;
  }

 private:
  static Node array() {
    Node node;
    node.kind = Node::Kind::kArray;
    return node;
  }
  static void add(Node& root, const declare::Key& key, Node value) {
    if (!value.items.empty()) {
      value.place = value.items.front().place;
      Writer::add(root, key, std::move(value));
    }
  }

  // --- Structure ------------------------------------------------------------------------------

  // Before anything is compared with everything: a machine file would refuse as many.
  void check_numbers() {
    const auto at_most = [this](std::size_t count, const char* what, const Place& last) {
      if (count > kMost)
        report_.error(
            last, fmt::format("the URDF has {} {}; at most {} are possible", count, what, kMost));
    };
    if (!robot_.links.empty())
      at_most(robot_.links.size(), "links",
              robot_.links[std::min(kMost, robot_.links.size() - 1)].place);
    if (!robot_.joints.empty())
      at_most(robot_.joints.size(), "joints",
              robot_.joints[std::min(kMost, robot_.joints.size() - 1)].place);
    std::size_t visuals = 0;
    Place first_above = robot_.place;
    for (const UrdfLink& link : robot_.links) {
      if (visuals <= kMost && visuals + link.visuals.size() > kMost)
        first_above = link.visuals[kMost - visuals].place;
      visuals += link.visuals.size();
    }
    at_most(visuals, "visible parts (<visual>)", first_above);
    report_.throw_if_any();
  }

  void check_structure() {
    std::map<std::string, const UrdfLink*> links;
    std::vector<std::string> names;
    for (const UrdfLink& link : robot_.links) {
      names.push_back(link.name);
      const auto [before, fresh] = links.emplace(link.name, &link);
      if (!fresh)
        report_.error(link.place,
                      fmt::format("there are two links called '{}', this one and that of line {}; "
                                  "rename one",
                                  link.name, before->second->place.line));
    }
    if (links.empty()) {
      report_.error(robot_.place, "the URDF has no links; expected at least one <link>");
      return;
    }
    std::map<std::string, const UrdfJoint*> joints;
    for (const UrdfJoint& joint : robot_.joints) {
      const auto [before, fresh] = joints.emplace(joint.name, &joint);
      if (!fresh)
        report_.error(joint.place,
                      fmt::format("there are two joints called '{}', this one and that of line {}; "
                                  "rename one",
                                  joint.name, before->second->place.line));
      bool known = true;
      for (const auto& [which, link] :
           {std::pair("parent", &joint.parent), std::pair("child", &joint.child)}) {
        if (link->empty() || links.contains(*link)) continue;
        known = false;
        report_.error(joint.place,
                      fmt::format("joint '{}' has the {} '{}', which is no link{}", joint.name,
                                  which, *link, alternatives(*link, names)));
      }
      if (!known) continue;
      if (joint.parent == joint.child)
        report_.error(joint.place, fmt::format("joint '{}' joins link '{}' to itself; correct its "
                                               "parent or child",
                                               joint.name, joint.child));
      const auto [first, single] = to_.emplace(joint.child, &joint);
      if (!single)
        report_.error(
            joint.place,
            fmt::format("link '{}' is the child of two joints, '{}' (line {}) and '{}'; a "
                        "URDF is a tree: close a loop in the machine file instead",
                        joint.child, first->second->name, first->second->place.line, joint.name));
    }
    check_roots(links);
    for (const UrdfJoint& joint : robot_.joints) check_joint(joint, joints);
    check_own_names(names);
  }

  // A body of the machine file that changes a link by a name slightly wrong would lack all the rest.
  void check_own_names(const std::vector<std::string>& links) {
    const Node* bodies = own_.find(machine_keys::bodies.name);
    if (bodies == nullptr || own_.find(machine_keys::base.name) != nullptr) return;
    for (const Node& body : bodies->items) {
      const Node* name = body.find("name");
      if (name == nullptr || !name->is_string() || says(&body, keys::body_table::mass) ||
          says(&body, keys::body_table::position) ||
          std::find(links.begin(), links.end(), name->text) != links.end())
        continue;
      report_.error(name->place, fmt::format("body '{}' is no link of {}{}", name->text,
                                             std::filesystem::path(file_).filename().string(),
                                             alternatives(name->text, links)));
    }
  }

  void check_roots(const std::map<std::string, const UrdfLink*>& links) {
    if (report_.any()) return;
    std::vector<const UrdfLink*> roots;
    for (const UrdfLink& link : robot_.links)
      if (!to_.contains(link.name)) roots.push_back(&link);
    if (roots.empty()) {
      report_.error(robot_.joints.front().place,
                    "every link is the child of a joint, so they hang on each other in a circle; "
                    "one link must stand on the ground");
      return;
    }
    if (roots.size() > 1) {
      std::vector<std::string> words;
      words.reserve(roots.size());
      for (const UrdfLink* root : roots)
        words.push_back(fmt::format("'{}' (line {})", root->name, root->place.line));
      report_.error(
          roots[1]->place,
          fmt::format("{} links are the child of no joint: {}; only one can stand on the "
                      "ground, so join the others to the tree, with a fixed joint if need "
                      "be, or remove them",
                      roots.size(), listing(words)));
      return;
    }
    for (const UrdfLink& link : robot_.links) {
      std::string at = link.name;
      for (std::size_t i = 0; i <= links.size() && to_.contains(at); ++i) at = to_.at(at)->parent;
      if (!to_.contains(at)) continue;
      report_.error(
          to_.at(link.name)->place,
          fmt::format("link '{}' is its own ancestor: its chain of parents never reaches the "
                      "root '{}'; give one joint of the circle another parent",
                      link.name, roots.front()->name));
      return;
    }
  }

  void check_joint(const UrdfJoint& joint, const std::map<std::string, const UrdfJoint*>& joints) {
    if (joint.type.empty()) return;
    if (joint_table_says(joint, keys::joint_table::type)) {
      if (joint.mimic)
        report_.note(joint.mimic->place,
                     fmt::format("<mimic> of joint '{}' is ignored, as the machine file sets the "
                                 "joint's type",
                                 joint.name));
      return;
    }
    const std::vector<std::string> types = {"revolute", "continuous", "prismatic",
                                            "floating", "planar",     "fixed"};
    if (std::find(types.begin(), types.end(), joint.type) == types.end()) {
      report_.error(joint.place, fmt::format("joint '{}' has the type '{}'{}", joint.name,
                                             joint.type, alternatives(joint.type, types)));
      return;
    }
    if (joint.type == "fixed") return;
    if (several(joint.type)) note_single_only(joint);
    if (joint.type == "floating") return;
    if (!(joint.axis.stableNorm() > 0.0)) {
      report_.error(
          joint.axis_place,
          fmt::format("the axis of joint '{}' has no direction; give a vector that is not "
                      "zero, such as xyz=\"0 0 1\"",
                      joint.name));
      return;
    }
    if (several(joint.type)) return;
    if (joint.mimic) check_mimic(joint, joints);
    check_limits(joint);
  }

  static bool several(const std::string& type) {
    return is_one_of(type, {"floating", "planar", "free", "spherical", "universal"});
  }
  // Elements that mean something on joints with a single freedom.
  void note_single_only(const UrdfJoint& joint) {
    const auto unused = [&](const char* element, const Place& place) {
      report_.note(place,
                   fmt::format("{} of joint '{}' is not used: it is {} and has several freedoms",
                               element, joint.name, joint.type));
    };
    if (joint.mimic) unused("<mimic>", joint.mimic->place);
    if (joint.has_limit) unused("<limit>", joint.limit_place);
    if (joint.damping != 0.0 || joint.friction != 0.0) unused("<dynamics>", joint.dynamics_place);
  }

  void check_limits(const UrdfJoint& joint) {
    constexpr double kManyTurns = 20.0;  // rad
    if (joint.type == "continuous" || held_by_mimic(joint) ||
        joint_table_says(joint, keys::coordinate::lower) ||
        joint_table_says(joint, keys::coordinate::upper))
      return;
    if (!joint.has_limit) {
      report_.error(joint.place,
                    fmt::format("joint '{}' is {} and has no <limit>; give <limit lower=\"...\" "
                                "upper=\"...\"/>{}",
                                joint.name, joint.type,
                                joint.type == "revolute" ? ", or make it continuous" : " in m"));
      return;
    }
    const double lower = joint.lower.value_or(0.0);
    const double upper = joint.upper.value_or(0.0);
    if (!joint.lower && !joint.upper)
      report_.error(
          joint.limit_place,
          fmt::format("the <limit> of joint '{}' has neither lower nor upper, which in a "
                      "URDF locks it at 0; give both, or make the joint {}",
                      joint.name, joint.type == "revolute" ? "continuous or fixed" : "fixed"));
    else if (lower == upper)
      report_.error(
          joint.limit_place,
          fmt::format("both limits of joint '{}' are {}, so it cannot move; make it fixed "
                      "or give it a range",
                      joint.name, lower));
    else if (lower > upper)
      report_.error(
          joint.limit_place,
          fmt::format("the lower limit of joint '{}' ({}) is above the upper ({}); exchange "
                      "them",
                      joint.name, lower, upper));
    else if (joint.type == "revolute" && std::max(-lower, upper) > kManyTurns)
      report_.note(
          joint.limit_place,
          fmt::format("the limits of joint '{}' are {} and {} rad, several turns; are these "
                      "degrees? A URDF's angles are in rad",
                      joint.name, lower, upper));
    else if (!joint.lower || !joint.upper)
      report_.note(joint.limit_place,
                   fmt::format("the {} limit of joint '{}' is not given and counts as 0",
                               joint.lower ? "upper" : "lower", joint.name));
  }

  void check_mimic(const UrdfJoint& joint, const std::map<std::string, const UrdfJoint*>& joints) {
    const UrdfMimic& mimic = *joint.mimic;
    if (!mimic.joint.empty() && !joints.contains(mimic.joint)) {
      std::vector<std::string> names;
      names.reserve(joints.size());
      for (const auto& [name, unused] : joints) names.push_back(name);
      report_.error(mimic.place,
                    fmt::format("joint '{}' follows the joint '{}', which does not exist{}",
                                joint.name, mimic.joint, alternatives(mimic.joint, names)));
      return;
    }
    if (held_by_mimic(joint)) {
      report_.note(mimic.place,
                   fmt::format("joint '{}' follows '{}' by a multiplier of 0: it is fixed at {}",
                               joint.name, mimic.joint, mimic.offset));
      return;
    }
    if (is_actuated(joint.name)) {
      report_.note(mimic.place, fmt::format("<mimic> of joint '{}' is ignored, as the machine file "
                                            "gives the joint an actuator of its own",
                                            joint.name));
      return;
    }
    report_.error(
        mimic.place,
        fmt::format(
            "joint '{}' follows '{}' by {} q + {}; joints do not follow each other here. Give "
            "it an [[actuator]] of its own, close the linkage that moves it by a loop, or "
            "set its type in the machine file: [[body]] name = \"{}\", joint = {{ type = "
            "\"fixed\" }} holds it still, type = \"{}\" lets it move freely",
            joint.name, mimic.joint, mimic.multiplier, mimic.offset, joint.child,
            joint.type == "prismatic" ? "prismatic" : "revolute"));
  }

  // A joint that its <mimic> holds still.
  bool held_by_mimic(const UrdfJoint& joint) const {
    return joint.mimic && joint.mimic->multiplier == 0.0 && joint.type != "fixed" &&
           !joint_table_says(joint, keys::joint_table::type);
  }
  // The type of a joint in the machine file has priority.
  std::string type_of(const UrdfJoint& joint) const {
    if (const Node* body = own_body(joint.child); body != nullptr)
      if (const Node* own = body->find(keys::body_table::joint.name); own != nullptr)
        if (const Node* type = own->find(keys::joint_table::type.name); type != nullptr)
          return type->text;
    return joint.type;
  }
  bool moves(const UrdfJoint& joint) const {
    return type_of(joint) != "fixed" && !held_by_mimic(joint);
  }
  // Its type as a machine file calls it.
  std::string kind_of(const UrdfJoint& joint) const {
    const std::string type = type_of(joint);
    return type == "floating" ? "free" : type == "continuous" ? "revolute" : type;
  }
  bool slides(const UrdfJoint& joint) const { return type_of(joint) == "prismatic"; }
  // Its numbers are of the kind that the joint has in the machine: rad or m.
  bool keeps_kind(const UrdfJoint& joint) const {
    if (several(joint.type) || several(type_of(joint))) return false;
    return slides(joint) == (joint.type == "prismatic");
  }
  bool has_range(const UrdfJoint& joint) const {
    return moves(joint) && keeps_kind(joint) && joint.type != "continuous" &&
           (joint.lower || joint.upper);
  }

  const UrdfJoint* joint_to(const UrdfLink& link) const {
    const auto found = to_.find(link.name);
    return found != to_.end() ? found->second : nullptr;
  }

  // --- What the machine file itself says ------------------------------------------------------

  const Node* own_body(const std::string& link) const {
    const Node* bodies = own_.find(machine_keys::bodies.name);
    if (bodies == nullptr) return nullptr;
    for (const Node& body : bodies->items)
      if (const Node* name = body.find("name"); name != nullptr && name->text == link) return &body;
    return nullptr;
  }
  static bool says(const Node* table, const declare::Key& key) {
    return table != nullptr &&
           std::any_of(table->entries.begin(), table->entries.end(), [&](const Entry& entry) {
             return entry.key == key.name || declare::split_key(entry.key).stem == key.name;
           });
  }
  bool joint_table_says(const UrdfJoint& joint, const declare::Key& key) const {
    const Node* body = own_body(joint.child);
    return body != nullptr && says(body->find(keys::body_table::joint.name), key);
  }
  bool is_actuated(const std::string& joint) const {
    const Node* actuators = own_.find(machine_keys::actuators.name);
    if (actuators == nullptr) return false;
    return std::any_of(actuators->items.begin(), actuators->items.end(), [&](const Node& item) {
      const Node* name = item.find("joint");
      return name != nullptr && name->text == joint;
    });
  }
  bool any_actuator() const {
    const Node* actuators = own_.find(machine_keys::actuators.name);
    return actuators != nullptr && !actuators->items.empty();
  }

  // --- Bodies ---------------------------------------------------------------------------------

  Node body(const UrdfLink& link) {
    namespace k = keys::body_table;
    const UrdfJoint* joint = joint_to(link);
    Node out = Writer::table(link.place);
    Writer::add(out, k::name, writer_.text(link.name, link.place));
    UrdfOrigin origin;
    origin.place = link.place;
    if (joint != nullptr) {
      origin = joint->origin;
      Writer::add(out, k::parent, writer_.text(joint->parent, joint->place));
      if (held_by_mimic(*joint)) hold_at(joint->mimic->offset, *joint, origin);
    }
    Writer::add(out, k::position, writer_.vector(origin.p, origin.place));
    add_angles(out, origin);
    add_inertia(out, link);
    if (joint != nullptr) Writer::add(out, k::joint, joint_table(*joint));
    return out;
  }

  static void hold_at(double position, const UrdfJoint& joint, UrdfOrigin& origin) {
    const Mat3 R = rotation(origin.rpy);
    const Vec3 axis = joint.axis.stableNormalized();
    if (joint.type == "prismatic")
      origin.p += R * (position * axis);
    else
      origin.rpy = angles_of(R * turned(axis, position));
  }

  void add_angles(Node& table, const UrdfOrigin& origin) {
    if (!origin.rpy.isZero(0.0))
      Writer::add(table, keys::body_table::rpy, writer_.vector(origin.rpy, origin.place));
  }

  void add_inertia(Node& out, const UrdfLink& link) {
    const UrdfInertial inertial = link.inertial.value_or(UrdfInertial{
        {Vec3::Zero(), Vec3::Zero(), link.place}, 0.0, {}, link.place, link.place, link.place});
    const std::array<double, 6>& I = inertial.I;
    const bool massless = inertial.mass == 0.0;
    const bool point = std::all_of(I.begin(), I.end(), [](double v) { return v == 0.0; });
    const UrdfJoint* joint = joint_to(link);
    const Node* own = own_body(link.name);
    if (massless && point && joint != nullptr && moves(*joint) &&
        !says(own, keys::body_table::mass))
      report_.note(link.place,
                   fmt::format("link '{}' moves and has no mass: only what it carries resists "
                               "joint '{}'",
                               link.name, joint->name));
    if (!massless && point && !says(own, keys::body_table::inertia))
      report_.note(inertial.inertia_place,
                   fmt::format("link '{}' has a mass without inertia: a point mass", link.name));
    Writer::add(out, keys::body_table::mass, writer_.number(inertial.mass, inertial.mass_place));
    Writer::add(out, keys::body_table::com,
                writer_.vector(inertial.origin.p, inertial.origin.place));
    std::array<double, 6> turned_I = I;
    if (!inertial.origin.rpy.isZero(0.0)) {
      Mat3 about;
      about << I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2];
      const Mat3 R = rotation(inertial.origin.rpy);
      const Mat3 in_link = R * about * R.transpose();
      turned_I = {in_link(0, 0), in_link(1, 1), in_link(2, 2),
                  in_link(0, 1), in_link(0, 2), in_link(1, 2)};
    }
    if (inertial.mass > 0.0 && !says(own, keys::body_table::inertia))
      mend_rounding(turned_I, link, inertial.inertia_place);
    const bool diagonal = turned_I[3] == 0.0 && turned_I[4] == 0.0 && turned_I[5] == 0.0;
    Writer::add(out, keys::body_table::inertia,
                writer_.numbers({turned_I.data(), diagonal ? 3U : 6U}, inertial.inertia_place));
  }

  // Numbers written with few digits can miss by a hair what every body keeps: no principal moment below
  // zero or above the sum of the others. More than that is left for the reader to refuse.
  void mend_rounding(std::array<double, 6>& I, const UrdfLink& link, const Place& place) {
    constexpr double kRounding = 1e-3;  // of the largest element
    multibody::RigidInertia body;
    body.mass = 1.0;
    body.about_com << I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2];
    if (multibody::is_physical(body)) return;
    const Mat3 mended = multibody::nearest_inertia(body.about_com);
    const double share =
        (mended - body.about_com).cwiseAbs().maxCoeff() / body.about_com.cwiseAbs().maxCoeff();
    if (!(share <= kRounding)) return;
    report_.note(place,
                 fmt::format("the inertia of link '{}' misses by {:.2g} % what a body can have, as "
                             "rounding does; it is changed by so much",
                             link.name, 100.0 * share));
    I = {mended(0, 0), mended(1, 1), mended(2, 2), mended(0, 1), mended(0, 2), mended(1, 2)};
  }

  Node joint_table(const UrdfJoint& joint) {
    namespace k = keys::joint_table;
    Node out = Writer::table(joint.place);
    Writer::add(out, k::name, writer_.text(joint.name, joint.place));
    if (!moves(joint)) {
      Writer::add(out, k::type, writer_.text("fixed", joint.place));
      return out;
    }
    const bool m = slides(joint);
    const std::string kind = kind_of(joint);
    Writer::add(out, k::type, writer_.text(kind, joint.place));
    if (kind != "free" && kind != "spherical")
      Writer::add(out, k::axis, writer_.vector(joint.axis, joint.axis_place));
    if (joint.type == "planar" && kind == "planar") {
      // Any direction in the plane: a URDF names none.
      const Vec3 axis = joint.axis.stableNormalized();
      const Vec3 start = std::fabs(axis.x()) < 0.9 ? Vec3::UnitX() : Vec3::UnitY();
      Writer::add(out, k::along,
                  writer_.vector((start - axis.dot(start) * axis).normalized(), joint.axis_place));
    }
    if (has_range(joint)) {
      Writer::add(out, keys::coordinate::lower,
                  writer_.number(joint.lower.value_or(0.0), joint.limit_place), m);
      Writer::add(out, keys::coordinate::upper,
                  writer_.number(joint.upper.value_or(0.0), joint.limit_place), m);
    }
    if (keeps_kind(joint)) add_friction(out, joint);
    return out;
  }

  // <dynamics>: viscous and Coulomb friction, unless the machine file gives the joint's friction itself.
  void add_friction(Node& table, const UrdfJoint& joint) {
    namespace k = keys::friction_law;
    const Place place = joint.dynamics_place;
    if (joint.damping == 0.0 && joint.friction == 0.0) return;
    const bool own = joint_table_says(joint, keys::coordinate::friction);
    if (own || (joint.friction == 0.0 && joint_table_says(joint, keys::coordinate::damping))) {
      report_.note(place, fmt::format("<dynamics> of joint '{}' is not used, as the machine file "
                                      "gives the joint's friction",
                                      joint.name));
      return;
    }
    const bool m = slides(joint);
    if (joint.damping != 0.0)
      Writer::add(table, keys::coordinate::damping, writer_.number(joint.damping, place), m);
    if (joint.friction != 0.0) {
      Node dry = Writer::table(place);
      Writer::add(dry, k::model, writer_.text("coulomb_viscous", place));
      Writer::add(dry, k::coulomb, writer_.number(joint.friction, place), m);
      Writer::add(dry, k::fixed_friction, writer_.number(joint.friction, place), m);
      Writer::add(table, keys::coordinate::friction, std::move(dry));
    }
    if (!friction_told_)
      report_.note(place,
                   "'damping' of <dynamics> is taken as viscous friction of the joint, 'friction' "
                   "as Coulomb friction that truly sticks; a joint's friction in the machine file "
                   "comes first");
    friction_told_ = true;
  }

  // --- Contact --------------------------------------------------------------------------------

  // Links that turn about the vertical at most belong to the carrier; then boom, then stick; what hangs
  // beyond a joint without actuator is the head.
  const char* role_of(const UrdfLink& link) const {
    std::vector<const UrdfJoint*> chain;
    for (const UrdfJoint* joint = joint_to(link); joint != nullptr;
         joint = to_.contains(joint->parent) ? to_.at(joint->parent) : nullptr)
      chain.insert(chain.begin(), joint);
    Mat3 R = Mat3::Identity();
    int arm = 0;
    bool hangs = false;
    for (const UrdfJoint* joint : chain) {
      R = R * rotation(joint->origin.rpy);
      if (!moves(*joint)) continue;
      constexpr double kUpright = 0.9;
      const bool swing = arm == 0 && !slides(*joint) &&
                         std::fabs((R * joint->axis.stableNormalized()).z()) > kUpright;
      if (swing) continue;
      hangs = hangs || (arm > 0 && any_actuator() && !is_actuated(joint->name));
      ++arm;
    }
    return hangs ? "head" : arm == 0 ? "carrier" : arm == 1 ? "boom" : "stick";
  }

  void add_shapes(const UrdfLink& link, Node& shapes, ImportedLink& row) {
    for (const UrdfGeometry& geometry : link.collisions) {
      Vec3 half = Vec3::Zero();  // from the middle to an end of the capsule's axis
      double radius = geometry.size.x();
      switch (geometry.form) {
        case UrdfForm::kMesh:
          if (unplaced_meshes_++ == 0) first_unplaced_ = geometry.place;
          continue;
        case UrdfForm::kSphere:
          break;
        case UrdfForm::kCapsule:
          half.z() = 0.5 * geometry.size.y();
          break;
        case UrdfForm::kCylinder:
          // As long as the cylinder, caps included.
          half.z() = std::max(0.0, 0.5 * geometry.size.y() - radius);
          break;
        case UrdfForm::kBox: {
          // Along the longest edge, as long as the box; as thick as the other two in the mean.
          int longest = 0;
          const double length = geometry.size.maxCoeff(&longest);
          radius = 0.25 * (geometry.size.sum() - length);
          half(longest) = std::max(0.0, 0.5 * length - radius);
          break;
        }
      }
      const std::string name =
          row.shapes++ == 0 ? link.name : fmt::format("{}_{}", link.name, row.shapes);
      const Mat3 R = rotation(geometry.origin.rpy);
      Node shape = Writer::table(geometry.place);
      Writer::add(shape, keys::shape::name, writer_.text(name, geometry.place));
      Writer::add(shape, keys::shape::body, writer_.text(link.name, geometry.place));
      Writer::add(shape, keys::shape::role, writer_.text(role_of(link), geometry.place));
      Writer::add(shape, keys::shape::from,
                  writer_.vector(geometry.origin.p - R * half, geometry.origin.place));
      Writer::add(shape, keys::shape::to,
                  writer_.vector(geometry.origin.p + R * half, geometry.origin.place));
      Writer::add(shape, keys::shape::radius, writer_.number(radius, geometry.place));
      shapes.items.push_back(std::move(shape));
    }
  }

  // --- Looks ----------------------------------------------------------------------------------

  static std::string words_of(const UrdfGeometry& geometry) {
    switch (geometry.form) {
      case UrdfForm::kMesh:
        return "mesh " + std::filesystem::path(geometry.mesh).filename().string();
      case UrdfForm::kBox:
        return "box";
      case UrdfForm::kCylinder:
        return "cylinder";
      case UrdfForm::kCapsule:
        return "capsule";
      case UrdfForm::kSphere:
        return "ball";
    }
    return {};
  }

  Node visual(const UrdfLink& link, const UrdfGeometry& geometry, ImportedLink& row) {
    row.looks.push_back(words_of(geometry));
    Node out = Writer::table(geometry.place);
    Writer::add(out, keys::visual::body, writer_.text(link.name, geometry.place));
    switch (geometry.form) {
      case UrdfForm::kMesh:
        Writer::add(out, keys::visual::file,
                    writer_.text(mesh_file(geometry, row), geometry.place));
        if (!geometry.scale.isOnes(0.0))
          Writer::add(out, keys::visual::scale, writer_.vector(geometry.scale, geometry.place));
        break;
      case UrdfForm::kBox:
        Writer::add(out, keys::visual::box, writer_.vector(geometry.size, geometry.place));
        break;
      case UrdfForm::kSphere:
        Writer::add(out, keys::visual::ball, writer_.number(geometry.size.x(), geometry.place));
        break;
      case UrdfForm::kCylinder:
      case UrdfForm::kCapsule:
        Writer::add(out, keys::visual::cylinder,
                    writer_.numbers({geometry.size.data(), 2}, geometry.place));
        break;
    }
    Writer::add(out, keys::visual::position,
                writer_.vector(geometry.origin.p, geometry.origin.place));
    add_angles(out, geometry.origin);
    if (geometry.colour)
      Writer::add(out, keys::visual::colour, writer_.vector(*geometry.colour, geometry.place));
    return out;
  }

  // Place of the mesh. A reason why it cannot be shown is reported once per mesh.
  std::string mesh_file(const UrdfGeometry& geometry, ImportedLink& row) {
    const MeshPlace place = find_mesh(geometry.mesh, file_);
    if (place.fault == MeshFault::kNone) return place.path.string();
    ++row.lost_meshes;
    const auto say = [&](const char* word, const std::string& sentence) {
      row.looks.back() += fmt::format(" ({})", word);
      if (told_.insert(geometry.mesh).second)
        report_.note(geometry.place, sentence + "; it is not shown");
    };
    switch (place.fault) {
      case MeshFault::kNone:
        break;
      case MeshFault::kMissing:
        say("missing", fmt::format("there is no mesh '{}'{}", geometry.mesh,
                                   place.path == geometry.mesh
                                       ? std::string()
                                       : fmt::format(" (looked for as {})", place.path.string())));
        break;
      case MeshFault::kOutside:
        say("outside", fmt::format("mesh '{}' leads out of the package it names; copy it into the "
                                   "package",
                                   geometry.mesh));
        break;
      case MeshFault::kRemote:
        say("remote",
            fmt::format("mesh '{}' is not on this machine and nothing is fetched; save "
                        "it beside the URDF and name it package://, file:// or by its path",
                        geometry.mesh));
        break;
      case MeshFault::kFormat:
        say("unknown format",
            fmt::format("the view does not read meshes like '{}'; convert it to STL, OBJ or DAE",
                        geometry.mesh));
        break;
    }
    return place.path.string();
  }

  const UrdfRobot& robot_;
  const std::string& file_;
  const Node& own_;
  Report& report_;
  Writer writer_;
  std::map<std::string, const UrdfJoint*> to_;  // by the name of its child
  std::set<std::string> told_;                  // meshes
  bool friction_told_ = false;
  int unplaced_meshes_ = 0;
  Place first_unplaced_;
};

}  // namespace

Node import_urdf(std::string_view text, const std::string& file, const Node& own, Report& report,
                 std::vector<UrdfImport>& imports) {
  const UrdfRobot robot = parse_urdf(text, report.add_file(file), report);
  report.throw_if_any();
  imports.emplace_back();
  return Importer(robot, file, own, report).tables(imports.back());
}

}  // namespace knuckleboom::io
