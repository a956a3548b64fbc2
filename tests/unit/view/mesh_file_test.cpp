// Meshes as drawn: size, sides and normals.
#include "view/mesh_file.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <osg/ComputeBoundsVisitor>
#include <osg/FrontFace>
#include <osg/Geometry>
#include <osg/NodeVisitor>
#include <unistd.h>

namespace knuckleboom {
namespace {

class MeshFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "knuckleboom_mesh_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  std::filesystem::path folder_;
};

// A tetrahedron with corners at the origin and 1, 2 and 3 along the axes; normals left to the reader.
constexpr const char* kStl = R"(solid t
facet normal 0 0 0
outer loop
vertex 0 0 0
vertex 0 2 0
vertex 1 0 0
endloop
endfacet
facet normal 0 0 0
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 0 3
endloop
endfacet
facet normal 0 0 0
outer loop
vertex 0 0 0
vertex 0 0 3
vertex 0 2 0
endloop
endfacet
facet normal 0 0 0
outer loop
vertex 1 0 0
vertex 0 2 0
vertex 0 0 3
endloop
endfacet
endsolid t
)";
constexpr const char* kObj =
    "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
constexpr const char* kDae = R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="0.01" name="cm"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="12">0 0 0 1 0 0 0 2 0 0 0 3</float_array><technique_common>
<accessor source="#a" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><instance_geometry url="#g"/></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>
)";

osg::BoundingBox box_of(osg::Node& node) {
  osg::ComputeBoundsVisitor bounds;
  node.accept(bounds);
  return bounds.getBoundingBox();
}

// Normals of unit length that lean away from a point inside.
class Normals : public osg::NodeVisitor {
 public:
  explicit Normals(const osg::Vec3& inside)
      : osg::NodeVisitor(TRAVERSE_ALL_CHILDREN), inside_(inside) {}
  void apply(osg::Drawable& drawable) override {
    const osg::Geometry* geometry = drawable.asGeometry();
    ASSERT_NE(geometry, nullptr);
    const auto* p = dynamic_cast<const osg::Vec3Array*>(geometry->getVertexArray());
    const auto* n = dynamic_cast<const osg::Vec3Array*>(geometry->getNormalArray());
    ASSERT_TRUE(p != nullptr && n != nullptr && p->size() == n->size());
    for (std::size_t i = 0; i < p->size(); ++i) {
      EXPECT_NEAR((*n)[i].length(), 1.0F, 1e-4F);
      EXPECT_GT((*n)[i] * ((*p)[i] - inside_), 0.0F)
          << (*p)[i].x() << ' ' << (*p)[i].y() << ' ' << (*p)[i].z() << ", normal " << (*n)[i].x()
          << ' ' << (*n)[i].y() << ' ' << (*n)[i].z();
      ++count;
    }
    const auto* c = dynamic_cast<const osg::Vec4Array*>(geometry->getColorArray());
    ASSERT_NE(c, nullptr);
    EXPECT_FLOAT_EQ((*c)[0].r(), 0.25F);
  }
  int count = 0;

 private:
  osg::Vec3 inside_;
};

constexpr view::Colour kPlain = {0.25, 0.5, 0.75, 0.1};

void expect_size(osg::Node* node, const osg::Vec3& from, const osg::Vec3& to) {
  ASSERT_NE(node, nullptr);
  const osg::BoundingBox box = box_of(*node);
  EXPECT_NEAR((box._min - from).length(), 0.0F, 1e-5F);
  EXPECT_NEAR((box._max - to).length(), 0.0F, 1e-5F);
  Normals normals((from + to) * 0.2F);  // inside the tetrahedron, as its corner is the origin
  node->accept(normals);
  EXPECT_GE(normals.count, 12);
}

TEST_F(MeshFile, IsScaledAndGetsTheNormalsItLacks) {
  const auto stl = write("t.stl", kStl);
  expect_size(view::read_mesh(stl, Vec3(0.1, 0.1, 0.1), kPlain).get(), {0, 0, 0},
              {0.1F, 0.2F, 0.3F});
  expect_size(view::read_mesh(stl, Vec3(1.0, 2.0, 0.5), kPlain).get(), {0, 0, 0},
              {1.0F, 4.0F, 1.5F});
  expect_size(view::read_mesh(write("t.obj", kObj), Vec3::Ones(), kPlain).get(), {0, 0, 0},
              {1.0F, 2.0F, 3.0F});
}

TEST_F(MeshFile, KeepsItsOutsideInAMirror) {
  const osg::ref_ptr<osg::Node> node =
      view::read_mesh(write("t.stl", kStl), Vec3(1.0, -1.0, 1.0), kPlain);
  expect_size(node.get(), {0, -2.0F, 0}, {1.0F, 0, 3.0F});
  const auto* face = dynamic_cast<const osg::FrontFace*>(
      node->getOrCreateStateSet()->getAttribute(osg::StateAttribute::FRONTFACE));
  ASSERT_NE(face, nullptr);
  EXPECT_EQ(face->getMode(), osg::FrontFace::CLOCKWISE);
}

TEST_F(MeshFile, OfColladaHasTheUnitAndTheUpwardAxisItSays) {
  expect_size(view::read_mesh(write("z.dae", kDae), Vec3::Ones(), kPlain).get(), {0, 0, 0},
              {0.01F, 0.02F, 0.03F});
  std::string y_up = kDae;
  y_up.replace(y_up.find("Z_UP"), 4, "Y_UP");
  expect_size(view::read_mesh(write("y.dae", y_up), Vec3::Ones(), kPlain).get(), {0, -0.03F, 0},
              {0.01F, 0, 0.02F});
}

TEST_F(MeshFile, ThatCannotBeReadIsNone) {
  EXPECT_EQ(view::read_mesh(write("a.stl", "no mesh\n"), Vec3::Ones(), kPlain), nullptr);
  EXPECT_EQ(view::read_mesh(write("b.obj", ""), Vec3::Ones(), kPlain), nullptr);
  EXPECT_EQ(view::read_mesh(write("c.stl", "solid c\nendsolid c\n"), Vec3::Ones(), kPlain),
            nullptr);
  EXPECT_EQ(view::read_mesh(write("d.step", "ISO-10303-21;"), Vec3::Ones(), kPlain), nullptr);
  EXPECT_EQ(view::read_mesh(folder_ / "none.stl", Vec3::Ones(), kPlain), nullptr);
}

}  // namespace
}  // namespace knuckleboom
