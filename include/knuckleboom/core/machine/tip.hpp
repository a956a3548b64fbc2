// Inverse kinematics of the tip, for any tree: damped Newton on the position from the last
// solution, and joint rates for a commanded velocity.
#pragma once

#include <array>

#include "knuckleboom/core/machine/model.hpp"

namespace knuckleboom::machine {

// A point fixed to a link (or to the base).
struct LinkPoint {
  int link = multibody::kBase;
  Vec3 p_L = Vec3::Zero();
};
LinkPoint tip_point(const MachineModel& model);
// Point that the actuated joints can position: the tip, or the point where its chain first passes a
// joint without an actuator.
LinkPoint crane_tip(const MachineModel& model);

// The point in the world at joint positions q, and its velocities by the joints that carry it.
struct PointPose {
  Vec3 p_W;
  std::array<Vec3, kMaxLinks> J_W;  // velocity per unit rate, of the joints that carry the point
  std::array<bool, kMaxLinks> carries;
};
void locate(const MachineModel& model, const LinkPoint& point, const double* q, PointPose& out);

// Position of the tip in the world at joint positions q.
Vec3 tip_position(const MachineModel& model, const double* q);

// Moves q (start value in, solution out) until the tip is at target_W. Joints with used[i] false
// are fixed. Joint limits are kept. Returns false, with q as close as possible, if the target is
// out of reach.
bool solve_tip(const MachineModel& model, const Vec3& target_W, const bool* used, double* q);

// Velocity of a point in the vertical plane through it and the machine's axis [m/s].
struct TipVelocity {
  double reach = 0.0;   // horizontal, away from the axis
  double height = 0.0;  // up
};

// Limits of every joint's rate at its present position [rad/s, m/s].
struct RateLimits {
  double lower[kMaxLinks], upper[kMaxLinks];  // by its range; lower <= 0 <= upper
  double down[kMaxLinks], up[kMaxLinks];      // top speeds of its actuator, both >= 0
  double scale[kMaxLinks];                    // > 0: unit for comparing rates of different joints
};

enum class TipAnswer {
  kAsAsked,  // direction kept; the speed as well, up to the actuators' limits
  kLimited,  // out of reach or at the end of a joint's range: another direction, or none
};

// Joint rates that move the point as commanded from joint positions q, over the joints with
// used[i]; the others get 0. Each uses its actuator as little as the task allows. Towards a pose
// that lacks a direction (stretched arm) the required rates grow without bound; the motion fades
// out before. A joint at the end of its range leaves the problem to the others. If the remaining
// motion would deviate in direction, it fades out too. If an actuator is too slow, all rates are
// scaled alike, so that the direction is kept. origin_W: on the machine's vertical axis. rate:
// kMaxLinks entries.
TipAnswer tip_rates(const MachineModel& model, const LinkPoint& point, const Vec3& origin_W,
                    const double* q, const TipVelocity& asked, const bool* used,
                    const RateLimits& limits, double* rate);
// Velocity of the point at joint rates.
TipVelocity tip_velocity(const MachineModel& model, const PointPose& pose, const Vec3& origin_W,
                         const double* rate);

}  // namespace knuckleboom::machine
