#include "app/window/scene_from_session.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/math/trig.hpp"
#include "knuckleboom/core/math/turn_between.hpp"
#include "knuckleboom/core/worksite/worksite.hpp"

namespace knuckleboom::app {
namespace {

using multibody::kBase;
using multibody::Pose;

// Pose of a body in the frame of its link's body; of a body welded to the base in the world.
Pose in_carrier(const multibody::Tree& tree, int body) {
  const multibody::Body& b = tree.body(body);
  if (b.link == kBase) return b.in_link;
  const Pose& carrier = tree.body(tree.link(b.link).body).in_link;  // in the same link's frame
  const Mat3 R = carrier.R.transpose();
  return {R * b.in_link.R, R * (b.in_link.p - carrier.p)};
}

Vec3 at(const Pose& pose, const Vec3& p) { return pose.R * p + pose.p; }

// A point of a body in the link and frame required by the view.
struct Place {
  int link;
  Vec3 p;
};
Place place(const multibody::Tree& tree, int body, const Vec3& p_B) {
  if (body == kBase) return {view::kWorldBody, p_B};
  return {tree.body(body).link, at(in_carrier(tree, body), p_B)};
}
Vec3 direction(const multibody::Tree& tree, int body, const Vec3& d_B) {
  return body == kBase ? d_B : Vec3(in_carrier(tree, body).R * d_B);
}

// End of the arm segment of this link: the joint of the child that carries the tip (or of any
// child), or the tip itself.
bool find_end(const machine::MachineModel& machine, int link, Vec3& end) {
  const multibody::Tree& tree = machine.tree;
  const Place tip = place(tree, machine.tip_body, machine.tip_B);
  int towards = kBase;
  for (int l = tip.link; l != kBase && l != link; l = tree.link(l).parent)
    if (tree.link(l).parent == link) towards = l;
  for (int l = 0; towards == kBase && l < tree.link_count(); ++l)
    if (tree.link(l).parent == link) towards = l;
  if (towards != kBase) {
    const multibody::Body& child = tree.body(tree.link(towards).body);
    end = place(tree, child.parent, child.in_parent.p).p;
    return true;
  }
  if (tip.link != link) return false;
  end = tip.p;
  return true;
}

view::CylinderLook cylinder_look(const machine::MachineModel& machine,
                                 const machine::Actuator& actuator) {
  const multibody::Tree& tree = machine.tree;
  const int body = tree.link(actuator.link).body;
  const multibody::Body& b = tree.body(body);
  view::CylinderLook look;
  look.name = actuator.name;
  const machine::Linkage& linkage = actuator.linkage;
  const bool pins = linkage.kind == machine::LinkageKind::kPins;
  const Place base = pins ? place(tree, linkage.base_body, linkage.base_pin)
                          : place(tree, b.parent, at(b.in_parent, linkage.base_pin));
  look.base_body = base.link;
  look.base_pin_B = base.p;
  look.rod_body = actuator.link;
  look.rod_pin_B = linkage.rod_pin;
  if (pins) {
    const Place rod = place(tree, linkage.rod_body, linkage.rod_pin);
    look.rod_body = rod.link;
    look.rod_pin_B = rod.p;
  }
  // Areas: A1 = pi/4 bore^2, A2 = A1 - pi/4 rod^2.
  const hydraulics::Circuit& c = actuator.circuit;
  look.bore = std::sqrt(4.0 / std::numbers::pi * c.A1);
  look.rod = std::sqrt(4.0 / std::numbers::pi * std::max(0.0, c.A1 - c.A2));
  if (pins) {
    look.length_min = linkage.length_min;
    look.length_max = linkage.length_max;
    return look;
  }
  look.length_min = 1e9;
  look.length_max = 0.0;
  constexpr int kSamples = 64;
  for (int i = 0; i <= kSamples; ++i) {
    const double q = b.lower + (b.upper - b.lower) * i / kSamples;
    const SinCos t = sin_cos(q);
    const double x = machine::linkage_state(actuator.linkage, q, t.sin, t.cos).x;
    look.length_min = std::min(look.length_min, x);
    look.length_max = std::max(look.length_max, x);
  }
  return look;
}

view::PartLook part_look(const multibody::Tree& tree, const machine::VisualPart& part) {
  const Place position = place(tree, part.body, part.position_B);
  view::PartLook look;
  look.body = position.link;
  switch (part.form) {
    case machine::VisualForm::kMesh:
      look.form = view::LookForm::kMesh;
      break;
    case machine::VisualForm::kBox:
      look.form = view::LookForm::kBox;
      break;
    case machine::VisualForm::kCylinder:
      look.form = view::LookForm::kCylinder;
      break;
    case machine::VisualForm::kBall:
      look.form = view::LookForm::kBall;
      break;
  }
  look.file = part.mesh;
  look.size = part.size;
  look.scale = part.scale;
  look.position_B = position.p;
  look.R_BM = part.body == kBase ? part.R_BM : Mat3(in_carrier(tree, part.body).R * part.R_BM);
  look.coloured = part.coloured;
  look.colour = part.colour;
  return look;
}

view::PartLook wheel_look(const multibody::Tree& tree, const machine::Wheel& wheel, int number) {
  const Place position = place(tree, wheel.body, wheel.centre_B);
  view::PartLook look;
  look.body = position.link;
  look.form = view::LookForm::kCylinder;
  look.size = Vec3(wheel.radius, wheel.width, 0.0);
  look.position_B = position.p;
  look.R_BM = turn_between(Vec3::UnitZ(), direction(tree, wheel.body, wheel.axis_B));
  look.wheel = number;
  return look;
}

// Stakes and beams as square tubes where the contact shapes are; between the headboard's bars there is mesh.
void add_load_space(const machine::MachineModel& machine, view::MachineLook& look) {
  const multibody::Tree& tree = machine.tree;
  const auto add = [&](int body, const Vec3& low, const Vec3& high, const Vec3& colour) {
    const Place middle = place(tree, body, 0.5 * (low + high));
    view::PartLook part;
    part.body = middle.link;
    part.form = view::LookForm::kBox;
    part.size = high - low;
    part.position_B = middle.p;
    part.R_BM = body == kBase ? Mat3::Identity() : Mat3(in_carrier(tree, body).R);
    part.coloured = true;
    part.colour = colour;
    look.parts.push_back(part);
  };
  const Vec3 dark(0.15, 0.15, 0.15), green(0.16, 0.34, 0.18);
  for (const machine::ContactShape& shape : machine.shapes) {
    if (shape.role != machine::ShapeRole::kStake && shape.role != machine::ShapeRole::kBed)
      continue;
    const Vec3 half = Vec3::Constant(0.9 * shape.radius);
    add(shape.body, shape.from_B.cwiseMin(shape.to_B) - half,
        shape.from_B.cwiseMax(shape.to_B) + half, dark);
  }
  const machine::LoadSpace& space = machine.load_space;
  for (double y = -0.5 * space.width; y < 0.5 * space.width; y += 0.12)
    add(space.body, space.front_B + Vec3(-0.07, y, 0.0),
        space.front_B + Vec3(-0.05, y + 0.02, space.headboard_height), green);
  // A frame to stand on, where the machine has none to be seen.
  if (space.body == kBase)
    add(space.body, space.front_B + Vec3(-0.5, -0.35, -0.55),
        space.front_B + Vec3(space.length, 0.35, -0.16), dark);
}

bool about_vertical(const multibody::Tree& tree, int link) {
  const int body = tree.link(link).body;
  return tree.link(link).revolute &&
         std::abs(direction(tree, body, tree.body(body).axis_B).z()) > 0.9;
}

// On wheels: what swings about the vertical and carries the tip, nearest to the carrier.
int swing_on_wheels(const machine::MachineModel& machine, int tip_link) {
  const multibody::Tree& tree = machine.tree;
  int swing = kBase;
  for (int l = tip_link; l != kBase; l = tree.link(l).parent)
    if (about_vertical(tree, l) && machine.ball_of(l) == nullptr) swing = l;
  return swing;
}

view::TargetLook target_look(const training::Target& target, training::TaskKind task) {
  view::TargetLook look;
  look.shape = task == training::TaskKind::kHead   ? view::TargetShape::kPose
               : task == training::TaskKind::kPath ? view::TargetShape::kPathPoint
                                                   : view::TargetShape::kBall;
  look.p_W = target.p_W;
  look.axis_W = target.axis_W;
  look.radius = target.radius;
  return look;
}

constexpr double kCraneReach = 15.0;  // of a machine that stands, at most [m]
constexpr double kArrow = 4.0;        // length of a mark that shows where a tree is to fall [m]

// As long and thick as the first log that goes there; of a product or a heap, as its longest log and as the room for it.
view::PlaceLook place_look(const training::Exercise& exercise, int number,
                           const world::Ground& ground) {
  const training::Place& place = exercise.places[static_cast<std::size_t>(number)];
  world::Log log;
  bool heap = false;
  for (const training::LogTask& task : exercise.log_tasks)
    if (task.place == number) {
      log = exercise.world.logs[static_cast<std::size_t>(task.log)];
      heap = task.gathered;
      break;
    }
  view::PlaceLook look;
  look.p_W = Vec3(place.x, place.y,
                  world::height(ground, place.x, place.y) +
                      (place.height < 0.0 ? 0.0 : place.height - log.radius));
  look.along_W = Vec3(std::cos(place.heading), std::sin(place.heading), 0.0);
  look.length = log.length;
  look.width = 2.0 * (heap ? place.radius : log.radius);
  if (place.product >= 0) {
    const auto& lengths = exercise.prices.products[static_cast<std::size_t>(place.product)].lengths;
    if (!lengths.empty()) look.length = *std::max_element(lengths.begin(), lengths.end());
    look.width = 2.0 * place.radius;
  }
  look.colour = place.colour;
  return look;
}

void add_visitor(const training::Visitor& visitor, view::SceneDescription& scene) {
  scene.visitors.push_back(visitor.kind == training::VisitorKind::kPerson
                               ? view::VisitorLook::kPerson
                               : view::VisitorLook::kVehicle);
  for (std::size_t i = 1; i < visitor.points.size(); ++i) {
    const training::VisitorPoint &a = visitor.points[i - 1], &b = visitor.points[i];
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    for (double along = 0.0; along <= length; along += 2.0) {
      const double share = along / length;
      scene.visitors_way.emplace_back(a.x + share * (b.x - a.x), a.y + share * (b.y - a.y), 0.0);
    }
  }
}

}  // namespace

view::MachineLook machine_look(const machine::MachineModel& machine) {
  const multibody::Tree& tree = machine.tree;
  view::MachineLook look;
  look.name = machine.name;
  for (int link = 0; link < tree.link_count(); ++link) {
    const multibody::Body& body = tree.body(tree.link(link).body);
    view::BodyLook part;
    part.name = body.name;
    part.body = link;
    part.parent = tree.link(link).parent;
    part.revolute = body.type == multibody::JointType::kRevolute;
    part.joint_axis_B = body.axis_B;
    part.has_end = find_end(machine, link, part.end_B);
    part.mass = body.inertia.mass;
    look.bodies.push_back(part);
  }
  for (const machine::Actuator& actuator : machine.actuators)
    if (actuator.linkage.kind != machine::LinkageKind::kDirect)
      look.cylinders.push_back(cylinder_look(machine, actuator));
  for (const machine::ContactShape& shape : machine.shapes) {
    const Place from = place(tree, shape.body, shape.from_B);
    const Place to = place(tree, shape.body, shape.to_B);
    look.shapes.push_back({from.link, static_cast<int>(shape.role), from.p, to.p, shape.radius});
  }
  for (const machine::VisualPart& part : machine.visuals)
    look.parts.push_back(part_look(tree, part));
  if (machine.load_space.present) add_load_space(machine, look);
  for (std::size_t i = 0; i < machine.wheels.size(); ++i)
    look.parts.push_back(wheel_look(tree, machine.wheels[i], static_cast<int>(i)));
  look.on_wheels = !machine.wheels.empty();
  for (const machine::ContactShape& shape : machine.shapes) {
    if (!look.on_wheels || shape.name != "cab" || shape.body == kBase) continue;
    const Place head = place(tree, shape.body, shape.to_B);
    look.cab_body = head.link;
    look.cab_B = head.p;
    look.cab_half = shape.radius + 0.1;
  }
  const machine::Grapple& g = machine.grapple;
  if (g.present) {
    const Place pin = place(tree, g.body, g.pin_B);
    look.grapple = {true,
                    pin.link,
                    pin.p,
                    direction(tree, g.body, g.log_axis_B),
                    direction(tree, g.body, g.open_axis_B),
                    direction(tree, g.body, g.reach_axis_B),
                    g.hinge_distance,
                    g.jaw_length,
                    g.jaw_width,
                    g.tine_radius,
                    g.opening_max,
                    worksite::grapple_shape(machine).overlap,
                    {}};
    for (const int side : {0, 1})
      look.grapple.jaw[side] = g.driven() ? tree.body(g.jaw[side]).link : view::kWorldBody;
  }
  look.imported =
      std::any_of(machine.sources.begin(), machine.sources.end(),
                  [](const machine::Source& source) { return source.source.ends_with(".urdf"); });
  const Place tip = place(tree, machine.tip_body, machine.tip_B);
  look.tip_body = tip.link;
  look.tip_B = tip.p;
  // The cab swings with the first body if that rotates about the vertical.
  if (!look.bodies.empty() && look.bodies[0].parent == view::kWorldBody &&
      about_vertical(tree, 0)) {
    look.swing_body = 0;
    look.swing_height = tree.link(0).in_parent.p.z();
    if (look.bodies[0].has_end) look.eye_B = look.bodies[0].end_B + Vec3(0.05, 0.9, 0.5);
  } else if (look.on_wheels) {
    look.swing_body = swing_on_wheels(machine, tip.link);
    if (look.swing_body != view::kWorldBody) {
      const view::BodyLook& body = look.bodies[static_cast<std::size_t>(look.swing_body)];
      look.swing_height = tree.body(tree.link(body.body).body).in_parent.p.z();
      if (body.has_end) look.eye_B = body.end_B + Vec3(-0.9, 0.0, 0.3);
    }
  }
  return look;
}

view::SceneDescription scene_description(const machine::MachineModel& machine,
                                         const world::WorldRecipe& world,
                                         const world::Ground& ground,
                                         const training::Exercise& exercise,
                                         const std::filesystem::path& assets) {
  view::SceneDescription scene;
  scene.machine = machine_look(machine);
  scene.world = world;
  scene.ground = ground;
  for (const training::LogTask& task : exercise.log_tasks) scene.meant_logs.push_back(task.log);
  for (const training::Target& target : exercise.targets)
    scene.targets.push_back(target_look(target, exercise.task));
  for (std::size_t i = 0; i < exercise.places.size(); ++i)
    scene.places.push_back(place_look(exercise, static_cast<int>(i), ground));
  if (machine.head.present)
    for (std::size_t i = 0; i < exercise.trees.size(); ++i) {
      const world::Stem& stem = exercise.world.stems[i];
      const bool near = !machine.wheels.empty() || std::hypot(stem.x, stem.y) < kCraneReach;
      if (near && !exercise.trees[i].species.empty()) scene.felled.push_back(static_cast<int>(i));
    }
  for (const training::FellTask& fell : exercise.fell_tasks) {
    const world::Stem& stem = exercise.world.stems[static_cast<std::size_t>(fell.stem)];
    view::PlaceLook arrow;  // from the foot, where it is to lie
    arrow.along_W = Vec3(std::cos(fell.towards), std::sin(fell.towards), 0.0);
    arrow.length = kArrow;
    arrow.width = 0.25;
    arrow.p_W = Vec3(stem.x, stem.y, 0.0) + (0.5 * kArrow + 0.4) * arrow.along_W;
    arrow.p_W.z() = world::height(ground, arrow.p_W.x(), arrow.p_W.y());
    arrow.colour = 1;
    scene.places.push_back(arrow);
    scene.marked.push_back(fell.stem);
  }
  for (const training::Visitor& visitor : exercise.visitors) add_visitor(visitor, scene);
  scene.assets = assets;
  return scene;
}

}  // namespace knuckleboom::app
