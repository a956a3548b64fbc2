// Code in the callback of the audio device does not use the heap.
#include <vector>

#include <gtest/gtest.h>

#include "heap_counter.hpp"
#include "knuckleboom/runtime/latest_value.hpp"
#include "sound/synth.hpp"

namespace knuckleboom {
namespace {

TEST(NoHeap, InTheSoundOfAMachine) {
  sound::Synth synth(48000.0);
  runtime::LatestValue<sound::SoundState> latest;
  std::vector<float> block(1024);
  sound::SoundState state;
  long calls = 0;
  {
    const test::HeapCounter heap;
    for (int i = 0; i < 200; ++i) {
      state.pump_power_W = 500.0 * i;
      state.stop_hits += i % 3;
      state.collisions += i % 2;
      latest.write(state);
      if (latest.refresh()) synth.set(latest.value());
      synth.render(block);
    }
    calls = heap.calls();
  }
  EXPECT_EQ(calls, 0);
  EXPECT_GT(synth.knocks(), 100);
}

}  // namespace
}  // namespace knuckleboom
