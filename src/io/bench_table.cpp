#include "bench_table.hpp"

#include "friction_table.hpp"
#include "gains_table.hpp"

namespace knuckleboom::io {
namespace {

constexpr double kFurthest = 1e4;   // m, rad
constexpr double kHeaviest = 1e9;   // kg, kg m^2
constexpr double kSteepest = 1.58;  // rad: upright, with a little for rounding

void read_wall(Report& report, TableReader& parent, machine::Bench& bench) {
  const Node* node = parent.subtable("wall");
  if (node == nullptr) return;
  TableReader reader(report, *node, "the bench's wall");
  bench.wall = true;
  bench.wall_position =
      reader.required("position", bench.turning ? Dimension::kAngle : Dimension::kLength,
                      Range{-kFurthest, kFurthest});
  bench.wall_stiffness = reader.required(
      "stiffness", bench.turning ? Dimension::kRotaryStiffness : Dimension::kStiffness, kPositive);
  bench.wall_damping =
      reader
          .quantity("damping", bench.turning ? Dimension::kRotaryDamping : Dimension::kDamping,
                    kNonNegative)
          .value_or(0.0);
  reader.done();
}

}  // namespace

machine::Bench read_bench(Report& report, const Node& node) {
  TableReader reader(report, node, "the bench");
  machine::Bench bench;
  bench.actuator = reader.text("actuator").value_or("");
  Dimension which = Dimension::kMass;
  const auto load = reader.quantity("load", {Dimension::kMass, Dimension::kInertia},
                                    Range{0.0, kHeaviest, true}, which);
  if (!reader.has("load")) reader.missing("load", {Dimension::kMass, Dimension::kInertia});
  bench.load = load.value_or(1.0);
  bench.turning = which == Dimension::kInertia;
  if (const auto slope = reader.quantity("slope", Dimension::kAngle, Range{-kSteepest, kSteepest}))
    bench.slope = *slope;
  if (bench.turning && reader.has("slope"))
    reader.error("slope", "a load that turns has its weight on the shaft; remove 'slope'");
  const Dimension stiffness = bench.turning ? Dimension::kRotaryStiffness : Dimension::kStiffness;
  const Dimension position = bench.turning ? Dimension::kAngle : Dimension::kLength;
  bench.spring = reader.quantity("spring", stiffness, kPositive).value_or(0.0);
  bench.spring_rest =
      reader.quantity("spring_rest", position, Range{-kFurthest, kFurthest}).value_or(0.0);
  if (reader.has("spring_rest") && !reader.has("spring"))
    reader.error("spring_rest", "the bench has no spring; add 'spring' or remove 'spring_rest'");
  read_wall(report, reader, bench);
  bench.friction = read_friction(report, reader, bench.turning, "damping", false, bench.viscous);
  if (const Node* own = reader.subtable("controller")) {
    TableReader gains(report, *own, "the bench's controller");
    bench.controller = read_gains(gains, !bench.turning);
  }
  reader.done();
  return bench;
}

}  // namespace knuckleboom::io
