// Advice of the coach on recorded attempts, in words. docs/reference/coach.md
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "coach/advice.hpp"
#include "knuckleboom/recording/session_file.hpp"

namespace knuckleboom::app {

struct CoachLine {
  std::string text;
  std::vector<double> marks_s;  // the worst occasions, in the session's time
  coach::Finding finding;
};

struct Coaching {
  std::vector<CoachLine> lines;     // advice, the most time lost first; then praise
  std::vector<std::string> seen;    // by the rules that had enough occasions
  std::vector<std::string> silent;  // of the others: which and why
};

// An attempt of a record, by its channels alone. index: from 0.
Coaching coach_attempt(const io::SessionRecord& record, std::size_t index);
// All of them; the channels are read once.
std::vector<Coaching> coach_attempts(const io::SessionRecord& record);

// The occasions of each attempt, in the session's time.
struct CoachView {
  coach::Occasions occasions;
  coach::Told told;
};
std::vector<CoachView> coach_views(const io::SessionRecord& record);

// times_s: of each sample; empty: the moments are left out.
Coaching coaching_of(const coach::Advice& advice, const std::vector<double>& times_s);

// Where the coach has nothing to say about an attempt that was not passed: which of several missed limits is nearest to
// a pass; empty: one limit at most is missed, which the result says by itself.
std::string nearest_miss(const training::Exercise& exercise, const training::Score& score);

// A sentence with its bookmarks: "... (0:12.3, 1:05.0)".
std::string coach_sentence(const CoachLine& line);
// Advice, praise, and which rules looked or could not, a line each.
std::string to_text(const Coaching& coaching);

}  // namespace knuckleboom::app
