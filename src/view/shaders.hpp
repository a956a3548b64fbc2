// The programs that colour the picture, and how parts of the scene are set up for them.
#pragma once

#include <osg/Program>
#include <osg/StateSet>
#include <osg/Texture2D>
#include <osg/ref_ptr>

#include "view/quality.hpp"

namespace knuckleboom::view {

// Texture units.
inline constexpr int kColourUnit = 0;
inline constexpr int kDetailUnit = 1;
inline constexpr int kShadowUnit = 2;

// In the order in which they are drawn.
enum class Layer { kMachine = 0, kGround = 1, kFoliage = 2, kSky = 5, kGhost = 10, kOverlay = 20 };

// Which traversals a node takes part in.
inline constexpr unsigned kSeen = 1U;         // every picture
inline constexpr unsigned kCastsShadow = 2U;  // shadow map
inline constexpr unsigned kDecoration = 4U;   // main picture only
inline constexpr unsigned kCabInside = 8U;    // from the operator's seat only
inline constexpr unsigned kCabOutside = 16U;  // from everywhere else

// Solid things: sun with shadow, sky, gloss; colour of the vertex (alpha: gloss) times texture.
osg::ref_ptr<osg::StateSet> solid_state(const QualitySettings& quality, osg::Texture2D* texture);
// The same, not drawn where the texture's alpha is below a quarter.
osg::ref_ptr<osg::StateSet> cut_solid_state(const QualitySettings& quality,
                                            osg::Texture2D* texture);
// Ground: texture over the whole plot (alpha: sunlight that trees let through) times a tiled detail.
osg::ref_ptr<osg::StateSet> ground_state(const QualitySettings& quality, osg::Texture2D* plot,
                                         osg::Texture2D* detail);
// Leaves: shades are in the vertex colours (alpha: how far the wind moves them), alpha of the texture cuts.
osg::ref_ptr<osg::StateSet> foliage_state(osg::Texture2D* texture);
osg::ref_ptr<osg::StateSet> sky_state(osg::Texture2D* clouds);
// Colours as they are, without light or haze; alpha blends.
osg::ref_ptr<osg::StateSet> plain_state(bool in_front_of_all);
// Panes of glass: a faint tint and the sky's reflection.
osg::ref_ptr<osg::StateSet> glass_state();

// What is there in thought only: see-through, of one tint, its outline stronger than its faces. To be drawn
// twice, first depth alone: then only what is in front shows.
osg::ref_ptr<osg::StateSet> ghost_state();

// Depth only, for the shadow map.
osg::ref_ptr<osg::Program> depth_program();

// Uniforms that all programs read, to be kept on the root.
void add_light(osg::StateSet& root);

}  // namespace knuckleboom::view
