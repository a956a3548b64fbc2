// The other sub-commands and what all share, end to end.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "program.hpp"
#include "support/paths.hpp"

namespace knuckleboom::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

// --- Command line -------------------------------------------------------------

Outcome run_peer(const std::vector<std::string>& arguments) {
  return Program(arguments, {}, peer_binary()).wait();
}

// The candidates for the last word, as a shell gets them.
std::vector<std::string> completed(std::vector<std::string> words) {
  words.insert(words.begin(), "complete-words");
  std::istringstream lines(run(words).output);
  std::vector<std::string> found;
  for (std::string line; std::getline(lines, line);)
    found.push_back(line.substr(0, line.find('\t')));
  return found;
}

std::vector<std::string> sub_commands() {
  std::vector<std::string> names = completed({""});
  names.pop_back();  // the line about files
  return names;
}

TEST(CommandLine, helpsEverywhere) {
  EXPECT_THAT(sub_commands(), AllOf(SizeIs(Ge(18U)), Contains("run"), Contains("drive")));
  EXPECT_THAT(run({"--help"}).output, HasSubstr("Examples"));
  EXPECT_THAT(run({"--version"}).output, HasSubstr("knuckleboom "));
  for (const std::string& command : sub_commands()) {
    const Outcome outcome = run({command, "--help"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.output, AllOf(HasSubstr("Examples"), HasSubstr(command)));
  }
}

TEST(CommandLine, livesWithClosedStreams) {
  const std::string program = KNUCKLEBOOM_BINARY;
  const auto status = [&](const std::string& rest) {
    const int result = std::system((program + rest).c_str());
    return WIFEXITED(result) ? WEXITSTATUS(result) : -1;
  };
  EXPECT_EQ(status(" run nixda 2>&-"), 2);
  EXPECT_EQ(status(" list machines >&- 2>&-"), 1);
  EXPECT_EQ(status(" inspect harvester >/dev/full 2>/dev/null"), 1);
  // `| true` would be a race; this reader is surely gone.
  const TemporaryFolder folder;
  const std::string errors = (folder / "errors").string();
  EXPECT_EQ(std::system(("(sleep 0.3; exec " + program + " inspect harvester 2>'" + errors +
                         "') | exec true")
                            .c_str()),
            0);
  EXPECT_THAT(content_of(errors), IsEmpty());
  status(" inspect harvester >/dev/full 2>'" + errors + "'");
  EXPECT_THAT(content_of(errors), HasSubstr("could not be written in full"));
}

TEST(CommandLine, wantsValuesThatAreNotEmpty) {
  const Outcome outcome = run({"run", "stick_sine", "--trace", ""});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("--trace needs a file name"));
}

TEST(CommandLine, tellsAMachineFromAScenario) {
  const std::string machine = kConfig + "/machines/harvester/machine.toml";
  const std::string scenario = kConfig + "/scenarios/stick_sine.toml";
  EXPECT_THAT(run({"run", "stick_sine", "--machine", scenario}).errors,
              HasSubstr("this is a scenario file, not a machine"));
  EXPECT_THAT(run({"run", machine}).errors, HasSubstr("this is a machine file, not a scenario"));
}

TEST(CommandLine, meetsMistakesWithOneSentence) {
  const auto complaint = [](const std::vector<std::string>& arguments) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.output, IsEmpty());
    EXPECT_TRUE(outcome.errors.starts_with("knuckleboom: ")) << outcome.errors;
    EXPECT_EQ(outcome.errors.find('\n') + 1, outcome.errors.size()) << outcome.errors;
    return outcome.errors;
  };
  EXPECT_THAT(complaint({}), HasSubstr("say what to do"));
  EXPECT_THAT(complaint({"comprae"}), HasSubstr("did you mean 'compare'?"));
  EXPECT_THAT(complaint({"run"}), HasSubstr("scenario is required"));
  EXPECT_THAT(complaint({"learners", "compare", "Anna"}),
              HasSubstr("other-learner is required; 'knuckleboom learners compare --help' shows"));
  EXPECT_THAT(complaint({"learners", "shwo"}),
              HasSubstr("there is no 'knuckleboom learners shwo'; did you mean 'show'?"));
  EXPECT_THAT(complaint({"run", "stik_sine"}), HasSubstr("did you mean 'stick_sine'?"));
  EXPECT_THAT(complaint({"run", "stick_sine", "--machine", "tractor"}),
              HasSubstr("there is no machine 'tractor'"));
  EXPECT_THAT(complaint({"run", "stick_sine", "--fidelity", "ful"}),
              HasSubstr("did you mean 'full'?"));
  EXPECT_THAT(complaint({"run", "stick_sine", "--trace-rate", "fast"}), HasSubstr("no number"));
  EXPECT_THAT(complaint({"run", "stick_sine", "--set", "foo=1"}), HasSubstr("'foo' is no key"));
  EXPECT_THAT(complaint({"run", "stick_sine", "--set", "name=a"}), HasSubstr("scenario.name"));
  EXPECT_THAT(complaint({"run", "/nothing/here.toml"}), HasSubstr("there is no such file"));
  EXPECT_THAT(complaint({"run", "/"}), HasSubstr("directory"));
}

TEST(CommandLine, saysHowTheMachineHereIsWritten) {
  const TemporaryFolder folder;
  namespace fs = std::filesystem;
  fs::copy(kConfig + "/machines/harvester", folder / "own", fs::copy_options::recursive);
  const auto in_folder = [&](const std::string& machine, const std::string& inside) {
    const std::string answer = (folder / "answer").string();
    static_cast<void>(
        std::system(("cd '" + (folder / inside).string() + "' && " KNUCKLEBOOM_BINARY " inspect " +
                     machine + " >'" + answer + "' 2>&1")
                        .c_str()));
    return content_of(answer);
  };
  EXPECT_THAT(in_folder("own", ""), HasSubstr("for the folder 'own' here write ./own"));
  EXPECT_THAT(in_folder("./own", ""), HasSubstr("harvester: Harvester crane"));
  EXPECT_THAT(in_folder(".", "own"), HasSubstr("harvester: Harvester crane"));
  EXPECT_THAT(in_folder("loader.urdf", ""), HasSubstr("loader.urdf: there is no such file"));
}

TEST(CommandLine, findsItsFilesByTheEnvironment) {
  const TemporaryFolder folder;
  namespace fs = std::filesystem;
  fs::create_directories(folder / "scenarios");
  fs::copy(kConfig + "/machines", folder / "machines", fs::copy_options::recursive);
  fs::copy(kConfig + "/scenarios/stick_sine.toml", folder / "scenarios/mine.toml");
  const std::string variable = "KNUCKLEBOOM_CONFIG=" + folder.path().string();
  EXPECT_EQ(run({"run", "mine", "--set", "scenario.duration_s=1"}, {variable}).status, 0);
  EXPECT_THAT(run({"list", "scenarios"}, {variable}).output, HasSubstr("mine\n"));
  const Outcome wrong = run({"run", "stick_sine"}, {"KNUCKLEBOOM_CONFIG=/nothing"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.errors, HasSubstr("KNUCKLEBOOM_CONFIG"));
}

TEST(CommandLine, listsAndCompletes) {
  EXPECT_THAT(run({"list", "scenarios"}).output, HasSubstr("stick_sine\n"));
  EXPECT_THAT(run({"list", "machines"}).output, HasSubstr("harvester\n"));
  EXPECT_THAT(run({"list", "sweeps"}).output,
              HasSubstr("stick_tune\n    Gains of the stick that are best in the worst of nine "
                        "machines\n"));
  const std::string faults = run({"list", "faults"}).output;
  EXPECT_THAT(faults, testing::ContainsRegex("\nlever_delay +levers act 0.2 s later\n"));
  EXPECT_THAT(faults,
              testing::ContainsRegex(
                  "\nboom_hose_b_leak +boom: the hose of port b loses 6 l/min at 100 bar\n"));
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Outcome outcome = run({"completions", shell});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.output, HasSubstr("complete-words"));
  }
  EXPECT_EQ(run({"completions", "tcsh"}).status, 2);
}

TEST(CommandLine, completesByTheKindOfValue) {
  EXPECT_THAT(completed({"drive", "rea"}), ElementsAre("reach", ":files .toml"));
  EXPECT_THAT(completed({"emulate", "peg_on_p"}), ElementsAre("peg_on_plane", ":files .toml"));
  EXPECT_THAT(completed({"identify", "pa"}), ElementsAre("patu655", ":files .toml"));
  EXPECT_THAT(completed({"run", "stick_sine", "--fidelity", "converged-r"}),
              ElementsAre("converged-reduced", ":"));
  EXPECT_THAT(completed({"run", "--machine", "patu"}), ElementsAre("patu655", ":files .toml"));
  EXPECT_THAT(completed({"drive", "--camera", "=", "s"}), ElementsAre("side", ":"));
  EXPECT_THAT(completed({"replay", "--from", "3", "--head"}), ElementsAre("--headless", ":"));
  EXPECT_THAT(completed({"learners", "com"}), ElementsAre("compare", ":"));
  EXPECT_THAT(completed({"learners", "compare", "--ex"}), ElementsAre("--exercise", ":"));
  EXPECT_THAT(completed({"verify", "--plot-dir", ""}), ElementsAre(":folders"));
  EXPECT_THAT(completed({"list", "ma"}), ElementsAre("machines", ":"));
  EXPECT_THAT(completed({"run", "stick_sine", ""}), ElementsAre(":"));  // takes one only
}

// Sets the words of a command line and prints what completion makes of it.
std::string completed_in_bash(const std::string& words) {
  const TemporaryFolder folder;
  const std::string answer = (folder / "answer").string();
  write_text(folder / "here.toml", "");
  write_text(folder / "here.csv", "");
  write_text(folder / "try.bash", run({"completions", "bash"}).output + "cd '" +
                                      folder.path().string() +
                                      "'\nCOMP_WORDS=('" KNUCKLEBOOM_BINARY "' " + words +
                                      ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
                                      "_knuckleboom\nprintf '%s\\n' \"${COMPREPLY[@]}\" > '" +
                                      answer + "'\n");
  EXPECT_EQ(std::system(("bash '" + (folder / "try.bash").string() + "'").c_str()), 0);
  return content_of(answer);
}

TEST(CommandLine, completesInBash) {
  EXPECT_EQ(completed_in_bash("run stick_si"), "stick_sine\n");
  EXPECT_EQ(completed_in_bash("check he"), "here.csv\nhere.toml\n");
  EXPECT_EQ(completed_in_bash("judge --map he"), "here.toml\n");
  EXPECT_EQ(completed_in_bash("drive --quality = me"), "medium\n");
}

// Each sub-command has a page with its table, and a test that mentions it.
TEST(CommandLine, isDocumentedAndTested) {
  const std::filesystem::path root = KNUCKLEBOOM_SOURCE_DIR;
  const std::string page = content_of(root / "docs/reference/command_line.md");
  std::string tests;
  for (const auto& entry : std::filesystem::directory_iterator(root / "tests/app"))
    if (entry.path().extension() == ".cpp") tests += content_of(entry.path());
  for (const std::string& command : sub_commands()) {
    EXPECT_THAT(page, HasSubstr("\n## `" + command + "`\n"));
    EXPECT_THAT(page, HasSubstr("<!-- table: knuckleboom " + command + " -->"));
    EXPECT_THAT(tests, HasSubstr("\"" + command + "\"")) << "no test runs it";
  }
}

// `./dev docs` would change nothing.
TEST(CommandLine, hasNoStaleTable) {
  const TemporaryFolder folder;
  const std::filesystem::path pages = std::string(KNUCKLEBOOM_SOURCE_DIR) + "/docs/reference";
  const std::string copy = (folder / "page.md").string();
  int tables = 0;
  for (const auto& entry : std::filesystem::directory_iterator(pages)) {
    const std::string page = content_of(entry.path());
    write_text(copy, page);
    const std::string own = run({"write-tables", copy}).output;
    const std::string peer = run_peer({"write-tables", copy}).output;
    EXPECT_EQ(content_of(copy), page) << entry.path() << ": run ./dev docs";
    const std::string names = own + peer;
    for (std::size_t at = 0; (at = page.find("<!-- table: ", at)) != std::string::npos; ++tables) {
      at += 12;
      EXPECT_THAT(names, HasSubstr(": " + page.substr(at, page.find(" -->", at) - at) + "\n"));
    }
  }
  EXPECT_GE(tables, 19);
}

TEST(CommandLine, hasAManual) {
  const std::string manual = run({"man-page"}).output;
  EXPECT_THAT(manual, AllOf(StartsWith(".TH KNUCKLEBOOM 1"), HasSubstr("\n.SS compare SCENARIO"),
                            HasSubstr("\\-\\-tolerance\\-rad \\fIRAD\\fR")));
  EXPECT_THAT(run_peer({"man-page"}).output, HasSubstr("\\-\\-silence\\-every"));
}

// --- check --------------------------------------------------------------------

TEST(Check, acceptsAllThatIsShipped) {
  std::vector<std::string> arguments = {"check"};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kConfig))
    if (entry.path().extension() == ".toml" &&
        entry.path().filename() != "crane.toml")  // a machine's base, without its tool
      arguments.push_back(entry.path().string());
  arguments.push_back(kConfig + "/courses/crane.toml");
  const Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("ok (machine harvester, 3 joints"),
                                    HasSubstr("ok (scenario stick_sine, 40 s, fits machine"),
                                    Not(HasSubstr("remark:"))));
}

TEST(Check, saysWhatLeversMoveThatTheirMachineDoesNotHave) {
  const TemporaryFolder folder;
  std::string text = content_of(std::string(kConfig) + "/exercises/reach.toml");
  text.replace(text.find("levers = \"nordic\""), 17, "levers = \"nordic_drive\"");
  write_text(folder / "mine.toml", text);
  const Outcome outcome = run({"check", (folder / "mine.toml").string()});
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_THAT(outcome.output,
              testing::ContainsRegex("remark: .*mine\\.toml:[0-9]+:[0-9]+: the lever pattern moves "
                                     "'steer', which machine 'harvester_wheeled' does not have"));
  text.replace(text.find("levers = \"nordic_drive\""), 23, "levers = \"nobodys\"");
  write_text(folder / "mine.toml", text);
  const Outcome none = run({"check", (folder / "mine.toml").string()});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.output, testing::ContainsRegex("mine\\.toml:[0-9]+:[0-9]+: .*'nobodys'"));
}

TEST(Check, saysWhoReadsBundlesAndLogMaps) {
  const TemporaryFolder folder;
  write_text(folder / "columns.toml", "time = \"Time\"\n[[column]]\nname = \"boom_rad\"\n");
  const Outcome map = run({"check", (folder / "columns.toml").string()});
  EXPECT_EQ(map.status, 2);
  EXPECT_THAT(map.output, HasSubstr("this is a log map; `knuckleboom identify`"));
  EXPECT_EQ(std::count(map.output.begin(), map.output.end(), '\n'), 1) << map.output;
  const std::string bundle = std::string(KNUCKLEBOOM_SOURCE_DIR) + "/tests/bundles/patu655_lift";
  for (const std::string& path : {bundle, bundle + "/bundle.toml"}) {
    const Outcome outcome = run({"check", path});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.output, HasSubstr("this is a bundle; `knuckleboom verify FOLDER` reads"));
    EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 1) << outcome.output;
  }
  EXPECT_THAT(run({"inspect", bundle + "/bundle.toml"}).errors,
              HasSubstr("this is a bundle file, not a machine"));
}

// A course that nobody could finish.
TEST(Check, saysWhatOfACourseCannotBePassed) {
  const TemporaryFolder folder;
  write_text(folder / "c.toml",
             "name = \"c\"\ntitle = \"C\"\n[[lesson]]\nname = \"a\"\ntitle = \"A\"\nquiz = \"no\"\n"
             "[[lesson.exercise]]\nname = \"free_play\"\n"
             "[[lesson.exercise]]\nname = \"reach\"\n"
             "limits = { set_down_m_s = { most = 1 } }\n"
             "[[lesson.exercise]]\nname = \"nowhere\"\n");
  const std::string file = (folder / "c.toml").string();
  const Outcome outcome = run({"check", file});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr(file + ":6: there is no quiz 'no'"),
                    HasSubstr(file + ":8: exercise 'free_play' has no end"),
                    HasSubstr(file + ":10: exercise 'reach' does not measure 'set_down_m_s'"),
                    HasSubstr(file + ":13: there is no exercise 'nowhere'")));
}

TEST(Check, knowsSignalFiles) {
  const std::string file = std::string(KNUCKLEBOOM_SOURCE_DIR) + "/config/signals/bench.toml";
  EXPECT_THAT(run({"check", file}).output, HasSubstr("signals, 2 to the machine and 2 from it"));
}

TEST(Check, remarksOnNumbersBeyondWhatIsUsualAndStillSaysOk) {
  const TemporaryFolder folder;
  write_text(folder / "m.toml", "base = \"" + kConfig +
                                    "/machines/harvester/machine.toml\"\n"
                                    "[[controller]]\njoint = \"boom\"\nkp_V_per_rad = 9e5\n"
                                    "source = \"a slip of the keyboard\"\n");
  const Outcome outcome = run({"check", (folder / "m.toml").string()});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("m.toml: ok (machine harvester"));
  EXPECT_THAT(outcome.output,
              HasSubstr("m.toml:4:16: 'kp_V_per_rad' of the controller of 'boom' is 9e5, usually"));
}

TEST(Check, tellsAllFaultsOfAllFiles) {
  const TemporaryFolder folder;
  std::string scenario = content_of(kConfig + "/scenarios/stick_sine.toml");
  scenario.replace(scenario.find("[initial.swing]"), 15, "[initial.zwing]");
  write_text(folder / "a.toml", scenario);
  write_text(folder / "b.toml",
             "name = \"b\"\nmachine = \"harvester\"\nduration_s = -1\nfoo = 2\n");
  write_text(folder / "c.toml", "name = \"c\"\n[supply]\npump_bar = 0\n[[body]]\nname = 3\n");
  const Outcome outcome =
      run({"check", (folder / "a.toml").string(), (folder / "b.toml").string(),
           (folder / "c.toml").string(), kConfig + "/scenarios/boom_sine.toml"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.output, HasSubstr("a.toml:8:1: machine 'harvester' has no joint 'zwing'"));
  EXPECT_THAT(outcome.output, HasSubstr("b.toml:3:"));
  EXPECT_THAT(outcome.output, HasSubstr("b.toml:4:1: the scenario file has no key 'foo'"));
  EXPECT_THAT(outcome.output, HasSubstr("c.toml:3:"));
  EXPECT_THAT(outcome.output, HasSubstr("boom_sine.toml: ok"));
}

TEST(Check, isNotStoppedByWhatIsNoFile) {
  const Outcome outcome = run({"check", "/nothing.toml", "/", "/dev/zero"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("/nothing.toml: "), HasSubstr("/: "), HasSubstr("/dev/zero: ")));
}

// --- inspect and demo ---------------------------------------------------------

TEST(Inspect, showsWhatFollowsFromAMachine) {
  const TemporaryFolder folder;
  const std::string file = (folder / "i.json").string();
  const Outcome outcome = run({"inspect", "harvester", "--json", file});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  for (const char* part : {"Representative machine", "lever arm", "stroke", "7850 kg", "mode",
                           "ports", "overlap 0.5 V", "--sources"})
    EXPECT_THAT(outcome.output, HasSubstr(part));
  EXPECT_THAT(outcome.output, Not(HasSubstr("where the numbers come from")));
  EXPECT_THAT(run({"inspect", "harvester", "--sources"}).output,
              HasSubstr("where the numbers come from"));
  EXPECT_EQ(json_number(content_of(file), "mass_kg"), 7850.0);
}

// The word "representative" in a source of somebody's own machine does not make it a representative one.
TEST(Inspect, callsOnlyAMachineRepresentativeThatWasNotIdentified) {
  const TemporaryFolder folder;
  const auto shown = [&folder](const std::string& source) {
    write_text(folder / "rod.toml", R"(name = "rod"
source = ")" + source + R"("
gravity_m_per_s2 = 9.81
tip = { body = "rod", position_m = [2, 0, 0] }
[[body]]
name = "rod"
position_m = [0, 0, 3]
mass_kg = 10
com_m = [1, 0, 0]
inertia_kg_m2 = [0, 4, 4]
joint = { type = "revolute", name = "pin", axis = [0, 1, 0] }
)");
    return run({"inspect", (folder / "rod.toml").string()}).output;
  };
  EXPECT_THAT(shown("representative of a class; not identified from one machine"),
              HasSubstr("Representative machine"));
  EXPECT_THAT(shown("representative drawing 4711"), testing::Not(HasSubstr("Representative")));
}

TEST(Inspect, printsNoNumberThatIsNone) {
  for (const char* edit :
       {"actuator.boom.bore_m=1e200", "valve.main.conductance_m3_per_s_sqrtPa=1e200",
        "actuator.stick.bore_m=125", "actuator.boom.line_a.capacitance_m3_per_Pa=9e-3",
        "actuator.boom.line_a.capacitance_m3_per_Pa=1e-300",
        "actuator.boom.line_a.inertance_kg_per_m4=1.5e15", "actuator.boom.friction_N_s_per_m=2e300",
        "gravity_m_per_s2=0", "actuator.swing.displacement_m3_per_rad=1e-300",
        "body.head.mass_kg=0", "actuator.swing.leak_a_kg_per_m4_s=1e-300"}) {
    const Outcome outcome = run({"inspect", "harvester", "--set", edit});
    EXPECT_THAT(outcome.output, Not(HasSubstr("nan"))) << edit;
    EXPECT_THAT(outcome.output, Not(HasSubstr(" inf"))) << edit;
  }
}

TEST(Inspect, tellsWhatCameFromAUrdf) {
  const TemporaryFolder folder;
  const std::string file = (folder / "i.json").string();
  const Outcome outcome = run({"inspect", "harvester_urdf", "--json", file});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  for (const char* part :
       {"(robot 'harvester_crane'): 5 links, 3 joints that move, 1 link welded to its parent",
        "revolute, -0.35 to 1.1 rad", "box, cylinder and 1 shape to touch",
        "'effort' and 'velocity' of limits are ignored", "link 'head' has a mass without inertia"})
    EXPECT_THAT(outcome.output, HasSubstr(part));
  EXPECT_THAT(content_of(file), AllOf(HasSubstr("\"imports\""), HasSubstr("head_mount")));
}

TEST(Export, writesAMachineAsAUrdfThatIsReadAgain) {
  const TemporaryFolder folder;
  const std::string file = (folder / "p.urdf").string();
  const Outcome outcome = run({"export", "urdf", "patu655", "-o", file});
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("8 links and 7 joints of patu655"));
  EXPECT_THAT(outcome.output, HasSubstr("a URDF has no words for these keys of the machine file"));
  const Outcome shown = run({"inspect", file});
  EXPECT_EQ(shown.status, 0) << shown.errors;
  EXPECT_THAT(shown.output,
              testing::ContainsRegex("tilt_boom +lift_boom +tilt +revolute, -1[.]6 to -0[.]1 rad "
                                     "+76[.]7 kg"));

  const std::string own = (folder / "notes.txt").string();
  write_text(own, "mine\n");
  const Outcome refused = run({"export", "urdf", "patu655", "-o", own});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.errors, HasSubstr("a URDF's name ends in .urdf"));
  EXPECT_EQ(content_of(own), "mine\n");
  EXPECT_THAT(run({"export", "urdf", "patu65", "-o", file}).errors,
              HasSubstr("did you mean 'patu655'?"));
}

TEST(Check, refersAUrdfToTheMachineFileThatNamesIt) {
  const TemporaryFolder folder;
  const std::string file = (folder / "crane.xml").string();
  write_text(file, "<?xml version=\"1.0\"?>\n<robot name=\"x\"/>\n");
  const Outcome outcome = run({"check", file});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.output + outcome.errors, HasSubstr("names its URDF: urdf = "));
}

// Joints without actuator all hang; a rod of 2 m that only knows its own weight.
TEST(Inspect, showsOnePoseOfAMachineWithoutActuators) {
  const TemporaryFolder folder;
  write_text(folder / "rod.toml", R"(name = "rod"
gravity_m_per_s2 = 9.81
source = "made up"
[[body]]
name = "rod"
position_m = [0, 0, 0]
mass_kg = 3
com_m = [1, 0, 0]
inertia_kg_m2 = [0, 1, 1]
joint = { name = "hinge", type = "revolute", axis = [0, -1, 0], lower_rad = -1, upper_rad = 1 }
[tip]
body = "rod"
position_m = [2, 0, 0]
)");
  const Outcome outcome = run({"inspect", (folder / "rod.toml").string()});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_TRUE(outcome.output.starts_with("rod\n")) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("at rest, hanging freely: limits do not hold a joint"));
  EXPECT_THAT(outcome.output, HasSubstr("tip at (0.000, 0.000, -2.000) m"));
  EXPECT_THAT(outcome.output, AllOf(Not(HasSubstr("a tenth")), Not(HasSubstr("-0.0000"))));
}

// A rod on its point falls with sqrt(m g l / I) = 2.313 /s: 10 kg, its centre 1.5 m above the pin, 27.5 kg m2.
TEST(Inspect, namesWhatGrows) {
  const TemporaryFolder folder;
  write_text(folder / "rod.toml", R"(name = "rod"
gravity_m_per_s2 = 9.81
source = "made up"
[[body]]
name = "rod"
position_m = [0, 0, 0]
mass_kg = 10
com_m = [0, 0, 1.5]
inertia_kg_m2 = [5, 5, 0]
joint = { name = "pin", type = "revolute", axis = [0, 1, 0] }
)");
  const Outcome outcome = run({"inspect", (folder / "rod.toml").string(), "--at", "pin=0"});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("growth      time constant 0.432 s: it moves away from here"),
                    Not(HasSubstr("time constant -"))));
}

// A four-bar closes in two ways.
TEST(Inspect, saysWhenALoopClosedOnAnotherBranch) {
  EXPECT_THAT(run({"inspect", "four_bar", "--at", "J1=1"}).output,
              Not(HasSubstr("another branch")));
  const Outcome outcome = run({"inspect", "four_bar", "--at", "J1=1", "--at", "J2=1"});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("J2 -2.103 rad and J3 -2.236 rad"), HasSubstr("on another branch"),
                    HasSubstr("'J2' at -0.4824 rad (--at J2=-0.4824)")));
}

// Gravity loads a motor's joint: the unloaded port at the tank's pressure, the other carries m g r / D.
TEST(Inspect, showsAMotorUnderLoad) {
  const Outcome outcome = run({"inspect", "hydraulic_host", "--at", "shoulder=0.3"});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  // 100 cm3 a radian.
  EXPECT_THAT(
      outcome.output,
      testing::ContainsRegex("shoulder +load -618 N m, M_Eq 81.04 kg m2, ports 0.00 and 6.18 MPa"));
}

TEST(Inspect, showsNeitherRoundingErrorsNorPressuresOfAir) {
  EXPECT_THAT(run({"inspect", "forwarder"}).output, Not(testing::ContainsRegex("e-[1-9][0-9]")));
  const std::string air = run({"inspect", "air_bench"}).output;
  EXPECT_THAT(air, HasSubstr("force F_S -14.7 N, M_Eq 1.5 kg\n"));
  EXPECT_THAT(air, Not(HasSubstr("ports")));
}

TEST(Check, saysAMissingValveAndATooLowSupplyOnce) {
  EXPECT_THAT(run({"inspect", "forwarder", "--unset", "actuator.boom.valve"}).errors,
              testing::MatchesRegex("[^\n]*actuator 'boom' has no valve; add [^\n]*\n"));
  EXPECT_THAT(run({"inspect", "air_bench", "--set", "air.supply_bar=0.5"}).errors,
              testing::MatchesRegex("[^\n]*the supply must be above the surroundings\n"));
}

TEST(Inspect, takesAPose) {
  const Outcome outcome = run({"inspect", "harvester", "--at", "boom=0.5", "--at", "stick=-1.3"});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  // The pose of the reference case: where the tip stands.
  EXPECT_THAT(outcome.output, HasSubstr("tip at (6.967, 0.000, 2.002) m"));
  EXPECT_EQ(run({"inspect", "harvester", "--at", "boom=9"}).status, 2);
  EXPECT_EQ(run({"inspect", "harvester", "--at", "bom=0"}).status, 2);
  EXPECT_EQ(run({"inspect", "harvester", "--at", "boom"}).status, 2);
  EXPECT_EQ(run({"inspect", "harvester", "--set", "scenario.duration_s=1"}).status, 2);
}

TEST(Demo, drawsThePaperFigures) {
  const TemporaryFolder folder;
  const Outcome outcome = run({"demo", "--output", (folder / "out").string()});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("17 valve switches"), HasSubstr("times real time"),
                                    HasSubstr("energy residual"), Not(HasSubstr("warning"))));
  for (const char* name : {"figures_8_to_11", "figure_8_stick_error", "figure_9_stick_pressure",
                           "figure_10_stick_command", "figure_11_boom_pressure"})
    for (const char* extension : {".svg", ".png"})
      EXPECT_GT(std::filesystem::file_size(folder / "out" / (std::string(name) + extension)),
                5000U);
}

// --- Commands of the documents -------------------------------------------------

// A figure's command must still run the test that holds it, wherever that has moved.
TEST(Documents, NameTestsThatThereAre) {
  namespace fs = std::filesystem;
  const std::regex command("knuckleboom_([a-z]+)_tests[ \n]+--gtest_filter='([^']+)'");
  int checked = 0;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(KNUCKLEBOOM_SOURCE_DIR "/docs")) {
    if (entry.path().extension() != ".md") continue;
    const std::string text = content_of(entry.path());
    for (std::sregex_iterator at(text.begin(), text.end(), command), end; at != end; ++at) {
      const fs::path program =
          fs::path(KNUCKLEBOOM_BINARY).parent_path() / ("knuckleboom_" + (*at)[1].str() + "_tests");
      if (!fs::exists(program)) continue;
      std::istringstream patterns((*at)[2].str());
      for (std::string pattern; std::getline(patterns, pattern, ':'); ++checked)
        EXPECT_THAT(Program({"--gtest_list_tests", "--gtest_filter=" + pattern},
                            {"KNUCKLEBOOM_DEMONSTRATIONS=1"}, program.string())
                        .wait()
                        .output,
                    HasSubstr("\n  "))
            << entry.path() << ": " << program.filename() << " has no test " << pattern;
    }
  }
  std::printf("%d patterns of tests\n", checked);
}

}  // namespace
}  // namespace knuckleboom::test
