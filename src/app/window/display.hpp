// Whether there is a display, and what a picture may use of the machine.
#pragma once

namespace knuckleboom::app {

// True if there is a display on which somebody could see a window.
bool somebody_watches();

// Mesa's software renderer would take every processor; one stays with the simulation, where there are enough for a
// picture as well. Before the first window.
void leave_a_processor();

}  // namespace knuckleboom::app
