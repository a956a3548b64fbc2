#include "language/window_pages.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "app/replay/replay_texts.hpp"
#include "app/replay/replay_window.hpp"
#include "app/session/coaching.hpp"
#include "app/session/head_texts.hpp"
#include "app/session/lever_texts.hpp"
#include "app/session/load_session.hpp"
#include "app/session/session_texts.hpp"
#include "app/session/trust.hpp"
#include "app/trainer/course_pages.hpp"
#include "app/trainer/history.hpp"
#include "app/trainer/instructor.hpp"
#include "app/trainer/learner_page.hpp"
#include "app/trainer/menus.hpp"
#include "app/trainer/quiz_page.hpp"
#include "app/trainer/settings_page.hpp"
#include "app/window/keys.hpp"
#include "knuckleboom/io/config_folders.hpp"
#include "knuckleboom/io/course_file.hpp"
#include "language/text.hpp"
#include "report/page.hpp"
#include "view/panels/banners.hpp"
#include "view/panels/help.hpp"
#include "view/panels/question.hpp"
#include "view/panels/timeline.hpp"

namespace knuckleboom::testing_texts {
namespace {

using namespace app;  // NOLINT(google-build-using-namespace)
using view::panels::Menu;
using view::panels::Painter;

constexpr const char* kWho = "Ada Byron";

const std::vector<LoadedSession>& sessions() {
  static const std::vector<LoadedSession> all = [] {
    std::vector<LoadedSession> out;
    for (const std::string& name : io::exercise_names()) {
      SessionChoice choice;
      choice.exercise = name;
      out.push_back(load_session(choice));
    }
    return out;
  }();
  return all;
}

class Pages {
 public:
  void add(std::string name, std::function<void(Painter&)> draw) {
    pages_.push_back({std::move(name), std::move(draw)});
  }
  // Each row selected in turn, and of the selected one each choice.
  void add_menu(const std::string& name, const Menu& menu) {
    for (std::size_t row = 0; row < menu.rows.size(); ++row) {
      const std::size_t choices = std::max<std::size_t>(menu.rows[row].choices.size(), 1);
      for (std::size_t choice = 0; choice < choices; ++choice) {
        auto shown = std::make_shared<Menu>(menu);
        shown->selected = static_cast<int>(row);
        if (choices > 1) shown->rows[row].chosen = static_cast<int>(choice);
        add(fmt::format("{}, row {}, choice {}", name, row, choice),
            [shown](Painter& painter) { view::panels::draw_menu(painter, *shown, {}); });
      }
    }
  }
  std::vector<WindowPage> take() { return std::move(pages_); }

 private:
  std::vector<WindowPage> pages_;
};

std::vector<LessonStanding> nothing_done(const io::Course& course) {
  return standing_in(course, {}, {});
}

void add_menus(Pages& pages) {
  const io::Course course = io::read_course(io::find_course("crane"));
  const std::vector<LessonStanding> lessons = nothing_done(course);
  pages.add_menu("main menu", main_menu({}, {kWho, next_words(lessons)}));
  pages.add_menu("course", course_menu(course, lessons, kWho));
  pages.add_menu("course of nobody", course_menu(course, lessons, ""));
  for (std::size_t i = 0; i < lessons.size(); ++i)
    pages.add_menu(fmt::format("lesson {}", i + 1),
                   lesson_menu(course, static_cast<int>(i), lessons[i]));
  for (const LoadedSession& loaded : sessions()) {
    const training::Session& session = *loaded.session;
    std::vector<view::panels::MenuChoice> suspects;
    for (int i = 0; i < static_cast<int>(session.faults().size()); ++i)
      if (training::asks_diagnosis(session.exercise()))
        suspects.push_back({fault_text(session, i), {}, {}});
    pages.add_menu("pause of " + session.exercise().name,
                   pause_menu(briefing_of(session.exercise()).title, true, suspects));
  }
  SettingsPage settings;
  settings.open({{kEase, 1.5}}, kWho, true);
  pages.add_menu("settings", settings.menu());
  settings.open_levers(sessions().front().session->control().pattern());
  pages.add_menu("settings of levers", settings.levers());
  LearnerPage learners;
  learners.open({{{1, kWho, "key"}, "hash"}, {{2, "Charles", "other"}, ""}}, "key");
  pages.add_menu("learners", learners.menu());
}

void add_quizzes(Pages& pages) {
  const auto draw = [&pages](const std::string& name, QuizPage& page) {
    auto question = std::make_shared<view::panels::Question>(page.question());
    auto menu = std::make_shared<Menu>(page.menu());
    pages.add(name, [question, menu](Painter& painter) {
      view::panels::draw_question(painter, *question, *menu, {});
    });
  };
  for (const std::string& name : io::quiz_names()) {
    const io::Quiz quiz = io::read_quiz(io::find_quiz(name));
    for (const int place : {0, 1}) {  // right or wrong in turn
      QuizPage page;
      page.open(quiz, 0);
      for (std::size_t i = 0; i < quiz.questions.size(); ++i) {
        draw(fmt::format("quiz {}, question {}", name, i + 1), page);
        page.act(kQuizAnswer + place);
        draw(fmt::format("quiz {}, answer {} of question {}", name, place, i + 1), page);
        page.act(kQuizNext);
      }
      draw("quiz " + name + ", result", page);
    }
  }
}

// The tasks' lines: with the wanted log held, with another one, beside a stop, at the end.
std::vector<training::SessionSnapshot> moments(const training::Session& session) {
  training::SessionSnapshot now = session.snapshot(session.initial_state());
  now.task.phase = training::TaskPhase::kRunning;
  now.task.distance = 12.34;
  now.score.time_s = 754.3;
  now.task.step = std::max(0, now.task.steps - 1);
  now.sim.brake = 0.4;
  std::vector<training::SessionSnapshot> out = {now};
  for (const std::int32_t log : {0, 1}) {
    out.push_back(now);
    out.back().held_log = log;
  }
  out.push_back(now);
  out.back().task.dwell = 0.5;
  out.push_back(now);
  out.back().task.distance = 0.1;
  out.push_back(now);
  out.back().task.target = -1;
  for (const auto phase : {training::TaskPhase::kPassed, training::TaskPhase::kFailed}) {
    out.push_back(now);
    out.back().task.phase = phase;
  }
  return out;
}

// Two sentences and praise, the longest that there are.
std::vector<std::string> longest_advice() {
  std::vector<std::string> advice, praise;
  const auto said = [](coach::Finding finding, std::vector<double> marks_s) {
    CoachLine line;
    line.text = coach::advice_text(finding);
    line.marks_s = std::move(marks_s);
    return coach_sentence(line);
  };
  for (int i = 0; i < coach::kHabits; ++i) {
    coach::Finding one;
    one.habit = static_cast<coach::Habit>(i);
    one.occasions = 148;
    one.counted = 137;
    one.figure = 0.93;
    one.lost_s = 754.3;
    one.verdict = coach::Verdict::kAdvised;
    advice.push_back(said(one, {61.2, 345.6, 754.3}));
    one.verdict = coach::Verdict::kPraised;
    praise.push_back(said(one, {}));
  }
  const auto longer = [](const std::string& a, const std::string& b) {
    return a.size() > b.size();
  };
  std::ranges::sort(advice, longer);
  std::ranges::sort(praise, longer);
  return {advice[0], advice[1], praise[0]};
}

training::Score full_score() {
  training::Score score{};
  for (const training::Figure& figure : training::figures()) score.*figure.member = 12.3;
  return score;
}

void add_driving(Pages& pages) {
  for (const LoadedSession& loaded : sessions()) {
    const training::Session& session = *loaded.session;
    const std::string& name = session.exercise().name;
    auto faces = std::make_shared<view::panels::InstrumentFaces>(faces_of(session));
    auto briefing = std::make_shared<view::panels::Briefing>(briefing_of(session.exercise()));
    pages.add("briefing of " + name,
              [briefing](Painter& painter) { view::panels::draw_briefing(painter, *briefing); });
    for (const training::SessionSnapshot& moment : moments(session)) {
      auto now = std::make_shared<training::SessionSnapshot>(moment);
      auto readings = std::make_shared<view::panels::InstrumentReadings>();
      readings->task = task_line(session, moment);
      readings->mode = tr(label_of(command::ControlMode::kJointRate));
      readings->fidelity = tr(label_of(machine::Fidelity::kReduced));
      readings->session = kWho;
      readings->held = held_text(session, moment);
      readings->head = head_display(session, moment);
      readings->figures = figure_rows(session.exercise(), full_score(), false);
      readings->timing = {1000.0, 3, 0.01, 12.0, 99.0, 1500.0, 80.0, 60.0, 12.0};
      for (const auto level :
           {view::panels::InstrumentLevel::kFull, view::panels::InstrumentLevel::kCompact})
        pages.add("instruments of " + name, [=](Painter& painter) {
          view::panels::draw_instruments(painter, level, *faces, *now, *readings);
        });
    }
    auto help = std::make_shared<view::panels::Help>(
        lever_help(session.control().pattern(), lever_keys(), button_keys()));
    help->devices =
        tr("No lever is plugged in: the keyboard replaces them; with Shift it is slow.");
    help->keys = key_help();
    pages.add("help of " + name,
              [help](Painter& painter) { view::panels::draw_help(painter, *help); });
    InstructorCard card;
    card.begin(session);
    runtime::Published published{};
    card.update(session.snapshot(session.initial_state()), published, "");
    for (const bool asks : {false, true}) {
      if (asks) card.ask(kInstructorAgain);
      auto menu = std::make_shared<Menu>(card.menu());
      pages.add("instructor of " + name, [menu](Painter& painter) {
        const auto corner = view::panels::free_corner(view::panels::InstrumentLevel::kFull);
        view::panels::draw_side_menu(painter, *menu, {}, corner.x, corner.y);
      });
    }
  }
}

void add_results(Pages& pages) {
  for (const LoadedSession& loaded : sessions()) {
    const training::Exercise& exercise = loaded.session->exercise();
    for (const bool passed : {true, false}) {
      view::panels::Result result;
      result.passed = passed;
      result.exercise = briefing_of(exercise).title;
      training::SessionSnapshot now = loaded.session->snapshot(loaded.session->initial_state());
      now.score = full_score();
      now.task.phase = passed ? training::TaskPhase::kPassed : training::TaskPhase::kFailed;
      result.reason = failure_reason(exercise, now);
      if (exercise.points.given()) result.reason += points_text(exercise, 92.1) + ".";
      result.reason +=
          std::string(" ") +
          tr("Recorded; T1 at most, as not all of it was driven by hand from the start.");
      constexpr std::array<double, 6> kSeconds = {123.4, 23.4, 123.4, 23.4, 12.3, 12.3};
      const WorkTimes work{kSeconds,
                           {kSeconds.data(), 2},
                           {kSeconds.data(), 4},
                           !loaded.session->machine().wheels.empty(),
                           loaded.session->machine().load_space.present};
      for (const view::panels::FigureRow& one : element_rows(work))
        result.reason += fmt::format(" {}: {}.", one.label, one.value);
      result.figures = figure_rows(exercise, now.score, true);
      learners::Result row{1, passed, true, {{"time_s", 60.0}, {"points", 50.0}}, "key", "curve"};
      learners::FiledSession filed;
      filed.exercise = exercise.name;
      filed.trust = kSigned;
      filed.results = {row, row, row};
      result.history = history_of({filed}, exercise);
      result.history.advice = longest_advice();
      auto menu = std::make_shared<Menu>(
          result_menu({passed, false, false, passed ? tr(exercise.title) : std::string()}));
      pages.add("result of " + exercise.name, [result, menu](Painter& painter) {
        view::panels::draw_result(painter, result, *menu, {});
      });
    }
  }
}

void add_others(Pages& pages) {
  pages.add("keys of a replay", [](Painter& painter) {
    view::panels::draw_key_page(painter, tr("Replay"),
                                tr("The levers are disconnected while a recording is shown."),
                                replay_key_help());
  });
  for (const auto& [text, below] :
       {std::pair(tr("THAT IS HOW"), tr("Esc opens the menu")),
        std::pair(tr("PAUSED"), tr("P goes on, Esc opens the menu")),
        std::pair(tr("YOUR TURN"),
                  tr("P begins; what the levers do then goes over to where you hold them"))})
    pages.add("banner", [text = text, below = below](Painter& painter) {
      view::panels::draw_banner(painter, text, below);
    });
  view::panels::Timeline timeline;
  timeline.end_s = 100.0;
  timeline.at_s = 99.0;
  timeline.paused = true;
  for (const char* kind : {"phase", "step", "collision", "end_stop", "fault", "grip", "release",
                           "bookmark", "message"}) {
    io::SessionEvent event;
    event.kind = kind;
    event.text = event.kind == "phase" ? "running" : event.kind == "collision" ? "stem" : "tank";
    const EventWords words = words_of(event, training::TaskKind::kLogs);
    view::panels::Timeline shown = timeline;
    shown.marks = {{50.0, words.kind, words.text}};
    pages.add(fmt::format("timeline, {}", kind),
              [shown](Painter& painter) { view::panels::draw_timeline(painter, shown, {}); });
  }
}

report::Content full_report() {
  report::Attempt a;
  const training::Exercise& exercise = sessions().front().session->exercise();
  a.title = tr(exercise.title);
  a.learner = kWho;
  a.started = "2026-11-28T06:40:12Z";
  Trust trust;
  trust.level = kComputedHere;
  trust.why = "the control was changed during an attempt";
  a.trust = trust_text(trust);
  a.of = 2;
  a.outcome = report::Outcome::kFailed;
  a.duration_s = 70.0;
  for (const double most : {1.0, 100.0})
    a.figures.push_back({"time_s", tr("Time"), "s", 60.0, 2.0, most});
  a.work = {{"Crane", "OUT", 1.0, 2}, {"Carrier", "MOVE", 1.0, 1}, {"Load", "EMPTY", 2.0, 0}};
  for (int kind = 0; kind <= static_cast<int>(report::EventKind::kOther); ++kind)
    a.events.push_back({1.0 * kind, static_cast<report::EventKind>(kind), "", 0.5});
  a.t_s = {0.0, 30.0, 60.0};
  a.tip = {{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}, {2.0, 0.0, 1.0}};
  a.pump_Pa = {1e6, 2e6, 1e6};
  a.levers_moved = {{tr("Levers"), "", {0.0, 0.5, 0.0}}};
  a.pressures = {{tr("boom"), a.pump_Pa, a.pump_Pa, 3e6}};
  report::Content content;
  content.judged = a;
  content.same_session = {a, a};
  content.others = {a};
  content.earlier = {{a.started, report::Outcome::kPassed, {{"time_s", 50.0}}, 2},
                     {a.started, report::Outcome::kBrokenOff, {{"time_s", 50.0}}, 2}};
  return content;
}

}  // namespace

std::vector<WindowPage> window_pages() {
  Pages pages;
  add_menus(pages);
  add_quizzes(pages);
  add_driving(pages);
  add_results(pages);
  add_others(pages);
  return pages.take();
}

std::vector<std::string> report_texts() {
  std::string html = report::page(full_report());
  if (const std::size_t style = html.find("<style>"); style != std::string::npos)
    html.erase(style, html.find("</style>") - style);
  std::vector<std::string> out;
  std::string text;
  bool in_tag = false;
  for (const char c : html) {
    if (c == '<') {
      if (text.find_first_not_of(" \n") != std::string::npos) out.push_back(text);
      text.clear();
    }
    in_tag = c == '<' || (in_tag && c != '>');
    if (!in_tag && c != '>') text += c;
  }
  return out;
}

}  // namespace knuckleboom::testing_texts
