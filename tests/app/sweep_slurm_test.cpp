// Sweeps on a real slurmctld and slurmd, and by GNU parallel. KNUCKLEBOOM_LONG: a Slurm task takes seconds to start.

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "program.hpp"
#include "support/long_run.hpp"

namespace knuckleboom::test {
namespace {

using testing::HasSubstr;

std::string tool(const std::string& name) {
  for (const char* folder : {"/usr/bin/", "/usr/sbin/"})
    if (std::filesystem::exists(folder + name)) return folder + name;
  return {};
}

constexpr const char* kShardedPlan =
    "scenario = \"stick_sine\"\nfidelity = \"full\"\ndesign = \"monte_carlo\"\nruns = 60\n"
    "[[vary]]\nname = \"gain\"\nkey = \"controller.stick.kp_V_per_rad\"\nlow = 30\nhigh = 50\n"
    "[[result]]\nname = \"error\"\nchannel = \"stick_rad\"\nminus = \"stick_ref_rad\"\n"
    "take = \"rms\"\n";

// munged, slurmctld and slurmd of this test alone, in a folder of its own.
class SlurmCluster {
 public:
  // Empty: it runs; else why it does not.
  std::string start() {
    for (const char* name : {"munged", "slurmctld", "slurmd", "sbatch", "scancel", "sinfo"})
      if (tool(name).empty()) return std::string(name) + " is not installed (slurm-wlm, munge)";
    if (geteuid() != 0) return "slurmd needs root";
    char host[256] = {};
    if (gethostname(host, sizeof host - 1) != 0) return "this computer has no name";
    const std::string at = (folder_ / "").string();
    for (const char* sub : {"state", "spool", "munge"})
      std::filesystem::create_directory(folder_ / sub);
    std::filesystem::permissions(folder_ / "munge", std::filesystem::perms::owner_all |
                                                        std::filesystem::perms::others_exec |
                                                        std::filesystem::perms::group_exec);
    write_text(folder_ / "munge.key", std::string(128, 'k'));
    std::filesystem::permissions(folder_ / "munge.key", std::filesystem::perms::owner_read);
    const std::string socket = at + "munge/munge.socket";
    write_text(
        folder_ / "slurm.conf",
        "ClusterName=sweep\nSlurmctldHost=" + std::string(host) + "(127.0.0.1)\nSlurmUser=root\n" +
            "AuthType=auth/munge\nCryptoType=crypto/munge\nAuthInfo=socket=" + socket + "\n" +
            "SlurmctldPort=47817\nSlurmdPort=47818\nStateSaveLocation=" + at +
            "state\nSlurmdSpoolDir=" + at + "spool\nSlurmctldPidFile=" + at +
            "slurmctld.pid\nSlurmdPidFile=" + at +
            "slurmd.pid\nProctrackType=proctrack/linuxproc\n" +
            "TaskPlugin=task/none\nMpiDefault=none\nReturnToService=2\n" +
            "SchedulerType=sched/builtin\nSelectType=select/cons_tres\n" +
            "SelectTypeParameters=CR_Core\nJobAcctGatherType=jobacct_gather/none\n" +
            "AccountingStorageType=accounting_storage/none\nJobCompType=jobcomp/none\n" +
            "SlurmctldLogFile=" + at + "slurmctld.log\nSlurmdLogFile=" + at + "slurmd.log\n" +
            "NodeName=" + host + " NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN\n" +
            "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n");
    environment_ = {"SLURM_CONF=" + at + "slurm.conf"};
    parts_.push_back(std::make_unique<Program>(
        std::vector<std::string>{"--foreground", "--force", "--key-file=" + at + "munge.key",
                                 "--socket=" + socket, "--pid-file=" + at + "munge/munge.pid",
                                 "--log-file=" + at + "munge/munge.log",
                                 "--seed-file=" + at + "munge/munge.seed"},
        std::vector<std::string>{}, tool("munged")));
    if (!appears(socket))
      return "munged does not start: " + content_of(folder_ / "munge/munge.log");
    for (const char* name : {"slurmctld", "slurmd"})
      parts_.push_back(
          std::make_unique<Program>(std::vector<std::string>{"-D"}, environment_, tool(name)));
    for (int i = 0; i < 300; ++i) {
      Program sinfo({"--noheader", "--format=%T"}, environment_, tool("sinfo"));
      if (sinfo.wait().output.find("idle") != std::string::npos) return {};
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return "the node does not come up: " + content_of(folder_ / "slurmd.log");
  }
  ~SlurmCluster() {
    for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) {
      (*part)->send(SIGTERM);
      (*part)->wait();
    }
  }

  const std::vector<std::string>& environment() const { return environment_; }

 private:
  static bool appears(const std::string& path) {
    for (int i = 0; i < 100; ++i) {
      if (std::filesystem::exists(path)) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }

  TemporaryFolder folder_;
  std::vector<std::string> environment_;
  std::vector<std::unique_ptr<Program>> parts_;
};

class SweepSpread : public testing::Test {
 protected:
  void SetUp() override {
    if (!long_run()) GTEST_SKIP() << "starts a cluster: KNUCKLEBOOM_LONG=1";
    write_text(folder_ / "plan.toml", kShardedPlan);
    ASSERT_EQ(run({"sweep", file("plan.toml"), "-o", file("whole.h5")}).status, 0);
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  void expect_whole(const std::string& table) const {
    EXPECT_EQ(content_of(file(table + ".csv")), content_of(file("whole.csv")));
    EXPECT_EQ(content_of(file(table + ".h5")), content_of(file("whole.h5")));
  }

  TemporaryFolder folder_;
};

// The process of one shard is killed while it works: it is handed out again, and goes on.
TEST_F(SweepSpread, SlurmLosesAKilledShardAlone) {
  SlurmCluster cluster;
  if (const std::string why = cluster.start(); !why.empty()) GTEST_SKIP() << why;
  Program sweep({"sweep", file("plan.toml"), "-o", file("t.h5"), "--slurm", "--shards", "3"},
                cluster.environment());
  const std::string rows = file("t.shard-2-of-3.rows");
  std::error_code ignored;
  bool killed = false;
  for (int i = 0; i < 6000 && !killed; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (!std::filesystem::exists(rows, ignored) || std::filesystem::file_size(rows, ignored) < 1500)
      continue;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
      const std::string words = content_of(entry.path() / "cmdline");
      const std::string name = entry.path().filename().string();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      if (words.find(file("t.h5")) == std::string::npos ||
          words.find(std::string("--shard\0"
                                 "2/3",
                                 11)) == std::string::npos)
        continue;
      killed = kill(static_cast<pid_t>(std::stol(name)), SIGKILL) == 0;
    }
  }
  const Outcome outcome = sweep.wait();
  EXPECT_TRUE(killed);
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr("handing out again: 2"));
  EXPECT_THAT(content_of(file("t.slurm-2.log")), HasSubstr("going on with"));
  expect_whole("t");
}

TEST_F(SweepSpread, GnuParallelGivesTheSameTable) {
  if (tool("parallel").empty()) GTEST_SKIP() << "GNU parallel is not installed (parallel)";
  const Outcome outcome =
      run({"sweep", file("plan.toml"), "-o", file("t.h5"), "--parallel", ":", "--shards", "2"});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  expect_whole("t");
}

}  // namespace
}  // namespace knuckleboom::test
