// Contents of the operator's display of a harvester's head.
#pragma once

#include "knuckleboom/core/training/session.hpp"
#include "view/panels/head_display.hpp"

namespace knuckleboom::app {

view::panels::HeadDisplay head_display(const training::Session& session,
                                       const training::SessionSnapshot& now);

}  // namespace knuckleboom::app
