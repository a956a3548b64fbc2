// Construction of the forest: checked, placed on the ground, ready for its ticks.
#include "knuckleboom/core/world/world.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "collide.hpp"
#include "contact_keys.hpp"
#include "contact_law.hpp"
#include "ground_point.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/math/trig.hpp"
#include "knuckleboom/core/world/closest_points.hpp"

namespace knuckleboom::world {

namespace {

constexpr std::size_t kFewFixed = 32;  // so many are looked through faster without a map
constexpr double kMapSquare = 4.0;     // m
constexpr double kMapSide = 500.0;     // squares
constexpr double kApart = 0.005;       // of logs that do not touch [m]
constexpr double kPi = 3.14159265358979323846;
constexpr double kOverlapAllowed = 0.02;  // of bodies at the start [m]
constexpr double kDepthAllowed = 0.05;    // of the machine in something at the start [m]
constexpr const char* kRoleWords[] = {"The carrier",    "The boom",          "The stick",
                                      "The head",       "The grapple's jaw", "The log in the jaws",
                                      "The load space", "The load space"};

void require(bool holds, const std::string& sentence) {
  if (!holds) throw std::invalid_argument(sentence);
}

// False for NaN too.
bool within(double x, double least, double most) { return x >= least && x <= most; }

std::string quoted(const char* what, const std::string& name) {
  return std::string(what) + " \"" + name + "\"";
}

void check_ground(const GroundRecipe& ground) {
  require(within(ground.size, 1.0, 2000.0), "The ground's size must be between 1 and 2000 m.");
  require(within(ground.spacing, 0.05, 10.0) && ground.size / ground.spacing <= 2000.0,
          "The ground's spacing must be between 0.05 and 10 m and at least a 2000th of its size.");
  require(within(ground.bump_height, 0.0, 5.0),
          "The ground's bump height must be between 0 and 5 m.");
  require(within(ground.bump_length, 2.0 * ground.spacing, 1000.0),
          "The ground's bump length must be at least twice its spacing.");
  require(within(ground.slope_x, -1.0, 1.0) && within(ground.slope_y, -1.0, 1.0),
          "The ground's slopes must be between -1 and 1.");
  require(within(ground.level_radius, 0.0, 1000.0),
          "The radius within which the ground is level must be between 0 and 1000 m.");
  for (const Ditch& ditch : ground.ditches)
    require(within(ditch.width, 4.0 * ground.spacing, 100.0) && within(ditch.depth, 0.0, 10.0),
            "A ditch must be between four times the ground's spacing and 100 m wide, and at most "
            "10 m deep.");
  for (const Stump& stump : ground.stumps)
    require(within(stump.radius, 0.01, 2.0) && within(stump.height, 0.0, 2.0),
            "A stump must have a radius between 0.01 and 2 m and a height of at most 2 m.");
}

void check_law(const ContactLaw& law) {
  require(within(law.stiffness, 1e4, 1e7),
          "The contact stiffness must be between 1e4 and 1e7 N/m.");
  require(within(law.damping_ratio, 0.0, 2.0),
          "The contact damping ratio must be between 0 and 2.");
  require(within(law.friction, 0.0, 2.0), "The friction coefficient must be between 0 and 2.");
  require(within(law.rolling_resistance, 0.0, 1.0),
          "The rolling resistance must be between 0 and 1.");
  require(within(law.soil_stiffness, 1e4, 4e6),
          "The soil's stiffness must be between 1e4 and 4e6 N/m^2.");
  require(law.wood_friction <= 2.0 && law.soil_friction <= 2.0,
          "The friction of wood and of soil must be 2 at most.");
}

void check_place(const std::string& what, double x, double y) {
  require(within(x, -1e4, 1e4) && within(y, -1e4, 1e4), what + " must stand within 10 km.");
}

void check_stem(const Stem& stem) {
  const std::string what = quoted("Stem", stem.name);
  check_place(what, stem.x, stem.y);
  require(within(stem.radius, 0.01, 2.0), what + " must have a radius between 0.01 and 2 m.");
  require(within(stem.height, 0.1, 100.0), what + " must have a height between 0.1 and 100 m.");
}

void check_bunk(const Bunk& bunk) {
  const std::string what = quoted("Bunk", bunk.name);
  check_place(what, bunk.x, bunk.y);
  require(within(bunk.heading, -100.0, 100.0), what + " must have a heading within 100 rad.");
  require(within(bunk.length, 0.3, 20.0) && within(bunk.width, 0.3, 20.0) &&
              within(bunk.height, 0.05, 10.0),
          what + " must have length and width between 0.3 and 20 m and a height of 0.05 to 10 m.");
}

void check_log(const Log& log, const ContactLaw& law) {
  const std::string what = quoted("Log", log.name);
  check_place(what, log.x, log.y);
  require(within(log.heading, -100.0, 100.0), what + " must have a heading within 100 rad.");
  require(within(log.radius, 0.02, 1.0), what + " must have a radius between 0.02 and 1 m.");
  require(within(log.length, 2.5 * log.radius, 18.0),
          what + " must be longer than 2.5 times its radius, and at most 18 m.");
  require(within(log.density, 100.0, 3000.0),
          what + " must have a density between 100 and 3000 kg/m^3.");
  require(within(log.lift, 0.0, 1000.0), what + " must be lifted by 0 to 1000 m.");
  require(mass(log) > 16.0 * law.stiffness * kSmallStep * kSmallStep,
          what + " is too light for the contact stiffness: make it heavier or the contact softer.");
}

Capsule stem_shape(const Stem& stem, const Ground& ground) {
  const double z = height(ground, stem.x, stem.y);
  return {Vec3(stem.x, stem.y, z - 1.0), Vec3(stem.x, stem.y, z + stem.height - stem.radius),
          stem.radius};
}

double overlap(const Capsule& a, const Capsule& b) {
  const ClosestPoints c = closest_points(a.a, a.b, b.a, b.b);
  return a.radius + b.radius - (c.a - c.b).norm();
}

double half_axis(const LogSize& log) { return 0.5 * log.length - log.radius; }

// Rotates x into the direction with this heading and this sine of the pitch (up positive), without
// roll.
void set_orientation(double heading, double sin_pitch, double* q) {
  const double cos_pitch = std::sqrt(std::max(0.0, 1.0 - sin_pitch * sin_pitch));
  const double c = std::sqrt(0.5 * (1.0 + cos_pitch));
  const double s = 0.5 * sin_pitch / c;
  const SinCos half = sin_cos(0.5 * heading);
  q[0] = half.cos * c;
  q[1] = half.sin * s;
  q[2] = -half.cos * s;
  q[3] = half.sin * c;
}

// Places a log on the ground: its ends follow the ground, then it is raised until it just touches.
void place_on_ground(const Log& log, const Ground& ground, LogState& state) {
  const SinCos heading = sin_cos(log.heading);
  const double half = half_axis(size_of(log));
  const auto ground_at = [&](double along) {
    return ground_point(ground, log.x + along * heading.cos, log.y + along * heading.sin);
  };
  const double rise = ground_at(half).z - ground_at(-half).z;
  const double sin_pitch = rise / std::sqrt(rise * rise + 4.0 * half * half);
  const double cos_pitch = std::sqrt(1.0 - sin_pitch * sin_pitch);
  double z = -1e9;
  for (int i = 0; i <= 16; ++i) {
    const double along = half * (i / 8.0 - 1.0);
    const GroundPoint point = ground_at(along * cos_pitch);
    z = std::max(z, point.z + log.radius / point.normal.z() - along * sin_pitch);
  }
  state.p[0] = log.x;
  state.p[1] = log.y;
  state.p[2] = z;
  set_orientation(log.heading, sin_pitch, state.q);
  // Between these places it may reach higher.
  constexpr int kRounds = 3;
  constexpr double kSlight = 1e-6;
  for (int i = 0; i < kRounds && ground.nx > 1; ++i) {
    double most = 0.0;
    Touches touches;
    touches_along_ground(at_rest(log_shape(log, state)), ground, 1e9, touches);
    for (int t = 0; t < touches.count; ++t)
      most = std::max(most, touches.touch[t].depth / touches.touch[t].normal.z());
    if (most > kSlight) state.p[2] += most;
  }
  state.p[2] += log.lift;
}

// Whether the ground under a log is steeper than what holds it, in the mean over its length.
bool slips_away(const Log& log, const Ground& ground, const ContactLaw& law) {
  const SinCos heading = sin_cos(log.heading);
  const double half = half_axis(size_of(log));
  double down = 0.0, across = 0.0;
  constexpr int kSamples = 9;
  for (int i = 0; i < kSamples; ++i) {
    const double along = (2.0 * i / (kSamples - 1) - 1.0) * half;
    const Vec3 n =
        smooth_ground_point(ground, log.x + along * heading.cos, log.y + along * heading.sin)
            .normal;
    down += (n.x() * heading.cos + n.y() * heading.sin) / (kSamples * n.z());
    across += (n.y() * heading.cos - n.x() * heading.sin) / (kSamples * n.z());
  }
  const double friction = friction_of(law, law.soil_friction);
  return std::fabs(across) > std::min(friction, law.rolling_resistance) ||
         std::fabs(down) > friction;
}

}  // namespace

double mass(const LogSize& log) { return kPi * log.radius * log.radius * log.length * log.density; }
double mass(const Log& log) { return mass(size_of(log)); }

bool can_be_log(const LogSize& log, double contact_stiffness) {
  return within(log.radius, 0.02, 1.0) && within(log.length, 2.5 * log.radius, 18.0) &&
         mass(log) > 16.0 * contact_stiffness * kSmallStep * kSmallStep;
}

LogInertia inertia(const LogSize& log) {
  const double m = mass(log);
  const double rr = log.radius * log.radius;
  return {0.5 * m * rr, m * (3.0 * rr + log.length * log.length) / 12.0};
}

bool LogSet::empty() const {
  return std::all_of(std::begin(bits_), std::end(bits_), [](std::uint64_t b) { return b == 0; });
}

int LogSet::count() const {
  int n = 0;
  for (const std::uint64_t bits : bits_) n += std::popcount(bits);
  return n;
}

void find_extent(WorldState& state) {
  state.contacts.end = kMaxContacts;
  trim_extent(state);
}

void copy_used(const WorldState& from, WorldState& to) {
  const std::int64_t end = std::max(from.contacts.end, to.contacts.end);
  std::memcpy(static_cast<void*>(&to), &from,
              offsetof(WorldState, contact) + static_cast<std::size_t>(end) * sizeof(ContactState));
}

int log_of_contact(const ContactState& contact) { return log_of(body_a(contact)); }

int other_log_of_contact(const ContactState& contact) { return log_of(body_b(contact)); }

int part_of_contact(const ContactState& contact) {
  const std::int32_t part = body_b(contact) - kFirstPartKey;
  return contact.key_a != 0 && part >= 0 && log_of(body_b(contact)) < 0 ? part : -1;
}

World::LogConstants World::constants_of(const LogSize& log) {
  return {mass(log), half_axis(log), log.radius, log.length, inertia(log)};
}

Capsule log_shape(const LogSize& log, const LogState& state) {
  const Vec3 p(state.p[0], state.p[1], state.p[2]);
  const Vec3 reach = half_axis(log) * axis_of(state.q);
  return {p - reach, p + reach, log.radius};
}

std::array<Capsule, kBunkParts> bunk_parts(const Bunk& bunk, const Ground& ground) {
  const SinCos heading = sin_cos(bunk.heading);
  const Vec3 along(heading.cos, heading.sin, 0.0);
  const Vec3 across(-heading.sin, heading.cos, 0.0);
  const double half_width = 0.5 * bunk.width + kStakeRadius;
  const auto place = [&](double a, double c) {
    return Vec3(Vec3(bunk.x, bunk.y, 0.0) + 0.5 * a * bunk.length * along +
                c * half_width * across);
  };
  double z = -1e9;
  for (const double a : {-1.0, 1.0})
    for (const double c : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
      const Vec3 p = place(a, c);
      z = std::max(z, height(ground, p.x(), p.y()));
    }
  const Vec3 up = Vec3::UnitZ();
  const double beam = z + kBeamRadius;
  std::array<Capsule, kBunkParts> parts;
  int n = 0;
  for (const double a : {-1.0, 1.0})
    parts[n++] = {place(a, -1.0) + beam * up, place(a, 1.0) + beam * up, kBeamRadius};
  for (const double a : {-1.0, 1.0})
    for (const double c : {-1.0, 1.0})
      parts[n++] = {place(a, c) + z * up, place(a, c) + (beam + kBeamRadius + bunk.height) * up,
                    kStakeRadius};
  return parts;
}

World::World(WorldRecipe recipe) : recipe_(std::move(recipe)) {
  check_ground(recipe_.ground);
  check_law(recipe_.contact);
  for (const Stem& stem : recipe_.stems) check_stem(stem);
  for (const Bunk& bunk : recipe_.bunks) check_bunk(bunk);
  for (const Log& log : recipe_.logs) check_log(log, recipe_.contact);
  require(recipe_.logs.size() <= static_cast<std::size_t>(kMaxLogs),
          "There may be " + std::to_string(kMaxLogs) + " logs at most.");
  require(recipe_.stems.size() + recipe_.ground.stumps.size() + kBunkParts * recipe_.bunks.size() <=
              static_cast<std::size_t>(kMaxFixed),
          "There are too many stems, stumps and bunks: at most " + std::to_string(kMaxFixed) +
              ", a bunk counting as six.");

  ground_ = make_ground(recipe_.ground);
  for (const double z : ground_.height) ground_top_ = std::max(ground_top_, z);
  ground_level_ = level_within(recipe_.ground);
  const auto add = [this](const Capsule& shape, Obstacle kind, int object) {
    const Vec3 r = Vec3::Constant(shape.radius);
    fixed_.push_back(
        {shape, shape.a.cwiseMin(shape.b) - r, shape.a.cwiseMax(shape.b) + r, kind, object});
  };
  int object = kFirstFixedKey;
  for (const Stem& stem : recipe_.stems) {
    add(stem_shape(stem, ground_), Obstacle::kStem, object++);
    const double r2 = stem.radius * stem.radius;
    fixed_.back().bending = 3.0 * kStemModulus * 0.25 * kPi * r2 * r2;
    fixed_.back().foot_z = height(ground_, stem.x, stem.y);
  }
  for (const Stump& stump : recipe_.ground.stumps)
    add(stem_shape({{}, stump.x, stump.y, stump.height, stump.radius}, ground_), Obstacle::kStem,
        object++);
  for (const Bunk& bunk : recipe_.bunks) {
    for (const Capsule& part : bunk_parts(bunk, ground_)) add(part, Obstacle::kBunk, object);
    ++object;
  }
  first_spare_ = log_count();
  for (int i = 0; i < log_count(); ++i) {
    const Log& log = nth(recipe_.logs, i);
    log_constants_.push_back(constants_of(size_of(log)));
    if (log.spare) first_spare_ = std::min(first_spare_, i);
    require(log.spare || i < first_spare_, "The spare logs must be the last ones.");
  }

  map_fixed();
  const WorldState start = initial_state();
  check_moving(start);
  for (int i = 0; i < log_count(); ++i) {
    const Log& log = nth(recipe_.logs, i);
    if (log.spare) break;
    const Capsule shape = log_shape(log, start.log[i]);
    for (const Fixed& fixed : fixed_)
      require(overlap(shape, fixed.shape) < kOverlapAllowed,
              quoted("Log", log.name) + " starts inside a " +
                  (fixed.kind == Obstacle::kStem ? "stem" : "bunk") + ": move or lift it.");
    for (int j = 0; j < i; ++j) {
      const Log& other = nth(recipe_.logs, j);
      require(overlap(shape, log_shape(other, start.log[j])) < kOverlapAllowed,
              quoted("Log", log.name) + " starts inside " + quoted("log", other.name) +
                  ": move or lift it.");
    }
  }
}

void World::map_fixed() {
  if (fixed_.size() <= kFewFixed) return;
  FixedMap& map = fixed_map_;
  Vec3 low = fixed_.front().low, high = fixed_.front().high;
  for (const Fixed& fixed : fixed_) {
    low = low.cwiseMin(fixed.low);
    high = high.cwiseMax(fixed.high);
  }
  map.edge =
      std::max({kMapSquare, (high.x() - low.x()) / kMapSide, (high.y() - low.y()) / kMapSide});
  map.x0 = low.x();
  map.y0 = low.y();
  const auto square = [&map](double way) { return static_cast<int>(way / map.edge); };
  map.nx = square(high.x() - low.x()) + 1;
  map.ny = square(high.y() - low.y()) + 1;
  const auto count = static_cast<std::size_t>(map.nx) * static_cast<std::size_t>(map.ny);
  std::vector<std::vector<std::int16_t>> within(count);
  for (std::size_t k = 0; k < fixed_.size(); ++k)
    for (int iy = square(fixed_[k].low.y() - low.y()); iy <= square(fixed_[k].high.y() - low.y());
         ++iy)
      for (int ix = square(fixed_[k].low.x() - low.x()); ix <= square(fixed_[k].high.x() - low.x());
           ++ix)
        nth(within, iy * map.nx + ix).push_back(static_cast<std::int16_t>(k));
  for (const std::vector<std::int16_t>& some : within) {
    map.first.push_back(static_cast<std::int32_t>(map.index.size()));
    map.index.insert(map.index.end(), some.begin(), some.end());
  }
  map.first.push_back(static_cast<std::int32_t>(map.index.size()));
}

// A tick has time for so many: of those that touch each other one wakes all.
void World::check_moving(const WorldState& start) const {
  const std::string most = std::to_string(kMaxMoving);
  int free = 0;
  std::vector<int> group(static_cast<std::size_t>(log_count())), size(group.size(), 1);
  for (int i = 0; i < first_spare_; ++i) {
    free += start.log[i].status == LogStatus::kFree ? 1 : 0;
    nth(group, i) = i;
    const Capsule shape = log_shape(nth(recipe_.logs, i), start.log[i]);
    for (int j = 0; j < i; ++j) {
      const Capsule other = log_shape(nth(recipe_.logs, j), start.log[j]);
      const int one = nth(group, i), two = nth(group, j);
      if (one == two || overlap(shape, other) < -kApart) continue;
      for (int k = 0; k <= i; ++k)
        if (nth(group, k) == one) nth(group, k) = two;
      nth(size, two) += nth(size, one);
      require(nth(size, two) <= kMaxMoving, "More than " + most + " logs touch each other, " +
                                                quoted("log", nth(recipe_.logs, i).name) +
                                                " among them: at most " + most +
                                                " may move at once; make several piles of them.");
    }
  }
  require(free <= kMaxMoving, std::to_string(free) + " logs would move at the start: at most " +
                                  most + " may; lay the others on level ground.");
}

WorldState World::initial_state() const {
  WorldState state{};
  for (int i = 0; i < log_count(); ++i) {
    const Log& log = nth(recipe_.logs, i);
    if (log.spare) {
      state.log[i].q[0] = 1.0;
      state.log[i].status = LogStatus::kAbsent;
      continue;
    }
    place_on_ground(log, ground_, state.log[i]);
    state.log[i].status = log.lift > 0.0 || slips_away(log, ground_, recipe_.contact)
                              ? LogStatus::kFree
                              : LogStatus::kResting;
  }
  state.last_collision_tick = -1;
  return state;
}

std::string World::start_objection(std::span<const MachinePart> parts,
                                   const WorldState& state) const {
  const auto inside = [](const MachinePart& part, const std::string& other, double depth) {
    return std::string(kRoleWords[static_cast<int>(part.role)]) + " starts " +
           std::to_string(std::lround(1e3 * depth)) + " mm deep inside " + other +
           ": start the machine in another pose or move what it touches.";
  };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const MachinePart& part = parts[i];
    const Capsule& shape = part.shape;
    for (int log = 0; log < first_spare_; ++log)
      if (const double depth = overlap(shape, log_shape(nth(recipe_.logs, log), state.log[log]));
          depth > kDepthAllowed && part.role != PartRole::kHeldLog)
        return inside(part, quoted("log", nth(recipe_.logs, log).name), depth);
    for (std::size_t k = 0; k < parts.size(); ++k)
      if (minds(part.role, parts[k].role))
        if (const double depth = overlap(shape, parts[k].shape); depth > kDepthAllowed)
          return inside(part,
                        is_load_space(parts[k].role) ? "the machine's own load space"
                                                     : "the machine's own carrier",
                        depth);
    for (const Fixed& fixed : fixed_)
      if (!meets(part, fixed.kind))
        continue;
      else if (const double depth = overlap(shape, fixed.shape); depth > kDepthAllowed)
        return inside(part, fixed.kind == Obstacle::kStem ? "a stem" : "a bunk", depth);
    if (!takes_part(part.role)) continue;
    Touches touches;
    const Moving still = at_rest(shape);
    touches_with_ground(still, ground_, ground_top_, touches);
    for (int t = 0; t < touches.count; ++t)
      if (touches.touch[t].depth > kDepthAllowed)
        return inside(part, "the ground", touches.touch[t].depth);
  }
  return {};
}

void World::hold(int log, WorldState& state) const {
  if (log < 0 || log >= log_count()) return;
  // Logs below or above it must find a new balance.
  if (state.log[log].status == LogStatus::kResting) wake(log, log_count(), state);
  state.log[log].status = LogStatus::kHeld;
  state.log[log].calm_ticks = 0;
  for (std::int64_t n = 0; n < state.contacts.end; ++n) {
    ContactState& c = state.contact[n];
    const int a = log_of(body_a(c));
    const int b = log_of(body_b(c));
    if (a == log || b == log) c = ContactState{};
  }
  trim_extent(state);
}

void World::release(int log, const Vec3& v_W, const Vec3& omega_W, WorldState& state) const {
  if (log < 0 || log >= log_count()) return;
  LogState& released = state.log[log];
  released.status = LogStatus::kFree;
  released.calm_ticks = 0;
  for (int k = 0; k < 3; ++k) {
    released.v[k] = v_W[k];
    released.omega[k] = omega_W[k];
  }
}

}  // namespace knuckleboom::world
