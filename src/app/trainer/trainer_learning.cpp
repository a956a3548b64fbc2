// The trainer's pages on who drives and on the course, and the history on the result card.
#include <algorithm>
#include <exception>
#include <utility>

#include <SDL2/SDL.h>
#include <fmt/format.h>

#include "app/session/coaching.hpp"
#include "app/session/filing.hpp"
#include "app/session/load_session.hpp"
#include "app/shell/config_paths.hpp"
#include "app/trainer/course_pages.hpp"
#include "app/trainer/history.hpp"
#include "app/trainer/menus.hpp"
#include "app/trainer/trainer.hpp"
#include "endpoint/pin.hpp"
#include "knuckleboom/recording/session_journal.hpp"
#include "language/text.hpp"

namespace knuckleboom::app {
namespace {

// Messages of files and keys name the file first, which says nothing to somebody at a menu.
std::string without_file(const std::exception& error) {
  std::string text = error.what();
  if (const std::size_t colon = text.find(": "); text.starts_with('/') && colon < text.size())
    text.erase(0, colon + 2);
  if (text.starts_with("learner: ")) text.erase(0, 9);
  return text;
}

}  // namespace

// --- Who drives -----------------------------------------------------------------

void Trainer::drive_as(const learners::Learner* learner) {
  if (learner != nullptr && !is_learner_key(learner->key)) {
    notices_.say(now_s(),
                 tr("The id of this learner in the database was changed by hand: nobody drives."),
                 true);
    learner = nullptr;
  }
  request_.learner = learner != nullptr ? learner->name : std::string();
  request_.learner_id = learner != nullptr ? learner->key : std::string();
  settings_.learner = request_.learner_id;
  request_.choice.settings.clear();
  if (learner == nullptr) return;
  try {
    request_.choice.settings = app::own_settings(learner->key);
  } catch (const std::exception& error) {
    notices_.say(now_s(), error.what(), true);
  }
}

// Who drove last, if the menu does not have to ask for a PIN.
void Trainer::drive_as_last_time() {
  if (settings_.learner.empty()) return;
  try {
    for (const KnownLearner& one : known_learners())
      if (one.learner.key == settings_.learner && one.pin_hash.empty())
        return drive_as(&one.learner);
  } catch (const std::exception&) {  // the page of learners says why
  }
  settings_.learner.clear();
}

void Trainer::list_learners() {
  std::vector<KnownLearner> known;
  std::string fault;
  try {
    known = known_learners();
  } catch (const std::exception& error) {
    fault = error.what();
  }
  learner_page_.open(std::move(known), request_.learner_id);
  if (!fault.empty()) learner_page_.say(fault);
}

void Trainer::show_main_rows() {
  learning_.look(request_.learner_id);
  if (!learning_.fault().empty()) notices_.say(now_s(), learning_.fault(), true);
  main_ = main_menu(settings_, {request_.learner, learning_.next(),
                                in_words(settings_of(request_.choice.settings))});
}

void Trainer::act_as_learner(const view::panels::MenuIntent& intent) {
  if (intent.changed == kLearnerWho) return learner_page_.change();
  if (intent.back || intent.activated == kMenuBack) return back();
  try {
    switch (intent.activated) {
      case kLearnerPin:
      case kLearnerTake: {
        const KnownLearner* who = learner_page_.chosen();
        const auto refusal = [who](const std::string& pin) {
          return endpoint::pin_fits(who->pin_hash, pin) ? "" : tr("That is not the PIN.");
        };
        if (!learner_page_.opens(now_s(), refusal)) return;
        drive_as(who != nullptr ? &who->learner : nullptr);
        break;
      }
      case kLearnerName:
      case kLearnerNewPin:
      case kLearnerAdd: {
        const std::string& pin = learner_page_.new_pin();
        if (!pin.empty() && !endpoint::is_pin(pin))
          return learner_page_.say(tr("A PIN is 4 to 12 digits, or none."));
        const learners::Learner learner = join_learner(learner_page_.name(), pin);
        drive_as(&learner);
        break;
      }
      default:
        return;
    }
  } catch (const std::exception& error) {
    return learner_page_.say(without_file(error));
  }
  back();
  show_main_rows();
}

// True: handled.
bool Trainer::take_learner_event(const SDL_Event& event) {
  if (event.type == SDL_TEXTINPUT) {
    if (learner_page_.types_name()) learner_page_.type(event.text.text);
    return true;
  }
  if (event.type != SDL_KEYDOWN || (!learner_page_.types_name() && !learner_page_.types_digits()))
    return false;
  const SDL_Scancode key = event.key.keysym.scancode;
  if (key == SDL_SCANCODE_BACKSPACE) learner_page_.erase();
  if (const char digit = digit_of(key); learner_page_.types_digits() && digit != 0)
    learner_page_.type_digit(digit);
  return !is_for_menu(key);
}

// --- Settings -------------------------------------------------------------------

void Trainer::open_settings() {
  settings_page_.open(settings_of(request_.choice.settings), request_.learner, has_session());
  open(Screen::kSettings);
}

// The layout that would be driven with, without anybody's settings.
command::LeverPattern Trainer::pattern_of_file() const {
  SessionChoice choice = choice_of(settings_, request_.choice);
  choice.settings.clear();
  return load_session(choice).session->control().pattern();
}

void Trainer::act_in_settings(const view::panels::MenuIntent& intent) {
  const bool of_lever = screens_.now() == Screen::kLeverSettings;
  if (intent.changed >= 0) settings_page_.change(intent.changed);
  if (intent.activated == kSettingsPlain) settings_page_.forget(of_lever);
  if (intent.activated == kSettingsLevers) {
    try {
      settings_page_.open_levers(pattern_of_file());
      open(Screen::kLeverSettings);
    } catch (const std::exception& error) {
      notices_.say(now_s(), error.what(), true);
    }
  }
  if (!intent.back && intent.activated != kMenuBack) return;
  back();
  if (of_lever) return;
  keep_own_settings();
  if (screens_.now() == Screen::kMain) show_main_rows();
}

void Trainer::keep_own_settings() {
  const std::string now = text_of(settings_page_.settings());
  if (now == request_.choice.settings) return;
  request_.choice.settings = now;
  if (request_.learner_id.empty()) return;
  try {
    app::keep_own_settings(request_.learner_id, settings_page_.settings());
  } catch (const std::exception& error) {
    notices_.say(now_s(), tr_format("The settings hold now, but are not kept: {}", error.what()),
                 true);
  }
}

// --- The course -----------------------------------------------------------------

void Trainer::act_in_course(const view::panels::MenuIntent& intent) {
  if (intent.back || intent.activated == kMenuBack) return back();
  if (intent.activated >= kLessonShow) return start_part(intent.activated - kLessonShow, true);
  if (intent.activated >= kLessonPart) return start_part(intent.activated - kLessonPart, false);
  if (intent.activated >= kCourseLesson) return open_lesson(intent.activated - kCourseLesson);
}

void Trainer::open_lesson(int number) {
  lesson_shown_ = number;
  lesson_ = lesson_menu(*learning_.course(), number,
                        learning_.lessons().at(static_cast<std::size_t>(number)));
  open(Screen::kLesson);
}

void Trainer::start_part(int number, bool demonstrate) {
  const PartStanding& part = learning_.lessons()
                                 .at(static_cast<std::size_t>(lesson_shown_))
                                 .parts.at(static_cast<std::size_t>(number));
  if (!part.quiz) {
    settings_.exercise = part.name;
    settings_.machine.clear();  // those of the exercise
    settings_.levers.clear();
    return start_chosen(demonstrate);
  }
  try {
    quiz_.open(io::read_quiz(io::find_quiz(part.name)),
               times_taken(request_.learner_id, part.name));
    open(Screen::kQuiz);
  } catch (const std::exception& error) {
    notices_.say(now_s(), error.what(), true);
  }
}

void Trainer::act_in_quiz(const view::panels::MenuIntent& intent) {
  if (!intent.back && intent.activated < 0) return;
  if (intent.back || intent.activated == kQuizLeave) {
    back();
    show_main_rows();
    if (screens_.now() != Screen::kLesson) return;
    back();
    return open_lesson(lesson_shown_);
  }
  if (!quiz_.act(intent.activated) || request_.learner_id.empty()) return;
  try {
    file_quiz(request_.learner_id, quiz_.result());
  } catch (const std::exception& error) {
    notices_.say(now_s(), error.what(), true);
  }
}

// From a result: files the session and begins the next part.
void Trainer::go_on_with_course() {
  open_main_menu({});
  const CoursePlace next = next_in(learning_.lessons());
  open(Screen::kCourse);
  if (!next.any()) return;
  open_lesson(next.lesson);
  start_part(next.part, false);
}

// --- The result card ------------------------------------------------------------

ReviewQuestion Trainer::question(bool result) const {
  ReviewQuestion out;
  out.journal = session_->recorder()->file();
  out.journal += io::kJournalSuffix;
  out.attempt = static_cast<std::size_t>(restarts_);
  out.phase = shown_.task.phase;
  out.exercise = &session_->session().exercise();
  out.advised = !session_->loaded().choice.variant;  // not in an exam
  if (result && by_hand_) out.learner_id = request_.learner_id;
  return out;
}

// The running session, as it will be filed, into the learner's standing, and the coach's advice on it.
bool Trainer::read_running_row() {
  if (row_read_ || demonstrating_ || session_->recorder() == nullptr) return true;
  ReviewQuestion wanted = question(true);
  if (!wanted.advised && wanted.learner_id.empty()) return true;
  if (std::optional<Review> read = review_.take();
      read && read->written && read->attempt == wanted.attempt && read->phase == wanted.phase) {
    for (const CoachLine& line : read->coaching.lines) {
      advice_.push_back(coach_sentence(line));
      advised_ = advised_ || line.finding.verdict == coach::Verdict::kAdvised;
    }
    if (read->learning) learning_ = std::move(*read->learning);
    return row_read_ = true;
  }
  review_.ask(std::move(wanted));
  return false;
}

// Hints while the attempt runs, for who asked for them: at most as many as on the result card, each once.
void Trainer::follow_coach() {
  constexpr double kLookEvery = 8.0, kQuietFor = 30.0;  // s
  if (!has_session() || !aids_.coach || session_->recorder() == nullptr || session_->paused() ||
      shown_.task.phase != training::TaskPhase::kRunning)
    return;
  if (const std::optional<Review> read = review_.take();
      read && read->attempt == static_cast<std::size_t>(restarts_) &&
      hinted_.size() < coach::kMostAdvice && now_s() - hinted_s_ > kQuietFor) {
    const auto fresh = std::ranges::find_if(read->coaching.lines, [this](const CoachLine& line) {
      return line.finding.verdict == coach::Verdict::kAdvised &&
             std::ranges::find(hinted_, line.finding.habit) == hinted_.end();
    });
    if (fresh != read->coaching.lines.end()) {
      hinted_.push_back(fresh->finding.habit);
      hinted_s_ = now_s();
      notices_.speak(now_s(), tr("Coach"), fresh->text);
    }
  }
  if (now_s() - looked_s_ < kLookEvery) return;
  looked_s_ = now_s();
  review_.ask(question(false));
}

void Trainer::show_history() {
  figures_.history = {};
  ResultChoice choice{figures_.passed, demonstrating_, false, {}};
  if (!request_.learner_id.empty() && by_hand_ && session_->recorder() != nullptr) {
    const training::Exercise& exercise = session_->session().exercise();
    figures_.history = history_of(learning_.sessions(), exercise);
    for (std::size_t i = 0; i < learning_.lessons().size(); ++i) {
      const LessonStanding& lesson = learning_.lessons()[i];
      for (const PartStanding& part : lesson.parts) {
        if (part.quiz || part.name != exercise.name || lesson.locked()) continue;
        figures_.history.lines.push_back(part.done && !lesson.done
                                             ? tr_format("Lesson {}: this exercise is done.", i + 1)
                                             : tr_format("Lesson {}: {}.", i + 1, part.words));
      }
    }
    choice.wanted_again = goes_on_with(learning_.lessons(), exercise.name);
    if (!choice.wanted_again) choice.next = learning_.next();
  }
  figures_.history.advice = advice_;
  result_ = result_menu(choice);
}

}  // namespace knuckleboom::app
