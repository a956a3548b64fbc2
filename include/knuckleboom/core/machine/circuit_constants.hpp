// Constants of the actuators' circuits for a step of fixed length.
#pragma once

#include "knuckleboom/core/hydraulics/stage_constants.hpp"

namespace knuckleboom::machine {

// Constants of one actuator's circuit for the stage weights in use.
struct ActuatorConstants {
  hydraulics::StageConstants now;    // weight 0: instantaneous relations
  hydraulics::StageConstants sdirk;  // gamma h
  hydraulics::StageConstants half;   // h / 2, leakage and protective flow at the end of the step
};

// Share of their remaining travel that the lagging parts of a valve section cover in a tick.
struct SectionLags {
  double compensator, load_check, holding[2];
};

}  // namespace knuckleboom::machine
