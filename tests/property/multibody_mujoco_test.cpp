// Kinematics and dynamics of random trees against MuJoCo, which shares no code or method with ours
// (compiled XML, quaternions, inertias by principal axes, sparse factor of M).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include "knuckleboom/core/machine/mechanism.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "support/crane.hpp"
#include "support/error_norm.hpp"
#include "support/paths.hpp"
#include "support/random_tree.hpp"

namespace knuckleboom {
namespace {

using multibody::Body;
using multibody::JointType;
using multibody::kBase;
using multibody::Tree;
using test::Matrix;
using test::relative_error;
using test::Vector;

struct MujocoDeleter {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
  void operator()(mjData* d) const { mj_deleteData(d); }
};
using ModelPtr = std::unique_ptr<mjModel, MujocoDeleter>;
using DataPtr = std::unique_ptr<mjData, MujocoDeleter>;

class MujocoText {
 public:
  // merge: a joint of several freedoms becomes several joints of one body. The turns of a ball are a joint of
  // type ball, with three slides of the ground before them one of type free.
  MujocoText(const Tree& tree, bool merge, const std::vector<multibody::Ball>& balls = {})
      : tree_(tree), merge_(merge), balls_(balls) {
    out_.precision(17);
    out_ << "<mujoco><compiler angle=\"radian\" balanceinertia=\"false\" boundmass=\"0\" "
            "boundinertia=\"0\" inertiafromgeom=\"false\"/><option gravity=\"";
    write(tree.gravity_W);
    out_ << "\"><flag contact=\"disable\" constraint=\"disable\" "
            "energy=\"enable\"/></option><worldbody>";
    children_of(kBase);
    out_ << "</worldbody></mujoco>";
  }
  std::string text() const { return out_.str(); }

 private:
  void write(const Vec3& v) { out_ << v.x() << ' ' << v.y() << ' ' << v.z(); }
  void write(const Eigen::Quaterniond& q) {
    out_ << q.w() << ' ' << q.x() << ' ' << q.y() << ' ' << q.z();
  }

  // Bodies nest in MuJoCo's text; ours may come in any order that has parents first.
  void children_of(int parent) {
    for (int i = 0; i < tree_.body_count(); ++i)
      if (tree_.body(i).parent == parent) body(i);
  }

  // The body that a massless one carries at its own frame, as a joint of several freedoms has it; else -1.
  int carried_by(int i) const {
    if (tree_.body(i).inertia.mass > 0.0 || tree_.body(i).type == JointType::kFixed) return -1;
    int found = -1;
    for (int k = 0; k < tree_.body_count(); ++k) {
      const Body& b = tree_.body(k);
      if (b.parent != i) continue;
      if (found >= 0 || !b.in_parent.p.isZero(0.0) || !b.in_parent.R.isIdentity(0.0)) return -1;
      found = k;
    }
    return found;
  }

  void body(int i) {
    const multibody::Pose& pose = tree_.body(i).in_parent;
    std::vector<int> joints{i};
    while (merge_ && carried_by(joints.back()) >= 0) joints.push_back(carried_by(joints.back()));
    i = joints.back();
    joints.pop_back();
    const Body& b = tree_.body(i);
    out_ << "<body name=\"" << b.name << "\" pos=\"";
    write(pose.p);
    out_ << "\" quat=\"";
    write(Eigen::Quaterniond(pose.R));
    out_ << "\">";
    joints.push_back(i);
    for (std::size_t k = 0; k < joints.size(); ++k) {
      const auto ball_at = [&](std::size_t at) {
        return at < joints.size() ? ball_of(tree_.body(joints[at]).link) : nullptr;
      };
      const bool free = tree_.body(joints[k]).parent == kBase && ball_at(k + 3) != nullptr &&
                        joints.size() == k + 7;
      if (free) k += 3;
      if (const multibody::Ball* ball = ball_at(k); ball != nullptr) {
        out_ << "<joint name=\"" << ball->name << "\" type=\"" << (free ? "free" : "ball")
             << "\"/>";
        k += multibody::kTurns - 1;
      } else {
        joint(tree_.body(joints[k]));
      }
    }
    write_inertia(b);
    children_of(i);
    out_ << "</body>";
  }

  const multibody::Ball* ball_of(int link) const {
    for (const multibody::Ball& ball : balls_)
      if (ball.has(link)) return &ball;
    return nullptr;
  }

  void joint(const Body& b) {
    if (b.type != JointType::kFixed) {
      out_ << "<joint name=\"" << b.joint_name << "\" type=\""
           << (b.type == JointType::kRevolute ? "hinge" : "slide") << "\" axis=\"";
      write(b.axis_B);
      out_ << "\"/>";
    }
  }

  void write_inertia(const Body& b) {
    if (b.inertia.mass > 0.0) {
      // Principal axes found here: MuJoCo's own (fullinertia) are good to 1e-7 only.
      const Eigen::SelfAdjointEigenSolver<Mat3> principal(b.inertia.about_com);
      Mat3 axes = principal.eigenvectors();
      if (axes.determinant() < 0.0) axes.col(0) *= -1.0;
      out_ << "<inertial mass=\"" << b.inertia.mass << "\" pos=\"";
      write(b.inertia.com);
      out_ << "\" quat=\"";
      write(Eigen::Quaterniond(axes));
      out_ << "\" diaginertia=\"";
      write(principal.eigenvalues());
      out_ << "\"/>";
    }
  }

  const Tree& tree_;
  bool merge_;
  std::vector<multibody::Ball> balls_;
  std::ostringstream out_;
};

ModelPtr compile(const Tree& tree, bool merge, const std::vector<multibody::Ball>& balls = {}) {
  const std::string text = MujocoText(tree, merge, balls).text();
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  EXPECT_EQ(mj_makeEmptyFileVFS(files.get(), "tree.xml", static_cast<int>(text.size())), 0);
  std::memcpy(files->filedata[mj_findFileVFS(files.get(), "tree.xml")], text.data(), text.size());
  char error[1000] = "";
  ModelPtr model(mj_loadXML("tree.xml", files.get(), error, sizeof error));
  mj_deleteVFS(files.get());
  EXPECT_TRUE(model) << error << '\n' << text;
  return model;
}

struct Worst {
  double pose = 0.0, velocity = 0.0, jacobian = 0.0, kinetic = 0.0;
  double mass = 0.0, bias = 0.0, acceleration = 0.0, inverse = 0.0;
};

void compare(const Tree& tree, const test::MotionState& s, Worst& worst, bool merge = false) {
  const int n = tree.link_count();
  const ModelPtr model = compile(tree, merge);
  ASSERT_TRUE(model);
  ASSERT_EQ(model->nv, n);
  const DataPtr data(mj_makeData(model.get()));
  int dof[kMaxLinks];
  for (int i = 0; i < n; ++i) {
    const std::string& name = tree.body(tree.link(i).body).joint_name;
    const int joint = mj_name2id(model.get(), mjOBJ_JOINT, name.c_str());
    ASSERT_GE(joint, 0) << name;
    dof[i] = model->jnt_dofadr[joint];
    const auto k = static_cast<std::size_t>(i);
    data->qpos[model->jnt_qposadr[joint]] = s.q[k];
    data->qvel[dof[i]] = s.v[k];
    data->qfrc_applied[dof[i]] = s.tau[k];
  }
  mj_forward(model.get(), data.get());

  std::unique_ptr<mjtNum[]> full(new mjtNum[static_cast<std::size_t>(n * n)]);
  mj_fullM(model.get(), full.get(), data->qM);
  Matrix M(n, n);
  Vector bias(n), acceleration(n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) M(i, j) = full[static_cast<std::size_t>(dof[i] * n + dof[j])];
    bias(i) = data->qfrc_bias[dof[i]];
    acceleration(i) = data->qacc[dof[i]];
  }

  const auto* inertia = tree.link_inertias().data();
  multibody::MassAndBias ours;
  multibody::mass_and_bias(tree, inertia, s.q.data(), s.v.data(), ours);
  test::keep_worst(worst.mass, relative_error(test::to_matrix(ours.M, n), M));
  test::keep_worst(worst.bias, relative_error(test::to_vector(ours.bias, n), bias));
  double a[kMaxLinks], tau[kMaxLinks];
  multibody::forward_dynamics(tree, inertia, s.q.data(), s.v.data(), s.tau.data(), a);
  test::keep_worst(worst.acceleration, relative_error(test::to_vector(a, n), acceleration));
  multibody::inverse_dynamics(tree, inertia, s.q.data(), s.v.data(), s.a.data(), tau);
  const Vector expected = M * test::to_vector(s.a.data(), n) + bias;
  test::keep_worst(worst.inverse, relative_error(test::to_vector(tau, n), expected));

  const double kinetic = multibody::energy(tree, inertia, s.q.data(), s.v.data()).kinetic;
  test::keep_worst(worst.kinetic, std::abs(kinetic - data->energy[1]) / kinetic);

  const auto kinematics = multibody::forward_kinematics(tree, s.q.data(), s.v.data());
  const Vec3 p_B(0.3, -0.2, 0.7);
  std::unique_ptr<mjtNum[]> jacobian(new mjtNum[static_cast<std::size_t>(3 * n)]);
  for (int b = 0; b < tree.body_count(); ++b) {
    const int id = mj_name2id(model.get(), mjOBJ_BODY, tree.body(b).name.c_str());
    if (merge && id < 0 && tree.body(b).inertia.mass == 0.0) continue;
    ASSERT_GE(id, 0);
    using RowMajor = Eigen::Matrix<mjtNum, 3, 3, Eigen::RowMajor>;
    const Mat3 R = Eigen::Map<const RowMajor>(data->xmat + 9 * id);
    const Vec3 p = Eigen::Map<const Vec3>(data->xpos + 3 * id);
    const multibody::Pose pose = multibody::body_pose(tree, kinematics, b);
    test::keep_worst(worst.pose, (pose.R - R).norm());
    test::keep_worst(worst.pose, (pose.p - p).norm());
    const Vec3 point = R * p_B + p;
    mj_jac(model.get(), data.get(), jacobian.get(), nullptr, point.data(), id);
    const multibody::PointMotion motion = multibody::point_motion(tree, kinematics, b, p_B);
    Vec3 v = Vec3::Zero();
    for (int i = 0; i < n; ++i) {
      Vec3 column;
      for (int k = 0; k < 3; ++k) column(k) = jacobian[static_cast<std::size_t>(k * n + dof[i])];
      v += column * s.v[static_cast<std::size_t>(i)];
      test::keep_worst(worst.jacobian, (motion.J_W[static_cast<std::size_t>(i)] - column).norm() /
                                           (1.0 + column.norm()));
    }
    test::keep_worst(worst.velocity, (motion.v_W - v).norm() / (1.0 + v.norm()));
  }
}

void expect_small(const Worst& w, double tolerance) {
  std::printf(
      "worst relative difference from MuJoCo: pose %.1e, velocity %.1e, Jacobian %.1e, "
      "kinetic energy %.1e, M %.1e, bias %.1e, forward %.1e, inverse %.1e\n",
      w.pose, w.velocity, w.jacobian, w.kinetic, w.mass, w.bias, w.acceleration, w.inverse);
  for (const double error :
       {w.pose, w.velocity, w.jacobian, w.kinetic, w.mass, w.bias, w.acceleration, w.inverse})
    EXPECT_LT(error, tolerance);
}

TEST(MultibodyAgainstMujoco, RandomTrees) {
  test::Random random(20020601);
  Worst worst;
  for (int k = 0; k < 400; ++k) {
    const Tree tree = test::random_tree(random);
    SCOPED_TRACE(k);
    compare(tree, test::random_state(random, tree), worst);
    if (HasFatalFailure()) return;
  }
  expect_small(worst, 1e-9);
}

TEST(MultibodyAgainstMujoco, ReferenceCrane) {
  test::Random random(7);
  const Tree tree = test::reference_crane();
  Worst worst;
  for (int k = 0; k < 50; ++k) compare(tree, test::random_state(random, tree), worst);
  expect_small(worst, 1e-9);
}

std::string list(const Vec3& v) {
  return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", v.x(), v.y(), v.z());
}

constexpr char kFileHead[] =
    "name = \"random\"\nsource = \"test\"\ngravity_m_per_s2 = 9.81\n"
    "tip = { body = \"b0\", position_m = [0, 0, 0] }\n";

// Body i of a machine file, on any of those before it. keys: of its joint, each after a comma.
std::string body_text(test::Random& random, int i, const multibody::RigidInertia& inertia,
                      const char* joint, const std::string& keys) {
  const Mat3& I = inertia.about_com;
  const std::string parent = i == 0 ? "base" : fmt::format("b{}", random.index(i));
  const std::string position = list(random.vector(1.0)), rpy = list(random.vector(3.0));
  return fmt::format(
      "[[body]]\nname = \"b{}\"\nparent = \"{}\"\nposition_m = {}\nrpy_rad = {}\n"
      "mass_kg = {:.17g}\ncom_m = {}\n"
      "inertia_kg_m2 = [{:.17g}, {:.17g}, {:.17g}, {:.17g}, {:.17g}, {:.17g}]\n"
      "joint = {{ name = \"j{}\", type = \"{}\"{} }}\n",
      i, parent, position, rpy, inertia.mass, list(inertia.com), I(0, 0), I(1, 1), I(2, 2), I(0, 1),
      I(0, 2), I(1, 2), i, joint, keys);
}

// Joints of one, two and three freedoms as machine files declare them; MuJoCo has all of a joint's freedoms
// on one body.
TEST(MultibodyAgainstMujoco, UniversalAndPlanarJointsInFiles) {
  test::Random random(40);
  Worst worst;
  int most = 0;
  for (int k = 0; k < 200; ++k) {
    SCOPED_TRACE(k);
    std::string text = kFileHead;
    const int bodies = 1 + random.index(14);
    for (int i = 0; i < bodies; ++i) {
      const multibody::RigidInertia inertia = test::random_inertia(random, 3.0, 0.5);
      const Vec3 axis = random.direction();
      const Vec3 across = axis.cross(random.direction()).normalized();
      constexpr const char* kTypes[] = {"revolute", "prismatic", "universal", "planar"};
      const int type = random.index(4);
      text += body_text(random, i, inertia, kTypes[type],
                        ", axis = " + list(axis) +
                            (type == 2   ? ", second_axis = " + list(across)
                             : type == 3 ? ", along = " + list(across)
                                         : std::string()));
    }
    const Tree tree = io::read_machine_text(text, "random.toml", {}).model.tree;
    most = std::max(most, tree.link_count());
    compare(tree, test::random_state(random, tree), worst, true);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(most, 25);
  expect_small(worst, 1e-9);
}

// Bodies on spherical, free and revolute joints, in a tree.
std::string with_balls(test::Random& random) {
  std::string text = kFileHead;
  const int bodies = 1 + random.index(5);
  for (int i = 0; i < bodies; ++i) {
    const multibody::RigidInertia inertia = test::random_inertia(random, 3.0, 0.5);
    constexpr const char* kTypes[] = {"spherical", "free", "revolute"};
    const int type = i == 0 ? random.index(2) : random.index(3);
    text += body_text(random, i, inertia, kTypes[type],
                      type == 2 ? ", axis = " + list(random.direction()) : std::string());
  }
  return text;
}

// MuJoCo's speeds by ours, T: angular velocity in the body's axes, of a free body also its velocity in the world's.
Matrix speeds_by_ours(const machine::MachineModel& model, const mjModel& other, const double* q) {
  const Tree& tree = model.tree;
  Matrix T = Matrix::Zero(other.nv, tree.link_count());
  for (int i = 0; i < tree.link_count(); ++i) {
    if (model.ball_of(i) != nullptr) continue;
    const int joint =
        mj_name2id(&other, mjOBJ_JOINT, tree.body(tree.link(i).body).joint_name.c_str());
    if (joint >= 0) T(other.jnt_dofadr[joint], i) = 1.0;
  }
  for (const multibody::Ball& ball : model.balls) {
    const int joint = mj_name2id(&other, mjOBJ_JOINT, ball.name.c_str());
    const bool free = other.jnt_type[joint] == mjJNT_FREE;
    const int dof = other.jnt_dofadr[joint] + (free ? 3 : 0);
    T.block<3, 3>(dof, ball.first + 1) = multibody::turning(q + ball.first);
    if (!free) continue;
    const Mat3& R = tree.body(tree.link(ball.first - 3).body).in_parent.R;
    for (int k = 0; k < 3; ++k) T.block<3, 1>(dof - 3, ball.first - 3 + k) = R.col(k);
  }
  return T;
}

void place(const machine::MachineModel& model, const mjModel& other, const double* q,
           mjData& data) {
  const Tree& tree = model.tree;
  for (int i = 0; i < tree.link_count(); ++i) {
    if (model.ball_of(i) != nullptr) continue;
    const int joint =
        mj_name2id(&other, mjOBJ_JOINT, tree.body(tree.link(i).body).joint_name.c_str());
    if (joint >= 0) data.qpos[other.jnt_qposadr[joint]] = q[i];
  }
  for (const multibody::Ball& ball : model.balls) {
    const int joint = mj_name2id(&other, mjOBJ_JOINT, ball.name.c_str());
    double* at = data.qpos + other.jnt_qposadr[joint];
    Eigen::Quaterniond R = multibody::orientation(q + ball.first);
    if (other.jnt_type[joint] == mjJNT_FREE) {
      const multibody::Pose& pose = tree.body(tree.link(ball.first - 3).body).in_parent;
      const Vec3 p = pose.p + pose.R * Eigen::Map<const Vec3>(q + ball.first - 3);
      for (int k = 0; k < 3; ++k) *at++ = p(k);
      R = Eigen::Quaterniond(pose.R) * R;
    }
    for (const double part : {R.w(), R.x(), R.y(), R.z()}) *at++ = part;
  }
}

// Its ball and free joints are quaternions with rates in the body's axes; ours are turns, well placed or nearly
// not: mass matrix, and accelerations under gravity, rates and torques.
TEST(MultibodyAgainstMujoco, SphericalAndFreeJointsInFiles) {
  test::Random random(41);
  double mass = 0.0, acceleration = 0.0;
  int free_roots = 0;
  for (int k = 0; k < 200; ++k) {
    SCOPED_TRACE(k);
    const machine::MachineModel model =
        io::read_machine_text(with_balls(random), "m.toml", {}).model;
    const Tree& tree = model.tree;
    const int n = tree.link_count();
    const ModelPtr other = compile(tree, true, model.balls);
    ASSERT_TRUE(other);
    const DataPtr data(mj_makeData(other.get()));
    machine::MachineState state{};
    for (int i = 0; i < n; ++i) {
      state.inertia[i] = nth(tree.link_inertias(), i);
      state.q[i] = random.uniform(-1.0, 1.0);
      state.v[i] = random.uniform(-2.0, 2.0);
    }
    for (const multibody::Ball& ball : model.balls) {
      multibody::place(random.rotation(), state.q + ball.first);
      state.v[ball.first] = 0.0;
      free_roots += ball.first == 3 && tree.link(3).parent == 2 ? 1 : 0;
    }
    place(model, *other, state.q, *data);
    const Matrix T = speeds_by_ours(model, *other, state.q);
    const Vector qvel = T * test::to_vector(state.v, n);
    for (int i = 0; i < other->nv; ++i) {
      data->qvel[i] = qvel(i);
      data->qfrc_applied[i] = random.uniform(-3.0, 3.0);
    }
    const Vector applied = Eigen::Map<const Vector>(data->qfrc_applied, other->nv);
    mj_forward(other.get(), data.get());

    double q[kMaxLinks];
    multibody::MassAndBias body;
    machine::Mechanism m;
    machine::middle_of_mechanism(model, state, 0.0, nullptr, false, q, body, m);
    ASSERT_EQ(m.count, other->nv);
    std::unique_ptr<mjtNum[]> full(new mjtNum[static_cast<std::size_t>(m.count * m.count)]);
    mj_fullM(other.get(), full.get(), data->qM);
    const Matrix M = T.transpose() * Eigen::Map<const Matrix>(full.get(), m.count, m.count) * T;
    Matrix ours(m.count, m.count), theirs(m.count, m.count);
    Vector force(m.count);
    for (int r = 0; r < m.count; ++r) {
      force(r) = T.col(m.joint[r]).dot(applied) - body.bias[m.joint[r]];
      for (int c = 0; c < m.count; ++c) {
        ours(r, c) = m.M[r][c];
        theirs(r, c) = M(m.joint[r], m.joint[c]);
      }
    }
    test::keep_worst(mass, relative_error(ours, theirs));
    // T changes with the turns.
    constexpr double kStep = 1e-6;
    double up[kMaxLinks], down[kMaxLinks];
    for (int i = 0; i < n; ++i) {
      up[i] = state.q[i] + kStep * state.v[i];
      down[i] = state.q[i] - kStep * state.v[i];
    }
    const Vector changed =
        (speeds_by_ours(model, *other, up) - speeds_by_ours(model, *other, down)) *
        test::to_vector(state.v, n) / (2.0 * kStep);
    const Vector u_dot = ours.llt().solve(force);
    Vector a = Vector::Zero(n);
    for (int r = 0; r < m.count; ++r) a(m.joint[r]) = u_dot(r);
    test::keep_worst(acceleration,
                     relative_error(Vector(T * a + changed),
                                    Vector(Eigen::Map<const Vector>(data->qacc, m.count))));
  }
  std::printf("worst relative difference from MuJoCo, ball and free joints: M %.1e, forward %.1e\n",
              mass, acceleration);
  EXPECT_GT(free_roots, 20);
  EXPECT_LT(mass, 1e-9);
  EXPECT_LT(acceleration, 1e-8);
}

// The shipped PUMA 560: skew axes, offsets, small inertias far out.
TEST(MultibodyAgainstMujoco, Puma) {
  test::Random random(560);
  const Tree tree = io::read_machine(std::filesystem::path(KNUCKLEBOOM_SOURCE_DIR) /
                                     "config/machines/puma/machine.toml")
                        .model.tree;
  Worst worst;
  for (int k = 0; k < 50; ++k) compare(tree, test::random_state(random, tree), worst);
  expect_small(worst, 1e-9);
}

}  // namespace
}  // namespace knuckleboom
