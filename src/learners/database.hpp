// Learners and their sessions in an SQLite database in the user's data folder: docs/reference/learners.md.
//
// Several programs may use it at once; each call is one transaction and waits a few seconds for
// others. Every failure is an io::FileError with one message.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct sqlite3;

namespace knuckleboom::learners {

// Incremented with every change that older programs cannot read.
inline constexpr int kDatabaseFormat = 6;

struct Learner {
  std::int64_t id = 0;
  std::string name;
  std::string key;  // 32 random hexadecimal digits; in session files it is unchanged by renaming
};

struct Summary {
  Learner learner;
  std::int64_t sessions = 0, passed = 0;  // passed: with a passed attempt
  std::string first, last;                // "2026-11-28T06:40:12Z"; empty: no session
};

// A begun attempt.
struct Result {
  int attempt = 1;  // within its session
  bool passed = false;
  bool finished = true;  // false: aborted, neither passed nor failed
  std::vector<std::pair<std::string, double>> figures;
  // Attempts with equal keys were made under equal conditions; curve_key leaves out the exercise's variant.
  // Empty: not known.
  std::string key{}, curve_key{};
};

// The figure by this name; nan: it is not known.
double figure_of(const Result& result, std::string_view name);

struct FiledSession {
  std::int64_t id = 0;
  std::string recording;  // SessionHeader::id
  std::filesystem::path file;
  std::string started;
  std::string exercise, machine;
  double duration_s = 0.0;
  bool passed = false;  // any of its attempts was passed
  std::vector<Result> results;
  std::string
      digest;  // of the file's content, 64 hexadecimal digits; empty: filed by an older program
  std::string previous;    // digest of the learner's session before it; empty: none
  int trust = 1;           // 0 to 4: docs/reference/trust.md
  std::string why;         // why it is no higher
  std::string station;     // public key that signed the file; empty: none
  std::string instructor;  // as in the file
  std::string seal;        // of sealed_text(), by who filed it; empty: none
};

// All that a row says about a session, so that one changed by hand is told.
std::string sealed_text(const Learner& learner, const FiledSession& session);

// A quiz that was answered to its end.
struct QuizTaken {
  std::string quiz;   // its name
  std::string taken;  // "2026-11-28T06:40:12Z"
  int correct = 0, questions = 0;
  bool passed = false;
  std::string seal{};    // of sealed_text(), by who filed it; empty: none
  bool believed = true;  // where that was looked at
};
std::string sealed_text(const Learner& learner, const QuizTaken& quiz);

// Words that somebody wrote to an instant of a recorded session. The signed file does not have it.
struct Note {
  std::int64_t id = 0;
  std::string recording;  // SessionHeader::id
  std::string owner;      // key of who drove; empty: nobody
  std::int64_t tick = 0;  // of the session
  std::string written;    // "2026-11-28T06:40:12Z"
  std::string text;
};

// How much was deleted so far.
struct Deleted {
  std::int64_t learners = 0, sessions = 0;
};

enum class Access {
  kRead,   // a missing database is empty
  kWrite,  // a missing database is created
};

class Database {
 public:
  // patience_ms: how long each call waits for another program's transaction.
  Database(const std::filesystem::path& file, Access access, int patience_ms = 5000);
  ~Database();
  Database(Database&&) noexcept;
  Database& operator=(Database&&) = delete;

  std::vector<Summary> list() const;  // by name
  // Compared by same_name(); the same spelling first.
  std::optional<Learner> find(const std::string& name) const;
  std::optional<Learner> find_by_key(const std::string& key) const;
  // Learner of a session.
  std::optional<Learner> owner_of(const std::string& recording) const;
  // In the order of time, as far as clocks and the chain of sessions tell; exercise: empty for all.
  std::vector<FiledSession> sessions(const Learner& learner,
                                     const std::string& exercise = {}) const;

  Learner add(const std::string& name);  // throws if it exists
  // key: of a new one, if nobody has it; empty: a random one.
  Learner find_or_add(const std::string& name, const std::string& key = {});
  void rename(const Learner& learner, const std::string& name);
  // Hash of the PIN that opens the learner in the trainer's menu; empty: none is wanted.
  std::string pin_hash(const Learner& learner) const;
  void set_pin_hash(const Learner& learner, const std::string& hash);
  void file(const Learner& learner, const QuizTaken& quiz);
  // In the order in which they were taken.
  std::vector<QuizTaken> quizzes(const Learner& learner) const;
  // Own settings of the machine and the exercises, by name; all at once.
  std::map<std::string, double> settings(const Learner& learner) const;
  void set_settings(const Learner& learner, const std::map<std::string, double>& settings);
  // Notes to a session, in the order of its time. They go with the learner whose it is.
  std::vector<Note> notes(const std::string& recording) const;
  void add(const Note& note);
  void remove_note(std::int64_t id);
  // Digest of the learner's session that was filed last; empty: none.
  std::string last_digest(const std::string& key) const;
  Deleted deleted() const;
  // A copy of the whole database; the file must not exist.
  void back_up(const std::filesystem::path& copy) const;
  // All of another database in the place of all of this one.
  void replace_by(const Database& other);
  // False: it was already filed under this learner; its path is updated, and its trust if that is higher
  // now. Throws if it is another's.
  bool file(const Learner& learner, const FiledSession& session);
  // Removes all rows of a learner; no byte of them remains in the file.
  void remove(const Learner& learner);

 private:
  class Statement;
  class Transaction;
  void open(Access access, int patience_ms);
  void prepare_file() const;
  void check_format(Access access, int patience_ms);
  void upgrade() const;
  std::optional<Learner> one(const char* sql, const std::string& what) const;
  std::vector<Result> results(std::int64_t session) const;
  Learner insert(const std::string& name, const std::string& key = {});
  void insert(const Learner& learner, const FiledSession& session, std::int64_t known_id);
  void compact();
  std::int64_t number(const char* sql) const;
  void run(const char* sql) const;
  [[noreturn]] void fail() const;
  [[noreturn]] void fail(int code) const;

  std::filesystem::path path_;
  sqlite3* handle_ = nullptr;  // null: no file, opened for reading
};

// A valid name without blanks at its ends; otherwise throws io::FileError with the name.
std::string checked_name(const std::string& name);

}  // namespace knuckleboom::learners
