// Recording does not use the heap on the tick thread.
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "heap_counter.hpp"
#include "knuckleboom/recording/session_file.hpp"
#include "knuckleboom/runtime/session_recorder.hpp"
#include "knuckleboom/runtime/session_ticker.hpp"
#include "support/session_recording.hpp"

namespace knuckleboom::runtime {
namespace {

TEST(RecorderNoHeap, OnTheTickThread) {
  const test::DescribedSession described = test::described_session("logs");
  const test::TemporaryFolder folder;
  const auto input = test::random_input(21, 20000, 1);
  SessionTicker ticker(*described.session);
  SessionRecorder recorder(io::SessionJournal(folder / "s.h5", described.header),
                           *described.session, ticker.state());
  ticker.record_into(&recorder);
  training::InputPlayback playback(input);
  training::SessionSnapshot snapshot{};
  std::size_t next = 0;
  long calls = 0;
  for (std::int64_t k = 0; k < 20000; ++k) {
    const test::HeapCounter heap;
    for (; input[next].tick == k; ++next) ticker.record(input[next]);
    ticker.tick(playback.advance(k, [&](const auto& command) { ticker.apply(command); }), snapshot);
    calls += heap.calls();
    // As fast as a hundred operators: the recorder must not be left behind for good.
    if (k % 2000 == 1999) std::this_thread::sleep_for(std::chrono::milliseconds(400));
  }
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(recorder.finish(ticker.state()).fault, "");
  const io::SessionRecord record = io::read_session(folder / "s.h5");
  EXPECT_EQ(record.end.lost, 0);
  EXPECT_EQ(record.end.end_tick, 20000);
}

// Queues that are not emptied fill up: counted, and noted in the file.
TEST(RecorderNoHeap, AFullQueueIsCountedAndSaid) {
  const test::DescribedSession described = test::described_session("reach");
  const test::TemporaryFolder folder;
  SessionTicker ticker(*described.session);
  RecorderSettings settings;
  settings.own_thread = false;
  SessionRecorder recorder(io::SessionJournal(folder / "s.h5", described.header),
                           *described.session, ticker.state(), settings);
  ticker.record_into(&recorder);
  training::SessionSnapshot snapshot{};
  command::OperatorInput levers{};
  ticker.record({});
  for (int k = 0; k < 40000; ++k)
    ticker.tick(levers, snapshot);  // 40 states, room for 32, and more
  recorder.drain();
  EXPECT_NE(recorder.take_fault().find("gaps"), std::string::npos);
  EXPECT_EQ(recorder.take_fault(), "");
  EXPECT_NE(recorder.finish(ticker.state()).fault.find("gaps"), std::string::npos);
  const io::SessionRecord record = io::read_session(folder / "s.h5");
  EXPECT_GT(record.end.lost, 8);
  EXPECT_TRUE(record.end.complete);
  ASSERT_FALSE(record.events.empty());
  EXPECT_EQ(record.events.back().kind, "recording_gap");
  EXPECT_EQ(record.events.back().value[0], static_cast<double>(record.end.lost));
}

}  // namespace
}  // namespace knuckleboom::runtime
