// Loops are expressed relative to the last common link of their bodies: only the joints between
// them take part, and a planar loop keeps full precision in its plane.
#include "knuckleboom/core/multibody/loops.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "knuckleboom/core/math/cholesky.hpp"
#include "knuckleboom/core/math/trig.hpp"

namespace knuckleboom::multibody {
namespace {

// Pivots below this share of the group's reach count as zero.
constexpr double kUndetermined = 1e-5;
// Below this share, joints that should stay independent are considered as well.
constexpr double kPoor = 0.1;
constexpr double kRankTolerance = 1e-7;
// Newton: the last step is below this, and the remaining error is its square. Angles of many turns
// and poor pivots may not resolve it: steps below kNoise that no longer shrink are accepted.
constexpr double kLastStep = 1e-12;   // rad, m
constexpr double kNoise = 1e-9;       // rad, m
constexpr double kLongestStep = 0.3;  // rad, m
constexpr int kMaxIterations = 25;
// Residual of rows that the dependent joints cannot change, over the group's reach.
constexpr double kOpen = 1e-8;

struct Carrier {
  int link;
  Pose in_link;
};

Carrier carrier(const Tree& tree, int body) {
  if (body == kBase) return {kBase, Pose{}};
  return {tree.body(body).link, tree.body(body).in_link};
}

PointPair::Chain chain_below(const Tree& tree, int link, int common) {
  PointPair::Chain chain;
  for (int i = link; i != common; i = tree.link(i).parent) chain.link[chain.length++] = i;
  std::reverse(chain.link, chain.link + chain.length);
  return chain;
}

int common_link(const Tree& tree, int a, int b) {
  // Parents come before their children.
  while (a != b) (a > b ? a : b) = tree.link(a > b ? a : b).parent;
  return a;
}

void walk(const Tree& tree, const PointPair::Chain& chain, const double* q, Mat3& R, Vec3& p,
          PointPair::Place& out) {
  R.setIdentity();
  p.setZero();
  for (int k = 0; k < chain.length; ++k) {
    const int i = chain.link[k];
    const Link& link = tree.link(i);
    p += R * link.in_parent.p;
    if (!link.aligned) R = (R * link.in_parent.R).eval();
    out.axis[i] = R.col(2);
    if (link.revolute) {
      const SinCos t = sin_cos(q[i]);
      const Vec3 x = R.col(0);
      R.col(0) = t.cos * x + t.sin * R.col(1);
      R.col(1) = t.cos * R.col(1) - t.sin * x;
    } else {
      p += q[i] * out.axis[i];
    }
    out.origin[i] = p;
  }
}

// Motion of a body-fixed point at joint accelerations zero.
struct PointRates {
  Vec3 omega, v, a;
};

PointRates rates_at(const Tree& tree, const PointPair::Chain& chain, const PointPair::Place& place,
                    const double* rate, const Vec3& p) {
  Vec3 omega = Vec3::Zero(), alpha = Vec3::Zero(), v = Vec3::Zero(), a = Vec3::Zero();
  Vec3 origin = Vec3::Zero();
  for (int k = 0; k < chain.length; ++k) {
    const int i = chain.link[k];
    const Vec3 r = place.origin[i] - origin;
    a += alpha.cross(r) + omega.cross(omega.cross(r));
    v += omega.cross(r);
    const Vec3 own = place.axis[i] * rate[i];
    if (tree.link(i).revolute) {
      alpha += omega.cross(own);
      omega += own;
    } else {
      a += 2.0 * omega.cross(own);
      v += own;
    }
    origin = place.origin[i];
  }
  const Vec3 r = p - origin;
  return {omega, v + omega.cross(r), a + alpha.cross(r) + omega.cross(omega.cross(r))};
}

Vec3 column_at(const Tree& tree, const PointPair::Place& place, int i, const Vec3& p) {
  return tree.link(i).revolute ? Vec3(place.axis[i].cross(p - place.origin[i])) : place.axis[i];
}

// Two directions at right angles to the line and to each other.
Mat3 across(const Vec3& line) {
  const Vec3 start = std::fabs(line.x()) < 0.9 ? Vec3::UnitX() : Vec3::UnitY();
  Mat3 E;
  E.col(0) = (start - line.dot(start) * line).normalized();
  E.col(1) = line.cross(E.col(0));
  E.col(2) = line;
  return E;
}

}  // namespace

PointPair::PointPair(const Tree& tree, int body_a, const Vec3& point_a, int body_b,
                     const Vec3& point_b) {
  const Carrier a = carrier(tree, body_a);
  const Carrier b = carrier(tree, body_b);
  link_a_ = a.link;
  link_b_ = b.link;
  point_a_ = a.in_link.R * point_a + a.in_link.p;
  point_b_ = b.in_link.R * point_b + b.in_link.p;
  const int common = common_link(tree, a.link, b.link);
  a_ = chain_below(tree, a.link, common);
  b_ = chain_below(tree, b.link, common);
}

void PointPair::locate(const Tree& tree, const double* q, Place& out) const {
  Mat3 R;
  Vec3 p;
  walk(tree, a_, q, R, p, out);
  out.a = R * point_a_ + p;
  walk(tree, b_, q, out.R_b, p, out);
  out.b = out.R_b * point_b_ + p;
}

double PointPair::distance(const Tree& tree, const double* q, double* row) const {
  Place place;
  locate(tree, q, place);
  const Vec3 between = place.a - place.b;
  const double length = between.norm();
  const Vec3 along = length > 0.0 ? Vec3(between / length) : Vec3(Vec3::Zero());
  std::fill(row, row + tree.link_count(), 0.0);
  for (int k = 0; k < a_.length; ++k)
    row[a_.link[k]] = along.dot(column_at(tree, place, a_.link[k], place.a));
  for (int k = 0; k < b_.length; ++k)
    row[b_.link[k]] = -along.dot(column_at(tree, place, b_.link[k], place.b));
  return length;
}

// Rows of one group: G over its joints, the residual, and the state of elimination.
struct LoopSystem::Work {
  int rows, joints;
  double G[kMaxRows][kMaxLinks];  // columns as in Group::joint
  double phi[kMaxRows];
  double T[kMaxRows][kMaxRows];
  int row_of[kMaxRows], row_axis[kMaxRows];
  double weight[kMaxLinks];  // size of a good pivot of a column: arm of a revolute joint, 1
  double reach;
  bool row_used[kMaxRows], column_used[kMaxLinks];

  void start() {
    for (int r = 0; r < rows; ++r) {
      row_used[r] = false;
      for (int c = 0; c < rows; ++c) T[r][c] = r == c ? 1.0 : 0.0;
    }
    for (int c = 0; c < joints; ++c) column_used[c] = false;
  }

  struct Pivot {
    int row, column;
    double share;
  };
  // Largest free entry in the columns that are allowed.
  Pivot largest(const bool* allowed) const {
    Pivot best{-1, -1, 0.0};
    for (int r = 0; r < rows; ++r) {
      if (row_used[r]) continue;
      for (int c = 0; c < joints; ++c) {
        if (column_used[c] || !allowed[c]) continue;
        const double share = std::fabs(G[r][c]) / weight[c];
        if (share > best.share) best = {r, c, share};
      }
    }
    return best;
  }

  // Gauss-Jordan: the column becomes a unit vector.
  void eliminate(const Pivot& at) {
    const double inverse = 1.0 / G[at.row][at.column];
    for (int c = 0; c < joints; ++c) G[at.row][c] *= inverse;
    for (int c = 0; c < rows; ++c) T[at.row][c] *= inverse;
    phi[at.row] *= inverse;
    G[at.row][at.column] = 1.0;
    for (int r = 0; r < rows; ++r) {
      const double factor = G[r][at.column];
      if (r == at.row || factor == 0.0) continue;
      for (int c = 0; c < joints; ++c) G[r][c] -= factor * G[at.row][c];
      for (int c = 0; c < rows; ++c) T[r][c] -= factor * T[at.row][c];
      phi[r] -= factor * phi[at.row];
      G[r][at.column] = 0.0;
    }
    row_used[at.row] = true;
    column_used[at.column] = true;
  }
};

namespace {

// A joint follows at most one other, so that a way along them ends, or goes round a circle.
void check_couplings(const Tree& tree, const std::vector<Coupling>& couplings) {
  if (couplings.size() > static_cast<std::size_t>(kMaxCouplings))
    throw std::invalid_argument("a machine has at most " + std::to_string(kMaxCouplings) +
                                " couplings");
  const auto name = [&tree](int link) { return tree.body(tree.link(link).body).joint_name; };
  std::vector<int> leader(static_cast<std::size_t>(tree.link_count()), -1);
  for (const Coupling& c : couplings) {
    for (const int link : {c.joint, c.follows})
      if (link < 0 || link >= tree.link_count())
        throw std::invalid_argument("a coupling's joint does not exist");
    const auto refuse = [&](const std::string& why) {
      throw std::invalid_argument("coupling '" + name(c.joint) + "': " + why);
    };
    if (!std::isfinite(c.ratio) || !std::isfinite(c.offset)) refuse("its numbers are not finite");
    if (c.ratio == 0.0) refuse("a ratio of zero lets it stand still; fix its body instead");
    int& own = leader[static_cast<std::size_t>(c.joint)];
    if (own >= 0)
      refuse("it follows both '" + name(own) + "' and '" + name(c.follows) + "'; keep one");
    own = c.follows;
    int at = c.follows;
    for (int i = 0; at >= 0 && i < tree.link_count(); ++i) {
      if (at == c.joint)
        refuse(c.follows == c.joint
                   ? "it follows itself; name another joint"
                   : "it follows '" + name(c.follows) +
                         "', which in turn follows it; take one coupling out of the circle");
      at = leader[static_cast<std::size_t>(at)];
    }
  }
}

// A coupling alone in its group, as most are, takes no elimination: all that it gives but the position is constant.
bool alone(const LoopSystem::Group& group) {
  return group.loop.empty() && group.coupling.size() == 1;
}

double pivot_of(const Coupling& c, int joint) { return joint == c.joint ? 1.0 : -c.ratio; }

// How well the coupling determines this joint of it.
double share_of(const Tree& tree, const Coupling& c, int joint) {
  return tree.link(joint).revolute ? 1.0 : std::fabs(pivot_of(c, joint));
}

// Its part of embed(). False: not just one of its joints depends, or it is hardly determined.
bool embed_alone(const Tree& tree, const Coupling& c, int constraint, std::int64_t dependent,
                 double* q, Embedding& out, Embedding::Group& map) {
  const bool joint = (dependent >> c.joint & 1) != 0;
  const bool follows = (dependent >> c.follows & 1) != 0;
  const int j = joint ? c.joint : c.follows;
  const int other = joint ? c.follows : c.joint;
  const double share = share_of(tree, c, j);
  if (joint == follows || share < kUndetermined) return false;
  const double inverse = 1.0 / pivot_of(c, j);
  q[j] -= inverse * (q[c.joint] - (c.ratio * q[c.follows] + c.offset));
  map.dependents = map.independents = map.rows = 1;
  map.dependent[0] = j;
  map.independent[0] = other;
  map.row_of[0] = constraint;
  map.row_axis[0] = 0;
  out.undetermined[j] = false;
  out.T[j][0] = inverse;
  out.B[j][other] = -inverse * pivot_of(c, other);
  if (share < out.quality) {
    out.quality = share;
    out.worst = constraint;
  }
  return true;
}

}  // namespace

LoopSystem::LoopSystem(const Tree& tree, const std::vector<Loop>& loops,
                       const std::vector<Coupling>& couplings, std::int64_t held)
    : couplings_(couplings) {
  check_couplings(tree, couplings);
  if (loops.size() > static_cast<std::size_t>(kMaxLoops))
    throw std::invalid_argument("a machine has at most " + std::to_string(kMaxLoops) + " loops");
  std::vector<std::int64_t> masks;
  for (const Loop& loop : loops) {
    const auto refuse = [&](const std::string& why) {
      throw std::invalid_argument("loop '" + loop.name + "': " + why);
    };
    for (const int body : {loop.body_a, loop.body_b})
      if (body < kBase || body >= tree.body_count()) refuse("one of its bodies does not exist");
    if (!loop.point_a.allFinite() || !loop.point_b.allFinite() || !loop.direction_b.allFinite())
      refuse("its points are not finite");
    Path path;
    path.pair = PointPair(tree, loop.body_a, loop.point_a, loop.body_b, loop.point_b);
    const Carrier b = carrier(tree, loop.body_b);
    path.rows = 3;
    path.E_b = b.in_link.R;
    if (loop.kind == LoopKind::kPointLine) {
      const double length = loop.direction_b.norm();
      if (!(length > 0.0)) refuse("its line has no direction");
      path.rows = 2;
      path.E_b = b.in_link.R * across(loop.direction_b / length);
    }
    std::int64_t mask = 0;
    for (const PointPair::Chain* chain : {&path.pair.chain_a(), &path.pair.chain_b()})
      for (int k = 0; k < chain->length; ++k) mask |= std::int64_t{1} << chain->link[k];
    mask &= ~held;
    if (mask == 0) refuse("no joint lies between its two bodies, so it closes nothing");
    masks.push_back(mask);
    joints_ |= mask;
    loops_.push_back(path);
  }
  for (int j = 0; j < tree.link_count(); ++j) arm_[j] = tree.link(j).revolute ? 0.0 : 1.0;
  for (const Path& path : loops_)
    for (const bool of_a : {true, false}) {
      const PointPair::Chain& chain = of_a ? path.pair.chain_a() : path.pair.chain_b();
      double arm = (of_a ? path.pair.point_a() : path.pair.point_b()).norm();
      for (int k = chain.length - 1; k >= 0; --k) {
        const int j = chain.link[k];
        if (tree.link(j).revolute) arm_[j] = std::max(arm_[j], arm);
        arm += tree.link(j).in_parent.p.norm();
      }
    }
  for (const Coupling& c : couplings) {
    masks.push_back(std::int64_t{1} << c.joint | std::int64_t{1} << c.follows);
    joints_ |= masks.back();
  }
  // Constraints that share a joint form a group.
  std::vector<std::int64_t> group_mask;
  std::vector<std::vector<int>> members;
  for (std::size_t k = 0; k < masks.size(); ++k) {
    std::int64_t mask = masks[k];
    std::vector<int> list{static_cast<int>(k)};
    for (std::size_t g = 0; g < group_mask.size();) {
      if ((group_mask[g] & mask) == 0) {
        ++g;
        continue;
      }
      mask |= group_mask[g];
      list.insert(list.end(), members[g].begin(), members[g].end());
      group_mask.erase(group_mask.begin() + static_cast<std::ptrdiff_t>(g));
      members.erase(members.begin() + static_cast<std::ptrdiff_t>(g));
      g = 0;
    }
    std::sort(list.begin(), list.end());
    group_mask.push_back(mask);
    members.push_back(list);
  }
  for (std::size_t g = 0; g < group_mask.size(); ++g) {
    Group group;
    for (const int k : members[g]) {
      const int coupling = k - loop_count();
      coupling < 0 ? group.loop.push_back(k) : group.coupling.push_back(coupling);
    }
    for (int j = 0; j < tree.link_count(); ++j)
      if ((group_mask[g] >> j & 1) != 0) group.joint.push_back(j);
    groups_.push_back(std::move(group));
  }
}

int LoopSystem::group_of(int constraint) const {
  const bool loop = constraint < kMaxLoops;
  for (int g = 0; g < group_count(); ++g)
    for (const int k : loop ? group(g).loop : group(g).coupling)
      if (k == (loop ? constraint : constraint - kMaxLoops)) return g;
  return -1;
}

double LoopSystem::coupling_error(int coupling, const double* q) const {
  const Coupling& c = nth(couplings_, coupling);
  return q[c.joint] - (c.ratio * q[c.follows] + c.offset);
}

void LoopSystem::evaluate(const Tree& tree, const Group& group, const double* q, Work& w,
                          Embedding* out) const {
  w.joints = static_cast<int>(group.joint.size());
  w.rows = 0;
  int column_of[kMaxLinks];
  for (int c = 0; c < w.joints; ++c) column_of[nth(group.joint, c)] = c;
  PointPair::Place own;
  for (const int k : group.loop) {
    const Path& path = nth(loops_, k);
    PointPair::Place& place = out != nullptr ? out->place[k] : own;
    path.pair.locate(tree, q, place);
    const Vec3 between = place.a - place.b;
    for (int e = 0; e < path.rows; ++e) {
      const Vec3 axis = place.R_b * path.E_b.col(e);
      if (out != nullptr) out->axis[k][e] = axis;
      const int r = w.rows++;
      w.row_of[r] = k;
      w.row_axis[r] = e;
      for (int c = 0; c < w.joints; ++c) w.G[r][c] = 0.0;
      // Both points are taken at a: the rows are those of a relative to body b.
      for (int i = 0; i < path.pair.chain_a().length; ++i) {
        const int j = path.pair.chain_a().link[i];
        if (!has(j)) continue;  // held
        w.G[r][column_of[j]] = axis.dot(column_at(tree, place, j, place.a));
      }
      for (int i = 0; i < path.pair.chain_b().length; ++i) {
        const int j = path.pair.chain_b().link[i];
        if (!has(j)) continue;
        w.G[r][column_of[j]] = -axis.dot(column_at(tree, place, j, place.a));
      }
      w.phi[r] = axis.dot(between);
    }
  }
  for (const int k : group.coupling) {
    const Coupling& c = nth(couplings_, k);
    const int r = w.rows++;
    w.row_of[r] = kMaxLoops + k;
    w.row_axis[r] = 0;
    for (int column = 0; column < w.joints; ++column) w.G[r][column] = 0.0;
    w.G[r][column_of[c.joint]] = 1.0;
    w.G[r][column_of[c.follows]] = -c.ratio;
    w.phi[r] = coupling_error(k, q);
  }
  w.reach = 0.0;
  for (int c = 0; c < w.joints; ++c) {
    const int j = nth(group.joint, c);
    w.weight[c] = arm_[j];
    if (!tree.link(j).revolute) continue;
    double square = 0.0;
    for (int r = 0; r < w.rows; ++r) square += w.G[r][c] * w.G[r][c];
    w.weight[c] = std::max(arm_[j], std::sqrt(square));
    w.reach = std::max(w.reach, w.weight[c]);
    if (!(w.weight[c] > 0.0)) w.weight[c] = 1.0;
  }
  if (!(w.reach > 0.0)) w.reach = 1.0;
  w.start();
}

std::int64_t LoopSystem::choose(const Tree& tree, const double* q, const bool* keep) const {
  std::int64_t mask = 0;
  for (const Group& group : groups_) {
    if (alone(group)) {
      const Coupling& c = nth(couplings_, group.coupling.front());
      const bool kept[] = {keep != nullptr && keep[c.joint], keep != nullptr && keep[c.follows]};
      const int j = kept[0] ? c.follows : c.joint;
      if (!(kept[0] && kept[1]) && share_of(tree, c, j) >= kPoor) {
        mask |= std::int64_t{1} << j;
        continue;
      }
    }
    Work w;
    evaluate(tree, group, q, w, nullptr);
    bool free[kMaxLinks], all[kMaxLinks];
    bool any_kept = false;
    for (int c = 0; c < w.joints; ++c) {
      free[c] = keep == nullptr || !keep[nth(group.joint, c)];
      any_kept = any_kept || !free[c];
      all[c] = true;
    }
    // Where nothing else decides, what follows others depends on them.
    if (group.linear() && !any_kept)
      for (int c = 0; c < w.joints; ++c)
        free[c] = std::any_of(group.coupling.begin(), group.coupling.end(), [&](int k) {
          return nth(couplings_, k).joint == nth(group.joint, c);
        });
    for (int found = 0; found < w.rows && found < w.joints; ++found) {
      Work::Pivot pivot = w.largest(free);
      if (pivot.share < kPoor) {
        const Work::Pivot other = w.largest(all);
        if (pivot.share < kRankTolerance || other.share > 2.0 * pivot.share) pivot = other;
      }
      if (pivot.share < kRankTolerance) break;
      w.eliminate(pivot);
      mask |= std::int64_t{1} << nth(group.joint, pivot.column);
    }
  }
  return mask;
}

int LoopSystem::rank(const Tree& tree, const double* q) const {
  // Next to the position: there the rank does not drop by coincidence.
  double beside[kMaxLinks];
  for (int j = 0; j < tree.link_count(); ++j) beside[j] = q[j] + 0.05 * (1.0 + 0.37 * (j % 5));
  return __builtin_popcountll(static_cast<std::uint64_t>(choose(tree, beside, nullptr)));
}

void LoopSystem::embed(const Tree& tree, std::int64_t dependent, const double* v, double* q,
                       Embedding& out) const {
  out.groups = group_count();
  out.quality = 1.0;
  out.worst = out.open = -1;
  out.gap = 0.0;
  for (int g = 0; g < out.groups; ++g) {
    const Group& group = nth(groups_, g);
    Embedding::Group& map = out.group[g];
    if (alone(group) && embed_alone(tree, nth(couplings_, group.coupling.front()), group.first(),
                                    dependent, q, out, map))
      continue;
    Work w;
    bool allowed[kMaxLinks];
    int pivot_row[kMaxLinks];  // by column
    map.dependents = map.independents = 0;
    for (std::size_t c = 0; c < group.joint.size(); ++c) {
      const int j = group.joint[c];
      allowed[c] = (dependent >> j & 1) != 0;
      (allowed[c] ? map.dependent[map.dependents++] : map.independent[map.independents++]) = j;
    }
    double quality = 1.0;
    int worst_row = 0;
    bool closed = false;
    double last_step = INFINITY;
    for (int iteration = 0; iteration < kMaxIterations && !closed; ++iteration) {
      evaluate(tree, group, q, w, &out);
      quality = 1.0;
      worst_row = 0;
      int found = 0;
      for (; found < map.dependents; ++found) {
        const Work::Pivot pivot = w.largest(allowed);
        if (pivot.share < quality) {
          quality = pivot.share;
          worst_row = std::max(0, pivot.row);
        }
        if (pivot.share < kUndetermined) break;
        pivot_row[pivot.column] = pivot.row;
        w.eliminate(pivot);
      }
      if (found < map.dependents) quality = 0.0;
      double longest = 0.0;
      for (int c = 0; c < w.joints; ++c)
        if (w.column_used[c]) longest = std::max(longest, std::fabs(w.phi[pivot_row[c]]));
      const double share = longest > kLongestStep && !group.linear() ? kLongestStep / longest : 1.0;
      for (int c = 0; c < w.joints; ++c)
        if (w.column_used[c]) q[nth(group.joint, c)] -= share * w.phi[pivot_row[c]];
      closed =
          group.linear() || longest < kLastStep || (longest < kNoise && longest > 0.25 * last_step);
      last_step = longest;
    }
    double left = 0.0;
    for (int r = 0; r < w.rows; ++r)
      if (!w.row_used[r]) left = std::max(left, std::fabs(w.phi[r]));
    if (!closed || left > kOpen * w.reach) {
      const double gap = closing_error(tree, group, q);
      if (!(gap <= out.gap)) {
        out.gap = gap;
        out.open = group.first();
      }
    }
    if (quality < out.quality) {
      out.quality = quality;
      out.worst = w.row_of[worst_row];
    }
    map.rows = w.rows;
    for (int r = 0; r < w.rows; ++r) {
      map.row_of[r] = w.row_of[r];
      map.row_axis[r] = w.row_axis[r];
    }
    // Joints that no row determines keep their share in the motion.
    double square = 0.0;
    for (int i = 0; i < map.independents; ++i)
      square += v[map.independent[i]] * v[map.independent[i]];
    const double per_square = square > 0.0 ? 1.0 / square : 0.0;
    for (int c = 0; c < w.joints; ++c) {
      const int j = nth(group.joint, c);
      if (!allowed[c]) continue;
      out.undetermined[j] = !w.column_used[c];
      if (out.undetermined[j])
        for (int i = 0; i < map.independents; ++i)
          out.B[j][map.independent[i]] = v[j] * v[map.independent[i]] * per_square;
    }
    for (int c = 0; c < w.joints; ++c) {
      const int j = nth(group.joint, c);
      if (!allowed[c]) continue;
      if (!w.column_used[c]) continue;
      const int row = pivot_row[c];
      for (int k = 0; k < w.rows; ++k) out.T[j][k] = w.T[row][k];
      for (int i = 0; i < map.independents; ++i) out.B[j][map.independent[i]] = 0.0;
      for (int other = 0; other < w.joints; ++other) {
        const int o = nth(group.joint, other);
        const double share = w.G[row][other];
        if (other == c || share == 0.0) continue;
        if (!allowed[other])
          out.B[j][o] -= share;
        else if (!w.column_used[other])
          for (int i = 0; i < map.independents; ++i)
            out.B[j][map.independent[i]] -= share * out.B[o][map.independent[i]];
      }
    }
  }
}

void LoopSystem::add_gamma(const Tree& tree, const double* v, const double* a, Embedding& e) const {
  for (int g = 0; g < e.groups; ++g) {
    Embedding::Group& map = e.group[g];
    double rate[kMaxRows];
    for (int r = 0; r < map.rows; ++r) {
      const int k = map.row_of[r];
      if (k >= kMaxLoops) {
        rate[r] = 0.0;
        continue;
      }
      const PointPair& pair = nth(loops_, k).pair;
      const PointPair::Place& place = e.place[k];
      if (map.row_axis[r] == 0) {
        const PointRates at_a = rates_at(tree, pair.chain_a(), place, v, place.a);
        const PointRates at_b = rates_at(tree, pair.chain_b(), place, v, place.a);
        // Relative to body b, which rotates.
        const Vec3 relative = at_a.a - at_b.a - 2.0 * at_b.omega.cross(at_a.v - at_b.v);
        const int rows = nth(loops_, k).rows;
        for (int s = 0; s < rows; ++s) rate[r + s] = e.axis[k][s].dot(relative);
      }
    }
    for (int d = 0; d < map.dependents; ++d) {
      const int j = map.dependent[d];
      double sum = 0.0;
      if (e.undetermined[j]) {
        sum = a[j];
        for (int i = 0; i < map.independents; ++i)
          sum -= e.B[j][map.independent[i]] * a[map.independent[i]];
      } else {
        for (int r = 0; r < map.rows; ++r) sum -= e.T[j][r] * rate[r];
      }
      e.gamma[j] = sum;
    }
  }
}

void LoopSystem::forces(const Tree& tree, const Embedding& e, const double* q,
                        const double* joint_force, double (*force_W)[3],
                        double* coupling_force) const {
  for (int k = 0; k < loop_count(); ++k) force_W[k][0] = force_W[k][1] = force_W[k][2] = 0.0;
  for (int g = 0; g < e.groups; ++g) {
    const Embedding::Group& map = e.group[g];
    for (int r = 0; r < map.rows; ++r) {
      double lambda = 0.0;
      for (int d = 0; d < map.dependents; ++d) {
        const int j = map.dependent[d];
        if (!e.undetermined[j]) lambda += e.T[j][r] * joint_force[j];
      }
      const int k = map.row_of[r];
      if (k >= kMaxLoops) {
        coupling_force[nth(couplings_, k - kMaxLoops).joint] = lambda;
        continue;
      }
      const Vec3& axis = e.axis[k][map.row_axis[r]];
      for (int c = 0; c < 3; ++c) force_W[k][c] += lambda * axis(c);
    }
  }
  // From the last common link's axes to the world's.
  for (int k = 0; k < loop_count(); ++k) {
    const PointPair& pair = nth(loops_, k).pair;
    const PointPair::Chain& chain = pair.chain_a().length > 0 ? pair.chain_a() : pair.chain_b();
    const int common = tree.link(chain.link[0]).parent;
    Vec3 f(force_W[k][0], force_W[k][1], force_W[k][2]);
    for (int i = common; i != kBase; i = tree.link(i).parent) {
      const Link& link = tree.link(i);
      if (link.revolute) {
        const SinCos t = sin_cos(q[i]);
        f = Vec3(t.cos * f.x() - t.sin * f.y(), t.sin * f.x() + t.cos * f.y(), f.z());
      }
      if (!link.aligned) f = (link.in_parent.R * f).eval();
    }
    for (int c = 0; c < 3; ++c) force_W[k][c] = f(c);
  }
}

double LoopSystem::closing_error(const Tree& tree, const Group& group, const double* q) const {
  double worst = 0.0;
  for (const int k : group.loop) {
    const Path& path = nth(loops_, k);
    PointPair::Place place;
    path.pair.locate(tree, q, place);
    double square = 0.0;
    for (int e = 0; e < path.rows; ++e) {
      const double along = (place.R_b * path.E_b.col(e)).dot(place.a - place.b);
      square += along * along;
    }
    const double gap = std::sqrt(square);
    if (!(gap <= worst)) worst = gap;
  }
  for (const int k : group.coupling) {
    const double gap = std::fabs(coupling_error(k, q));
    if (!(gap <= worst)) worst = gap;
  }
  return worst;
}

// Positions of joints that only couplings join, outwards from the one that leads. False: a fixed joint is
// elsewhere.
bool LoopSystem::follow(const Group& group, const bool* fixed, double* q, int& open,
                        double& gap) const {
  constexpr double kFits = 1e-4;  // rad, m: positions as people write them
  std::int64_t known = 0;
  const auto is_known = [&known](int j) { return (known >> j & 1) != 0; };
  std::int64_t following = 0;
  for (const int k : group.coupling) following |= std::int64_t{1} << nth(couplings_, k).joint;
  int lead = -1;
  for (const int j : group.joint)
    if (fixed[j] && lead < 0) lead = j;
  for (const int j : group.joint)
    if ((following >> j & 1) == 0 && lead < 0) lead = j;
  known |= std::int64_t{1} << lead;
  for (std::size_t left = group.coupling.size(); left > 0; --left)
    for (const int k : group.coupling) {
      const Coupling& c = nth(couplings_, k);
      if (is_known(c.joint) == is_known(c.follows)) continue;
      const bool forwards = is_known(c.follows);
      const int to = forwards ? c.joint : c.follows;
      const double position =
          forwards ? c.ratio * q[c.follows] + c.offset : (q[c.joint] - c.offset) / c.ratio;
      const double off = std::fabs(q[to] - position);
      if (fixed[to] && !(off <= kFits)) {
        open = kMaxLoops + k;
        gap = off;
        return false;
      }
      q[to] = position;
      known |= std::int64_t{1} << to;
    }
  return true;
}

double LoopSystem::gap(const Tree& tree, const double* q) const {
  double worst = 0.0;
  for (const Group& group : groups_) worst = std::max(worst, closing_error(tree, group, q));
  return worst;
}

// Levenberg and Marquardt on the gaps, over the joints that are not fixed.
bool LoopSystem::close_group(const Tree& tree, const Group& group, const bool* fixed,
                             double* q) const {
  constexpr int kMaxSteps = 200;
  constexpr double kClosed = 1e-12;
  double damping = 1e-3;
  double last = INFINITY;
  double kept[kMaxLinks];
  for (int step = 0; step < kMaxSteps; ++step) {
    Work w;
    evaluate(tree, group, q, w, nullptr);
    double square = 0.0;
    for (int r = 0; r < w.rows; ++r) square += w.phi[r] * w.phi[r];
    if (std::sqrt(square) <= kClosed * w.reach) return true;
    if (square < last) {
      damping = std::max(1e-14, 0.1 * damping);
      last = square;
      std::copy(q, q + tree.link_count(), kept);
    } else {
      damping *= 10.0;
      std::copy(kept, kept + tree.link_count(), q);
      if (damping > 1e8) break;
      evaluate(tree, group, q, w, nullptr);
    }
    double A[kMaxLinks][kMaxLinks];
    double x[kMaxLinks];
    for (int c = 0; c < w.joints; ++c) {
      const bool c_fixed = fixed[nth(group.joint, c)];
      x[c] = 0.0;
      for (int r = 0; !c_fixed && r < w.rows; ++r) x[c] -= w.G[r][c] * w.phi[r];
      for (int d = 0; d <= c; ++d) {
        A[c][d] = 0.0;
        if (!c_fixed && !fixed[nth(group.joint, d)])
          for (int r = 0; r < w.rows; ++r) A[c][d] += w.G[r][c] * w.G[r][d];
      }
      A[c][c] += c_fixed ? 1.0 : damping * w.weight[c] * w.weight[c];
    }
    if (!solve_positive_definite<kMaxLinks>(w.joints, A, x)) return false;
    for (int c = 0; c < w.joints; ++c)
      q[nth(group.joint, c)] += std::clamp(x[c], -kLongestStep, kLongestStep);
  }
  std::copy(kept, kept + tree.link_count(), q);
  return closing_error(tree, group, q) < 1e-10;
}

int LoopSystem::assemble(const Tree& tree, const bool* fixed, double* q, double& gap) const {
  gap = 0.0;
  for (const Group& group : groups_) {
    if (group.linear()) {
      int open = -1;
      if (!follow(group, fixed, q, open, gap)) return open;
      continue;
    }
    double best = INFINITY;
    double start[kMaxLinks], best_q[kMaxLinks];
    std::copy(q, q + tree.link_count(), start);
    bool closed = false;
    // From the start, then from around it: close ones first, in all combinations of signs.
    constexpr double kAround[] = {0.0, 0.3, 1.0, 2.0};
    constexpr int kMaxSigns = 6;
    int free = 0;
    for (const int j : group.joint) free += fixed[j] ? 0 : 1;
    for (const double size : kAround) {
      const int combinations = size == 0.0 ? 1 : 1 << std::min(free, kMaxSigns);
      for (int signs = 0; signs < combinations && !closed; ++signs) {
        std::copy(start, start + tree.link_count(), q);
        int bit = 0;
        for (const int j : group.joint) {
          if (fixed[j]) continue;
          q[j] += (signs >> (bit % kMaxSigns) & 1) != 0 ? -size : size * (1.0 - 0.1 * bit);
          ++bit;
        }
        closed = close_group(tree, group, fixed, q);
        const double here = closing_error(tree, group, q);
        if (here < best) {
          best = here;
          std::copy(q, q + tree.link_count(), best_q);
        }
      }
      if (closed) break;
    }
    if (closed) continue;
    std::copy(best_q, best_q + tree.link_count(), q);
    gap = best;
    return group.first();
  }
  return -1;
}

void project(const Embedding& e, int n, double (*M)[kMaxLinks]) {
  for (int g = 0; g < e.groups; ++g) {
    const Embedding::Group& group = e.group[g];
    for (int i = 0; i < group.independents; ++i) {
      const int column = group.independent[i];
      for (int row = 0; row < n; ++row) {
        double sum = 0.0;
        for (int d = 0; d < group.dependents; ++d)
          sum += M[row][group.dependent[d]] * e.B[group.dependent[d]][column];
        M[row][column] += sum;
      }
    }
  }
  for (int g = 0; g < e.groups; ++g) {
    const Embedding::Group& group = e.group[g];
    for (int i = 0; i < group.independents; ++i) {
      const int row = group.independent[i];
      for (int column = 0; column < n; ++column) {
        double sum = 0.0;
        for (int d = 0; d < group.dependents; ++d)
          sum += e.B[group.dependent[d]][row] * M[group.dependent[d]][column];
        M[row][column] += sum;
      }
    }
  }
}

}  // namespace knuckleboom::multibody
