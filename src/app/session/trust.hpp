// How far a recorded session can be believed: docs/reference/trust.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/session/comparison_key.hpp"
#include "app/session/signing.hpp"
#include "knuckleboom/recording/session_file.hpp"
#include "knuckleboom/runtime/recompute.hpp"

namespace knuckleboom::app {

inline constexpr int kFiguresOnly = 0, kWholeFile = 1, kComputedHere = 2, kSigned = 3,
                     kInvigilated = 4;

struct Trust {
  int level = kWholeFile;
  std::string why;  // why it is no higher, a sentence without a stop; empty: nothing is missing
  SignedBy signature;
};

// "T3 signed".
std::string trust_text(int level);
// "T2 computed here: it is not signed: name and date are claims".
std::string trust_text(const Trust& trust);

struct Examined {
  Trust trust;
  std::string exercise;                         // its own name; empty: this program cannot run it
  bool free = false;                            // without a task
  bool as_computed = false;                     // all that it claims was computed again and is so
  std::vector<Conditions> conditions;           // of each attempt
  std::optional<runtime::Recomputed> computed;  // if it was computed again
};

enum class Check {
  kTrustOwn,  // nothing is computed: what this computer has signed was computed by it, all else is a claim
  kCompute,
};

// Throws io::FileError, with both values, for a session that claims what its inputs do not give, whose texts
// are not those that it names, or whose signature is another content's.
Examined examine(const io::SessionRecord& record, Check check);

// A session that this program is recording, as it stands so far and as it would be believed when it is signed.
// exercise: the record's.
Examined examine_running(const io::SessionRecord& record, const training::Exercise& exercise);

}  // namespace knuckleboom::app
