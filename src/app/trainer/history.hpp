// Lines of the result card on a learner's earlier attempts under equal conditions.
#pragma once

#include <string>
#include <vector>

#include "knuckleboom/core/training/exercise.hpp"
#include "learners/database.hpp"
#include "view/panels/history.hpp"

namespace knuckleboom::app {

// sessions: in the order of time; the last attempt of the last one is the one on the card. Curve: keys equal but
// for the variant; the last three: equal keys. docs/reference/trust.md
view::panels::History history_of(const std::vector<learners::FiledSession>& sessions,
                                 const training::Exercise& exercise);

}  // namespace knuckleboom::app
