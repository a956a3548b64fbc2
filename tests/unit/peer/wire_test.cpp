// The bad wire does what was ordered, and says exactly what it did.
#include "peer/wire.hpp"

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "peer/plant.hpp"
#include "support/wire_keys.hpp"

namespace knuckleboom::peer {
namespace {

constexpr std::int64_t kMs = 1'000'000;

// A wire between two endpoints, in made-up time.
struct Line {
  endpoint::UdpEndpoint out, in;
  Wire wire;
  exchange::SignalFrame frame{};
  std::vector<double> arrived;
  std::vector<std::int64_t> at;

  explicit Line(const WireSettings& settings)
      : out({{"127.0.0.1", 9}, {}, 1, {}, 0.05, 1}),
        in({out.listens_at(), {}, 1, {}, 3600.0, 2}),
        wire(settings) {
    out.set_peer(in.listens_at());
    test::introduce(out, in);
    out.send(std::array{-1.0}, 0);
    in.receive(0, frame);
  }
  void run(int packets) {
    for (int k = 0; k < packets || !wire.empty(); ++k) {
      const std::int64_t now = k * kMs;
      if (k < packets) wire.put(out.compose(std::array{1.0 * k}, now), now);
      wire.deliver(now, out);
      in.receive(now, frame);
      if (frame.fresh == 0) continue;
      arrived.push_back(frame.value[0]);
      at.push_back(k);
    }
  }
  // Without the packet that opened the session.
  endpoint::ArrivalCounters counters() const {
    endpoint::ArrivalCounters out = in.counters().session.arrivals;
    --out.received;
    return out;
  }
};

TEST(Wire, IsPerfectByDefault) {
  Line line{WireSettings{}};
  line.run(100);
  EXPECT_EQ(line.arrived.size(), 100U);
  EXPECT_EQ(line.counters().received, 100);
}

TEST(Wire, IsLateAsOrdered) {
  WireSettings settings;
  settings.latency_s = 0.007;
  Line line(settings);
  line.run(50);
  ASSERT_EQ(line.arrived.size(), 50U);
  for (std::size_t k = 0; k < 50; ++k) EXPECT_EQ(line.at[k] - static_cast<std::int64_t>(k), 7);
}

TEST(Wire, AndTheEndpointAgreeOnEveryPacket) {
  WireSettings settings;
  settings.jitter_s = 0.002;
  settings.loss = 0.05;
  settings.repeat = 0.03;
  settings.reorder = 0.02;
  settings.seed = 9;
  Line line(settings);
  line.run(20000);
  const WireCounters& w = line.wire.counters();
  const endpoint::ArrivalCounters c = line.counters();
  EXPECT_EQ(w.put, 20000);
  // Binomial: three standard deviations.
  EXPECT_NEAR(static_cast<double>(w.dropped), 1000.0, 3.0 * std::sqrt(20000 * 0.05 * 0.95));
  EXPECT_NEAR(static_cast<double>(w.repeated), 570.0, 75.0);
  EXPECT_GT(w.overtaken, 1000);  // jitter of two packets' distance does that
  EXPECT_EQ(c.received + c.reordered, w.put - w.dropped);
  EXPECT_EQ(c.reordered, w.overtaken);
  EXPECT_EQ(c.repeated, w.repeated);
  EXPECT_LE(w.dropped - c.lost, 2);  // the last ones nobody can miss
  EXPECT_GE(w.dropped, c.lost);
  EXPECT_EQ(c.late, 0);
}

TEST(Wire, FallsSilentOnTime) {
  WireSettings settings;
  settings.silence_s = 0.1;
  settings.silence_every_s = 0.5;
  Line line(settings);
  line.run(2000);
  EXPECT_EQ(line.wire.counters().dropped, 400);
  EXPECT_EQ(line.arrived.size(), 1600U);
  EXPECT_EQ(line.arrived[399], 399.0);
  EXPECT_EQ(line.arrived[400], 500.0);
}

TEST(Wire, GivesTheSameFromTheSameSeed) {
  WireSettings settings;
  settings.jitter_s = 0.003;
  settings.loss = 0.1;
  settings.reorder = 0.1;
  Line a(settings), b(settings);
  settings.seed = 2;
  Line c(settings);
  for (Line* line : {&a, &b, &c}) line->run(500);
  EXPECT_EQ(a.arrived, b.arrived);
  EXPECT_EQ(a.at, b.at);
  EXPECT_NE(a.arrived, c.arrived);
}

TEST(Plant, LagsByItsTimeConstant) {
  std::vector<io::OutsideSignal> in(2), out(1);
  out[0].rule.name = "command";
  in[0].plant = {"command", 2.0, 0.5, 0.1};
  Plant plant(in, out, 1e-3);
  EXPECT_EQ(plant.values()[0], 0.5);
  for (int k = 0; k < 100; ++k) plant.step(std::array{1.0});
  EXPECT_NEAR(plant.values()[0], 0.5 + 2.0 * (1.0 - std::exp(-1.0)), 1e-12);
  EXPECT_EQ(plant.values()[1], 0.0);  // follows nothing
}

TEST(Plant, Quantises) {
  EXPECT_EQ(quantised(0.26, 0.5), 0.5);
  EXPECT_EQ(quantised(-0.26, 0.5), -0.5);
  EXPECT_EQ(quantised(0.3, 0.0), 0.3);
}

}  // namespace
}  // namespace knuckleboom::peer
