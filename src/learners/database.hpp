// Learners and their sessions in an SQLite database in the user's data folder: docs/reference/learners.md.
//
// Several programs may use it at once; each call is one transaction and waits a few seconds for
// others. Every failure is an io::FileError with one message.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

struct sqlite3;

namespace knuckleboom::learners {

// Incremented with every change that older programs cannot read.
inline constexpr int kDatabaseFormat = 2;

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
};

struct FiledSession {
  std::int64_t id = 0;
  std::string recording;  // SessionHeader::id
  std::filesystem::path file;
  std::string started;
  std::string exercise, machine;
  double duration_s = 0.0;
  bool passed = false;  // any of its attempts was passed
  std::vector<Result> results;
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
  // In the order of time; exercise: empty for all.
  std::vector<FiledSession> sessions(const Learner& learner,
                                     const std::string& exercise = {}) const;

  Learner add(const std::string& name);  // throws if it exists
  Learner find_or_add(const std::string& name);
  void rename(const Learner& learner, const std::string& name);
  // False: it was already filed under this learner; its path is updated. Throws if it is another's.
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
  Learner insert(const std::string& name);
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
