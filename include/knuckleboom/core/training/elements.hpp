// Work elements: what is done at each moment of an attempt, on two tracks side by side, the crane's and the
// carrier's. An exact automaton over samples at 50 Hz; each tick belongs to one element of each track, and the
// sum over a track is the attempt's time. docs/theory/judging.md, "Work elements".
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

#include "knuckleboom/core/state/fields.hpp"

namespace knuckleboom::training {

// Those of a forwarder, and those of a harvester's head, which has kOut, kGrip, kIdle and kMove too. Recorded
// by their numbers.
enum class Element : std::int32_t {
  kOut,      // empty, on the way to a log
  kGrip,     // slow over a log, until it is lifted
  kIn,       // with a log
  kRelease,  // slow over where it goes, until the empty grapple leaves
  kRegrip,   // from a release outside the load space to the grip of the same log
  kLevel,    // a log that stands on end: from 45 to 30 degrees from level
  kTidy,     // a log taken out of the load space and put back into it
  kSort,     // a log taken and put down outside the load space
  kIdle,     // at rest for more than 2 s
  kMove,     // the carrier drives
  kFell,     // sawing a standing tree, and its fall
  kBring,    // a felled tree to where it is fed
  kProc,     // with a felled tree, and none of the next four
  kFeed,     // towards its tip
  kBack,     // towards its butt
  kCut,      // the saw is out
  kThink,    // all is still for more than 0.5 s
  kArrange,  // a log in the head
};
inline constexpr int kElements = 18;
inline constexpr std::array<std::string_view, kElements> kElementNames = {
    "OUT",  "GRIP",      "IN",        "RELEASE",  "REGRIP",     "LEVEL",
    "TIDY", "SORT",      "IDLE",      "MOVE",     "FELL",       "BRING",
    "PROC", "PROC_FEED", "PROC_BACK", "PROC_CUT", "PROC_THINK", "ARRANGE"};

enum class Track : std::int32_t { kCrane, kDrive };
inline constexpr int kTracks = 2;

enum class LoadPhase : std::int32_t { kEmpty, kLoading, kLoaded, kUnloading };
inline constexpr int kLoadPhases = 4;
inline constexpr std::array<std::string_view, kLoadPhases> kLoadPhaseNames = {
    "EMPTY", "LOADING", "LOADED", "UNLOADING"};

inline constexpr double kElementSample = 0.02;  // s

// Thresholds; docs/theory/judging.md, "Work elements". Others are for tests.
struct ElementLimits {
  double short_s = 0.2;            // a shorter piece goes to the one before
  double rest_way_m = 0.02;        // in half a second
  double rest_s = 2.0;             // until rest is IDLE
  double held_s = 0.2;             // until a change of the held log is certain
  double opens_per_s = 0.02;       // the jaws still open
  double leaves_m_s = 0.1;         // the empty grapple is on its way
  double near_m = 0.5;             // from a log
  double arrives_m_s = 0.3;        // near a log
  double away_m = 0.7;             // from any log: it was passed
  double sets_m_s = 0.2;           // over where the log goes
  double drag_s = 0.3;             // faster than that with a log on the ground
  double on_end_rad = 0.785398;    // from level; 45 degrees
  double levelled_rad = 0.523599;  // 30 degrees
  double regrip_m = 2.0;           // from the last grip
  double drives_m_s = 0.1;
  double drive_s = 0.5;
  double stops_m_s = 0.05;
  double next_place_m = 30.0;  // driven without the crane
  // A harvester's head:
  double near_stem_m = 0.3;      // from a tree
  double closes_per_s = 0.02;    // the jaws begin to
  double fallen_rad = 0.261799;  // from level; a tree that leans by more than 75 degrees
  double fell_feed_m_s = 0.2;    // fed before it lies
  double bring_m = 0.5;          // on the map, before it is fed
  double feeds_m_s = 0.1;
  double think_s = 0.5;
};

// All that is known at one moment.
struct ElementSample {
  std::int64_t tick = 0;     // of the attempt; samples come in order
  double tip_m[3] = {};      // in the carrier's frame
  double tip_m_s[3] = {};    // its velocity in that frame
  double carrier_m_s = 0.0;  // forwards positive
  double gap_m = 1e9;        // from the grip's centre to the nearest log that is not held
  double tilt_rad = 0.0;     // of the held log from level
  double opening = 0.0;      // of the jaws, 0 closed to 1 open
  std::int32_t held = -1;    // number of the log, -1: none
  std::int32_t load = 0;     // logs that lie in the load space
  bool on_ground = false;    // the held log touches ground or load space
  bool in_box = false;       // the grip is inside the load space
  bool moves = false;        // an actuator of the crane moves, rollers and saw among them
  // A harvester's head. Tilt and on_ground are those of the stem that it holds: from level, and that its tip is
  // on the ground; the gap is that to the nearest standing tree or log.
  std::int32_t stem = -1;  // number of the world's stem that it holds, -1: none
  bool standing = false;   // that stem is still attached
  bool saw = false;        // is not at home
  double feed_m_s = 0.0;   // towards the tip positive
};

// Truths of a sample, from the lowest bit of the channel `work_signals` on.
inline constexpr bool ElementSample::*kElementSignals[] = {
    &ElementSample::on_ground, &ElementSample::in_box, &ElementSample::moves,
    &ElementSample::standing, &ElementSample::saw};
inline constexpr int kSignalSets = 1 << std::size(kElementSignals);
inline std::int32_t signals_of(const ElementSample& at) {
  std::int32_t bits = 0, bit = 1;
  for (const auto signal : kElementSignals) {
    if (at.*signal) bits |= bit;
    bit *= 2;
  }
  return bits;
}
inline void set_signals(long bits, ElementSample& at) {
  for (const auto signal : kElementSignals) {
    at.*signal = (bits & 1) != 0;
    bits >>= 1;
  }
}

// Begins at a tick and lasts until the next one of its track.
struct ElementPiece {
  std::int64_t begin;
  Element element;
  std::int32_t reserved;
};
constexpr auto state_fields(const ElementPiece* /*type*/) {
  using namespace knuckleboom::state;
  using S = ElementPiece;
  return state::fields_of<S>(KB_FIELD(begin, kCounter), KB_FIELD(element, below(kElements)),
                             KB_FIELD(reserved, kZero));
}

inline constexpr int kOpenPieces = 24;
// Pieces that what comes may still change, in order; the last one lasts.
struct ElementTrack {
  std::int64_t ticks[kElements], pieces[kElements];  // of the pieces that are final
  ElementPiece open[kOpenPieces];
  std::int32_t count, last;  // last: 1 more than the element that became final last, 0: none has
};
constexpr auto state_fields(const ElementTrack* /*type*/) {
  using namespace knuckleboom::state;
  using S = ElementTrack;
  return state::fields_of<S>(KB_FIELD(ticks, kCounter), KB_FIELD(pieces, kCounter), KB_FIELD(open),
                             KB_FIELD(count, below(kOpenPieces + 1)),
                             KB_FIELD(last, below(kElements + 1)));
}

struct ElementState {
  ElementTrack track[kTracks];
  std::int64_t phase_ticks[kLoadPhases];
  std::int64_t end, samples;        // ticks and samples so far
  double gap_m, tilt_rad, opening;  // of the last sample
  double step_m[25][3];             // way of the tip from sample to sample, over half a second
  double way_m[3];                  // their sum
  double speed_m_s[5];              // of the tip
  double grip_m[3];                 // tip at the last grip
  double driven_m;                  // without the crane since the last grip or release
  // Ticks since when something holds that is not certain yet, or is over later; -1: it does not.
  std::int64_t calm, rest, changed, fast, slow, dragged, lifted;
  std::int64_t taken, carry, release;  // of the last log: gripped, lifted, let go; -1: not so far
  std::int64_t phase_end;              // the last release that may end the phase
  std::int32_t held, candidate;        // certain; perhaps
  std::int32_t last_log;               // let go last
  Element base;                        // of the crane, if it did not rest
  LoadPhase phase;
  std::int32_t from_box;   // of the last log, bits: 1 gripped in the load space, 2 last held there
  std::int32_t undecided;  // 1: it was let go outside it; the next grip tells what that was
  std::int32_t left;       // 1: the empty grapple has left the last log
  std::int32_t resting, driving;
  std::int32_t load, signals;  // of the last sample; signals: as signals_of() gives them
  // A harvester's head:
  std::int64_t part;  // tick at which the present element began
  std::int64_t
      felled;  // tick of the fall of the tree that it holds, until it is fed or brought; 0: none
  double felled_m[2];    // tip at that tick
  std::int32_t head;     // 1: its rules hold. Sessions recorded before there were any go on without
  std::int32_t no_load;  // 1: there is nothing to load into, and no load has phases; likewise
  std::int32_t own_load;  // 1: the machine's own load space is the load, bunks are ground; likewise
  std::int32_t reserved;
};
constexpr auto state_fields(const ElementState* /*type*/) {
  using namespace knuckleboom::state;
  using S = ElementState;
  return state::fields_of<S>(
      KB_FIELD(track), KB_FIELD(phase_ticks, kCounter), KB_FIELD(end, kCounter),
      KB_FIELD(samples, kCounter), KB_FIELD(gap_m), KB_FIELD(tilt_rad), KB_FIELD(opening),
      KB_FIELD(step_m, kPosition), KB_FIELD(way_m, kPosition), KB_FIELD(speed_m_s, kSpeed),
      KB_FIELD(grip_m, kPosition), KB_FIELD(driven_m), KB_FIELD(calm, kNoneOrCounted),
      KB_FIELD(rest, kNoneOrCounted), KB_FIELD(changed, kNoneOrCounted),
      KB_FIELD(fast, kNoneOrCounted), KB_FIELD(slow, kNoneOrCounted),
      KB_FIELD(dragged, kNoneOrCounted), KB_FIELD(lifted, kNoneOrCounted),
      KB_FIELD(taken, kNoneOrCounted), KB_FIELD(carry, kNoneOrCounted),
      KB_FIELD(release, kNoneOrCounted), KB_FIELD(phase_end, kCounter),
      KB_FIELD(held, kNoneOrCounted), KB_FIELD(candidate, kNoneOrCounted),
      KB_FIELD(last_log, kNoneOrCounted), KB_FIELD(base, below(kElements)),
      KB_FIELD(phase, below(kLoadPhases)), KB_FIELD(from_box, below(4)), KB_FIELD(undecided, kFlag),
      KB_FIELD(left, kFlag), KB_FIELD(resting, kFlag), KB_FIELD(driving, kFlag),
      KB_FIELD(load, kCounter32), KB_FIELD(signals, below(kSignalSets)), KB_FIELD(part, kCounter),
      KB_FIELD(felled, kCounter), KB_FIELD(felled_m, kPosition), KB_FIELD(head, kFlag),
      KB_FIELD(no_load, kFlag), KB_FIELD(own_load, kFlag), KB_FIELD(reserved, kZero));
}

// A piece that nothing changes any more: ticks begin to end - 1 of the attempt.
struct FinalPiece {
  Track track;
  Element element;
  std::int64_t begin, end;
};

// At rest, empty, nothing known of the past. head: by the rules for a harvester's head; no_load: neither load space nor
// bunk is there.
ElementState start_elements(bool head = false, bool no_load = false);
// Time that counts before the first sample: it is idle.
void wait_elements(std::int64_t ticks, ElementState& state);
// The next sample, kElementSample after the last. dt: of a tick [s]. done: receives the pieces that have
// become final; null: nobody wants them, and there is no heap.
void follow_elements(double dt, const ElementSample& at, ElementState& state,
                     std::vector<FinalPiece>* done = nullptr, const ElementLimits& limits = {});
// The attempt ends after so many ticks: what is open becomes final.
void finish_elements(double dt, std::int64_t ticks, ElementState& state,
                     std::vector<FinalPiece>* done = nullptr, const ElementLimits& limits = {});
// Ticks of each element so far, up to the end given; what is open counts as it stands.
using ElementTicks = std::array<std::int64_t, kElements>;
ElementTicks element_ticks(const ElementTrack& track, std::int64_t end);
// How often each of them was so far.
ElementTicks element_pieces(const ElementTrack& track);

// The classical single list: at each moment what the crane does, unless it rests, else the drive.
std::vector<FinalPiece> single_list(std::span<const FinalPiece> pieces);
inline constexpr std::string_view kSingleListRule =
    "crane before driving: an element of the crane other than IDLE counts, else MOVE, else IDLE";

}  // namespace knuckleboom::training
