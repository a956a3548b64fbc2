#include <algorithm>
#include <string>

#include "knuckleboom/core/machine/model.hpp"

namespace knuckleboom::machine {
namespace {

constexpr double kPost = 0.06;          // radius of stakes and headboard [m]
constexpr double kBeam = 0.08;          // of the floor's beams [m]
constexpr double kEndless = 0.5;        // the first and last beam stand so far from the ends [m]
constexpr double kBoardSpacing = 0.35;  // of the headboard's bars, at most [m]

bool of_load_space(const ContactShape& shape) {
  return shape.role == ShapeRole::kStake || shape.role == ShapeRole::kBed;
}

}  // namespace

std::vector<ContactShape> load_space_shapes(const LoadSpace& space) {
  std::vector<ContactShape> shapes;
  const auto add = [&](ShapeRole role, const Vec3& from, const Vec3& to, double radius) {
    shapes.push_back({"load_space_" + std::to_string(shapes.size() + 1), space.body, role,
                      space.front_B + from, space.front_B + to, radius});
  };
  const double side = 0.5 * space.width + kPost;
  const double apart = (space.length - 2.0 * kEndless) / std::max(1, space.pairs - 1);
  for (int i = 0; i < space.pairs; ++i) {
    const double x = kEndless + apart * i;
    add(ShapeRole::kBed, {x, -side, -kBeam}, {x, side, -kBeam}, kBeam);
    for (const double y : {-side, side})
      add(ShapeRole::kStake, {x, y, 0.0}, {x, y, space.height - kPost}, kPost);
  }
  const double top = space.headboard_height - kPost;
  const int bars = std::max(2, static_cast<int>(top / kBoardSpacing) + 1);
  for (int i = 0; i < bars; ++i) {
    const double z = kPost + (top - kPost) * i / (bars - 1);
    add(ShapeRole::kStake, {-kPost, -side, z}, {-kPost, side, z}, kPost);
  }
  return shapes;
}

void remove_load_space(MachineModel& machine) {
  machine.load_space.present = false;
  std::erase_if(machine.shapes, of_load_space);
}

}  // namespace knuckleboom::machine
