#include "app/trainer/aids.hpp"

#include <cmath>

namespace knuckleboom::app {

Aids aids_of(const OperatorSettings& settings, const LoadedSession& loaded, bool by_hand) {
  Aids out;
  if (!by_hand || loaded.choice.variant || loaded.exercise().task == training::TaskKind::kFree)
    return out;
  const auto value = [&settings](const char* name) {
    const auto found = settings.find(name);
    return found == settings.end() ? 0L : std::lround(found->second);
  };
  out.ghost = static_cast<GhostKind>(value(kGhost));
  out.coach = value(kCoach) != 0;
  return out;
}

}  // namespace knuckleboom::app
