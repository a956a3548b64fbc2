// Who drives, and how far in the course: for the pages of the trainer. The simulation knows nobody.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/session/operator_settings.hpp"
#include "app/trainer/course.hpp"
#include "app/trainer/learner_page.hpp"

namespace knuckleboom::app {

// Everybody who is filed. Throws io::FileError, UserError.
std::vector<KnownLearner> known_learners();
// A new one, with a PIN or an empty text. Throws io::FileError, UserError, endpoint::EndpointError.
learners::Learner join_learner(const std::string& name, const std::string& pin);
// A learner's own settings, as text; empty: none. Throws io::FileError, UserError.
std::string own_settings(const std::string& learner_key);
void keep_own_settings(const std::string& learner_key, const OperatorSettings& settings);
// How often a learner has answered a quiz. Throws io::FileError, UserError.
int times_taken(const std::string& learner_key, const std::string& quiz);
// Files it, now. Throws io::FileError, UserError.
void file_quiz(const std::string& learner_key, learners::QuizTaken quiz);

class Learning {
 public:
  // learner_key: empty: nobody. running: of the session that has not ended; it is the last. Reads all anew;
  // what cannot be read is left out, with a message.
  void look(const std::string& learner_key, std::optional<learners::FiledSession> running = {});

  const std::string& fault() const { return fault_; }
  const std::optional<io::Course>& course() const { return course_; }
  const std::vector<LessonStanding>& lessons() const { return lessons_; }
  const std::vector<learners::FiledSession>& sessions() const { return sessions_; }
  // The next thing to do; empty: nobody drives, or all is done.
  std::string next() const;

 private:
  bool somebody_ = false;
  std::string fault_;
  std::optional<io::Course> course_;
  std::vector<learners::FiledSession> sessions_;
  std::vector<LessonStanding> lessons_;
};

}  // namespace knuckleboom::app
