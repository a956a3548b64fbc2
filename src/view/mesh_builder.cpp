#include "view/mesh_builder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "knuckleboom/core/math/arrays.hpp"
#include "view/turn.hpp"

namespace knuckleboom::view {
namespace {

osg::Vec4ub to_bytes(const Colour& c) {
  const auto byte = [](double x) {
    return static_cast<unsigned char>(std::lround(255.0 * std::clamp(x, 0.0, 1.0)));
  };
  return {byte(c.r), byte(c.g), byte(c.b), byte(c.a)};
}

double cross(const Vec2& o, const Vec2& a, const Vec2& b) {
  return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
}

bool inside(const Vec2& p, const Vec2& a, const Vec2& b, const Vec2& c) {
  return cross(a, b, p) >= 0.0 && cross(b, c, p) >= 0.0 && cross(c, a, p) >= 0.0;
}

// Triangles of a simple outline by cutting off ears.
std::vector<std::array<std::size_t, 3>> triangulate(const std::vector<Vec2>& outline) {
  std::vector<std::size_t> rest(outline.size());
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = i;
  std::vector<std::array<std::size_t, 3>> triangles;
  while (rest.size() > 2) {
    const std::size_t n = rest.size();
    bool cut = false;
    for (std::size_t i = 0; i < n && !cut; ++i) {
      const std::array<std::size_t, 3> t = {rest[(i + n - 1) % n], rest[i], rest[(i + 1) % n]};
      const Vec2& a = outline[t[0]];
      const Vec2& b = outline[t[1]];
      const Vec2& c = outline[t[2]];
      if (cross(a, b, c) <= 0.0) continue;
      const bool is_ear = std::none_of(rest.begin(), rest.end(), [&](std::size_t k) {
        return k != t[0] && k != t[1] && k != t[2] && inside(outline[k], a, b, c);
      });
      if (!is_ear) continue;
      triangles.push_back(t);
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      cut = true;
    }
    if (!cut) break;  // only slivers are left
  }
  return triangles;
}

}  // namespace

Colour operator*(double scale, const Colour& c) {
  return {scale * c.r, scale * c.g, scale * c.b, c.a};
}

Colour mix(const Colour& a, const Colour& b, double t) {
  return {a.r + t * (b.r - a.r), a.g + t * (b.g - a.g), a.b + t * (b.b - a.b),
          a.a + t * (b.a - a.a)};
}

MeshBuilder::MeshBuilder(double detail)
    : positions_(new osg::Vec3Array),
      normals_(new osg::Vec3Array),
      texture_(new osg::Vec2Array),
      colours_(new osg::Vec4ubArray),
      triangles_(new osg::DrawElementsUInt(GL_TRIANGLES)),
      detail_(detail) {}

int MeshBuilder::sides(double radius) const {
  const double wanted = detail_ * (8.0 + 24.0 * std::sqrt(std::max(0.0, radius)));
  return std::clamp(static_cast<int>(wanted), 6, 40);
}

unsigned MeshBuilder::vertex(const Vec3& p, const Vec3& n, double u, double v) {
  positions_->push_back(to_osg(pose_ * p));
  normals_->push_back(to_osg(pose_.R * n));
  texture_->push_back(osg::Vec2f(static_cast<float>(u), static_cast<float>(v)));
  colours_->push_back(to_bytes(colour_));
  return static_cast<unsigned>(positions_->size() - 1);
}

unsigned MeshBuilder::textured_vertex(const Vec3& p, const Vec3& n) {
  const Vec3 a = n.cwiseAbs();
  const Vec3 s = texture_scale_ * p;
  if (a.x() >= a.y() && a.x() >= a.z()) return vertex(p, n, s.y(), s.z());
  if (a.y() >= a.z()) return vertex(p, n, s.x(), s.z());
  return vertex(p, n, s.x(), s.y());
}

void MeshBuilder::index(unsigned a, unsigned b, unsigned c) {
  triangles_->push_back(a);
  triangles_->push_back(b);
  triangles_->push_back(c);
}

void MeshBuilder::triangle(const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 n = (b - a).cross(c - a).normalized();
  const unsigned i = textured_vertex(a, n);
  textured_vertex(b, n);
  textured_vertex(c, n);
  index(i, i + 1, i + 2);
}

void MeshBuilder::quad(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 n = (c - a).cross(d - b).normalized();
  const unsigned i = textured_vertex(a, n);
  textured_vertex(b, n);
  textured_vertex(c, n);
  textured_vertex(d, n);
  index(i, i + 1, i + 2);
  index(i, i + 2, i + 3);
}

void MeshBuilder::box(const Vec3& low, const Vec3& high, double bevel) {
  const Vec3 centre = 0.5 * (low + high);
  const Vec3 half = 0.5 * (high - low);
  const double e = std::min(bevel, 0.45 * 2.0 * half.minCoeff());
  // Faces, pulled in by the bevel.
  for (int axis = 0; axis < 3; ++axis) {
    for (const double side : {-1.0, 1.0}) {
      Vec3 n = Vec3::Zero();
      n[axis] = side;
      Vec3 u = Vec3::Zero();
      u[(axis + 1) % 3] = half[(axis + 1) % 3] - e;
      Vec3 v = Vec3::Zero();
      v[(axis + 2) % 3] = side * (half[(axis + 2) % 3] - e);
      const Vec3 o = centre + half[axis] * n;
      quad(o - u - v, o + u - v, o + u + v, o - u + v);
    }
  }
  if (e <= 0.0) return;
  // Edges along each axis, then corners.
  for (int axis = 0; axis < 3; ++axis) {
    const int i = (axis + 1) % 3;
    const int j = (axis + 2) % 3;
    for (const double si : {-1.0, 1.0}) {
      for (const double sj : {-1.0, 1.0}) {
        Vec3 a = centre;
        a[i] += si * half[i];
        a[j] += sj * (half[j] - e);
        Vec3 b = centre;
        b[i] += si * (half[i] - e);
        b[j] += sj * half[j];
        Vec3 along = Vec3::Zero();
        along[axis] = si * sj * (half[axis] - e);
        quad(a - along, b - along, b + along, a + along);
      }
    }
  }
  for (const double sx : {-1.0, 1.0}) {
    for (const double sy : {-1.0, 1.0}) {
      for (const double sz : {-1.0, 1.0}) {
        const Vec3 s(sx, sy, sz);
        const Vec3 inner = half - Vec3::Constant(e);
        std::array<Vec3, 3> corner;
        for (int k = 0; k < 3; ++k) {
          Vec3 c = inner;
          c[k] = half[k];
          nth(corner, k) = centre + s.cwiseProduct(c);
        }
        if (sx * sy * sz > 0.0)
          triangle(corner[0], corner[1], corner[2]);
        else
          triangle(corner[0], corner[2], corner[1]);
      }
    }
  }
}

void MeshBuilder::cylinder(const Vec3& a, const Vec3& b, double radius_a, double radius_b,
                           bool caps, int wanted_sides) {
  const Vec3 axis = b - a;
  const double len = axis.norm();
  if (len < 1e-9) return;
  const int n = wanted_sides > 0 ? wanted_sides : sides(std::max(radius_a, radius_b));
  const Mat3 R = frame_from_x(axis, across(axis));
  const double slope = (radius_a - radius_b) / len;
  unsigned first = 0;
  for (int i = 0; i <= n; ++i) {
    const double angle = kTwoPi * i / n;
    const Vec3 out = std::cos(angle) * R.col(1) + std::sin(angle) * R.col(2);
    const Vec3 normal = (out + slope * R.col(0)).normalized();
    const double u = texture_scale_ * kTwoPi * std::max(radius_a, radius_b) * i / n;
    const unsigned k = vertex(a + radius_a * out, normal, u, 0.0);
    vertex(b + radius_b * out, normal, u, texture_scale_ * len);
    if (i == 0) first = k;
  }
  for (int i = 0; i < n; ++i) {
    const unsigned k = first + 2U * static_cast<unsigned>(i);
    index(k, k + 2, k + 3);
    index(k, k + 3, k + 1);
  }
  if (!caps) return;
  for (const bool end : {false, true}) {
    const double radius = end ? radius_b : radius_a;
    if (radius < 1e-6) continue;
    const Vec3 normal = end ? Vec3(R.col(0)) : Vec3(-R.col(0));
    const Vec3& centre = end ? b : a;
    const unsigned middle = textured_vertex(centre, normal);
    for (int i = 0; i <= n; ++i) {
      const double angle = kTwoPi * i / n;
      textured_vertex(centre + radius * (std::cos(angle) * R.col(1) + std::sin(angle) * R.col(2)),
                      normal);
    }
    for (int i = 0; i < n; ++i) {
      const unsigned k = middle + 1U + static_cast<unsigned>(i);
      if (end)
        index(middle, k, k + 1);
      else
        index(middle, k + 1, k);
    }
  }
}

void MeshBuilder::tube(const std::vector<Vec3>& path, double radius, int n) {
  if (path.size() < 2) return;
  Vec3 side = across(path[1] - path[0]);
  unsigned first = 0;
  double run = 0.0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Vec3 along =
        (path[std::min(i + 1, path.size() - 1)] - path[i > 0 ? i - 1 : 0]).normalized();
    const Vec3 up = along.cross(side).normalized();
    side = up.cross(along);
    if (i > 0) run += (path[i] - path[i - 1]).norm();
    for (int k = 0; k <= n; ++k) {
      const double angle = kTwoPi * k / n;
      const Vec3 out = std::cos(angle) * side + std::sin(angle) * up;
      const unsigned v =
          vertex(path[i] + radius * out, out, texture_scale_ * k * 0.02, texture_scale_ * run);
      if (i == 0 && k == 0) first = v;
    }
  }
  const unsigned ring = static_cast<unsigned>(n) + 1U;
  for (unsigned i = 0; i + 1 < path.size(); ++i) {
    for (unsigned k = 0; k + 1 < ring; ++k) {
      const unsigned v = first + i * ring + k;
      index(v, v + 1, v + ring + 1);
      index(v, v + ring + 1, v + ring);
    }
  }
}

void MeshBuilder::lathe(const Vec3& origin, const Vec3& axis, const std::vector<Vec2>& profile,
                        int wanted_sides) {
  const Vec3 x = axis.normalized();
  for (std::size_t i = 0; i + 1 < profile.size(); ++i) {
    const Vec2& a = profile[i];
    const Vec2& b = profile[i + 1];
    if (std::abs(b.x - a.x) > 1e-6) {
      cylinder(origin + a.x * x, origin + b.x * x, a.y, b.y, false, wanted_sides);
      continue;
    }
    // A step: ring between two radii, seen from the side it faces.
    const Mat3 R = frame_from_x(x, across(x));
    const int n = wanted_sides > 0 ? wanted_sides : sides(std::max(a.y, b.y));
    const Vec3 normal = a.y > b.y ? x : Vec3(-x);
    unsigned first = 0;
    for (int k = 0; k <= n; ++k) {
      const double angle = kTwoPi * k / n;
      const Vec3 out = std::cos(angle) * R.col(1) + std::sin(angle) * R.col(2);
      const unsigned v = textured_vertex(origin + a.x * x + a.y * out, normal);
      textured_vertex(origin + a.x * x + b.y * out, normal);
      if (k == 0) first = v;
    }
    for (unsigned k = 0; k < static_cast<unsigned>(n); ++k) {
      const unsigned v = first + 2 * k;
      index(v, v + 2, v + 3);
      index(v, v + 3, v + 1);
    }
  }
}

void MeshBuilder::sphere(const Vec3& centre, double radius, int wanted_sides) {
  const int n = wanted_sides > 0 ? wanted_sides : sides(radius);
  const int rings = std::max(3, n / 2);
  unsigned first = 0;
  for (int i = 0; i <= rings; ++i) {
    const double polar = std::numbers::pi * i / rings;
    for (int k = 0; k <= n; ++k) {
      const double angle = kTwoPi * k / n;
      const Vec3 out(std::sin(polar) * std::cos(angle), std::sin(polar) * std::sin(angle),
                     std::cos(polar));
      const unsigned v = vertex(centre + radius * out, out, texture_scale_ * radius * angle,
                                texture_scale_ * radius * polar);
      if (i == 0 && k == 0) first = v;
    }
  }
  const unsigned ring = static_cast<unsigned>(n) + 1U;
  for (unsigned i = 0; i < static_cast<unsigned>(rings); ++i) {
    for (unsigned k = 0; k + 1 < ring; ++k) {
      const unsigned v = first + i * ring + k;
      index(v, v + ring, v + ring + 1);
      index(v, v + ring + 1, v + 1);
    }
  }
}

void MeshBuilder::plate(const Pose& frame, const std::vector<Vec2>& outline, double low,
                        double high) {
  const auto at = [&frame](const Vec2& p, double z) { return frame * Vec3(p.x, p.y, z); };
  const auto triangles = triangulate(outline);
  for (const auto& t : triangles) {
    triangle(at(outline[t[0]], high), at(outline[t[1]], high), at(outline[t[2]], high));
    triangle(at(outline[t[2]], low), at(outline[t[1]], low), at(outline[t[0]], low));
  }
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const Vec2& a = outline[i];
    const Vec2& b = outline[(i + 1) % outline.size()];
    quad(at(a, low), at(b, low), at(b, high), at(a, high));
  }
}

void MeshBuilder::loft(const std::vector<std::vector<Vec3>>& sections, bool round) {
  if (sections.size() < 2) return;
  const std::size_t n = sections.front().size();
  for (std::size_t s = 0; s + 1 < sections.size(); ++s) {
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t m = (k + 1) % n;
      if (!round) {
        quad(sections[s][k], sections[s][m], sections[s + 1][m], sections[s + 1][k]);
        continue;
      }
      const auto normal = [&](std::size_t section, std::size_t corner) -> Vec3 {
        const auto& ring = sections[section];
        const Vec3 around = ring[(corner + 1) % n] - ring[(corner + n - 1) % n];
        const Vec3 along = sections[std::min(section + 1, sections.size() - 1)][corner] -
                           sections[section > 0 ? section - 1 : 0][corner];
        return around.cross(along).normalized();
      };
      const unsigned i = textured_vertex(sections[s][k], normal(s, k));
      textured_vertex(sections[s][m], normal(s, m));
      textured_vertex(sections[s + 1][m], normal(s + 1, m));
      textured_vertex(sections[s + 1][k], normal(s + 1, k));
      index(i, i + 1, i + 2);
      index(i, i + 2, i + 3);
    }
  }
  for (std::size_t k = 1; k + 1 < n; ++k) {
    const auto& start = sections.front();
    const auto& end = sections.back();
    triangle(start[0], start[k + 1], start[k]);
    triangle(end[0], end[k], end[k + 1]);
  }
}

osg::ref_ptr<osg::Geometry> MeshBuilder::build() {
  osg::ref_ptr<osg::Geometry> geometry = new osg::Geometry;
  geometry->setUseDisplayList(false);
  geometry->setUseVertexBufferObjects(true);
  geometry->setVertexArray(positions_);
  geometry->setNormalArray(normals_, osg::Array::BIND_PER_VERTEX);
  geometry->setTexCoordArray(0, texture_, osg::Array::BIND_PER_VERTEX);
  colours_->setNormalize(true);
  geometry->setColorArray(colours_, osg::Array::BIND_PER_VERTEX);
  geometry->addPrimitiveSet(triangles_);
  return geometry;
}

std::vector<Vec2> hull_of_circles(const std::vector<std::pair<Vec2, double>>& circles, int n) {
  std::vector<Vec2> points;
  for (const auto& [centre, radius] : circles)
    for (int i = 0; i < n; ++i) {
      const double angle = kTwoPi * i / n;
      points.push_back({centre.x + radius * std::cos(angle), centre.y + radius * std::sin(angle)});
    }
  // Andrew's monotone chain.
  std::sort(points.begin(), points.end(),
            [](const Vec2& a, const Vec2& b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  std::vector<Vec2> hull;
  for (const bool upper : {false, true}) {
    const std::size_t start = hull.size();
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Vec2& p = points[upper ? points.size() - 1 - i : i];
      while (hull.size() >= start + 2 && cross(hull[hull.size() - 2], hull.back(), p) <= 1e-12)
        hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();
  }
  return hull;
}

}  // namespace knuckleboom::view
