#include "view/mesh_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <osg/FrontFace>
#include <osg/Geometry>
#include <osg/Material>
#include <osg/MatrixTransform>
#include <osg/NodeVisitor>
#include <osg/TriangleIndexFunctor>
#include <osgDB/Options>
#include <osgDB/ReadFile>
#include <osgUtil/Optimizer>

namespace knuckleboom::view {
namespace {

constexpr float kTexturePerMetre = 0.5F;

// Gloss of a material for the solid shader.
float gloss(const osg::Material& material) {
  const osg::Vec4& s = material.getSpecular(osg::Material::FRONT);
  return std::clamp((s.r() + s.g() + s.b()) / 3.0F, 0.05F, 1.0F);
}

// False also for the zero normals of some STL files.
bool has_normals(const osg::Geometry& geometry) {
  const auto* normals = dynamic_cast<const osg::Vec3Array*>(geometry.getNormalArray());
  return normals != nullptr && !normals->empty() &&
         std::none_of(normals->begin(), normals->end(),
                      [](const osg::Vec3& n) { return !(n.length2() > 0.25F); });
}

// Marks meshes as static.
class Still : public osg::NodeVisitor {
 public:
  Still() : osg::NodeVisitor(TRAVERSE_ALL_CHILDREN) {}
  void apply(osg::Node& node) override {
    node.setDataVariance(osg::Object::STATIC);
    traverse(node);
  }
};

struct Triangles {
  std::vector<std::array<unsigned, 3>> corners;
  void operator()(unsigned a, unsigned b, unsigned c) { corners.push_back({a, b, c}); }
};

// Smooth where faces meet at less than the crease, edges elsewhere: each corner gets the
// area-weighted mean of the surrounding faces of similar direction. Afterwards every triangle has
// its own corners. mirrored: they are clockwise seen from outside.
void make_normals(osg::Geometry& geometry, const osg::Vec3Array& positions, bool mirrored) {
  constexpr float kCrease = 0.82F;  // cosine
  osg::TriangleIndexFunctor<Triangles> triangles;
  geometry.accept(triangles);
  std::vector<osg::Vec3> faces;  // normals, with twice the area as length
  std::map<std::array<float, 3>, std::vector<std::size_t>> around;
  const auto key = [&positions](unsigned i) {
    return std::array<float, 3>{positions[i].x(), positions[i].y(), positions[i].z()};
  };
  for (const auto& [a, b, c] : triangles.corners) {
    for (const unsigned i : {a, b, c}) around[key(i)].push_back(faces.size());
    faces.push_back((positions[b] - positions[a]) ^ (positions[c] - positions[a]));
  }
  const osg::ref_ptr<osg::Vec3Array> p = new osg::Vec3Array;
  const osg::ref_ptr<osg::Vec3Array> n = new osg::Vec3Array;
  for (std::size_t t = 0; t < faces.size(); ++t) {
    const float area = faces[t].length();
    if (!(area > 0.0F)) continue;
    for (const unsigned i : triangles.corners[t]) {
      osg::Vec3 sum;
      for (const std::size_t other : around[key(i)])
        if (faces[other] * faces[t] >= kCrease * area * faces[other].length()) sum += faces[other];
      sum.normalize();
      p->push_back(positions[i]);
      n->push_back(mirrored ? -sum : sum);
    }
  }
  geometry.setVertexArray(p);
  geometry.setNormalArray(n, osg::Array::BIND_PER_VERTEX);
  geometry.getTexCoordArrayList().clear();
  geometry.removePrimitiveSet(0, geometry.getNumPrimitiveSets());
  geometry.addPrimitiveSet(new osg::DrawArrays(GL_TRIANGLES, 0, static_cast<int>(p->size())));
}

// Metres per unit from the header of a COLLADA file; other formats have none. OpenSceneGraph's
// reader does not convert lengths.
double unit_of(const std::filesystem::path& file) {
  if (file.extension() != ".dae" && file.extension() != ".DAE") return 1.0;
  constexpr std::size_t kHead = 65536;
  std::string text(kHead, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(text.data(), kHead);
  text.resize(static_cast<std::size_t>(stream.gcount()));
  const std::size_t unit = text.find("<unit");
  if (unit == std::string::npos) return 1.0;
  constexpr std::string_view kMeter = "meter=\"";
  const std::size_t end_of_unit = text.find('>', unit);
  const std::size_t said = text.find(kMeter, unit);
  if (said == std::string::npos || said > end_of_unit) return 1.0;
  double metres = 1.0;
  const auto [end, error] =
      std::from_chars(text.data() + said + kMeter.size(), text.data() + text.size(), metres);
  return error == std::errc() && metres > 0.0 && std::isfinite(metres) ? metres : 1.0;
}

class Dress : public osg::NodeVisitor {
 public:
  Dress(const Colour& plain, bool mirrored)
      : osg::NodeVisitor(TRAVERSE_ALL_CHILDREN),
        mirrored_(mirrored),
        colour_(static_cast<float>(plain.r), static_cast<float>(plain.g),
                static_cast<float>(plain.b), static_cast<float>(plain.a)) {}

  bool found_faces() const { return found_faces_; }

  void apply(osg::Node& node) override {
    const osg::Vec4 before = colour_;
    take_material(node);
    traverse(node);
    colour_ = before;
  }
  void apply(osg::Drawable& drawable) override {
    const osg::Vec4 before = colour_;
    take_material(drawable);
    if (osg::Geometry* geometry = drawable.asGeometry()) dress(*geometry);
    colour_ = before;
  }

 private:
  void take_material(osg::Node& node) {
    osg::StateSet* state = node.getStateSet();
    if (state == nullptr) return;
    const auto* material =
        dynamic_cast<const osg::Material*>(state->getAttribute(osg::StateAttribute::MATERIAL));
    if (material != nullptr) {
      colour_ = material->getDiffuse(osg::Material::FRONT);
      colour_.a() = gloss(*material);
    }
    node.setStateSet(nullptr);
  }
  void dress(osg::Geometry& geometry) {
    const auto* positions = dynamic_cast<const osg::Vec3Array*>(geometry.getVertexArray());
    if (positions == nullptr || positions->empty()) return;
    found_faces_ = true;
    if (!has_normals(geometry)) {
      make_normals(geometry, *positions, mirrored_);
      positions = dynamic_cast<const osg::Vec3Array*>(geometry.getVertexArray());
    }
    const auto* normals = dynamic_cast<const osg::Vec3Array*>(geometry.getNormalArray());
    osg::ref_ptr<osg::Vec4Array> colours = new osg::Vec4Array(positions->getNumElements());
    std::fill(colours->begin(), colours->end(), colour_);
    geometry.setColorArray(colours, osg::Array::BIND_PER_VERTEX);
    osg::ref_ptr<osg::Vec2Array> texture = new osg::Vec2Array(positions->getNumElements());
    for (std::size_t i = 0; i < positions->size(); ++i) {
      const osg::Vec3f p = (*positions)[i] * kTexturePerMetre;
      const osg::Vec3f n =
          normals != nullptr && i < normals->size() ? (*normals)[i] : osg::Vec3f(0.0F, 0.0F, 1.0F);
      const bool along_x = std::abs(n.x()) > std::max(std::abs(n.y()), std::abs(n.z()));
      const bool along_y = !along_x && std::abs(n.y()) > std::abs(n.z());
      (*texture)[i] = along_x   ? osg::Vec2f(p.y(), p.z())
                      : along_y ? osg::Vec2f(p.x(), p.z())
                                : osg::Vec2f(p.x(), p.y());
    }
    geometry.setTexCoordArray(0, texture, osg::Array::BIND_PER_VERTEX);
    geometry.setUseDisplayList(false);
    geometry.setUseVertexBufferObjects(true);
  }

  bool mirrored_;
  osg::Vec4 colour_;
  bool found_faces_ = false;
};

}  // namespace

osg::ref_ptr<osg::Node> read_mesh(const std::filesystem::path& file, const Vec3& scale,
                                  const Colour& plain) {
  // The reader would rotate an OBJ's y axis upwards, and smooth the edges of one without normals.
  const osg::ref_ptr<osgDB::Options> options =
      new osgDB::Options("noRotation generateFacetNormals");
  osg::ref_ptr<osg::Node> node = osgDB::readRefNodeFile(file.string(), options);
  if (node == nullptr) return nullptr;
  // Applied to the vertices, so that normals keep their length and textures their size.
  osg::ref_ptr<osg::MatrixTransform> scaled = new osg::MatrixTransform;
  scaled->setMatrix(osg::Matrix::scale(to_osg(Vec3(unit_of(file) * scale))));
  scaled->addChild(node);
  osg::ref_ptr<osg::Group> root = new osg::Group;
  root->addChild(scaled);
  Still still;
  root->accept(still);
  osgUtil::Optimizer().optimize(
      root, osgUtil::Optimizer::FLATTEN_STATIC_TRANSFORMS_DUPLICATING_SHARED_SUBGRAPHS);
  // Mirroring turns the faces inside out.
  const bool mirrored = scale.prod() < 0.0;
  Dress dress(plain, mirrored);
  root->accept(dress);
  if (!dress.found_faces()) return nullptr;
  if (mirrored)
    root->getOrCreateStateSet()->setAttribute(new osg::FrontFace(osg::FrontFace::CLOCKWISE));
  return root;
}

}  // namespace knuckleboom::view
