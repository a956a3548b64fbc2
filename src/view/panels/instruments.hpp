// The instruments around the view. They leave its middle free.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "knuckleboom/core/training/session_snapshot.hpp"
#include "view/panels/head_display.hpp"
#include "view/panels/painter.hpp"

namespace knuckleboom::view::panels {

enum class InstrumentLevel { kFull, kCompact, kOff };

// Constant data of a session.
struct ActuatorFace {
  std::string name;
  double relief_Pa = 25e6;
  double spool_full_V = 10.0;
};
struct JointFace {
  std::string name;
  bool revolute = true;
  double lower = 0.0, upper = 0.0;  // equal: no limits
  double shown = 1.0;  // for 1 of the joint: with the sections that a chain draws along
};
struct InstrumentFaces {
  std::string machine, exercise;
  double pump_full_W = 50e3;
  bool grapple = true;  // the machine has one
  bool load_space = false;
  bool wheels = false;
  std::vector<std::string> lever_modes;  // none: only one
  int swing = -1;  // joint from whose body the tip's reach counts; -1: from the world's origin
  std::vector<ActuatorFace> actuators;
  std::vector<JointFace> joints;
  std::array<std::string, command::kLeverAxes> lever_function;  // empty: axis not used
};

// A figure of the score as text.
struct FigureRow {
  enum class Verdict { kNoLimit, kWithin, kBeyond };
  std::string label, value, limit;
  Verdict verdict = Verdict::kNoLimit;
};

// Timing of the program.
struct TimingFace {
  double rate_Hz = 0.0;
  std::int64_t overruns = 0;
  double lost_s = 0.0;
  double lateness_p50_us = 0.0, lateness_p99_us = 0.0, lateness_max_us = 0.0;
  double tick_us = 0.0;
  double frames_per_s = 0.0;
  double picture_latency_ms = -1.0;  // from a lever event to its frame; below 0: none yet
};

struct InstrumentReadings {
  std::string task;  // "Log 3 of 8: bring it to the red bunk"
  std::string mode, fidelity, held;
  std::string session;  // learner of the session, or the kind of view
  std::vector<FigureRow> figures;
  TimingFace timing;
  HeadDisplay head;
};

void draw_instruments(Painter& painter, InstrumentLevel level, const InstrumentFaces& faces,
                      const training::SessionSnapshot& now, const InstrumentReadings& readings);

// The upper left corner of the free area [points].
struct FreeCorner {
  float x = 0.0F, y = 0.0F;
};
FreeCorner free_corner(InstrumentLevel level);

// Distance of the tip from the swing axis [m].
double reach(const InstrumentFaces& faces, const training::SessionSnapshot& now);
double tip_speed(const training::SessionSnapshot& now);  // m/s

}  // namespace knuckleboom::view::panels
