#include "view/forest.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include "knuckleboom/core/math/turn_between.hpp"
#include "view/light.hpp"
#include "view/noise.hpp"
#include "view/render.hpp"
#include "view/shaders.hpp"
#include "view/terrain.hpp"
#include "view/textures.hpp"
#include "view/turn.hpp"

namespace knuckleboom::view {
namespace {

constexpr double kCell = 22.0;       // edge of a piece of wood [m]
constexpr double kBrightness = 1.6;  // of the foliage shader

struct Cell {
  MeshBuilder leaves, bark, solid, near_bark;
};

// A shade as the foliage shader takes it: light on the leaves, and how far they sway.
Colour leaf_shade(double light, double sway, const Colour& tint = {1.0, 1.0, 1.0}) {
  const double k = light / kBrightness;
  return {k * tint.r, k * tint.g, k * tint.b, std::clamp(sway, 0.0, 1.0)};
}

// Picture of a plant on a standing rectangle; shades at the foot and the top.
void add_card(MeshBuilder& mesh, const Patch& patch, const std::array<Vec3, 4>& corner,
              const std::array<Colour, 4>& shade, bool mirrored) {
  const double u0 = mirrored ? patch.u1 : patch.u0;
  const double u1 = mirrored ? patch.u0 : patch.u1;
  const std::array<Vec2, 4> uv = {Vec2{u0, patch.v0}, Vec2{u1, patch.v0}, Vec2{u1, patch.v1},
                                  Vec2{u0, patch.v1}};
  std::array<unsigned, 4> v{};
  for (std::size_t i = 0; i < 4; ++i) {
    mesh.set_colour(shade[i]);
    v[i] = mesh.vertex(corner[i], Vec3::UnitZ(), uv[i].x, uv[i].y);
  }
  mesh.index(v[0], v[1], v[2]);
  mesh.index(v[0], v[2], v[3]);
}

Leaf picture_of(const Tree& tree) {
  if (tree.species == Species::kPine) return Leaf::kPine;
  if (tree.species == Species::kBirch) return Leaf::kBirch;
  return tree.seed % 3 == 0 ? Leaf::kSpruceB : Leaf::kSpruceA;
}

void add_flat_tree(MeshBuilder& mesh, const Tree& tree, const Vec3& foot) {
  Random random(tree.seed);
  const double width =
      tree.height * (tree.species == Species::kSpruce ? 0.36 : 0.40) * random.in(0.85, 1.15);
  const double turn = random.in(0.0, std::numbers::pi);
  const Vec3 top(tree.lean_x, tree.lean_y, tree.height);
  const Colour tint = {1.0 + random.around(0.0, 0.10), 1.0, 1.0 + random.around(0.0, 0.10)};
  for (int k = 0; k < 2; ++k) {
    const double angle = turn + 0.5 * std::numbers::pi * k;
    const Vec3 half = 0.5 * width * Vec3(std::cos(angle), std::sin(angle), 0.0);
    // The side towards the sun is lighter.
    const double side = 0.13 * half.normalized().dot(sun_direction());
    const Colour low_a = leaf_shade(0.62 * tree.tone, 0.0, tint);
    const Colour low_b = leaf_shade(0.62 * tree.tone, 0.0, tint);
    const Colour high_a = leaf_shade((1.30 - side) * tree.tone, 0.8, tint);
    const Colour high_b = leaf_shade((1.30 + side) * tree.tone, 0.8, tint);
    add_card(mesh, patch(picture_of(tree)),
             {foot - half - 0.15 * Vec3::UnitZ(), foot + half - 0.15 * Vec3::UnitZ(),
              foot + top + half, foot + top - half},
             {low_a, low_b, high_b, high_a}, (tree.seed >> 4U) % 2 == 0);
  }
}

double trunk_radius(const Tree& tree, double z) {
  const double t = z / tree.height;
  const double flare = 0.35 * std::exp(-z / 0.22);
  return tree.radius * (std::pow(1.0 - t, 0.75) * 0.93 + 0.07 + flare);
}

Colour bark_colour(Species species, double t) {
  if (species == Species::kSpruce) return {0.66, 0.56, 0.48, 0.05};
  if (species == Species::kBirch)
    return mix({0.75, 0.72, 0.68, 0.08}, {1.3, 1.28, 1.22, 0.08}, std::clamp(t * 12.0, 0.0, 1.0));
  return mix({0.70, 0.58, 0.48, 0.05}, {1.05, 0.66, 0.40, 0.05},
             std::clamp((t - 0.3) / 0.25, 0.0, 1.0));
}

void add_trunk(MeshBuilder& mesh, const Tree& tree, const Vec3& foot, double detail) {
  const int sides =
      std::clamp(static_cast<int>((tree.in_reach ? 12 : 7) * std::sqrt(detail)), 6, 16);
  std::vector<double> heights = {-0.3, 0.0, 0.12, 0.35, 0.8};
  for (int i = 1; i <= 6; ++i) heights.push_back(0.8 + (tree.height - 0.8) * i / 6.0);
  Random random(tree.seed);
  unsigned last = 0;
  const double phase = random.in(0.0, kTwoPi);
  const double repeats = std::max(1.0, std::round(kTwoPi * tree.radius / 0.5));
  for (std::size_t i = 0; i < heights.size(); ++i) {
    const double z = heights[i];
    const double t = std::max(0.0, z / tree.height);
    const Vec3 centre = foot + Vec3(t * tree.lean_x, t * tree.lean_y, z);
    const double radius = trunk_radius(tree, std::max(0.0, z));
    // Bark is darker where the ground shades it.
    mesh.set_colour((0.75 + 0.25 * std::min(1.0, std::max(0.0, z))) * tree.tone *
                    bark_colour(tree.species, t));
    unsigned first = 0;
    for (int k = 0; k <= sides; ++k) {
      const double angle = kTwoPi * k / sides;
      // Roots make the foot uneven.
      const double root =
          1.0 + 0.22 * std::exp(-std::max(0.0, z) / 0.18) * std::sin(4.0 * angle + phase);
      const Vec3 out(std::cos(angle), std::sin(angle), 0.0);
      const unsigned v =
          mesh.vertex(centre + radius * root * out, out, repeats * k / sides, 0.55 * z);
      if (k == 0) first = v;
    }
    if (i > 0)
      for (unsigned k = 0; k < static_cast<unsigned>(sides); ++k) {
        mesh.index(last + k, last + k + 1, first + k + 1);
        mesh.index(last + k, first + k + 1, first + k);
      }
    last = first;
  }
}

// Paint about a tree that is to go.
void add_mark(MeshBuilder& mesh, const Tree& tree) {
  constexpr double kLow = 1.3, kHigh = 1.5, kPaint = 0.006;  // m
  mesh.set_colour({1.0, 0.3, 0.05, 0.05});
  mesh.cylinder(Vec3(0.0, 0.0, kLow), Vec3(0.0, 0.0, kHigh), trunk_radius(tree, kLow) + kPaint,
                trunk_radius(tree, kHigh) + kPaint, false, 14);
}

// Branch as a card from the trunk outwards, tilted about itself.
void add_branch(MeshBuilder& mesh, Leaf leaf, const Vec3& base, const Vec3& along, double roll,
                double size, double width, double inner, double outer, double sway) {
  const Vec3 flat = Vec3::UnitZ().cross(along).normalized();
  const Vec3 up = along.cross(flat).normalized();
  const Vec3 half = 0.5 * width * (std::cos(roll) * up + std::sin(roll) * flat);
  const Vec3 tip = base + size * along;
  const Colour dark = leaf_shade(inner, 0.2 * sway);
  const Colour light = leaf_shade(outer, sway);
  add_card(mesh, patch(leaf), {base - half, tip - half, tip + half, base + half},
           {dark, light, light, dark}, false);
}

void add_crown(MeshBuilder& mesh, const Tree& tree, const Vec3& foot, double detail) {
  Random random(tree.seed + 3);
  const double from = tree.crown_from * tree.height;
  const double span = tree.height - from;
  const double widest =
      tree.species == Species::kSpruce ? 0.15 * tree.height + 0.35 : 0.14 * tree.height + 0.4;
  const double density = tree.in_reach ? std::sqrt(detail) * 1.2 : std::sqrt(detail);
  const double gap = (tree.species == Species::kSpruce ? 0.46 : 0.52) / density;
  const Leaf leaf = tree.species == Species::kSpruce ? Leaf::kSpruceBranch
                    : tree.species == Species::kPine ? Leaf::kPineBranch
                                                     : Leaf::kBirchBranch;
  for (double z = 0.0; z < span - 0.3; z += gap) {
    const double c = z / span;
    const double shape = tree.species == Species::kSpruce
                             ? std::pow(1.0 - c, 0.75) * (0.55 + 0.45 * std::min(1.0, c / 0.12))
                             : std::sqrt(std::max(0.05, 1.0 - std::pow(2.0 * c - 0.9, 2.0)));
    const int count = 5 + (shape > 0.5 ? 1 : 0);
    const double turn = random.in(0.0, kTwoPi);
    for (int k = 0; k < count; ++k) {
      const double angle = turn + kTwoPi * (k + random.around(0.0, 0.25)) / count;
      const double size = widest * shape * random.in(0.75, 1.1);
      const double pitch = tree.species == Species::kSpruce ? random.in(-0.42, -0.08) + 0.5 * c * c
                                                            : random.in(-0.15, 0.65);
      const Vec3 along(std::cos(angle) * std::cos(pitch), std::sin(angle) * std::cos(pitch),
                       std::sin(pitch));
      const double t = (from + z) / tree.height;
      const Vec3 base =
          foot + Vec3(t * tree.lean_x, t * tree.lean_y, from + z + random.around(0.0, 0.5 * gap));
      const Vec3 out(along.x(), along.y(), 0.35);
      const double sun = std::max(0.0, out.normalized().dot(sun_direction()));
      const double outer = tree.tone * (0.62 + 0.95 * sun) * (0.75 + 0.35 * c);
      add_branch(mesh, leaf, base, along, random.around(0.0, 1.0), size, size * 0.62 + 0.25,
                 0.45 * outer, outer, 0.5 + 0.4 * t);
    }
  }
  // Top shoot.
  const Patch top = patch(Leaf::kSapling);
  const Vec3 tip = foot + Vec3(tree.lean_x, tree.lean_y, tree.height);
  if (tree.species == Species::kSpruce)
    for (int k = 0; k < 2; ++k) {
      const double angle = random.in(0.0, kTwoPi);
      const Vec3 half = 0.055 * tree.height * Vec3(std::cos(angle), std::sin(angle), 0.0);
      const Vec3 down(0.0, 0.0, -0.16 * tree.height);
      const Colour c = leaf_shade(1.15 * tree.tone, 1.0);
      add_card(mesh, top, {tip + down - half, tip + down + half, tip + half, tip - half},
               {c, c, c, c}, false);
    }
  // Dead twigs below the crown.
  for (double z = 1.7; z < from; z += 0.55 / density) {
    const double angle = random.in(0.0, kTwoPi);
    const Vec3 along =
        Vec3(std::cos(angle), std::sin(angle), random.around(-0.15, 0.2)).normalized();
    if (tree.species == Species::kBirch && random.next() < 0.6) continue;
    add_branch(mesh, Leaf::kTwig, foot + Vec3(0.0, 0.0, z), along, random.around(0.0, 1.2),
               random.in(0.35, 0.9), 0.45, 0.7, 0.85, 0.2);
  }
}

void add_tuft(MeshBuilder& mesh, const Tuft& tuft, const Vec3& foot, double light) {
  Random random(tuft.seed);
  Leaf leaf = Leaf::kGrass;
  double aspect = 1.0;
  switch (tuft.plant) {
    case Plant::kFern:
      leaf = Leaf::kFern;
      aspect = 1.5;
      break;
    case Plant::kGrass:
      break;
    case Plant::kBerries:
      leaf = Leaf::kBerries;
      aspect = 1.25;
      break;
    case Plant::kSapling:
      leaf = Leaf::kSapling;
      aspect = 0.75;
      break;
  }
  const double turn = random.in(0.0, std::numbers::pi);
  const double tone = light * random.in(0.8, 1.15);
  const Colour tint = {1.0 + random.around(0.0, 0.12), 1.0, 1.0};
  for (int k = 0; k < 2; ++k) {
    const double angle = turn + 0.5 * std::numbers::pi * k;
    const Vec3 half = 0.5 * aspect * tuft.size * Vec3(std::cos(angle), std::sin(angle), 0.0);
    const Vec3 up(random.around(0.0, 0.12) * tuft.size, random.around(0.0, 0.12) * tuft.size,
                  tuft.size);
    const Colour low = leaf_shade(0.6 * tone, 0.0, tint);
    const Colour high = leaf_shade(1.25 * tone, 0.35, tint);
    add_card(mesh, patch(leaf), {foot - half, foot + half, foot + up + half, foot + up - half},
             {low, low, high, high}, k == 1);
  }
}

// A ball pushed in and out by noise, moss on top.
void add_stone(MeshBuilder& mesh, const Stone& stone, const Vec3& foot) {
  const int n = stone.size < 0.2 ? 6 : 9;
  const int rings = n / 2 + 1;
  Random random(stone.seed);
  const Vec3 stretch(random.in(0.8, 1.3), random.in(0.8, 1.3), random.in(0.5, 0.8));
  const double tone = random.in(0.8, 1.1);
  const auto point = [&](int i, int k) -> Vec3 {
    const double polar = std::numbers::pi * i / rings;
    const double angle = kTwoPi * (k % n) / n;
    const Vec3 out(std::sin(polar) * std::cos(angle), std::sin(polar) * std::sin(angle),
                   std::cos(polar));
    const double bump = 0.72 + 0.56 * noise(3.0 + 1.6 * out.x() + 0.7 * out.z(),
                                            3.0 + 1.6 * out.y() - 0.9 * out.z(), 0, stone.seed);
    return foot + Vec3(0.0, 0.0, 0.10 * stone.size) + stone.size * bump * stretch.cwiseProduct(out);
  };
  for (int i = 0; i < rings; ++i)
    for (int k = 0; k < n; ++k) {
      const Vec3 a = point(i, k);
      const Vec3 b = point(i + 1, k);
      const Vec3 c = point(i + 1, k + 1);
      const Vec3 d = point(i, k + 1);
      const double top =
          std::clamp((0.25 * (a + b + c + d) - foot).z() / stone.size - 0.15, 0.0, 1.0);
      mesh.set_colour(
          tone * mix({0.46, 0.45, 0.43, 0.08}, {0.33, 0.40, 0.18, 0.02}, std::min(1.0, 1.6 * top)));
      if (i == 0)
        mesh.triangle(a, b, c);
      else if (i == rings - 1)
        mesh.triangle(a, b, d);
      else
        mesh.quad(a, b, c, d);
    }
}

void add_stump(Cell& cell, const Stone& stump, const Vec3& foot) {
  Tree tree;
  tree.radius = stump.size;
  tree.height = 40.0;
  tree.seed = stump.seed;
  const double h = 0.22 + 0.2 * static_cast<double>(stump.seed % 100U) / 100.0;
  cell.bark.set_colour(0.8 * bark_colour(Species::kSpruce, 0.0));
  cell.bark.cylinder(foot - 0.2 * Vec3::UnitZ(), foot + Vec3(0.0, 0.0, 0.1), 1.45 * stump.size,
                     1.15 * stump.size, false, 10);
  cell.bark.cylinder(foot + Vec3(0.0, 0.0, 0.1), foot + Vec3(0.0, 0.0, h), 1.15 * stump.size,
                     1.02 * stump.size, false, 10);
  cell.solid.set_colour({0.72, 0.60, 0.42, 0.03});
  cell.solid.cylinder(foot + Vec3(0.0, 0.0, h - 0.005), foot + Vec3(0.0, 0.0, h), 1.02 * stump.size,
                      1.0 * stump.size, true, 10);
}

// Left when a tree is cut; inside its trunk before.
void add_stump(Cell& cell, const Tree& tree, const Vec3& foot) {
  constexpr double kHeight = 0.05;
  const double low = 0.97 * trunk_radius(tree, 0.0), high = 0.97 * trunk_radius(tree, kHeight);
  cell.bark.set_colour(tree.tone * bark_colour(tree.species, 0.0));
  cell.bark.cylinder(foot - Vec3(0.0, 0.0, 0.2), foot + Vec3(0.0, 0.0, kHeight), low, high, false,
                     12);
  cell.solid.set_colour({0.80, 0.68, 0.48, 0.03});
  cell.solid.cylinder(foot + Vec3(0.0, 0.0, kHeight - 0.005), foot + Vec3(0.0, 0.0, kHeight), high,
                      high, true, 12);
}

}  // namespace

void FelledTrees::add(int stem, const Vec3& foot, double height, double bare,
                      osg::ref_ptr<osg::MatrixTransform> trunk,
                      osg::ref_ptr<osg::MatrixTransform> crown) {
  trees_.push_back({stem, foot, height, bare, std::move(trunk), std::move(crown)});
}

void FelledTrees::pose(const FramePoses& poses) {
  for (const Tree& tree : trees_) {
    Pose pose{Mat3::Identity(), tree.foot};
    // The rest of a stem looks like a smaller one, with as much crown as has its branches.
    double trunk = 1.0, crown = 1.0;
    Vec3 tip = tree.foot + tree.height * Vec3::UnitZ();
    for (int i = 0; i < poses.tree_count; ++i) {
      const TreePose& now = poses.tree[static_cast<std::size_t>(i)];
      if (now.stem != tree.stem) continue;
      pose.R = turn_between(Vec3::UnitZ(), now.towards_tip_W);
      const bool whole = now.from <= now.stump;
      pose.p = now.butt_W - (whole ? now.stump : 0.0) * now.towards_tip_W;
      if (!whole) trunk = std::max(tree.height - now.from, 0.0) / tree.height;
      tip = pose.p + trunk * tree.height * now.towards_tip_W;
      crown = std::clamp(
          (tree.height - std::max(now.bare_to, now.from)) / std::max(tree.height - tree.bare, 0.1),
          0.0, 1.0);
    }
    osg::Matrixd matrix = to_osg(pose);
    matrix.preMultScale(osg::Vec3d(trunk, trunk, trunk));
    tree.trunk->setMatrix(matrix);
    pose.p = tip - crown * tree.height * (pose.R * Vec3::UnitZ());
    matrix = to_osg(pose);
    matrix.preMultScale(osg::Vec3d(crown, crown, crown));
    tree.crown->setMatrix(matrix);
  }
}

osg::ref_ptr<osg::Group> build_forest(const SceneDescription& scene, const ForestPlan& plan,
                                      const QualitySettings& quality, const ForestStates& states,
                                      FelledTrees& felled) {
  std::map<std::pair<int, int>, Cell> cells;
  const auto cell_at = [&cells](double x, double y) -> Cell& {
    return cells[{static_cast<int>(std::floor(x / kCell + 0.5)),
                  static_cast<int>(std::floor(y / kCell + 0.5))}];
  };
  const auto foot_at = [&scene](double x, double y) {
    return Vec3(x, y, surface_height(scene.ground, x, y));
  };
  const auto may_fall = [&scene](std::size_t stem) {
    return std::ranges::find(scene.felled, static_cast<int>(stem)) != scene.felled.end();
  };
  // The plan begins with the stems of the world.
  for (std::size_t i = 0; i < plan.trees.size(); ++i) {
    const Tree& tree = plan.trees[i];
    Cell& cell = cell_at(tree.x, tree.y);
    const Vec3 foot = foot_at(tree.x, tree.y);
    if (may_fall(i)) {
      add_stump(cell, tree, foot);
      continue;
    }
    if (!tree.solid) {
      add_flat_tree(cell.leaves, tree, foot);
      continue;
    }
    add_trunk(tree.in_reach ? cell.near_bark : cell.bark, tree, foot, quality.detail);
    add_crown(cell.leaves, tree, foot, quality.detail);
  }
  for (const Tuft& tuft : plan.tufts)
    add_tuft(cell_at(tuft.x, tuft.y).leaves, tuft, foot_at(tuft.x, tuft.y), 1.0);
  for (const Stone& stone : plan.stones) {
    Cell& cell = cell_at(stone.x, stone.y);
    const Vec3 foot = foot_at(stone.x, stone.y);
    if (stone.stump)
      add_stump(cell, stone, foot);
    else
      add_stone(cell.solid, stone, foot);
  }

  osg::ref_ptr<osg::Group> group = new osg::Group;
  const auto leaves = add_layer(*group, states.foliage, kSeen);
  const auto bark = add_layer(*group, states.bark, kSeen);
  const auto solid = add_layer(*group, states.solid, kSeen);
  const auto near_bark = add_layer(*group, states.bark, kSeen | kCastsShadow);
  const auto add = [](osg::Group& to, MeshBuilder& mesh) {
    if (!mesh.empty()) to.addChild(mesh.build());
  };
  for (const int stem : scene.felled) {
    const Tree& tree = plan.trees[static_cast<std::size_t>(stem)];
    osg::ref_ptr<osg::MatrixTransform> trunk = new osg::MatrixTransform;
    osg::ref_ptr<osg::MatrixTransform> crown = new osg::MatrixTransform;
    MeshBuilder trunk_mesh, crown_mesh;
    add_trunk(trunk_mesh, tree, Vec3::Zero(), quality.detail);
    if (std::ranges::find(scene.marked, stem) != scene.marked.end()) add_mark(trunk_mesh, tree);
    add_crown(crown_mesh, tree, Vec3::Zero(), quality.detail);
    add(*trunk, trunk_mesh);
    add(*crown, crown_mesh);
    near_bark->addChild(trunk);
    leaves->addChild(crown);
    felled.add(stem, foot_at(tree.x, tree.y), tree.height, tree.crown_from * tree.height, trunk,
               crown);
  }
  for (auto& [key, cell] : cells) {
    add(*leaves, cell.leaves);
    add(*bark, cell.bark);
    add(*solid, cell.solid);
    add(*near_bark, cell.near_bark);
  }
  return group;
}

osg::ref_ptr<osg::Group> build_sky() {
  osg::ref_ptr<osg::Group> group = new osg::Group;
  MeshBuilder dome;
  dome.sphere(Vec3::Zero(), 1.0, 24);
  auto sky = dome.build();
  sky->setCullingActive(false);
  sky->setStateSet(sky_state(paint_clouds(512).texture(true)));
  sky->setNodeMask(kSeen);
  group->addChild(sky);

  MeshBuilder row;
  constexpr int kSides = 48;
  constexpr double kRadius = 116.0;
  constexpr double kHeight = 24.0;
  for (int k = 0; k <= kSides; ++k) {
    const double angle = kTwoPi * k / kSides;
    const Vec3 out(std::cos(angle), std::sin(angle), 0.0);
    const double light = 0.85 + 0.35 * std::max(0.0, -out.dot(sun_direction()));
    row.set_colour(leaf_shade(light, 0.0));
    row.vertex(kRadius * out - 5.0 * Vec3::UnitZ(), -out, 8.0 * k / kSides, 0.01);
    row.vertex(kRadius * out + (kHeight - 5.0) * Vec3::UnitZ(), -out, 8.0 * k / kSides, 0.99);
  }
  for (unsigned k = 0; k < static_cast<unsigned>(kSides); ++k) {
    row.index(2 * k, 2 * k + 2, 2 * k + 3);
    row.index(2 * k, 2 * k + 3, 2 * k + 1);
  }
  auto trees = row.build();
  auto texture = paint_tree_line(1024, 256).texture(true, true);
  texture->setWrap(osg::Texture::WRAP_T, osg::Texture::CLAMP_TO_EDGE);
  trees->setStateSet(foliage_state(texture));
  trees->setNodeMask(kSeen);
  group->addChild(trees);
  return group;
}

}  // namespace knuckleboom::view
