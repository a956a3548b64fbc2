// A recorded session computed again from its inputs, from its first tick on: what was recorded by a program
// whose states this one cannot read can then be replayed, sought in, judged and taken over as any other.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "knuckleboom/recording/session_file.hpp"

namespace knuckleboom::runtime {

struct Recomputed {
  io::SessionRecord record;  // with states, hashes, channels, events and attempts of this program
  std::string sentence;      // how far it is from what was recorded
};

// go_on: asked now and then; false ends it. Throws io::FileError: a session that was taken over from another
// one and whose first state cannot be read, no room for a temporary file, ended.
Recomputed recompute(const io::SessionRecord& recorded, const std::function<bool()>& go_on = {});

// Claims of a recording that its inputs do not give.
struct FalseClaims {
  std::vector<std::string> sentences;  // empty: none
  bool other_states = false;           // a hash of a state is among them
};
// Results and figures of attempts, events, hashes, channels and states, a sentence for the first of each,
// with both. computed: by recompute() from the same recording. Of a recording that was cut off only attempts
// that have ended are compared.
FalseClaims false_claims(const io::SessionRecord& recorded, const io::SessionRecord& computed);

}  // namespace knuckleboom::runtime
