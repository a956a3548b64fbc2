#include "urdf_bodies.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "declare/machine_keys.hpp"
#include "knuckleboom/core/multibody/nearest_inertia.hpp"
#include "knuckleboom/core/multibody/tree.hpp"
#include "knuckleboom/core/world/grapple.hpp"
#include "knuckleboom/core/world/world.hpp"
#include "knuckleboom/declare/units.hpp"
#include "rotation.hpp"
#include "table_reader.hpp"
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

Mat3 matrix_of(const std::array<double, 6>& I) {
  Mat3 out;
  out << I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2];
  return out;
}

std::array<double, 6> elements_of(const Mat3& I) {
  return {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)};
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// --- Import ---------------------------------------------------------------------------------------

class Importer {
 public:
  Importer(UrdfRobot robot, const std::string& file, Node& own, Report& report)
      : robot_(std::move(robot)),
        file_(file),
        own_(own),
        report_(report),
        writer_(std::filesystem::path(file).filename().string()) {}

  Node tables(UrdfImport& import) {
    check_numbers();
    check_structure();
    report_.throw_if_any();
    rename();
    check_joints();
    report_.throw_if_any();
    hold_what_moves_nothing();
    import.file = file_;
    import.robot = robot_.name;
    Node root = Writer::table(robot_.place);
    Node bodies = array(), shapes = array(), visuals = array(), couplings = array();
    for (const UrdfLink& link : robot_.links) {
      ImportedLink row;
      row.name = link.name;
      if (const UrdfJoint* joint = joint_to(link)) {
        row.parent = joint->parent;
        row.joint = joint->name;
        row.type = joint->type;
        row.here = moves(*joint) ? kind_of(*joint) : "fixed";
        if (followers_.contains(joint->name)) {
          row.follows = followers_.at(joint->name).leader;
          couplings.items.push_back(coupling(*joint));
        }
        row.limited = has_range(*joint);
        std::tie(row.lower, row.upper) = range_of(*joint);
      }
      row.mass = link.inertial ? link.inertial->mass : 0.0;
      if (link.name != kGround) bodies.items.push_back(body(link, row));
      if (row.joint.empty() && row.mass > 0.0) note_root(link, row.mass);
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
    keep_largest(shapes);
    add(root, machine_keys::bodies, std::move(bodies));
    add(root, machine_keys::couplings, std::move(couplings));
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

  // Where there are too many links: ends of the tree that are welded on and have neither mass nor looks nor
  // shape are frames for other programs.
  void leave_out_frames() {
    constexpr std::size_t kTooMany = 4096;  // this takes as many steps squared
    if (robot_.links.size() <= kMost || robot_.links.size() > kTooMany) return;
    std::size_t left_out = 0;
    for (bool changed = true; changed && robot_.links.size() > kMost;) {
      changed = false;
      std::set<std::string> parents;
      for (const UrdfJoint& joint : robot_.joints) parents.insert(joint.parent);
      for (std::size_t i = robot_.links.size(); i-- > 0 && robot_.links.size() > kMost;) {
        const UrdfLink& link = robot_.links[i];
        const bool empty = link.visuals.empty() && link.collisions.empty() &&
                           (!link.inertial || link.inertial->mass == 0.0);
        if (!empty || parents.contains(link.name)) continue;
        const auto joint =
            std::find_if(robot_.joints.begin(), robot_.joints.end(),
                         [&](const UrdfJoint& one) { return one.child == link.name; });
        if (joint == robot_.joints.end() || joint->type != "fixed") continue;
        robot_.joints.erase(joint);
        robot_.links.erase(robot_.links.begin() + static_cast<std::ptrdiff_t>(i));
        ++left_out;
        changed = true;
      }
    }
    if (left_out > 0)
      report_.note(robot_.place,
                   fmt::format("{} links that are only frames, welded to another, are left "
                               "out: a machine has at most {} bodies",
                               left_out, kMost));
  }

  // Before anything is compared with everything: a machine file would refuse as many.
  void check_numbers() {
    const std::size_t before = report_.count();
    leave_out_frames();
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
    if (report_.count() != before) report_.throw_if_any();
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
  }

  void check_joints() {
    std::map<std::string, const UrdfJoint*> joints;
    std::vector<std::string> links;
    for (const UrdfJoint& joint : robot_.joints) joints.emplace(joint.name, &joint);
    for (const UrdfLink& link : robot_.links) links.push_back(link.name);
    for (const UrdfJoint& joint : robot_.joints) check_joint(joint);
    for (const UrdfJoint& joint : robot_.joints) check_mimic(joint, joints);
    check_own_names(links);
  }

  void note_root(const UrdfLink& link, double mass) {
    report_.note(link.inertial->mass_place,
                 fmt::format("link '{}' stands on the ground: its {:g} kg {}", link.name, mass,
                             link.name == kGround ? "count nowhere" : "move nothing"));
  }

  // --- Names ----------------------------------------------------------------------------------

  using Names = std::map<std::string, std::string>;

  // reserved: a name that none of them may have, or empty.
  template <typename Items>
  static Names new_names(Items& items, std::string_view before, std::string_view reserved) {
    std::set<std::string> used;
    for (const auto& item : items)
      if (is_name(item.name) && item.name != reserved) used.insert(item.name);
    Names out;
    for (auto& item : items) {
      if (used.contains(item.name)) continue;
      const std::string plain =
          item.name == reserved ? item.name + "_frame" : plain_name(item.name, before);
      std::string name = plain;
      for (int n = 2; !used.insert(name).second; ++n) name = fmt::format("{}_{}", plain, n);
      out.emplace(item.name, name);
      item.name = name;
    }
    return out;
  }

  // Names that a machine file cannot have are changed, here and in the machine file's own tables.
  void rename() {
    const bool ground_elsewhere = to_.contains(std::string(kGround));
    const Names links = new_names(robot_.links, "link_", ground_elsewhere ? kGround : "");
    const Names joints = new_names(robot_.joints, "joint_", "");
    if (links.empty() && joints.empty()) return;
    const auto change = [](const Names& names, std::string& text) {
      if (const auto found = names.find(text); found != names.end()) text = found->second;
    };
    for (UrdfJoint& joint : robot_.joints) {
      change(links, joint.parent);
      change(links, joint.child);
      if (joint.mimic) change(joints, joint.mimic->joint);
    }
    to_.clear();
    for (const UrdfJoint& joint : robot_.joints) to_.emplace(joint.child, &joint);
    Names others = links;  // 'base' in the machine file is the ground, except as a body's name
    others.erase(std::string(kGround));
    for (Entry& entry : own_.entries)  // its own texts are for people, or paths
      if (!entry.value.is_string()) rename_in(entry.value, others, joints);
    if (Node* bodies = own_.find(machine_keys::bodies.name); bodies != nullptr)
      for (Node& body : bodies->items)
        for (Entry& entry : body.entries)
          if (entry.key == "name") change(links, entry.value.text);
    const auto& [from, to] = links.empty() ? *joints.begin() : *links.begin();
    const std::size_t more = links.size() + joints.size() - 1;
    report_.note(
        robot_.place,
        fmt::format(
            "'{}' is called '{}' here{}: a name begins with a letter and has letters, "
            "digits, '_' and '-', and 'base' is the ground; tables of the machine "
            "file may say either, --set says the new one",
            from, to,
            more == 0 ? std::string() : fmt::format(", and {} more names are changed", more)));
  }

  static void rename_in(Node& node, const Names& links, const Names& joints) {
    for (Entry& entry : node.entries) {
      rename_in(entry.value, links, joints);
      if (!entry.value.is_string()) continue;
      const bool of_joint = entry.key == "joint" || entry.key == "follows";
      for (const Names* names : {of_joint ? &joints : &links, of_joint ? &links : &joints})
        if (const auto found = names->find(entry.value.text); found != names->end()) {
          entry.value.text = found->second;
          break;
        }
    }
    for (Node& item : node.items) rename_in(item, links, joints);
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

  void check_joint(const UrdfJoint& joint) {
    if (joint.type.empty() || joint_table_says(joint, keys::joint_table::type)) return;
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
      hold(joint, 0.0, joint.axis_place, "its axis has no direction");
      return;
    }
    if (!several(joint.type)) check_limits(joint);
  }

  void hold(const UrdfJoint& joint, double position, const Place& place, const std::string& why) {
    if (!held_.emplace(joint.name, position).second) return;
    report_.note(place, fmt::format("joint '{}' is held at {:g}: {}", joint.name, position, why));
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
    if (joint.type == "continuous" || joint_table_says(joint, keys::coordinate::lower) ||
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
      report_.note(
          joint.limit_place,
          fmt::format("the <limit> of joint '{}' gives neither lower nor upper; it has none",
                      joint.name));
    else if (lower == upper)
      hold(joint, lower, joint.limit_place, "both its limits are there");
    else if (lower > upper)
      report_.note(
          joint.limit_place,
          fmt::format("the lower limit of joint '{}' ({}) is above the upper ({}); they are "
                      "exchanged",
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

  // A joint that follows another becomes a coupling, or is held where that one is.
  void check_mimic(const UrdfJoint& joint, const std::map<std::string, const UrdfJoint*>& joints) {
    if (!joint.mimic || several(joint.type) || joint.type == "fixed") return;
    const UrdfMimic& mimic = *joint.mimic;
    const auto ignore = [&](const std::string& why) {
      report_.note(mimic.place,
                   fmt::format("<mimic> of joint '{}' is ignored, as {}", joint.name, why));
    };
    if (joint_table_says(joint, keys::joint_table::type))
      return ignore("the machine file sets the joint's type");
    if (is_actuated(joint.name)) return ignore("the machine file gives it an actuator of its own");
    if (own_couples(joint.name)) return ignore("the machine file couples the joint itself");
    if (!joints.contains(mimic.joint)) {
      std::vector<std::string> names;
      for (const auto& [name, unused] : joints) names.push_back(name);
      return ignore(
          fmt::format("there is no joint '{}'{}", mimic.joint, suggestion(mimic.joint, names)));
    }
    if (mimic.multiplier == 0.0) {
      held_.erase(joint.name);
      return hold(joint, mimic.offset, mimic.place,
                  fmt::format("it follows '{}' by a multiplier of 0", mimic.joint));
    }
    // Through those that follow in their turn, up to one that is free, or stands still.
    Follower out{mimic.joint, mimic.multiplier, mimic.offset, mimic.place};
    for (std::size_t i = 0; i <= joints.size(); ++i) {
      const UrdfJoint& leader = *joints.at(out.leader);
      if (out.leader == joint.name || i == joints.size())
        return ignore("it follows itself in the end");
      if (several(type_of(leader)))
        return ignore(fmt::format("'{}' has several freedoms", out.leader));
      const bool follows = leader.mimic && leader.mimic->multiplier != 0.0 &&
                           type_of(leader) != "fixed" && !decided(leader) &&
                           joints.contains(leader.mimic->joint);
      if (!follows) break;
      out.offset += out.ratio * leader.mimic->offset;
      out.ratio *= leader.mimic->multiplier;
      out.leader = leader.mimic->joint;
    }
    const UrdfJoint& leader = *joints.at(out.leader);
    if (!moves(leader)) {
      const auto at = held_.find(leader.name);
      held_.erase(joint.name);
      return hold(joint, out.ratio * (at != held_.end() ? at->second : 0.0) + out.offset,
                  mimic.place, fmt::format("it follows '{}', which does not move", out.leader));
    }
    if (held_.contains(joint.name)) return;  // by limits that leave it no way
    followers_.emplace(joint.name, std::move(out));
  }

  // Whether the machine file says how the joint moves.
  bool decided(const UrdfJoint& joint) const {
    return joint_table_says(joint, keys::joint_table::type) || is_actuated(joint.name) ||
           own_couples(joint.name);
  }
  bool own_couples(const std::string& joint) const {
    return own_has(machine_keys::couplings, joint);
  }

  Node coupling(const UrdfJoint& joint) {
    namespace k = keys::coupling;
    const Follower& follower = followers_.at(joint.name);
    Node out = Writer::table(follower.place);
    Writer::add(out, k::joint, writer_.text(joint.name, follower.place));
    Writer::add(out, k::follows, writer_.text(follower.leader, follower.place));
    Writer::add(out, k::ratio, writer_.number(follower.ratio, follower.place));
    if (follower.offset != 0.0)
      out.entries.push_back({slides(joint) ? "offset_m" : "offset_rad", follower.place,
                             writer_.number(follower.offset, follower.place)});
    return out;
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
    return type_of(joint) != "fixed" && !held_.contains(joint.name);
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
           !followers_.contains(joint.name) && (joint.lower || joint.upper);
  }

  static std::pair<double, double> range_of(const UrdfJoint& joint) {
    return std::minmax({joint.lower.value_or(0.0), joint.upper.value_or(0.0)});
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
    return own_has(machine_keys::actuators, joint);
  }
  // Whether one of these tables is of that joint.
  bool own_has(const declare::Key& key, const std::string& joint) const {
    const Node* tables = own_.find(key.name);
    return tables != nullptr &&
           std::any_of(tables->items.begin(), tables->items.end(), [&](const Node& item) {
             const Node* name = item.find("joint");
             return name != nullptr && name->text == joint;
           });
  }
  bool any_actuator() const {
    const Node* actuators = own_.find(machine_keys::actuators.name);
    return actuators != nullptr && !actuators->items.empty();
  }

  // --- Bodies ---------------------------------------------------------------------------------

  Node body(const UrdfLink& link, ImportedLink& row) {
    namespace k = keys::body_table;
    const UrdfJoint* joint = joint_to(link);
    Node out = Writer::table(link.place);
    Writer::add(out, k::name, writer_.text(link.name, link.place));
    UrdfOrigin origin;
    origin.place = link.place;
    if (joint != nullptr) {
      origin = joint->origin;
      Writer::add(out, k::parent, writer_.text(joint->parent, joint->place));
      if (const auto held = held_.find(joint->name); held != held_.end())
        hold_at(held->second, *joint, origin);
    }
    Writer::add(out, k::position, writer_.vector(origin.p, origin.place));
    add_angles(out, origin);
    add_inertia(out, link, row);
    if (joint != nullptr) Writer::add(out, k::joint, joint_table(*joint));
    return out;
  }

  static void hold_at(double position, const UrdfJoint& joint, UrdfOrigin& origin) {
    if (position == 0.0) return;
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

  void add_inertia(Node& out, const UrdfLink& link, ImportedLink& row) {
    UrdfInertial inertial = link.inertial.value_or(UrdfInertial{
        {Vec3::Zero(), Vec3::Zero(), link.place}, 0.0, {}, link.place, link.place, link.place});
    std::array<double, 6>& I = inertial.I;
    const bool massless = inertial.mass == 0.0;
    if (massless && !says(own_body(link.name), keys::body_table::mass) &&
        std::any_of(I.begin(), I.end(), [](double v) { return v != 0.0; })) {
      report_.note(
          inertial.inertia_place,
          fmt::format("link '{}' has an inertia but no mass, so it has neither here; give it "
                      "its mass_kg in the machine file",
                      link.name));
      I.fill(0.0);
    }
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
      const Mat3 R = rotation(inertial.origin.rpy);
      turned_I = elements_of(R * matrix_of(I) * R.transpose());
    }
    if (inertial.mass > 0.0 && !says(own, keys::body_table::inertia))
      row.inertia_change = make_possible(turned_I, link, inertial.inertia_place);
    const bool diagonal = turned_I[3] == 0.0 && turned_I[4] == 0.0 && turned_I[5] == 0.0;
    Writer::add(out, keys::body_table::inertia,
                writer_.numbers({turned_I.data(), diagonal ? 3U : 6U}, inertial.inertia_place));
  }

  // No principal moment of a body is below zero or above the sum of the others. Numbers written with few
  // digits miss that by a hair, guessed ones by much; the nearest inertia that keeps it is taken. Returns
  // the change as a share of the largest element, 0 if it is no more than rounding.
  double make_possible(std::array<double, 6>& I, const UrdfLink& link, const Place& place) {
    constexpr double kRounding = 1e-3;
    multibody::RigidInertia body;
    body.mass = 1.0;
    body.about_com = matrix_of(I);
    if (multibody::is_physical(body)) return 0.0;
    const Mat3 mended = multibody::nearest_inertia(body.about_com);
    const double share =
        (mended - body.about_com).cwiseAbs().maxCoeff() / body.about_com.cwiseAbs().maxCoeff();
    report_.note(
        place,
        share <= kRounding
            ? fmt::format("the inertia of link '{}' misses by {:.2g} % what a body can have, "
                          "as rounding does; it is changed by so much",
                          link.name, 100.0 * share)
            : fmt::format("no body can have the inertia of link '{}' (each principal moment is "
                          "at most the sum of the other two); the nearest that one can have is "
                          "taken, changed by {:.3g} %",
                          link.name, 100.0 * share));
    I = elements_of(mended);
    return share <= kRounding ? 0.0 : share;
  }

  // --- What moves nothing ---------------------------------------------------------------------

  struct Lump {
    Vec3 p = Vec3::Zero();  // of the centre of mass
    Mat3 I = Mat3::Zero();  // about it
    double mass = 0.0;
    bool known = true;  // false: the machine file says its mass or inertia
  };
  struct Stand {
    Mat3 R = Mat3::Identity();
    Vec3 p = Vec3::Zero();
  };

  Stand stand_of(const std::string& link) const {
    const auto found = to_.find(link);
    if (found == to_.end()) return {};
    const UrdfJoint& joint = *found->second;
    const Stand below = stand_of(joint.parent);
    return {below.R * rotation(joint.origin.rpy), below.R * joint.origin.p + below.p};
  }

  // The inertia about each joint that moves, in the pose of zeros; where there is none, nor in the joints
  // that follow it, it is held, as it could not be moved by any force.
  void hold_what_moves_nothing() {
    const std::vector<const UrdfJoint*> weightless = find_weightless();
    const auto moving = std::count_if(
        robot_.joints.begin(), robot_.joints.end(),
        [&](const UrdfJoint& joint) { return moves(joint) && !followers_.contains(joint.name); });
    if (!weightless.empty() && static_cast<std::size_t>(moving) == weightless.size())
      return give_masses();
    for (const UrdfJoint* joint : weightless) {
      hold(*joint, 0.0, joint->place, "it moves nothing that has mass");
      for (const UrdfJoint& other : robot_.joints)
        if (const auto found = followers_.find(other.name);
            found != followers_.end() && found->second.leader == joint->name) {
          const Follower follower = found->second;
          followers_.erase(found);
          hold(other, follower.offset, follower.place, fmt::format("it follows '{}'", joint->name));
        }
    }
  }

  // A file for looks and kinematics: nothing that moves has mass, so all would be held.
  void give_masses() {
    int given = 0;
    for (UrdfLink& link : robot_.links) {
      const UrdfJoint* joint = joint_to(link);
      if (joint == nullptr || !moves(*joint)) continue;
      const UrdfOrigin here{Vec3::Zero(), Vec3::Zero(), link.place};
      link.inertial = UrdfInertial{here,       1.0,        {0.01, 0.01, 0.01, 0.0, 0.0, 0.0},
                                   link.place, link.place, link.place};
      ++given;
    }
    report_.note(
        robot_.place,
        fmt::format("no link beyond a joint has mass, so {} as 1 kg and 0.01 kg m2 each; give "
                    "mass_kg and inertia_kg_m2 in the machine file",
                    counted(given, "link that moves counts", "links that move count")));
  }

  std::vector<const UrdfJoint*> find_weightless() const {
    std::vector<const UrdfJoint*> out;
    std::map<std::string, Stand> stands;
    std::map<std::string, Lump> lumps;
    for (const UrdfLink& link : robot_.links) {
      const Stand stand = stand_of(link.name);
      stands.emplace(link.name, stand);
      Lump lump;
      const Node* own = own_body(link.name);
      lump.known = !says(own, keys::body_table::mass) && !says(own, keys::body_table::inertia) &&
                   !says(own, keys::body_table::com);
      if (link.inertial && link.inertial->mass > 0.0) {
        const UrdfInertial& inertial = *link.inertial;
        lump.mass = inertial.mass;
        lump.p = stand.R * inertial.origin.p + stand.p;
        const Mat3 R = stand.R * rotation(inertial.origin.rpy);
        lump.I = R * matrix_of(inertial.I) * R.transpose();
      }
      lumps.emplace(link.name, lump);
    }
    const auto inertia_about = [&](const UrdfJoint& joint) {
      const Stand& stand = stands.at(joint.child);
      const Vec3 axis = stand.R * joint.axis.stableNormalized();
      double sum = 0.0;
      for (const UrdfLink& link : robot_.links) {
        if (!is_beyond(link, joint)) continue;
        const Lump& lump = lumps.at(link.name);
        if (!lump.known) return 1.0;
        const Vec3 arm = lump.p - stand.p;
        sum += slides(joint) ? lump.mass
                             : axis.dot(lump.I * axis) + lump.mass * axis.cross(arm).squaredNorm();
      }
      return sum;
    };
    constexpr double kNone = 1e-15;  // kg m2, kg
    for (const UrdfJoint& joint : robot_.joints) {
      const std::string& name = joint.name;
      if (!moves(joint) || several(type_of(joint)) || followers_.contains(name)) continue;
      double sum = inertia_about(joint);
      for (const UrdfJoint& other : robot_.joints)
        if (const auto found = followers_.find(other.name);
            found != followers_.end() && found->second.leader == name)
          sum += found->second.ratio * found->second.ratio * inertia_about(other);
      if (sum <= kNone && !is_actuated(name)) out.push_back(&joint);
    }
    return out;
  }

  bool is_beyond(const UrdfLink& link, const UrdfJoint& joint) const {
    std::string at = link.name;
    for (std::size_t i = 0; i <= robot_.links.size() && to_.contains(at); ++i) {
      if (to_.at(at) == &joint) return true;
      at = to_.at(at)->parent;
    }
    return false;
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
      Writer::add(out, k::along, writer_.vector(direction_in_plane(joint.axis), joint.axis_place));
    }
    if (has_range(joint)) {
      Writer::add(out, keys::coordinate::lower,
                  writer_.number(range_of(joint).first, joint.limit_place), m);
      Writer::add(out, keys::coordinate::upper,
                  writer_.number(range_of(joint).second, joint.limit_place), m);
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
      std::string name =
          row.shapes++ == 0 ? link.name : fmt::format("{}_{}", link.name, row.shapes);
      for (int n = 2; !shape_names_.insert(name).second; ++n)
        name = fmt::format("{}_{}_{}", link.name, row.shapes, n);
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
      shape_radii_.push_back(radius);
    }
  }

  // Those that fit into a machine.
  void keep_largest(Node& shapes) {
    const std::size_t all = shapes.items.size();
    const bool grapple = own_.find(machine_keys::grapple.name) != nullptr;
    const std::size_t most = static_cast<std::size_t>(world::kMaxMachineShapes) -
                             (grapple ? world::kGrappleParts + 1 : 0);
    if (all <= most) return;
    std::vector<double> radii = shape_radii_;
    std::sort(radii.begin(), radii.end(), std::greater<>());
    const double least = radii[most - 1];
    std::vector<Node> kept;
    for (std::size_t i = 0; i < all && kept.size() < most; ++i)
      if (shape_radii_[i] >= least) kept.push_back(std::move(shapes.items[i]));
    shapes.items = std::move(kept);
    report_.note(
        robot_.place,
        fmt::format("of {} shapes to touch the {} thickest are kept; a machine has at most so "
                    "many",
                    all, most));
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

  UrdfRobot robot_;
  const std::string& file_;
  Node& own_;
  Report& report_;
  Writer writer_;
  std::map<std::string, const UrdfJoint*> to_;  // by the name of its child
  std::map<std::string, double> held_;          // joints that stand still, and where
  struct Follower {
    std::string leader;
    double ratio = 1.0, offset = 0.0;
    Place place;
  };
  std::map<std::string, Follower> followers_;  // by the name of the joint
  std::set<std::string> shape_names_;
  std::vector<double> shape_radii_;
  std::set<std::string> told_;  // meshes
  bool friction_told_ = false;
  int unplaced_meshes_ = 0;
  Place first_unplaced_;
};

}  // namespace

MechanismTables mechanism_tables(const Node& machine) {
  MechanismTables out;
  const std::pair<const declare::Key*, std::vector<const Node*>*> known[] = {
      {&machine_keys::bodies, &out.bodies},
      {&machine_keys::couplings, &out.couplings},
      {&machine_keys::shapes, &out.shapes},
      {&machine_keys::visuals, &out.visuals}};
  for (const Entry& entry : machine.entries) {
    const auto found = std::find_if(std::begin(known), std::end(known),
                                    [&](const auto& one) { return entry.key == one.first->name; });
    if (found != std::end(known))
      for (const Node& item : entry.value.items) found->second->push_back(&item);
    else if (!entry.value.is_string() && entry.key != "sources")  // texts are for people, or paths
      out.others.emplace_back(declare::split_key(entry.key).stem);
  }
  return out;
}

Vec3 direction_in_plane(const Vec3& across) {
  const Vec3 axis = across.stableNormalized();
  const Vec3 start = std::fabs(axis.x()) < 0.9 ? Vec3::UnitX() : Vec3::UnitY();
  return (start - axis.dot(start) * axis).normalized();
}

Node import_urdf(std::string_view text, const std::string& file, Node& own, Report& report,
                 std::vector<UrdfImport>& imports) {
  UrdfRobot robot = parse_urdf(text, report.add_file(file), report);
  imports.emplace_back();
  return Importer(std::move(robot), file, own, report).tables(imports.back());
}

}  // namespace knuckleboom::io
