// Left: the hydraulics. Right: the machine, the levers, the score. Above: the task. Below: the
// timing of the program.
#include "view/panels/instruments.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "knuckleboom/core/math/arrays.hpp"
#include "language/text.hpp"
#include "view/panels/format.hpp"

namespace knuckleboom::view::panels {
namespace {

constexpr float kEdge = 12.0F;
constexpr float kPad = 10.0F;
constexpr float kSide = 224.0F;  // width of the side panels
constexpr float kLine15 = 17.0F;
constexpr float kAboveInset = 0.65F;  // of the height: Scene::inset_rectangle
constexpr float kTaskWidth = 560.0F;
constexpr float kTaskHeight = 52.0F;  // at most

using training::SessionSnapshot;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

bool running(training::TaskPhase phase) {
  return phase == training::TaskPhase::kReady || phase == training::TaskPhase::kRunning;
}

// --- Hydraulics -----------------------------------------------------------------

constexpr float kActuatorHeight = 66.0F;
constexpr float kBarWidth = 72.0F;
constexpr float kValueEnd = 138.0F;

void draw_port(Painter& painter, float x, float y, const char* name, double pressure, double relief,
               bool alarm, double flow) {
  painter.text(x, y, Type::kSmall, kDim, name);
  const Rect bar{x + 14.0F, y + 4.0F, kBarWidth, 7.0F};
  // The bar ends slightly beyond the relief setting, so that the valve's override is visible.
  const double top = relief * 1.1;
  painter.bar(bar, share(pressure, 0.0, top), alarm ? kAlarm : kAccent);
  const float mark = bar.x + bar.width * share(relief, 0.0, top);
  painter.line(mark, bar.y - 2.0F, mark, bar.bottom() + 2.0F, kText);
  painter.text(x + kValueEnd, y, Type::kSmall, kText, bar_text(pressure) + " bar", Align::kRight);
  painter.text(x + kSide - 2.0F * kPad, y, Type::kSmall, kDim, flow_text(flow), Align::kRight);
}

// How many of a list have room; the last place of a longer one says how many are left out.
int shown(int count, int room) { return count > room ? room - 1 : count; }
void draw_left_out(Painter& painter, float x, float y, int count) {
  if (count > 0) painter.text(x, y, Type::kSmall, kDim, tr_format("and {} more", count));
}

void draw_head(Painter& painter, float x, float y, const ActuatorFace& face,
               const sim::ActuatorSnapshot& now) {
  painter.text_within(x, y, 110.0F, Type::kBold, kText, face.name);
  const char* state = now.at_relief != 0    ? tr("RELIEF")
                      : now.at_stop != 0    ? tr("END STOP")
                      : now.cavitating != 0 ? tr("CAVITATION")
                                            : "";
  // Drawing oil from the tank is not an error; the others lose work.
  painter.text(x + kSide - 2.0F * kPad, y + 1.0F, Type::kSmall,
               now.at_relief != 0 || now.at_stop != 0 ? kAlarm : kAccent, state, Align::kRight);
}

void draw_actuator(Painter& painter, float x, float y, const ActuatorFace& face,
                   const sim::ActuatorSnapshot& now) {
  draw_head(painter, x, y, face, now);
  y += 19.0F;
  const bool a_high = now.at_relief != 0 && now.port_a_Pa >= now.port_b_Pa;
  const bool b_high = now.at_relief != 0 && now.port_b_Pa > now.port_a_Pa;
  draw_port(painter, x, y, "A", now.port_a_Pa, face.relief_Pa, a_high, now.flow_a_m3_per_s);
  draw_port(painter, x, y + 14.0F, "B", now.port_b_Pa, face.relief_Pa, b_high, now.flow_b_m3_per_s);
  const double spool = face.spool_full_V > 0.0 ? now.spool_V / face.spool_full_V : 0.0;
  painter.text(x, y + 28.0F, Type::kSmall, kDim, "S");
  painter.middle_bar({x + 14.0F, y + 32.0F, kBarWidth, 7.0F}, static_cast<float>(spool),
                     now.open != 0 ? kText : kDim);
  char percent[32];
  std::snprintf(percent, sizeof percent, "%.0f %%", std::round(spool * 100.0) + 0.0);
  painter.text(x + kValueEnd, y + 28.0F, Type::kSmall, kText, percent, Align::kRight);
  painter.text(x + kSide - 2.0F * kPad, y + 28.0F, Type::kSmall, kDim,
               now.open != 0 ? tr_in("valve", "open") : tr_in("valve", "closed"), Align::kRight);
}

// The same in two lines, where there are many: both ports beside each other.
constexpr float kDenseHeight = 40.0F;

void draw_dense(Painter& painter, float x, float y, const ActuatorFace& face,
                const sim::ActuatorSnapshot& now) {
  draw_head(painter, x, y, face, now);
  const bool high_a = now.port_a_Pa >= now.port_b_Pa;
  for (const bool a : {true, false}) {
    const float at = x + (a ? 0.0F : 104.0F);
    const double pressure = a ? now.port_a_Pa : now.port_b_Pa;
    painter.text(at, y + 19.0F, Type::kSmall, kDim, a ? "A" : "B");
    painter.bar({at + 14.0F, y + 23.0F, 46.0F, 7.0F}, share(pressure, 0.0, face.relief_Pa * 1.1),
                now.at_relief != 0 && a == high_a ? kAlarm : kAccent);
    painter.text(at + 98.0F, y + 19.0F, Type::kSmall, kText, bar_text(pressure), Align::kRight);
  }
}

// "142 bar  38.0 kW"; with a modelled engine: "1740 rpm 142 bar 38 kW".
std::string pump_text(const SessionSnapshot& now) {
  const std::string bar = bar_text(now.sim.pump_Pa);
  if (now.sim.engine_rad_per_s <= 0.0)
    return fmt::format("{} bar  {}", bar, power_text(now.pump_power_W));
  constexpr double kRpm = 60.0 / 6.283185307179586;
  return fmt::format("{:.0f} rpm {} bar {:.0f} kW", kRpm * now.sim.engine_rad_per_s, bar,
                     now.pump_power_W / 1e3);
}

void draw_hydraulics(Painter& painter, const InstrumentFaces& faces, const SessionSnapshot& now) {
  constexpr float kHead = 46.0F;
  const int count = std::min(now.sim.actuator_count, static_cast<int>(faces.actuators.size()));
  // Below is the view of the tip.
  const float room = kAboveInset * painter.height() - kEdge - kHead - kPad;
  const bool dense = static_cast<float>(count) * kActuatorHeight > room;
  const float height = dense ? kDenseHeight : kActuatorHeight;
  const int most = std::max(1, static_cast<int>(room / height));
  const Rect card{kEdge, kEdge, kSide,
                  kHead + kPad + static_cast<float>(std::min(count, most)) * height};
  painter.card(card);
  const float x = card.x + kPad;
  float y = card.y + kPad;
  painter.text(x, y, now.sim.engine_rad_per_s > 0.0 ? Type::kSmall : Type::kBold, kText,
               tr("Pump"));
  painter.text(card.right() - kPad, y + 1.0F, Type::kSmall, kText, pump_text(now), Align::kRight);
  painter.bar({x, y + 22.0F, card.width - 2.0F * kPad, 7.0F},
              share(now.pump_power_W, 0.0, faces.pump_full_W), kAccent);
  y += 40.0F;
  for (int k = 0; k < shown(count, most); ++k) {
    (dense ? draw_dense : draw_actuator)(painter, x, y, faces.actuators[at(k)],
                                         now.sim.actuator[k]);
    y += height;
  }
  draw_left_out(painter, x, y, count - shown(count, most));
}

// --- Machine --------------------------------------------------------------------

void draw_value(Painter& painter, const Rect& card, float& y, const std::string& name,
                const std::string& value, Colour colour = kText) {
  painter.text(card.x + kPad, y, Type::kSmall, kDim, name);
  painter.text(card.right() - kPad, y, Type::kSmall, colour, value, Align::kRight);
  y += kLine15;
}

void draw_joint(Painter& painter, const Rect& card, float& y, const JointFace& face,
                const sim::JointSnapshot& now) {
  painter.text_within(card.x + kPad, y, 72.0F, Type::kSmall, kDim, face.name);
  if (face.upper > face.lower) {
    const Rect groove{card.x + 86.0F, y + 6.0F, 62.0F, 3.0F};
    painter.fill(groove, kGroove, 1.0F);
    const float where = share(now.position, face.lower, face.upper);
    const bool at_end = where <= 0.005F || where >= 0.995F;
    const float x = groove.x + groove.width * where;
    painter.fill({x - 1.5F, y + 2.0F, 3.0F, 11.0F}, at_end ? kAlarm : kAccent, 1.0F);
  }
  painter.text(card.right() - kPad, y, Type::kSmall, kText,
               joint_text(face.shown * now.position, face.revolute), Align::kRight);
  y += kLine15;
}

// --- Carrier --------------------------------------------------------------------

bool is_on(const SessionSnapshot& now, command::Switch of) {
  return (now.switches >> static_cast<int>(of) & 1) != 0;
}

std::string speed_text(const SessionSnapshot& now) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f km/h", std::fabs(3.6 * now.sim.speed));
  return text;
}

std::string gear_text(const SessionSnapshot& now) {
  const bool high = is_on(now, command::Switch::kHighGear);
  const char* gear = now.sim.high_gear != 0 ? tr_in("gear", "high") : tr_in("gear", "low");
  if ((now.sim.high_gear != 0) != high) return tr_format("{}, stop to change", gear);
  return is_on(now, command::Switch::kDirection) ? tr_format("{}, reverse", gear) : gear;
}

std::string brake_text(const SessionSnapshot& now) {
  if (is_on(now, command::Switch::kParkingBrake)) return tr("PARKED by hand");
  if (now.sim.parked != 0) return tr("parked");
  return now.sim.brake > 0.0 ? tr_format("service {:.0f} %", 100.0 * now.sim.brake)
                             : tr_in("brake", "off");
}

std::string lock_text(const SessionSnapshot& now) {
  const bool frame = now.sim.joint_locked != 0, axles = now.sim.differential_locked != 0;
  return frame && axles ? tr("frame, differential")
         : frame        ? tr("frame")
         : axles        ? tr("differential")
                        : tr_in("locks", "none");
}

std::string load_text(const SessionSnapshot& now) {
  if (now.load.count == 0) return tr_in("load", "none");
  const auto count = static_cast<int>(now.load.count);
  return tr_count(count, "{} log, {:.0f} kg", "{} logs, {:.0f} kg", count, now.load.mass_kg);
}

constexpr int kCarrierRows = 5;
void draw_carrier(Painter& painter, const InstrumentFaces& faces, const SessionSnapshot& now,
                  const Rect& card, float& y) {
  draw_value(painter, card, y, tr("speed"), speed_text(now));
  draw_value(painter, card, y, tr("gear"), gear_text(now));
  draw_value(painter, card, y, tr("brake"), brake_text(now),
             now.sim.parked != 0 || now.sim.brake > 0.0 ? kAccent : kText);
  draw_value(painter, card, y, tr("locks"), lock_text(now));
  const auto mode = at(std::max(0, now.lever_mode));
  std::string seat = is_on(now, command::Switch::kSeat) ? tr("turned") : tr("to the crane");
  if (mode > 0 && mode < faces.lever_modes.size()) seat += ", " + faces.lever_modes[mode];
  draw_value(painter, card, y, tr("seat, levers"), seat);
}

float draw_machine(Painter& painter, const InstrumentFaces& faces, const SessionSnapshot& now,
                   const InstrumentReadings& readings, float top) {
  constexpr int kRoom = 16;
  int joint[kMaxLinks];
  int joints = 0;
  for (int i = 0; i < std::min(now.sim.joint_count, static_cast<int>(faces.joints.size())); ++i)
    if (!faces.joints[at(i)].name.empty()) joint[joints++] = i;
  const int rows = std::min(joints, kRoom) + (faces.grapple ? 5 : 3) + (faces.load_space ? 1 : 0) +
                   (faces.wheels ? kCarrierRows : 0);
  const Rect card{painter.width() - kEdge - kSide, top, kSide,
                  2.0F * kPad + 8.0F + kLine15 * static_cast<float>(rows)};
  painter.card(card);
  float y = card.y + kPad;
  if (faces.wheels) draw_carrier(painter, faces, now, card, y);
  for (int i = 0; i < shown(joints, kRoom); ++i)
    draw_joint(painter, card, y, faces.joints[at(joint[i])], now.sim.joint[joint[i]]);
  if (joints > kRoom) {
    draw_left_out(painter, card.x + kPad, y, joints - shown(joints, kRoom));
    y += kLine15;
  }
  y += 4.0F;
  painter.line(card.x + kPad, y, card.right() - kPad, y, kLine);
  y += 4.0F;
  draw_value(painter, card, y, tr("tip height"), metres_text(now.sim.tip_W[2]));
  draw_value(painter, card, y, tr("tip reach"), metres_text(reach(faces, now)));
  char speed[32];
  std::snprintf(speed, sizeof speed, "%.2f m/s", tip_speed(now));
  draw_value(painter, card, y, tr("tip speed"), speed);
  if (faces.load_space) draw_value(painter, card, y, tr("load"), load_text(now));
  if (!faces.grapple) return card.bottom();
  draw_value(painter, card, y, tr("grapple"),
             now.held_log >= 0 ? tr("closed on a log")
                               : tr_format("{:.0f} % open", now.grapple_opening * 100.0));
  draw_value(painter, card, y, tr("holds"),
             readings.held.empty() ? tr_in("grapple", "nothing") : readings.held,
             readings.held.empty() ? kDim : kAccent);
  return card.bottom();
}

// --- Levers ---------------------------------------------------------------------

constexpr float kStick = 64.0F;

void draw_stick(Painter& painter, float x, float y, double across, double along) {
  const Rect box{x, y, kStick, kStick};
  painter.fill(box, kGroove, 4.0F);
  const float cx = x + kStick * 0.5F;
  const float cy = y + kStick * 0.5F;
  painter.line(cx, y + 4.0F, cx, box.bottom() - 4.0F, kLine);
  painter.line(x + 4.0F, cy, box.right() - 4.0F, cy, kLine);
  const float half = kStick * 0.5F - 6.0F;
  const float px = cx + half * static_cast<float>(std::clamp(across, -1.0, 1.0));
  const float py = cy - half * static_cast<float>(std::clamp(along, -1.0, 1.0));
  painter.line(cx, cy, px, py, kAccent, 2.0F);
  painter.dot(px, py, 5.0F, kAccent);
}

// Twists, rockers and pedals, in this order below the lever they belong to.
struct ExtraAxes {
  command::LeverAxis axis[3];
};
constexpr ExtraAxes kExtras[2] = {
    {{command::LeverAxis::kLeftTwist, command::LeverAxis::kLeftRocker,
      command::LeverAxis::kLeftPedal}},
    {{command::LeverAxis::kRightTwist, command::LeverAxis::kRightRocker,
      command::LeverAxis::kRightPedal}}};

int used(const InstrumentFaces& faces, const ExtraAxes& extras) {
  return static_cast<int>(
      std::count_if(std::begin(extras.axis), std::end(extras.axis),
                    [&faces](auto axis) { return !nth(faces.lever_function, axis).empty(); }));
}

float draw_levers(Painter& painter, const InstrumentFaces& faces, const SessionSnapshot& now,
                  float top) {
  const int extra_rows = std::max(used(faces, kExtras[0]), used(faces, kExtras[1]));
  const Rect card{painter.width() - kEdge - kSide, top, kSide,
                  2.0F * kPad + kStick + 20.0F * static_cast<float>(extra_rows)};
  painter.card(card);
  const double* axis = now.input.axis;
  for (int side = 0; side < 2; ++side) {
    const float column = card.x + (side == 0 ? 28.0F : card.width - 28.0F - kStick);
    float y = card.y + kPad;
    draw_stick(painter, column, y, axis[side == 0 ? 0 : 3], axis[side == 0 ? 1 : 4]);
    y += kStick + 5.0F;
    for (const command::LeverAxis extra : kExtras[side].axis) {
      const std::string& name = nth(faces.lever_function, extra);
      if (name.empty()) continue;
      const float x = card.x + (side == 0 ? kPad : card.width * 0.5F + 4.0F);
      painter.text_within(x, y, 62.0F, Type::kSmall, kDim, name);
      painter.middle_bar({x + 66.0F, y + 5.0F, 32.0F, 6.0F}, static_cast<float>(nth(axis, extra)),
                         kAccent);
      y += 20.0F;
    }
  }
  return card.bottom();
}

// --- Score ----------------------------------------------------------------------

void draw_figures(Painter& painter, const InstrumentReadings& readings, float top) {
  if (readings.figures.empty()) return;
  const float room = painter.height() - 34.0F - kEdge - top - 2.0F * kPad;
  const auto rows = static_cast<std::size_t>(
      std::clamp(room / kLine15, 0.0F, static_cast<float>(readings.figures.size())));
  if (rows == 0) return;
  const Rect card{painter.width() - kEdge - kSide, top, kSide,
                  2.0F * kPad + kLine15 * static_cast<float>(rows)};
  painter.card(card);
  float y = card.y + kPad;
  for (std::size_t i = 0; i < rows; ++i) {
    const FigureRow& row = readings.figures[i];
    draw_value(painter, card, y, row.label, row.value,
               row.verdict == FigureRow::Verdict::kBeyond ? kAlarm : kText);
  }
}

// --- Task -----------------------------------------------------------------------

void draw_steps(Painter& painter, const Rect& card, float right,
                const training::TaskSnapshot& task) {
  const int steps = std::clamp(task.steps, 0, 40);
  if (steps < 1) return;
  const float gap = 3.0F;
  const float width =
      (right - card.x - kPad - gap * static_cast<float>(steps - 1)) / static_cast<float>(steps);
  for (int i = 0; i < steps; ++i) {
    const Rect piece{card.x + kPad + static_cast<float>(i) * (width + gap), card.bottom() - 9.0F,
                     width, 4.0F};
    painter.fill(piece, i < task.step ? kAccent : kGroove, 1.0F);
    if (i == task.step && task.dwell > 0.0)
      painter.fill({piece.x, piece.y, width * share(task.dwell, 0.0, 1.0), piece.height}, kText);
  }
}

void draw_task(Painter& painter, const SessionSnapshot& now, const InstrumentReadings& readings) {
  const training::TaskSnapshot& task = now.task;
  const Rect card{(painter.width() - kTaskWidth) * 0.5F, kEdge, kTaskWidth,
                  task.steps > 0 || task.time_left_s >= 0.0 ? kTaskHeight : 38.0F};
  painter.card(card);
  float right = card.right() - kPad;
  const std::string time = clock_text(now.score.time_s);
  painter.text(right, card.y + 8.0F, Type::kLarge, kText, time, Align::kRight);
  right -= std::max(70.0F, painter.text_width(Type::kLarge, time)) + 12.0F;
  if (task.target >= 0 && running(task.phase)) {
    painter.text(right, card.y + 8.0F, Type::kLarge, kAccent, metres_text(task.distance),
                 Align::kRight);
    right -= std::max(80.0F, painter.text_width(Type::kLarge, metres_text(task.distance))) + 12.0F;
  }
  painter.text_within(card.x + kPad, card.y + 11.0F, right - card.x - kPad, Type::kBold, kText,
                      readings.task);
  float steps_end = card.right() - kPad;
  if (task.time_left_s >= 0.0 && running(task.phase)) {
    const bool hurry = task.time_left_s < 30.0;
    painter.text(steps_end, card.bottom() - 17.0F, Type::kSmall, hurry ? kAlarm : kDim,
                 tr_format("{} left", clock_text(task.time_left_s)), Align::kRight);
    steps_end -= 90.0F;
  }
  draw_steps(painter, card, steps_end, task);
}

// --- The lower edge -------------------------------------------------------------

std::string timing_text(const TimingFace& timing) {
  // A run without a clock has no timing.
  if (timing.tick_us <= 0.0) return tr_format("{:.0f} Hz, not in real time", timing.rate_Hz);
  return tr_format("{:.0f} Hz, tick {}, late {} / {} / {}, overruns {}, lost {}", timing.rate_Hz,
                   microseconds_text(timing.tick_us), microseconds_text(timing.lateness_p50_us),
                   microseconds_text(timing.lateness_p99_us),
                   microseconds_text(timing.lateness_max_us), timing.overruns,
                   microseconds_text(timing.lost_s * 1e6));
}

std::string picture_text(const TimingFace& timing) {
  if (timing.frames_per_s <= 0.0) return {};
  if (timing.picture_latency_ms >= 0.0)
    return tr_format("{:.0f} frames/s, lever to picture {:.0f} ms", timing.frames_per_s,
                     timing.picture_latency_ms);
  return tr_format("{:.0f} frames/s", timing.frames_per_s);
}

constexpr float kLongestStatus = 170.0F;  // points

// Returns where that ends which stands on the left.
float draw_status(Painter& painter, const InstrumentReadings& readings, bool with_timing) {
  const float height = 24.0F;
  const Rect strip{0.0F, painter.height() - height, painter.width(), height};
  painter.fill(strip, kCard);
  const float y = strip.y + 5.0F;
  float x = kEdge;
  for (const std::string* part : {&readings.mode, &readings.fidelity, &readings.session}) {
    painter.text_within(x, y, kLongestStatus, Type::kSmall,
                        part == &readings.session ? kAccent : kText, *part);
    x += std::min(painter.text_width(Type::kSmall, *part), kLongestStatus) + 16.0F;
  }
  const TimingFace& timing = readings.timing;
  if (timing.frames_per_s <= 0.0) return x;  // not in real time, or the first frame
  if (with_timing)
    painter.text(painter.width() * 0.5F + 20.0F, y, Type::kSmall,
                 timing.lost_s > 0.0 ? kAlarm : kDim, timing_text(timing), Align::kCentre);
  painter.text(painter.width() - kEdge, y, Type::kSmall, kDim, picture_text(timing), Align::kRight);
  return x;
}

// The essential numbers while driving, at the lower edge. left: from draw_status().
void draw_compact(Painter& painter, const InstrumentFaces& faces, const SessionSnapshot& now,
                  const InstrumentReadings& readings, float left) {
  double highest = 0.0;
  bool relief = false;
  const int count = std::min(now.sim.actuator_count, static_cast<int>(faces.actuators.size()));
  for (int k = 0; k < count; ++k) {
    const sim::ActuatorSnapshot& a = now.sim.actuator[k];
    highest = std::max({highest, a.port_a_Pa, a.port_b_Pa});
    relief = relief || a.at_relief != 0;
  }
  constexpr const char* kBetween = "     ";
  std::string text;
  if (faces.wheels)
    for (const std::string& part : {speed_text(now), gear_text(now), brake_text(now)})
      text += part + kBetween;
  text += tr_format("height {}     reach {}", metres_text(now.sim.tip_W[2]),
                    metres_text(reach(faces, now)));
  text +=
      fmt::format("{}{:.1f} m/s{}{} bar", kBetween, tip_speed(now), kBetween, bar_text(highest));
  if (relief) text += std::string(" ") + tr("RELIEF");
  if (faces.grapple)
    text += kBetween + (readings.held.empty() ? tr("holds nothing") : readings.held);
  // Closer together where it would meet what stands on the left.
  if (painter.text_width(Type::kSmall, text) > painter.width() - 2.0F * left)
    for (std::size_t at = text.find(kBetween); at != std::string::npos; at = text.find(kBetween))
      text.replace(at, std::strlen(kBetween), "  ");
  painter.text(painter.width() * 0.5F, painter.height() - 19.0F, Type::kSmall, kText, text,
               Align::kCentre);
}

}  // namespace

double reach(const InstrumentFaces& faces, const SessionSnapshot& now) {
  constexpr double kOrigin[3] = {};
  const double(&foot)[3] = faces.swing < 0 ? kOrigin : now.body[faces.swing].p;
  return std::hypot(now.sim.tip_W[0] - foot[0], now.sim.tip_W[1] - foot[1]);
}

double tip_speed(const SessionSnapshot& now) {
  return std::hypot(now.tip_v_W[0], now.tip_v_W[1], now.tip_v_W[2]);
}

FreeCorner free_corner(InstrumentLevel level) {
  if (level == InstrumentLevel::kOff) return {kEdge, kEdge};
  const float below_task = kEdge + kTaskHeight + 8.0F;
  return {level == InstrumentLevel::kFull ? kEdge + kSide + 8.0F : kEdge, below_task};
}

void draw_instruments(Painter& painter, InstrumentLevel level, const InstrumentFaces& faces,
                      const SessionSnapshot& now, const InstrumentReadings& readings) {
  if (level == InstrumentLevel::kOff) return;
  draw_task(painter, now, readings);
  const float left = draw_status(painter, readings, level == InstrumentLevel::kFull);
  draw_head_display(painter, readings.head);
  if (level == InstrumentLevel::kCompact) return draw_compact(painter, faces, now, readings, left);
  draw_hydraulics(painter, faces, now);
  const float machine = draw_machine(painter, faces, now, readings, kEdge);
  const float levers = draw_levers(painter, faces, now, machine + 8.0F);
  draw_figures(painter, readings, levers + 8.0F);
}

}  // namespace knuckleboom::view::panels
