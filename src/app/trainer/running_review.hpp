// A look at the session that runs, by its journal, while the picture goes on: what the result card and the coach's hints
// are made from. Each look is on a thread of its own, one at a time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <future>
#include <optional>
#include <string>

#include "app/session/coaching.hpp"
#include "app/trainer/learning.hpp"

namespace knuckleboom::app {

struct ReviewQuestion {
  std::filesystem::path journal;
  std::size_t attempt = 0;  // from 0
  training::TaskPhase phase = training::TaskPhase::kReady;
  const training::Exercise* exercise = nullptr;  // until the answer is there
  bool advised = false;
  std::string learner_id;  // whose standing with this session is wanted; empty: nobody's
};

struct Review {
  std::size_t attempt = 0;
  training::TaskPhase phase = training::TaskPhase::kReady;
  bool written = false;  // the journal has that attempt in that phase
  Coaching coaching;
  std::optional<Learning> learning;
};

class RunningReview {
 public:
  ~RunningReview() { drop(); }
  // Nothing while a look is under way.
  void ask(ReviewQuestion question);
  // The answer, once.
  std::optional<Review> take();
  // Waits for the look that is under way; its answer is not wanted any more.
  void drop();

 private:
  std::future<Review> under_way_;
};

}  // namespace knuckleboom::app
