// What every scene is drawn with: cameras, shadow map, and the viewer in the current OpenGL context.
#pragma once

#include <osg/Camera>
#include <osg/Group>
#include <osg/Texture2D>
#include <osg/Uniform>
#include <osg/ref_ptr>
#include <osgViewer/Viewer>

#include "view/cameras.hpp"
#include "view/quality.hpp"

namespace knuckleboom::view {

// Sets matrices, and the uniform that turns directions back into the world.
void look_through(osg::Camera& camera, const CameraView& view, int width, int height,
                  osg::Uniform& view_to_world);

// A ball around the place where shadows fall; it stays, so that the map does not swim.
struct ShadowReach {
  Vec3 centre = Vec3(0.0, 0.0, 1.0);
  double radius = 13.0;         // m
  double sun_distance = 45.0;   // of the map's eye [m]
  double normal_offset = 0.03;  // that surfaces are lifted by, against shadows on themselves [m]
};
// Adds to root the map of what casts shadows in world, and the uniforms that it is read with.
void add_shadow(const QualitySettings& quality, const ShadowReach& reach, osg::Group& root,
                osg::Group& world);

// A picture in the picture, drawn after the main one in this order.
osg::ref_ptr<osg::Camera> add_inset(osg::Group& root, int order);

// For the main camera's clear colour, light stays off.
struct EmbeddedViewer {
  osg::ref_ptr<osgViewer::Viewer> viewer;
  osg::ref_ptr<osgViewer::GraphicsWindowEmbedded> window;
};
EmbeddedViewer embed(osg::Group& root, const osg::Vec4& clear_colour);

}  // namespace knuckleboom::view
