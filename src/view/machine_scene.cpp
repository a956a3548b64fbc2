#include "view/machine_scene.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

#include <osg/Texture2D>

#include "view/mesh_file.hpp"
#include "view/shaders.hpp"
#include "view/textures.hpp"

namespace knuckleboom::view {
namespace {

constexpr double kBeamFrom = 0.7;  // longer bodies are beams, shorter ones links [m]
constexpr int kHoseSegments = 10;
constexpr int kHoseSides = 6;
constexpr double kHoseRadius = 0.013;
constexpr int kBoomHoses = 4;

// Frame of a beam in its body: x to the end, z up.
Pose beam_frame(const BodyLook& body) {
  const Vec3 x = body.end_B.normalized();
  Vec3 up = Vec3::UnitZ() - x.z() * x;
  if (up.norm() < 0.2) up = body.joint_axis_B.cross(x);
  if (up.norm() < 0.2) up = across(x);  // a column that rotates about its own axis
  Pose frame;
  frame.R.col(0) = x;
  frame.R.col(2) = up.normalized();
  frame.R.col(1) = frame.R.col(2).cross(x);
  return frame;
}

Vec3 into(const Pose& frame, const Vec3& p) { return frame.R.transpose() * (p - frame.p); }

CylinderShape shape_of(const CylinderLook& look) {
  CylinderShape shape;
  shape.bore = look.bore;
  shape.rod = look.rod;
  shape.length_min = look.length_min;
  shape.length_max = look.length_max;
  shape.half_width = std::clamp(0.35 * look.bore, 0.03, 0.065);
  return shape;
}

// Arch that keeps the beam clear of cylinders: above those that push from below, below those on
// top. Each demand is (position along, height of the pin, pushes from below).
struct Demand {
  double x, z;
  bool from_below;
};
double arch_for(const BeamShape& straight, const std::vector<Demand>& demands) {
  double least = 0.0;
  double most = 0.14 * straight.length;
  for (const Demand& d : demands) {
    BeamShape unit = straight;
    unit.arch = 1.0;
    const double lever = centre_line(unit, d.x);
    if (lever < 0.2) continue;
    const double h = 1.1 * half_height(straight, d.x);
    if (d.from_below)
      least = std::max(least, (d.z + h + 0.05) / lever);
    else
      most = std::min(most, (d.z - h - 0.10) / lever);
  }
  least = std::min(least, 0.14 * straight.length);
  return std::clamp(least <= most ? least : 0.5 * (least + most), 0.0, 0.14 * straight.length);
}

}  // namespace

double jaw_angle(const GrappleLook& g, double opening) {
  const double hinge = 0.5 * g.hinge_distance;
  const auto lean = [&g](double at_tip) {
    return std::asin(std::clamp(at_tip / std::max(0.05, g.jaw_length), -0.99, 0.99));
  };
  const double closed = lean(g.tine_radius - hinge - 0.5 * g.overlap);
  const double open = lean(0.5 * g.opening_max + g.tine_radius - hinge);
  return closed + std::clamp(opening, 0.0, 1.0) * (open - closed);
}

UndercarriageShape undercarriage_of(const MachineLook& look) {
  UndercarriageShape shape;
  double pivot = 1.9;  // height above ground of the first joint other than the swing
  for (const BodyLook& body : look.bodies)
    if (body.body == look.swing_body && body.has_end) pivot = look.swing_height + body.end_B.z();
  shape.height = std::clamp(0.53 * pivot, 0.6, std::max(1.3, look.swing_height));
  return shape;
}

MachineScene::MachineScene(const MachineLook& look, const std::filesystem::path& assets,
                           const MachineStates& states, std::vector<std::string>& notes)
    : look_(look), states_(states), root_(new osg::Group), solid_(new osg::Group) {
  int links = 0;
  for (const BodyLook& body : look_.bodies) links = std::max(links, body.body + 1);
  has_parts_.assign(static_cast<std::size_t>(links), false);
  starts_.resize(static_cast<std::size_t>(links));
  ends_.resize(static_cast<std::size_t>(links));
  solid_->setStateSet(states_.solid);
  solid_->setNodeMask(kSeen | kCastsShadow);
  root_->addChild(solid_);
  base_ = new osg::MatrixTransform;
  solid_->addChild(base_);
  for (int i = 0; i < links; ++i) {
    bodies_.emplace_back(new osg::MatrixTransform);
    solid_->addChild(bodies_.back());
  }
  build_parts(assets, notes);

  if (!base_has_parts_ && !look_.on_wheels) look_.arm ? build_foot() : build_carrier();
  for (int link = 0; link < links; ++link) {
    const BodyLook* body = body_of_link(link);
    if (body == nullptr || nth(has_parts_, link)) continue;
    if (is_upper(*body) && !asked_for(link))
      build_upper(link);
    else if (look_.grapple.present && (look_.grapple.body == link || look_.grapple.jaw[0] == link ||
                                       look_.grapple.jaw[1] == link))
      continue;
    else if (look_.arm)
      build_arm(*body);
    else if (body->has_end && body->end_B.norm() >= kBeamFrom)
      build_beam(*body);
    else
      build_link(*body);
  }
  build_cylinders();
  if (look_.grapple.present)
    build_grapple();
  else if (look_.swing_body >= 0 && !look_.imported && !look_.arm)
    build_hanging_head();
  build_hoses();
}

const BodyLook* MachineScene::body_of_link(int link) const {
  for (const BodyLook& body : look_.bodies)
    if (body.body == link) return &body;
  return nullptr;
}

bool MachineScene::is_upper(const BodyLook& body) const {
  return !look_.imported && !look_.arm && !base_has_parts_ && body.body == look_.swing_body &&
         body.parent == kWorldBody;
}

// Whether a part was given for it, even if its mesh is missing.
bool MachineScene::asked_for(int body) const {
  return std::any_of(look_.parts.begin(), look_.parts.end(),
                     [body](const PartLook& part) { return part.body == body; });
}

osg::MatrixTransform* MachineScene::transform(int body) {
  return body >= 0 ? nth(bodies_, body).get() : base_.get();
}

double MachineScene::end_half_width(int link) const {
  const BodyLook* body = link >= 0 ? body_of_link(link) : nullptr;
  if (body == nullptr || is_upper(*body)) return 0.11;
  int depth = 0;
  for (int parent = body->parent; parent >= 0; ++depth) {
    const BodyLook* up = body_of_link(parent);
    parent = up != nullptr ? up->parent : kWorldBody;
  }
  return std::max(0.05, 0.085 - 0.012 * (depth - 1));
}

// --- Parts that are given -------------------------------------------------------

osg::ref_ptr<osg::Node> MachineScene::part(const PartLook& look,
                                           const std::filesystem::path& assets,
                                           std::vector<std::string>& notes) const {
  constexpr double kShine = 0.4;
  Colour colour = kPaint;
  if (look.coloured) colour = {look.colour.x(), look.colour.y(), look.colour.z(), kShine};
  if (look.form == LookForm::kMesh) {
    const std::filesystem::path file =
        look.file.is_absolute() ? look.file : assets / "meshes" / look.file;
    std::error_code ignored;
    osg::ref_ptr<osg::Node> node;
    if (std::filesystem::is_regular_file(file, ignored)) node = read_mesh(file, look.scale, colour);
    if (node == nullptr)
      notes.push_back(
          "The mesh '" + file.string() +
          "' is not there or cannot be read; the view leaves it out, and makes its body "
          "up if that has nothing else.");
    return node;
  }
  MeshBuilder mesh(states_.quality.detail);
  mesh.set_colour(colour);
  const Vec3& size = look.size;
  if (look.form == LookForm::kBox) {
    const double bevel = std::min(0.01, 0.05 * size.minCoeff());
    mesh.box(-0.5 * size, 0.5 * size, bevel);
  } else if (look.wheel >= 0) {
    add_wheel(mesh, size.x(), size.y());
  } else if (look.form == LookForm::kCylinder) {
    const Vec3 half = 0.5 * size.y() * Vec3::UnitZ();
    mesh.cylinder(-half, half, size.x(), size.x());
  } else {
    mesh.sphere(Vec3::Zero(), size.x());
  }
  return mesh.build();
}

void MachineScene::build_parts(const std::filesystem::path& assets,
                               std::vector<std::string>& notes) {
  for (const PartLook& look : look_.parts) {
    const osg::ref_ptr<osg::Node> node = part(look, assets, notes);
    if (node == nullptr) continue;
    osg::ref_ptr<osg::MatrixTransform> place = new osg::MatrixTransform;
    place->setMatrix(to_osg(Pose{look.R_BM, look.position_B}));
    place->addChild(node);
    transform(look.body)->addChild(place);
    if (look.wheel >= 0) wheels_.push_back({place, {look.R_BM, look.position_B}, look.wheel});
    if (look.body >= 0)
      nth(has_parts_, look.body) = true;
    else
      base_has_parts_ = true;
  }
}

// --- Bodies -------------------------------------------------------------------

void MachineScene::build_carrier() {
  MeshBuilder carrier(states_.quality.detail);
  if (look_.swing_body >= 0 && !look_.imported && !asked_for(kWorldBody)) {
    add_undercarriage(carrier, undercarriage_of(look_));
  } else {
    // No swinging part: a foot that carries the first joint.
    carrier.set_colour(kDarkPaint);
    carrier.cylinder({0.0, 0.0, -0.2}, {0.0, 0.0, 0.25}, 0.5, 0.4);
  }
  base_->addChild(carrier.build());
}

void MachineScene::build_upper(int link) {
  const BodyLook& body = *body_of_link(link);
  UpperShape upper;
  upper.deck = undercarriage_of(look_).height - look_.swing_height;
  if (body.has_end) upper.boom_pin = body.end_B;
  upper.has_cylinder = false;
  for (const CylinderLook& cylinder : look_.cylinders)
    if (cylinder.base_body == link) {
      upper.has_cylinder = true;
      upper.cylinder_pin = cylinder.base_pin_B;
    }
  upper.eye = look_.eye_B;
  upper.boom_half_width = 0.13;

  MeshBuilder mesh(states_.quality.detail);
  add_upper(mesh, upper);
  add_cab(mesh, upper);
  add_cab_interior(mesh, upper);
  transform(link)->addChild(mesh.build());

  MeshBuilder glass(states_.quality.detail);
  add_cab_glass(glass, upper);
  osg::ref_ptr<osg::Group> panes = new osg::Group;
  panes->addChild(glass.build());
  panes->setStateSet(states_.glass);
  panes->setNodeMask(kCabOutside);
  transform(link)->addChild(panes);

  // Name on both sides of the hood and behind.
  const double z = upper.deck + 0.15 +
                   0.80 * (std::max(0.75, upper.boom_pin.z() + 0.05 - upper.deck - 0.15)) - 0.17;
  Pose side;
  side.R.col(0) = Vec3::UnitX();
  side.R.col(1) = Vec3::UnitZ();
  side.R.col(2) = -Vec3::UnitY();
  side.p = Vec3(-1.26, -1.285, z);
  add_sign(link, look_.name, side, 0.15, false);
  side.R.col(0) = -Vec3::UnitX();
  side.R.col(2) = Vec3::UnitY();
  side.p = Vec3(-1.26, 1.345, z);
  add_sign(link, look_.name, side, 0.15, false);

  const double back = upper.boom_pin.x() - 0.16;
  for (int i = 0; i < kBoomHoses; ++i) {
    const double y = -0.11 - 0.034 * i;
    nth(ends_, link)
        .push_back(
            {Vec3(back - 0.22, y, upper.boom_pin.z() - 0.28), Vec3(-0.25, 0.0, 1.0).normalized()});
  }
}

void MachineScene::build_beam(const BodyLook& body) {
  const Pose frame = beam_frame(body);
  const bool first = body.parent >= 0 && body_of_link(body.parent) != nullptr &&
                     is_upper(*body_of_link(body.parent));
  BeamShape beam;
  beam.length = body.end_B.norm();
  beam.height_start = 0.16 + 0.029 * beam.length;
  beam.height_end = 0.11 + 0.022 * beam.length;
  const double inner = end_half_width(body.parent) + 0.025;  // of the side plates at the joint
  beam.width_start = first ? 0.24 : 2.0 * inner;
  beam.width_end = 2.0 * end_half_width(body.body);
  beam.from = first ? 0.06 : 0.20;
  if (!body.revolute) {  // slides in its parent
    beam.height_start = beam.height_end = 0.8 * beam.height_start;
    beam.width_start = beam.width_end;
    beam.from = -0.5 * beam.length;
  }

  struct Pin {
    Vec3 p;
    double half_width;
    bool behind;
  };
  std::vector<Pin> pins;
  std::vector<Demand> demands;
  for (const CylinderLook& cylinder : look_.cylinders) {
    const bool is_rod = cylinder.rod_body == body.body;
    if (!is_rod && cylinder.base_body != body.body) continue;
    const Vec3 p = into(frame, is_rod ? cylinder.rod_pin_B : cylinder.base_pin_B);
    const bool behind = p.x() < 0.05 * beam.length;
    pins.push_back({p, shape_of(cylinder).half_width, behind});
    if (!behind) demands.push_back({p.x(), p.z(), is_rod});
  }
  beam.arch = arch_for(beam, demands);

  MeshBuilder mesh(states_.quality.detail);
  mesh.set_pose(frame);
  mesh.set_colour(kPaint);
  add_beam(mesh, beam);
  // At the joint: a boss between the parent's cheeks, or separate cheeks around the parent's end.
  const double boss = 0.52 * beam.height_start;
  if (first) {
    mesh.cylinder({0.0, -0.13, 0.0}, {0.0, 0.13, 0.0}, boss, boss);
    add_cheeks(mesh,
               {{{0.0, 0.0}, boss}, {{0.55, centre_line(beam, 0.55)}, half_height(beam, 0.55)}},
               0.5 * beam.width_start - 0.01, 0.018);
  } else if (body.revolute) {
    std::vector<std::pair<Vec2, double>> circles = {
        {{0.0, 0.0}, boss}, {{0.50, centre_line(beam, 0.50)}, 0.95 * half_height(beam, 0.50)}};
    for (const Pin& pin : pins)
      if (pin.behind) circles.push_back({{pin.p.x(), pin.p.z()}, 0.09});
    add_cheeks(mesh, circles, inner, 0.03);
  }
  // At the end: a boss for the child.
  const double end_boss = 0.62 * beam.height_end;
  mesh.cylinder({beam.length, -0.5 * beam.width_end, 0.0}, {beam.length, 0.5 * beam.width_end, 0.0},
                end_boss, end_boss);
  add_cheeks(mesh,
             {{{beam.length, 0.0}, end_boss},
              {{beam.length - 0.35, centre_line(beam, beam.length - 0.35)},
               0.8 * half_height(beam, beam.length - 0.35)}},
             0.5 * beam.width_end - 0.006, 0.02);
  for (const Pin& pin : pins) {
    if (pin.behind) {
      add_pin(mesh, pin.p, 0.045, inner + 0.03);
      mesh.set_colour(kPaint);
      continue;
    }
    mesh.set_colour(kPaint);
    const double c = centre_line(beam, pin.p.x());
    add_cheeks(mesh,
               {{{pin.p.x(), pin.p.z()}, 0.085},
                {{pin.p.x() - 0.20, c}, 0.06},
                {{pin.p.x() + 0.20, c}, 0.06}},
               pin.half_width + 0.006, 0.03);
    add_pin(mesh, pin.p, 0.045, pin.half_width + 0.036);
  }
  if (body.revolute && !first) add_pin(mesh, Vec3::Zero(), 0.055, inner + 0.03);

  // Hoses along the right side, in clamps.
  const double from = 0.35;
  const double to = beam.length - 0.42;
  for (int i = 0; i < kBoomHoses; ++i) {
    std::vector<Vec3> path;
    for (int k = 0; k <= 12; ++k) {
      const double x = from + (to - from) * k / 12.0;
      path.emplace_back(x, -half_width(beam, x) - 0.034,
                        centre_line(beam, x) + 0.30 * half_height(beam, x) - 0.032 * (i - 1));
    }
    mesh.set_colour(kRubber);
    mesh.tube(path, kHoseRadius, kHoseSides);
    const auto end = [&](const Vec3& p, const Vec3& d) -> HoseEnd {
      return {frame * p, frame.R * d};
    };
    nth(starts_, body.body).push_back(end(path.front(), (path[0] - path[1]).normalized()));
    nth(ends_, body.body).push_back(end(path.back(), (path[12] - path[11]).normalized()));
  }
  const int clamps = std::max(2, static_cast<int>(beam.length / 0.9));
  for (int k = 0; k < clamps; ++k) {
    const double x = from + 0.15 + (to - from - 0.3) * k / (clamps - 1.0);
    const double w = half_width(beam, x);
    const double z = centre_line(beam, x) + 0.30 * half_height(beam, x);
    mesh.set_colour(kDarkPaint);
    mesh.box({x - 0.022, -w - 0.056, z - 0.092}, {x + 0.022, -w + 0.01, z + 0.058}, 0.006);
    mesh.set_colour(kSteel);
    mesh.cylinder({x, -w - 0.056, z + 0.045}, {x, -w - 0.066, z + 0.045}, 0.010, 0.010, true, 6);
  }
  // A lamp that lights the head.
  if (first) {
    mesh.set_colour(kDarkPaint);
    const double x = 0.62 * beam.length;
    const double top = centre_line(beam, x) + half_height(beam, x);
    mesh.box({x - 0.03, -0.03, top}, {x + 0.03, 0.03, top + 0.07});
  }
  transform(body.body)->addChild(mesh.build());

  if (first) {
    const double x = 0.45 * beam.length;
    const double slope = (centre_line(beam, x + 0.05) - centre_line(beam, x - 0.05)) / 0.1;
    for (const double side : {-1.0, 1.0}) {
      Pose sign;
      sign.R.col(0) = (side < 0.0 ? Vec3(1.0, 0.0, slope) : Vec3(-1.0, 0.0, -slope)).normalized();
      sign.R.col(2) = side * Vec3::UnitY();
      sign.R.col(1) = sign.R.col(2).cross(sign.R.col(0));
      // On the right there is no room behind the hoses.
      sign.p = Vec3(x, side * (half_width(beam, x) + 0.012),
                    centre_line(beam, x) - (side < 0.0 ? 0.42 : 0.0) * half_height(beam, x));
      add_sign(body.body, "Knuckleboom", {frame.R * sign.R, frame * sign.p},
               side < 0.0 ? 0.09 : 0.14, false);
    }
  }
}

void MachineScene::build_link(const BodyLook& body) {
  MeshBuilder mesh(states_.quality.detail);
  if (!body.has_end) {
    // Without further data: a steel block of about the body's mass.
    const double edge = std::clamp(std::cbrt(body.mass / 7800.0), 0.05, 0.6);
    if (body.mass > 0.0) {
      mesh.set_colour(kDarkPaint);
      mesh.box(Vec3::Constant(-0.5 * edge), Vec3::Constant(0.5 * edge), 0.1 * edge);
    }
  } else {
    // Between two pins: cheeks, the lower pin across the upper one.
    const Vec3 x = body.end_B.normalized();
    Pose frame;
    frame.R = frame_from_x(x, body.revolute ? body.joint_axis_B : across(x));
    mesh.set_pose(frame);
    const double l = body.end_B.norm();
    const double r = std::clamp(0.22 * l, 0.035, 0.075);
    mesh.set_colour(kDarkPaint);
    if (l > 0.02) {
      add_cheeks(mesh, {{{0.0, 0.0}, r}, {{l, 0.0}, r}}, 0.045, 0.02);
      mesh.box({0.35 * l, -0.045, -0.6 * r}, {l, 0.045, 0.6 * r});
    }
    add_pin(mesh, Vec3::Zero(), 0.6 * r, 0.10);
  }
  if (!mesh.empty()) transform(body.body)->addChild(mesh.build());
}

// Thickness of a casting of this length with the body's mass.
double MachineScene::arm_radius(const BodyLook& body) const {
  constexpr double kDensity = 2000.0;  // of a hollow casting [kg/m^3]
  const double length = body.has_end ? body.end_B.norm() : 0.0;
  if (length < 0.02) return 0.04;
  const double radius = std::sqrt(body.mass / (kDensity * std::numbers::pi * length));
  return std::clamp(radius, 0.035, std::clamp(0.35 * length, 0.035, 0.2));
}

// A drum about the joint, a tube from there to the next one.
void MachineScene::build_arm(const BodyLook& body) {
  const double radius = arm_radius(body);
  const BodyLook* parent = body.parent >= 0 ? body_of_link(body.parent) : nullptr;
  const double drum = 1.12 * std::max(radius, parent != nullptr ? arm_radius(*parent) : radius);
  const Vec3 axis = body.joint_axis_B.normalized();
  const double length = body.has_end ? body.end_B.norm() : 0.0;
  MeshBuilder mesh(1.5 * states_.quality.detail);
  if (body.revolute) {
    // Across the tube as wide as the tube; along it, a flange.
    const bool along = length > 1e-3 && std::abs(axis.dot(body.end_B)) > 0.7 * length;
    const double half = along ? std::min(0.04, 0.25 * length) : 1.05 * drum;
    mesh.set_colour(kDarkPaint);
    mesh.lathe(-half * axis, axis,
               {{0.0, 0.0},
                {0.0, 0.88 * drum},
                {0.12 * drum, drum},
                {2.0 * half - 0.12 * drum, drum},
                {2.0 * half, 0.88 * drum},
                {2.0 * half, 0.0}});
    mesh.set_colour(kChrome);
    if (!along) mesh.cylinder(-1.02 * half * axis, 1.02 * half * axis, 0.42 * drum, 0.42 * drum);
  }
  if (length > 0.02) {
    mesh.set_colour(kPaint);
    const Vec3 x = body.end_B / length;
    mesh.lathe(Vec3::Zero(), x,
               {{0.0, 0.0},
                {0.0, radius},
                {0.25 * length, radius},
                {0.45 * length, 0.86 * radius},
                {0.98 * length, 0.80 * radius},
                {length, 0.72 * radius},
                {length, 0.0}});
  }
  if (!mesh.empty()) transform(body.body)->addChild(mesh.build());
}

void MachineScene::build_foot() {
  const BodyLook* first = body_of_link(0);
  const double radius = first != nullptr ? 1.12 * arm_radius(*first) : 0.12;
  const double height = std::max(0.06, look_.foot_height);
  const Vec3 z = Vec3::UnitZ();
  const Vec3 ground = look_.foot_W - height * z;
  MeshBuilder mesh(1.5 * states_.quality.detail);
  mesh.set_colour(kDarkPaint);
  mesh.lathe(ground, z,
             {{0.0, 0.0},
              {0.0, 1.9 * radius},
              {0.025, 1.9 * radius},
              {0.03, 1.3 * radius},
              {0.5 * height, radius},
              {height, radius},
              {height, 0.0}});
  mesh.set_colour(kSteel);
  for (int i = 0; i < 8; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / 8.0;
    const Vec3 p =
        ground + Vec3(1.65 * radius * std::cos(angle), 1.65 * radius * std::sin(angle), 0.025);
    mesh.cylinder(p, p + 0.014 * z, 0.013, 0.013, true, 6);
  }
  base_->addChild(mesh.build());
}

void MachineScene::add_sign(int body, const std::string& text, const Pose& frame, double height,
                            bool on_dark) {
  const Colour paper = on_dark ? kDarkPaint : Colour{0.90, 0.60, 0.06, 0.5};
  const Image image = paint_sign(text, paper, on_dark ? kPaint : Colour{0.07, 0.07, 0.075, 0.4});
  MeshBuilder mesh;
  mesh.set_colour({1.0, 1.0, 1.0, 1.0});
  mesh.set_pose(frame);
  const double half_h = 0.5 * height;
  const double half_w = half_h * image.width() / image.height();
  const Vec3 n = Vec3::UnitZ();
  const unsigned a = mesh.vertex({-half_w, -half_h, 0.0}, n, 0.0, 0.0);
  const unsigned b = mesh.vertex({half_w, -half_h, 0.0}, n, 1.0, 0.0);
  const unsigned c = mesh.vertex({half_w, half_h, 0.0}, n, 1.0, 1.0);
  const unsigned d = mesh.vertex({-half_w, half_h, 0.0}, n, 0.0, 1.0);
  mesh.index(a, b, c);
  mesh.index(a, c, d);
  auto sign = mesh.build();
  sign->getOrCreateStateSet()->setTextureAttributeAndModes(kColourUnit, image.texture(false));
  transform(body)->addChild(sign);
}

// --- Cylinders ----------------------------------------------------------------

void MachineScene::build_cylinders() {
  for (const CylinderLook& look : look_.cylinders) {
    Cylinder cylinder;
    cylinder.look = look;
    cylinder.shape = shape_of(look);
    MeshBuilder barrel(states_.quality.detail);
    add_barrel(barrel, cylinder.shape);
    MeshBuilder rod(states_.quality.detail);
    add_rod(rod, cylinder.shape);
    cylinder.barrel = new osg::MatrixTransform;
    cylinder.barrel->addChild(barrel.build());
    cylinder.rod = new osg::MatrixTransform;
    cylinder.rod->addChild(rod.build());
    solid_->addChild(cylinder.barrel);
    solid_->addChild(cylinder.rod);
    cylinders_.push_back(std::move(cylinder));
  }
}

// --- Head ---------------------------------------------------------------------

namespace {

// Two curved tines with a shaft between them; hinge at the origin, chord along +z, outwards +y, along
// the log +x.
void add_jaw(MeshBuilder& mesh, const GrappleLook& g, bool outer) {
  const double bow = 0.30 * g.jaw_length;
  const double l = g.jaw_length;
  constexpr int kSteps = 9;
  const double half = 0.5 * g.jaw_width;
  // The tines of one jaw pass beside those of the other.
  const double at = half + (outer ? 0.9 : -0.9) * g.tine_radius;
  const auto bow_at = [bow](double t) {
    return bow * (1.0 - std::pow(std::abs(2.0 * t - 1.0), 1.35));
  };
  for (const double side : {-1.0, 1.0}) {
    std::vector<std::vector<Vec3>> sections;
    for (int i = 0; i <= kSteps; ++i) {
      const double t = static_cast<double>(i) / kSteps;
      const double y = bow_at(t);
      const double z = l * t;
      const double slope =
          (bow_at(std::min(1.0, t + 0.05)) - bow_at(std::max(0.0, t - 0.05))) / (0.1 * l);
      const Vec3 along = Vec3(0.0, slope, 1.0).normalized();
      const Vec3 out = Vec3(0.0, along.z(), -along.y());
      const double deep = g.tine_radius * (1.75 - 1.25 * t);
      const double wide = g.tine_radius * (0.85 - 0.25 * t);
      const Vec3 p(side * at, y, z);
      const Vec3 x = Vec3::UnitX();
      sections.push_back({p - wide * x - deep * out, p + wide * x - deep * out,
                          p + wide * x + deep * out, p - wide * x + deep * out});
    }
    mesh.set_colour(kWornSteel);
    mesh.loft(sections, false);
    // Hard-faced edge at the tip.
    mesh.set_colour(1.4 * kSteel);
    const Vec3 tip(side * at, 0.0, l);
    mesh.box(tip - Vec3(0.75 * g.tine_radius, 0.45 * g.tine_radius, 2.2 * g.tine_radius),
             tip + Vec3(0.75 * g.tine_radius, 0.45 * g.tine_radius, 0.1 * g.tine_radius), 0.004);
    mesh.set_colour(kDarkPaint);
    mesh.cylinder({side * at - side * 0.05, 0.0, 0.0}, {side * at + side * 0.035, 0.0, 0.0},
                  1.9 * g.tine_radius, 1.9 * g.tine_radius);
    mesh.set_colour(kSteel);
    mesh.cylinder({side * at + side * 0.035, 0.0, 0.0}, {side * at + side * 0.06, 0.0, 0.0},
                  0.9 * g.tine_radius, 0.9 * g.tine_radius);
  }
  // Shafts across.
  mesh.set_colour(kDarkPaint);
  mesh.cylinder({-at, 0.0, 0.0}, {at, 0.0, 0.0}, 0.9 * g.tine_radius, 0.9 * g.tine_radius);
  for (const double t : {0.34, 0.62}) {
    const Vec3 p(0.0, bow_at(t), l * t);
    mesh.cylinder(p - at * Vec3::UnitX(), p + at * Vec3::UnitX(), 0.55 * g.tine_radius,
                  0.55 * g.tine_radius);
  }
}

}  // namespace

void MachineScene::build_grapple() {
  const GrappleLook& g = look_.grapple;
  if (g.body < 0) return;
  // Frame of the grapple: x along the log, y opening, z reach.
  Pose frame;
  frame.R.col(0) = g.log_axis_B.normalized();
  frame.R.col(2) = g.reach_axis_B.normalized();
  frame.R.col(1) = frame.R.col(2).cross(frame.R.col(0));
  frame.p = g.pin_B;
  const double sign = frame.R.col(1).dot(g.open_axis_B) < 0.0 ? -1.0 : 1.0;

  if (!nth(has_parts_, g.body)) {
    MeshBuilder mesh(states_.quality.detail);
    mesh.set_pose(frame);
    const double half_hinge = 0.5 * g.hinge_distance;
    const double half = 0.5 * g.jaw_width;
    // The body's origin is the joint above: rotator between it and the frame.
    const double up = std::max(0.12, (into(frame, Vec3::Zero())).z() * -1.0);
    mesh.set_colour(kPaint);
    for (const double x : {-half + 0.09, half - 0.09}) {
      // Cross plates that carry the hinges.
      Pose cross;
      cross.R.col(0) = frame.R.col(1);
      cross.R.col(1) = -frame.R.col(2);
      cross.R.col(2) = cross.R.col(0).cross(cross.R.col(1));
      cross.p = frame * Vec3(x, 0.0, 0.0);
      mesh.set_pose(cross);
      mesh.plate(Pose{},
                 hull_of_circles({{{-half_hinge, 0.0}, 1.7 * g.tine_radius},
                                  {{half_hinge, 0.0}, 1.7 * g.tine_radius},
                                  {{0.0, 0.55 * up}, 0.10}}),
                 -0.016, 0.016);
      mesh.set_pose(frame);
    }
    mesh.set_colour(kDarkPaint);
    mesh.box({-half + 0.08, -0.10, -0.62 * up}, {half - 0.08, 0.10, -0.40 * up}, 0.015);
    // Rotator.
    const double r = 0.115;
    mesh.lathe({0.0, 0.0, -0.60 * up}, -Vec3::UnitZ(),
               {{0.0, r + 0.03},
                {0.025, r + 0.03},
                {0.025, r},
                {0.28 * up, r},
                {0.28 * up, 0.6 * r},
                {0.40 * up, 0.6 * r},
                {0.40 * up, 0.0}},
               0);
    mesh.set_colour(kSteel);
    for (int i = 0; i < 8; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / 8.0;
      const Vec3 p((r + 0.015) * std::cos(angle), (r + 0.015) * std::sin(angle),
                   -0.60 * up - 0.025);
      mesh.cylinder(p, p - Vec3(0.0, 0.0, 0.014), 0.010, 0.010, true, 6);
    }
    mesh.set_colour(kBrass);
    for (const double side : {-1.0, 1.0})
      mesh.cylinder({side * 0.04, r - 0.01, -0.72 * up}, {side * 0.04, r + 0.05, -0.72 * up}, 0.017,
                    0.017, true, 8);
    add_pin(mesh, {0.0, 0.0, -up}, 0.032, 0.075);
    transform(g.body)->addChild(mesh.build());
    for (const double side : {-1.0, 1.0})
      nth(starts_, g.body)
          .push_back({frame * Vec3(side * 0.04, r + 0.05, -0.72 * up),
                      frame.R * Vec3(0.0, 1.0, -0.2).normalized()});
  }
  for (const double side : {1.0, -1.0}) {
    MeshBuilder mesh(states_.quality.detail);
    add_jaw(mesh, g, side > 0.0);
    Jaw jaw;
    jaw.side = side * sign;
    jaw.transform = new osg::MatrixTransform;
    jaw.transform->addChild(mesh.build());
    transform(g.body)->addChild(jaw.transform);
    jaws_.push_back(jaw);
  }
}

void MachineScene::pose_grapple(double opening) {
  const GrappleLook& g = look_.grapple;
  const double angle = jaw_angle(g, opening);
  const Vec3 reach = g.reach_axis_B.normalized();
  for (const Jaw& jaw : jaws_) {
    const Vec3 out = (jaw.side > 0.0 ? 1.0 : -1.0) * g.open_axis_B.normalized();
    Pose pose;
    // The chord leans outwards by the angle.
    pose.R.col(2) = std::cos(angle) * reach + std::sin(angle) * out;
    pose.R.col(1) = std::cos(angle) * out - std::sin(angle) * reach;
    pose.R.col(0) = pose.R.col(1).cross(pose.R.col(2));
    pose.p = g.pin_B + 0.5 * g.hinge_distance * out;
    jaw.transform->setMatrix(to_osg(pose));
  }
}

// A machine with only a mass at the tip still gets a head there, hanging vertically.
void MachineScene::build_hanging_head() {
  if (look_.tip_body < 0) return;
  hanging_head_ = new osg::MatrixTransform;
  MeshBuilder mesh(states_.quality.detail);
  mesh.set_colour(kDarkPaint);
  const Vec3 z = Vec3::UnitZ();
  add_cheeks(mesh, {{{0.0, 0.0}, 0.06}, {{0.0, -0.20}, 0.06}}, 0.085, 0.02);
  mesh.set_colour(kDarkPaint);
  mesh.lathe({0.0, 0.0, -0.18}, -z,
             {{0.0, 0.0}, {0.0, 0.13}, {0.22, 0.13}, {0.22, 0.17}, {0.26, 0.17}, {0.26, 0.0}}, 0);
  // Harvester head: frame, saw box, feed rollers, knives.
  mesh.set_colour(kPaint);
  mesh.box({-0.34, -0.17, -0.66}, {0.34, 0.17, -0.44}, 0.04);
  mesh.box({0.22, -0.24, -1.02}, {0.42, 0.24, -0.52}, 0.05);
  mesh.set_colour(kDarkPaint);
  mesh.box({-0.30, -0.13, -0.80}, {0.30, 0.13, -0.66}, 0.02);
  for (const double side : {-1.0, 1.0}) {
    mesh.set_colour(kWornSteel);
    const Vec3 hub(-0.02, side * 0.27, -0.86);
    mesh.cylinder(hub - 0.17 * z, hub + 0.17 * z, 0.15, 0.15);
    for (int i = 0; i < 14; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / 14.0;
      const Vec3 out(std::cos(angle), std::sin(angle), 0.0);
      mesh.cylinder(hub + 0.14 * out - 0.15 * z, hub + 0.14 * out + 0.15 * z, 0.022, 0.022, true,
                    5);
    }
    mesh.set_colour(kDarkPaint);
    mesh.box(hub + Vec3(-0.06, -0.06, 0.17), hub + Vec3(0.06, 0.06, 0.34), 0.015);
    // Delimbing knives, bent inwards.
    for (const double x : {-0.30, 0.17}) {
      std::vector<Vec3> arm;
      for (int k = 0; k <= 6; ++k) {
        const double t = k / 6.0;
        arm.emplace_back(x, side * (0.16 + 0.22 * std::sin(std::numbers::pi * 0.75 * t)),
                         -0.58 - 0.50 * t);
      }
      mesh.set_colour(kWornSteel);
      mesh.tube(arm, 0.032, 6);
    }
  }
  mesh.set_colour(kSteel);
  mesh.box({0.30, -0.02, -1.06}, {0.36, 0.02, -0.60});
  hanging_head_->addChild(mesh.build());
  solid_->addChild(hanging_head_);
}

// --- Hoses --------------------------------------------------------------------

void MachineScene::build_hoses() {
  const auto add = [this](int body_a, const HoseEnd& a, int body_b, const HoseEnd& b,
                          double slack) {
    // Free length: sufficient for the joint's whole range; the pins' distance varies by less than a
    // handle.
    Hose hose{body_a, body_b, a.point, a.direction, b.point, b.direction, slack, kHoseRadius};
    hoses_.push_back(hose);
  };
  for (const BodyLook& body : look_.bodies) {
    if (body.body < 0 || body.parent < 0 || body_of_link(body.body) != &body) continue;
    const auto& from = nth(ends_, body.parent);
    const auto& to = nth(starts_, body.body);
    for (std::size_t i = 0; i < std::min(from.size(), to.size()); ++i)
      add(body.parent, from[i], body.body, to[i], 1.05 + 0.03 * static_cast<double>(i));
  }
  // To both ends of each cylinder's barrel: its base swings little, so one end is fixed to the body there.
  // The grapple's hoses come from the last beam.
  if (look_.grapple.present && look_.grapple.body >= 0) {
    int beam = look_.grapple.body;
    while (beam >= 0 && nth(ends_, beam).empty()) {
      const BodyLook* body = body_of_link(beam);
      beam = body != nullptr ? body->parent : kWorldBody;
    }
    const auto& to = nth(starts_, look_.grapple.body);
    const BodyLook* body = body_of_link(look_.grapple.body);
    if (beam >= 0 && body != nullptr && body->parent != beam)
      for (std::size_t i = 0; i < std::min(to.size(), nth(ends_, beam).size()); ++i)
        add(beam, nth(ends_, beam)[i], look_.grapple.body, to[i], 1.35);
  }
  if (hoses_.empty()) return;
  MeshBuilder mesh;
  mesh.set_colour(kRubber);
  const std::vector<Vec3> any(kHoseSegments + 1, Vec3::Zero());
  std::vector<Vec3> path;
  for (int i = 0; i <= kHoseSegments; ++i) path.emplace_back(0.1 * i, 0.0, 0.0);
  for (std::size_t i = 0; i < hoses_.size(); ++i) mesh.tube(path, kHoseRadius, kHoseSides);
  hose_geometry_ = mesh.build();
  hose_geometry_->setDataVariance(osg::Object::DYNAMIC);
  hose_geometry_->setCullingActive(false);
  solid_->addChild(hose_geometry_);
}

void MachineScene::pose_hoses(const FramePoses& poses) {
  if (hose_geometry_ == nullptr) return;
  auto* positions = static_cast<osg::Vec3Array*>(hose_geometry_->getVertexArray());
  auto* normals = static_cast<osg::Vec3Array*>(hose_geometry_->getNormalArray());
  std::size_t v = 0;
  for (const Hose& hose : hoses_) {
    const Pose a = pose_of(poses, hose.body_a);
    const Pose b = pose_of(poses, hose.body_b);
    const Vec3 pa = a * hose.a;
    const Vec3 pb = b * hose.b;
    std::vector<Vec3> path =
        curve_of_length(pa, a.R * hose.da, pb, b.R * hose.db,
                        std::max(hose.length, 1.02 * (pb - pa).norm()), kHoseSegments);
    // Gravity bends the middle down slightly.
    for (std::size_t i = 0; i < path.size(); ++i) {
      const double t = static_cast<double>(i) / kHoseSegments;
      path[i].z() -= 0.16 * t * (1.0 - t);
    }
    Vec3 side = across(path[1] - path[0]);
    for (std::size_t i = 0; i < path.size(); ++i) {
      const Vec3 along =
          (path[std::min(i + 1, path.size() - 1)] - path[i > 0 ? i - 1 : 0]).normalized();
      const Vec3 up = along.cross(side).normalized();
      side = up.cross(along);
      for (int k = 0; k <= kHoseSides; ++k) {
        const double angle = 2.0 * std::numbers::pi * k / kHoseSides;
        const Vec3 out = std::cos(angle) * side + std::sin(angle) * up;
        (*positions)[v] = to_osg(path[i] + hose.radius * out);
        (*normals)[v] = to_osg(out);
        ++v;
      }
    }
  }
  positions->dirty();
  normals->dirty();
  hose_geometry_->dirtyBound();
}

void MachineScene::show_crane_only() {
  base_->setNodeMask(0);
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    int up = static_cast<int>(i);
    while (up >= 0 && up != look_.swing_body) {
      const BodyLook* body = body_of_link(up);
      up = body != nullptr ? body->parent : kWorldBody;
    }
    const BodyLook* body = body_of_link(static_cast<int>(i));
    const bool of_cab =
        static_cast<int>(i) == look_.cab_body || (body != nullptr && is_upper(*body));
    if (look_.swing_body >= 0 && (up < 0 || of_cab)) bodies_[i]->setNodeMask(0);
  }
}

// --- Motion -------------------------------------------------------------------

void MachineScene::pose(const FramePoses& poses) {
  for (std::size_t i = 0; i < bodies_.size(); ++i) bodies_[i]->setMatrix(to_osg(poses.body[i]));
  for (Cylinder& cylinder : cylinders_) {
    const Pose base = pose_of(poses, cylinder.look.base_body);
    const Pose moving = pose_of(poses, cylinder.look.rod_body);
    const Vec3 from = base * cylinder.look.base_pin_B;
    const Vec3 to = moving * cylinder.look.rod_pin_B;
    const BodyLook* body = body_of_link(cylinder.look.rod_body);
    const Vec3 pin = moving.R * (body != nullptr ? body->joint_axis_B : Vec3(0.0, 1.0, 0.0));
    const Vec3 x = (to - from).norm() > 1e-9 ? Vec3(to - from) : Vec3(base.R.col(0));
    // The pipe on the barrel looks up, or away from the machine.
    Vec3 y = pin - pin.dot(x.normalized()) * x.normalized();
    Mat3 R = frame_from_x(x, y);
    if (R(2, 2) < 0.0) R = frame_from_x(x, -y);
    cylinder.barrel_W = {R, from};
    Mat3 back = R;
    back.col(0) = -R.col(0);
    back.col(1) = -R.col(1);
    cylinder.rod_W = {back, to};
    cylinder.barrel->setMatrix(to_osg(cylinder.barrel_W));
    cylinder.rod->setMatrix(to_osg(cylinder.rod_W));
  }
  for (const TurningPart& part : wheels_) {
    Pose turned = part.at_rest;
    turned.R =
        part.at_rest.R *
        Eigen::AngleAxisd(nth(poses.wheel_turned, part.wheel), Vec3::UnitZ()).toRotationMatrix();
    part.transform->setMatrix(to_osg(turned));
  }
  if (!jaws_.empty()) pose_grapple(poses.grapple_opening);
  if (hanging_head_ != nullptr) {
    const Pose tip = pose_of(poses, look_.tip_body);
    const Vec3 x = tip.R.col(0);
    Pose pose;
    const Vec3 level(x.x(), x.y(), 0.0);
    if (level.norm() > 0.05) pose.R = frame_from_x(level, Vec3(-level.y(), level.x(), 0.0));
    pose.p = tip * look_.tip_B;
    hanging_head_->setMatrix(to_osg(pose));
  }
  pose_hoses(poses);
}

}  // namespace knuckleboom::view
