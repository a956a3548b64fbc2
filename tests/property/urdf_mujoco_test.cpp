// An imported URDF against MuJoCo's own reader of the same text.
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include "knuckleboom/core/multibody/dynamics.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "support/error_norm.hpp"

namespace knuckleboom::urdf_mujoco_test {
namespace {

// Branching, oblique origins and axes, turned inertias, welded links in and at the end of chains, a link
// without mass between two joints.
constexpr const char* kUrdf = R"(<robot name="branched">
  <link name="foot"/>
  <link name="mast">
    <inertial><origin xyz="0.1 -0.2 0.9" rpy="0.3 -0.4 1.1"/><mass value="40"/>
      <inertia ixx="3.1" iyy="2.7" izz="1.4" ixy="0.2" ixz="-0.3" iyz="0.1"/></inertial>
  </link>
  <link name="bracket">
    <inertial><origin xyz="0 0.1 0.05" rpy="0 0 0.5"/><mass value="6"/>
      <inertia ixx="0.2" iyy="0.15" izz="0.25" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="boom">
    <inertial><origin xyz="1.4 0.02 0.1" rpy="0 0.2 0.1"/><mass value="25"/>
      <inertia ixx="0.4" iyy="5.5" izz="5.6" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="cross"/>
  <link name="head">
    <inertial><origin xyz="0 0 -0.4"/><mass value="12"/>
      <inertia ixx="0.9" iyy="0.8" izz="0.3" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="slide">
    <inertial><origin xyz="0.5 0 0" rpy="1.2 0.7 -0.3"/><mass value="9"/>
      <inertia ixx="0.3" iyy="0.5" izz="0.6" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="swing" type="continuous">
    <origin xyz="0.2 0.1 0.5" rpy="0.05 -0.1 0.7"/><parent link="foot"/><child link="mast"/>
    <axis xyz="0 0.1 1"/></joint>
  <joint name="weld" type="fixed">
    <origin xyz="0.3 0 1.8" rpy="0.4 0.5 -0.6"/><parent link="mast"/><child link="bracket"/></joint>
  <joint name="lift" type="revolute">
    <origin xyz="0.1 0 0.2" rpy="-0.3 0.2 0.9"/><parent link="bracket"/><child link="boom"/>
    <axis xyz="0.2 -1 0.1"/><limit lower="-1" upper="1.5" effort="1" velocity="1"/></joint>
  <joint name="extend" type="prismatic">
    <origin xyz="2.5 0 0" rpy="0 0.1 0"/><parent link="boom"/><child link="slide"/>
    <axis xyz="1 0 0.2"/><limit lower="0" upper="1.5" effort="1" velocity="1"/></joint>
  <joint name="pitch" type="revolute">
    <origin xyz="1.1 0 0"/><parent link="slide"/><child link="cross"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
  <joint name="roll" type="revolute">
    <origin xyz="0 0 -0.1"/><parent link="cross"/><child link="head"/>
    <axis xyz="1 0 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
</robot>
)";

std::string machine_text(const char* tip) {
  return fmt::format(
      "name = \"m\"\nurdf = \"x.urdf\"\ngravity_m_per_s2 = 9.81\nsource = \"test\"\n[tip]\n"
      "body = \"{}\"\nposition_m = [0, 0, 0]\n",
      tip);
}

struct MujocoDeleter {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
  void operator()(mjData* d) const { mj_deleteData(d); }
};

std::unique_ptr<mjModel, MujocoDeleter> mujoco_model(std::string text) {
  // MuJoCo refuses moving bodies without mass; its <compiler> lets a vanishing one stand for it. Welded
  // links stay bodies of their own, as their sum would be turned to its principal axes.
  text.insert(text.find('>') + 1,
              "<mujoco><compiler boundmass=\"1e-13\" boundinertia=\"1e-13\" "
              "balanceinertia=\"false\" fusestatic=\"false\"/></mujoco>");
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  EXPECT_EQ(mj_makeEmptyFileVFS(files.get(), "x.urdf", static_cast<int>(text.size())), 0);
  std::memcpy(files->filedata[mj_findFileVFS(files.get(), "x.urdf")], text.data(), text.size());
  char error[1000] = "";
  std::unique_ptr<mjModel, MujocoDeleter> model(
      mj_loadXML("x.urdf", files.get(), error, sizeof error));
  mj_deleteVFS(files.get());
  EXPECT_TRUE(model) << error << text;
  return model;
}

struct Worst {
  double mass = 0.0, bias = 0.0;
};

// Mass matrices and biases in `poses` positions and speeds.
void compare(const std::string& urdf, const char* tip, int joints, int poses, Worst& worst) {
  const machine::MachineModel ours =
      io::read_machine_texts(machine_text(tip), "m/machine.toml", {{"m/x.urdf", urdf}}).model;
  const multibody::Tree& tree = ours.tree;
  const auto model = mujoco_model(urdf);
  ASSERT_TRUE(model);
  const int n = tree.link_count();
  ASSERT_EQ(n, joints);
  ASSERT_EQ(model->nv, n);
  const std::unique_ptr<mjData, MujocoDeleter> data(mj_makeData(model.get()));
  for (int pose = 0; pose < poses; ++pose) {
    double q[kMaxLinks] = {}, v[kMaxLinks] = {};
    int dof[kMaxLinks] = {};
    for (int i = 0; i < n; ++i) {
      q[i] = std::sin(1.7 * pose + 2.3 * i);
      v[i] = std::cos(0.9 * pose - 1.1 * i);
      const int joint =
          mj_name2id(model.get(), mjOBJ_JOINT, tree.body(tree.link(i).body).joint_name.c_str());
      ASSERT_GE(joint, 0);
      dof[i] = model->jnt_dofadr[joint];
      data->qpos[model->jnt_qposadr[joint]] = q[i];
      data->qvel[dof[i]] = v[i];
    }
    mj_forward(model.get(), data.get());
    const std::unique_ptr<mjtNum[]> full(new mjtNum[static_cast<std::size_t>(n * n)]);
    mj_fullM(model.get(), full.get(), data->qM);
    test::Matrix M(n, n);
    test::Vector bias(n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) M(i, j) = full[static_cast<std::size_t>(dof[i] * n + dof[j])];
      bias(i) = data->qfrc_bias[dof[i]];
    }
    multibody::MassAndBias out;
    multibody::mass_and_bias(tree, tree.link_inertias().data(), q, v, out);
    test::keep_worst(worst.mass, test::relative_error(test::to_matrix(out.M, n), M));
    test::keep_worst(worst.bias, test::relative_error(test::to_vector(out.bias, n), bias));
  }
}

// A tree of `joints` moving links and some welded ones; random parents, positions, axes and
// inertias.
std::string random_urdf(unsigned seed, int joints) {
  std::mt19937_64 lot(seed);
  const auto between = [&lot](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(lot);
  };
  const auto three = [&](double most) {
    return fmt::format("{} {} {}", between(-most, most), between(-most, most),
                       between(-most, most));
  };
  std::string text = "<robot name=\"lot\">\n<link name=\"l0\"/>\n";
  for (int i = 1, moving = 0; moving < joints; ++i) {
    // Principal moments of a box.
    const double m = between(1.0, 40.0), x = between(0.1, 1.0), y = between(0.1, 1.0),
                 z = between(0.1, 1.0);
    text += fmt::format(
        "<link name=\"l{}\"><inertial><origin xyz=\"{}\" rpy=\"{}\"/><mass value=\"{}\"/>"
        "<inertia ixx=\"{}\" iyy=\"{}\" izz=\"{}\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>"
        "</link>\n",
        i, three(0.5), three(3.0), m, m * (y * y + z * z) / 12.0, m * (x * x + z * z) / 12.0,
        m * (x * x + y * y) / 12.0);
    const double kind = between(0.0, 1.0);
    const bool moves = kind > 0.25;
    moving += moves ? 1 : 0;
    const char* const type = !moves        ? "fixed"
                             : kind < 0.5  ? "prismatic"
                             : kind < 0.75 ? "continuous"
                                           : "revolute";
    const int parent = static_cast<int>(between(0.0, 1.0) * i);
    text += fmt::format(
        "<joint name=\"j{}\" type=\"{}\"><parent link=\"l{}\"/><child link=\"l{}\"/>"
        "<origin xyz=\"{}\" rpy=\"{}\"/><axis xyz=\"{}\"/>"
        "<limit lower=\"-2\" upper=\"2\" effort=\"1\" velocity=\"1\"/></joint>\n",
        i, type, parent, i, three(1.0), three(3.0), three(1.0));
  }
  return text + "</robot>\n";
}

TEST(Urdf, MovesAsMujocoReadsIt) {
  Worst worst;
  compare(kUrdf, "head", 5, 50, worst);
  // MuJoCo turns the mast's inertia to its principal axes, to an angle of about 1e-6 (its cosine to 1e-12).
  EXPECT_LT(worst.mass, 1e-8);
  EXPECT_LT(worst.bias, 1e-8);
  RecordProperty("worst_mass", fmt::format("{}", worst.mass));
}

TEST(Urdf, RandomTreesMoveAsMujocoReadsThem) {
  Worst worst;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const int joints = 1 + static_cast<int>(seed) % 8;
    compare(random_urdf(seed, joints), "l1", joints, 5, worst);
  }
  EXPECT_LT(worst.mass, 1e-12);
  EXPECT_LT(worst.bias, 1e-12);
  RecordProperty("worst_mass", fmt::format("{}", worst.mass));
  RecordProperty("worst_bias", fmt::format("{}", worst.bias));
}

}  // namespace
}  // namespace knuckleboom::urdf_mujoco_test
