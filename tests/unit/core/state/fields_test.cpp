#include "knuckleboom/core/state/fields.hpp"

#include <cstdint>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "knuckleboom/core/emulation/hil_bench.hpp"
#include "knuckleboom/core/training/session.hpp"
#include "support/long_run.hpp"
#include "support/scrambled_state.hpp"

namespace knuckleboom::state {
namespace {

template <class State>
State neutral_state() {
  State state;
  fill_neutral(struct_of<State>(), &state);
  return state;
}

template <class State>
class EveryState : public testing::Test {};
using States = testing::Types<sim::SimState, training::SessionState, emulation::HilState>;
TYPED_TEST_SUITE(EveryState, States);

// Bytes of what stands aside: what a run has shown, from which nothing else follows.
template <class State>
std::set<std::size_t> aside_bytes(const State& state) {
  std::set<std::size_t> out;
  for_each_place(struct_of<State>(), &state, {}, [&](const Place& place) {
    if (!place.trail.aside()) return true;
    const auto at = static_cast<std::size_t>(place.at - reinterpret_cast<const std::byte*>(&state));
    for (std::size_t i = 0; i < size_of(place.field.kind); ++i) out.insert(at + i);
    return true;
  });
  return out;
}

TYPED_TEST(EveryState, hasAHashInWhichEveryByteCounts) {
  auto state = test::scrambled<TypeParam>(1);
  const std::set<std::size_t> aside = aside_bytes(state);
  EXPECT_FALSE(aside.empty());
  const std::uint64_t whole = hash(state);
  std::set<std::uint64_t> seen{whole};
  auto* const bytes = reinterpret_cast<unsigned char*>(&state);
  // Every 29th of a large one, which comes to each of the eight of a number; all by KNUCKLEBOOM_LONG.
  const std::size_t step = sizeof state < 65536 || test::long_run() ? 1 : 29;
  for (std::size_t i = 0; i < sizeof state; i += step) {
    bytes[i] ^= static_cast<unsigned char>(1U << (i % 8));
    EXPECT_EQ(seen.insert(hash(state)).second, !aside.contains(i)) << i;
    bytes[i] ^= static_cast<unsigned char>(1U << (i % 8));
  }
  EXPECT_EQ(hash(state), whole);
}

TYPED_TEST(EveryState, hasAHashInWhichEveryPlaceCountsWithItsOwnName) {
  auto state = neutral_state<TypeParam>();
  std::set<std::uint64_t> seen{hash(state)};
  std::set<std::string> names;
  std::size_t bytes = 0;
  for_each_place(struct_of<TypeParam>(), &state, {}, [&](const Place& place) {
    EXPECT_TRUE(place.neutral());
    const double before = place.number();
    test::set_place(place, 7.0);  // the same everywhere: only the name tells them apart
    EXPECT_EQ(seen.insert(hash(state)).second, !place.trail.aside()) << place.trail.text();
    EXPECT_TRUE(names.insert(place.trail.text()).second) << place.trail.text();
    test::set_place(place, before);
    bytes += size_of(place.field.kind);
    return true;
  });
  EXPECT_EQ(bytes, sizeof state);
}

// The hash is a promise to recordings: these may only change together with kStateVersion.
TEST(StateHash, isTheSameInEveryBuild) {
  sim::SimState state = neutral_state<sim::SimState>();
  EXPECT_EQ(hash(state), 0x910a2dec89025cc1U);
  state.machine.q[1] = 0.25;
  state.payload[2].event = 3;
  state.tip_joints[1][2] = -1.5;
  EXPECT_EQ(hash(state), 0x1de2e7fc3682707eU);
}

TEST(StateHash, tellsMinusZeroFromZeroAndNeighboursApart) {
  sim::SimState state = neutral_state<sim::SimState>();
  const std::uint64_t nothing = hash(state);
  state.machine.q[1] = -0.0;
  const std::uint64_t minus = hash(state);
  EXPECT_NE(minus, nothing);
  state.machine.q[1] = 0.0;
  state.machine.q[2] = -0.0;
  EXPECT_NE(hash(state), nothing);
  EXPECT_NE(hash(state), minus);
}

// --- Layouts that differ and mean the same -----------------------------------------

struct Point {
  double x;
  std::int32_t tag, flag;
};
constexpr auto state_fields(const Point* /*type*/) {
  using S = Point;
  return fields_of<S>(KB_FIELD(x), KB_FIELD(tag, kNumber, Along::kAll, -1), KB_FIELD(flag));
}
struct Narrow {
  std::int64_t tick;
  double q[4], table[3][2];
  Point point[2];
  double opening;
};
constexpr auto state_fields(const Narrow* /*type*/) {
  using S = Narrow;
  return fields_of<S>(KB_FIELD(tick), KB_FIELD(q), KB_FIELD(table), KB_FIELD(point),
                      KB_FIELD(opening));
}
// More places, another order, a wider number, a feature that is off, and a part that has moved into a struct.
struct WidePoint {
  double heat;
  std::int64_t tag;
  std::int32_t flag, wear;
  double x;
};
constexpr auto state_fields(const WidePoint* /*type*/) {
  using S = WidePoint;
  return fields_of<S>(KB_FIELD(heat), KB_FIELD(tag, kNumber, Along::kAll, -1), KB_FIELD(flag),
                      KB_FIELD(wear, kNumber, Along::kAll, 5), KB_FIELD(x));
}
struct Moved {
  double wide;
};
constexpr auto state_fields(const Moved* /*type*/) {
  using S = Moved;
  return fields_of<S>(KB_FIELD_AS("opening", wide));
}
struct Wide {
  WidePoint point[5];
  double table[4][3], q[9];
  Moved grapple;
  std::int64_t tick;
};
constexpr auto state_fields(const Wide* /*type*/) {
  using S = Wide;
  return fields_of<S>(KB_FIELD(point), KB_FIELD(table), KB_FIELD(q), KB_FIELD_AS("", grapple),
                      KB_FIELD(tick));
}

TEST(StateHash, doesNotSeeCapacityOrderAndWhatIsOff) {
  auto narrow = neutral_state<Narrow>();
  auto wide = neutral_state<Wide>();
  EXPECT_EQ(hash(narrow), hash(wide));
  narrow.tick = wide.tick = 12;
  narrow.q[3] = wide.q[3] = 0.5;
  narrow.table[2][1] = wide.table[2][1] = -2.0;
  narrow.point[1].x = wide.point[1].x = 9.0;
  narrow.point[0].tag = -4;
  wide.point[0].tag = -4;
  narrow.opening = wide.grapple.wide = 0.75;
  EXPECT_EQ(hash(narrow), hash(wide));
  wide.q[8] = 1.0;
  EXPECT_NE(hash(narrow), hash(wide));
  wide.q[8] = 0.0;
  wide.point[1].wear = 0;  // its neutral value is 5
  EXPECT_NE(hash(narrow), hash(wide));
}

// --- Faults -----------------------------------------------------------------------

TEST(StateCheck, namesThePlaceAndWhatIsWrong) {
  auto state = neutral_state<sim::SimState>();
  EXPECT_EQ(check(state, {}), "");
  state.machine.actuator[2].P_C[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(check(state, {}), "machine.actuator[2].P_C[1] is nan; expected -1e+10 to 1e+10");
  state.machine.actuator[2].P_C[1] = 1e7;
  state.overridden[7] = 2;
  EXPECT_EQ(check(state, {}), "overridden[7] is 2; expected 0 to 1");
  state.overridden[7] = 1;
  EXPECT_EQ(check(state, {}), "");
  Counts counts;
  counts[Along::kActuators] = 7;
  EXPECT_EQ(check(state, counts), "overridden[7] is 1; nothing is there that could have a value");
}

TEST(StateCheck, seesEveryPlace) {
  auto state = neutral_state<training::SessionState>();
  int places = 0;
  for_each_place(struct_of<training::SessionState>(), &state, {}, [&](const Place& place) {
    // Thousands of contacts are alike.
    if (++places > 5000 && places % 29 != 0 && !test::long_run()) return true;
    const double before = place.number();
    const bool real = place.field.kind == Kind::kDouble;
    test::set_place(place, real ? 1e300 : -32768.0);
    const bool key = place.field.limits.least <= -32768.0 && !real;
    EXPECT_NE(check(state, {}).empty(), !key) << place.trail.text();
    test::set_place(place, before);
    return true;
  });
}

}  // namespace
}  // namespace knuckleboom::state
