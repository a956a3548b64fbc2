// Exercise files: what they say, that every number of them counts, and how wrong ones are refused.

#include "knuckleboom/io/exercise_file.hpp"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io_test_support.hpp"
#include "knuckleboom/core/machine/tip.hpp"
#include "knuckleboom/core/training/load_part.hpp"
#include "knuckleboom/io/machine_file.hpp"

namespace knuckleboom::exercise_file_test {
namespace {

using test::config;
using test::faults;
using test::joined;
using test::replaced;
using test::slurp;
using training::Exercise;
using training::TaskKind;

constexpr double kDegree = 3.14159265358979323846 / 180.0;

// An exercise with logs and one with targets, each with all its keys.
const char kLogs[] = R"(name = "everything"
title = "Uses every key"
briefing = ["First.", "Second."]
machine = "harvester"
levers = "nordic"
control_mode = "joint_rate"
fidelity = "full"
rate_Hz = 500
time_limit_s = 900
grapple_opening = 0.25

[start.swing]
position_deg = 90
port_b_bar = 50

[start.boom]
position_rad = 0.5
port_a_MPa = 3

[ground]
seed = 42
size_m = 60
spacing_cm = 40
bump_height_cm = 7
bump_length_m = 5
slope_x = 0.02
slope_y = -0.01
level_radius_m = 4

[contact]
stiffness_kN_per_m = 900
damping_ratio = 0.4
friction = 0.7
rolling_resistance = 0.05

[[stem]]
name = "old_pine"
position_m = [10, 3]
height_m = 20
radius_cm = 18

[[stem]]
position_m = [-10, 4]

[[bunk]]
name = "left"
position_m = [0.5, 6]
heading_deg = 10
length_m = 2.2
width_m = 1.5
height_m = 1.1
colour = "red"

[[bunk]]
name = "right"
position_m = [0, -6]

[[log]]
name = "a"
position_m = [6, 1]
heading_deg = 95
length_m = 3.2
radius_mm = 130
density_kg_per_m3 = 900
colour = "red"
lift_cm = 2

[[log]]
name = "b"
position_m = [6.5, -3]
heading_deg = 80
colour = "blue"

[task]
kind = "logs"

[[log_task]]
log = "b"
bunk = "right"

[[log_task]]
log = "a"
bunk = "left"

[limits]
time_s = { most = 600 }
placed = { least = 1, most = 2 }
)";

const char kHead[] = R"(name = "head"
title = "Head"
machine = "harvester"
levers = "nordic"

[task]
kind = "head"

[[target]]
name = "first"
position_m = [6, 1, 2]
axis = [0, 3, 4]
radius_cm = 15
angle_deg = 12
dwell_s = 1.5

[[target]]
position_m = [6, -1, 2]
)";

Exercise parse(const std::string& text, const std::vector<io::Override>& overrides = {}) {
  return io::read_exercise_text(text, "e.toml", overrides).exercise;
}

std::vector<io::Diagnostic> read(const std::string& text) {
  return faults([&] { parse(text); });
}

TEST(ExerciseFile, EveryKeyIsRead) {
  const Exercise e = parse(kLogs);
  EXPECT_EQ(e.name, "everything");
  EXPECT_EQ(e.title, "Uses every key");
  EXPECT_EQ(e.briefing, (std::vector<std::string>{"First.", "Second."}));
  EXPECT_EQ(e.machine, "harvester");
  EXPECT_EQ(e.levers, "nordic");
  EXPECT_EQ(e.mode, command::ControlMode::kJointRate);
  EXPECT_EQ(e.fidelity, machine::Fidelity::kFull);
  EXPECT_EQ(e.rate_Hz, 500.0);
  EXPECT_EQ(e.time_limit_s, 900.0);
  EXPECT_EQ(e.grapple_opening, 0.25);
  ASSERT_EQ(e.initial.size(), 2u);
  EXPECT_EQ(e.initial[0].joint, "swing");
  EXPECT_EQ(e.initial[0].position, 90.0 * kDegree);
  EXPECT_TRUE(e.initial[0].port_b_given);
  EXPECT_EQ(e.initial[1].port_a_Pa, 3e6);

  const world::WorldRecipe& w = e.world;
  EXPECT_EQ(w.ground.seed, 42u);
  EXPECT_EQ(w.ground.size, 60.0);
  EXPECT_EQ(w.ground.spacing, 0.4);
  EXPECT_EQ(w.ground.bump_height, 0.07);
  EXPECT_EQ(w.ground.bump_length, 5.0);
  EXPECT_EQ(w.ground.slope_x, 0.02);
  EXPECT_EQ(w.ground.slope_y, -0.01);
  EXPECT_EQ(w.ground.level_radius, 4.0);
  EXPECT_EQ(w.contact.stiffness, 9e5);
  EXPECT_EQ(w.contact.damping_ratio, 0.4);
  EXPECT_EQ(w.contact.friction, 0.7);
  EXPECT_EQ(w.contact.rolling_resistance, 0.05);
  ASSERT_EQ(w.stems.size(), 2u);
  EXPECT_EQ(w.stems[0].name, "old_pine");
  EXPECT_EQ(w.stems[0].y, 3.0);
  EXPECT_EQ(w.stems[0].height, 20.0);
  EXPECT_EQ(w.stems[0].radius, 0.18);
  EXPECT_EQ(w.stems[1].x, -10.0);
  ASSERT_EQ(w.bunks.size(), 2u);
  EXPECT_EQ(w.bunks[0].name, "left");
  EXPECT_EQ(w.bunks[0].x, 0.5);
  EXPECT_EQ(w.bunks[0].heading, 10.0 * kDegree);
  EXPECT_EQ(w.bunks[0].length, 2.2);
  EXPECT_EQ(w.bunks[0].width, 1.5);
  EXPECT_EQ(w.bunks[0].height, 1.1);
  EXPECT_EQ(w.bunks[0].colour, 1);
  EXPECT_EQ(w.bunks[1].colour, 0);
  ASSERT_EQ(w.logs.size(), 2u);
  EXPECT_EQ(w.logs[0].length, 3.2);
  EXPECT_EQ(w.logs[0].radius, 0.13);
  EXPECT_EQ(w.logs[0].density, 900.0);
  EXPECT_EQ(w.logs[0].heading, 95.0 * kDegree);
  EXPECT_EQ(w.logs[0].lift, 0.02);
  EXPECT_EQ(w.logs[0].colour, 1);
  EXPECT_EQ(w.logs[1].colour, 2);

  EXPECT_EQ(e.task, TaskKind::kLogs);
  ASSERT_EQ(e.log_tasks.size(), 2u);
  EXPECT_EQ(e.log_tasks[0].log, 1);
  EXPECT_EQ(e.log_tasks[0].bunk, 1);
  EXPECT_EQ(e.log_tasks[1].log, 0);
  EXPECT_EQ(e.log_tasks[1].bunk, 0);
  ASSERT_EQ(e.limits.size(), 2u);
  EXPECT_EQ(e.limits[0].figure, "time_s");
  EXPECT_TRUE(e.limits[0].has_most);
  EXPECT_FALSE(e.limits[0].has_least);
  EXPECT_EQ(e.limits[0].most, 600.0);
  EXPECT_EQ(e.limits[1].least, 1.0);
  EXPECT_EQ(e.limits[1].most, 2.0);
}

TEST(ExerciseFile, TargetsAreRead) {
  const Exercise e = parse(kHead);
  EXPECT_EQ(e.task, TaskKind::kHead);
  ASSERT_EQ(e.targets.size(), 2u);
  EXPECT_EQ(e.targets[0].name, "first");
  EXPECT_EQ(e.targets[0].p_W, Vec3(6.0, 1.0, 2.0));
  EXPECT_EQ(e.targets[0].axis_W, Vec3(0.0, 0.6, 0.8));
  EXPECT_EQ(e.targets[0].radius, 0.15);
  EXPECT_DOUBLE_EQ(e.targets[0].angle, 12.0 * kDegree);
  EXPECT_EQ(e.targets[0].dwell_s, 1.5);
  EXPECT_EQ(e.targets[1].dwell_s, 0.0);
}

TEST(ExerciseFile, WhatIsNotSaidIsPlain) {
  const Exercise e = parse(
      "name = \"e\"\ntitle = \"t\"\nmachine = \"harvester\"\nlevers = \"nordic\"\n"
      "[task]\nkind = \"free\"\n");
  EXPECT_EQ(e.mode, command::ControlMode::kValve);
  EXPECT_EQ(e.fidelity, machine::Fidelity::kReduced);
  EXPECT_EQ(e.rate_Hz, 1000.0);
  EXPECT_EQ(e.time_limit_s, 0.0);
  EXPECT_EQ(e.grapple_opening, 1.0);
  EXPECT_TRUE(e.world.stems.empty());
  EXPECT_TRUE(e.limits.empty());
}

// --- Every number counts ------------------------------------------------------

std::string dump(const Exercise& e) {
  std::ostringstream s;
  s << std::hexfloat;
  const auto add = [&](auto... values) { ((s << values << ' '), ...) << '\n'; };
  add(e.rate_Hz, e.time_limit_s, e.grapple_opening);
  for (const auto& j : e.initial) add(j.joint, j.position, j.port_a_Pa, j.port_b_Pa);
  const world::GroundRecipe& g = e.world.ground;
  add(g.seed, g.size, g.spacing, g.bump_height, g.bump_length, g.slope_x, g.slope_y,
      g.level_radius);
  const world::ContactLaw& c = e.world.contact;
  add(c.stiffness, c.damping_ratio, c.friction, c.rolling_resistance);
  for (const auto& t : e.world.stems) add(t.x, t.y, t.height, t.radius);
  for (const auto& b : e.world.bunks) add(b.x, b.y, b.heading, b.length, b.width, b.height);
  for (const auto& l : e.world.logs)
    add(l.length, l.radius, l.density, l.x, l.y, l.heading, l.lift);
  for (const auto& t : e.targets)
    add(t.p_W.x(), t.p_W.y(), t.p_W.z(), t.axis_W.x(), t.axis_W.y(), t.axis_W.z(), t.radius,
        t.angle, t.dwell_s);
  for (const auto& l : e.limits) add(l.figure, l.most, l.least);
  return s.str();
}

struct Number {
  std::size_t at, length;
};

// Numbers of the values: behind '=', outside strings and remarks.
std::vector<Number> numbers_of(const std::string& text) {
  std::vector<Number> found;
  bool value = false, quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') value = false;
    if (c == '"') quoted = !quoted;
    if (c == '=' && !quoted) value = true;
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (quoted || !value || (!digit && c != '-')) continue;
    const std::size_t end = std::min(text.find_first_not_of("-0123456789.e", i), text.size());
    found.push_back({i, end - i});
    i = end - 1;
  }
  return found;
}

std::string changed(const std::string& text, const Number& number) {
  double value = 0.0;
  std::from_chars(text.data() + number.at, text.data() + number.at + number.length, value);
  std::string written;
  if (text.find("seed", text.rfind('\n', number.at)) < number.at) {
    written = "43";
  } else {
    std::ostringstream s;
    s.precision(17);
    s << (value == 0.0 ? 1e-3 : value * 1.0078125);
    written = s.str();
  }
  return text.substr(0, number.at) + written + text.substr(number.at + number.length);
}

TEST(ExerciseFile, EveryNumberCounts) {
  for (const std::string text : {kLogs, kHead}) {
    const std::string before = dump(parse(text));
    const auto numbers = numbers_of(text);
    EXPECT_GT(numbers.size(), text == kLogs ? 45u : 11u);
    for (const Number& number : numbers) {
      const std::string other = changed(text, number);
      const std::size_t line = text.rfind('\n', number.at) + 1;
      EXPECT_EQ(joined(read(other)), "") << text.substr(line, number.at - line);
      EXPECT_NE(dump(parse(other)), before) << text.substr(line, number.at - line);
    }
  }
}

TEST(ExerciseFile, TheHashNamesTheContent) {
  const auto hash = [](const std::string& text, const std::vector<io::Override>& o = {}) {
    return io::read_exercise_text(text, "e.toml", o).hash;
  };
  EXPECT_EQ(hash(kLogs), hash(kLogs));
  EXPECT_NE(hash(kLogs), hash(replaced(kLogs, "First.", "First!")));
  EXPECT_NE(hash(kLogs), hash(kLogs, {{"time_limit_s", "900"}}));
}

TEST(ExerciseFile, TakesOverrides) {
  const Exercise e = parse(
      kLogs, {{"time_limit_s", "100"}, {"log.b.radius_cm", "20"}, {"log_task.1.bunk", "right"}});
  EXPECT_EQ(e.time_limit_s, 100.0);
  EXPECT_EQ(e.world.logs[1].radius, 0.2);
  EXPECT_EQ(e.log_tasks[1].bunk, 1);
}

// Places, where a log lay at the start, variants and points.
const char kPlaces[] = R"(name = "places"
title = "Places"
machine = "forwarder"
levers = "nordic"

[[log]]
name = "a"
position_m = [5, 2]
heading_deg = 20
length_m = 3
radius_m = 0.1
lift_m = 0.2

[[log]]
name = "b"
position_m = [7, -3]

[[place]]
name = "mark"
position_m = [6, -1]
heading_deg = 90
radius_m = 0.2
tilt_deg = 10

[variant]
logs_shift_m = 0.3
logs_turn_deg = 15
logs_size = 0.15
places_shift_m = 0.1

[task]
kind = "logs"

[[log_task]]
log = "a"
place = "mark"
timed = false

[[log_task]]
log = "a"
place = "a"

[points]
experienced_s = 60
experienced_source = "estimate"
beginner_s = 160
beginner_source = "estimate"

[limits]
collisions = { most = 1, source = "estimate" }
)";

TEST(ExerciseFile, APlaceMayBeForAProduct) {
  const std::string places = R"(
[[place]]
name = "pile"
product = "pulp"
position_m = [1, 5]
)";
  const std::string bucking = slurp(config("exercises/bucking.toml"));
  const Exercise e = parse(bucking + places);
  ASSERT_EQ(e.places.size(), 1u);
  EXPECT_EQ(e.prices.products[static_cast<std::size_t>(e.places[0].product)].name, "pulp");
  EXPECT_EQ(training::Place{}.product, -1);
}

TEST(ExerciseFile, PlacesAndPointsAreRead) {
  const Exercise e = parse(kPlaces);
  ASSERT_EQ(e.places.size(), 2u);  // that of log a is made from it
  EXPECT_EQ(e.places[0].name, "mark");
  EXPECT_EQ(e.places[0].radius, 0.2);
  EXPECT_LT(e.places[0].height, 0.0);
  EXPECT_EQ(e.places[1].name, "a");
  EXPECT_EQ(e.places[1].y, 2.0);
  EXPECT_DOUBLE_EQ(e.places[1].heading, 20.0 * kDegree);
  EXPECT_DOUBLE_EQ(e.places[1].height, 0.3);
  ASSERT_EQ(e.log_tasks.size(), 2u);
  EXPECT_EQ(e.log_tasks[0].place, 0);
  EXPECT_EQ(e.log_tasks[0].bunk, -1);
  EXPECT_FALSE(e.log_tasks[0].timed);
  EXPECT_EQ(e.log_tasks[1].place, 1);
  EXPECT_TRUE(e.log_tasks[1].timed);
  EXPECT_EQ(e.stand_s, 0.0);
  EXPECT_EQ(parse(kLogs, {{"task.stand_s", "2"}}).stand_s, 2.0);
  EXPECT_EQ(e.points.beginner_s, 160.0);
  // It takes 0.3 of the points for time, and 60 points.
  ASSERT_EQ(e.limits.size(), 3u);
  EXPECT_EQ(e.limits[0].source, "estimate");
  EXPECT_EQ(e.limits[1].figure, "counted_s");
  EXPECT_DOUBLE_EQ(e.limits[1].most, 130.0);
  EXPECT_EQ(e.limits[2].figure, "points");
  EXPECT_EQ(e.limits[2].least, 60.0);
}

TEST(ExerciseFile, AVariantMovesLogsAndPlacesWithinItsBounds) {
  const Exercise as_written = parse(kPlaces);
  double furthest = 0.0;
  for (const char* seed : {"1", "2", "3", "4", "5", "6", "7", "8"}) {
    const Exercise e = parse(kPlaces, {{"variant.seed", seed}});
    for (std::size_t i = 0; i < 2; ++i) {
      const world::Log &is = e.world.logs[i], &was = as_written.world.logs[i];
      for (const double d : {is.x - was.x, is.y - was.y}) {
        EXPECT_LE(std::abs(d), 0.3);
        furthest = std::max(furthest, std::abs(d));
      }
      EXPECT_LE(std::abs(is.heading - was.heading), 15.0 * kDegree);
      EXPECT_LE(std::abs(is.length / was.length - 1.0), 0.15);
      EXPECT_LE(std::abs(is.radius / was.radius - 1.0), 0.15);
    }
    EXPECT_LE(std::abs(e.places[0].x - 6.0), 0.1);
    EXPECT_EQ(e.places[0].heading, as_written.places[0].heading);
    EXPECT_EQ(e.places[1].x, e.world.logs[0].x);  // where it lies now
    EXPECT_EQ(parse(kPlaces, {{"variant.seed", seed}}).world.logs[1].x, e.world.logs[1].x);
  }
  EXPECT_GT(furthest, 0.2);
}

// --- What is refused ----------------------------------------------------------

struct BadInput {
  const char* what;
  const char* text;
  const char* from;
  const char* to;
  const char* fragment;
  const char* marker;
};

std::ostream& operator<<(std::ostream& stream, const BadInput& input) {
  return stream << input.what;
}

class ExerciseFileErrors : public testing::TestWithParam<BadInput> {};

TEST_P(ExerciseFileErrors, AreToldWithTheirPlace) {
  const BadInput& input = GetParam();
  const std::string text = replaced(input.text, input.from, input.to);
  ASSERT_FALSE(text.empty()) << input.from;
  const auto found = read(text);
  ASSERT_EQ(found.size(), 1u) << joined(found);
  EXPECT_NE(found[0].message.find(input.fragment), std::string::npos) << joined(found);
  EXPECT_EQ(found[0].line, test::line_of(text, input.marker)) << joined(found);
}

const BadInput kBadInputs[] = {
    {"UnknownKey", kLogs, "time_limit_s", "time_limits_s", "did you mean 'time_limit_s'?",
     "time_limits_s"},
    {"NoTitle", kLogs, "title = \"Uses every key\"\n", "", "lacks 'title'", "name = "},
    {"BadName", kLogs, "name = \"everything\"", "name = \"every thing\"",
     "a name starts with a letter", "name = "},
    {"BriefingOfNumbers", kLogs, "[\"First.\", \"Second.\"]", "[1, 2]",
     "must be an array of at most 40 strings", "briefing"},
    {"BriefingOfOneString", kLogs, "[\"First.\", \"Second.\"]", "\"First.\"",
     "must be an array of at most 40 strings", "briefing"},
    {"BadMode", kLogs, "\"joint_rate\"", "\"joint_rates\"", "did you mean 'joint_rate'?",
     "control_mode"},
    {"SlowRate", kLogs, "rate_Hz = 500", "rate_Hz = 100", "at least 250 Hz and at most 2000 Hz",
     "rate_Hz"},
    {"WideOpening", kLogs, "grapple_opening = 0.25", "grapple_opening = 1.25", "at most 1",
     "grapple_opening"},
    {"StartNotATable", kLogs, "[start.swing]\nposition_deg = 90\nport_b_bar = 50\n",
     "[start]\nswing = 1\n", "'start' holds one table for each joint, headed [start.JOINT]",
     "swing = 1"},
    {"NegativeSeed", kLogs, "seed = 42", "seed = -1", "it must be at least 0", "seed"},
    {"StemInStem", kLogs, "position_m = [-10, 4]", "position_m = [10.1, 3.2]",
     "overlaps another stem", "[10.1, 3.2]"},
    {"StemWithoutPlace", kLogs, "position_m = [-10, 4]", "", "lacks 'position'",
     "[[stem]]\n\n\n[[bunk]]"},
    {"PlaceWithHeight", kLogs, "position_m = [-10, 4]", "position_m = [-10, 4, 1]",
     "has 3 entries; expected 2 numbers", "[-10, 4, 1]"},
    {"ShortBumps", kLogs, "bump_length_m = 5", "bump_length_m = 0.7", "at least twice as long",
     "bump_length_m"},
    {"LogInBunk", kLogs, "position_m = [6.5, -3]\nheading_deg = 80",
     "position_m = [0, -6]\nheading_deg = 0", "Log \"b\" starts inside a bunk", "name = "},
    {"LightLog", kLogs, "position_m = [6.5, -3]",
     "position_m = [6.5, -3]\nlength_m = 0.1\nradius_m = 0.03",
     "too light for the contact stiffness", "name = "},
    {"TwoBunksOfAName", kLogs, "name = \"right\"\nposition_m = [0, -6]",
     "name = \"left\"\nposition_m = [0, -6]\n[[bunk]]\nname = \"right\"\nposition_m = [0, 9]",
     "there are two 'left'", "name = \"left\"\nposition_m = [0, -6]"},
    {"UnknownColour", kLogs, "colour = \"blue\"", "colour = \"green\"",
     "expected bark, red or blue", "colour = \"green\""},
    {"ThickLog", kLogs, "length_m = 3.2", "length_m = 0.2",
     "must be longer than 2.5 times its radius", "length_m = 0.2"},
    {"LogInLog", kLogs, "position_m = [6.5, -3]", "position_m = [6, -1]", "lies in log 'a'",
     "[6, -1]"},
    {"LogAcrossLog", kLogs, "position_m = [6.5, -3]\nheading_deg = 80",
     "position_m = [6, 1]\nheading_deg = 5", "lies in log 'a'", "[6, 1]\nheading_deg = 5"},
    {"LogInStem", kLogs, "position_m = [6.5, -3]\nheading_deg = 80",
     "position_m = [9, 3]\nheading_deg = 0", "lies in the stem at [10, 3] m", "[9, 3]"},
    {"NoTask", kLogs, "[task]\nkind = \"logs\"\n", "", "lacks 'task'", "name = "},
    {"NoKind", kLogs, "kind = \"logs\"\n", "", "'task' lacks 'kind'", "[task]"},
    {"UnknownKind", kLogs, "kind = \"logs\"", "kind = \"log\"", "did you mean 'logs'?",
     "kind = \"log\""},
    {"UnknownProduct", kPlaces, "tilt_deg = 10", "tilt_deg = 10\nproduct = \"pulp\"",
     "there is no product 'pulp'", "product = \"pulp\""},
    {"UnknownPlace", kPlaces, "place = \"mark\"", "place = \"marc\"",
     "there is no place and no log 'marc'; did you mean 'mark'?", "place = \"marc\""},
    {"NoWhere", kPlaces, "place = \"mark\"\n", "", "add 'bunk' or 'place'", "log = \"a\"\ntimed"},
    {"PlaceTwice", kPlaces, "place = \"a\"\n", "place = \"mark\"\n", "carried twice to 'mark'",
     "log = \"a\"\nplace = \"mark\"\n\n[points]"},
    {"PlaceWhereItLies", kPlaces, "place = \"mark\"", "place = \"a\"", "lies in its place already",
     "log = \"a\"\nplace = \"a\"\ntimed"},
    {"PlaceOfALogsName", kPlaces, "name = \"b\"", "name = \"mark\"",
     "a log is called 'mark' as well", "name = \"mark\"\nposition_m = [6, -1]"},
    {"AgainAlthoughItStands", kPlaces, "kind = \"logs\"\n", "kind = \"logs\"\nstand_s = 2\n",
     "is carried again", "log = \"a\"\nplace = \"a\""},
    {"StandingTargets", kHead, "kind = \"head\"\n", "kind = \"head\"\nstand_s = 2\n",
     "only a task of kind \"logs\" has 'stand'", "stand_s"},
    {"SlowExpert", kPlaces, "experienced_s = 60", "experienced_s = 160",
     "must be longer than that of the experienced operator", "beginner_s = 160"},
    {"TimeWithoutSource", kPlaces, "beginner_source = \"estimate\"\n", "",
     "lacks 'beginner_source'", "[points]"},
    {"UnknownLog", kLogs, "log = \"b\"", "log = \"c\"", "there is no log 'c'", "log = \"c\""},
    {"UnknownBunk", kLogs, "bunk = \"right\"", "bunk = \"rihgt\"", "did you mean 'right'?",
     "rihgt"},
    {"LogCarriedTwice", kLogs, "log = \"a\"\nbunk = \"left\"", "log = \"b\"\nbunk = \"right\"",
     "log 'b' is carried twice to 'right'", "log = \"b\"\nbunk = \"right\"\n\n[limits]"},
    {"LogTasksWithoutNeed", kLogs, "kind = \"logs\"", "kind = \"free\"", "carries no logs",
     "[[log_task]]"},
    {"UnknownFigure", kLogs, "time_s = {", "times_s = {", "'limits' has no figure 'times_s'",
     "times_s"},
    {"LimitOfNothing", kLogs, "{ most = 600 }", "{ }", "says nothing", "time_s = { }"},
    {"LimitNotATable", kLogs, "{ most = 600 }", "600", "must be a table, such as { most = 3 }",
     "time_s = 600"},
    {"LimitNobodyKeeps", kLogs, "least = 1", "least = 3", "'most' is below 'least'", "least = 3"},
    {"LimitWithOtherKey", kLogs, "{ most = 600 }", "{ most = 600, max = 3 }", "has no key 'max'",
     "max = 3"},
    {"TargetsWithoutNeed", kHead, "kind = \"head\"", "kind = \"free\"", "has no targets",
     "[[target]]"},
    {"AxisWithoutNeed", kHead,
     "kind = \"head\"\n\n[[target]]\nname = \"first\"\nposition_m = [6, 1, 2]\naxis = [0, 3, "
     "4]\nradius_cm = 15\nangle_deg = 12\n",
     "kind = \"reach\"\n\n[[target]]\nname = \"first\"\nposition_m = [6, 1, 2]\naxis = [0, 3, 4]\n",
     "only a task of kind \"head\" has 'axis'", "axis"},
    {"PlumbOfAGrip", kHead, "radius_cm = 15\n", "radius_cm = 15\nplumb_deg = 6\n",
     "only a task of kind \"reach\" has 'plumb'", "plumb_deg"},
    {"AxisOfNothing", kHead, "[0, 3, 4]", "[0, 0, 0]", "the axis has no direction", "[0, 0, 0]"},
    {"TargetWithoutPlace", kHead, "position_m = [6, -1, 2]", "", "lacks 'position'",
     "[[target]]\n\n"},
    {"DwellOnAPath", kHead,
     "kind = \"head\"\n\n[[target]]\nname = \"first\"\nposition_m = [6, 1, 2]\naxis = [0, 3, "
     "4]\nradius_cm = 15\nangle_deg = 12\n",
     "kind = \"path\"\n\n[[target]]\nname = \"first\"\nposition_m = [6, 1, 2]\n",
     "a path is followed without stopping", "dwell_s"},
};

INSTANTIATE_TEST_SUITE_P(OneChange, ExerciseFileErrors, testing::ValuesIn(kBadInputs),
                         [](const testing::TestParamInfo<BadInput>& info) {
                           return info.param.what;
                         });

// A seed moves each target, never by more than the file says; the angle from plumb widens as the others do.
TEST(ExerciseFile, TargetsMayVary) {
  const std::string text =
      "name = \"e\"\ntitle = \"t\"\nmachine = \"harvester\"\nlevers = \"nordic\"\ntolerance = 2\n"
      "[task]\nkind = \"reach\"\n[[target]]\nposition_m = [6, 1, 2]\nplumb_deg = 5\n"
      "[variant]\ntargets_shift_m = 0.3\nseed = ";
  EXPECT_EQ(parse(text + "0\n").targets[0].p_W, Vec3(6.0, 1.0, 2.0));
  EXPECT_DOUBLE_EQ(parse(text + "0\n").targets[0].plumb, 10.0 * kDegree);
  const Vec3 one = parse(text + "1\n").targets[0].p_W - Vec3(6.0, 1.0, 2.0);
  for (int c = 0; c < 3; ++c) {
    EXPECT_NE(one(c), 0.0);
    EXPECT_LE(std::fabs(one(c)), 0.3);
  }
  EXPECT_NE(parse(text + "2\n").targets[0].p_W, parse(text + "1\n").targets[0].p_W);
}

TEST(ExerciseFile, TasksNeedWhatTheyAskFor) {
  const std::string none =
      "name = \"e\"\ntitle = \"t\"\nmachine = \"harvester\"\nlevers = \"nordic\"\n"
      "[task]\nkind = \"free\"\n";
  const auto with = [&](const std::string& kind, const std::string& more = "") {
    return joined(read(replaced(none, "free", kind) + more));
  };
  EXPECT_EQ(with("free"), "");
  EXPECT_NE(with("reach").find("needs targets; add at least 1 [[target]]"), std::string::npos);
  EXPECT_NE(with("head").find("needs targets; add at least 1 [[target]]"), std::string::npos);
  EXPECT_NE(with("path").find("needs targets; add at least 2 [[target]]"), std::string::npos);
  EXPECT_NE(with("logs").find("add at least one [[log_task]]"), std::string::npos);
  const std::string target = "[[target]]\nposition_m = [6, 0, 3]\n";
  EXPECT_NE(with("path", target).find("a path needs at least 2 targets"), std::string::npos);
  EXPECT_NE(with("path", target + target).find("the path does not go on"), std::string::npos);
  EXPECT_EQ(with("reach", target), "");
  EXPECT_NE(with("drive").find("the task is to drive; add the [way] to follow"), std::string::npos);
  const std::string way =
      "[way]\n[[way.corner]]\nposition_m = [0, 0]\n[[way.corner]]\nposition_m = [-40, 0]\n";
  EXPECT_NE(with("drive", way).find("add a [[way.stop]]"), std::string::npos);
  EXPECT_EQ(with("drive", way + "[[way.stop]]\nalong_m = 30\n"), "");
  EXPECT_NE(with("drive", way + "[[way.stop]]\nalong_m = 60\n").find("only 40 m long"),
            std::string::npos);
  // At the stop that is wrong, by the numbers of the file, wherever chance puts it.
  const auto stops = [&](const std::string& more) {
    return read(replaced(none, "free", "drive") + way +
                "[[way.stop]]\nalong_m = 30\n[[way.stop]]\n" + more);
  };
  const auto close = stops("along_m = 30.2\n");
  ASSERT_EQ(close.size(), 1u) << joined(close);
  EXPECT_EQ(close[0].line, 15);
  EXPECT_NE(close[0].message.find("not beyond the one before, at 30 m"), std::string::npos);
  EXPECT_EQ(stops("along_m = 41\n")[0].line, 15);
  EXPECT_NE(with("free", "[way]\nwidth_m = 4\n").find("corner"), std::string::npos);
}

TEST(ExerciseFile, AKnownKeyIsNeverSaidToBeUnknown) {
  const std::string both = replaced(kLogs, "bunk = \"right\"", "bunk = \"right\"\nplace = \"a\"");
  const std::string text = joined(read(both));
  EXPECT_NE(text.find("a log goes to a bunk or to a place, not to both"), std::string::npos)
      << text;
  EXPECT_NE(text.find("'bunk' has no use beside the other keys of"), std::string::npos) << text;
  EXPECT_EQ(text.find("did you mean"), std::string::npos) << text;
}

TEST(ExerciseFile, VisitorsAreRead) {
  const std::string visitor =
      std::string(kHead) +
      "[variant]\nseed = 3\nvisitors_shift_s = 2\n[[visitor]]\nname = \"anna\"\nkind = "
      "\"vehicle\"\n"
      "from_s = 9\nspeed_m_per_s = 3\n[[visitor.point]]\nposition_m = [1, 2]\nwait_s = 4\n"
      "[[visitor.point]]\nposition_m = [3, 5]\n";
  const Exercise exercise = parse(visitor);
  ASSERT_EQ(exercise.visitors.size(), 1U);
  const training::Visitor& anna = exercise.visitors[0];
  EXPECT_EQ(anna.kind, training::VisitorKind::kVehicle);
  EXPECT_EQ(anna.speed, 3.0);
  EXPECT_NE(anna.from_s, 9.0);
  EXPECT_NEAR(anna.from_s, 9.0, 2.0);
  EXPECT_EQ(parse(visitor, {{"variant.seed", "0"}}).visitors[0].from_s, 9.0);
  ASSERT_EQ(anna.points.size(), 2U);
  EXPECT_EQ(anna.points[0].wait_s, 4.0);
  EXPECT_EQ(anna.points[1].y, 5.0);
  EXPECT_THAT(joined(read(replaced(visitor, "[3, 5]", "[1, 2]"))),
              testing::HasSubstr("the way does not go on from the point before; move one of them"));
  EXPECT_THAT(joined(read(replaced(visitor, "vehicle", "bear"))), testing::HasSubstr("bear"));
  EXPECT_THAT(
      joined(read(std::string(kHead) + "[[visitor]]\nname = \"anna\"\nkind = \"person\"\n")),
      testing::HasSubstr("point"));
}

TEST(ExerciseFile, DrivingNeedsWheels) {
  const std::string text =
      "name = \"e\"\ntitle = \"t\"\nmachine = \"harvester\"\nlevers = \"nordic\"\n"
      "[task]\nkind = \"drive\"\n[way]\n[[way.corner]]\nposition_m = [0, 0]\n"
      "[[way.corner]]\nposition_m = [-40, 0]\n[[way.stop]]\nalong_m = 30\n";
  const io::ExerciseFile file = io::read_exercise_text(text, "e.toml");
  const auto found = io::check_against(
      file.exercise, io::read_machine(config("machines/harvester/machine.toml")).model,
      file.places);
  ASSERT_EQ(found.size(), 1u) << joined(found);
  EXPECT_NE(found[0].message.find("'harvester' has no wheels"), std::string::npos);
  EXPECT_EQ(found[0].line, 5);
}

TEST(ExerciseFile, FitsAMachineOrSaysWhyNot) {
  machine::MachineModel machine = io::read_machine(config("machines/harvester/machine.toml")).model;
  std::string text = replaced(kLogs, "[start.boom]", "[start.bom]");
  text = replaced(text, "position_deg = 90", "position_mm = 90");
  const io::ExerciseFile file = io::read_exercise_text(text, "e.toml");
  auto found = io::check_against(file.exercise, machine, file.places);
  ASSERT_EQ(found.size(), 3u) << joined(found);
  EXPECT_NE(found[0].message.find("values are lengths"), std::string::npos);
  EXPECT_EQ(found[0].line, test::line_of(text, "[start.swing]"));
  EXPECT_NE(found[1].message.find("no joint 'bom'; did you mean 'boom'?"), std::string::npos);
  EXPECT_NE(found[2].message.find("needs a grapple"), std::string::npos);
  EXPECT_EQ(found[2].line, test::line_of(text, "[task]"));
  machine.grapple.present = true;
  EXPECT_EQ(joined(io::check_against(parse(kLogs), machine)), "");
}

const char kFell[] = R"(name = "fell"
title = "Fell"
machine = "harvester_head"
levers = "nordic_head"

[variant]
seed = 3
trees_shift_m = 0.2
trees_size = 0.1
falls_turn_deg = 5

[task]
kind = "fell"

[[fell]]
stem = "one"
towards_deg = 90

[[stem]]
name = "one"
position_m = [6, 1]
species = "spruce"
dbh_cm = 20
height_m = 17

[[stem]]
name = "post"
position_m = [6, -3]
)";

TEST(ExerciseFile, TreesToBeFelledAreReadWithTheirSpecies) {
  const Exercise e = parse(kFell);
  EXPECT_EQ(e.task, TaskKind::kFell);
  ASSERT_EQ(e.fell_tasks.size(), 1U);
  EXPECT_EQ(e.fell_tasks[0].stem, 0);
  ASSERT_EQ(e.species.size(), 1U);
  EXPECT_EQ(e.species[0].density, 880.0);
  // Another seed, another tree; the post stays.
  const double turned = e.fell_tasks[0].towards - 0.5 * std::numbers::pi;
  EXPECT_GT(std::fabs(turned), 1e-3);
  EXPECT_LE(std::fabs(turned), 5.0 * std::numbers::pi / 180.0);
  EXPECT_NE(e.trees[0].dbh, 0.20);
  EXPECT_LE(std::fabs(e.trees[0].dbh - 0.20), 0.02 + 1e-12);
  EXPECT_NE(e.world.stems[0].x, 6.0);
  EXPECT_EQ(e.world.stems[0].radius, 0.5 * e.trees[0].dbh);
  EXPECT_EQ(e.world.stems[1].x, 6.0);
  const Exercise written = parse(replaced(kFell, "seed = 3", "seed = 0"));
  EXPECT_EQ(written.trees[0].dbh, 0.20);
  EXPECT_EQ(written.world.stems[0].x, 6.0);
  EXPECT_NEAR(written.fell_tasks[0].towards, 0.5 * std::numbers::pi, 1e-12);
}

TEST(ExerciseFile, WhatCannotBeFelledIsRefused) {
  const auto said = [](const std::string& text) { return joined(read(text)); };
  const std::string again = "\n[[fell]]\nstem = \"one\"\ntowards_deg = 0\n";
  EXPECT_NE(
      said(replaced(kFell, "stem = \"one\"", "stem = \"post\"")).find("stem 'post' is a post"),
      std::string::npos);
  EXPECT_NE(said(kFell + again).find("stem 'one' is felled twice"), std::string::npos);
  EXPECT_NE(said(replaced(kFell, "species = \"spruce\"", "species = \"spruc\"")).find("spruc"),
            std::string::npos);
  EXPECT_NE(said(replaced(kFell, "kind = \"fell\"", "kind = \"free\"")).find("fells no trees"),
            std::string::npos);
  const machine::MachineModel grapple =
      io::read_machine(config("machines/harvester_wheeled/machine.toml")).model;
  EXPECT_NE(joined(io::check_against(parse(kFell), grapple)).find("needs a harvester's head"),
            std::string::npos);
}

std::string with_pile(const std::string& keys) {
  return std::string(kLogs) + "\n[[pile]]\nname = \"heap\"\nposition_m = [-9, -9]\n" + keys;
}

TEST(ExerciseFile, PilesAreLogsLaidOnEachOther) {
  const std::string keys =
      "heading_deg = 90\ncount = 9\nbottom = 4\nlength_m = 3\nradius_cm = 8\n"
      "density_kg_per_m3 = 900\nspread = 0.2\nseed = 5\ncolour = \"red\"\n";
  const world::WorldRecipe world = parse(with_pile(keys)).world;
  const std::size_t before = parse(kLogs).world.logs.size();
  ASSERT_EQ(world.logs.size(), before + 9);
  double shortest = 9.0, longest = 0.0;
  for (std::size_t i = 0; i < 9; ++i) {
    const world::Log& log = world.logs[before + i];
    EXPECT_EQ(log.name, "heap_" + std::to_string(i + 1));
    EXPECT_NEAR(log.y, -9.0, 1e-12);
    EXPECT_EQ(log.density, 900.0);
    EXPECT_EQ(log.colour, 1);
    EXPECT_LE(std::fabs(log.radius - 0.08), 0.2 * 0.08);
    shortest = std::min(shortest, log.length);
    longest = std::max(longest, log.length);
  }
  EXPECT_GT(longest - shortest, 0.3);
  EXPECT_LE(longest, 3.6);
  // 4, 3 and 2 logs: the lowest lie, each next one in a gap.
  EXPECT_EQ(world.logs[before + 3].lift, 0.0);
  EXPECT_GT(world.logs[before + 4].lift, 0.16);
  EXPECT_NEAR(world.logs[before + 4].x, 0.5 * (world.logs[before].x + world.logs[before + 1].x),
              1e-9);
  EXPECT_NEAR(world.logs[before + 8].lift, 2.0 * world.logs[before + 4].lift, 1e-12);
  // The same seed gives the same logs.
  EXPECT_EQ(parse(with_pile(keys)).world.logs[before + 5].radius, world.logs[before + 5].radius);
  EXPECT_NE(parse(with_pile(replaced(keys, "seed = 5", "seed = 6"))).world.logs[before + 5].radius,
            world.logs[before + 5].radius);
}

// One log task for each log, the top one first; the seed of the variant moves the pile.
TEST(ExerciseFile, ALogOfAPileBelongsWhereThePileSays) {
  const std::string keys = "count = 3\nbottom = 2\nlift_m = 0.5\nbunk = ";
  const training::Exercise e = parse(with_pile(keys + "\"load_right\"\n"));
  const auto first = static_cast<int>(e.world.logs.size()) - 3;
  ASSERT_GE(e.log_tasks.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(e.log_tasks[static_cast<std::size_t>(i)].log, first + 2 - i);
    EXPECT_EQ(e.log_tasks[static_cast<std::size_t>(i)].bunk, training::kLoadRight);
    EXPECT_GE(e.world.logs[static_cast<std::size_t>(first + i)].lift, 0.5);
  }
  EXPECT_EQ(parse(with_pile(keys + "\"right\"\n")).log_tasks[0].bunk, 1);
  EXPECT_NE(joined(read(with_pile(keys + "\"load_top\"\n"))).find("no bunk 'load_top'"),
            std::string::npos);
  const training::Exercise moved =
      parse(with_pile(keys + "\"right\"\n[variant]\nlogs_shift_m = 0.3\nseed = 4\n"));
  const double away = moved.world.logs.back().x - e.world.logs.back().x;
  EXPECT_NE(away, 0.0);
  EXPECT_LE(std::fabs(away), 0.3 + 0.02);
}

// A log task for a pile is one for each of its logs, the top one first.
TEST(ExerciseFile, APileIsCarriedTogether) {
  const auto with_task = [](const std::string& keys) {
    return with_pile("count = 3\nbottom = 2\n") + "\n[[log_task]]\n" + keys;
  };
  const training::Exercise e = parse(with_task("pile = \"heap\"\nbunk = \"load_space\"\n") +
                                     "\n[[log_task]]\npile = \"heap\"\nbunk = \"right\"\n");
  const auto first = static_cast<int>(e.world.logs.size()) - 3;
  ASSERT_EQ(e.log_tasks.size(), parse(kLogs).log_tasks.size() + 6);
  EXPECT_FALSE(e.log_tasks.front().gathered);
  for (std::size_t i = 0; i < 6; ++i) {
    const training::LogTask& task = e.log_tasks[e.log_tasks.size() - 6 + i];
    EXPECT_EQ(task.log, first + 2 - static_cast<int>(i % 3));
    EXPECT_EQ(task.bunk, i < 3 ? training::kLoadSpace : 1);
    EXPECT_TRUE(task.gathered);
  }
  EXPECT_NE(joined(read(with_task("pile = \"heep\"\nbunk = \"right\"\n")))
                .find("there is no pile 'heep'; did you mean 'heap'?"),
            std::string::npos);
  EXPECT_NE(joined(read(with_task("pile = \"heap\"\nlog = \"a\"\nbunk = \"right\"\n")))
                .find("the log task has 'log' and 'pile'; remove one of them"),
            std::string::npos);
  EXPECT_NE(joined(read(with_task("bunk = \"right\"\n"))).find("lacks 'log'"), std::string::npos);
  // Each of its logs would lie where it lies.
  EXPECT_NE(joined(read(with_task("pile = \"heap\"\nbunk = \"right\"\n") +
                        "\n[[log_task]]\npile = \"heap\"\nbunk = \"right\"\n"))
                .find("log 'heap_3' is carried twice to 'right'"),
            std::string::npos);
}

TEST(ExerciseFile, ImpossiblePilesAreRefused) {
  // No bunk at all that could be meant.
  EXPECT_NE(joined(read(replaced(slurp(config("exercises/sorting.toml")), "\"load_left\"",
                                 "\"nowhere\"")))
                .find("no bunk 'nowhere'"),
            std::string::npos);
  EXPECT_NE(joined(read(with_pile("count = 11\nbottom = 4\n")))
                .find("pile 'heap' of 11 logs needs a wider lowest row: on 4 there is room for 10"),
            std::string::npos);
  EXPECT_NE(joined(read(replaced(with_pile(""), "[-9, -9]", "[6, -1]"))).find("lies in log"),
            std::string::npos);
  std::string many = kLogs;
  for (int i = 0; i < 6; ++i)
    many += "\n[[pile]]\nname = \"heap" + std::to_string(i) + "\"\nposition_m = [" +
            std::to_string(-20 + 8 * i) + ", -20]\ncount = 40\nbottom = 40\nradius_cm = 3\n";
  EXPECT_NE(joined(read(many)).find("logs with those of the piles; 200 is the most"),
            std::string::npos);
}

// The usual one of that name could not be reached.
TEST(ExerciseFile, MayNotNameAFaultAsTheMachinesUsualOnes) {
  machine::MachineModel machine = io::read_machine(config("machines/harvester/machine.toml")).model;
  machine.grapple.present = true;
  const std::string text =
      std::string(kLogs) +
      "\n[[fault]]\nname = \"mine\"\nkind = \"lever_delay\"\ndelay_ms = 100\n"
      "\n[[fault]]\nname = \"boom_low_relief\"\nkind = \"lever_delay\"\ndelay_ms = 101\n";
  const io::ExerciseFile file = io::read_exercise_text(text, "e.toml");
  const auto found = io::check_against(file.exercise, machine, file.places);
  ASSERT_EQ(found.size(), 1U) << joined(found);
  EXPECT_EQ(found[0].line, test::line_of(text, "name = \"boom_low_relief\"") - 1);
  EXPECT_NE(found[0].message.find("fault 'boom_low_relief' has the name of a usual fault"),
            std::string::npos);
}

TEST(ExerciseFile, SaysWhichLessonItIs) {
  EXPECT_EQ(parse(kLogs).lesson, 0);
  EXPECT_EQ(parse("lesson = 7\n" + std::string(kLogs)).lesson, 7);
  EXPECT_NE(joined(read("lesson = 0\n" + std::string(kLogs))).find("lesson"), std::string::npos);
}

}  // namespace
}  // namespace knuckleboom::exercise_file_test
