// A recorded emulation runs again with the same bits, without what was on the wire; and where it does not,
// that is seen.
#include "knuckleboom/runtime/emulation_replayer.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/runtime/emulation_recorder.hpp"
#include "support/hil_run.hpp"
#include "support/same_bytes.hpp"
#include "support/session_recording.hpp"

namespace knuckleboom::runtime {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

class EmulationReplay : public testing::Test {
 protected:
  static constexpr std::int64_t kTicks = 6070;

  // Runs the whole recording.
  static void run(EmulationReplayer& replayer) {
    while (replayer.step()) {
    }
  }
  static std::string joined(const std::vector<std::string>& sentences) {
    std::string out;
    for (const std::string& one : sentences) out += one + "\n";
    return out;
  }

  test::TemporaryFolder folder_;
  std::string file_ = folder_ / "run.kbe";
};

TEST_F(EmulationReplay, GivesTheSameBits) {
  std::int64_t outside_at_end = 0;
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    const std::string file = folder_ / ("run" + std::to_string(seed) + ".kbe");
    const io::EmulationTexts texts = test::shipped_emulation_texts(
        "peg_on_plane",
        {"control.bandwidth_Hz=3", "site.stiffness_N_per_m=2e5", "emulated.gravity_m_per_s2=9.8"});
    const auto bench = io::make_hil_bench(texts);
    const emulation::HilState last =
        test::record_emulation(texts, *bench, test::outside_run(*bench, kTicks, seed), file);
    // It was all there, or the test says nothing.
    EXPECT_GT(last.holds + last.stops, 3);
    EXPECT_GT(last.runs, 1);
    EXPECT_GT(last.exchange.signal[0].received[1].refused, 0);
    EXPECT_GT(last.exchange.signal[0].received[1].times_stale, 0);
    for (int i = 0; i < bench->exchange().signals(); ++i)
      outside_at_end += last.exchange.signal[i].source != exchange::Source::kSimulated ? 1 : 0;
    EXPECT_NE(last.emulation.tuning.bandwidth_Hz, 3.0);

    EmulationReplayer replayer(io::read_emulation_recording(file));
    EXPECT_THAT(replayer.remarks(), IsEmpty());
    run(replayer);
    EXPECT_TRUE(test::same_bytes(replayer.state(), last));
    EXPECT_EQ(replayer.hashes_compared(), 1 + kTicks / 100);
    EXPECT_EQ(replayer.hashes_equal(), 1 + kTicks / 100);
    EXPECT_EQ(replayer.first_difference(), -1);
    EXPECT_EQ(replayer.equal_up_to(), 6000);
    EXPECT_TRUE(replayer.end_is_equal());
    EXPECT_EQ(replayer.refused(), 0);
    EXPECT_GT(replayer.recording().frames, kTicks / 2);
  }
  EXPECT_GT(outside_at_end, 3);
}

// One bit of one number that came over the wire, one command left out, one tick later: each is found, at the
// first hash after it.
TEST_F(EmulationReplay, FindsWhereItDiffers) {
  const io::EmulationTexts texts = test::shipped_emulation_texts("peg_on_plane");
  const auto bench = io::make_hil_bench(texts);
  const test::OutsideRun as_it_was = test::outside_run(*bench, 3000, 5);
  test::record_emulation(texts, *bench, as_it_was, file_);
  const io::EmulationRecording recorded = io::read_emulation_recording(file_);

  const auto first_difference = [&](io::EmulationRecording changed, bool& end_equal) {
    EmulationReplayer replayer(std::move(changed));
    run(replayer);
    end_equal = replayer.end_is_equal();
    if (replayer.first_difference() >= 0) {
      EXPECT_EQ(replayer.equal_up_to(), replayer.first_difference() - 100);
    }
    return replayer.first_difference();
  };
  bool end_equal = false;
  EXPECT_EQ(first_difference(recorded, end_equal), -1);
  EXPECT_TRUE(end_equal);

  const auto tuned =
      std::find_if(recorded.commands.begin(), recorded.commands.end(), [](const auto& one) {
        return one.command.kind == emulation::HilCommandKind::kTune && one.tick > 100;
      });
  ASSERT_NE(tuned, recorded.commands.end());
  const auto at = tuned - recorded.commands.begin();
  const std::int64_t next_hash = (tuned->tick / 100 + 1) * 100;
  io::EmulationRecording changed = recorded;
  changed.commands.erase(changed.commands.begin() + at);
  EXPECT_EQ(first_difference(std::move(changed), end_equal), next_hash);
  changed = recorded;
  changed.commands[static_cast<std::size_t>(at)].command.value *= 1.0 + 1e-15;
  EXPECT_EQ(first_difference(std::move(changed), end_equal), next_hash);

  // After the last tick only the end's hash tells.
  changed = recorded;
  ASSERT_EQ(changed.commands.back().tick, 3000);
  changed.commands.pop_back();
  EXPECT_EQ(first_difference(std::move(changed), end_equal), -1);
  EXPECT_FALSE(end_equal);

  // A value of the network, by a run with another one under the hashes of this.
  test::OutsideRun other = as_it_was;
  for (std::size_t k = 250;; ++k) {
    exchange::SignalFrame& frame = other.inputs[k].network;
    if ((frame.fresh & 1U) == 0 || !(frame.value[0] > 0.0 && frame.value[0] < 0.04)) continue;
    frame.value[0] *= 1.0 + 1e-15;
    const std::string file = folder_ / "other.kbe";
    test::record_emulation(texts, *bench, other, file);
    io::EmulationRecording mixed = io::read_emulation_recording(file);
    mixed.hashes = recorded.hashes;
    EXPECT_EQ(first_difference(std::move(mixed), end_equal),
              static_cast<std::int64_t>(k / 100 + 1) * 100);
    break;
  }
}

TEST_F(EmulationReplay, SaysWhatItCannotPromise) {
  const io::EmulationTexts texts = test::shipped_emulation_texts("peg_on_plane");
  const auto bench = io::make_hil_bench(texts);
  test::record_emulation(texts, *bench, test::outside_run(*bench, 500, 6), file_);
  io::EmulationRecording recording = io::read_emulation_recording(file_);
  recording.header.program = "knuckleboom 0.0.1 (old)";
  recording.header.processor = "abacus";
  ++recording.header.layout.version;
  recording.end.lost = {3, 123};
  recording.end.complete = false;
  recording.end.torn = true;
  const EmulationReplayer replayer(std::move(recording));
  const std::string all = joined(replayer.remarks());
  EXPECT_THAT(all, HasSubstr("knuckleboom 0.0.1 (old)"));
  EXPECT_THAT(all, HasSubstr("abacus"));
  EXPECT_THAT(all, HasSubstr("hashes were taken in another way"));
  EXPECT_THAT(all, HasSubstr("3 of its records were lost, the first at tick 123"));
  EXPECT_THAT(all, HasSubstr("whole up to 0.500 s"));
}

// Cut at any byte behind its header it runs up to there with the same bits.
TEST_F(EmulationReplay, RunsWhatIsLeftOfARecording) {
  const io::EmulationTexts texts = test::shipped_emulation_texts("peg_on_plane");
  const auto bench = io::make_hil_bench(texts);
  test::record_emulation(texts, *bench, test::outside_run(*bench, 2600, 7), file_);
  std::ifstream in(file_, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const std::string cut = folder_ / "cut.kbe";
  std::ofstream(cut, std::ios::binary) << bytes.substr(0, bytes.size() - 20000);
  EmulationReplayer replayer(io::read_emulation_recording(cut));
  run(replayer);
  EXPECT_EQ(replayer.state().tick, 2000);  // written every 1000 ticks
  EXPECT_EQ(replayer.hashes_equal(), 21);
  EXPECT_EQ(replayer.hashes_compared(), 21);
  EXPECT_TRUE(replayer.end_is_equal());
  EXPECT_THAT(joined(replayer.remarks()), HasSubstr("damaged"));
}

// The recorder's own thread writes the same as the tick thread would.
TEST_F(EmulationReplay, OfARecorderWithItsOwnThread) {
  const io::EmulationTexts texts = test::shipped_emulation_texts("peg_on_plane");
  const auto bench = io::make_hil_bench(texts);
  const test::OutsideRun outside = test::outside_run(*bench, 1500, 8);
  emulation::HilState state = bench->initial_state();
  EmulationRecorder recorder(
      io::EmulationRecordingWriter(file_, io::emulation_recording_header(texts, *bench)), state);
  std::size_t next = 0;
  for (const exchange::ExchangeInput& input : outside.inputs) {
    for (; outside.commands[next].tick == state.tick; ++next) {
      recorder.command(state.tick, outside.commands[next].command);
      bench->apply(outside.commands[next].command, state);
    }
    recorder.input(state.tick, input);
    bench->step(state, input);
    recorder.after_tick(state);
  }
  const EmulationRecordingOutcome outcome = recorder.finish(state, "it was enough");
  EXPECT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.file, file_);
  EmulationReplayer replayer(io::read_emulation_recording(file_));
  EXPECT_EQ(replayer.recording().end.reason, "it was enough");
  run(replayer);
  EXPECT_TRUE(test::same_bytes(replayer.state(), state));
  EXPECT_EQ(replayer.hashes_equal(), 16);
  // A command refused in the recording is refused in the replay.
  EXPECT_GT(replayer.refused(), 0);
}

}  // namespace
}  // namespace knuckleboom::runtime
