#include "view/render.hpp"

#include <algorithm>
#include <numbers>

#include <osg/ColorMask>
#include <osg/GL>
#include <osg/PolygonOffset>
#include <osgViewer/GraphicsWindow>

#include "view/light.hpp"
#include "view/shaders.hpp"

namespace knuckleboom::view {
namespace {

constexpr double kFar = 420.0;  // m
constexpr double kDegrees = 180.0 / std::numbers::pi;

osg::Matrixd view_matrix(const CameraView& view) {
  const auto wide = [](const Vec3& v) { return osg::Vec3d(v.x(), v.y(), v.z()); };
  return osg::Matrixd::lookAt(wide(view.eye), wide(view.target), wide(view.up));
}

osg::ref_ptr<osg::Texture2D> depth_texture(int size) {
  osg::ref_ptr<osg::Texture2D> texture = new osg::Texture2D;
  texture->setTextureSize(size, size);
  texture->setInternalFormat(GL_DEPTH_COMPONENT24);
  texture->setSourceFormat(GL_DEPTH_COMPONENT);
  texture->setSourceType(GL_UNSIGNED_INT);
  texture->setShadowComparison(true);
  texture->setShadowCompareFunc(osg::Texture::LEQUAL);
  texture->setShadowTextureMode(osg::Texture::LUMINANCE);
  texture->setFilter(osg::Texture::MIN_FILTER, osg::Texture::LINEAR);
  texture->setFilter(osg::Texture::MAG_FILTER, osg::Texture::LINEAR);
  texture->setWrap(osg::Texture::WRAP_S, osg::Texture::CLAMP_TO_BORDER);
  texture->setWrap(osg::Texture::WRAP_T, osg::Texture::CLAMP_TO_BORDER);
  texture->setBorderColor(osg::Vec4d(1.0, 1.0, 1.0, 1.0));  // sunlight beyond the map
  return texture;
}

}  // namespace

void look_through(osg::Camera& camera, const CameraView& view, int width, int height,
                  osg::Uniform& view_to_world) {
  const osg::Matrixd matrix = view_matrix(view);
  camera.setViewMatrix(matrix);
  camera.setProjectionMatrixAsPerspective(
      view.fov_y * kDegrees, static_cast<double>(width) / std::max(1, height), view.near_m, kFar);
  view_to_world.set(osg::Matrixf(osg::Matrixd::inverse(matrix)));
}

void add_shadow(const QualitySettings& quality, const ShadowReach& reach, osg::Group& root,
                osg::Group& world) {
  const auto texture = depth_texture(quality.shadow_size);
  osg::ref_ptr<osg::Camera> camera = new osg::Camera;
  camera->setReferenceFrame(osg::Camera::ABSOLUTE_RF);
  camera->setRenderOrder(osg::Camera::PRE_RENDER);
  camera->setRenderTargetImplementation(osg::Camera::FRAME_BUFFER_OBJECT);
  camera->attach(osg::Camera::DEPTH_BUFFER, texture);
  camera->setClearMask(GL_DEPTH_BUFFER_BIT);
  camera->setViewport(0, 0, quality.shadow_size, quality.shadow_size);
  camera->setComputeNearFarMode(osg::Camera::DO_NOT_COMPUTE_NEAR_FAR);
  camera->setCullMask(kCastsShadow);
  camera->setImplicitBufferAttachmentMask(0, 0);
  camera->setDrawBuffer(GL_NONE);
  camera->setReadBuffer(GL_NONE);

  const Vec3 eye = reach.centre + reach.sun_distance * sun_direction();
  camera->setViewMatrixAsLookAt(osg::Vec3d(eye.x(), eye.y(), eye.z()),
                                osg::Vec3d(reach.centre.x(), reach.centre.y(), reach.centre.z()),
                                osg::Vec3d(0.0, 0.0, 1.0));
  camera->setProjectionMatrixAsOrtho(-reach.radius, reach.radius, -reach.radius, reach.radius, 5.0,
                                     2.0 * reach.sun_distance);
  osg::StateSet& read = *root.getOrCreateStateSet();
  read.addUniform(new osg::Uniform(
      "u_world_to_shadow",
      osg::Matrixf(camera->getViewMatrix() * camera->getProjectionMatrix() *
                   osg::Matrixd::translate(1.0, 1.0, 1.0) * osg::Matrixd::scale(0.5, 0.5, 0.5))));
  read.addUniform(
      new osg::Uniform("u_shadow_texel", 1.0F / static_cast<float>(quality.shadow_size)));
  read.addUniform(new osg::Uniform("u_shadow_lift", static_cast<float>(reach.normal_offset)));

  osg::StateSet& state = *camera->getOrCreateStateSet();
  const unsigned forced = osg::StateAttribute::ON | osg::StateAttribute::OVERRIDE;
  state.setAttributeAndModes(depth_program(), forced);
  state.setAttributeAndModes(new osg::PolygonOffset(1.6F, 4.0F), forced);
  state.setMode(GL_POLYGON_OFFSET_FILL, forced);
  state.setAttribute(new osg::ColorMask(false, false, false, false), forced);
  camera->addChild(&world);
  root.addChild(camera);
  world.getOrCreateStateSet()->setTextureAttributeAndModes(kShadowUnit, texture);
}

osg::ref_ptr<osg::Group> add_layer(osg::Group& parent, osg::StateSet* state, unsigned mask) {
  osg::ref_ptr<osg::Group> layer = new osg::Group;
  layer->setStateSet(state);
  layer->setNodeMask(mask);
  parent.addChild(layer);
  return layer;
}

osg::ref_ptr<osg::Camera> add_inset(osg::Group& root, int order) {
  osg::ref_ptr<osg::Camera> camera = new osg::Camera;
  camera->setReferenceFrame(osg::Camera::ABSOLUTE_RF);
  camera->setRenderOrder(osg::Camera::POST_RENDER, order);
  camera->setClearMask(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  camera->setComputeNearFarMode(osg::Camera::DO_NOT_COMPUTE_NEAR_FAR);
  root.addChild(camera);
  return camera;
}

EmbeddedViewer embed(osg::Group& root, const osg::Vec4& clear_colour) {
  EmbeddedViewer out;
  out.viewer = new osgViewer::Viewer;
  out.viewer->setThreadingModel(osgViewer::ViewerBase::SingleThreaded);
  out.viewer->setKeyEventSetsDone(0);
  out.viewer->setReleaseContextAtEndOfFrameHint(false);
  out.viewer->setLightingMode(osg::View::NO_LIGHT);
  out.window = out.viewer->setUpViewerAsEmbeddedInWindow(0, 0, 64, 64);
  osg::Camera& main = *out.viewer->getCamera();
  main.setComputeNearFarMode(osg::Camera::DO_NOT_COMPUTE_NEAR_FAR);
  main.setProjectionResizePolicy(osg::Camera::FIXED);
  main.setClearColor(clear_colour);
  out.viewer->setSceneData(&root);
  return out;
}

}  // namespace knuckleboom::view
