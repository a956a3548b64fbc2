// Common parts of every scene: cameras, shadow map, and the viewer in the current OpenGL context.
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

// A group of parent's with a state and node mask of its own.
osg::ref_ptr<osg::Group> add_layer(osg::Group& parent, osg::StateSet* state, unsigned mask);

// Sets matrices, and the uniform that rotates directions back into the world.
void look_through(osg::Camera& camera, const CameraView& view, int width, int height,
                  osg::Uniform& view_to_world);

// A sphere around the shadowed area; it is fixed, so that the map does not shift.
struct ShadowReach {
  Vec3 centre = Vec3(0.0, 0.0, 1.0);
  double radius = 13.0;         // m
  double sun_distance = 45.0;   // of the map's eye [m]
  double normal_offset = 0.03;  // offset of surfaces against self-shadowing [m]
};
// Adds to root the shadow map of world, and the uniforms for reading it.
void add_shadow(const QualitySettings& quality, const ShadowReach& reach, osg::Group& root,
                osg::Group& world);

// An inset view, drawn after the main view in this order.
osg::ref_ptr<osg::Camera> add_inset(osg::Group& root, int order);

// For the main camera's clear colour, light stays off.
struct EmbeddedViewer {
  osg::ref_ptr<osgViewer::Viewer> viewer;
  osg::ref_ptr<osgViewer::GraphicsWindowEmbedded> window;
};
EmbeddedViewer embed(osg::Group& root, const osg::Vec4& clear_colour);

}  // namespace knuckleboom::view
