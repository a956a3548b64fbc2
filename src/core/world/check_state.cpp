#include <cmath>

#include "contact_keys.hpp"
#include "knuckleboom/core/world/world.hpp"

namespace knuckleboom::world {
namespace {

constexpr double kUnit = 1e-6;          // by which a quaternion's square may be off
constexpr std::int32_t kMostId = 4096;  // of a part of the machine

// Ground, a log that there is, something fixed, or a part of the machine.
bool is_body(const World& world, std::int32_t key) {
  const int log = log_of(key);
  if (log >= 0) return log < world.log_count();
  return key >= kGroundKey && key < kFirstPartKey + kMostId &&
         (key < kFirstLogKey || key >= kFirstFixedKey);
}

std::string at(const char* field, int index, const char* member) {
  return std::string(field) + '[' + std::to_string(index) + "]." + member;
}

}  // namespace

std::string check_state(const World& world, const WorldState& state) {
  for (int i = 0; i < world.log_count(); ++i) {
    double square = 0.0;
    for (const double q : state.log[i].q) square += q * q;
    if (!(std::fabs(square - 1.0) <= kUnit))
      return state::objection(at("log", i, "q"), std::sqrt(square),
                              "as an orientation it must have length 1");
  }
  for (int i = 0; i < kMaxContacts; ++i) {
    const ContactState& contact = state.contact[i];
    if (contact.key_a == 0 && contact.key_b == 0) continue;
    for (const bool b : {false, true})
      if (contact.key_a == 0 || !is_body(world, b ? body_b(contact) : body_a(contact)))
        return state::objection(at("contact", i, b ? "key_b" : "key_a"),
                                b ? contact.key_b : contact.key_a, "nothing there has that key");
    if (i >= state.contacts.end || i >= world.contact_room())
      return state::objection(at("contact", i, "key_a"), contact.key_a,
                              "contacts end before that place");
  }
  if (state.last_collision_tick > state.ticks)
    return state::objection("last_collision_tick", static_cast<double>(state.last_collision_tick),
                            "that tick is still to come");
  return {};
}

}  // namespace knuckleboom::world
