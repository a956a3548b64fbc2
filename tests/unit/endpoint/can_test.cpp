// Signals in CAN frames; on a true bus where this machine has vcan.
#include "endpoint/can.hpp"

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "endpoint/error.hpp"
#include "support/wire_keys.hpp"

namespace knuckleboom::endpoint {
namespace {

io::OutsideSignal placed(std::uint32_t id, int start, bool wide, double scale, double offset) {
  io::OutsideSignal signal;
  signal.can = io::CanPlace{id, start, wide, scale, offset};
  return signal;
}

std::vector<io::OutsideSignal> three() {
  return {placed(0x200, 0, false, 1e-3, 0.0), placed(0x100, 2, true, 0.5, 100.0),
          placed(0x200, 2, false, -1.0, 0.0)};
}

TEST(CanFrames, HoldLittleEndianIntegers) {
  const auto signals = three();
  std::vector<CanFrame> frames = frames_of(signals);
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].id, 0x100U);
  EXPECT_EQ(frames[0].length, 6);
  EXPECT_EQ(frames[1].length, 4);
  pack(signals, std::array{-0.258, 100.0 + 0.5 * 0x01020304, 7.0}, frames);
  EXPECT_THAT(frames[0].data, testing::ElementsAre(0, 0, 4, 3, 2, 1, 0, 0));
  EXPECT_THAT(frames[1].data, testing::ElementsAre(0xFE, 0xFE, 0xF9, 0xFF, 0, 0, 0, 0));
  exchange::SignalFrame frame{};
  EXPECT_TRUE(unpack(signals, frames[1], frame));
  EXPECT_EQ(frame.fresh, 5U);
  EXPECT_TRUE(unpack(signals, frames[0], frame));
  EXPECT_EQ(frame.fresh, 7U);
  EXPECT_DOUBLE_EQ(frame.value[0], -0.258);
  EXPECT_EQ(frame.value[1], 100.0 + 0.5 * 0x01020304);
  EXPECT_EQ(frame.value[2], 7.0);
}

TEST(CanFrames, StopAtWhatTheIntegerHolds) {
  const auto signals = three();
  std::vector<CanFrame> frames = frames_of(signals);
  exchange::SignalFrame frame{};
  pack(signals, std::array{1e300, -1e300, 1e9}, frames);
  for (const CanFrame& f : frames) unpack(signals, f, frame);
  EXPECT_DOUBLE_EQ(frame.value[0], 32.767);
  EXPECT_EQ(frame.value[1], 100.0 - 0.5 * 2147483648.0);
  EXPECT_EQ(frame.value[2], 32768.0);
}

TEST(CanFrames, AreNotWholeWithAValueThatIsNone) {
  const auto signals = three();
  std::vector<CanFrame> frames = frames_of(signals);
  pack(signals, std::array{0.0, 0.0, std::nan("")}, frames);
  EXPECT_TRUE(frames[0].whole);
  EXPECT_FALSE(frames[1].whole);
  pack(signals, std::array{0.0, 0.0, 0.0}, frames);
  EXPECT_TRUE(frames[1].whole);
}

TEST(CanFrames, AreIgnoredWhereTooShortOrUnknown) {
  const auto signals = three();
  exchange::SignalFrame frame{};
  EXPECT_TRUE(unpack(signals, {0x200, 3, {}, true}, frame));
  EXPECT_EQ(frame.fresh, 1U);
  EXPECT_FALSE(unpack(signals, {0x200, 0, {}, true}, frame));
  EXPECT_FALSE(unpack(signals, {0x300, 8, {}, true}, frame));
}

TEST(Can, SaysInOneSentenceThatThereIsNone) {
  try {
    const CanEndpoint endpoint("nocan7", three(), {}, {});
    FAIL();
  } catch (const EndpointError& error) {
    const std::string text = error.what();
    EXPECT_THAT(text, testing::AnyOf(testing::HasSubstr("no CAN interface 'nocan7'"),
                                     testing::HasSubstr("no SocketCAN"),
                                     testing::HasSubstr("no CAN socket")));
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
}

TEST(Can, BringsSignalsOverABus) {
  try {
    CanEndpoint sender("vcan0", {}, three(), {});
    CanEndpoint receiver("vcan0", three(), {}, {});
    sender.send(std::array{-0.5, 120.0, 9.0});
    exchange::SignalFrame frame{};
    receiver.receive(5, frame);
    EXPECT_EQ(frame.fresh, 7U);
    EXPECT_DOUBLE_EQ(frame.value[0], -0.5);
    EXPECT_EQ(frame.value[1], 120.0);
    EXPECT_EQ(frame.value[2], 9.0);
    EXPECT_EQ(receiver.counters().received, 2);
  } catch (const EndpointError& error) {
    GTEST_SKIP() << error.what() << " (ip link add vcan0 type vcan; ip link set vcan0 up)";
  }
}

TEST(Can, BringsGuardedSignalsOverABus) {
  try {
    const WireKey key = test::key_of(1);
    CanEndpoint machine("vcan0", three(), {}, CanGuard(key, 0x700, true));
    CanEndpoint peer("vcan0", {}, three(), CanGuard(key, 0x700, false));
    CanEndpoint forger("vcan0", {}, three(), {});
    exchange::SignalFrame frame{};
    machine.receive(1, frame);  // asks
    peer.receive(2, frame);
    forger.send(std::array{0.5, 0.0, 1.0});
    machine.receive(3, frame);
    EXPECT_EQ(frame.fresh, 0U);
    peer.send(std::array{-0.5, 120.0, 9.0});
    machine.receive(4, frame);
    EXPECT_EQ(frame.fresh, 7U);
    EXPECT_DOUBLE_EQ(frame.value[0], -0.5);
  } catch (const EndpointError& error) {
    GTEST_SKIP() << error.what() << " (ip link add vcan0 type vcan; ip link set vcan0 up)";
  }
}

}  // namespace
}  // namespace knuckleboom::endpoint
