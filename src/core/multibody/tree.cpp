#include "knuckleboom/core/multibody/tree.hpp"

#include <cmath>
#include <stdexcept>

#include <Eigen/Eigenvalues>

namespace knuckleboom::multibody {
namespace {

// Rotation whose third column is the axis; the first is the body's x axis made perpendicular to it
// (its y axis where x is too close), so that parallel joints get equal frames.
Mat3 frame_along(const Vec3& axis) {
  const Vec3 start = std::fabs(axis.x()) < 0.9 ? Vec3::UnitX() : Vec3::UnitY();
  Mat3 R;
  R.col(0) = (start - axis.dot(start) * axis).normalized();
  R.col(1) = axis.cross(R.col(0));
  R.col(2) = axis;
  return R;
}

Pose compose(const Pose& outer, const Pose& inner) {
  return {outer.R * inner.R, outer.R * inner.p + outer.p};
}

}  // namespace

LinkInertia to_link_inertia(const RigidInertia& body, const Pose& in_link) {
  const Vec3 c = in_link.R * body.com + in_link.p;
  const Mat3 I = in_link.R * body.about_com * in_link.R.transpose() +
                 body.mass * (c.squaredNorm() * Mat3::Identity() - c * c.transpose());
  LinkInertia out;
  out.mass = body.mass;
  for (int k = 0; k < 3; ++k) {
    out.mc[k] = body.mass * c(k);
    out.I[k] = I(k, k);
  }
  out.I[3] = I(0, 1);
  out.I[4] = I(0, 2);
  out.I[5] = I(1, 2);
  return out;
}

namespace {
LinkInertia combine(const LinkInertia& a, const LinkInertia& b, double sign) {
  LinkInertia out;
  out.mass = a.mass + sign * b.mass;
  for (int k = 0; k < 3; ++k) out.mc[k] = a.mc[k] + sign * b.mc[k];
  for (int k = 0; k < 6; ++k) out.I[k] = a.I[k] + sign * b.I[k];
  return out;
}
}  // namespace

LinkInertia operator+(const LinkInertia& a, const LinkInertia& b) { return combine(a, b, 1.0); }
LinkInertia operator-(const LinkInertia& a, const LinkInertia& b) { return combine(a, b, -1.0); }

bool is_physical(const RigidInertia& inertia) {
  if (!std::isfinite(inertia.mass) || inertia.mass < 0.0) return false;
  if (!inertia.com.allFinite() || !inertia.about_com.allFinite()) return false;
  const double scale = inertia.about_com.cwiseAbs().maxCoeff();
  if (inertia.mass == 0.0 && scale > 0.0) return false;  // nothing that could resist rotation
  const double slack = 1e-9 * scale;
  if ((inertia.about_com - inertia.about_com.transpose()).cwiseAbs().maxCoeff() > slack)
    return false;
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(inertia.about_com, Eigen::EigenvaluesOnly);
  const Vec3& p = solver.eigenvalues();  // ascending
  return p(0) >= -slack && p(2) <= p(0) + p(1) + slack;
}

namespace {

bool is_rotation(const Mat3& R) {
  // Written so that NaN fails; a mirror image is orthonormal too, hence the determinant.
  return (R * R.transpose() - Mat3::Identity()).cwiseAbs().maxCoeff() <= 1e-9 &&
         std::fabs(R.determinant() - 1.0) <= 1e-9;
}

// Error of a single body; empty if none.
const char* fault_of(const Body& body) {
  if (!body.in_parent.R.allFinite() || !body.in_parent.p.allFinite())
    return "its pose in the parent is not finite";
  if (!is_rotation(body.in_parent.R)) return "its orientation in the parent is not a rotation";
  if (!is_physical(body.inertia)) return "no rigid body has this inertia";
  if (body.type == JointType::kFixed) return "";
  const double norm = body.axis_B.norm();
  if (!(norm > 0.0) || !std::isfinite(norm)) return "the joint axis has no direction";
  if (!std::isfinite(body.damping) || body.damping < 0.0)
    return "the joint's damping must be zero or above, and finite";
  if (!std::isfinite(body.stiffness) || body.stiffness < 0.0 || !std::isfinite(body.rest))
    return "the joint's spring needs a stiffness of zero or above, and a finite rest";
  if (!std::isfinite(body.lower) || !std::isfinite(body.upper))
    return "the joint's limits are not finite";
  if (body.lower > body.upper) return "the joint's lower limit lies above the upper one";
  if (!std::isfinite(body.stop_stiffness) || body.stop_stiffness < 0.0 ||
      !std::isfinite(body.stop_damping) || body.stop_damping < 0.0)
    return "the joint's stops need a stiffness and damping of zero or above, and finite";
  return "";
}

}  // namespace

int Tree::add_body(Body body) {
  const int index = body_count();
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument("body '" + body.name + "': " + why);
  };
  if (body.parent < kBase || body.parent >= index) refuse("its parent must be added before it");
  if (find_body(body.name) != kBase) refuse("there is another body of this name");
  const bool moves = body.type != JointType::kFixed;
  if (moves && find_joint(body.joint_name) != kBase)
    refuse("there is another joint '" + body.joint_name + "'");
  if (const std::string fault = fault_of(body); !fault.empty()) refuse(fault);
  if (moves && n_links_ == kMaxLinks)
    refuse("a tree moves at most " + std::to_string(kMaxLinks) + " bodies");

  const Body* parent = body.parent == kBase ? nullptr : &nth(bodies_, body.parent);
  const Pose in_link = parent ? compose(parent->in_link, body.in_parent) : body.in_parent;
  if (!moves) {
    body.link = parent ? parent->link : kBase;
    body.in_link = in_link;
    if (body.link != kBase) {
      auto& sum = nth(inertias_, body.link);
      sum = sum + to_link_inertia(body.inertia, body.in_link);
    }
  } else {
    const Vec3 axis = body.axis_B.normalized();
    body.axis_B = axis;
    Link link;
    link.parent = parent ? parent->link : kBase;
    link.revolute = body.type == JointType::kRevolute;
    const Mat3 to_body = frame_along(axis);
    link.in_parent = {in_link.R * to_body, in_link.p};
    link.aligned = (link.in_parent.R - Mat3::Identity()).cwiseAbs().maxCoeff() < 1e-15;
    if (link.aligned) link.in_parent.R.setIdentity();
    link.damping = body.damping;
    link.stiffness = body.stiffness;
    link.rest = body.rest;
    link.body = index;
    body.link = n_links_;
    body.in_link = Pose{to_body.transpose(), Vec3::Zero()};
    nth(links_, n_links_) = link;
    nth(inertias_, n_links_) = to_link_inertia(body.inertia, body.in_link);
    ++n_links_;
  }
  bodies_.push_back(std::move(body));
  return index;
}

int Tree::find_body(const std::string& name) const {
  for (int i = 0; i < body_count(); ++i)
    if (body(i).name == name) return i;
  return kBase;
}

int Tree::find_joint(const std::string& joint_name) const {
  for (int i = 0; i < n_links_; ++i)
    if (body(link(i).body).joint_name == joint_name) return i;
  return kBase;
}

}  // namespace knuckleboom::multibody
