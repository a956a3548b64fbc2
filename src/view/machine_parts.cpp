#include "view/machine_parts.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "view/turn.hpp"

namespace knuckleboom::view {
namespace {

// Frame whose x and z axes are those of the part and whose plate normal is -y: outlines are given in
// x, z.
Pose upright() {
  Pose pose;
  pose.R.col(0) = Vec3::UnitX();
  pose.R.col(1) = Vec3::UnitZ();
  pose.R.col(2) = -Vec3::UnitY();
  return pose;
}

void add_side_plate(MeshBuilder& mesh, const std::vector<Vec2>& outline, double y0, double y1) {
  mesh.plate(upright(), outline, -y1, -y0);
}

void add_rail(MeshBuilder& mesh, const std::vector<Vec3>& path, double radius = 0.019) {
  mesh.tube(path, radius, 6);
  for (const Vec3& p : path) mesh.sphere(p, radius, 6);
}

void add_lamp(MeshBuilder& mesh, const Vec3& at, const Vec3& towards) {
  const Vec3 d = towards.normalized();
  mesh.set_colour(kDarkPaint);
  mesh.cylinder(at - 0.05 * d, at + 0.03 * d, 0.045, 0.06, true, 10);
  mesh.set_colour({0.92, 0.93, 0.88, 1.0});
  mesh.cylinder(at + 0.03 * d, at + 0.034 * d, 0.052, 0.052, true, 10);
}

void add_bolts(MeshBuilder& mesh, const Vec3& centre, const Vec3& axis, double circle, int count,
               double size) {
  const Mat3 R = frame_from_x(axis, across(axis));
  for (int i = 0; i < count; ++i) {
    const double angle = kTwoPi * (i + 0.5) / count;
    const Vec3 p = centre + circle * (std::cos(angle) * R.col(1) + std::sin(angle) * R.col(2));
    mesh.cylinder(p, p + 0.7 * size * axis, size, size, true, 6);
  }
}

}  // namespace

// --- Beams and pins -----------------------------------------------------------

double centre_line(const BeamShape& beam, double x) {
  const double t = std::clamp(x / beam.length, 0.0, 1.0);
  return 4.0 * beam.arch * t * (1.0 - t);
}

double half_height(const BeamShape& beam, double x) {
  const double t = std::clamp(x / beam.length, 0.0, 1.0);
  // Deepest a third of the way out, where the cylinder pushes.
  const double swell =
      1.0 + 0.22 * std::sin(std::numbers::pi * std::pow(t, 0.6)) * (beam.arch > 0.02 ? 1.0 : 0.0);
  return 0.5 * swell * (beam.height_start + t * (beam.height_end - beam.height_start));
}

double half_width(const BeamShape& beam, double x) {
  const double t = std::clamp(x / beam.length, 0.0, 1.0);
  return 0.5 * (beam.width_start + t * (beam.width_end - beam.width_start));
}

void add_beam(MeshBuilder& mesh, const BeamShape& beam) {
  constexpr int kSections = 18;
  constexpr double kFlange = 0.014;
  const double end = beam.length - 0.04;
  std::vector<std::vector<Vec3>> box;
  std::vector<std::vector<Vec3>> top;
  std::vector<std::vector<Vec3>> bottom;
  for (int i = 0; i <= kSections; ++i) {
    const double x = beam.from + (end - beam.from) * i / kSections;
    const double c = centre_line(beam, x);
    const double slope = (centre_line(beam, x + 0.01) - centre_line(beam, x - 0.01)) / 0.02;
    const Vec3 up = Vec3(-slope, 0.0, 1.0).normalized();
    const Vec3 o(x, 0.0, c);
    const double h = half_height(beam, x);
    const double w = half_width(beam, x);
    const Vec3 y = Vec3::UnitY();
    const auto ring = [&](double half_w, double low, double high) -> std::vector<Vec3> {
      return {o - half_w * y + low * up, o + half_w * y + low * up, o + half_w * y + high * up,
              o - half_w * y + high * up};
    };
    // Side plates set in between wider top and bottom plates, as in a welded box.
    box.push_back(ring(w, -h + 0.004, h - 0.004));
    top.push_back(ring(w + kFlange, h - 0.016, h));
    bottom.push_back(ring(w + kFlange, -h, -h + 0.016));
  }
  mesh.loft(box, false);
  mesh.loft(top, false);
  mesh.loft(bottom, false);
}

void add_pin(MeshBuilder& mesh, const Vec3& at, double radius, double half_width) {
  const Vec3 y = Vec3::UnitY();
  mesh.set_colour(kSteel);
  for (const double side : {-1.0, 1.0}) {
    const Vec3 out = side * y;
    const Vec3 face = at + side * half_width * y;
    mesh.set_colour(kDarkPaint);
    mesh.lathe(
        face - 0.03 * out, out,
        {{0.0, 1.55 * radius}, {0.032, 1.55 * radius}, {0.042, 1.42 * radius}, {0.042, radius}}, 0);
    mesh.set_colour(kSteel);
    mesh.lathe(face, out, {{0.0, radius}, {0.055, radius}, {0.065, 0.8 * radius}, {0.065, 0.0}}, 0);
    mesh.set_colour(kWornSteel);
    add_bolts(mesh, face + 0.065 * out, out, 0.55 * radius, 3, 0.16 * radius);
    // Grease nipple.
    mesh.set_colour(kBrass);
    mesh.cylinder(face + 0.065 * out, face + 0.085 * out, 0.007, 0.004, true, 6);
  }
  mesh.set_colour(kSteel);
  mesh.cylinder(at - half_width * y, at + half_width * y, radius, radius, false);
}

void add_cheeks(MeshBuilder& mesh, const std::vector<std::pair<Vec2, double>>& circles,
                double inner, double thickness) {
  const std::vector<Vec2> outline = hull_of_circles(circles);
  for (const double side : {-1.0, 1.0}) {
    const double a = side * inner;
    const double b = side * (inner + thickness);
    add_side_plate(mesh, outline, std::min(a, b), std::max(a, b));
  }
}

// --- Cylinders ----------------------------------------------------------------

double barrel_length(const CylinderShape& c) {
  // The rod's eye must fit in front of the gland when retracted.
  return std::max(0.5 * c.length_min, c.length_min - 0.9 * c.rod - 0.09);
}

void add_barrel(MeshBuilder& mesh, const CylinderShape& c) {
  const double outer = 0.5 * c.bore + 0.014;
  const double end = barrel_length(c);
  const double eye = std::max(0.60 * c.bore, 0.055);
  const Vec3 x = Vec3::UnitX();
  const Vec3 y = Vec3::UnitY();
  mesh.set_colour(kDarkPaint);
  mesh.cylinder(-c.half_width * y, c.half_width * y, eye, eye);
  mesh.box({0.3 * eye, -0.8 * c.half_width, -0.75 * eye},
           {1.35 * eye, 0.8 * c.half_width, 0.75 * eye});
  mesh.lathe(Vec3::Zero(), x,
             {{1.15 * eye, 0.0},
              {1.15 * eye, 0.92 * outer},
              {1.35 * eye, outer},
              {end - 0.11, outer},
              {end - 0.11, 1.13 * outer},
              {end - 0.012, 1.13 * outer},
              {end, 1.05 * outer},
              {end, 0.5 * c.rod}});
  mesh.set_colour(kSteel);
  add_bolts(mesh, {end, 0.0, 0.0}, x, 0.5 * (outer + 0.5 * c.rod) * 1.04, 8, 0.011);
  // Ports and the pipe along the barrel to the rod side.
  mesh.set_colour(kSteel);
  const double port = 1.35 * eye + 0.07;
  const double pipe = outer + 0.022;
  mesh.box({port - 0.03, -0.03, outer - 0.02}, {port + 0.03, 0.03, outer + 0.04}, 0.006);
  mesh.box({end - 0.10, 0.0, outer - 0.02}, {end - 0.03, 0.05, outer + 0.045}, 0.006);
  mesh.tube({Vec3(end - 0.065, 0.03, pipe), Vec3(end - 0.16, 0.03, pipe + 0.012),
             Vec3(port + 0.16, 0.03, pipe + 0.012), Vec3(port + 0.09, 0.03, pipe)},
            0.012, 8);
  mesh.set_colour(kDarkPaint);
  for (const double t : {0.35, 0.65})
    mesh.box({t * end - 0.015, 0.005, outer - 0.01}, {t * end + 0.015, 0.055, outer + 0.05});
}

void add_rod(MeshBuilder& mesh, const CylinderShape& c) {
  const double eye = std::max(0.85 * c.rod, 0.05);
  const Vec3 x = Vec3::UnitX();
  const Vec3 y = Vec3::UnitY();
  const double inside = std::max(0.1, c.length_max - barrel_length(c) + 0.08);
  mesh.set_colour(kDarkPaint);
  mesh.cylinder(-c.half_width * y, c.half_width * y, eye, eye);
  mesh.lathe(Vec3::Zero(), x,
             {{0.5 * eye, 0.6 * c.rod},
              {1.25 * eye, 0.6 * c.rod},
              {1.4 * eye, 0.52 * c.rod},
              {1.4 * eye, 0.5 * c.rod}});
  mesh.set_colour(kChrome);
  mesh.lathe(Vec3::Zero(), x, {{1.3 * eye, 0.5 * c.rod}, {inside, 0.5 * c.rod}, {inside, 0.0}});
}

// --- Wheels --------------------------------------------------------------------

void add_wheel(MeshBuilder& mesh, double radius, double width) {
  const Vec3 z = Vec3::UnitZ();
  const double half = 0.5 * width, rim = 0.5 * radius, tread = 0.95 * radius;
  mesh.set_colour(kRubber);
  mesh.lathe(-half * z, z,
             {{0.0, rim},
              {0.02 * width, 0.8 * radius},
              {0.14 * width, tread},
              {0.86 * width, tread},
              {0.98 * width, 0.8 * radius},
              {width, rim}});
  // Lugs in two rows, staggered.
  constexpr int kLugs = 16;
  for (int k = 0; k < 2 * kLugs; ++k) {
    const double angle = kTwoPi * k / (2 * kLugs);
    const Vec3 out(std::cos(angle), std::sin(angle), 0.0);
    const Vec3 along(-std::sin(angle), std::cos(angle), 0.0);
    const double side = k % 2 == 0 ? 1.0 : -1.0;
    const Vec3 inner = 0.965 * radius * out - 0.06 * radius * along + side * 0.02 * width * z;
    const Vec3 outer = 0.965 * radius * out + 0.06 * radius * along + side * 0.46 * width * z;
    mesh.cylinder(inner, outer, 0.05 * radius, 0.05 * radius, true, 6);
  }
  mesh.set_colour(kPaint);
  for (const double side : {-1.0, 1.0}) {
    const Vec3 outside = side * z;
    mesh.lathe(0.36 * width * outside, outside,
               {{0.0, 0.0}, {0.0, 0.46 * radius}, {0.10 * width, rim}, {0.14 * width, rim}});
    mesh.cylinder(0.3 * width * outside, 0.46 * width * outside, 0.2 * radius, 0.18 * radius);
    add_bolts(mesh, 0.46 * width * outside, outside, 0.13 * radius, 8, 0.02);
  }
}

// --- Undercarriage ------------------------------------------------------------

void add_undercarriage(MeshBuilder& mesh, const UndercarriageShape& s) {
  const double radius = 0.39 * std::min(1.0, s.height);  // of the wheels the track runs over
  const double axle = radius + 0.075;
  const double half = 0.5 * s.length - radius - 0.07;
  for (const double side : {-1.0, 1.0}) {
    const double yc = side * 0.5 * s.gauge;
    const double in = 0.16;
    // Frame between the wheels.
    mesh.set_colour(kDarkPaint);
    mesh.box({-half + 0.18, yc - in, axle - 0.20}, {half - 0.18, yc + in, axle + 0.20}, 0.04);
    mesh.set_colour(kPaint);
    mesh.box({-half + 0.5, yc + side * in - 0.012, axle - 0.06},
             {half - 0.5, yc + side * in + 0.012, axle + 0.06});
    // Sprocket behind, idler in front.
    for (const double end : {-1.0, 1.0}) {
      const Vec3 centre(end * half, yc, axle);
      mesh.set_colour(kWornSteel);
      mesh.cylinder(centre - 0.055 * Vec3::UnitY(), centre + 0.055 * Vec3::UnitY(), radius - 0.03,
                    radius - 0.03);
      mesh.set_colour(kDarkPaint);
      mesh.cylinder(centre - 0.19 * Vec3::UnitY(), centre + 0.19 * Vec3::UnitY(), 0.19, 0.19);
      mesh.set_colour(kSteel);
      add_bolts(mesh, centre + side * 0.19 * Vec3::UnitY(), side * Vec3::UnitY(), 0.14, 10, 0.016);
      if (end < 0.0) {
        mesh.set_colour(kWornSteel);
        for (int k = 0; k < 15; ++k) {
          const double angle = kTwoPi * k / 15.0;
          const Vec3 out(std::cos(angle), 0.0, std::sin(angle));
          mesh.cylinder(centre + (radius - 0.05) * out, centre + (radius + 0.02) * out, 0.05, 0.03,
                        true, 6);
        }
      }
    }
    // Rollers.
    const int rollers = std::max(3, static_cast<int>(2.0 * half / 0.42));
    mesh.set_colour(kWornSteel);
    for (int k = 0; k < rollers; ++k) {
      const double x = -half + 2.0 * half * (k + 0.75) / (rollers + 0.5);
      const Vec3 centre(x, yc, 0.21);
      mesh.cylinder(centre - 0.20 * Vec3::UnitY(), centre + 0.20 * Vec3::UnitY(), 0.115, 0.115,
                    true, 12);
    }
    for (const double x : {-0.45 * half, 0.45 * half}) {
      const Vec3 centre(x, yc, axle + radius - 0.10);
      mesh.cylinder(centre - 0.10 * Vec3::UnitY(), centre + 0.10 * Vec3::UnitY(), 0.08, 0.08, true,
                    10);
    }
    // Shoes around the loop: straight below and above, round the ends.
    const double straight = 2.0 * half;
    const double round = std::numbers::pi * (radius + 0.03);
    const double loop = 2.0 * (straight + round);
    const int shoes = static_cast<int>(loop / 0.20);
    for (int k = 0; k < shoes; ++k) {
      double t = loop * k / shoes;
      Vec3 p;
      double angle = 0.0;  // of the outward direction, from downwards
      const double r = radius + 0.03;
      if (t < straight) {
        p = Vec3(half - t, yc, axle - r);
        angle = 0.0;
      } else if ((t -= straight) < round) {
        angle = t / r;
        p = Vec3(-half - r * std::sin(angle), yc, axle - r * std::cos(angle));
      } else if ((t -= round) < straight) {
        angle = std::numbers::pi;
        // The upper run sags between the carrier rollers.
        const double u = t / straight;
        p = Vec3(-half + t, yc, axle + r - 0.018 * std::abs(std::sin(3.0 * std::numbers::pi * u)));
      } else {
        t -= straight;
        angle = std::numbers::pi + t / r;
        p = Vec3(half - r * std::sin(angle), yc, axle - r * std::cos(angle));
      }
      const Pose before = mesh.pose();
      Pose shoe;
      const Vec3 out(-std::sin(angle), 0.0, -std::cos(angle));
      shoe.R.col(2) = out;
      shoe.R.col(1) = Vec3::UnitY();
      shoe.R.col(0) = Vec3::UnitY().cross(out);
      shoe.p = p;
      mesh.set_pose({before.R * shoe.R, before * shoe.p});
      const double w = 0.5 * s.shoe;
      mesh.set_colour(0.95 * kWornSteel);
      mesh.box({-0.092, -w, -0.012}, {0.092, w, 0.012});
      mesh.set_colour(1.15 * kWornSteel);
      mesh.box({-0.085, -w, 0.012}, {-0.060, w, 0.043});
      mesh.box({0.040, -w, 0.012}, {0.058, w, 0.030});
      mesh.set_colour(0.7 * kWornSteel);
      mesh.box({-0.07, -0.10, -0.055}, {0.07, 0.10, -0.012});
      mesh.set_pose(before);
    }
  }
  // Body between the tracks, legs and slewing ring.
  mesh.set_colour(kDarkPaint);
  const double y = 0.5 * s.gauge;
  mesh.box({-0.75, -0.62, 0.42}, {0.75, 0.62, s.height - 0.14}, 0.08);
  for (const double sx : {-1.0, 1.0})
    for (const double sy : {-1.0, 1.0})
      mesh.loft(
          sx * sy > 0.0 ? std::vector<std::vector<Vec3>>{{Vec3(sx * 0.30, sy * 0.5, 0.45),
                                                          Vec3(sx * 0.72, sy * 0.5, 0.45),
                                                          Vec3(sx * 0.72, sy * 0.5, 0.80),
                                                          Vec3(sx * 0.30, sy * 0.5, 0.80)},
                                                         {Vec3(sx * 0.70, sy * y, axle - 0.14),
                                                          Vec3(sx * 1.10, sy * y, axle - 0.14),
                                                          Vec3(sx * 1.10, sy * y, axle + 0.12),
                                                          Vec3(sx * 0.70, sy * y, axle + 0.12)}}
                        : std::vector<std::vector<Vec3>>{{Vec3(sx * 0.72, sy * 0.5, 0.45),
                                                          Vec3(sx * 0.30, sy * 0.5, 0.45),
                                                          Vec3(sx * 0.30, sy * 0.5, 0.80),
                                                          Vec3(sx * 0.72, sy * 0.5, 0.80)},
                                                         {Vec3(sx * 1.10, sy * y, axle - 0.14),
                                                          Vec3(sx * 0.70, sy * y, axle - 0.14),
                                                          Vec3(sx * 0.70, sy * y, axle + 0.12),
                                                          Vec3(sx * 1.10, sy * y, axle + 0.12)}},
          false);
  mesh.set_colour(kSteel);
  mesh.lathe({0.0, 0.0, s.height - 0.16}, Vec3::UnitZ(),
             {{0.0, 0.66}, {0.06, 0.66}, {0.06, 0.60}, {0.15, 0.60}, {0.15, 0.0}}, 28);
  mesh.set_colour(kWornSteel);
  add_bolts(mesh, {0.0, 0.0, s.height - 0.10}, Vec3::UnitZ(), 0.63, 28, 0.014);
}

// --- Upper structure ----------------------------------------------------------

void add_upper(MeshBuilder& mesh, const UpperShape& u) {
  const double z0 = u.deck;
  const double z1 = z0 + 0.15;
  const double hood = std::max(z1 + 0.75, u.boom_pin.z() + 0.05);
  // Platform.
  mesh.set_colour(kDarkPaint);
  mesh.box({-1.95, -1.28, z0}, {1.18, 1.34, z1}, 0.03);
  mesh.box({-0.6, -0.6, z0 - 0.06}, {0.6, 0.6, z0}, 0.0);

  // Engine under a hood with chamfered edges, doors and grilles.
  mesh.set_colour(kPaint);
  mesh.box({-2.02, -1.28, z1}, {-0.50, 1.34, hood}, 0.09);
  mesh.set_colour(kDarkPaint);
  for (const double side : {-1.0, 1.0}) {
    const double y = side > 0.0 ? 1.34 : -1.28;
    for (int i = 0; i < 9; ++i) {
      const double z = z1 + 0.20 + 0.055 * i;
      mesh.box({-1.72, y - 0.012, z}, {-1.02, y + 0.012, z + 0.028});
    }
    // Gaps of the doors, handles.
    for (const double x : {-1.86, -0.92, -0.60})
      mesh.box({x - 0.006, y - 0.004, z1 + 0.06}, {x + 0.006, y + 0.004, hood - 0.12});
    mesh.box({-0.88, y - 0.02, z1 + 0.38}, {-0.84, y + 0.02, z1 + 0.52}, 0.008);
  }
  // On the hood: lid, exhaust, air cleaner, fan grille.
  mesh.set_colour(0.93 * kPaint);
  mesh.box({-1.80, -0.80, hood}, {-0.75, 0.35, hood + 0.06}, 0.03);
  mesh.set_colour(kDarkPaint);
  for (int i = 0; i < 8; ++i)
    mesh.box({-1.70 + 0.11 * i, -0.70, hood + 0.06}, {-1.64 + 0.11 * i, 0.25, hood + 0.075});
  mesh.set_colour({0.20, 0.165, 0.14, 0.35});
  mesh.lathe({-1.35, 0.72, hood}, Vec3::UnitZ(),
             {{0.0, 0.10}, {0.42, 0.10}, {0.50, 0.055}, {0.78, 0.055}}, 14);
  mesh.tube({Vec3(-1.35, 0.72, hood + 0.76), Vec3(-1.36, 0.72, hood + 0.84),
             Vec3(-1.42, 0.72, hood + 0.91), Vec3(-1.52, 0.72, hood + 0.93)},
            0.055, 12);
  mesh.set_colour(kDarkPaint);
  mesh.lathe({-0.92, 0.80, hood}, Vec3::UnitZ(),
             {{0.0, 0.06}, {0.12, 0.06}, {0.14, 0.15}, {0.30, 0.15}, {0.35, 0.08}, {0.35, 0.0}},
             14);

  // Counterweight: a round block behind.
  mesh.set_colour(kDarkPaint);
  std::vector<Vec2> outline;
  for (int i = 0; i <= 16; ++i) {
    const double angle = std::numbers::pi * (0.5 + static_cast<double>(i) / 16.0);
    outline.push_back(
        {-1.98 + 0.62 * std::cos(angle) * std::min(1.0, 1.25 * std::abs(std::cos(angle))),
         0.03 + 1.30 * std::sin(angle)});
  }
  Pose level;
  mesh.plate(level, outline, z0 - 0.12, z1 + 0.52);
  std::vector<Vec2> upper_outline;
  for (const Vec2& p : outline)
    upper_outline.push_back({-1.98 + 0.88 * (p.x + 1.98), 0.03 + 0.92 * (p.y - 0.03)});
  mesh.set_colour(kPaint);
  mesh.plate(level, upper_outline, z1 + 0.52, z1 + 0.64);

  // Tank and tool box to the right of the boom, with a step and a walkway.
  const double right = -u.boom_half_width - 0.16;
  mesh.set_colour(kPaint);
  mesh.box({-0.46, -1.24, z1}, {0.62, right, z1 + 0.62}, 0.05);
  mesh.box({0.66, -1.24, z1}, {1.14, right, z1 + 0.34}, 0.05);
  mesh.set_colour(kDarkPaint);
  mesh.box({-0.40, -1.18, z1 + 0.62}, {0.56, right - 0.06, z1 + 0.635});
  mesh.box({0.70, -1.18, z1 + 0.34}, {1.10, right - 0.06, z1 + 0.355});
  mesh.cylinder({0.30, -0.72, z1 + 0.63}, {0.30, -0.72, z1 + 0.70}, 0.07, 0.07, true, 14);
  mesh.box({0.10, -1.245, z1 + 0.30}, {0.16, -1.235, z1 + 0.46});

  // Hand rails.
  mesh.set_colour({0.80, 0.53, 0.06, 0.35});
  const double rail = z1 + 0.62;
  add_rail(mesh, {Vec3(0.58, -1.20, z1 + 0.34), Vec3(0.58, -1.20, rail + 0.50),
                  Vec3(-0.40, -1.20, rail + 0.50), Vec3(-0.46, -1.20, hood)});
  add_rail(mesh, {Vec3(0.10, -1.20, rail), Vec3(0.10, -1.20, rail + 0.50)});
  add_rail(mesh, {Vec3(-0.62, -1.18, hood - 0.02), Vec3(-0.62, -1.18, hood + 0.42),
                  Vec3(-1.90, -1.18, hood + 0.42), Vec3(-1.90, -1.18, hood - 0.02)});
  add_rail(mesh, {Vec3(-1.26, -1.18, hood - 0.02), Vec3(-1.26, -1.18, hood + 0.42)});
  add_rail(mesh, {Vec3(-1.94, -1.14, hood - 0.02), Vec3(-1.94, -1.14, hood + 0.42),
                  Vec3(-1.94, 1.20, hood + 0.42), Vec3(-1.94, 1.20, hood - 0.02)});

  // Tower: cheeks that carry boom and cylinder pins.
  mesh.set_colour(kPaint);
  const double inner = u.boom_half_width + 0.02;
  std::vector<std::pair<Vec2, double>> circles = {{{u.boom_pin.x(), u.boom_pin.z()}, 0.17},
                                                  {{u.boom_pin.x() - 0.75, z1}, 0.06},
                                                  {{u.boom_pin.x() + 0.25, z1}, 0.06}};
  if (u.has_cylinder) {
    circles.push_back({{u.cylinder_pin.x(), u.cylinder_pin.z()}, 0.13});
    circles.push_back({{u.cylinder_pin.x() + 0.05, z0 + 0.08}, 0.06});
  }
  add_cheeks(mesh, circles, inner, 0.045);
  mesh.set_colour(kDarkPaint);
  mesh.box({u.boom_pin.x() - 0.62, -inner, z1}, {u.boom_pin.x() - 0.52, inner, z1 + 0.22});
  add_pin(mesh, u.boom_pin, 0.065, inner + 0.045);
  if (u.has_cylinder) add_pin(mesh, u.cylinder_pin, 0.055, inner + 0.045);
  // Valve block behind the boom's foot.
  mesh.set_colour(kSteel);
  mesh.box({-0.44, -0.11, z1 + 0.05}, {-0.24, 0.11, z1 + 0.42}, 0.01);
  mesh.set_colour(kBrass);
  for (int i = 0; i < 4; ++i)
    mesh.cylinder({-0.24, -0.08 + 0.05 * i, z1 + 0.30}, {-0.20, -0.08 + 0.05 * i, z1 + 0.30}, 0.016,
                  0.016, true, 8);
  add_lamp(mesh, {1.10, -1.05, z1 + 0.42}, {1.0, -0.1, -0.1});
}

// --- Cab ----------------------------------------------------------------------

namespace {

// Corners of the cab around the operator's eye.
struct CabFrame {
  double x0, x1, xf;  // rear, foot of the windscreen, its head
  double y0, y1;
  double floor, sill, roof;
};

CabFrame cab_frame(const UpperShape& u) {
  const Vec3& e = u.eye;
  const double half = std::clamp(std::abs(e.y()) - u.boom_half_width - 0.14, 0.35, 0.56);
  CabFrame c{};
  c.x0 = e.x() - 0.70;
  c.x1 = e.x() + 1.00;
  c.xf = e.x() + 0.78;
  c.y0 = e.y() - half;
  c.y1 = e.y() + half;
  c.floor = u.deck + 0.15;
  c.sill = std::min(e.z() - 0.62, c.floor + 0.72);
  c.roof = e.z() + 0.46;
  return c;
}

void add_post(MeshBuilder& mesh, const Vec3& a, const Vec3& b, double width) {
  const Mat3 R = frame_from_x(b - a, Vec3::UnitY());
  const Pose before = mesh.pose();
  mesh.set_pose({before.R * R, before * a});
  const double w = 0.5 * width;
  mesh.box({-w, -w, -w}, {(b - a).norm() + w, w, w}, 0.25 * width);
  mesh.set_pose(before);
}

}  // namespace

void add_cab(MeshBuilder& mesh, const UpperShape& u) {
  const CabFrame c = cab_frame(u);
  const double door = c.x0 + 0.42 * (c.x1 - c.x0);
  // Lower body: sides, rear, kick plate.
  mesh.set_colour(kPaint);
  mesh.box({c.x0, c.y0, c.floor}, {c.x1 - 0.02, c.y0 + 0.045, c.sill}, 0.015);
  mesh.box({c.x0, c.y1 - 0.045, c.floor}, {c.x1 - 0.02, c.y1, c.sill}, 0.015);
  mesh.box({c.x0, c.y0, c.floor}, {c.x0 + 0.05, c.y1, c.sill + 0.25}, 0.015);
  mesh.box({c.x1 - 0.05, c.y0, c.floor}, {c.x1, c.y1, c.floor + 0.30}, 0.015);
  mesh.set_colour(kDarkPaint);
  mesh.box({c.x0, c.y0, c.floor - 0.02}, {c.x1, c.y1, c.floor + 0.02});
  // Posts and frame.
  constexpr double kPost = 0.062;
  const double in = 0.03;
  for (const double y : {c.y0 + in, c.y1 - in}) {
    add_post(mesh, {c.x1 - in, y, c.floor + 0.28}, {c.xf, y, c.roof}, kPost);
    add_post(mesh, {c.x0 + in, y, c.sill}, {c.x0 + 0.06, y, c.roof}, kPost);
    add_post(mesh, {c.x0 + 0.06, y, c.roof}, {c.xf, y, c.roof}, kPost);
    add_post(mesh, {c.x0 + in, y, c.sill}, {c.x1 - 0.06, y, c.sill}, 0.05);
  }
  add_post(mesh, {door, c.y1 - in, c.floor}, {door, c.y1 - in, c.roof}, 0.05);
  add_post(mesh, {c.xf, c.y0 + in, c.roof}, {c.xf, c.y1 - in, c.roof}, kPost);
  add_post(mesh, {c.x0 + 0.06, c.y0 + in, c.roof}, {c.x0 + 0.06, c.y1 - in, c.roof}, kPost);
  add_post(mesh, {c.x1 - in, c.y0 + in, c.floor + 0.30}, {c.x1 - in, c.y1 - in, c.floor + 0.30},
           0.05);
  // Roof with a brim.
  mesh.set_colour(kPaint);
  mesh.box({c.x0 - 0.02, c.y0 - 0.02, c.roof + 0.02}, {c.xf + 0.14, c.y1 + 0.02, c.roof + 0.10},
           0.035);
  mesh.set_colour(kDarkPaint);
  mesh.box({c.x0 + 0.15, c.y0 + 0.15, c.roof + 0.10}, {c.x0 + 0.75, c.y1 - 0.15, c.roof + 0.20},
           0.04);
  // Lamps, beacon, aerial, mirrors, wiper, handle, steps.
  for (int i = 0; i < 4; ++i) {
    const double y = c.y0 + 0.12 + (c.y1 - c.y0 - 0.24) * i / 3.0;
    add_lamp(mesh, {c.xf + 0.10, y, c.roof + 0.15}, {1.0, 0.25 * (i - 1.5), -0.25});
  }
  mesh.set_colour({1.0, 0.45, 0.05, 0.9});
  mesh.lathe({c.x0 + 0.10, c.y1 - 0.12, c.roof + 0.10}, Vec3::UnitZ(),
             {{0.0, 0.05}, {0.09, 0.045}, {0.12, 0.02}, {0.12, 0.0}}, 10);
  mesh.set_colour(kRubber);
  mesh.cylinder({c.x0 + 0.05, c.y0 + 0.1, c.roof + 0.1}, {c.x0 - 0.05, c.y0 + 0.1, c.roof + 0.85},
                0.006, 0.003, true, 5);
  mesh.set_colour(kDarkPaint);
  const Vec3 hinge(c.x1 - 0.04, c.y1, c.sill + 0.35);
  mesh.tube({hinge, hinge + Vec3(0.08, 0.14, 0.02), hinge + Vec3(0.08, 0.20, 0.10)}, 0.012, 6);
  mesh.box(hinge + Vec3(0.05, 0.12, 0.08), hinge + Vec3(0.08, 0.30, 0.42), 0.015);
  add_rail(
      mesh,
      {Vec3(door + 0.10, c.y1 + 0.01, c.sill - 0.1), Vec3(door + 0.10, c.y1 + 0.06, c.sill),
       Vec3(door + 0.10, c.y1 + 0.06, c.roof - 0.3), Vec3(door + 0.10, c.y1 + 0.01, c.roof - 0.2)},
      0.014);
  for (int i = 0; i < 2; ++i)
    mesh.box({door - 0.35, c.y1 - 0.02, c.floor - 0.22 - 0.28 * i},
             {door + 0.05, c.y1 + 0.16, c.floor - 0.19 - 0.28 * i}, 0.01);
}

void add_cab_glass(MeshBuilder& mesh, const UpperShape& u) {
  const CabFrame c = cab_frame(u);
  mesh.set_colour({0.10, 0.14, 0.13, 0.16});
  const double g = 0.02;
  const Vec3 fl(c.x1 - g, c.y1 - 0.05, c.floor + 0.32);
  const Vec3 fr(c.x1 - g, c.y0 + 0.05, c.floor + 0.32);
  const Vec3 hl(c.xf + 0.01, c.y1 - 0.05, c.roof - 0.02);
  const Vec3 hr(c.xf + 0.01, c.y0 + 0.05, c.roof - 0.02);
  mesh.quad(fr, fl, hl, hr);
  for (const double y : {c.y0 + g, c.y1 - g}) {
    const Vec3 a(c.x0 + 0.06, y, c.sill + 0.02);
    const Vec3 b(c.x1 - 0.08, y, c.sill + 0.02);
    const Vec3 d(c.xf - 0.02, y, c.roof - 0.02);
    const Vec3 e(c.x0 + 0.09, y, c.roof - 0.02);
    if (y > u.eye.y())
      mesh.quad(b, a, e, d);
    else
      mesh.quad(a, b, d, e);
  }
  mesh.quad({c.x0 + g, c.y1 - 0.05, c.sill + 0.27}, {c.x0 + g, c.y0 + 0.05, c.sill + 0.27},
            {c.x0 + 0.05, c.y0 + 0.05, c.roof - 0.02}, {c.x0 + 0.05, c.y1 - 0.05, c.roof - 0.02});
}

void add_cab_interior(MeshBuilder& mesh, const UpperShape& u) {
  const CabFrame c = cab_frame(u);
  const Vec3& e = u.eye;
  const double seat = e.z() - 0.80;
  mesh.set_colour({0.10, 0.10, 0.11, 0.05});
  mesh.box({e.x() - 0.42, e.y() - 0.25, seat - 0.14}, {e.x() + 0.14, e.y() + 0.25, seat}, 0.05);
  mesh.box({e.x() - 0.52, e.y() - 0.24, seat - 0.05}, {e.x() - 0.38, e.y() + 0.24, seat + 0.62},
           0.05);
  mesh.box({e.x() - 0.52, e.y() - 0.13, seat + 0.64}, {e.x() - 0.42, e.y() + 0.13, seat + 0.86},
           0.03);
  mesh.set_colour(kDarkPaint);
  mesh.box({e.x() - 0.35, e.y() - 0.2, c.floor}, {e.x() + 0.05, e.y() + 0.2, seat - 0.14});
  // Arm rests with the levers.
  for (const double side : {-1.0, 1.0}) {
    const double y = e.y() + side * 0.34;
    mesh.set_colour({0.12, 0.12, 0.13, 0.10});
    mesh.box({e.x() - 0.30, y - 0.07, seat + 0.10}, {e.x() + 0.26, y + 0.07, seat + 0.21}, 0.03);
    mesh.set_colour({0.17, 0.17, 0.18, 0.2});
    mesh.box({e.x() + 0.20, y - 0.08, seat + 0.14}, {e.x() + 0.44, y + 0.08, seat + 0.22}, 0.025);
    mesh.set_colour(kRubber);
    mesh.lathe({e.x() + 0.34, y, seat + 0.22}, {0.05, 0.0, 1.0},
               {{0.0, 0.05}, {0.035, 0.03}, {0.05, 0.014}, {0.08, 0.014}}, 10);
    mesh.lathe({e.x() + 0.345, y, seat + 0.29}, {0.15, 0.0, 1.0},
               {{0.0, 0.016}, {0.02, 0.024}, {0.07, 0.026}, {0.10, 0.022}, {0.12, 0.0}}, 10);
    mesh.set_colour({0.75, 0.15, 0.08, 0.3});
    mesh.sphere({e.x() + 0.35, y - 0.01, seat + 0.405}, 0.008, 6);
    mesh.set_colour({0.85, 0.75, 0.15, 0.3});
    mesh.sphere({e.x() + 0.35, y + 0.012, seat + 0.405}, 0.008, 6);
  }
  // Screen on the right post, pedals, dashboard edge.
  mesh.set_colour({0.08, 0.08, 0.09, 0.3});
  const Vec3 screen(c.x1 - 0.20, c.y0 + 0.16, e.z() - 0.50);
  mesh.box(screen - Vec3(0.015, 0.12, 0.085), screen + Vec3(0.015, 0.12, 0.085), 0.01);
  mesh.set_colour({0.20, 0.42, 0.50, 0.6});
  mesh.box(screen - Vec3(0.0165, 0.105, 0.068), screen - Vec3(0.0155, -0.105, -0.068));
  mesh.set_colour(kDarkPaint);
  mesh.tube({screen + Vec3(0.015, 0.0, -0.05), screen + Vec3(0.06, -0.03, -0.25),
             Vec3(c.x1 - 0.06, c.y0 + 0.08, c.sill)},
            0.014, 6);
  for (const double y : {-0.12, 0.12})
    mesh.box({c.x1 - 0.42, e.y() + y - 0.055, c.floor + 0.06},
             {c.x1 - 0.20, e.y() + y + 0.055, c.floor + 0.09}, 0.01);
  mesh.set_colour({0.15, 0.15, 0.16, 0.1});
  mesh.box(Vec3(c.x0 + 0.04, c.y0 + 0.04, c.floor + 0.02),
           Vec3(c.x1 - 0.04, c.y1 - 0.04, c.floor + 0.03));
  // Lining of the roof, to make it opaque.
  mesh.box(Vec3(c.x0 + 0.05, c.y0 + 0.04, c.roof - 0.005), Vec3(c.xf, c.y1 - 0.04, c.roof + 0.02));
  // Wiper.
  mesh.set_colour(kRubber);
  const Vec3 foot(c.x1 - 0.01, e.y() - 0.25, c.floor + 0.36);
  const Vec3 head(c.x1 - 0.10, e.y() + 0.12, c.sill + 0.33);
  mesh.cylinder(foot, head, 0.007, 0.005, true, 6);
}

}  // namespace knuckleboom::view
