#include "app/learners/xapi.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "app/session/work_times.hpp"
#include "app/shell/json.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/version.hpp"
#include "learners/uuid.hpp"

namespace knuckleboom::app {
namespace {

using learners::FiledSession;
using learners::Learner;
using learners::Result;

constexpr const char* kVerbs = "http://adlnet.gov/expapi/verbs/";
constexpr const char* kSimulation = "http://adlnet.gov/expapi/activities/simulation";
constexpr double kFullPoints = 100.0;

bool is_work(std::string_view key) { return key.starts_with(kWorkPrefix); }

// Names of exercises become part of an address.
std::string in_address(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

class Statements {
 public:
  explicit Statements(const std::string& base) : base_(base) { json_.begin_array(); }

  // verb: of the list of ADL; about the end: its result is told as well.
  void add(const Learner& learner, const FiledSession& session, const Result& result,
           const char* verb, bool at_end) {
    const std::string attempt =
        fmt::format("{}/session/{}/attempt/{}", base_, session.recording, result.attempt);
    json_.begin_object().member("id", learners::url_uuid(attempt + "/" + verb));
    person("actor", learner.key);
    json_.key("verb").begin_object().member("id", kVerbs + std::string(verb));
    text_in_english("display", verb);
    json_.end_object();
    object(session, result);
    if (at_end) end(result);
    context(session, result);
    json_.member("timestamp", session.started).end_object();
  }

  std::string text() { return json_.end_array().text(); }

 private:
  void person(const char* key, const std::string& name) {
    json_.key(key).begin_object().member("objectType", "Agent");
    json_.key("account").begin_object().member("homePage", base_).member("name", name);
    json_.end_object().end_object();
  }

  void text_in_english(const char* key, std::string_view text) {
    json_.key(key).begin_object().member("en", text).end_object();
  }

  // Attempts under equal conditions, but for the exercise's variant, are one activity.
  void object(const FiledSession& session, const Result& result) {
    json_.key("object").begin_object().member("objectType", "Activity");
    json_.member("id", fmt::format("{}/exercise/{}{}", base_, in_address(session.exercise),
                                   result.curve_key.empty() ? "" : "/" + result.curve_key));
    json_.key("definition").begin_object().member("type", kSimulation);
    text_in_english("name", printable(session.exercise));
    json_.end_object().end_object();
  }

  void end(const Result& result) {
    json_.key("result").begin_object();
    if (result.finished) json_.member("success", result.passed);
    json_.member("completion", result.finished);
    if (const double time_s = learners::figure_of(result, "time_s"); std::isfinite(time_s))
      json_.member("duration", fmt::format("PT{:.2f}S", std::max(time_s, 0.0)));
    if (const double points = learners::figure_of(result, "points"); std::isfinite(points)) {
      json_.key("score").begin_object().member("scaled", points / kFullPoints);
      json_.member("raw", points).member("min", 0).member("max", kFullPoints).end_object();
    }
    json_.key("extensions").begin_object();
    json_.key(base_ + "/extension/figures").begin_object();
    bool worked = false;
    for (const auto& [key, value] : result.figures) {
      if (is_work(key)) worked = true;
      if (std::isfinite(value) && !is_work(key)) json_.member(key, value);
    }
    json_.end_object();
    if (worked) {  // seconds and how often, by track
      json_.key(base_ + "/extension/elements").begin_object();
      for (const auto& [key, value] : result.figures)
        if (is_work(key)) json_.member(key.substr(std::string_view(kWorkPrefix).size()), value);
      json_.end_object();
    }
    json_.end_object().end_object();
  }

  void context(const FiledSession& session, const Result& result) {
    json_.key("context").begin_object();
    json_.member("registration",
                 learners::url_uuid(fmt::format("{}/session/{}", base_, session.recording)));
    json_.member("platform", fmt::format("Knuckleboom {}", kVersion));
    if (!session.instructor.empty()) person("instructor", session.instructor);
    json_.key("extensions").begin_object();
    const auto extension = [this](const char* name, const auto& value) {
      json_.member(fmt::format("{}/extension/{}", base_, name), value);
    };
    extension("trust", trust_name(session.trust));
    extension("machine", session.machine);
    if (!result.key.empty()) extension("key", result.key);
    if (!session.digest.empty()) extension("digest", session.digest);
    if (!session.station.empty()) extension("station", session.station);
    json_.end_object().end_object();
  }

  static std::string trust_name(int level) { return fmt::format("T{}", level); }

  std::string base_;
  JsonWriter json_;
};

}  // namespace

bool is_xapi_base(const std::string& base) {
  const std::size_t host = base.starts_with("https://") ? 8 : base.starts_with("http://") ? 7 : 0;
  return host > 0 && base.size() > host && base[host] != '/' && !base.ends_with('/') &&
         std::all_of(base.begin(), base.end(), [](char c) {
           return c > ' ' && c <= '~' &&
                  std::string_view("\"<>\\^`{|}?#").find(c) == std::string_view::npos;
         });
}

std::string xapi_statements(const std::string& base,
                            const std::vector<learners::LearnerSessions>& rows) {
  Statements statements(base);
  for (const auto& [learner, sessions] : rows)
    for (const FiledSession& session : sessions)
      for (const Result& result : session.results) {
        statements.add(learner, session, result, "attempted", false);
        statements.add(learner, session, result,
                       !result.finished ? "terminated"
                       : result.passed  ? "passed"
                                        : "failed",
                       true);
      }
  return statements.text();
}

}  // namespace knuckleboom::app
