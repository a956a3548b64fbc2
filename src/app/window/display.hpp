// Presence of a display, and processors for rendering.
#pragma once

namespace knuckleboom::app {

// True if there is a display for a window.
bool somebody_watches();

// Mesa's software renderer would use every processor; one is left for the simulation if there are
// enough. Before the first window.
void leave_a_processor();

}  // namespace knuckleboom::app
