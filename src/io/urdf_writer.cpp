#include "urdf_writer.hpp"

#include <array>
#include <map>
#include <span>

#include <fmt/format.h>
#include <tinyxml2.h>

namespace knuckleboom::io {
namespace {

class XmlWriter {
 public:
  std::string robot(const UrdfRobot& robot, const std::vector<std::string>& comments) {
    xml_.PushDeclaration("xml version=\"1.0\"");
    for (const std::string& comment : comments)
      xml_.PushComment(fmt::format(" {} ", safe(comment)).c_str());
    xml_.OpenElement("robot");
    attribute("name", robot.name);
    for (const UrdfLink& one : robot.links) link(one);
    for (const UrdfJoint& one : robot.joints) joint(one);
    xml_.CloseElement();
    return xml_.CStr();
  }

 private:
  // A comment may not have two hyphens in a row.
  static std::string safe(std::string text) {
    for (std::size_t at = 0; (at = text.find("--", at)) != std::string::npos;)
      text.replace(at, 2, "- -");
    return text;
  }

  void attribute(const char* name, const std::string& value) {
    xml_.PushAttribute(name, value.c_str());
  }
  void attribute(const char* name, double value) { attribute(name, fmt::format("{}", value)); }
  void attribute(const char* name, const Vec3& v) {
    attribute(name, fmt::format("{} {} {}", v.x(), v.y(), v.z()));
  }
  // An element that has nothing but attributes.
  template <class... Values>
  void element(const char* name, Values&&... values) {
    xml_.OpenElement(name);
    add(std::forward<Values>(values)...);
    xml_.CloseElement();
  }
  void add() {}
  template <class Value, class... Values>
  void add(const char* name, const Value& value, Values&&... values) {
    attribute(name, value);
    add(std::forward<Values>(values)...);
  }

  void origin(const UrdfOrigin& place) {
    if (!place.p.isZero(0.0) || !place.rpy.isZero(0.0))
      element("origin", "xyz", place.p, "rpy", place.rpy);
  }

  void link(const UrdfLink& link) {
    xml_.OpenElement("link");
    attribute("name", link.name);
    if (link.inertial) {
      xml_.OpenElement("inertial");
      origin(link.inertial->origin);
      element("mass", "value", link.inertial->mass);
      const std::array<double, 6>& I = link.inertial->I;
      element("inertia", "ixx", I[0], "iyy", I[1], "izz", I[2], "ixy", I[3], "ixz", I[4], "iyz",
              I[5]);
      xml_.CloseElement();
    }
    for (const UrdfGeometry& one : link.visuals) geometry("visual", one);
    for (const UrdfGeometry& one : link.collisions) geometry("collision", one);
    xml_.CloseElement();
  }

  void geometry(const char* name, const UrdfGeometry& part) {
    xml_.OpenElement(name);
    origin(part.origin);
    xml_.OpenElement("geometry");
    switch (part.form) {
      case UrdfForm::kMesh:
        element("mesh", "filename", part.mesh, "scale", part.scale);
        break;
      case UrdfForm::kBox:
        element("box", "size", part.size);
        break;
      case UrdfForm::kSphere:
        element("sphere", "radius", part.size.x());
        break;
      case UrdfForm::kCylinder:
      case UrdfForm::kCapsule:
        element("cylinder", "radius", part.size.x(), "length", part.size.y());
        break;
    }
    xml_.CloseElement();
    if (part.colour) {
      const Vec3& c = *part.colour;
      const std::string rgba = fmt::format("{} {} {} 1", c.x(), c.y(), c.z());
      xml_.OpenElement("material");
      const auto place = materials_.emplace(rgba, materials_.size() + 1).first;
      attribute("name", fmt::format("colour_{}", place->second));
      element("color", "rgba", rgba);
      xml_.CloseElement();
    }
    xml_.CloseElement();
  }

  void joint(const UrdfJoint& joint) {
    xml_.OpenElement("joint");
    attribute("name", joint.name);
    attribute("type", joint.type);
    origin(joint.origin);
    element("parent", "link", joint.parent);
    element("child", "link", joint.child);
    if (joint.type != "fixed" && joint.type != "floating") element("axis", "xyz", joint.axis);
    if (joint.has_limit) {
      xml_.OpenElement("limit");
      if (joint.lower) attribute("lower", *joint.lower);
      if (joint.upper) attribute("upper", *joint.upper);
      attribute("effort", kEffort);
      attribute("velocity", kVelocity);
      xml_.CloseElement();
    }
    if (joint.damping != 0.0 || joint.friction != 0.0)
      element("dynamics", "damping", joint.damping, "friction", joint.friction);
    if (joint.mimic)
      element("mimic", "joint", joint.mimic->joint, "multiplier", joint.mimic->multiplier, "offset",
              joint.mimic->offset);
    xml_.CloseElement();
  }

  tinyxml2::XMLPrinter xml_;
  std::map<std::string, std::size_t> materials_;  // by colour: a name
};

}  // namespace

std::string to_xml(const UrdfRobot& robot, const std::vector<std::string>& comments) {
  return XmlWriter().robot(robot, comments);
}

}  // namespace knuckleboom::io
