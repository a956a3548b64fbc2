// An emulation from texts is the one from files, also when the files are gone.
#include "knuckleboom/recording/emulation_texts.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/io/emulation_file.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "support/hil_run.hpp"
#include "support/paths.hpp"
#include "support/session_recording.hpp"

namespace knuckleboom::io {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kConfig = fs::path(KNUCKLEBOOM_SOURCE_DIR) / "config";

// A bench whose host builds on another file.
class EmulationTextsOfFiles : public testing::Test {
 protected:
  EmulationTextsOfFiles() {
    fs::copy(kConfig / "machines", folder_ / "machines", fs::copy_options::recursive);
    fs::create_directory(folder_ / "emulations");
    emulation_ = folder_ / "emulations/peg.toml";
    fs::copy_file(kConfig / "emulations/peg_on_plane.toml", emulation_);
    fs::create_directory(folder_ / "machines/soft_host");
    std::ofstream(folder_ / "machines/soft_host/machine.toml")
        << "base = \"../hydraulic_host/machine.toml\"\nname = \"soft_host\"\n";
    signals_ = folder_ / "signals.toml";
    std::ofstream(signals_) << "[[signal]]\nname = \"operator.z\"\ndirection = \"in\"\n";
  }
  EmulationTexts read(std::vector<std::string> assignments, const fs::path& signals = {}) {
    return read_emulation_texts(emulation_, signals, std::move(assignments),
                                [this](const std::string& name, const ScenarioPlaces::Place& at) {
                                  const fs::path path =
                                      folder_ / "machines" / name / "machine.toml";
                                  if (!fs::exists(path))
                                    throw FileError({{at.file, at.line, 1, "no machine " + name}});
                                  return path;
                                });
  }

  test::TemporaryFolder folder_;
  fs::path emulation_, signals_;
};

TEST_F(EmulationTextsOfFiles, NeedNoFilesAnyMore) {
  const EmulationTexts texts = read({"host=soft_host", "control.scheme=position",
                                     "emulated.gravity_m_per_s2=1", "site.stiffness_N_per_m=12345"},
                                    signals_);
  fs::remove_all(folder_.path());
  const EmulationParts parts = make_emulation(texts);
  EXPECT_EQ(parts.plan.host.model.name, "soft_host");
  EXPECT_EQ(parts.plan.host.model.joint_count(), 6);
  EXPECT_EQ(parts.plan.emulated.model.tree.gravity_W.z(), -1.0);
  EXPECT_NE(parts.plan.host.model.tree.gravity_W.z(), -1.0);
  EXPECT_EQ(parts.plan.site.law.stiffness, 12345.0);
  EXPECT_EQ(parts.plan.scheme, emulation::Scheme::kPosition);
  ASSERT_EQ(parts.signals.in.size(), 1U);
  EXPECT_EQ(parts.signals.in[0].rule.name, "operator.z");
  // The emulation, the host and its base, the emulated machine, the signals.
  ASSERT_EQ(parts.files.size(), 5U);
  EXPECT_EQ(parts.files[0], emulation_.string());
  EXPECT_EQ(parts.files[1], (folder_ / "machines/soft_host/machine.toml").string());
  const auto bench = make_hil_bench(texts);
  EXPECT_EQ(bench->exchange().signals(), 1);
}

TEST_F(EmulationTextsOfFiles, AreThoseOfTheFiles) {
  const std::vector<std::string> none;
  const EmulationParts parts = make_emulation(read({}));
  EXPECT_EQ(parts.hash, read_emulation(emulation_).hash);
  EXPECT_EQ(parts.plan.phases.size(), 5U);
  EXPECT_TRUE(parts.signals.in.empty());
  // In the first tick the same bits as from the shipped files.
  const auto bench = make_hil_bench(read({}));
  EmulationTexts shipped = test::shipped_emulation_texts("peg_on_plane");
  std::erase_if(shipped.texts, [](const SessionText& text) { return text.role == "signals"; });
  const auto own = make_hil_bench(shipped);
  emulation::HilState a = bench->initial_state(), b = own->initial_state();
  bench->step(a, {});
  own->step(b, {});
  EXPECT_EQ(state::hash(a), state::hash(b));
}

TEST_F(EmulationTextsOfFiles, SayWhatIsWrong) {
  const auto refusal = [this](std::vector<std::string> assignments, const fs::path& signals = {}) {
    try {
      make_hil_bench(read(std::move(assignments), signals));
    } catch (const FileError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal({}), "");
  EXPECT_THAT(refusal({"host=nobody"}), HasSubstr("no machine nobody"));
  EXPECT_THAT(refusal({"site.stifness_N_per_m=1"}), HasSubstr("stifness"));
  EXPECT_THAT(refusal({"host.no_such_key=1"}), HasSubstr("no_such_key"));
  EXPECT_THAT(refusal({}, folder_ / "nowhere.toml"), HasSubstr("expected a signal file"));
  std::ofstream(signals_) << "[[signal]]\nname = \"operator.w\"\ndirection = \"in\"\n";
  EXPECT_THAT(refusal({}, signals_), HasSubstr("no signal 'operator.w'"));

  EmulationTexts without = read({});
  std::erase_if(without.texts, [](const SessionText& text) { return text.role == "emulated"; });
  try {
    make_emulation(without);
    FAIL();
  } catch (const FileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("emulated file is not there"));
  }
}

}  // namespace
}  // namespace knuckleboom::io
