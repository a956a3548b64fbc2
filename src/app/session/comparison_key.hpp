// Conditions that must be equal for two attempts to be compared: docs/reference/trust.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "knuckleboom/core/training/exercise.hpp"
#include "knuckleboom/recording/session_file.hpp"

namespace knuckleboom::app {

struct Condition {
  std::string what;
  std::string
      value;  // what is compared: of a file the digest of its text and of those it builds on
  std::string shown;     // for people
  bool changed = false;  // while the attempt ran
};
// In a fixed order.
using Conditions = std::vector<Condition>;
// exercise: of the record. attempt: its number in the record, from 0.
Conditions conditions_of(const io::SessionRecord& record, const training::Exercise& exercise,
                         std::size_t attempt);
// The tick of the first lever movement; nothing: there was none.
std::optional<std::int64_t> first_movement(const io::SessionRecord& record,
                                           const io::SessionAttempt& attempt);

// SHA-256 of all of them, and of all but the variant.
std::string key_of(const Conditions& conditions);
std::string curve_key_of(const Conditions& conditions);

// "machine: harvester (1a2b3c4d) and forwarder (5e6f7a8b)" for each that differs.
std::vector<std::string> differing(const Conditions& a, const Conditions& b);

}  // namespace knuckleboom::app
