#include "fmu/instance.hpp"

#include <cmath>
#include <cstring>
#include <type_traits>

#include <fmt/format.h>
#include <xmmintrin.h>

#include "knuckleboom/io/user_error.hpp"

namespace knuckleboom::fmu {
namespace {

using fmi::Causality;

// Share of a tick allowed in points of time that the importer has added up.
constexpr double kTickSlack = 1e-3;

// Equal bits want rounding to nearest and denormal numbers, whatever the importer has set.
class Rounding {
 public:
  Rounding() : before_(_mm_getcsr()) {
    constexpr unsigned kModes = 0xFFC0U, kUsual = 0x1F80U;
    changed_ = (before_ & kModes) != kUsual;
    if (changed_) _mm_setcsr(kUsual);
  }
  ~Rounding() {
    if (changed_) _mm_setcsr(before_);
  }
  Rounding(const Rounding&) = delete;
  Rounding& operator=(const Rounding&) = delete;

 private:
  unsigned before_;
  bool changed_;
};

constexpr std::string_view kMagic = "knuckleboom FMU state 1\n";

template <class T>
void append(std::string& to, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}
template <class T>
void append(std::string& to, const std::vector<T>& values) {
  to.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}
template <class T>
void take(std::string_view& from, T* to, std::size_t count) {
  const std::size_t size = count * sizeof(T);
  if (from.size() < size) throw UserError("the bytes of the state are cut short");
  std::memcpy(to, from.data(), size);
  from.remove_prefix(size);
}

}  // namespace

struct Instance::Saved {
  Phase phase;
  bool has_stop, begun;
  double start, stop;
  std::int64_t tick;
  std::vector<double> values;
  std::vector<char> given;
  std::shared_ptr<const fmi::Part::State> state;
};

Instance::Instance(const std::filesystem::path& resources, std::string_view token, Log log)
    : facts_(fmi::read_facts(resources)), log_(std::move(log)) {
  const Rounding rounding;
  if (token != facts_.token)
    throw UserError(
        fmt::format("the FMU was exported with the token {}, but is instantiated with {}",
                    facts_.token, token));
  part_ = fmi::open_part(resources, facts_);
  reset();
}

Status Instance::fail(const char* message) noexcept {
  phase_ = Phase::kFailed;
  try {
    log_(Status::kError, message);
  } catch (...) {  // no memory for the message: the status says it
  }
  return Status::kError;
}

Status Instance::discard(const std::string& message) noexcept {
  try {
    log_(Status::kDiscard, message);
  } catch (...) {  // likewise
  }
  return Status::kDiscard;
}

void Instance::expect(bool allowed, const char* call) const {
  if (allowed) return;
  constexpr const char* kPhases[] = {"before its initialization", "in its initialization",
                                     "while it is stepped", "after its end", "after an error"};
  throw UserError(
      fmt::format("an FMU cannot {} {}", call, kPhases[static_cast<std::size_t>(phase_)]));
}

const fmi::Variable& Instance::variable(unsigned number) const {
  if (number >= part_->variables().size())
    throw UserError(fmt::format("there is no variable {}; they go from 0 to {}", number,
                                part_->variables().size() - 1));
  return part_->variables()[number];
}

void Instance::setup(double start, bool has_stop, double stop) {
  expect(phase_ == Phase::kInstantiated, "be set up");
  start_ = start;
  has_stop_ = has_stop;
  stop_ = stop;
}

void Instance::begin() {
  if (begun_) return;
  const Rounding rounding;
  fmi::Parameters changed;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const fmi::Variable& one = part_->variables()[i];
    if (one.causality == Causality::kParameter && values_[i] != *one.start)
      changed.emplace_back(i, values_[i]);
  }
  part_->begin(changed);
  for (std::size_t i = 0; i < values_.size(); ++i)
    if (given_[i] != 0) part_->set(i, values_[i]);
  begun_ = true;
}

void Instance::enter_initialization() {
  expect(phase_ == Phase::kInstantiated, "enter its initialization");
  begin();
  phase_ = Phase::kInitialization;
}

void Instance::exit_initialization() {
  expect(phase_ == Phase::kInitialization, "leave an initialization");
  begin();
  phase_ = Phase::kStep;
}

void Instance::terminate() {
  expect(phase_ == Phase::kStep, "be terminated");
  phase_ = Phase::kTerminated;
}

void Instance::reset() {
  phase_ = Phase::kInstantiated;
  start_ = stop_ = 0.0;
  has_stop_ = begun_ = false;
  tick_ = 0;
  values_.assign(part_->variables().size(), 0.0);
  given_.assign(values_.size(), 0);
  for (std::size_t i = 0; i < values_.size(); ++i)
    values_[i] = part_->variables()[i].start.value_or(0.0);
}

double Instance::time() const { return start_ + static_cast<double>(tick_) * part_->tick_s(); }

void Instance::get(const unsigned* variables, std::size_t count, double* values) {
  if (phase_ == Phase::kFailed) expect(false, "be read");
  if (phase_ == Phase::kInstantiated || phase_ == Phase::kInitialization) begin();
  for (std::size_t i = 0; i < count; ++i) {
    const fmi::Variable& one = variable(variables[i]);
    if (one.text)
      throw UserError(fmt::format("variable {}, '{}', is no number", variables[i], one.name));
    switch (one.causality) {
      case Causality::kIndependent:
        values[i] = time();
        break;
      case Causality::kInput:
      case Causality::kParameter:
        values[i] = values_[variables[i]];
        break;
      case Causality::kOutput:
      case Causality::kLocal:
        values[i] = part_->get(variables[i]);
        break;
    }
  }
}

void Instance::get(const unsigned* variables, std::size_t count, const char** values) {
  if (phase_ == Phase::kFailed) expect(false, "be read");
  if (phase_ == Phase::kInstantiated || phase_ == Phase::kInitialization) begin();
  texts_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const fmi::Variable& one = variable(variables[i]);
    if (!one.text)
      throw UserError(fmt::format("variable {}, '{}', is no text", variables[i], one.name));
    texts_[i] = part_->text(variables[i]);
  }
  for (std::size_t i = 0; i < count; ++i) values[i] = texts_[i].c_str();
}

void Instance::set(const unsigned* variables, std::size_t count, const double* values) {
  const bool early = phase_ == Phase::kInstantiated || phase_ == Phase::kInitialization;
  expect(early || phase_ == Phase::kStep, "take a value");
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned number = variables[i];
    const fmi::Variable& one = variable(number);
    const bool parameter = one.causality == Causality::kParameter;
    if (!parameter && one.causality != Causality::kInput)
      throw UserError(
          fmt::format("'{}' cannot be set: it is neither an input nor a parameter", one.name));
    if (!std::isfinite(values[i]))
      throw UserError(fmt::format("'{}' cannot be set to {}", one.name, values[i]));
    if (parameter && !early)
      throw UserError(
          fmt::format("parameter '{}' is fixed: set it before the initialization ends", one.name));
    if (parameter && values_[number] != values[i]) begun_ = false;
    values_[number] = values[i];
    if (parameter) continue;
    given_[number] = 1;
    if (begun_) part_->set(number, values[i]);
  }
}

void Instance::refuse_type(const char* type) {
  throw UserError(fmt::format("the FMU has no variable of type {}", type));
}

Status Instance::step(double now, double length) {
  expect(phase_ == Phase::kStep, "do a step");
  const Rounding rounding;
  const double tick = part_->tick_s();
  if (!(std::fabs(now - time()) <= kTickSlack * tick))
    throw UserError(
        fmt::format("a step from {} s is asked for, but the FMU is at {} s", now, time()));
  const double exact = length / tick;
  const double ticks = std::round(exact);
  if (!(ticks >= 1.0 && std::fabs(exact - ticks) <= kTickSlack && ticks < 9e15))
    return discard(fmt::format(
        "a step of {} s is no whole number of ticks; this FMU steps by multiples of {} s", length,
        tick));
  if (has_stop_ && now + length > stop_ + kTickSlack * tick)
    throw UserError(
        fmt::format("a step to {} s goes beyond the stop time of {} s", now + length, stop_));
  part_->step(static_cast<std::int64_t>(ticks));
  tick_ += static_cast<std::int64_t>(ticks);
  return Status::kOk;
}

// --- States -------------------------------------------------------------------

Instance::Saved* Instance::save() const {
  return new Saved{phase_,  has_stop_, begun_,
                   start_,  stop_,     tick_,
                   values_, given_,    begun_ ? part_->save() : nullptr};
}

void Instance::restore(const Saved& saved) {
  phase_ = saved.phase;
  has_stop_ = saved.has_stop;
  start_ = saved.start;
  stop_ = saved.stop;
  tick_ = saved.tick;
  values_ = saved.values;
  given_ = saved.given;
  begun_ = false;
  if (!saved.begun) return;
  begin();
  part_->restore(*saved.state);
}

std::string Instance::bytes(const Saved& saved) const {
  std::string out(kMagic);
  out += facts_.token;
  append(out, saved.phase);
  append(out, saved.has_stop);
  append(out, saved.begun);
  append(out, saved.start);
  append(out, saved.stop);
  append(out, saved.tick);
  append(out, saved.values);
  append(out, saved.given);
  if (saved.begun) out += part_->bytes(*saved.state);
  return out;
}

Instance::Saved* Instance::from_bytes(std::string_view bytes) {
  const std::string head = std::string(kMagic) + facts_.token;
  if (!bytes.starts_with(kMagic)) throw UserError("the bytes are no state of such an FMU");
  if (!bytes.starts_with(head)) throw UserError("the state is that of another FMU");
  bytes.remove_prefix(head.size());
  auto saved = std::make_unique<Saved>();
  take(bytes, &saved->phase, 1);
  std::uint8_t flags[2];
  take(bytes, flags, 2);
  saved->has_stop = flags[0] != 0;
  saved->begun = flags[1] != 0;
  take(bytes, &saved->start, 1);
  take(bytes, &saved->stop, 1);
  take(bytes, &saved->tick, 1);
  saved->values.resize(values_.size());
  saved->given.resize(given_.size());
  take(bytes, saved->values.data(), saved->values.size());
  take(bytes, saved->given.data(), saved->given.size());
  if (saved->phase > Phase::kFailed || saved->tick < 0)
    throw UserError("the bytes of the state are damaged");
  if (!saved->begun) {
    if (!bytes.empty()) throw UserError("the bytes of the state are damaged");
    return saved.release();
  }
  // The state belongs to the parameters it was saved with.
  const std::unique_ptr<Saved> mine(save());
  Saved there = *saved;
  there.begun = false;
  restore(there);
  try {
    begin();
    saved->state = part_->from_bytes(std::string(bytes));
  } catch (...) {
    restore(*mine);
    throw;
  }
  restore(*mine);
  return saved.release();
}

void Instance::write_bytes(const Saved& saved, void* to, std::size_t room) const {
  const std::string all = bytes(saved);
  if (room < all.size())
    throw UserError(fmt::format("the state has {} bytes; there is room for {}", all.size(), room));
  std::memcpy(to, all.data(), all.size());
}

void Instance::free(Saved* saved) noexcept { delete saved; }

const Instance::Saved& Instance::given(const Saved* saved) {
  if (saved == nullptr) throw UserError("there is no state");
  return *saved;
}

}  // namespace knuckleboom::fmu
