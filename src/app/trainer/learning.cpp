#include "app/trainer/learning.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "app/session/filing.hpp"
#include "app/shell/config_paths.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/log.hpp"
#include "app/trainer/course_pages.hpp"
#include "endpoint/pin.hpp"
#include "knuckleboom/recording/session_file.hpp"
#include "language/text.hpp"

namespace knuckleboom::app {
namespace {

constexpr const char* kCourse = "crane";
constexpr int kPatience = 500;  // ms; the picture waits meanwhile

learners::Learner learner_of(const learners::Database& database, const std::string& key) {
  if (auto learner = database.find_by_key(key)) return *learner;
  throw UserError(tr("this learner is not filed any more"));
}

}  // namespace

std::vector<KnownLearner> known_learners() {
  const learners::Database database(learners_file(), learners::Access::kRead, kPatience);
  std::vector<KnownLearner> out;
  for (learners::Summary& one : database.list()) {
    conceal_in_log(one.learner.name);
    std::string pin = database.pin_hash(one.learner);
    out.push_back({std::move(one.learner), std::move(pin)});
  }
  return out;
}

learners::Learner join_learner(const std::string& name, const std::string& pin) {
  conceal_in_log(name);
  const std::string hash = pin.empty() ? std::string() : endpoint::pin_hash(pin);
  learners::Database database(learners_file(), learners::Access::kWrite, kPatience);
  learners::Learner learner = database.add(name);
  if (!hash.empty()) database.set_pin_hash(learner, hash);
  return learner;
}

std::string own_settings(const std::string& learner_key) {
  const learners::Database database(learners_file(), learners::Access::kRead, kPatience);
  return settings_text(database, learner_of(database, learner_key));
}

void keep_own_settings(const std::string& learner_key, const OperatorSettings& settings) {
  learners::Database database(learners_file(), learners::Access::kWrite, kPatience);
  database.set_settings(learner_of(database, learner_key), settings);
}

int times_taken(const std::string& learner_key, const std::string& quiz) {
  if (learner_key.empty()) return 0;
  const learners::Database database(learners_file(), learners::Access::kRead, kPatience);
  const auto taken = database.quizzes(learner_of(database, learner_key));
  return static_cast<int>(std::count_if(taken.begin(), taken.end(),
                                        [&quiz](const auto& one) { return one.quiz == quiz; }));
}

void file_quiz(const std::string& learner_key, learners::QuizTaken quiz) {
  quiz.taken = io::now_utc();
  learners::Database database(learners_file(), learners::Access::kWrite, kPatience);
  file_sealed(database, learner_of(database, learner_key), std::move(quiz));
}

void Learning::look(const std::string& learner_key, std::optional<learners::FiledSession> running) {
  fault_.clear();
  somebody_ = !learner_key.empty();
  sessions_.clear();
  lessons_.clear();
  std::vector<learners::QuizTaken> quizzes;
  try {
    if (somebody_) {
      const learners::Database database(learners_file(), learners::Access::kRead, kPatience);
      const learners::Learner learner = learner_of(database, learner_key);
      sessions_ = filed_sessions(database, learner);
      quizzes = filed_quizzes(database, learner);
    }
  } catch (const std::exception& error) {
    fault_ = error.what();
  }
  if (running) sessions_.push_back(std::move(*running));
  try {
    if (!course_) course_ = io::read_course(io::find_course(kCourse));
    lessons_ = standing_in(*course_, sessions_, quizzes);
  } catch (const std::exception& error) {
    fault_ = error.what();
  }
}

std::string Learning::next() const { return somebody_ ? next_words(lessons_) : std::string(); }

}  // namespace knuckleboom::app
