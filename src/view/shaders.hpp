// The shader programs, and the states of the parts of the scene that use them.
#pragma once

#include <osg/Group>
#include <osg/Program>
#include <osg/StateSet>
#include <osg/Texture2D>
#include <osg/Vec4>
#include <osg/ref_ptr>

#include "view/quality.hpp"

namespace knuckleboom::view {

// Texture units.
inline constexpr int kColourUnit = 0;
inline constexpr int kDetailUnit = 1;
inline constexpr int kShadowUnit = 2;

// In drawing order.
enum class Layer { kMachine = 0, kGround = 1, kFoliage = 2, kSky = 5, kGhost = 10, kOverlay = 20 };

// Traversals of a node.
inline constexpr unsigned kSeen = 1U;         // every view
inline constexpr unsigned kCastsShadow = 2U;  // shadow map
inline constexpr unsigned kDecoration = 4U;   // main view only
inline constexpr unsigned kCabInside = 8U;    // only from the operator's seat
inline constexpr unsigned kCabOutside = 16U;  // from everywhere else

// Solid parts: sun with shadow, sky, gloss; colour of the vertex (alpha: gloss) times texture.
osg::ref_ptr<osg::StateSet> solid_state(const QualitySettings& quality, osg::Texture2D* texture);
// The same, not drawn where the texture's alpha is below a quarter.
osg::ref_ptr<osg::StateSet> cut_solid_state(const QualitySettings& quality,
                                            osg::Texture2D* texture);
// Ground: texture over the whole plot (alpha: sunlight not shaded by trees) times a tiled detail.
osg::ref_ptr<osg::StateSet> ground_state(const QualitySettings& quality, osg::Texture2D* plot,
                                         osg::Texture2D* detail);
// Leaves: shades are in the vertex colours (alpha: motion by wind); the texture's alpha cuts out
// the shape.
osg::ref_ptr<osg::StateSet> foliage_state(osg::Texture2D* texture);
osg::ref_ptr<osg::StateSet> sky_state(osg::Texture2D* clouds);
// Colours as they are, without light or haze; alpha blends.
osg::ref_ptr<osg::StateSet> plain_state(bool in_front_of_all);
// Panes of glass: a faint tint and the sky's reflection.
osg::ref_ptr<osg::StateSet> glass_state();

// Ghosts: transparent, of one tint, the outline stronger than the faces. Drawn twice, first depth
// only, so that only the front faces show.
osg::ref_ptr<osg::StateSet> ghost_state();
// Into this bin and the next.
osg::ref_ptr<osg::Group> as_ghost(osg::Node& node, const osg::Vec4& tint,
                                  int bin = static_cast<int>(Layer::kGhost));

// Depth only, for the shadow map.
osg::ref_ptr<osg::Program> depth_program();

// Uniforms read by all programs, set on the root.
void add_light(osg::StateSet& root);

}  // namespace knuckleboom::view
