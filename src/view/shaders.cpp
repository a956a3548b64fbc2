#include "view/shaders.hpp"

#include <string>

#include <osg/BlendFunc>
#include <osg/ColorMask>
#include <osg/CullFace>
#include <osg/Depth>
#include <osg/Group>
#include <osg/Shader>
#include <osg/Uniform>

#include "view/light.hpp"

namespace knuckleboom::view {
namespace {

const char* const kCommonVertex = R"(
uniform mat4 u_view_to_world;
uniform mat4 u_world_to_shadow;
uniform float u_haze_length;
varying vec4 v_colour;
varying float v_clear;  // share that the haze leaves

float clear_share(vec3 p_view) {
  vec3 x = p_view / u_haze_length;
  return exp(-dot(x, x));
}
)";

const char* const kCommonFragment = R"(
uniform vec3 u_sun, u_sun_light, u_sky_light, u_ground_light, u_haze, u_zenith;
varying vec4 v_colour;
varying float v_clear;

#ifdef SHADOW_TAPS
uniform sampler2DShadow u_shadow_map;
uniform float u_shadow_texel;
varying vec3 v_shadow;
float sun_share() {
#if SHADOW_TAPS > 1
  float d = 0.75 * u_shadow_texel;
  return 0.25 * (shadow2D(u_shadow_map, v_shadow + vec3(-d, -0.4 * d, 0.0)).r +
                 shadow2D(u_shadow_map, v_shadow + vec3(0.4 * d, -d, 0.0)).r +
                 shadow2D(u_shadow_map, v_shadow + vec3(d, 0.4 * d, 0.0)).r +
                 shadow2D(u_shadow_map, v_shadow + vec3(-0.4 * d, d, 0.0)).r);
#else
  return shadow2D(u_shadow_map, v_shadow).r;
#endif
}
#else
float sun_share() { return 1.0; }
#endif
)";

const char* const kSolidVertex = R"(
varying vec3 v_n, v_to_eye;
varying vec2 v_uv;
#ifdef SHADOW_TAPS
uniform float u_shadow_lift;  // m
varying vec3 v_shadow;
#endif
void main() {
  vec4 p = gl_ModelViewMatrix * gl_Vertex;
  mat3 R = mat3(u_view_to_world[0].xyz, u_view_to_world[1].xyz, u_view_to_world[2].xyz);
  v_n = R * (gl_NormalMatrix * gl_Normal);
  v_to_eye = -(R * p.xyz);
  v_uv = gl_MultiTexCoord0.xy;
  v_colour = gl_Color;
  v_clear = clear_share(p.xyz);
#ifdef SHADOW_TAPS
  v_shadow = (u_world_to_shadow * (u_view_to_world * p + vec4(u_shadow_lift * normalize(v_n), 0.0))).xyz;
#endif
  gl_Position = gl_ProjectionMatrix * p;
}
)";

const char* const kSolidFragment = R"(
uniform sampler2D u_texture;
varying vec3 v_n, v_to_eye;
varying vec2 v_uv;
void main() {
  vec3 n = normalize(v_n);
  vec3 e = normalize(v_to_eye);
  vec4 t = texture2D(u_texture, v_uv);
#ifdef CUT
  if (t.a < 0.25) discard;
#endif
  vec3 base = v_colour.rgb * t.rgb;
  float gloss = v_colour.a * t.a;
  float sun = max(dot(n, u_sun), 0.0);
  if (sun > 0.0) sun *= sun_share();
  vec3 ambient = mix(u_ground_light, u_sky_light, 0.5 + 0.5 * n.z);
  float s = max(dot(n, normalize(u_sun + e)), 0.0);
  s *= s; s *= s; s *= s; s *= s; s *= s;
  vec3 r = reflect(-e, n);
  float rim = 1.0 - max(dot(n, e), 0.0);
  vec3 mirror = mix(u_ground_light, mix(u_haze, u_zenith, max(r.z, 0.0)), smoothstep(-0.15, 0.15, r.z));
  vec3 c = base * (ambient + u_sun_light * sun);
  c += gloss * (min(sun * 4.0, 1.0) * s * 1.1 * u_sun_light);
  c = mix(c, mirror, gloss * (0.14 + 0.5 * rim * rim * rim));
  gl_FragColor = vec4(mix(u_haze, c, v_clear), 1.0);
}
)";

const char* const kGroundVertex = R"(
varying float v_sun;
varying vec4 v_uv;
#ifdef SHADOW_TAPS
varying vec3 v_shadow;
#endif
uniform vec3 u_sun;
void main() {
  vec4 p = gl_ModelViewMatrix * gl_Vertex;
  v_sun = max(dot(gl_Normal, u_sun), 0.0);
  v_uv = vec4(gl_MultiTexCoord0.xy, gl_Vertex.xy * 0.36);
  v_colour = gl_Color;
  v_clear = clear_share(p.xyz);
#ifdef SHADOW_TAPS
  v_shadow = (u_world_to_shadow * (u_view_to_world * p)).xyz;
#endif
  gl_Position = gl_ProjectionMatrix * p;
}
)";

const char* const kGroundFragment = R"(
uniform sampler2D u_texture, u_detail;
varying float v_sun;
varying vec4 v_uv;
void main() {
  vec4 plot = texture2D(u_texture, v_uv.xy);
  vec3 detail = texture2D(u_detail, v_uv.zw).rgb;
#ifdef FINE_GROUND
  detail = detail * (0.45 + 1.2 * texture2D(u_detail, v_uv.wz * 3.7 + 0.31).g) *
           (0.55 + texture2D(u_detail, v_uv.zw * 0.13).g);
#endif
  float sun = v_sun * plot.a;
  if (sun > 0.0) sun *= sun_share();
  vec3 c = 2.0 * v_colour.rgb * plot.rgb * detail * (u_sky_light + u_sun_light * sun);
  gl_FragColor = vec4(mix(u_haze, c, v_clear), 1.0);
}
)";

const char* const kFoliageVertex = R"(
uniform float u_time;
varying vec2 v_uv;
void main() {
  vec4 q = gl_Vertex;
  float phase = 0.35 * (q.x + q.y);
  q.xy += gl_Color.a * 0.14 * vec2(sin(1.1 * u_time + phase), cos(1.37 * u_time + 1.3 * phase));
  vec4 p = gl_ModelViewMatrix * q;
  v_uv = gl_MultiTexCoord0.xy;
  v_colour = gl_Color;
  v_clear = clear_share(p.xyz);
  gl_Position = gl_ProjectionMatrix * p;
}
)";

const char* const kFoliageFragment = R"(
uniform sampler2D u_texture;
varying vec2 v_uv;
void main() {
  vec4 t = texture2D(u_texture, v_uv);
  if (t.a < 0.5) discard;
  gl_FragColor = vec4(mix(u_haze, 1.6 * v_colour.rgb * t.rgb, v_clear), 1.0);
}
)";

const char* const kSkyVertex = R"(
varying vec3 v_direction;
void main() {
  v_direction = gl_Vertex.xyz;
  v_colour = gl_Color;
  v_clear = 1.0;
  vec3 p = mat3(gl_ModelViewMatrix[0].xyz, gl_ModelViewMatrix[1].xyz, gl_ModelViewMatrix[2].xyz) *
           gl_Vertex.xyz;
  gl_Position = (gl_ProjectionMatrix * vec4(p, 1.0)).xyww;
}
)";

const char* const kSkyFragment = R"(
uniform sampler2D u_texture;
varying vec3 v_direction;
void main() {
  vec3 d = normalize(v_direction);
  float up = max(d.z, 0.0);
  vec3 c = mix(u_haze, u_zenith, 1.0 - exp(-3.2 * up));
  vec2 uv = d.xy / (up + 0.22);
  float cloud = texture2D(u_texture, 0.21 * uv).r * smoothstep(0.02, 0.22, up);
  float near_sun = max(dot(d, u_sun), 0.0);
  c = mix(c, vec3(0.97, 0.97, 0.96) - 0.10 * (1.0 - near_sun), 0.85 * cloud);
  float glow = near_sun * near_sun; glow *= glow; glow *= glow;
  float disc = glow * glow; disc *= disc; disc *= disc; disc *= disc; disc *= disc;
  c += u_sun_light * (0.22 * glow * (1.0 - up * 0.5) + 0.9 * disc);
  gl_FragColor = vec4(c, 1.0);
}
)";

const char* const kPlainVertex = R"(
void main() {
  v_colour = gl_Color;
  v_clear = 1.0;
  gl_Position = gl_ModelViewProjectionMatrix * gl_Vertex;
}
)";

const char* const kPlainFragment = R"(
uniform vec4 u_tint;
void main() { gl_FragColor = v_colour * u_tint; }
)";

const char* const kGlassFragment = R"(
varying vec3 v_n, v_to_eye;
void main() {
  vec3 n = normalize(v_n);
  vec3 e = normalize(v_to_eye);
  if (dot(n, e) < 0.0) n = -n;
  vec3 r = reflect(-e, n);
  float rim = 1.0 - max(dot(n, e), 0.0);
  float mirror = 0.10 + 0.75 * rim * rim * rim;
  float s = max(dot(n, normalize(u_sun + e)), 0.0);
  s *= s; s *= s; s *= s; s *= s; s *= s; s *= s;
  vec3 sky = mix(vec3(0.16, 0.20, 0.16), mix(u_haze, u_zenith, max(r.z, 0.0)), smoothstep(-0.1, 0.25, r.z));
  vec3 c = mix(v_colour.rgb, sky, mirror / (mirror + v_colour.a)) + s * u_sun_light;
  gl_FragColor = vec4(c, min(1.0, v_colour.a + mirror + s));
}
)";

const char* const kGhostFragment = R"(
uniform vec4 u_tint;
varying vec3 v_n, v_to_eye;
void main() {
  vec3 n = normalize(v_n);
  float facing = abs(dot(n, normalize(v_to_eye)));
  float rim = 1.0 - facing;
  float light = 0.62 + 0.38 * dot(n, u_sun);
  gl_FragColor = vec4(u_tint.rgb * light, min(1.0, u_tint.a * (0.55 + 1.6 * rim * rim)));
}
)";

const char* const kDepthVertex = R"(
#version 120
void main() { gl_Position = gl_ModelViewProjectionMatrix * gl_Vertex; }
)";

const char* const kDepthFragment = R"(
#version 120
void main() { gl_FragColor = vec4(1.0); }
)";

osg::ref_ptr<osg::Program> make_program(const char* name, const std::string& defines,
                                        const char* vertex, const char* fragment) {
  const std::string head = "#version 120\n" + defines;
  osg::ref_ptr<osg::Program> program = new osg::Program;
  program->setName(name);
  program->addShader(new osg::Shader(osg::Shader::VERTEX, head + kCommonVertex + vertex));
  program->addShader(new osg::Shader(osg::Shader::FRAGMENT, head + kCommonFragment + fragment));
  return program;
}

std::string shadow_defines(const QualitySettings& quality) {
  if (quality.shadow_size <= 0) return "";
  return "#define SHADOW_TAPS " + std::to_string(quality.shadow_taps) + "\n";
}

osg::ref_ptr<osg::StateSet> make_state(osg::Program* program, Layer layer) {
  osg::ref_ptr<osg::StateSet> state = new osg::StateSet;
  state->setAttributeAndModes(program);
  state->setRenderBinDetails(static_cast<int>(layer), "RenderBin");
  state->addUniform(new osg::Uniform("u_texture", kColourUnit));
  return state;
}

void use_texture(osg::StateSet& state, int unit, osg::Texture2D* texture) {
  state.setTextureAttributeAndModes(static_cast<unsigned>(unit), texture);
}

osg::ref_ptr<osg::StateSet> make_solid_state(const std::string& defines, osg::Texture2D* texture) {
  auto state =
      make_state(make_program("solid", defines, kSolidVertex, kSolidFragment), Layer::kMachine);
  use_texture(*state, kColourUnit, texture);
  state->setAttributeAndModes(new osg::CullFace(osg::CullFace::BACK));
  return state;
}

void blend(osg::StateSet& state) {
  state.setAttributeAndModes(
      new osg::BlendFunc(osg::BlendFunc::SRC_ALPHA, osg::BlendFunc::ONE_MINUS_SRC_ALPHA));
  state.setMode(GL_BLEND, osg::StateAttribute::ON);
}

osg::Vec3f rgb(const Colour& c) {
  return {static_cast<float>(c.r), static_cast<float>(c.g), static_cast<float>(c.b)};
}

}  // namespace

osg::ref_ptr<osg::StateSet> solid_state(const QualitySettings& quality, osg::Texture2D* texture) {
  return make_solid_state(shadow_defines(quality), texture);
}

osg::ref_ptr<osg::StateSet> cut_solid_state(const QualitySettings& quality,
                                            osg::Texture2D* texture) {
  auto state = make_solid_state(shadow_defines(quality) + "#define CUT\n", texture);
  // On the ground: drawn after it.
  state->setRenderBinDetails(static_cast<int>(Layer::kGround), "RenderBin");
  return state;
}

osg::ref_ptr<osg::StateSet> ground_state(const QualitySettings& quality, osg::Texture2D* plot,
                                         osg::Texture2D* detail) {
  std::string defines = shadow_defines(quality);
  if (quality.fine_ground) defines += "#define FINE_GROUND\n";
  auto state =
      make_state(make_program("ground", defines, kGroundVertex, kGroundFragment), Layer::kGround);
  state->addUniform(new osg::Uniform("u_detail", kDetailUnit));
  use_texture(*state, kColourUnit, plot);
  use_texture(*state, kDetailUnit, detail);
  state->setAttributeAndModes(new osg::CullFace(osg::CullFace::BACK));
  return state;
}

osg::ref_ptr<osg::StateSet> foliage_state(osg::Texture2D* texture) {
  auto state =
      make_state(make_program("foliage", "", kFoliageVertex, kFoliageFragment), Layer::kFoliage);
  use_texture(*state, kColourUnit, texture);
  return state;
}

osg::ref_ptr<osg::StateSet> sky_state(osg::Texture2D* clouds) {
  auto state = make_state(make_program("sky", "", kSkyVertex, kSkyFragment), Layer::kSky);
  use_texture(*state, kColourUnit, clouds);
  state->setAttributeAndModes(new osg::Depth(osg::Depth::LEQUAL, 0.0, 1.0, false));
  return state;
}

osg::ref_ptr<osg::StateSet> plain_state(bool in_front_of_all) {
  auto state = make_state(make_program("plain", "", kPlainVertex, kPlainFragment), Layer::kOverlay);
  blend(*state);
  state->setAttributeAndModes(
      new osg::Depth(in_front_of_all ? osg::Depth::ALWAYS : osg::Depth::LEQUAL, 0.0, 1.0, false));
  return state;
}

osg::ref_ptr<osg::StateSet> glass_state() {
  auto state = make_state(make_program("glass", "", kSolidVertex, kGlassFragment), Layer::kOverlay);
  state->setRenderBinDetails(static_cast<int>(Layer::kOverlay) - 5, "DepthSortedBin");
  blend(*state);
  state->setAttributeAndModes(new osg::Depth(osg::Depth::LEQUAL, 0.0, 1.0, false));
  return state;
}

osg::ref_ptr<osg::StateSet> ghost_state() {
  auto state = make_state(make_program("ghost", "", kSolidVertex, kGhostFragment), Layer::kGhost);
  blend(*state);
  state->setAttributeAndModes(new osg::CullFace(osg::CullFace::BACK));
  return state;
}

osg::ref_ptr<osg::Group> as_ghost(osg::Node& node, const osg::Vec4& tint, int bin) {
  osg::ref_ptr<osg::Group> depth = new osg::Group;
  osg::StateSet& first = *depth->getOrCreateStateSet();
  first.setAttributeAndModes(new osg::ColorMask(false, false, false, false),
                             osg::StateAttribute::ON | osg::StateAttribute::OVERRIDE);
  first.setRenderBinDetails(bin, "RenderBin");
  depth->addChild(&node);
  osg::ref_ptr<osg::Group> colour = new osg::Group;
  osg::StateSet& second = *colour->getOrCreateStateSet();
  second.setAttributeAndModes(new osg::Depth(osg::Depth::LEQUAL, 0.0, 1.0, false),
                              osg::StateAttribute::ON | osg::StateAttribute::OVERRIDE);
  second.setRenderBinDetails(bin + 1, "RenderBin");
  colour->addChild(&node);
  osg::ref_ptr<osg::Group> both = new osg::Group;
  both->addChild(depth);
  both->addChild(colour);
  both->getOrCreateStateSet()->addUniform(new osg::Uniform("u_tint", tint));
  return both;
}

osg::ref_ptr<osg::Program> depth_program() {
  osg::ref_ptr<osg::Program> program = new osg::Program;
  program->setName("depth");
  program->addShader(new osg::Shader(osg::Shader::VERTEX, kDepthVertex));
  program->addShader(new osg::Shader(osg::Shader::FRAGMENT, kDepthFragment));
  return program;
}

void add_light(osg::StateSet& root) {
  root.addUniform(new osg::Uniform("u_sun", to_osg(sun_direction())));
  root.addUniform(new osg::Uniform("u_sun_light", rgb(kSunLight)));
  root.addUniform(new osg::Uniform("u_sky_light", rgb(kSkyLight)));
  root.addUniform(new osg::Uniform("u_ground_light", rgb(kGroundLight)));
  root.addUniform(new osg::Uniform("u_haze", rgb(kHaze)));
  root.addUniform(new osg::Uniform("u_zenith", rgb(kZenith)));
  root.addUniform(new osg::Uniform("u_haze_length", static_cast<float>(kHazeLength)));
  root.addUniform(new osg::Uniform("u_shadow_map", kShadowUnit));
}

}  // namespace knuckleboom::view
