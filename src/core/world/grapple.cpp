// Jaws of a timber grapple.
#include "knuckleboom/core/world/grapple.hpp"

#include <algorithm>
#include <cmath>

#include "knuckleboom/core/math/trig.hpp"
#include "knuckleboom/core/world/closest_points.hpp"

namespace knuckleboom::world {

namespace {

// Arc sine from adds and multiplies, for the same bits on every processor: Newton on the sine.
double arc_sine(double x) {
  const double limited = std::clamp(x, -0.99, 0.99);
  double a = limited;
  for (int i = 0; i < 8; ++i) {
    const SinCos s = sin_cos(a);
    a += (limited - s.sin) / s.cos;
  }
  return a;
}

struct Angles {
  double closed, open;
};

Angles angles(const GrappleFrame& f) {
  const double inwards = f.tine_radius - 0.5 * f.hinge_distance;
  return {arc_sine((inwards - 0.5 * f.overlap) / f.jaw_length),
          arc_sine((0.5 * f.opening_max + inwards) / f.jaw_length)};
}

JawPoints points_at(const GrappleFrame& f, double side, double angle) {
  const SinCos a = sin_cos(angle);
  const Vec3 along(side * a.sin, a.cos, 0.0);
  const Vec3 outwards(side * a.cos, -a.sin, 0.0);
  const Vec3 hinge(side * 0.5 * f.hinge_distance, 0.0, 0.0);
  return {hinge, hinge + f.jaw_length * (0.5 * along + kJawBow * outwards),
          hinge + f.jaw_length * along};
}

// Room around (0, y): the radius of the largest circle there that neither touches a tine nor rises
// above the hinges. One jaw represents both.
double room(const JawPoints& jaw, double tine_radius, double y) {
  const Vec3 p(0.0, y, 0.0);
  const double upper = (p - closest_on_segment(jaw.hinge, jaw.elbow, p)).norm();
  const double lower = (p - closest_on_segment(jaw.elbow, jaw.tip, p)).norm();
  return std::min(y, std::min(upper, lower) - tine_radius);
}

constexpr int kSeats = 48;

// The first place from the hinges on with room enough; -1: none.
double seat_at(const GrappleFrame& f, double angle, double radius) {
  const JawPoints jaw = points_at(f, 1.0, angle);
  const double lowest = std::max(jaw.tip.y(), jaw.elbow.y());
  for (int i = 0; i <= kSeats; ++i) {
    const double y = radius + (lowest - radius) * i / kSeats;
    if (y > lowest) break;
    if (room(jaw, f.tine_radius, y) >= radius * (1.0 - 1e-9)) return y;
  }
  return -1.0;
}

}  // namespace

double jaw_angle(const GrappleFrame& frame, double opening) {
  const Angles a = angles(frame);
  return a.closed + opening * (a.open - a.closed);
}

JawPoints jaw_points(const GrappleFrame& frame, int side, double opening) {
  return points_at(frame, side, jaw_angle(frame, opening));
}

int grapple_parts(const GrappleFrame& frame, double opening, double opening_rate, int first_id,
                  MachinePart* out) {
  const Angles limits = angles(frame);
  const double angle = limits.closed + opening * (limits.open - limits.closed);
  const double rate = opening_rate * (limits.open - limits.closed);
  int n = 0;
  for (const int side : {-1, 1}) {
    const JawPoints jaw = points_at(frame, side, angle);
    const auto in_world = [&frame](const Vec3& p, double z) {
      return Vec3(frame.pin_W + p.x() * frame.open_axis_W + p.y() * frame.reach_axis_W +
                  z * frame.log_axis_W);
    };
    // Rotation outwards from the reach axis.
    const Vec3 omega = frame.omega_W + side * rate * frame.reach_axis_W.cross(frame.open_axis_W);
    const Vec3 hinge = in_world(jaw.hinge, 0.0);
    const Vec3 v = frame.v_W + frame.omega_W.cross(hinge - frame.pin_W);
    for (const double z : {-0.5 * frame.jaw_width, 0.5 * frame.jaw_width}) {
      const Vec3 at[3] = {in_world(jaw.hinge, z), in_world(jaw.elbow, z), in_world(jaw.tip, z)};
      for (int piece = 0; piece < 2; ++piece) {
        out[n] = {{at[piece], at[piece + 1], frame.tine_radius},
                  hinge,
                  v,
                  omega,
                  PartRole::kJaw,
                  first_id + n};
        ++n;
      }
    }
    const double half = 0.5 * frame.jaw_width;
    out[n] = {{in_world(jaw.elbow, -half), in_world(jaw.elbow, half), frame.tine_radius},
              hinge,
              v,
              omega,
              PartRole::kJaw,
              first_id + n};
    ++n;
  }
  return n;
}

double grapple_min_opening(const GrappleFrame& frame, double radius) {
  const Angles limits = angles(frame);
  const auto fits = [&](double opening) {
    const double angle = limits.closed + opening * (limits.open - limits.closed);
    return seat_at(frame, angle, radius) >= 0.0;
  };
  if (fits(0.0)) return 0.0;
  // Beyond some opening the log is below the tips, where it is not held: the first fit counts.
  constexpr int kSteps = 32;
  for (int i = 1; i <= kSteps; ++i) {
    double high = static_cast<double>(i) / kSteps;
    if (!fits(high)) continue;
    double low = high - 1.0 / kSteps;
    for (int k = 0; k < 12; ++k) {
      const double middle = 0.5 * (low + high);
      (fits(middle) ? high : low) = middle;
    }
    return high;
  }
  return 1.0;
}

double grapple_seat(const GrappleFrame& frame, double opening, double radius) {
  const double y = seat_at(frame, jaw_angle(frame, opening), radius);
  return y >= 0.0 ? y : radius;
}

bool can_grip(const GrappleFrame& frame, double opening, const Capsule& log) {
  const auto local = [&frame](const Vec3& p) {
    const Vec3 d = p - frame.pin_W;
    return Vec3(d.dot(frame.open_axis_W), d.dot(frame.reach_axis_W), d.dot(frame.log_axis_W));
  };
  const Vec3 a = local(log.a);
  const Vec3 d = local(log.b) - a;
  const double length = d.norm();
  if (length <= 0.0 || std::fabs(d.z()) < sin_cos(1.5707963267948966 - kGripAngle).sin * length)
    return false;
  // Part of the log between the planes of the tines, including its rounded ends.
  const double half = 0.5 * frame.jaw_width;
  const double end = log.radius / length;
  const double at_low = (-half - a.z()) / d.z();
  const double at_high = (half - a.z()) / d.z();
  const double from = std::max(-end, std::min(at_low, at_high));
  const double to = std::min(1.0 + end, std::max(at_low, at_high));
  if (to <= from || (to - from) * std::fabs(d.z()) < half) return false;

  const JawPoints jaw = jaw_points(frame, 1, opening);
  const auto is_inside = [&jaw](const Vec3& p) {
    const double x = std::fabs(p.x());
    if (p.y() <= 0.0 || p.y() >= std::max(jaw.tip.y(), jaw.elbow.y())) return false;
    // Left of hinge-elbow-tip, looking down.
    const auto edge = [&](const Vec3& from_point, const Vec3& to_point) {
      return (to_point.x() - from_point.x()) * (p.y() - from_point.y()) -
             (to_point.y() - from_point.y()) * (x - from_point.x());
    };
    return p.y() < jaw.elbow.y() ? edge(jaw.hinge, jaw.elbow) > 0.0
                                 : edge(jaw.elbow, jaw.tip) > 0.0;
  };
  return is_inside(a + from * d) && is_inside(a + 0.5 * (from + to) * d) && is_inside(a + to * d);
}

}  // namespace knuckleboom::world
