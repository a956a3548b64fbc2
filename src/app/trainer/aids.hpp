// Aids that an operator has asked for in the settings, and where they are allowed.
#pragma once

#include "app/session/load_session.hpp"
#include "app/session/operator_settings.hpp"
#include "app/trainer/ghost.hpp"

namespace knuckleboom::app {

struct Aids {
  GhostKind ghost = GhostKind::kNone;
  bool coach = false;  // hints while the attempt runs
};

// None in an exam, where nothing is asked, and unless somebody drives by hand from the start.
Aids aids_of(const OperatorSettings& settings, const LoadedSession& loaded, bool by_hand);

}  // namespace knuckleboom::app
