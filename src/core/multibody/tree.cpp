#include "knuckleboom/core/multibody/tree.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <stdexcept>

namespace knuckleboom::multibody {
namespace {

// Rotation whose third column is the axis; the first is the body's x axis made perpendicular to it (its
// y axis where x is too near), so that parallel joints get equal frames.
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
  const double slack = 1e-9 * scale;
  if ((inertia.about_com - inertia.about_com.transpose()).cwiseAbs().maxCoeff() > slack) return false;
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(inertia.about_com, Eigen::EigenvaluesOnly);
  const Vec3 p = solver.eigenvalues();  // ascending
  return p(0) >= -slack && p(2) <= p(0) + p(1) + slack;
}

int Tree::add_body(Body body) {
  const int index = body_count();
  if (body.parent < kBase || body.parent >= index)
    throw std::invalid_argument("body '" + body.name + "': its parent must be added before it");
  if (!is_physical(body.inertia))
    throw std::invalid_argument("body '" + body.name + "': no rigid body has this inertia");
  const Body* parent = body.parent == kBase ? nullptr : &bodies_[static_cast<std::size_t>(body.parent)];
  const Pose in_link = parent ? compose(parent->in_link, body.in_parent) : body.in_parent;
  if (body.type == JointType::kFixed) {
    body.link = parent ? parent->link : kBase;
    body.in_link = in_link;
    if (body.link != kBase) {
      auto& sum = inertias_[static_cast<std::size_t>(body.link)];
      sum = sum + to_link_inertia(body.inertia, body.in_link);
    }
  } else {
    if (n_links_ == kMaxLinks)
      throw std::invalid_argument("body '" + body.name + "': a tree moves at most " +
                                  std::to_string(kMaxLinks) + " bodies");
    const double norm = body.axis_B.norm();
    if (!(norm > 0.0) || !std::isfinite(norm))
      throw std::invalid_argument("body '" + body.name + "': the joint axis has no direction");
    const Vec3 axis = body.axis_B / norm;
    body.axis_B = axis;
    Link link;
    link.parent = parent ? parent->link : kBase;
    link.revolute = body.type == JointType::kRevolute;
    const Mat3 to_body = frame_along(axis);
    link.in_parent = {in_link.R * to_body, in_link.p};
    link.aligned = (link.in_parent.R - Mat3::Identity()).cwiseAbs().maxCoeff() < 1e-15;
    if (link.aligned) link.in_parent.R.setIdentity();
    link.damping = body.damping;
    link.body = index;
    body.link = n_links_;
    body.in_link = Pose{to_body.transpose(), Vec3::Zero()};
    links_[static_cast<std::size_t>(n_links_)] = link;
    inertias_[static_cast<std::size_t>(n_links_)] = to_link_inertia(body.inertia, body.in_link);
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
