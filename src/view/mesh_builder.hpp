// Gathers solid parts into one mesh, so that a body of the machine needs one draw call.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include <osg/Geometry>
#include <osg/ref_ptr>

#include "view/geometry.hpp"

namespace knuckleboom::view {

struct Colour {
  double r = 1.0, g = 1.0, b = 1.0;
  double a = 0.1;  // gloss of solid parts
};
Colour operator*(double scale, const Colour& colour);
Colour mix(const Colour& a, const Colour& b, double share_of_b);

struct Vec2 {
  double x = 0.0, y = 0.0;
};

// Vertex arrays for the graphics card.
class MeshBuilder {
 public:
  explicit MeshBuilder(double detail = 1.0);

  // For all following parts.
  void set_colour(const Colour& colour) { colour_ = colour; }
  void set_pose(const Pose& pose) { pose_ = pose; }
  const Pose& pose() const { return pose_; }
  // Texture repeats per metre; the texture is projected along the main direction of each face.
  void set_texture_scale(double per_m) { texture_scale_ = per_m; }

  // Corners in the set pose, anticlockwise seen from outside.
  void triangle(const Vec3& a, const Vec3& b, const Vec3& c);
  void quad(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);
  // With chamfered edges where bevel > 0.
  void box(const Vec3& low, const Vec3& high, double bevel = 0.0);
  // Round rod, cone or tube end; caps closes both ends.
  void cylinder(const Vec3& a, const Vec3& b, double radius_a, double radius_b, bool caps = true,
                int sides = 0);
  void tube(const std::vector<Vec3>& path, double radius, int sides = 6);
  void sphere(const Vec3& centre, double radius, int sides = 0);
  // Turned part: (along, radius) from origin along axis.
  void lathe(const Vec3& origin, const Vec3& axis, const std::vector<Vec2>& profile, int sides = 0);
  // Plate of any outline (anticlockwise in x, y of the frame), from z = low to high.
  void plate(const Pose& frame, const std::vector<Vec2>& outline, double low, double high);
  // Skin over sections with equally many corners each, anticlockwise seen against the direction in which
  // they follow each other; flat or rounded faces, ends closed.
  void loft(const std::vector<std::vector<Vec3>>& sections, bool round);

  // Single vertices for other shapes; returns the index.
  unsigned vertex(const Vec3& p, const Vec3& n, double u, double v);
  void index(unsigned a, unsigned b, unsigned c);

  int sides(double radius) const;  // of a round part of this radius
  bool empty() const { return triangles_->empty(); }
  osg::ref_ptr<osg::Geometry> build();

 private:
  unsigned textured_vertex(const Vec3& p, const Vec3& n);

  osg::ref_ptr<osg::Vec3Array> positions_, normals_;
  osg::ref_ptr<osg::Vec2Array> texture_;
  osg::ref_ptr<osg::Vec4ubArray> colours_;
  osg::ref_ptr<osg::DrawElementsUInt> triangles_;
  Colour colour_;
  Pose pose_;
  double texture_scale_ = 0.5;
  double detail_;
};

// Outline around circles (centre and radius), for a plate with bosses.
std::vector<Vec2> hull_of_circles(const std::vector<std::pair<Vec2, double>>& circles,
                                  int points_per_circle = 12);

}  // namespace knuckleboom::view
