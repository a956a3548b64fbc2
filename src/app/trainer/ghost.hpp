// Somebody else's attempt at the same exercise, to be seen beside one's own: where the crane was, and when it was
// how far. Computed before the start; the session knows nothing of it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/session/load_session.hpp"
#include "knuckleboom/core/training/session_snapshot.hpp"
#include "knuckleboom/recording/session_file.hpp"

namespace knuckleboom::app {

enum class GhostKind { kNone, kDemonstration, kOwnBest, kBestHere };

class Ghost {
 public:
  // As the snapshots of a whole attempt come, tick by tick; before the first lever movement they are left out.
  void add(const training::SessionSnapshot& now);
  bool empty() const { return frames_.empty(); }
  double length_s() const;

  // Snapshots around a time since the first lever movement that have poses of bodies and jaws only.
  struct Around {
    const training::SessionSnapshot &before, &after;
    double alpha;
  };
  Around at(double run_s);
  // How much later the own attempt was at its latest step; before the first: nothing.
  std::optional<double> gap_s(const training::SessionSnapshot& own);
  void restart();

 private:
  struct Frame {
    double t_s;
    std::array<training::PoseSnapshot, kMaxLinks> body;
    double grapple_opening;
  };
  std::vector<Frame> frames_;
  std::vector<double> step_s_;  // when each step was done, by its number from 0
  training::SessionSnapshot before_{}, after_{};
  std::int32_t own_step_ = 0;
  std::optional<double> gap_s_;
};

// The ghost of a recorded attempt. goes_on: asked from time to time. Throws io::FileError, std::invalid_argument.
Ghost ghost_of(io::SessionRecord record, std::size_t attempt, const std::function<bool()>& goes_on);

// The best passed attempt that is filed, of one learner or (empty key) of all, made under the conditions of a
// session that is about to begin. Throws UserError where there is none, io::FileError.
Ghost best_ghost(const LoadedSession& loaded, const std::string& learner_key,
                 const std::function<bool()>& goes_on);

}  // namespace knuckleboom::app
