// One tick of the forest: contact pairs, their forces, motion of the logs. docs/theory/contact.md.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "collide.hpp"
#include "contact_keys.hpp"
#include "contact_law.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/world/box.hpp"
#include "knuckleboom/core/world/closest_points.hpp"
#include "knuckleboom/core/world/fixed_near.hpp"

namespace knuckleboom::world {

namespace {

constexpr double kGravity = 9.81;
constexpr double kBoxMargin = 0.01;    // m
constexpr double kFollowed = 0.1;      // depth beyond the axis up to which a body is pushed
                                       // back [m]
constexpr double kTreeFollowed = 0.5;  // the same of a tree, which is heavy and bends [m]
constexpr double kTreeShare =
    0.02;  // of what it weighs at a contact, over a tick's square: no stiffer
constexpr double kCalmSpeed = 0.01;        // m/s
constexpr double kCalmAcceleration = 0.3;  // m/s^2
constexpr double kCalmTime = 0.5;          // s
constexpr double kStillSpeed = 1e-3;       // of a carrier part [m/s]
constexpr double kRidingSpeed = 5e-3;      // of one that moves, with logs at rest on it [m/s]
constexpr double kCollisionApart = 0.2;    // s
constexpr std::int32_t kCarrierObject = kFirstFixedKey - 1;
constexpr std::int32_t kStakesObject = kFirstFixedKey - 2;
constexpr std::int32_t kBedObject = kFirstFixedKey - 3;
constexpr std::int32_t kLyingObject = kFirstFixedKey - 4;
constexpr std::int32_t kTreeObject = kFirstFixedKey - 5;

// A strike at a part that does not take part counts as one at this. Logs are set down on a bed.
Obstacle obstacle_of(PartRole role) {
  return role == PartRole::kBed         ? Obstacle::kBunk
         : role == PartRole::kLyingTree ? Obstacle::kLog
                                        : Obstacle::kCarrier;
}
std::int32_t object_of(PartRole role) {
  return role == PartRole::kStake       ? kStakesObject
         : role == PartRole::kBed       ? kBedObject
         : role == PartRole::kLyingTree ? kLyingObject
                                        : kCarrierObject;
}
// Depth beyond the axis up to which what meets a part is pushed back.
double followed(PartRole role) { return is_tree(role) ? kTreeFollowed : kFollowed; }

double fastest(const Moving& m) {
  return std::sqrt(std::max(m.velocity_at(m.a).squaredNorm(), m.velocity_at(m.b).squaredNorm()));
}

struct MovingLog {
  Moving m;  // p: centre
  double q[4];
  Vec3 axis;
  Vec3 force, torque;
  bool touched;
};

struct Pair {
  std::int16_t first, second;
};

// How far a log reaches along each axis at most, whichever way it lies.
Box box_around(const LogState& log, double half_length) {
  const Vec3 p = vec(log.p);
  const Vec3 r = Vec3::Constant(half_length + kBoxMargin);
  return {p - r, p + r};
}

template <int Capacity>
struct Pairs {
  int count = 0;
  Pair pair[Capacity];
  void add(int first, int second, std::int64_t& dropped) {
    if (count == Capacity) {
      ++dropped;
      return;
    }
    pair[count++] = {static_cast<std::int16_t>(first), static_cast<std::int16_t>(second)};
  }
  // From the pair with this number on.
  void sort(int from = 0) {
    std::sort(pair + from, pair + count, [](const Pair& a, const Pair& b) {
      return a.first != b.first ? a.first < b.first : a.second < b.second;
    });
  }
  void sort_by_second() {
    std::sort(pair, pair + count, [](const Pair& a, const Pair& b) {
      return a.second != b.second ? a.second < b.second : a.first < b.first;
    });
  }
  const Pair* begin() const { return pair; }
  const Pair* end() const { return pair + count; }
};

class Tick {
 public:
  Tick(const World& world, std::span<const MachinePart> parts, double dt, const Mobility* mobility,
       const LogSet& carried, const StemChanges* changes, WorldState& state, PartForces& forces)
      : world_(world),
        fixed_(world.fixed()),
        constants_(world.log_constants().data()),
        law_(world.recipe().contact),
        parts_(parts.first(std::min<std::size_t>(parts.size(), kMaxMachineShapes))),
        part_count_(static_cast<int>(parts_.size())),
        log_count_(world.log_count()),
        room_(world.contact_room()),
        dt_(dt),
        steps_(std::max(1, static_cast<int>(std::ceil(dt / kSmallStep - 1e-9)))),
        h_(dt / steps_),
        mobility_(mobility),
        carried_(carried),
        changes_(changes),
        state_(state),
        forces_(forces) {
    if (changes == nullptr || changes->cut_off_count == 0) return;
    std::copy_n(constants_, log_count_, with_cut_off_);
    for (int i = 0; i < changes->cut_off_count; ++i)
      with_cut_off_[world.first_spare() + i] = World::constants_of(changes->cut_off[i]);
    constants_ = with_cut_off_;
  }
  Tick(const Tick&) = delete;
  Tick& operator=(const Tick&) = delete;

  void run() {
    forces_.count = forces_.struck_count = 0;
    forces_.stems_struck[0] = forces_.stems_struck[1] = 0;
    state_.machine_force = 0.0;
    if (parts_.empty() && !any_free()) {
      finish_touches();
      ++state_.ticks;
      return;
    }
    place_parts(0.0);
    find_pairs();
    if (nobody_touches()) {
      rest();
      carry_sleepers();
      finish_forces();
    } else {
      load_contacts();
      for (int i = 0; i < steps_; ++i) {
        if (i > 0) place_parts(i * h_);
        wake_touched();
        small_step();
      }
      carry_sleepers();
      finish_forces();
      store_logs();
      let_rest();
      store_extent();
    }
    finish_touches();
    ++state_.ticks;
  }

 private:
  // --- Set-up -----------------------------------------------------------------

  bool is_free(int i) const { return state_.log[i].status == LogStatus::kFree; }

  bool any_free() const {
    for (int i = 0; i < log_count_; ++i)
      if (is_free(i)) return true;
    return false;
  }

  void place_log(int i) {
    MovingLog& log = log_[i];
    const LogConstants& c = constants_[i];
    log.axis = axis_of(log.q);
    log.m.a = log.m.p - c.half_axis * log.axis;
    log.m.b = log.m.p + c.half_axis * log.axis;
  }

  void load(int i) {
    if (loaded_.has(i)) return;
    loaded_.add(i);
    const LogState& from = state_.log[i];
    MovingLog& log = log_[i];
    for (int k = 0; k < 4; ++k) log.q[k] = from.q[k];
    log.m.radius = constants_[i].radius;
    log.m.p = vec(from.p);
    log.m.v = vec(from.v);
    log.m.omega = vec(from.omega);
    place_log(i);
  }

  void load_contacts() {
    used_ = static_cast<int>(state_.contacts.end);
    for (int i = 0; i < used_; ++i) {
      const ContactState& c = state_.contact[i];
      key_[i] = key_of(c.key_a, c.key_b);
      clear_slot(i);
    }
  }

  void clear_slot(int i) {
    force_of_slot_[i] = reaction_of_slot_[i] = -1;
    inverse_mass_[i] = -1.0;
    carried_normal_[i] = 0.0;
    live_[i] = false;
  }

  void store_extent() {
    state_.contacts.end = used_;
    trim_extent(state_);
  }

  // Positions of the parts at time t of this tick, at constant velocity.
  void place_parts(double t) {
    for (int i = 0; i < part_count_; ++i) {
      const MachinePart& part = nth(parts_, i);
      Moving& m = part_[i];
      m = {part.shape.a, part.shape.b, part.shape.radius, part.p_W, part.v_W, part.omega_W};
      if (t == 0.0) continue;
      const Vec3 to_a = t * m.velocity_at(m.a);
      const Vec3 to_b = t * m.velocity_at(m.b);
      m.a += to_a;
      m.b += to_b;
      m.p += t * m.v;
    }
  }

  // --- Who may touch whom in this tick ----------------------------------------

  void find_pairs() {
    log_part_.count = part_sleeper_.count = 0;
    log_fixed_.count = 0;
    log_log_.count = log_sleeper_.count = 0;
    free_count_ = 0;
    Box all_free = no_box();
    for (int i = 0; i < log_count_; ++i) {
      if (!is_free(i)) continue;
      free_[free_count_++] = static_cast<std::int16_t>(i);
      load(i);
      log_box_[i] = box_of(log_[i].m, kBoxMargin + dt_ * (fastest(log_[i].m) + kGravity * dt_));
      include(log_box_[i], all_free);
    }
    find_part_pairs();
    for (int n = 0; n < free_count_; ++n) find_fixed_near(free_[n]);
    if (free_count_ > 0) find_log_pairs(all_free);
  }

  // Parts with what is fixed, with each other, and with logs.
  void find_part_pairs() {
    part_fixed_.count = part_part_.count = 0;
    ground_part_count_ = 0;
    if (part_count_ == 0) return;
    Box part_box[kMaxMachineShapes];
    Box all = no_box(), any = no_box(), waking = no_box();
    bool wakes_up[kMaxMachineShapes];
    std::uint32_t role_bit[kMaxMachineShapes], roles = 0;
    for (int i = 0; i < part_count_; ++i) {
      const PartRole role = nth(parts_, i).role;
      const bool rides = nth(parts_, i).rides, carrier = !takes_part(role);
      const double speed = fastest(part_[i]);
      part_box[i] = box_of(part_[i], kBoxMargin + followed(role) + dt_ * speed);
      wakes_up[i] = !carrier || speed > (rides ? kRidingSpeed : kStillSpeed);
      include(part_box[i], any);
      roles |= role_bit[i] = bit_of(role);
      if (wakes_up[i]) include(part_box[i], waking);
      if (!carrier || rides) include(part_box[i], all);
      if (carrier || is_tree(role)) continue;
      if (part_box[i].low.z() < world_.ground_top())
        ground_part_[ground_part_count_++] = static_cast<std::int16_t>(i);
    }
    each_fixed_near(world_, all, [&](int k) {
      const World::Fixed& fixed = nth(fixed_, k);
      const Box box{fixed.low, fixed.high};
      for (int i = 0; i < part_count_; ++i)
        if (meets(nth(parts_, i), fixed.kind) && overlap(part_box[i], box) &&
            !(nth(parts_, i).role == PartRole::kJaw && is_between(k)) &&
            !(is_tree(nth(parts_, i).role) && is_own(nth(parts_, i), k)))
          part_fixed_.add(i, k, state_.contacts_dropped);
    });
    part_fixed_.sort_by_second();
    for (int i = 0; i < part_count_; ++i) {
      const std::uint32_t minded = nth(kMinded, static_cast<int>(nth(parts_, i).role));
      if ((minded & roles) == 0) continue;
      for (int j = 0; j < part_count_; ++j)
        if ((minded & role_bit[j]) != 0 && overlap(part_box[i], part_box[j]) &&
            !between_jaws(nth(parts_, i), nth(parts_, j)) && !known_as_trees(i, j))
          part_part_.add(i, j, state_.contacts_dropped);
    }
    for (int i = 0; i < log_count_; ++i) {
      if (is_free(i)) {
        if (!overlap(log_box_[i], any)) continue;
        for (int j = 0; j < part_count_; ++j)
          if (overlap(log_box_[i], part_box[j])) log_part_.add(i, j, state_.contacts_dropped);
        continue;
      }
      if (!still_box(i, waking)) continue;
      for (int j = 0; j < part_count_; ++j)
        if (wakes_up[j] && overlap(log_box_[i], part_box[j]))
          part_sleeper_.add(j, i, state_.contacts_dropped);
    }
  }

  // Finds the box of a log that does not move, if it reaches into this one.
  bool still_box(int i, const Box& in) {
    if (state_.log[i].status == LogStatus::kHeld || state_.log[i].status == LogStatus::kAbsent ||
        !overlap(box_around(state_.log[i], 0.5 * constants_[i].length), in))
      return false;
    load(i);
    log_box_[i] = box_of(log_[i].m, kBoxMargin);
    return overlap(log_box_[i], in);
  }

  void find_fixed_near(int i) {
    const int before = log_fixed_.count;
    each_fixed_near(world_, log_box_[i],
                    [this, i](int k) { log_fixed_.add(i, k, state_.contacts_dropped); });
    log_fixed_.sort(before);
  }

  // Sweeps along the axis along which the boxes lie most apart.
  void find_log_pairs(const Box& all_free) {
    std::int16_t near[kMaxLogs];
    int count = 0;
    Vec3 sum = Vec3::Zero();
    for (int i = 0; i < log_count_; ++i) {
      if (!is_free(i) && !still_box(i, all_free)) continue;
      near[count++] = static_cast<std::int16_t>(i);
      sum += log_box_[i].high - log_box_[i].low;
    }
    if (count < 2) return;
    const Vec3 spread = (all_free.high - all_free.low).cwiseQuotient(sum);
    int axis = spread.y() > spread.x() ? 1 : 0;
    if (spread.z() > spread[axis]) axis = 2;
    double low[kMaxLogs];
    for (int n = 0; n < count; ++n) {
      const double x = log_box_[near[n]].low[axis];
      low[near[n]] = x > -1e30 ? x : -1e30;  // nan would be out of any order
    }
    std::sort(near, near + count,
              [&low](int a, int b) { return low[a] != low[b] ? low[a] < low[b] : a < b; });
    for (int n = 0; n < count; ++n)
      for (int m = n + 1; m < count; ++m) {
        const int i = std::min(near[n], near[m]), j = std::max(near[n], near[m]);
        if (low[near[m]] > log_box_[near[n]].high[axis]) break;
        if (!overlap(log_box_[i], log_box_[j])) continue;
        if (is_free(i) && is_free(j))
          log_log_.add(i, j, state_.contacts_dropped);
        else if (is_free(i))
          log_sleeper_.add(i, j, state_.contacts_dropped);
        else if (is_free(j))
          log_sleeper_.add(j, i, state_.contacts_dropped);
      }
    log_log_.sort();
  }

  bool nobody_touches() const {
    return free_count_ == 0 && part_fixed_.count == 0 && part_part_.count == 0 &&
           part_sleeper_.count == 0 && ground_part_count_ == 0;
  }

  // The tick of a forest in which nothing moves but a machine that touches nothing.
  void rest() {
    for (std::int64_t i = 0; i < state_.contacts.end; ++i) {
      ContactState& c = state_.contact[i];
      if (c.key_a == 0) continue;
      const int log = log_of(body_a(c));
      if (log >= 0 && state_.log[log].status == LogStatus::kResting)
        ++c.ticks;
      else
        c = ContactState{};
    }
    trim_extent(state_);
  }

  // Logs at rest on a carrier that moves a little ride on it, and weigh on it where their centre is: what they
  // press on it with together is their weight.
  void carry_sleepers() {
    if (std::none_of(parts_.begin(), parts_.end(), bears)) return;
    std::int16_t on[kMaxLogs];
    std::fill(on, on + log_count_, std::int16_t{-1});
    for (bool more = true; more;) {
      more = false;
      for (std::int64_t n = 0; n < state_.contacts.end; ++n) {
        const ContactState& c = state_.contact[n];
        const int a = log_of(body_a(c));
        if (a < 0 || state_.log[a].status != LogStatus::kResting) continue;
        const int b = log_of(body_b(c));
        if (b >= 0 && on[a] != on[b] && (on[a] < 0 || on[b] < 0)) {
          on[a] = on[b] = std::max(on[a], on[b]);
          more = true;
        } else if (b < 0 && on[a] < 0) {
          on[a] = bearing_part(part_of_contact(c));
          more |= on[a] >= 0;
        }
      }
    }
    int force_of_part[kMaxMachineShapes];
    std::fill(force_of_part, force_of_part + part_count_, -1);
    for (int i = 0; i < log_count_; ++i)
      if (on[i] >= 0 && state_.log[i].status == LogStatus::kResting) ride(i, on[i], force_of_part);
  }

  static bool bears(const MachinePart& part) { return part.rides && !takes_part(part.role); }

  std::int16_t bearing_part(int id) const {
    for (int j = 0; j < part_count_; ++j)
      if (nth(parts_, j).id == id && bears(nth(parts_, j))) return static_cast<std::int16_t>(j);
    return -1;
  }

  void ride(int i, int part, int* force_of_part) {
    int& k = force_of_part[part];
    if (k < 0) k = add_force(part);
    LogState& log = state_.log[i];
    const double weight = kGravity * constants_[i].mass;
    if (k >= 0) {
      forces_.force[k].f_W.z() -= weight;
      forces_.force[k].p_W += weight * vec(log.p);
      weight_[k] += weight;
    }
    const MachinePart& under = nth(parts_, part);
    store(Vec3(vec(log.p) + dt_ * (under.v_W + under.omega_W.cross(vec(log.p) - under.p_W))),
          log.p);
    turn(log.q, under.omega_W, dt_);
  }

  static bool touch_each_other(const Moving& a, const Moving& b) {
    const ClosestPoints c = closest_points(a.a, a.b, b.a, b.b);
    const double reach = a.radius + b.radius;
    return (c.a - c.b).squaredNorm() < reach * reach;
  }

  void wake_touched() {
    for (int round = 0; round < kMaxLogs; ++round) {
      bool woken = false;
      for (const Pair& pair : part_sleeper_) woken |= wake_if(part_[pair.first], pair.second);
      for (const Pair& pair : log_sleeper_) woken |= wake_if(log_[pair.first].m, pair.second);
      if (!woken) return;
      find_pairs();
    }
  }

  bool wake_if(const Moving& m, int sleeper) {
    if (is_free(sleeper) || !touch_each_other(m, log_[sleeper].m)) return false;
    wake(sleeper, log_count_, state_);
    return true;
  }

  // --- Contacts that are remembered -------------------------------------------

  static std::uint64_t key_of(std::int32_t a, std::int32_t b) {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)) << 32) |
           static_cast<std::uint32_t>(b);
  }

  // Contacts come in nearly the same order every time: the next one is often the one after the last. Else
  // a table of hashes tells, built when it is first asked.
  int find(std::int32_t key_a, std::int32_t key_b) {
    const std::uint64_t key = key_of(key_a, key_b);
    if (next_ < used_ && key_[next_] == key) return next_++;
    if (table_bits_ == 0) build_table();
    const int mask = (1 << table_bits_) - 1;
    for (int at = place_in_table(key); table_[at] >= 0; at = (at + 1) & mask) {
      const int i = table_[at];
      if (key_[i] != key) continue;
      next_ = i + 1;
      return i;
    }
    return -1;
  }

  int place_in_table(std::uint64_t key) const {
    return static_cast<int>((key * 0x9E3779B97F4A7C15U) >> (64 - table_bits_));
  }

  // Entries whose slot has been given to another contact remain, until it is built again.
  void build_table() {
    int taken = 0;
    for (int i = 0; i < used_; ++i) taken += key_[i] != 0 ? 1 : 0;
    table_bits_ = kLeastTableBits;
    while ((1 << table_bits_) < 4 * taken && table_bits_ < kMostTableBits) ++table_bits_;
    std::fill(table_, table_ + (1 << table_bits_), std::int16_t{-1});
    table_entries_ = 0;
    for (int i = 0; i < used_; ++i)
      if (key_[i] != 0) enter(i);
  }

  void enter(int slot) {
    const int mask = (1 << table_bits_) - 1;
    int at = place_in_table(key_[slot]);
    while (table_[at] >= 0) at = (at + 1) & mask;
    table_[at] = static_cast<std::int16_t>(slot);
    ++table_entries_;
  }

  // kSpare: there is no room; the contact bears, but remembers nothing.
  int find_or_add(std::int32_t key_a, std::int32_t key_b, bool machine) {
    const int found = find(key_a, key_b);
    if (found >= 0) return found;
    while (free_hint_ < used_ && key_[free_hint_] != 0) ++free_hint_;
    const int i = free_hint_;
    if (i >= room_) {
      ++state_.contacts_dropped;
      spare_ = ContactState{};
      clear_slot(kSpare);
      return kSpare;
    }
    state_.contact[i] = ContactState{};
    state_.contact[i].key_a = key_a;
    state_.contact[i].key_b = key_b;
    state_.contact[i].machine = machine ? 1 : 0;
    key_[i] = key_of(key_a, key_b);
    clear_slot(i);
    used_ = std::max(used_, i + 1);
    if (2 * table_entries_ >= 1 << table_bits_)
      build_table();
    else
      enter(i);
    return i;
  }

  ContactState& contact_at(int slot) { return slot == kSpare ? spare_ : state_.contact[slot]; }

  // Removes contacts that no longer touch; resting ones are kept.
  void forget_old() {
    for (int i = 0; i < used_; ++i) {
      if (key_[i] == 0 || live_[i]) continue;
      ContactState& c = state_.contact[i];
      const int log = log_of(body_a(c));
      if (log >= 0 && state_.log[log].status == LogStatus::kResting) continue;
      c = ContactState{};
      key_[i] = 0;
      free_hint_ = std::min(free_hint_, i);
    }
  }

  // --- Two capsules -----------------------------------------------------------

  // Side of a when it last touched b; false: it did not.
  bool last_side(std::int32_t key_a, std::int32_t key_b, Vec3& side) {
    for (const int feature : {2, 0, 1}) {
      const int slot = find(key_a, with_feature(key_b, feature));
      if (slot < 0) continue;
      side = vec(state_.contact[slot].normal);
      return true;
    }
    return false;
  }

  // step_time: of one step of a, if it may be fast; else 0.
  void touches_of(const Moving& a, const Moving& b, std::int32_t key_a, std::int32_t key_b,
                  double step_time, Touches& out, double followed = kFollowed) {
    const ClosestPoints closest = closest_points(a.a, a.b, b.a, b.b);
    const Vec3 d = closest.a - closest.b;
    const double reach = a.radius + b.radius;
    const double square = d.squaredNorm();
    if (step_time == 0.0 && square >= reach * reach) return;
    const double distance = std::sqrt(square);
    const double doubtful = step_time > 0.0 ? reach + followed : 0.5 * reach;
    if (distance < doubtful) {
      Vec3 side;
      bool is_known = last_side(key_a, key_b, side);
      if (!is_known && step_time > 0.0) {
        const Vec3 step = step_time * (a.velocity_at(closest.a) - b.velocity_at(closest.b));
        const double way = step.norm();
        is_known = way > 0.5 * reach && distance < way && crossed(a, b, closest, step, side);
      }
      if (is_known && side.dot(d) < 0.0) {
        const Vec3 back = distance > 1e-9 ? Vec3(d / -distance) : side;
        const double depth = reach + distance;
        out.add(back, 0.5 * (closest.a + closest.b), depth, 2);
        return;
      }
      if (distance <= 1e-9) {
        // The axes intersect: use the previous side, or push upwards.
        const Vec3 up = is_known ? side : Vec3::UnitZ();
        out.add(up, closest.a, reach, 2);
        return;
      }
    }
    if (distance >= reach) return;
    touches_side_by_side(a, b, closest, d / distance, reach - distance, out);
  }

  // --- Forces -----------------------------------------------------------------

  static void load_log(MovingLog& log, const Vec3& f, const Vec3& point, const Vec3& torque) {
    log.force += f;
    log.torque += (point - log.m.p).cross(f) + torque;
    log.touched = true;
  }

  // 1/kg.
  double inverse_mass_of_log(int i, const Touch& touch) const {
    const LogConstants& c = constants_[i];
    const Vec3 moment = (touch.point - log_[i].m.p).cross(touch.normal);
    const double axial = log_[i].axis.dot(moment);
    return 1.0 / c.mass + (moment.squaredNorm() - axial * axial) / c.inertia.transverse +
           axial * axial / c.inertia.axial;
  }
  // Once a tick for each place.
  double inverse_mass_of_parts(int j, int other, const Touch& touch, int slot) {
    double& known = inverse_mass_[slot];
    if (known < 0.0) {
      known = inverse_mass_of_part(j, touch);
      if (other >= 0) known += inverse_mass_of_part(other, touch);
    }
    return known;
  }
  double inverse_mass_of_part(int j, const Touch& touch) const {
    return mobility_ == nullptr ? 1.0 / kMachineMass
                                : mobility_->along(j, touch.point, touch.normal);
  }

  // use(touch, force on a, contact's slot): for each place where the two touch. inverse_mass(touch,
  // slot): there. axis: of a, if it is a log. fixed: b, if it may give; null: it does not. hold_s: time over which the force acts
  // unchanged. tree: one of them is a tree that moves, which may be a light top.
  template <class InverseMass, class Use>
  void resolve(PairLaw law, const Vec3& axis, double hold_s, const Touches& touches,
               const Moving& a, std::int32_t key_a, const Moving& b, std::int32_t key_b,
               const World::Fixed* fixed, bool machine, const InverseMass& inverse_mass,
               const Use& use, bool tree = false) {
    const double k = law.k;
    for (int t = 0; t < touches.count; ++t) {
      const Touch& touch = touches.touch[t];
      const int slot = find_or_add(key_a, with_feature(key_b, touch.feature), machine);
      live_[slot] = true;
      law.k = fixed != nullptr ? stiffness_at(law_, *fixed, touch.point.z()) : k * touch.share;
      const double inverse = inverse_mass(touch, slot);
      if (tree && inverse > 0.0) law.k = std::min(law.k, kTreeShare / (inverse * hold_s * hold_s));
      law.b = contact_damping(law_, law.k, inverse, hold_s);
      const Vec3 v = a.velocity_at(touch.point) - b.velocity_at(touch.point);
      use(touch,
          contact_force(law, touch.depth, touch.normal, v, a.omega - b.omega, axis, h_,
                        contact_at(slot)),
          slot);
    }
  }

  PairLaw plain() const { return {law_.stiffness, 0.0, law_.friction, 0.0, 0.0, 0.0, 0.0}; }
  // friction: negative: as of all others.
  PairLaw rolling(double radius, const LogInertia& inertia, double friction = -1.0) const {
    PairLaw law = plain();
    law.friction = friction_of(law_, friction);
    add_rolling(law_, radius, inertia, law);
    return law;
  }

  bool is_carried(int log) const { return carried_.has(log); }

  // fixed: null: the ground.
  void resolve_log(int i, const World::Fixed* fixed, const Moving& still, std::int32_t key,
                   const Touches& touches) {
    const LogConstants& c = constants_[i];
    PairLaw law = rolling(c.radius, c.inertia, fixed == nullptr ? law_.soil_friction : -1.0);
    // The places share what bears the whole length.
    if (fixed == nullptr) law.k = law_.soil_stiffness * c.length / ground_samples(log_[i].m);
    resolve(
        law, log_[i].axis, h_, touches, log_[i].m, log_key(i), still, key, fixed, false,
        [&](const Touch& touch, int) { return inverse_mass_of_log(i, touch); },
        [&](const Touch& touch, const ContactForce& force, int slot) {
          load_log(log_[i], force.f, touch.point, force.torque);
          if (!is_carried(i)) return;
          carried_normal_[slot] += force.normal / steps_;
          note(PartRole::kHeldLog, fixed == nullptr ? Obstacle::kGround : fixed->kind,
               fixed == nullptr ? kGroundKey : fixed->object, touch, log_[i].m, still,
               force.normal);
        });
  }

  void touch_ground(const Moving& m, Touches& touches) const {
    const Ground& ground = world_.ground();
    const double level = world_.ground_level();
    const bool flat = ground.nx < 2 || (m.a.head<2>().squaredNorm() < level * level &&
                                        m.b.head<2>().squaredNorm() < level * level);
    (flat ? touches_with_ground : touches_along_ground)(m, ground, world_.ground_top(), touches);
  }

  void touch_log_with_ground(int i) {
    Touches touches;
    touch_ground(log_[i].m, touches);
    if (touches.count > 0) resolve_log(i, nullptr, kStill, kGroundKey, touches);
  }

  void touch_log_with_fixed(int i, int k) {
    const World::Fixed& fixed = nth(fixed_, k);
    const Moving still = at_rest(shape_of(k));
    Touches touches;
    touches_of(log_[i].m, still, log_key(i), fixed_key(k), 0.0, touches);
    if (touches.count > 0) resolve_log(i, &fixed, still, fixed_key(k), touches);
  }

  void touch_logs(int i, int j) {
    Touches touches;
    touches_of(log_[i].m, log_[j].m, log_key(i), log_key(j), 0.0, touches);
    if (touches.count == 0) return;
    const LogConstants& a = constants_[i];
    const LogConstants& b = constants_[j];
    resolve(
        rolling(std::min(a.radius, b.radius),
                {std::min(a.inertia.axial, b.inertia.axial),
                 std::min(a.inertia.transverse, b.inertia.transverse)},
                law_.wood_friction),
        log_[i].axis, h_, touches, log_[i].m, log_key(i), log_[j].m, log_key(j), nullptr, false,
        [&](const Touch& touch, int) {
          return inverse_mass_of_log(i, touch) + inverse_mass_of_log(j, touch);
        },
        [&](const Touch& touch, const ContactForce& force, int) {
          load_log(log_[i], force.f, touch.point, force.torque);
          load_log(log_[j], -force.f, touch.point, -force.torque);
          for (const int carried : {i, j})
            if (is_carried(carried) && !is_carried(i + j - carried))
              note(PartRole::kHeldLog, Obstacle::kLog, log_key(i + j - carried), touch, log_[i].m,
                   log_[j].m, force.normal);
        });
  }

  void touch_log_with_part(int i, int j) {
    const MachinePart& part = nth(parts_, j);
    const std::int32_t key = part_key(part.id);
    Touches touches;
    touches_of(log_[i].m, part_[j], log_key(i), key, h_, touches, followed(part.role));
    if (touches.count == 0) return;
    const bool is_machine = takes_part(part.role);
    const LogConstants& c = constants_[i];
    resolve(
        is_machine ? plain() : rolling(c.radius, c.inertia), log_[i].axis, dt_, touches, log_[i].m,
        log_key(i), part_[j], key, nullptr, is_machine,
        [&](const Touch& touch, int slot) {
          // A load space on wheels weighs tonnes.
          const bool unyielding = part.rides && is_load_space(part.role);
          return inverse_mass_of_log(i, touch) +
                 (unyielding ? 0.0 : inverse_mass_of_parts(j, -1, touch, slot));
        },
        [&](const Touch& touch, const ContactForce& force, int slot) {
          load_log(log_[i], force.f, touch.point, force.torque);
          // The grip itself is no contact with the world.
          const bool felt = is_carried(i)
                                ? part.role != PartRole::kJaw && part.role != PartRole::kHead
                                : !is_load_space(part.role) && !is_wood(part.role);
          add_mean_force(force_of_slot_[slot], j, touch.point, -force.f, force.normal, felt);
          if (is_carried(i) && minds(PartRole::kHeldLog, part.role))
            note(PartRole::kHeldLog, obstacle_of(part.role), object_of(part.role), touch, log_[i].m,
                 part_[j], force.normal);
          else if (is_machine && !is_tree(part.role))
            note(part.role, Obstacle::kLog, log_key(i), touch, log_[i].m, part_[j], force.normal);
        },
        is_tree(part.role));
  }

  void touch_machine_with_fixed() {
    for (int n = 0; n < ground_part_count_; ++n) {
      const int i = ground_part_[n];
      Touches touches;
      touches_with_ground(part_[i], world_.ground(), world_.ground_top(), touches);
      meet(i, kStill, kGroundKey, nullptr, Obstacle::kGround, kGroundKey, -1, touches);
    }
    for (const Pair& pair : part_fixed_) {
      const World::Fixed& other = nth(fixed_, pair.second);
      const Moving fixed = at_rest(shape_of(pair.second));
      const std::int32_t key = fixed_key(pair.second);
      Touches touches;
      touches_of(part_[pair.first], fixed, key_of_part(pair.first), key, h_, touches,
                 followed(nth(parts_, pair.first).role));
      meet(pair.first, fixed, key, &other, other.kind, other.object, -1, touches);
    }
    for (const auto& [i, j] : part_part_) {
      Touches touches;
      touches_of(part_[i], part_[j], key_of_part(i), key_of_part(j), h_, touches,
                 followed(nth(parts_, i).role));
      const PartRole other = nth(parts_, j).role;
      meet(i, part_[j], key_of_part(j), nullptr, obstacle_of(other), object_of(other), j, touches);
    }
  }

  bool is_between(int k) const { return changes_ != nullptr && changes_->between == k; }

  // The stem of the tree that the parts are of.
  bool is_own(const MachinePart& part, int k) const {
    return changes_ != nullptr && (is_second(part) ? changes_->falling : changes_->moving) == k;
  }
  bool is_second(const MachinePart& part) const {
    return changes_ != nullptr && changes_->falling_parts.has(part.id);
  }
  // Two parts of one tree, or of two of them the other way round.
  bool known_as_trees(int i, int j) const {
    const MachinePart &a = nth(parts_, i), &b = nth(parts_, j);
    return is_tree(a.role) && is_tree(b.role) && (i >= j || is_second(a) == is_second(b));
  }
  // A tree that jaws are about to grip, or that the head has let go.
  bool between_jaws(const MachinePart& a, const MachinePart& b) const {
    if (changes_ == nullptr) return false;
    const auto between = [this](const MachinePart& head, std::int32_t id) {
      const bool jaw = head.role == PartRole::kJaw;
      return (jaw && changes_->between_parts.has(id)) ||
             ((jaw || head.role == PartRole::kHead) && changes_->leaving_parts.has(id));
    };
    return between(a, b.id) || between(b, a.id);
  }

  // Null: the stem is not cut. Stems come first among what is fixed.
  const StemChanges::Cut* cut_of(std::ptrdiff_t k) const {
    if (changes_ == nullptr) return nullptr;
    for (int i = 0; i < changes_->count; ++i)
      if (changes_->cut[i].stem == k) return &changes_->cut[i];
    return nullptr;
  }

  // A stem that is cut is its stump.
  Capsule shape_of(int k) const {
    Capsule shape = nth(fixed_, k).shape;
    if (const StemChanges::Cut* cut = cut_of(k))
      shape.b.z() = nth(fixed_, k).foot_z + cut->height - shape.radius;
    return shape;
  }

  std::int32_t key_of_part(int i) const { return part_key(nth(parts_, i).id); }

  // fixed: null: it does not give. other_part: receives the opposite force; -1: none.
  void meet(int i, const Moving& other, std::int32_t other_key, const World::Fixed* fixed,
            Obstacle kind, std::int32_t object, int other_part, const Touches& touches) {
    if (touches.count == 0) return;
    const PartRole role = nth(parts_, i).role;
    resolve(
        plain(), kNoAxis, dt_, touches, part_[i], key_of_part(i), other, other_key, fixed, true,
        [&](const Touch& touch, int slot) {
          return inverse_mass_of_parts(i, other_part, touch, slot);
        },
        [&](const Touch& touch, const ContactForce& force, int slot) {
          add_mean_force(force_of_slot_[slot], i, touch.point, force.f, force.normal,
                         !is_tree(role));
          if (other_part >= 0)
            add_mean_force(reaction_of_slot_[slot], other_part, touch.point, -force.f, force.normal,
                           !is_wood(nth(parts_, other_part).role));
          if (!is_tree(role))
            note(role, kind, object, touch, part_[i], other, force.normal);
          else if (other_part < 0)
            strike(is_second(nth(parts_, i)) ? 1 : 0, kind, fixed, object);
          else if (!is_wood(nth(parts_, other_part).role))
            note(nth(parts_, other_part).role, Obstacle::kStem, kTreeObject, touch, part_[i], other,
                 force.normal);
        },
        is_tree(role));
  }

  // A falling tree at another one that stands.
  void strike(int tree, Obstacle kind, const World::Fixed* fixed, std::int32_t object) {
    if (kind != Obstacle::kStem) return;
    if (fixed != nullptr && cut_of(fixed - fixed_.data()) != nullptr) return;
    if (!begins(static_cast<std::int32_t>(PartRole::kTree) + 1, object)) return;
    ++forces_.stems_struck[tree];
    tell_struck(object);
  }
  void tell_struck(std::int32_t object) {
    if (forces_.struck_count < PartForces::kMostStruck)
      forces_.struck[forces_.struck_count++] = object - kFirstFixedKey;
  }

  // --- What the machine feels -------------------------------------------------

  int add_force(int part) {
    if (forces_.count == kMaxPartForces) {
      ++state_.contacts_dropped;
      return -1;
    }
    forces_.force[forces_.count] = {part, Vec3::Zero(), Vec3::Zero()};
    weight_[forces_.count] = 0.0;
    mean_normal_[forces_.count] = 0.0;
    return forces_.count++;
  }

  // Mean of the force over the tick, at its weighted mean position. entry: among the forces; -1:
  // new.
  void add_mean_force(std::int16_t& entry, int part, const Vec3& point, const Vec3& f,
                      double normal, bool felt = true) {
    if (entry < 0) entry = static_cast<std::int16_t>(add_force(part));
    if (entry < 0) return;
    const int k = entry;
    const double weight = normal + 1e-12;
    PartForce& force = forces_.force[k];
    force.f_W += (1.0 / steps_) * f;
    force.p_W += weight * point;
    weight_[k] += weight;
    if (felt) mean_normal_[k] += normal / steps_;
  }

  void finish_forces() {
    for (int k = 0; k < forces_.count; ++k) {
      forces_.force[k].p_W /= weight_[k];
      state_.machine_force = std::max(state_.machine_force, mean_normal_[k]);
    }
    if (carried_.empty()) return;
    for (int i = 0; i < used_; ++i)
      state_.machine_force = std::max(state_.machine_force, carried_normal_[i]);
  }

  // A collision begins when the two were separate for a while.
  void note(PartRole role, Obstacle kind, std::int32_t object, const Touch& touch, const Moving& a,
            const Moving& b, double normal) {
    const PartRole body = role == PartRole::kJaw ? PartRole::kHead
                          : is_load_space(role)  ? PartRole::kCarrier
                                                 : role;
    const std::int32_t who = static_cast<std::int32_t>(body) + 1;
    const auto k = static_cast<std::size_t>(kind);
    state_.impulse[k] += normal * h_;
    if (!begins(who, object)) return;
    if (kind == Obstacle::kStem && object >= kFirstFixedKey) tell_struck(object);
    ++state_.collisions[k];
    const Vec3 v = a.velocity_at(touch.point) - b.velocity_at(touch.point);
    state_.last_impact_speed = std::max(0.0, -v.dot(touch.normal));
    state_.last_collision_tick = state_.ticks;
  }

  // Whether the two have been apart; from now on they touch.
  bool begins(std::int32_t who, std::int32_t object) {
    int free_slot = -1;
    for (int i = 0; i < kMaxTouches; ++i) {
      TouchState& t = state_.touch[i];
      if (t.role == who && t.object == object) {
        t.apart_s = -1.0;
        return false;
      }
      if (t.role == 0 && free_slot < 0) free_slot = i;
    }
    if (free_slot >= 0)
      state_.touch[free_slot] = {who, object, -1.0};
    else
      ++state_.contacts_dropped;
    return true;
  }

  void finish_touches() {
    for (TouchState& t : state_.touch) {
      if (t.role == 0) continue;
      t.apart_s = t.apart_s < 0.0 ? 0.0 : t.apart_s + dt_;
      if (t.apart_s > kCollisionApart) t = TouchState{};
    }
  }

  // --- Logs -------------------------------------------------------------------

  void small_step() {
    for (int i = 0; i < used_; ++i) live_[i] = false;
    touch_machine_with_fixed();
    for (int n = 0; n < free_count_; ++n) {
      const int i = free_[n];
      log_[i].force = Vec3(0.0, 0.0, -kGravity * constants_[i].mass);
      log_[i].torque = Vec3::Zero();
      log_[i].touched = false;
    }
    for (int n = 0; n < free_count_; ++n) touch_log_with_ground(free_[n]);
    for (const Pair& pair : log_fixed_) touch_log_with_fixed(pair.first, pair.second);
    for (const Pair& pair : log_log_) touch_logs(pair.first, pair.second);
    for (const Pair& pair : log_part_) touch_log_with_part(pair.first, pair.second);
    forget_old();
    for (int n = 0; n < free_count_; ++n) advance(free_[n]);
  }

  // Angular momentum is the integrated quantity: a free log conserves it exactly.
  void advance(int i) {
    MovingLog& log = log_[i];
    const LogConstants& c = constants_[i];
    const LogInertia& I = c.inertia;
    const auto momentum = [&I](const Vec3& omega, const Vec3& axis) {
      return Vec3(I.transverse * omega + (I.axial - I.transverse) * axis.dot(omega) * axis);
    };
    const auto rate = [&I](const Vec3& L, const Vec3& axis) {
      return Vec3(L / I.transverse + (1.0 / I.axial - 1.0 / I.transverse) * axis.dot(L) * axis);
    };
    const Vec3 v_old = log.m.v;
    log.m.v += (h_ / c.mass) * log.force;
    // Free flight exactly; in contact the order that adds no energy to a spring.
    log.m.p += log.touched ? Vec3(h_ * log.m.v) : Vec3(0.5 * h_ * (v_old + log.m.v));
    const Vec3 L = momentum(log.m.omega, log.axis) + h_ * log.torque;
    const Vec3 axis_midway = log.axis + 0.5 * h_ * rate(L, log.axis).cross(log.axis);
    turn(log.q, rate(L, axis_midway), h_);
    place_log(i);
    log.m.omega = rate(L, log.axis);
  }

  static void turn(double* q, const Vec3& omega, double h) {
    const Vec3 w = 0.5 * h * omega;
    const double r[4] = {q[0] - w.x() * q[1] - w.y() * q[2] - w.z() * q[3],
                         q[1] + w.x() * q[0] + w.y() * q[3] - w.z() * q[2],
                         q[2] + w.y() * q[0] + w.z() * q[1] - w.x() * q[3],
                         q[3] + w.z() * q[0] + w.x() * q[2] - w.y() * q[1]};
    const double scale = 1.0 / std::sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    for (int k = 0; k < 4; ++k) q[k] = scale * r[k];
  }

  void store_logs() {
    for (int n = 0; n < free_count_; ++n) {
      const int i = free_[n];
      LogState& to = state_.log[i];
      for (int k = 0; k < 4; ++k) to.q[k] = log_[i].q[k];
      store(log_[i].m.p, to.p);
      store(log_[i].m.v, to.v);
      store(log_[i].m.omega, to.omega);
    }
  }

  // --- Rest -------------------------------------------------------------------

  bool is_calm(int i) const {
    const MovingLog& log = log_[i];
    const LogConstants& c = constants_[i];
    const double arm = 0.5 * c.length;
    return log.touched && log.m.v.norm() + arm * log.m.omega.norm() < kCalmSpeed &&
           log.force.norm() < kCalmAcceleration * c.mass &&
           arm * log.torque.norm() < kCalmAcceleration * c.inertia.transverse;
  }

  // Logs lying on each other come to rest together, and never while the machine touches them.
  void let_rest() {
    std::int16_t group[kMaxLogs];
    bool ready[kMaxLogs], stays_awake[kMaxLogs];
    bool any = false;
    const double enough = kCalmTime / dt_;
    for (int i = 0; i < log_count_; ++i) {
      group[i] = static_cast<std::int16_t>(i);
      ready[i] = stays_awake[i] = false;
      if (!is_free(i)) continue;
      std::int32_t& calm = state_.log[i].calm_ticks;
      calm = is_calm(i) ? calm + 1 : 0;
      ready[i] = calm >= enough;
      any |= ready[i];
    }
    for (int i = 0; i < used_; ++i)
      if (key_[i] != 0) ++state_.contact[i].ticks;
    if (!any) return;
    const auto first_of = [&group](int i) {
      while (group[i] != i) i = group[i] = group[group[i]];
      return i;
    };
    for (int i = 0; i < used_; ++i) {
      const ContactState& c = state_.contact[i];
      const int a = log_of(body_a(c));
      if (a < 0) continue;
      if (c.machine != 0) ready[a] = false;
      const int b = log_of(body_b(c));
      if (b < 0) continue;
      const int one = first_of(a), other = first_of(b);
      group[std::max(one, other)] = static_cast<std::int16_t>(std::min(one, other));
    }
    for (int i = 0; i < log_count_; ++i)
      if (is_free(i) && !ready[i]) stays_awake[first_of(i)] = true;
    for (int i = 0; i < log_count_; ++i) {
      if (!ready[i] || stays_awake[first_of(i)]) continue;
      LogState& log = state_.log[i];
      log.status = LogStatus::kResting;
      for (int k = 0; k < 3; ++k) {
        log.v[k] = 0.0;
        log.omega[k] = 0.0;
      }
    }
  }

  using LogConstants = World::LogConstants;
  inline static const Vec3 kNoAxis = Vec3::Zero();
  inline static const Moving kStill = at_rest(Capsule{});

  const World& world_;
  const std::vector<World::Fixed>& fixed_;
  const LogConstants* constants_;
  LogConstants with_cut_off_[kMaxLogs];
  const ContactLaw& law_;
  std::span<const MachinePart> parts_;
  int part_count_, log_count_, room_;
  double dt_;
  int steps_;
  double h_;
  const Mobility* mobility_;
  const LogSet& carried_;
  const StemChanges* changes_;
  WorldState& state_;
  PartForces& forces_;

  static constexpr int kSpare = kMaxContacts;
  static constexpr int kLeastTableBits = 6;
  static constexpr int kMostTableBits = 14;

  LogSet loaded_;
  MovingLog log_[kMaxLogs];
  Box log_box_[kMaxLogs];
  std::int16_t free_[kMaxLogs];
  int free_count_ = 0;
  Moving part_[kMaxMachineShapes];
  std::int16_t ground_part_[kMaxMachineShapes];
  int ground_part_count_ = 0;
  Pairs<4096> log_fixed_, part_fixed_;
  Pairs<kMaxMachineShapes * kMaxMachineShapes / 4> part_part_;
  Pairs<kMaxLogs * kMaxLogs / 2> log_log_, log_sleeper_;
  Pairs<kMaxLogs * kMaxMachineShapes> log_part_, part_sleeper_;

  std::uint64_t key_[kMaxContacts];
  bool live_[kMaxContacts + 1];
  std::int16_t force_of_slot_[kMaxContacts + 1], reaction_of_slot_[kMaxContacts + 1];
  int used_ = 0;
  int next_ = 0;
  int free_hint_ = 0;  // no slot before it is free
  ContactState spare_;
  std::int16_t table_[1 << kMostTableBits];  // slots, by the hash of their key; -1: none
  int table_bits_ = 0, table_entries_ = 0;
  double inverse_mass_[kMaxContacts + 1];  // of the machine at the slot [1/kg]; -1: not yet known
  double
      carried_normal_[kMaxContacts + 1];  // mean on a carried log, of what does not belong to the
                                          // machine [N]
  double weight_[kMaxPartForces], mean_normal_[kMaxPartForces];
};

}  // namespace

void World::step(std::span<const MachinePart> parts, double dt, WorldState& state,
                 PartForces& forces, const Mobility* mobility, const LogSet& carried,
                 const StemChanges* changes) const {
  Tick(*this, parts, dt, mobility, carried, changes, state, forces).run();
}

}  // namespace knuckleboom::world
