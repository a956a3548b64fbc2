#include "bench_table.hpp"

#include "declare/scenario_keys.hpp"
#include "friction_table.hpp"
#include "gains_table.hpp"

namespace knuckleboom::io {
machine::Bench read_bench(Report& report, const Node& node) {
  namespace k = declare::keys::bench;
  TableReader reader(report, node, k::table, "the bench");
  machine::Bench bench;
  Dimension which = Dimension::kMass;
  if (const auto load = reader.either(k::load, which)) bench.load = *load;
  bench.turning = which == Dimension::kInertia;
  reader.slides(!bench.turning);
  reader.fill(bench);
  if (bench.turning && reader.has(k::slope))
    reader.error(k::slope, "a load that turns has its weight on the shaft; remove 'slope'");
  if (reader.has(k::spring_rest) && !reader.has(k::spring))
    reader.error(k::spring_rest, "the bench has no spring; add 'spring' or remove 'spring_rest'");
  if (const Node* wall = reader.subtable(k::wall)) {
    TableReader own(report, *wall, declare::keys::wall::table, "the bench's wall");
    own.slides(!bench.turning);
    bench.wall = true;
    own.fill(bench);
    own.done();
  }
  bench.friction = read_friction(report, reader, k::friction, k::damping, bench.viscous);
  if (const Node* own = reader.subtable(k::controller)) {
    TableReader gains(report, *own, declare::keys::controller::bare, "the bench's controller");
    bench.controller = read_gains(gains, !bench.turning);
  }
  reader.done();
  return bench;
}

}  // namespace knuckleboom::io
