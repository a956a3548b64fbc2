// Keys of exercise files.
#pragma once

#include "declare/scenario_keys.hpp"
#include "declare/timber_keys.hpp"
#include "knuckleboom/core/training/exercise.hpp"
#include "knuckleboom/core/world/world.hpp"
#include "knuckleboom/declare/key.hpp"

namespace knuckleboom::declare::keys {

inline constexpr Word kColours[] = {{"bark", 0}, {"red", 1}, {"blue", 2}};

constexpr Key colour() { return word_of("colour", kColours, ""); }

namespace stem {
using world::Stem;
inline constexpr Key name = name_of("name", "").to<&Stem::name>();
inline constexpr Key position = spot<Stem>("`[x, y]`");
inline constexpr Key height = number("height", D::kLength, {0.1, 100.0}, "").to<&Stem::height>();
inline constexpr Key radius =
    number("radius", D::kLength, {0.01, 2.0}, "of a post that is no tree").to<&Stem::radius>();
inline constexpr Key species = tree::species(
    "name of a species (`knuckleboom list species`); the stem then is a tree, with `dbh`");
inline constexpr Key dbh = tree::dbh.replaces("radius").otherwise("none");
inline constexpr Key own[] = {position, height, radius, name, species, dbh};
inline constexpr auto all = join(own, tree::shared);
inline constexpr KeyTable table{"exercise.stem", "[[stem]]", all};
}  // namespace stem

namespace bunk {
using world::Bunk;
inline constexpr Key name = keys::name("").to<&Bunk::name>();
inline constexpr Key all[] = {
    name,
    spot<Bunk>("`[x, y]` of its centre"),
    heading().to<&Bunk::heading>(),
    number("length", D::kLength, {0.3, 20.0}, "between the beams").to<&Bunk::length>(),
    number("width", D::kLength, {0.3, 20.0}, "between the stakes").to<&Bunk::width>(),
    number("height", D::kLength, {0.05, 10.0}, "of the stakes over the beams").to<&Bunk::height>(),
    colour().to<&Bunk::colour>(),
};
inline constexpr KeyTable table{"exercise.bunk", "[[bunk]]", all};
}  // namespace bunk

namespace log {
using world::Log;
inline constexpr Key name = keys::name("").to<&Log::name>();
inline constexpr Key position = spot<Log>("`[x, y]` of its centre");
inline constexpr Key length = number("length", D::kLength, {0.1, 18.0}, "").to<&Log::length>();
inline constexpr Key all[] = {
    name,
    position,
    heading().to<&Log::heading>(),
    length,
    number("radius", D::kLength, {0.02, 1.0}, "").to<&Log::radius>(),
    number("density", D::kDensity, {100.0, 3000.0}, "").to<&Log::density>(),
    colour().to<&Log::colour>(),
    number("lift", D::kLength, {0.0, 100.0}, "higher than the ground by so much, to be dropped")
        .to<&Log::lift>(),
};
inline constexpr KeyTable table{"exercise.log", "[[log]]", all};
}  // namespace log

// Logs of one sort, laid on each other.
struct Pile {
  std::string name;
  double x = 0.0, y = 0.0, heading = 0.0;
  int count = 10, bottom = 4;
  double length = 4.0, radius = 0.12, density = 850.0;
  double spread = 0.1, lift = 0.0;
  std::uint64_t seed = 1;
  int colour = 0;
};
namespace pile {
inline constexpr Key name =
    keys::name("of the pile; its logs are `NAME_1`, `NAME_2` and so on").to<&Pile::name>();
inline constexpr Key position = spot<Pile>("`[x, y]` of its centre");
inline constexpr Key count = whole("count", 1, world::kMaxMoving, "of its logs").to<&Pile::count>();
inline constexpr Key bunk = text(
    "bunk", "where its logs belong, as in a `[[log_task]]`: makes one for each, the top one first");
inline constexpr Key length = number("length", D::kLength, {0.1, 18.0}, "").to<&Pile::length>();
inline constexpr Key all[] = {
    name,
    position,
    heading().to<&Pile::heading>(),
    count,
    whole("bottom", 1, 40, "logs in the lowest row; each row above has one less, the last any")
        .to<&Pile::bottom>(),
    length,
    number("radius", D::kLength, {0.02, 1.0}, "").to<&Pile::radius>(),
    number("density", D::kDensity, {100.0, 3000.0}, "").to<&Pile::density>(),
    plain("spread", {0.0, 0.3},
          "share by which length and radius of a log differ from these at most")
        .to<&Pile::spread>(),
    number("lift", D::kLength, {0.0, 100.0},
           "of the lowest row over the ground, as on the floor of a load space")
        .to<&Pile::lift>(),
    bunk,
    whole("seed", 0, std::numeric_limits<int>::max(), "of those differences").to<&Pile::seed>(),
    colour().to<&Pile::colour>(),
};
inline constexpr KeyTable table{"exercise.pile", "[[pile]]", all};
}  // namespace pile

namespace place {
using training::Place;
inline constexpr Key name = keys::name("").to<&Place::name>();
inline constexpr Key product =
    text("product", "name of a `[[product]]`: the place is for all logs that are cut as it");
inline constexpr Key all[] = {
    name,
    spot<Place>("`[x, y]` of the log's centre"),
    heading().to<&Place::heading>(),
    number("height", D::kLength, {0.0, 10.0}, "of the log's centre above the ground")
        .to<&Place::height>()
        .otherwise("as it lies on the ground"),
    number("radius", D::kLength, {0.01, 10.0}, "how far the log's centre may be off")
        .to<&Place::radius>(),
    number("angle", D::kAngle, {0.0, 1.6, true}, "how far its axis may be off, seen from above")
        .to<&Place::angle>(),
    number("tilt", D::kAngle, {0.0, 1.6, true}, "how far its axis may be off from level")
        .to<&Place::tilt>(),
    colour().to<&Place::colour>(),
    product,
};
inline constexpr KeyTable table{"exercise.place", "[[place]]", all};
}  // namespace place

// How much another seed moves, turns and resizes logs and places.
struct Variant {
  std::uint64_t seed = 0;
  double logs_shift = 0.0, logs_turn = 0.0, logs_size = 0.0;
  double places_shift = 0.0, places_turn = 0.0;
  double targets_shift = 0.0;
  double trees_shift = 0.0, trees_size = 0.0, falls_turn = 0.0;
  double visitors_shift = 0.0;
};
namespace variant {
inline constexpr Key all[] = {
    whole("seed", 0, std::numeric_limits<int>::max(), "of the variant; 0: as written")
        .to<&Variant::seed>(),
    number("logs_shift", D::kLength, {0.0, 5.0},
           "by which each log, or pile, is moved at most, along x and y")
        .to<&Variant::logs_shift>(),
    number("logs_turn", D::kAngle, {0.0, 3.2}, "by which each log, or pile, is turned at most")
        .to<&Variant::logs_turn>(),
    plain("logs_size", {0.0, 0.3}, "share by which length and radius of a log differ at most")
        .to<&Variant::logs_size>(),
    number("places_shift", D::kLength, {0.0, 5.0}, "likewise, of each `[[place]]`")
        .to<&Variant::places_shift>(),
    number("places_turn", D::kAngle, {0.0, 3.2}, "likewise").to<&Variant::places_turn>(),
    number("targets_shift", D::kLength, {0.0, 5.0},
           "by which each `[[target]]` is moved at most, along x, y and z")
        .to<&Variant::targets_shift>(),
    number("trees_shift", D::kLength, {0.0, 5.0},
           "by which each tree is moved at most, along x and y")
        .to<&Variant::trees_shift>(),
    plain("trees_size", {0.0, 0.3}, "share by which diameter and height of a tree differ at most")
        .to<&Variant::trees_size>(),
    number("falls_turn", D::kAngle, {0.0, 3.2},
           "by which the direction of a fall is turned at most")
        .to<&Variant::falls_turn>(),
    number("visitors_shift", D::kTime, {0.0, 1e4},
           "by which each `[[visitor]]` sets out earlier or later at most")
        .to<&Variant::visitors_shift>(),
};
inline constexpr KeyTable table{"exercise.variant", "[variant]", all};
}  // namespace variant

namespace points {
using training::Points;
inline constexpr Key experienced = number("experienced", D::kTime, {0.0, 1e5, true},
                                          "time of an experienced operator: all points for time")
                                       .must()
                                       .to<&Points::experienced_s>();
inline constexpr Key beginner =
    number("beginner", D::kTime, {0.0, 1e5, true}, "time of a beginner, the longer one: none")
        .must()
        .to<&Points::beginner_s>();
inline constexpr Key all[] = {
    experienced,
    beginner,
    text("experienced_source", "where that time comes from, or `\"estimate\"`")
        .must()
        .to<&Points::experienced_source>(),
    text("beginner_source", "likewise").must().to<&Points::beginner_source>(),
};
inline constexpr KeyTable table{"exercise.points", "[points]", all};
}  // namespace points

namespace stand_area {
using training::Stand;
inline constexpr Key length =
    number("length", D::kLength, {1.0, 1e3}, "along x").must().to<&Stand::length>();
inline constexpr Key all[] = {
    spot<Stand>("`[x, y]` of its middle"),
    length,
    number("width", D::kLength, {1.0, 1e3}, "along y").must().to<&Stand::width>(),
};
inline constexpr KeyTable table{"exercise.stand", "[stand]", all};
}  // namespace stand_area

// Single logs about the machine, to be loaded one after the other.
struct Grid {
  double length = 4.0, radius = 0.125, density = 850.0;
  double place_spread = 0.3, heading_spread = 0.26, size_spread = 0.15;
  int rounds = 2;
  std::uint64_t seed = 1;
};
namespace grid {
inline constexpr Key angles =
    numbers("angles", D::kAngle, {-3.2, 3.2}, 1, 24, "directions of the places, from x").must();
inline constexpr Key distances =
    numbers("distances", D::kLength, {1.0, 50.0}, 1, 24, "of the places from the swing's axis")
        .must();
inline constexpr Key length =
    number("length", D::kLength, {0.5, 18.0}, "of the logs; they lie along x").to<&Grid::length>();
inline constexpr Key rounds =
    whole("rounds", 1, 2, "the second one on the other side of x").to<&Grid::rounds>();
inline constexpr Key all[] = {
    angles,
    distances,
    rounds,
    length,
    number("radius", D::kLength, {0.02, 1.0}, "").to<&Grid::radius>(),
    number("density", D::kDensity, {100.0, 3000.0}, "").to<&Grid::density>(),
    number("place_spread", D::kLength, {0.0, 2.0},
           "a log lies so far from its place along x and y at most, none beyond the farthest place")
        .to<&Grid::place_spread>(),
    number("heading_spread", D::kAngle, {0.0, 0.8}, "and so far turned")
        .to<&Grid::heading_spread>(),
    plain("size_spread", {0.0, 0.3}, "share by which length and radius differ at most")
        .to<&Grid::size_spread>(),
    whole("seed", 0, std::numeric_limits<int>::max(), "of these, and of the order")
        .to<&Grid::seed>(),
};
inline constexpr KeyTable table{"exercise.grid", "[grid]", all};
}  // namespace grid

namespace contact {
using world::ContactLaw;
inline constexpr Key all[] = {
    number("stiffness", D::kStiffness, {1e4, 1e7}, "").to<&ContactLaw::stiffness>(),
    plain("damping_ratio", {0.0, 2.0}, "").to<&ContactLaw::damping_ratio>(),
    plain("friction", {0.0, 2.0}, "Coulomb").to<&ContactLaw::friction>(),
    plain("wood_friction", {0.0, 2.0}, "of log on log")
        .to<&ContactLaw::wood_friction>()
        .otherwise("`friction`"),
    plain("soil_friction", {0.0, 2.0}, "of a log on the ground")
        .to<&ContactLaw::soil_friction>()
        .otherwise("`friction`"),
    number("soil_stiffness", D::kPressure, {1e4, 4e6},
           "force on a metre of a log for each metre that it is pressed into the ground")
        .to<&ContactLaw::soil_stiffness>(),
    plain("rolling_resistance", {0.0, 1.0}, "").to<&ContactLaw::rolling_resistance>(),
};
inline constexpr KeyTable table{"exercise.contact", "[contact]", all};
}  // namespace contact

namespace way {
using world::WayCorner;
using world::WayRecipe;
inline constexpr Key corner_position = spot<WayCorner>("`[x, y]` where two straights would meet");
inline constexpr Key corner_all[] = {corner_position};
inline constexpr KeyTable corner_table{"exercise.way.corner", "[[way.corner]]", corner_all};

inline constexpr Key along = number("along", D::kLength, {0.0, 1e4},
                                    "from the way's beginning along its middle, to the "
                                    "crane's foot")
                                 .usually(0.0, 2e3, "a longer way is no exercise")
                                 .must();
inline constexpr Key stop_all[] = {along};
inline constexpr KeyTable stop_table{"exercise.way.stop", "[[way.stop]]", stop_all};

// Stems on both sides of the way, and what chance adds.
struct Edge {
  double tree_every = 0.0;
  double tree_clear = 0.6;
  double stop_spread = 0.0;
  std::uint64_t seed = 1;
};
inline constexpr Key tree_every =
    number("tree_every", D::kLength, {1.0, 100.0},
           "a stem so often on each side, besides those of `[[stem]]`; none inside a bend where "
           "there is no room")
        .to<&Edge::tree_every>()
        .otherwise("none");
inline constexpr Key corners =
    tables("corner", corner_table, 100, "at least two; the first and the last are its ends").must();
inline constexpr Key stops = tables("stop", stop_table, 40, "where to halt, in this order");
inline constexpr Word kSoils[] = {word("soft", world::Soil::kSoft),
                                  word("medium", world::Soil::kMedium),
                                  word("firm", world::Soil::kFirm)};
inline constexpr Key all[] = {
    corners,
    stops,
    word_of("soil", kSoils,
            "class of soil for an [estimate](../theory/wheels.md#ruts) of the ruts that wheels "
            "leave; the ground stays rigid")
        .to<&WayRecipe::soil>()
        .otherwise("ruts are not estimated"),
    number("width", D::kLength, {1.0, 50.0}, "").to<&WayRecipe::width>(),
    number("bend_radius", D::kLength, {3.0, 1000.0}, "of its middle at each corner")
        .to<&WayRecipe::bend_radius>(),
    number("stop_within", D::kLength, {0.05, 10.0}, "how close to a stop counts, along the way")
        .to<&WayRecipe::stop_within>(),
    tree_every,
    number("tree_clear", D::kLength, {0.0, 20.0}, "free between the way's edge and a stem at least")
        .to<&Edge::tree_clear>(),
    number("stop_spread", D::kLength, {0.0, 50.0}, "by chance a stop is moved by so much at most")
        .to<&Edge::stop_spread>(),
    whole("seed", 0, std::numeric_limits<int>::max(), "of the stems' and the stops' places")
        .to<&Edge::seed>(),
};
inline constexpr KeyTable table{"exercise.way", "[way]", all};
}  // namespace way

namespace task {
using training::Exercise;
using training::TaskKind;
inline constexpr Word kKinds[] = {word("free", TaskKind::kFree), word("reach", TaskKind::kReach),
                                  word("path", TaskKind::kPath), word("logs", TaskKind::kLogs),
                                  word("head", TaskKind::kHead), word("drive", TaskKind::kDrive),
                                  word("fell", TaskKind::kFell), word("buck", TaskKind::kBuck)};
inline constexpr Key stand = number("stand", D::kTime, {0.0, 60.0},
                                    "logs: how long all of them must lie in their places at the "
                                    "end, touched by nothing of the machine")
                                 .to<&Exercise::stand_s>();
inline constexpr Key all[] = {kind_of(kKinds, "").to<&Exercise::task>(), stand};
inline constexpr KeyTable table{"exercise.task", "[task]", all};
}  // namespace task

namespace target {
using training::Target;
inline constexpr Key name = name_of("name", "").to<&Target::name>();
inline constexpr Key position =
    numbers("position", D::kLength, kPlace, 3, 3, "`[x, y, z]`").must().to<&Target::p_W>();
inline constexpr Key axis =
    vector("axis", D::kNone,
           "head: direction wanted of a log's axis in the grip; either end may point there")
        .otherwise("`[0, 0, 1]`");
inline constexpr Key angle =
    number("angle", D::kAngle, {0.0, 1.6, true}, "head: how close counts").to<&Target::angle>();
inline constexpr Key dwell =
    number("dwell", D::kTime, {0.0, 60.0}, "how long without a break; not on a path")
        .to<&Target::dwell_s>();
inline constexpr Key plumb =
    number("plumb", D::kAngle, {0.0, 1.6, true},
           "reach: what hangs from the tip must be within so much of plumb all that time")
        .to<&Target::plumb>()
        .otherwise("it may swing");
inline constexpr Key all[] = {
    position,
    number("radius", D::kLength, {0.01, 100.0},
           "how close counts. On a path: tolerance of the line that leads to this target")
        .to<&Target::radius>(),
    axis,
    angle,
    dwell,
    plumb,
    name,
};
inline constexpr KeyTable table{"exercise.target", "[[target]]", all};
}  // namespace target

namespace log_task {
inline constexpr Key log = text("log", "name of a log");
inline constexpr Key pile =
    text("pile",
         "instead: name of a `[[pile]]`, for a task for each of its logs, the top one first; "
         "several may be brought at once, and count as they come to lie");
// In place of a bunk's name.
inline constexpr const char* kLoadSpaceWord = "load_space";
inline constexpr const char* kLoadLeftWord = "load_left";
inline constexpr const char* kLoadRightWord = "load_right";
inline constexpr Key bunk =
    text("bunk",
         "name of the bunk that it belongs into, or `load_space`: the machine's; `load_left` and "
         "`load_right`: its sides, as seen from the crane");
inline constexpr Key place =
    text("place",
         "instead: name of a place, or of a log: where that one lay at the start; for a "
         "`pile` the place is a heap, as high as it becomes");
inline constexpr Key timed =
    flag("timed", "`false`: the way to the log does not count in `counted_s`")
        .to<&training::LogTask::timed>();
inline constexpr Key all[] = {log, pile, bunk, place, timed};
inline constexpr KeyTable table{"exercise.log_task", "[[log_task]]", all};
}  // namespace log_task

namespace fell_task {
using training::FellTask;
inline constexpr Key stem = text("stem", "name of a stem that is a tree").must();
inline constexpr Key all[] = {
    stem,
    number("towards", D::kAngle, {-10.0, 10.0},
           "direction in which it is to fall, about z from x; drawn on the ground")
        .must()
        .to<&FellTask::towards>(),
};
inline constexpr KeyTable table{"exercise.fell", "[[fell]]", all};
}  // namespace fell_task

namespace visitor {
using training::Visitor;
using training::VisitorKind;
using training::VisitorPoint;
inline constexpr Key point_position = spot<VisitorPoint>("`[x, y]`");
inline constexpr Key point_all[] = {
    point_position,
    number("wait", D::kTime, {0.0, 1e5}, "so long he stays there").to<&VisitorPoint::wait_s>()};
inline constexpr KeyTable point_table{"exercise.visitor.point", "[[visitor.point]]", point_all};

inline constexpr Word kKinds[] = {word("person", VisitorKind::kPerson),
                                  word("vehicle", VisitorKind::kVehicle)};
inline constexpr Key name = keys::name("").to<&Visitor::name>();
inline constexpr Key points =
    tables("point", point_table, 40, "the way, straight from one to the next; at the last he stays")
        .must();
inline constexpr Key all[] = {
    name,
    kind_of(kKinds, "").to<&Visitor::kind>(),
    number("from", D::kTime, {0.0, 1e5}, "after the first lever movement, when he sets out")
        .to<&Visitor::from_s>(),
    number("speed", D::kSpeed, {0.1, 40.0}, "").to<&Visitor::speed>(),
    points,
};
inline constexpr KeyTable table{"exercise.visitor", "[[visitor]]", all};
}  // namespace visitor

namespace limit {
inline constexpr Key most = plain("most", kAny, "in the figure's unit, itself allowed");
inline constexpr Key least = plain("least", kAny, "likewise");
inline constexpr Key source = text("source", "where the limit comes from, or `\"estimate\"`");
inline constexpr Key all[] = {most, least, source};
inline constexpr KeyTable table{"exercise.limit", "[limits]", all};
}  // namespace limit

namespace fault_lot {
using command::FaultLot;
inline constexpr Key draw = whole("draw", 1, command::kMaxFaults, "how many of them are drawn")
                                .to<&FaultLot::draw>()
                                .otherwise(1.0);
inline constexpr Key candidates =
    other("candidates", "an array of names of faults that have `at`").must();
inline constexpr Key all[] = {
    candidates,
    draw,
    whole("seed", 0, std::numeric_limits<int>::max(), "of the lot")
        .to<&FaultLot::seed>()
        .otherwise(1.0),
};
inline constexpr KeyTable table{"exercise.fault_lot", "[fault_lot]", all};
}  // namespace fault_lot

namespace exercise_file {
using command::ControlMode;
using machine::Fidelity;
using training::Exercise;
inline constexpr Word kModes[] = {word("valve", ControlMode::kValve),
                                  word("joint_rate", ControlMode::kJointRate),
                                  word("boom_tip", ControlMode::kBoomTip)};
inline constexpr Word kFidelities[] = {word("reduced", Fidelity::kReduced),
                                       word("full", Fidelity::kFull),
                                       word("paper", Fidelity::kPaper)};
inline constexpr Key tolerance =
    plain(
        "tolerance", {0.25, 4.0},
        "factor of all that an attempt is measured by: what limits allow at most, and how far from "
        "a target or place counts as there; `least` is divided by it. Above 1 the exercise is "
        "easier and takes another name, so that a course does not count it")
        .otherwise(1.0);
inline constexpr Key briefing = texts("briefing", 40, "one for each paragraph");
inline constexpr Key machine =
    text("machine", "the machine used when none is named").must().to<&Exercise::machine>();
inline constexpr Key levers =
    text("levers", "the lever pattern used when none is named").must().to<&Exercise::levers>();
inline constexpr Key start = named("start", initial::table, "where joints start");
inline constexpr Key ground = table("ground", keys::ground::table, "its bumps");
inline constexpr Key stems = tables("stem", stem::table, timber::kMostStems, "standing trees");
inline constexpr Key bunks = tables("bunk", bunk::table, 16, "two beams with stakes at their ends");
inline constexpr Key logs = tables("log", log::table, static_cast<std::size_t>(world::kMaxLogs),
                                   "lie on the ground at the start");
inline constexpr Key piles = tables("pile", pile::table, 40, "of logs; all logs together: 200");
inline constexpr Key places = tables("place", place::table, 40, "marked places for logs");
inline constexpr Key variant = table("variant", keys::variant::table, "what another seed changes");
inline constexpr Key points =
    table("points", keys::points::table, "times between which an attempt earns points");
inline constexpr Key stand =
    table("stand", keys::stand_area::table,
          "a rectangle whose trees are counted: basal area before and after, and damaged ones");
inline constexpr Key grid =
    table("grid", keys::grid::table, "single logs about the machine, each with its log task");
inline constexpr Key contact = table("contact", keys::contact::table,
                                     "as [explained](../theory/contact.md) with the contact law");
inline constexpr Key way =
    table("way", keys::way::table, "a way for the wheels, with the stems beside it");
inline constexpr Key task = table("task", keys::task::table, "what is to be done").must();
inline constexpr Key targets =
    tables("target", target::table, 200, "where the tip or the head is to go");
inline constexpr Key fell_tasks =
    tables("fell", fell_task::table, 32, "trees to be felled, in this order");
inline constexpr Key visitors =
    tables("visitor", visitor::table, training::kMaxVisitors, "people and vehicles that come by");
inline constexpr Key products = tables(
    "product", product::table, 40,
    "what a harvester's head cuts, under bark, as in a price list; the first six lengths are "
    "those of its buttons");
inline constexpr Key spare_logs =
    whole("spare_logs", 0, 64, "places for logs that a head cuts; without one left it cuts none")
        .otherwise(0.0);
inline constexpr Key log_tasks =
    tables("log_task", log_task::table, static_cast<std::size_t>(world::kMaxLogs),
           "which log belongs into which bunk or place");
inline constexpr Key limits = named("limits", limit::table, "figures that must be kept to pass");
inline constexpr Key faults = fault::own();
inline constexpr Key fault_lot =
    table("fault_lot", keys::fault_lot::table, "a card of faults drawn at random");
inline constexpr Key rate =
    number("rate", D::kFrequency, {250.0, 2000.0},
           "ticks a second. Below 1000 a tick is computed in steps of 1 ms at most")
        .to<&Exercise::rate_Hz>();
inline constexpr Key all[] = {
    keys::name("").to<&Exercise::name>(),
    text("title", "for people").must().to<&Exercise::title>(),
    briefing,
    tolerance,
    machine,
    levers,
    word_of("control_mode", kModes, "").to<&Exercise::mode>(),
    word_of("fidelity", kFidelities, "").to<&Exercise::fidelity>(),
    rate,
    number("time_limit", D::kTime, {1.0, 1e5}, "").to<&Exercise::time_limit_s>().otherwise("none"),
    whole("lesson", 1, 10000,
          "its place in the menu, the easiest first; without it the exercise comes after all that "
          "have one, by name")
        .to<&Exercise::lesson>()
        .otherwise("none"),
    flag("load_space", "`false`: the machine's stakes and headboard, if it has them, are taken off")
        .to<&Exercise::load_space>(),
    plain("grapple_opening", {0.0, 1.0}, "of the jaws at the start, 0 closed to 1 open")
        .to<&Exercise::grapple_opening>(),
    start,
    ground,
    stems,
    bunks,
    logs,
    piles,
    places,
    variant,
    grid,
    contact,
    way,
    task,
    targets,
    log_tasks,
    fell_tasks,
    visitors,
    products,
    spare_logs,
    points,
    stand,
    limits,
    faults,
    fault_lot,
};
inline constexpr KeyTable table{"exercise", "", all};
}  // namespace exercise_file

}  // namespace knuckleboom::declare::keys
