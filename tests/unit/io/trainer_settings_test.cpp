// Remembered settings of the trainer.
#include "knuckleboom/io/trainer_settings.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "io_test_support.hpp"

namespace knuckleboom {
namespace {

using io::TrainerSettings;
using test::slurp;

TEST(TrainerSettings, comeBackAsTheyWere) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("trainer_settings_" + std::to_string(::getpid()));
  const std::filesystem::path file = folder / "deep" / "trainer.toml";
  TrainerSettings settings;
  settings.exercise = "logs";
  settings.machine = "/home/a \"b\"\\c\n/machine.toml";
  settings.control = "boom_tip";
  settings.volume = 0.25;
  settings.muted = true;
  io::write_trainer_settings(file, settings);
  EXPECT_EQ(io::read_trainer_settings(file), settings);
  // A file of a newer program is not ours to replace.
  const std::string newer = "exercise = \"logs\"\nstereo = true\n";
  std::ofstream(file) << newer;
  EXPECT_THROW(io::write_trainer_settings(file, settings), io::FileError);
  EXPECT_EQ(slurp(file), newer);
  std::filesystem::remove_all(folder);
}

TEST(TrainerSettings, mayBeFew) {
  const TrainerSettings settings =
      io::read_trainer_settings_text("exercise = \"reach\"\n", "t.toml");
  EXPECT_EQ(settings.exercise, "reach");
  EXPECT_EQ(settings.volume, TrainerSettings{}.volume);
}

TEST(TrainerSettings, pointAtWhatIsWrong) {
  try {
    io::read_trainer_settings_text("exercise = \"reach\"\nvolume = 7\nexcercise = \"x\"\n",
                                   "t.toml");
    FAIL() << "accepted";
  } catch (const io::FileError& error) {
    ASSERT_EQ(error.diagnostics().size(), 2U);
    EXPECT_EQ(error.diagnostics()[0].line, 2);
    EXPECT_EQ(error.diagnostics()[1].line, 3);
    EXPECT_NE(error.diagnostics()[1].message.find("exercise"), std::string::npos);
  }
}

}  // namespace
}  // namespace knuckleboom
