// One tick of the forest: contact pairs, their forces, motion of the logs. docs/theory/contact.md.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "collide.hpp"
#include "contact_keys.hpp"
#include "contact_law.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/world/closest_points.hpp"

namespace knuckleboom::world {

namespace {

constexpr double kGravity = 9.81;
constexpr double kBoxMargin = 0.01;        // m
constexpr double kFollowed = 0.1;          // depth beyond the axis up to which a body is pushed
                                           // back [m]
constexpr double kCalmSpeed = 0.01;        // m/s
constexpr double kCalmAcceleration = 0.3;  // m/s^2
constexpr double kCalmTime = 0.5;          // s
constexpr double kStillSpeed = 1e-3;       // of a carrier part [m/s]
constexpr double kCollisionApart = 0.2;    // s
constexpr std::int32_t kCarrierObject = kFirstFixedKey - 1;

struct Box {
  Vec3 low, high;
};

bool overlap(const Box& a, const Box& b) {
  return (a.low.array() <= b.high.array()).all() && (b.low.array() <= a.high.array()).all();
}

Box box_of(const Moving& m, double margin) {
  const Vec3 r = Vec3::Constant(m.radius + margin);
  return {m.a.cwiseMin(m.b) - r, m.a.cwiseMax(m.b) + r};
}

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
  const Pair* begin() const { return pair; }
  const Pair* end() const { return pair + count; }
};

class Tick {
 public:
  Tick(const World& world, std::span<const MachinePart> parts, double dt, const Mobility* mobility,
       std::uint32_t carried, WorldState& state, PartForces& forces)
      : world_(world),
        fixed_(world.fixed()),
        constants_(world.log_constants()),
        law_(world.recipe().contact),
        parts_(parts.first(std::min<std::size_t>(parts.size(), kMaxMachineShapes))),
        part_count_(static_cast<int>(parts_.size())),
        log_count_(world.log_count()),
        dt_(dt),
        steps_(std::max(1, static_cast<int>(std::ceil(dt / kSmallStep - 1e-9)))),
        h_(dt / steps_),
        mobility_(mobility),
        carried_(carried),
        state_(state),
        forces_(forces) {}

  void run() {
    forces_.count = 0;
    state_.machine_force = 0.0;
    if (parts_.empty() && !any_free()) {
      finish_touches();
      ++state_.ticks;
      return;
    }
    load();
    find_pairs();
    for (int i = 0; i < steps_; ++i) {
      place_parts(i * h_);
      wake_touched();
      small_step();
    }
    finish_forces();
    store_logs();
    let_rest();
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
    const LogConstants& c = nth(constants_, i);
    log.axis = axis_of(log.q);
    log.m.a = log.m.p - c.half_axis * log.axis;
    log.m.b = log.m.p + c.half_axis * log.axis;
  }

  void load() {
    for (int i = 0; i < log_count_; ++i) {
      const LogState& from = state_.log[i];
      MovingLog& log = log_[i];
      for (int k = 0; k < 4; ++k) log.q[k] = from.q[k];
      log.m.radius = nth(constants_, i).radius;
      log.m.p = vec(from.p);
      log.m.v = vec(from.v);
      log.m.omega = vec(from.omega);
      place_log(i);
    }
    place_parts(0.0);
    int used = 0;
    for (int i = 0; i < kMaxContacts; ++i) {
      const ContactState& c = state_.contact[i];
      key_[i] = key_of(c.key_a, c.key_b);
      force_of_slot_[i] = reaction_of_slot_[i] = -1;
      inverse_mass_[i] = -1.0;
      carried_normal_[i] = 0.0;
      live_[i] = false;
      if (c.key_a != 0) used = i + 1;
    }
    used_ = used;
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

  bool wakes(int part) const {
    return nth(parts_, part).role != PartRole::kCarrier || fastest(part_[part]) > kStillSpeed;
  }

  // --- Who may touch whom in this tick ----------------------------------------

  void find_pairs() {
    log_fixed_.count = 0;
    log_log_.count = 0;
    log_part_.count = 0;
    part_fixed_.count = 0;
    log_sleeper_.count = 0;
    part_sleeper_.count = 0;
    Box part_box[kMaxMachineShapes];
    Box all{Vec3::Constant(1e30), Vec3::Constant(-1e30)};
    for (int i = 0; i < part_count_; ++i) {
      part_box[i] = box_of(part_[i], kBoxMargin + kFollowed + dt_ * fastest(part_[i]));
      if (!takes_part(nth(parts_, i).role)) continue;
      all.low = all.low.cwiseMin(part_box[i].low);
      all.high = all.high.cwiseMax(part_box[i].high);
    }
    for (std::size_t k = 0; k < fixed_.size(); ++k) {
      const Box box{fixed_[k].low, fixed_[k].high};
      if (!overlap(all, box)) continue;
      for (int i = 0; i < part_count_; ++i)
        if (takes_part(nth(parts_, i).role) && overlap(part_box[i], box))
          part_fixed_.add(i, static_cast<int>(k), state_.contacts_dropped);
    }
    Box log_box[kMaxLogs];
    for (int i = 0; i < log_count_; ++i) {
      const double way = is_free(i) ? dt_ * (fastest(log_[i].m) + kGravity * dt_) : 0.0;
      log_box[i] = box_of(log_[i].m, kBoxMargin + way);
    }
    for (int i = 0; i < log_count_; ++i) {
      if (state_.log[i].status == LogStatus::kHeld) continue;
      for (int j = 0; j < part_count_; ++j) {
        if (!overlap(log_box[i], part_box[j])) continue;
        if (is_free(i))
          log_part_.add(i, j, state_.contacts_dropped);
        else if (wakes(j))
          part_sleeper_.add(j, i, state_.contacts_dropped);
      }
      if (!is_free(i)) continue;
      for (std::size_t k = 0; k < fixed_.size(); ++k)
        if (overlap(log_box[i], {fixed_[k].low, fixed_[k].high}))
          log_fixed_.add(i, static_cast<int>(k), state_.contacts_dropped);
      for (int j = 0; j < log_count_; ++j) {
        if (j == i || !overlap(log_box[i], log_box[j])) continue;
        if (state_.log[j].status == LogStatus::kResting)
          log_sleeper_.add(i, j, state_.contacts_dropped);
        else if (is_free(j) && j > i)
          log_log_.add(i, j, state_.contacts_dropped);
      }
    }
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

  // Contacts come in nearly the same order every time: the search starts where the last one ended.
  int find(std::int32_t key_a, std::int32_t key_b) {
    const std::uint64_t key = key_of(key_a, key_b);
    for (int n = 0, i = next_; n < used_; ++n, ++i) {
      if (i >= used_) i = 0;
      if (key_[i] != key) continue;
      next_ = i + 1;
      return i;
    }
    return -1;
  }

  int find_or_add(std::int32_t key_a, std::int32_t key_b, bool machine) {
    const int found = find(key_a, key_b);
    if (found >= 0) return found;
    for (int i = 0; i < kMaxContacts; ++i)
      if (key_[i] == 0) {
        state_.contact[i] = ContactState{};
        state_.contact[i].key_a = key_a;
        state_.contact[i].key_b = key_b;
        state_.contact[i].machine = machine ? 1 : 0;
        key_[i] = key_of(key_a, key_b);
        force_of_slot_[i] = reaction_of_slot_[i] = -1;
        inverse_mass_[i] = -1.0;
        carried_normal_[i] = 0.0;
        used_ = std::max(used_, i + 1);
        return i;
      }
    ++state_.contacts_dropped;
    return -1;
  }

  // Removes contacts that no longer touch; resting ones are kept.
  void forget_old() {
    for (int i = 0; i < used_; ++i) {
      if (key_[i] == 0 || live_[i]) continue;
      ContactState& c = state_.contact[i];
      const int log = log_of(body_a(c));
      if (log >= 0 && state_.log[log].status == LogStatus::kResting) continue;
      c = ContactState{};
      key_[i] = 0;
      force_of_slot_[i] = reaction_of_slot_[i] = -1;
      inverse_mass_[i] = -1.0;
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
                  double step_time, Touches& out) {
    const ClosestPoints closest = closest_points(a.a, a.b, b.a, b.b);
    const Vec3 d = closest.a - closest.b;
    const double reach = a.radius + b.radius;
    const double square = d.squaredNorm();
    if (step_time == 0.0 && square >= reach * reach) return;
    const double distance = std::sqrt(square);
    const double doubtful = step_time > 0.0 ? reach + kFollowed : 0.5 * reach;
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
    const LogConstants& c = nth(constants_, i);
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
  // slot): there. fixed: b, if it may give; null: it does not. hold_s: time over which the force acts
  // unchanged.
  template <class InverseMass, class Use>
  void resolve(PairLaw law, double hold_s, const Touches& touches, const Moving& a,
               std::int32_t key_a, const Moving& b, std::int32_t key_b, const World::Fixed* fixed,
               bool machine, const InverseMass& inverse_mass, const Use& use) {
    for (int t = 0; t < touches.count; ++t) {
      const Touch& touch = touches.touch[t];
      const int slot = find_or_add(key_a, with_feature(key_b, touch.feature), machine);
      if (slot < 0) continue;
      live_[slot] = true;
      if (fixed != nullptr) law.k = stiffness_at(law_, *fixed, touch.point.z());
      law.b = contact_damping(law_, law.k, inverse_mass(touch, slot), hold_s);
      const Vec3 v = a.velocity_at(touch.point) - b.velocity_at(touch.point);
      use(touch,
          contact_force(law, touch.depth, touch.normal, v, a.omega - b.omega, h_,
                        state_.contact[slot]),
          slot);
    }
  }

  PairLaw plain() const { return {law_.stiffness, 0.0, law_.friction, 0.0, 0.0, 0.0}; }
  PairLaw rolling(double radius, double axial) const {
    PairLaw law = plain();
    add_rolling(law_, radius, axial, law);
    return law;
  }

  bool is_carried(int log) const { return (carried_ >> log & 1U) != 0; }

  // fixed: null: the ground.
  void resolve_log(int i, const World::Fixed* fixed, const Moving& still, std::int32_t key,
                   const Touches& touches) {
    const LogConstants& c = nth(constants_, i);
    resolve(
        rolling(c.radius, c.inertia.axial), h_, touches, log_[i].m, log_key(i), still, key, fixed,
        false, [&](const Touch& touch, int) { return inverse_mass_of_log(i, touch); },
        [&](const Touch& touch, const ContactForce& force, int slot) {
          load_log(log_[i], force.f, touch.point, force.torque);
          if (!is_carried(i)) return;
          carried_normal_[slot] += force.normal / steps_;
          note(PartRole::kHeldLog, fixed == nullptr ? Obstacle::kGround : fixed->kind,
               fixed == nullptr ? kGroundKey : fixed->object, touch, log_[i].m, still,
               force.normal);
        });
  }

  void touch_log_with_ground(int i) {
    Touches touches;
    touches_with_ground(log_[i].m, world_.ground(), world_.ground_top(), touches);
    if (touches.count > 0) resolve_log(i, nullptr, kStill, kGroundKey, touches);
  }

  void touch_log_with_fixed(int i, int k) {
    const World::Fixed& fixed = nth(fixed_, k);
    const Moving still = at_rest(fixed.shape);
    Touches touches;
    touches_of(log_[i].m, still, log_key(i), fixed_key(k), 0.0, touches);
    if (touches.count > 0) resolve_log(i, &fixed, still, fixed_key(k), touches);
  }

  void touch_logs(int i, int j) {
    Touches touches;
    touches_of(log_[i].m, log_[j].m, log_key(i), log_key(j), 0.0, touches);
    if (touches.count == 0) return;
    const LogConstants& a = nth(constants_, i);
    const LogConstants& b = nth(constants_, j);
    resolve(
        rolling(std::min(a.radius, b.radius), std::min(a.inertia.axial, b.inertia.axial)), h_,
        touches, log_[i].m, log_key(i), log_[j].m, log_key(j), nullptr, false,
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
    touches_of(log_[i].m, part_[j], log_key(i), key, h_, touches);
    if (touches.count == 0) return;
    const bool is_machine = takes_part(part.role);
    resolve(
        plain(), dt_, touches, log_[i].m, log_key(i), part_[j], key, nullptr, is_machine,
        [&](const Touch& touch, int slot) {
          return inverse_mass_of_log(i, touch) + inverse_mass_of_parts(j, -1, touch, slot);
        },
        [&](const Touch& touch, const ContactForce& force, int slot) {
          load_log(log_[i], force.f, touch.point, force.torque);
          // The grip itself is no contact with the world.
          const bool felt =
              !is_carried(i) || (part.role != PartRole::kJaw && part.role != PartRole::kHead);
          add_mean_force(force_of_slot_[slot], j, touch.point, -force.f, force.normal, felt);
          if (is_carried(i) && minds(PartRole::kHeldLog, part.role))
            note(PartRole::kHeldLog, Obstacle::kCarrier, kCarrierObject, touch, log_[i].m, part_[j],
                 force.normal);
          else if (is_machine)
            note(part.role, Obstacle::kLog, log_key(i), touch, log_[i].m, part_[j], force.normal);
        });
  }

  void touch_machine_with_fixed() {
    for (int i = 0; i < part_count_; ++i) {
      if (!takes_part(nth(parts_, i).role)) continue;
      Touches touches;
      touches_with_ground(part_[i], world_.ground(), world_.ground_top(), touches);
      meet(i, kStill, kGroundKey, nullptr, Obstacle::kGround, kGroundKey, -1, touches);
    }
    for (const Pair& pair : part_fixed_) {
      const World::Fixed& other = nth(fixed_, pair.second);
      const Moving fixed = at_rest(other.shape);
      const std::int32_t key = fixed_key(pair.second);
      Touches touches;
      touches_of(part_[pair.first], fixed, key_of_part(pair.first), key, h_, touches);
      meet(pair.first, fixed, key, &other, other.kind, other.object, -1, touches);
    }
    for (int i = 0; i < part_count_; ++i) {
      const PartRole role = nth(parts_, i).role;
      if (!minds(role, PartRole::kCarrier)) continue;
      const Box box = box_of(part_[i], kBoxMargin + kFollowed + dt_ * fastest(part_[i]));
      for (int j = 0; j < part_count_; ++j) {
        const PartRole other = nth(parts_, j).role;
        if (!minds(role, other) || !overlap(box, box_of(part_[j], 0.0))) continue;
        Touches touches;
        touches_of(part_[i], part_[j], key_of_part(i), key_of_part(j), h_, touches);
        meet(i, part_[j], key_of_part(j), nullptr, Obstacle::kCarrier, kCarrierObject, j, touches);
      }
    }
  }

  std::int32_t key_of_part(int i) const { return part_key(nth(parts_, i).id); }

  // fixed: null: it does not give. other_part: receives the opposite force; -1: none.
  void meet(int i, const Moving& other, std::int32_t other_key, const World::Fixed* fixed,
            Obstacle kind, std::int32_t object, int other_part, const Touches& touches) {
    if (touches.count == 0) return;
    resolve(
        plain(), dt_, touches, part_[i], key_of_part(i), other, other_key, fixed, true,
        [&](const Touch& touch, int slot) {
          return inverse_mass_of_parts(i, other_part, touch, slot);
        },
        [&](const Touch& touch, const ContactForce& force, int slot) {
          add_mean_force(force_of_slot_[slot], i, touch.point, force.f, force.normal);
          if (other_part >= 0)
            add_mean_force(reaction_of_slot_[slot], other_part, touch.point, -force.f,
                           force.normal);
          note(nth(parts_, i).role, kind, object, touch, part_[i], other, force.normal);
        });
  }

  // --- What the machine feels -------------------------------------------------

  int add_force(int part) {
    if (forces_.count == kMaxContacts) {
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
    if (carried_ == 0) return;
    for (int i = 0; i < used_; ++i)
      state_.machine_force = std::max(state_.machine_force, carried_normal_[i]);
  }

  // A collision begins when the two were separate for a while.
  void note(PartRole role, Obstacle kind, std::int32_t object, const Touch& touch, const Moving& a,
            const Moving& b, double normal) {
    const PartRole body = role == PartRole::kJaw ? PartRole::kHead : role;
    const std::int32_t who = static_cast<std::int32_t>(body) + 1;
    const auto k = static_cast<std::size_t>(kind);
    state_.impulse[k] += normal * h_;
    int free_slot = -1;
    for (int i = 0; i < kMaxTouches; ++i) {
      TouchState& t = state_.touch[i];
      if (t.role == who && t.object == object) {
        t.apart_s = -1.0;
        return;
      }
      if (t.role == 0 && free_slot < 0) free_slot = i;
    }
    ++state_.collisions[k];
    const Vec3 v = a.velocity_at(touch.point) - b.velocity_at(touch.point);
    state_.last_impact_speed = std::max(0.0, -v.dot(touch.normal));
    state_.last_collision_tick = state_.ticks;
    if (free_slot >= 0)
      state_.touch[free_slot] = {who, object, -1.0};
    else
      ++state_.contacts_dropped;
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
    for (int i = 0; i < log_count_; ++i) {
      log_[i].force = Vec3(0.0, 0.0, -kGravity * nth(constants_, i).mass);
      log_[i].torque = Vec3::Zero();
      log_[i].touched = false;
    }
    for (int i = 0; i < log_count_; ++i)
      if (is_free(i)) touch_log_with_ground(i);
    for (const Pair& pair : log_fixed_) touch_log_with_fixed(pair.first, pair.second);
    for (const Pair& pair : log_log_) touch_logs(pair.first, pair.second);
    for (const Pair& pair : log_part_) touch_log_with_part(pair.first, pair.second);
    forget_old();
    for (int i = 0; i < log_count_; ++i)
      if (is_free(i)) advance(i);
  }

  // Angular momentum is the integrated quantity: a free log conserves it exactly.
  void advance(int i) {
    MovingLog& log = log_[i];
    const LogConstants& c = nth(constants_, i);
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
    turn(log.q, rate(L, axis_midway));
    place_log(i);
    log.m.omega = rate(L, log.axis);
  }

  void turn(double* q, const Vec3& omega) const {
    const Vec3 w = 0.5 * h_ * omega;
    const double r[4] = {q[0] - w.x() * q[1] - w.y() * q[2] - w.z() * q[3],
                         q[1] + w.x() * q[0] + w.y() * q[3] - w.z() * q[2],
                         q[2] + w.y() * q[0] + w.z() * q[1] - w.x() * q[3],
                         q[3] + w.z() * q[0] + w.x() * q[2] - w.y() * q[1]};
    const double scale = 1.0 / std::sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    for (int k = 0; k < 4; ++k) q[k] = scale * r[k];
  }

  void store_logs() {
    for (int i = 0; i < log_count_; ++i) {
      if (!is_free(i)) continue;
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
    const LogConstants& c = nth(constants_, i);
    const double arm = 0.5 * c.length;
    return log.touched && log.m.v.norm() + arm * log.m.omega.norm() < kCalmSpeed &&
           log.force.norm() < kCalmAcceleration * c.mass &&
           arm * log.torque.norm() < kCalmAcceleration * c.inertia.transverse;
  }

  // Logs lying on each other come to rest together, and never while the machine touches them.
  void let_rest() {
    int group[kMaxLogs];
    bool ready[kMaxLogs];
    bool any = false;
    const double enough = kCalmTime / dt_;
    for (int i = 0; i < log_count_; ++i) {
      group[i] = i;
      ready[i] = false;
      if (!is_free(i)) continue;
      std::int32_t& calm = state_.log[i].calm_ticks;
      calm = is_calm(i) ? calm + 1 : 0;
      ready[i] = calm >= enough;
      any |= ready[i];
    }
    for (int i = 0; i < used_; ++i)
      if (key_[i] != 0) ++state_.contact[i].ticks;
    if (!any) return;
    const auto join = [this, &group](int a, int b) {
      const int from = std::max(group[a], group[b]);
      const int to = std::min(group[a], group[b]);
      for (int i = 0; i < log_count_; ++i)
        if (group[i] == from) group[i] = to;
    };
    for (int i = 0; i < used_; ++i) {
      const ContactState& c = state_.contact[i];
      const int a = log_of(body_a(c));
      const int b = log_of(body_b(c));
      if (a < 0) continue;
      if (b >= 0) join(a, b);
      if (c.machine != 0) ready[a] = false;
    }
    bool sleeps[kMaxLogs];
    for (int i = 0; i < log_count_; ++i) sleeps[i] = ready[i];
    for (int i = 0; i < log_count_; ++i)
      if (is_free(i) && !ready[i])
        for (int j = 0; j < log_count_; ++j)
          if (group[j] == group[i]) sleeps[j] = false;
    for (int i = 0; i < log_count_; ++i) {
      if (!sleeps[i]) continue;
      LogState& log = state_.log[i];
      log.status = LogStatus::kResting;
      for (int k = 0; k < 3; ++k) {
        log.v[k] = 0.0;
        log.omega[k] = 0.0;
      }
    }
  }

  using LogConstants = World::LogConstants;
  inline static const Moving kStill = at_rest(Capsule{});

  const World& world_;
  const std::vector<World::Fixed>& fixed_;
  const std::vector<LogConstants>& constants_;
  const ContactLaw& law_;
  std::span<const MachinePart> parts_;
  int part_count_, log_count_;
  double dt_;
  int steps_;
  double h_;
  const Mobility* mobility_;
  std::uint32_t carried_;
  WorldState& state_;
  PartForces& forces_;

  MovingLog log_[kMaxLogs];
  Moving part_[kMaxMachineShapes];
  Pairs<256> log_fixed_, part_fixed_;
  Pairs<kMaxLogs * kMaxLogs> log_log_, log_sleeper_;
  Pairs<kMaxLogs * kMaxMachineShapes> log_part_, part_sleeper_;

  std::uint64_t key_[kMaxContacts];
  bool live_[kMaxContacts];
  std::int16_t force_of_slot_[kMaxContacts], reaction_of_slot_[kMaxContacts];
  int used_ = 0;
  int next_ = 0;
  double inverse_mass_[kMaxContacts];  // of the machine at the slot [1/kg]; -1: not yet known
  double carried_normal_
      [kMaxContacts];  // mean on a carried log, of what does not belong to the machine [N]
  double weight_[kMaxContacts], mean_normal_[kMaxContacts];
};

}  // namespace

void World::step(std::span<const MachinePart> parts, double dt, WorldState& state,
                 PartForces& forces, const Mobility* mobility, std::uint32_t carried) const {
  Tick(*this, parts, dt, mobility, carried, state, forces).run();
}

}  // namespace knuckleboom::world
