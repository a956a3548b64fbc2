#include "knuckleboom/io/urdf_export.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "declare/body_keys.hpp"
#include "friction_table.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "machine_document.hpp"
#include "text_file.hpp"
#include "urdf_bodies.hpp"
#include "urdf_parser.hpp"
#include "urdf_writer.hpp"
#include "visual_reader.hpp"

namespace knuckleboom::io {
namespace {

namespace keys = declare::keys;
using keys::joint_table::JointKind;

constexpr std::string_view kRootLink = "base";
constexpr std::string_view kMark = "Written by knuckleboom export";

// Names of what a note is about, each once.
class Named {
 public:
  void add(const std::string& name) {
    if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
  }
  bool any() const { return !names_.empty(); }
  std::string text() const { return listing(names_); }

 private:
  std::vector<std::string> names_;
};

class Exporter {
 public:
  Exporter(const Node& root, Report& report, std::filesystem::path folder)
      : root_(root), tables_(mechanism_tables(root)), report_(report), folder_(std::move(folder)) {}

  UrdfRobot robot() {
    if (const Node* name = root_.find("name"); name != nullptr) out_.name = name->text;
    out_.links.push_back(link_called(std::string(kRootLink)));
    for (const Node* node : tables_.bodies) add_body(*node);
    for (const Node* node : tables_.couplings) add_coupling(*node);
    for (const Node* node : tables_.shapes) add_shape(*node);
    for (const Node* node : tables_.visuals) add_visual(*node);
    name_fixed_joints();
    return std::move(out_);
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> out;
    const auto note = [&out](const Named& names, std::string sentence) {
      if (names.any()) out.push_back(std::move(sentence) + ": " + names.text());
    };
    Named left_out;
    for (const std::string& name : tables_.others) left_out.add(name);
    note(left_out, "a URDF has no words for these keys of the machine file");
    note(springs_, "springs and elastic stops of joints are left out");
    note(friction_,
         "joints have a friction that is neither viscous nor Coulomb's, and it is left out");
    note(universal_,
         "a universal joint is two joints, one after the other by way of a link without mass");
    note(spherical_,
         "a spherical joint is three joints, one after the other, of which the second must stay "
         "within a quarter of a turn");
    note(several_, "limits, friction and springs of single freedoms are left out");
    note(turned_, "a URDF does not say which direction in a plane is x, so it is another one");
    note(endless_, "joints slide without limits, which other tools may take for 0 to 0");
    note(followers_, "limits of joints that follow another are for other tools only");
    if (limits_)
      out.push_back(
          fmt::format("'effort' and 'velocity' of <limit> are {:g} and {:g} everywhere, as a URDF "
                      "must have them; cylinders, motors and the pump set them",
                      kEffort, kVelocity));
    note(shapes_,
         "capsules that can touch the world are cylinders of their whole length, without their "
         "role and name");
    note(meshes_, "meshes of the program's own are left out");
    return out;
  }

 private:
  static UrdfLink link_called(std::string name) {
    UrdfLink link;
    link.name = std::move(name);
    return link;
  }

  // --- Bodies ---------------------------------------------------------------------------------

  void add_body(const Node& node) {
    namespace k = keys::body_table;
    TableReader reader(report_, node, k::table, "a body");
    UrdfLink link = link_called(reader.text(k::name).value_or(""));
    UrdfInertial inertial;
    inertial.mass = reader.quantity(k::mass).value_or(0.0);
    inertial.origin.p = reader.vector(k::com).value_or(Vec3::Zero());
    if (const auto given = reader.numbers(k::inertia))
      std::copy(given->begin(), given->end(), inertial.I.begin());
    if (inertial.mass > 0.0) link.inertial = inertial;
    UrdfJoint joint;
    joint.type = "fixed";
    joint.parent = reader.text(k::parent).value_or(std::string(kRootLink));
    joint.child = link.name;
    joint.origin.p = reader.vector(k::position).value_or(Vec3::Zero());
    joint.origin.rpy = reader.vector(k::rpy).value_or(Vec3::Zero());
    if (const Node* table = reader.subtable(k::joint)) return add_joint(*table, joint, link);
    out_.joints.push_back(std::move(joint));
    out_.links.push_back(std::move(link));
  }

  void add_joint(const Node& node, UrdfJoint joint, UrdfLink link) {
    namespace k = keys::joint_table;
    TableReader reader(report_, node, k::table, "a joint");
    k::Form form;
    reader.fill(form);
    joint.name = reader.text(k::name).value_or("");
    const bool slides = form.kind == JointKind::kPrismatic;
    reader.slides(slides);
    if (form.kind != JointKind::kFixed) joint.axis = reader.vector(k::axis).value_or(Vec3::UnitX());
    switch (form.kind) {
      case JointKind::kFixed:
        break;
      case JointKind::kRevolute:
      case JointKind::kPrismatic:
        set_coordinate(reader, slides, joint);
        break;
      case JointKind::kUniversal:
        universal_.add(joint.name);
        return add_chain({{"first", joint.axis, reader.subtable(k::first)},
                          {"second", reader.vector(k::second_axis).value_or(Vec3::UnitX()),
                           reader.subtable(k::second)}},
                         std::move(joint), std::move(link));
      case JointKind::kSpherical:
        spherical_.add(joint.name);
        if (reader.has(k::turn_damping) || reader.has(k::turn_spring)) several_.add(joint.name);
        return add_chain({{"yaw", Vec3::UnitZ(), nullptr},
                          {"pitch", Vec3::UnitY(), nullptr},
                          {"roll", Vec3::UnitX(), nullptr}},
                         std::move(joint), std::move(link));
      case JointKind::kPlanar:
        joint.type = "planar";
        check_plane(joint, reader.vector(k::along).value_or(Vec3::UnitX()));
        note_single_freedoms(reader, joint.name);
        break;
      case JointKind::kFree:
        joint.type = "floating";
        note_single_freedoms(reader, joint.name);
        break;
    }
    slides_[joint.name] = slides;
    out_.joints.push_back(std::move(joint));
    out_.links.push_back(std::move(link));
  }

  struct Freedom {
    std::string_view name;
    Vec3 axis;
    const Node* table;
  };
  // Names as the machine file gives them to the parts of a joint with several freedoms.
  void add_chain(const std::vector<Freedom>& freedoms, UrdfJoint joint, UrdfLink link) {
    const std::string name = joint.name, body = link.name;
    for (const Freedom& freedom : freedoms) {
      const bool last = &freedom == &freedoms.back();
      UrdfJoint part = joint;
      part.name = fmt::format("{}_{}", name, freedom.name);
      part.axis = freedom.axis;
      part.type = "continuous";
      if (!last) part.child = fmt::format("{}_{}", body, freedom.name);
      if (freedom.table != nullptr) {
        TableReader reader(report_, *freedom.table, keys::coordinate::table, "a joint");
        set_coordinate(reader, false, part);
      }
      joint.parent = part.child;
      joint.origin = {};
      slides_[part.name] = false;
      out_.joints.push_back(part);
      out_.links.push_back(last ? std::move(link) : link_called(part.child));
    }
  }

  void set_coordinate(TableReader& reader, bool slides, UrdfJoint& joint) {
    namespace k = keys::coordinate;
    joint.lower = reader.quantity(k::lower);
    joint.upper = reader.quantity(k::upper);
    joint.type = slides ? "prismatic" : joint.lower || joint.upper ? "revolute" : "continuous";
    joint.has_limit = joint.type != "continuous";
    if (joint.has_limit) limits_ = true;
    if (slides && !joint.lower) endless_.add(joint.name);
    const friction::FrictionModel dry =
        read_friction(report_, reader, k::friction, k::damping, joint.damping);
    if (dry.kind == friction::Kind::kCoulomb && dry.F_s == dry.F_c)
      joint.friction = dry.F_c;
    else if (dry.kind != friction::Kind::kNone)
      friction_.add(joint.name);
    if (reader.has(k::spring) || reader.has(k::stop_stiffness)) springs_.add(joint.name);
  }

  void note_single_freedoms(TableReader& reader, const std::string& joint) {
    namespace k = keys::joint_table;
    for (const Key* key : {&k::x, &k::y, &k::z, &k::turn, &k::turn_damping, &k::turn_spring})
      if (reader.has(*key)) several_.add(joint);
  }

  // As the import chooses it.
  void check_plane(const UrdfJoint& joint, const Vec3& along) {
    if (along.stableNormalized() != direction_in_plane(joint.axis)) turned_.add(joint.name);
  }

  void name_fixed_joints() {
    std::set<std::string> used;
    for (const UrdfJoint& joint : out_.joints) used.insert(joint.name);
    for (UrdfJoint& joint : out_.joints) {
      if (!joint.name.empty()) continue;
      joint.name = joint.child + "_fixed";
      for (int n = 2; !used.insert(joint.name).second; ++n)
        joint.name = fmt::format("{}_fixed_{}", joint.child, n);
    }
  }

  void add_coupling(const Node& node) {
    namespace k = keys::coupling;
    TableReader reader(report_, node, k::table, "a coupling");
    const std::string name = reader.text(k::joint).value_or("");
    const auto joint = std::find_if(out_.joints.begin(), out_.joints.end(),
                                    [&](const UrdfJoint& one) { return one.name == name; });
    if (joint == out_.joints.end()) return;
    reader.slides(slides_[name]);
    multibody::Coupling coupling;
    reader.fill(coupling);
    joint->mimic =
        UrdfMimic{reader.text(k::follows).value_or(""), coupling.ratio, coupling.offset, {}};
    if (joint->has_limit) followers_.add(name);
  }

  // --- Contact and looks ----------------------------------------------------------------------

  UrdfLink* link_of(TableReader& reader, const Key& key) {
    const std::string name = reader.text(key).value_or("");
    const auto found = std::find_if(out_.links.begin(), out_.links.end(),
                                    [&](const UrdfLink& link) { return link.name == name; });
    return found == out_.links.end() ? nullptr : &*found;
  }

  void add_shape(const Node& node) {
    namespace k = keys::shape;
    TableReader reader(report_, node, k::table, "a shape");
    machine::ContactShape shape;
    reader.fill(shape);
    UrdfLink* const link = link_of(reader, k::body);
    if (link == nullptr) return;
    const Vec3 along = shape.to_B - shape.from_B;
    const double length = along.norm();
    UrdfGeometry geometry;
    geometry.origin.p = 0.5 * (shape.from_B + shape.to_B);
    geometry.form = length > 0.0 ? UrdfForm::kCylinder : UrdfForm::kSphere;
    geometry.size = Vec3(shape.radius, length + 2.0 * shape.radius, 0.0);
    if (length > 0.0)
      geometry.origin.rpy = Vec3(0.0, std::atan2(std::hypot(along.x(), along.y()), along.z()),
                                 std::atan2(along.y(), along.x()));
    link->collisions.push_back(geometry);
    shapes_.add(shape.name);
  }

  void add_visual(const Node& node) {
    namespace k = keys::visual;
    TableReader reader(report_, node, k::table, "a visual");
    UrdfLink* const link = link_of(reader, k::body);
    const machine::VisualPart part = read_visual(reader, report_.file(node.place.file));
    if (link == nullptr) return;
    UrdfGeometry geometry;
    geometry.origin.p = part.position_B;
    geometry.origin.rpy = reader.vector(k::rpy).value_or(Vec3::Zero());
    geometry.size = part.size;
    geometry.scale = part.scale;
    if (part.coloured) geometry.colour = part.colour;
    switch (part.form) {
      case machine::VisualForm::kMesh:
        if (reader.has(k::mesh)) return meshes_.add(part.mesh);
        geometry.form = UrdfForm::kMesh;
        geometry.mesh = path_from_folder(part.mesh);
        break;
      case machine::VisualForm::kBox:
        geometry.form = UrdfForm::kBox;
        break;
      case machine::VisualForm::kCylinder:
        geometry.form = UrdfForm::kCylinder;
        break;
      case machine::VisualForm::kBall:
        geometry.form = UrdfForm::kSphere;
        break;
    }
    link->visuals.push_back(std::move(geometry));
  }

  std::string path_from_folder(const std::string& mesh) const {
    std::error_code error;
    const std::filesystem::path from = std::filesystem::absolute(folder_, error);
    const std::filesystem::path there = std::filesystem::path(mesh).lexically_relative(from);
    return error || there.empty() ? mesh : there.string();
  }

  const Node& root_;
  MechanismTables tables_;
  Report& report_;
  std::filesystem::path folder_;
  UrdfRobot out_;
  std::map<std::string, bool> slides_;  // joints by name
  bool limits_ = false;
  Named springs_, friction_, universal_, spherical_, several_, turned_, endless_, followers_,
      shapes_, meshes_;
};

}  // namespace

UrdfExport export_urdf(const std::filesystem::path& machine, std::span<const Override> overrides,
                       const std::filesystem::path& folder) {
  const std::string text = read_text_file(machine, kConfigurationLimit, "machine file");
  read_machine_text(text, machine.string(), overrides);  // refuses what is wrong
  Report report;
  Hasher hash;
  std::vector<UrdfImport> imports;
  const Node root = read_document(text, machine.string(), overrides,
                                  machine_document(imports, nullptr), report, hash);
  Exporter exporter(root, report, folder);
  const UrdfRobot robot = exporter.robot();
  report.throw_if_any();
  UrdfExport out;
  out.notes = exporter.notes();
  out.links = robot.links.size();
  out.joints = robot.joints.size();
  std::vector<std::string> comments = {
      fmt::format("{} from the machine '{}'; changes here are lost when it is written again", kMark,
                  robot.name)};
  for (const std::string& note : out.notes) comments.push_back(note);
  out.text = to_xml(robot, comments);
  return out;
}

bool is_exported_urdf(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string begin(300, '\0');
  stream.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(stream.gcount()));
  return begin.starts_with("<?xml") && begin.find(kMark) != std::string::npos;
}

}  // namespace knuckleboom::io
