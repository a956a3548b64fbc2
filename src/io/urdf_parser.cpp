// URDF as http://wiki.ros.org/urdf/XML describes it.
#include "urdf_parser.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <map>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <tinyxml2.h>

#include "knuckleboom/io/utf8.hpp"
#include "text_file.hpp"

namespace knuckleboom::io {
namespace {

using tinyxml2::XMLAttribute;
using tinyxml2::XMLElement;

using Words = std::initializer_list<std::string_view>;

const char* syntax_message(tinyxml2::XMLError error) {
  switch (error) {
    case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT:
      return "an element is closed that is not open, or left open; check that each <x> has its "
             "</x>";
    case tinyxml2::XML_ERROR_PARSING_ELEMENT:
      return "this is not a sound XML element; check its '<', '>' and '/'";
    case tinyxml2::XML_ERROR_PARSING_ATTRIBUTE:
      return "this attribute is not sound; write name=\"value\", each name once";
    case tinyxml2::XML_ERROR_PARSING_COMMENT:
      return "a comment is not closed; end it with -->";
    case tinyxml2::XML_ERROR_PARSING_CDATA:
      return "a CDATA section is not closed; end it with ]]>";
    case tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED:
      return "elements are nested too deeply for a URDF";
    default:
      return "this is not XML; expected a URDF file, <robot name=\"...\"> ... </robot>";
  }
}

std::string escaped(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string out(text.substr(0, kLongest));
  if (text.size() > kLongest) out += "...";
  std::replace(out.begin(), out.end(), '\n', ' ');
  return out;
}

class Parser {
 public:
  Parser(int file, Report& report) : file_(file), report_(report) {}

  UrdfRobot robot(const XMLElement& root) {
    UrdfRobot out;
    out.place = at(root);
    out.name = attribute(root, "name").value_or("");
    find_materials(root);
    for (const XMLElement* e = root.FirstChildElement(); e != nullptr;
         e = e->NextSiblingElement()) {
      const std::string_view name = e->Name();
      if (name == "link")
        out.links.push_back(link(*e));
      else if (name == "joint")
        out.joints.push_back(joint(*e));
      else if (name != "material")
        ignore(*e, "<robot>", {"link", "joint", "material"});
    }
    for (const auto& [name, seen] : ignored_)
      report_.note(seen.first, ignored_message(name, seen.count));
    return out;
  }

 private:
  struct Seen {
    Place first;
    int count = 0;
  };

  Place at(const XMLElement& e) const { return {file_, e.GetLineNum(), 0}; }
  Place at(const XMLAttribute& a) const { return {file_, a.GetLineNum(), 0}; }

  // --- What is ignored ------------------------------------------------------------------------

  static std::string ignored_message(const std::string& name, int count) {
    const std::string what =
        count == 1 ? fmt::format("<{}> is ignored", name)
                   : fmt::format("<{}> and {} more like it are ignored", name, count - 1);
    if (name == "transmission" || name == "ros2_control")
      return what + "; what drives a joint is said by [[actuator]] in the machine file";
    if (name == "gazebo") return what + "; it is for another simulator";
    if (name == "safety_controller" || name == "calibration")
      return what + "; controllers are in the machine file";
    return what + "; it means nothing here";
  }

  // An element that is not read: a misspelling is an error, anything else is noted once per name.
  void ignore(const XMLElement& e, const std::string& in, Words known) {
    const std::string name = e.Name();
    if (name.starts_with("xacro:")) {
      say_once(e, xacro_told_,
               fmt::format("<{}> is a macro of xacro that was not expanded, and is left out; if it "
                           "makes parts of the robot, expand the file: `xacro crane.urdf.xacro > "
                           "crane.urdf`",
                           escaped(name)));
      return;
    }
    const std::vector<std::string> words(known.begin(), known.end());
    if (const std::string* meant = closest(name, words)) {
      report_.error(at(e),
                    fmt::format("{} has no <{}>; did you mean <{}>?", in, escaped(name), *meant));
      return;
    }
    Seen& seen = ignored_[escaped(name)];
    if (seen.count++ == 0) seen.first = at(e);
  }

  // Refuses an attribute that looks like a misspelt one; others are somebody's extension.
  void check_attributes(const XMLElement& e, const std::string& what, Words known) {
    for (const XMLAttribute* a = e.FirstAttribute(); a != nullptr; a = a->Next()) {
      const std::string_view name = a->Name();
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      if (name.find(':') != std::string_view::npos) continue;  // of another name space
      const std::vector<std::string> words(known.begin(), known.end());
      const std::string* meant = closest(name, words);
      if (meant != nullptr && e.FindAttribute(meant->c_str()) == nullptr)
        report_.error(at(*a), fmt::format("{} has no attribute '{}'; did you mean '{}'?", what,
                                          escaped(name), *meant));
      else
        report_.note(at(*a), fmt::format("attribute '{}' of {} is ignored", escaped(name), what));
    }
  }

  // The one child of this name; more than one is an error.
  const XMLElement* child(const XMLElement& e, const char* name, const std::string& what) {
    const XMLElement* found = e.FirstChildElement(name);
    if (found == nullptr) return nullptr;
    if (const XMLElement* second = found->NextSiblingElement(name))
      report_.note(at(*second), fmt::format("{} has a second <{}>; that of line {} counts", what,
                                            name, found->GetLineNum()));
    return found;
  }

  // --- Values ---------------------------------------------------------------------------------

  static std::optional<std::string> attribute(const XMLElement& e, const char* name) {
    const char* value = e.Attribute(name);
    return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
  }

  std::string required(const XMLElement& e, const char* name, const std::string& what) {
    std::string value = attribute(e, name).value_or("");
    if (value.empty())
      report_.error(at(e), fmt::format("{} lacks its {}; write {}=\"...\"", what, name, name));
    return value;
  }

  // The numbers of an attribute: nothing if it is absent or wrong, which is reported.
  std::optional<std::vector<double>> numbers(const XMLElement& e, const char* name,
                                             std::size_t count, const std::string& what) {
    const XMLAttribute* a = e.FindAttribute(name);
    if (a == nullptr) return std::nullopt;
    const std::string_view text = a->Value();
    std::vector<double> out;
    const auto refuse = [&](const std::string& why) -> std::optional<std::vector<double>> {
      report_.error(at(*a),
                    fmt::format("'{}' of {} is \"{}\"; {}{}", name, what, escaped(text), why,
                                text.find("${") != std::string_view::npos
                                    ? "; this is xacro, expand the file first"
                                    : ""));
      return std::nullopt;
    };
    const std::string wanted = count == 1 ? std::string("expected a number")
                                          : fmt::format(
                                                "expected {} numbers with spaces between "
                                                "them",
                                                count);
    constexpr std::string_view kSpace = " \t\r\n";
    for (std::size_t begin = text.find_first_not_of(kSpace); begin != std::string_view::npos;) {
      const std::size_t end = std::min(text.find_first_of(kSpace, begin), text.size());
      std::string_view word = text.substr(begin, end - begin);
      if (word.size() > 1 && word.front() == '+' && word[1] != '-') word.remove_prefix(1);
      double value = 0.0;
      const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (error == std::errc::result_out_of_range ||
          (error == std::errc() && !std::isfinite(value)))
        return refuse("its numbers must be finite");
      if (error != std::errc() || stop != word.data() + word.size() || out.size() == count)
        return refuse(wanted);
      out.push_back(value);
      begin = text.find_first_not_of(kSpace, end);
    }
    if (out.size() != count) return refuse(wanted);
    return out;
  }

  std::optional<double> number(const XMLElement& e, const char* name, const std::string& what) {
    const auto found = numbers(e, name, 1, what);
    return found ? std::optional<double>(found->front()) : std::nullopt;
  }

  double required_number(const XMLElement& e, const char* name, const std::string& what) {
    if (e.FindAttribute(name) == nullptr)
      report_.error(at(e), fmt::format("{} lacks '{}'; write {}=\"...\"", what, name, name));
    return number(e, name, what).value_or(0.0);
  }

  double not_negative(const XMLElement& e, const char* name, const std::string& what,
                      double value) {
    if (value < 0.0)
      report_.error(at(e),
                    fmt::format("'{}' of {} is {}; it must not be negative", name, what, value));
    return value;
  }

  std::optional<Vec3> vector(const XMLElement& e, const char* name, const std::string& what) {
    const auto found = numbers(e, name, 3, what);
    return found ? std::optional<Vec3>(Vec3((*found)[0], (*found)[1], (*found)[2])) : std::nullopt;
  }

  UrdfOrigin origin(const XMLElement& e, const std::string& what) {
    UrdfOrigin out;
    out.place = at(e);
    const XMLElement* found = child(e, "origin", what);
    if (found == nullptr) return out;
    const std::string called = "<origin> of " + what;
    out.place = at(*found);
    if (found->FindAttribute("quat_xyzw") != nullptr)
      report_.error(out.place, fmt::format("{} is given by a quaternion, which is not read here; "
                                           "give rpy=\"roll pitch yaw\" in rad",
                                           called));
    else
      check_attributes(*found, called, {"xyz", "rpy"});
    out.p = vector(*found, "xyz", called).value_or(Vec3::Zero());
    out.rpy = vector(*found, "rpy", called).value_or(Vec3::Zero());
    constexpr double kTurn = 6.3, kNoDirection = 1e6;  // rad
    if (const double most = out.rpy.cwiseAbs().maxCoeff(); most > kNoDirection)
      report_.error(out.place, fmt::format("'rpy' of {} has an angle of {:g} rad, in which no "
                                           "direction is left; give it within a turn",
                                           called, most));
    else if (most > kTurn)
      say_once(
          *found, rpy_told_,
          fmt::format("'rpy' of {} goes beyond a full turn; are these degrees? A URDF's angles "
                      "are in rad, half a turn being 3.14159",
                      called));
    return out;
  }

  // --- Links ----------------------------------------------------------------------------------

  UrdfLink link(const XMLElement& e) {
    UrdfLink out;
    out.place = at(e);
    out.name = required(e, "name", "a <link>");
    const std::string what = fmt::format("link '{}'", escaped(out.name));
    check_attributes(e, what, {"name", "type"});
    if (const XMLElement* found = child(e, "inertial", what)) out.inertial = inertial(*found, what);
    for (const XMLElement* c = e.FirstChildElement(); c != nullptr; c = c->NextSiblingElement()) {
      const std::string_view name = c->Name();
      if (name == "visual") {
        if (auto geometry = geometry_of(*c, fmt::format("<visual> of {}", what)))
          out.visuals.push_back(std::move(*geometry));
      } else if (name == "collision") {
        if (auto geometry = geometry_of(*c, fmt::format("<collision> of {}", what)))
          out.collisions.push_back(std::move(*geometry));
      } else if (name != "inertial") {
        ignore(*c, what, {"inertial", "visual", "collision"});
      }
    }
    return out;
  }

  UrdfInertial inertial(const XMLElement& e, const std::string& link) {
    const std::string what = fmt::format("<inertial> of {}", link);
    UrdfInertial out;
    out.place = out.mass_place = out.inertia_place = at(e);
    for (const XMLElement* c = e.FirstChildElement(); c != nullptr; c = c->NextSiblingElement())
      if (const std::string_view name = c->Name();
          name != "origin" && name != "mass" && name != "inertia")
        ignore(*c, what, {"origin", "mass", "inertia"});
    out.origin = origin(e, what);
    if (const XMLElement* mass = child(e, "mass", what)) {
      out.mass_place = at(*mass);
      check_attributes(*mass, fmt::format("<mass> of {}", link), {"value"});
      out.mass = not_negative(*mass, "value", fmt::format("<mass> of {}", link),
                              required_number(*mass, "value", fmt::format("<mass> of {}", link)));
    } else {
      report_.note(out.place, fmt::format("{} has no <mass>; it counts as none", what));
    }
    const XMLElement* inertia = child(e, "inertia", what);
    if (inertia == nullptr) return out;  // a point mass, which is noted

    const std::string called = fmt::format("<inertia> of {}", link);
    out.inertia_place = at(*inertia);
    check_attributes(*inertia, called, {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"});
    out.I = {required_number(*inertia, "ixx", called),
             required_number(*inertia, "iyy", called),
             required_number(*inertia, "izz", called),
             number(*inertia, "ixy", called).value_or(0.0),
             number(*inertia, "ixz", called).value_or(0.0),
             number(*inertia, "iyz", called).value_or(0.0)};
    return out;
  }

  // Not for what has been refused as no number at all.
  static bool number_stands(const XMLElement& e, const char* name) {
    double unused = 0.0;
    return e.QueryDoubleAttribute(name, &unused) == tinyxml2::XML_SUCCESS;
  }

  // Nothing that could be seen or touched has a size of 0 or less.
  std::optional<UrdfGeometry> nothing(const XMLElement& e, const std::string& what) {
    report_.note(at(e), fmt::format("{} has no size, and is left out", what));
    return std::nullopt;
  }

  std::optional<UrdfGeometry> geometry_of(const XMLElement& e, const std::string& what) {
    for (const XMLElement* c = e.FirstChildElement(); c != nullptr; c = c->NextSiblingElement())
      if (const std::string_view name = c->Name();
          name != "origin" && name != "geometry" && name != "material")
        ignore(*c, what, {"origin", "geometry", "material"});
    UrdfGeometry out;
    out.place = at(e);
    out.origin = origin(e, what);
    if (const XMLElement* material = child(e, "material", what))
      out.colour = colour(*material, what);
    const XMLElement* geometry = child(e, "geometry", what);
    const XMLElement* form = geometry != nullptr ? geometry->FirstChildElement() : nullptr;
    if (form == nullptr) {
      report_.note(out.place, fmt::format("{} has no geometry, and is left out", what));
      return std::nullopt;
    }
    const std::string name = form->Name();
    const std::string called = fmt::format("<{}> in {}", escaped(name), what);
    out.place = at(*form);
    if (name == "box") {
      check_attributes(*form, called, {"size"});
      if (form->FindAttribute("size") == nullptr)
        report_.error(out.place, fmt::format("{} lacks size=\"x y z\"", called));
      out.form = UrdfForm::kBox;
      out.size = vector(*form, "size", called).value_or(Vec3::Ones());
      if (!(out.size.minCoeff() > 0.0)) return nothing(*form, called);
    } else if (name == "cylinder" || name == "capsule") {
      check_attributes(*form, called, {"radius", "length"});
      out.form = name == "cylinder" ? UrdfForm::kCylinder : UrdfForm::kCapsule;
      out.size = Vec3(required_number(*form, "radius", called),
                      required_number(*form, "length", called), 0.0);
      if (number_stands(*form, "radius") && number_stands(*form, "length") &&
          !(std::min(out.size.x(), out.size.y()) > 0.0))
        return nothing(*form, called);
    } else if (name == "sphere") {
      check_attributes(*form, called, {"radius"});
      out.form = UrdfForm::kSphere;
      out.size = Vec3(required_number(*form, "radius", called), 0.0, 0.0);
      if (number_stands(*form, "radius") && !(out.size.x() > 0.0)) return nothing(*form, called);
    } else if (name == "mesh") {
      check_attributes(*form, called, {"filename", "scale"});
      out.form = UrdfForm::kMesh;
      out.mesh = required(*form, "filename", called);
      out.scale = vector(*form, "scale", called).value_or(Vec3::Ones());
      if (!(out.scale.cwiseAbs().minCoeff() > 0.0)) return nothing(*form, called);
    } else {
      ignore(*form, what, {"box", "cylinder", "sphere", "capsule", "mesh"});
      return std::nullopt;
    }
    return out;
  }

  // --- Colours --------------------------------------------------------------------------------

  std::optional<Vec3> rgb(const XMLElement& material, const std::string& what) {
    const XMLElement* e = material.FirstChildElement("color");
    if (e == nullptr) return std::nullopt;
    const auto rgba = numbers(*e, "rgba", 4, fmt::format("<color> of {}", what));
    if (!rgba) return std::nullopt;
    const auto within = [](double v) { return std::clamp(v, 0.0, 1.0); };
    return Vec3(within((*rgba)[0]), within((*rgba)[1]), within((*rgba)[2]));
  }

  void find_materials(const XMLElement& root) {
    for (const XMLElement* e = root.FirstChildElement("material"); e != nullptr;
         e = e->NextSiblingElement("material"))
      if (const auto found = rgb(*e, "<material>"))
        materials_[attribute(*e, "name").value_or("")] = *found;
  }

  std::optional<Vec3> colour(const XMLElement& material, const std::string& what) {
    const std::string name = attribute(material, "name").value_or("");
    if (auto own = rgb(material, what)) {
      materials_.emplace(name, *own);
      return own;
    }
    const auto found = materials_.find(name);
    return found != materials_.end() ? std::optional<Vec3>(found->second) : std::nullopt;
  }

  // --- Joints ---------------------------------------------------------------------------------

  UrdfJoint joint(const XMLElement& e) {
    UrdfJoint out;
    out.place = out.axis_place = out.limit_place = out.dynamics_place = at(e);
    out.name = required(e, "name", "a <joint>");
    const std::string what = fmt::format("joint '{}'", escaped(out.name));
    check_attributes(e, what, {"name", "type"});
    out.type = required(e, "type", what);
    out.origin = origin(e, what);
    out.parent = link_of(e, "parent", what);
    out.child = link_of(e, "child", what);
    if (const XMLElement* axis = child(e, "axis", what)) {
      out.axis_place = at(*axis);
      check_attributes(*axis, "<axis> of " + what, {"xyz"});
      out.axis = vector(*axis, "xyz", "<axis> of " + what).value_or(Vec3::UnitX());
    }
    if (const XMLElement* limit = child(e, "limit", what)) {
      const std::string called = "<limit> of " + what;
      out.has_limit = true;
      out.limit_place = at(*limit);
      check_attributes(*limit, called,
                       {"lower", "upper", "effort", "velocity", "acceleration", "jerk"});
      out.lower = number(*limit, "lower", called);
      out.upper = number(*limit, "upper", called);
      if (number(*limit, "effort", called).value_or(0.0) > 0.0 ||
          number(*limit, "velocity", called).value_or(0.0) > 0.0)
        say_once(*limit, effort_told_,
                 "'effort' and 'velocity' of limits are ignored; cylinders, motors and the pump in "
                 "the machine file set them");
    }
    if (const XMLElement* dynamics = child(e, "dynamics", what)) {
      const std::string called = "<dynamics> of " + what;
      out.dynamics_place = at(*dynamics);
      check_attributes(*dynamics, called, {"damping", "friction"});
      out.damping = not_negative(*dynamics, "damping", called,
                                 number(*dynamics, "damping", called).value_or(0.0));
      out.friction = not_negative(*dynamics, "friction", called,
                                  number(*dynamics, "friction", called).value_or(0.0));
    }
    if (const XMLElement* mimic = child(e, "mimic", what)) {
      const std::string called = "<mimic> of " + what;
      check_attributes(*mimic, called, {"joint", "multiplier", "offset"});
      out.mimic = UrdfMimic{required(*mimic, "joint", called),
                            number(*mimic, "multiplier", called).value_or(1.0),
                            number(*mimic, "offset", called).value_or(0.0), at(*mimic)};
    }
    for (const XMLElement* c = e.FirstChildElement(); c != nullptr; c = c->NextSiblingElement()) {
      const Words known = {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"};
      if (std::find(known.begin(), known.end(), c->Name()) == known.end()) ignore(*c, what, known);
    }
    return out;
  }

  std::string link_of(const XMLElement& e, const char* which, const std::string& what) {
    const XMLElement* found = child(e, which, what);
    if (found == nullptr) {
      report_.error(at(e),
                    fmt::format("{} has no {}; write <{} link=\"...\"/>", what, which, which));
      return {};
    }
    const std::string called = fmt::format("<{}> of {}", which, what);
    check_attributes(*found, called, {"link"});
    return required(*found, "link", called);
  }

  void say_once(const XMLElement& e, bool& told, std::string message) {
    if (!told) report_.note(at(e), std::move(message));
    told = true;
  }

  int file_;
  Report& report_;
  std::map<std::string, Seen> ignored_;
  std::map<std::string, Vec3> materials_;
  bool xacro_told_ = false;
  bool effort_told_ = false;
  bool rpy_told_ = false;
};

}  // namespace

UrdfRobot parse_urdf(std::string_view text, int file, Report& report) {
  const std::string& name = report.file(file);
  check_text(text, name, kConfigurationLimit, "URDF file");
  std::string latin1;
  if (!is_utf8(text)) {
    latin1 = from_latin1(text);
    text = latin1;
    report.note({file, 1, 0}, "the file is not UTF-8; its letters are taken as Latin-1");
  }
  tinyxml2::XMLDocument document;
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS)
    throw FileError(
        {{name, std::max(1, document.ErrorLineNum()), 0, syntax_message(document.ErrorID())}});
  const XMLElement* root = document.RootElement();
  if (root == nullptr)
    throw FileError({{name, 1, 0, syntax_message(tinyxml2::XML_ERROR_EMPTY_DOCUMENT)}});
  const std::string kind = root->Name();
  if (kind != "robot")
    throw FileError(
        {{name, root->GetLineNum(), 0,
          fmt::format("the file begins with <{}>; a URDF begins with <robot>{}", escaped(kind),
                      kind == "sdf" || kind == "mujoco" ? ", so export or convert it to URDF first"
                                                        : "")}});
  if (const XMLElement* second = root->NextSiblingElement())
    report.error({file, second->GetLineNum(), 0},
                 fmt::format("<{}> follows the end of <robot>; a URDF has one robot",
                             escaped(second->Name())));
  return Parser(file, report).robot(*root);
}

}  // namespace knuckleboom::io
