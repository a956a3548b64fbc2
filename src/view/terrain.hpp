// The ground: the world's height field, and hills beyond its edge, which are only drawn.
#pragma once

#include <osg/Group>
#include <osg/ref_ptr>

#include "view/forest_plan.hpp"
#include "view/image.hpp"
#include "view/quality.hpp"
#include "view/scene_description.hpp"

namespace knuckleboom::view {

// Height of the drawn ground; within its grid the world's own [m].
double surface_height(const world::Ground& ground, double x, double y);

// Colours of the plot, 0 to 1 over the square of this half edge around the origin; alpha: sunlight
// not shaded by trees.
double plot_half_edge(const world::Ground& ground);
Image paint_plot(const SceneDescription& scene, const ForestPlan& plan, int size);

struct TrackGauge {
  double centre = 1.15, width = 0.6, length = 4.2;  // m
};
osg::ref_ptr<osg::Group> build_terrain(const SceneDescription& scene, const ForestPlan& plan,
                                       const TrackGauge& tracks, const QualitySettings& quality);

}  // namespace knuckleboom::view
