#include "view/mesh_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

#include <osg/FrontFace>
#include <osg/Geometry>
#include <osg/Material>
#include <osg/MatrixTransform>
#include <osg/NodeVisitor>
#include <osgDB/Options>
#include <osgDB/ReadFile>
#include <osgUtil/Optimizer>
#include <osgUtil/SmoothingVisitor>

namespace knuckleboom::view {
namespace {

constexpr float kTexturePerMetre = 0.5F;

// Shine of a material as the solid shader takes it.
float gloss(const osg::Material& material) {
  const osg::Vec4& s = material.getSpecular(osg::Material::FRONT);
  return std::clamp((s.r() + s.g() + s.b()) / 3.0F, 0.05F, 1.0F);
}

// False also for the zeros that an STL may have in their place.
bool has_normals(const osg::Geometry& geometry) {
  const auto* normals = dynamic_cast<const osg::Vec3Array*>(geometry.getNormalArray());
  return normals != nullptr && !normals->empty() &&
         std::none_of(normals->begin(), normals->end(),
                      [](const osg::Vec3& n) { return !(n.length2() > 0.25F); });
}

// Metres per unit that a COLLADA file says of itself; others say nothing.
double unit_of(const osgDB::Options& options) {
  const std::string said = options.getPluginStringData("DAE-AssetUnitMeter");
  double unit = 1.0;
  const auto [end, error] = std::from_chars(said.data(), said.data() + said.size(), unit);
  return error == std::errc() && unit > 0.0 && std::isfinite(unit) ? unit : 1.0;
}

class Dress : public osg::NodeVisitor {
 public:
  explicit Dress(const Colour& plain)
      : osg::NodeVisitor(TRAVERSE_ALL_CHILDREN),
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
      constexpr double kCrease = 0.6;  // rad; sharper edges stay edges
      geometry.setNormalArray(nullptr);
      osgUtil::SmoothingVisitor::smooth(geometry, kCrease);
      positions = dynamic_cast<const osg::Vec3Array*>(geometry.getVertexArray());  // split at edges
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

  osg::Vec4 colour_;
  bool found_faces_ = false;
};

}  // namespace

osg::ref_ptr<osg::Node> read_mesh(const std::filesystem::path& file, const Vec3& scale,
                                  const Colour& plain) {
  // The reader would turn the mesh's y axis upwards.
  const osg::ref_ptr<osgDB::Options> options = new osgDB::Options("noRotation");
  osg::ref_ptr<osg::Node> node = osgDB::readRefNodeFile(file.string(), options);
  if (node == nullptr) return nullptr;
  // Into the vertices, so that normals keep their length and textures their size.
  osg::ref_ptr<osg::MatrixTransform> scaled = new osg::MatrixTransform;
  scaled->setMatrix(osg::Matrix::scale(to_osg(Vec3(unit_of(*options) * scale))));
  scaled->setDataVariance(osg::Object::STATIC);
  scaled->addChild(node);
  osg::ref_ptr<osg::Group> root = new osg::Group;
  root->addChild(scaled);
  osgUtil::Optimizer().optimize(
      root, osgUtil::Optimizer::FLATTEN_STATIC_TRANSFORMS_DUPLICATING_SHARED_SUBGRAPHS);
  Dress dress(plain);
  root->accept(dress);
  if (!dress.found_faces()) return nullptr;
  // A mirror turns the faces inside out.
  if (scale.prod() < 0.0)
    root->getOrCreateStateSet()->setAttribute(new osg::FrontFace(osg::FrontFace::CLOCKWISE));
  return root;
}

}  // namespace knuckleboom::view
