// Other people's URDF files, below the folder that KNUCKLEBOOM_URDF names: how many are imported, and where
// they stand, what they weigh and how they pull against MuJoCo's own reader.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include "knuckleboom/core/machine/tip.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/machine_file.hpp"

namespace knuckleboom::urdf_sample_test {
namespace {

namespace fs = std::filesystem;

struct Free {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
  void operator()(mjData* d) const { mj_deleteData(d); }
};
using Theirs = std::unique_ptr<mjModel, Free>;

// Without looks, whose meshes are not here, and without what is for other programs.
std::string bare(std::string text) {
  for (const std::string name : {"visual", "collision", "gazebo", "transmission", "sensor"})
    for (std::size_t at = 0; (at = text.find("<" + name, at)) != std::string::npos;) {
      const char next = text[at + name.size() + 1];
      const std::size_t close = text.find('>', at);
      if (close == std::string::npos || (std::isalnum(static_cast<unsigned char>(next)) != 0)) {
        ++at;
        continue;
      }
      const std::string end = "</" + name + ">";
      const std::size_t stop = text[close - 1] == '/' ? close + 1 : text.find(end, at) + end.size();
      if (stop < at) break;
      text.erase(at, stop - at);
    }
  return text;
}

Theirs their_model(std::string text) {
  const std::size_t robot = text.find("<robot");
  if (robot == std::string::npos) return nullptr;
  text.insert(text.find('>', robot) + 1,
              "<mujoco><compiler boundmass=\"1e-13\" boundinertia=\"1e-13\" "
              "balanceinertia=\"false\" fusestatic=\"false\"/></mujoco>");
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  if (mj_makeEmptyFileVFS(files.get(), "x.urdf", static_cast<int>(text.size())) != 0)
    return nullptr;
  std::memcpy(files->filedata[mj_findFileVFS(files.get(), "x.urdf")], text.data(), text.size());
  char error[1000] = "";
  Theirs model(mj_loadXML("x.urdf", files.get(), error, sizeof error));
  mj_deleteVFS(files.get());
  return model;
}

// The names of the links as the file has them, in its order.
std::vector<std::string> link_names(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; (at = text.find("<link", at)) != std::string::npos; ++at) {
    const std::size_t name = text.find("name=", at), close = text.find('>', at);
    if (name == std::string::npos || name > close) continue;
    const char quote = text[name + 5];
    const std::size_t end = text.find(quote, name + 6);
    // <parent link="..."/> begins otherwise, <link> in other elements has no '"' behind name=.
    if (quote == '"' || quote == '\'') out.push_back(text.substr(name + 6, end - name - 6));
  }
  return out;
}

struct Tally {
  int files = 0, imported = 0, too_many = 0, still = 0, compared = 0;
  double place_m = 0.0, mass = 0.0, pull = 0.0;
};

// False: MuJoCo does not take the file, or reads other links.
bool compare(const io::MachineFile& file, const std::string& text, Tally& tally) {
  const Theirs theirs = their_model(bare(text));
  const std::vector<std::string> names = link_names(text);
  const auto& links = file.imports[0].links;
  if (!theirs || names.size() != links.size()) return false;
  const machine::MachineModel& ours = file.model;
  const multibody::Tree& tree = ours.tree;
  std::map<std::string, double> held;
  bool changed = !ours.couplings.empty();
  for (const io::Diagnostic& note : file.notes) {
    const std::size_t at = note.message.find("' is held at ");
    if (at != std::string::npos)
      held[note.message.substr(7, at - 7)] = std::stod(note.message.substr(at + 13));
    changed = changed || note.message.find("the inertia of link") != std::string::npos ||
              note.message.find("so it has neither") != std::string::npos ||
              note.message.find("as 1 kg") != std::string::npos;
  }
  double q[kMaxLinks] = {};
  for (int i = 0; i < tree.link_count(); ++i) {
    const multibody::Body& body = tree.body(tree.link(i).body);
    const double share = 0.5 + 0.4 * std::sin(2.3 * i + 1.0);
    q[i] = body.upper > body.lower && std::isfinite(body.upper - body.lower)
               ? body.lower + share * (body.upper - body.lower)
               : share;
  }
  for (int round = 0; round < 3; ++round)
    for (const multibody::Coupling& c : ours.couplings)
      q[c.joint] = c.ratio * q[c.follows] + c.offset;
  const std::unique_ptr<mjData, Free> data(mj_makeData(theirs.get()));
  std::vector<int> dof(static_cast<std::size_t>(tree.link_count()), -1);
  for (std::size_t k = 0; k < links.size(); ++k) {
    const int body = mj_name2id(theirs.get(), mjOBJ_BODY, names[k].c_str());
    if (body <= 0 || theirs->body_jntnum[body] != 1) continue;
    const int joint = theirs->body_jntadr[body];
    if (theirs->jnt_type[joint] != mjJNT_HINGE && theirs->jnt_type[joint] != mjJNT_SLIDE)
      return false;
    const int link = tree.find_joint(links[k].joint);
    if (link >= 0) dof[static_cast<std::size_t>(link)] = theirs->jnt_dofadr[joint];
    data->qpos[theirs->jnt_qposadr[joint]] = link >= 0 ? q[link] : held[links[k].joint];
  }
  mj_forward(theirs.get(), data.get());
  double our_mass = 0.0, their_mass = 0.0;
  for (std::size_t k = 0; k < links.size(); ++k) {
    const int body = mj_name2id(theirs.get(), mjOBJ_BODY, names[k].c_str());
    if (body <= 0) continue;
    const int own = tree.find_body(links[k].name);
    if (own < 0) continue;
    const multibody::Body& here = tree.body(own);
    machine::PointPose pose;
    machine::locate(ours, {here.link, here.in_link.p}, q, pose);
    const mjtNum* p = data->xpos + 3 * body;
    tally.place_m = std::max(tally.place_m, (pose.p_W - Vec3(p[0], p[1], p[2])).norm());
    our_mass += here.inertia.mass;
    their_mass += theirs->body_mass[body];
  }
  ++tally.compared;
  if (changed) return true;
  tally.mass = std::max(tally.mass, std::fabs(our_mass - their_mass) / std::max(1.0, their_mass));
  const double still[kMaxLinks] = {};
  multibody::MassAndBias out;
  multibody::mass_and_bias(tree, tree.link_inertias().data(), q, still, out);
  double worst = 0.0, scale = 0.01 * their_mass;  // N m of its weight at a millimetre
  for (int i = 0; i < tree.link_count(); ++i) {
    const int d = dof[static_cast<std::size_t>(i)];
    if (d < 0) return true;
    worst = std::max(worst, std::fabs(out.bias[i] - data->qfrc_bias[d]));
    scale = std::max(scale, std::fabs(data->qfrc_bias[d]));
  }
  tally.pull = std::max(tally.pull, worst / scale);
  return true;
}

TEST(UrdfSample, IsImportedAsMujocoReadsIt) {
  const char* folder = std::getenv("KNUCKLEBOOM_URDF");
  if (folder == nullptr) GTEST_SKIP() << "KNUCKLEBOOM_URDF names no folder of URDF files";
  Tally tally;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".urdf") continue;
    ++tally.files;
    std::ifstream stream(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    try {
      const io::MachineFile file = io::read_urdf(entry.path());
      ++tally.imported;
      const double before = tally.place_m;
      compare(file, text, tally);
      if (tally.place_m > before && tally.place_m > 1e-6)
        ADD_FAILURE() << entry.path() << " stands " << tally.place_m << " m elsewhere";
    } catch (const io::FileError& error) {
      const std::string why = error.what();
      ASSERT_GT(why.size(), 20u) << entry.path();
      if (why.find("at most 40 moving bodies") != std::string::npos ||
          why.find("at most 256") != std::string::npos)
        ++tally.too_many;
      else if (why.find("no body can move") != std::string::npos)
        ++tally.still;
      else
        std::printf("%s\n", why.c_str());
    }
  }
  std::printf(
      "%d files: %d imported, %d with more than 40 moving joints, %d without any; %d compared: "
      "%.2g m, masses %.2g, gravity %.2g\n",
      tally.files, tally.imported, tally.too_many, tally.still, tally.compared, tally.place_m,
      tally.mass, tally.pull);
  ASSERT_GT(tally.files, 0);
  EXPECT_GE(tally.imported, 0.95 * (tally.files - tally.too_many - tally.still));
  EXPECT_LT(tally.place_m, 1e-6);
  EXPECT_LT(tally.mass, 1e-9);
  EXPECT_LT(tally.pull, 1e-9);
}

}  // namespace
}  // namespace knuckleboom::urdf_sample_test
