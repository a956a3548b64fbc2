#include "learners/database.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <random>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/utf8.hpp"
#include "learners/same_name.hpp"

namespace knuckleboom::learners {
namespace {

namespace fs = std::filesystem;

constexpr int kApplication = 0x4B6E426D;   // "KnBm", in the file's header
constexpr std::size_t kLongestName = 200;  // bytes

constexpr const char* kSchema = R"SQL(
CREATE TABLE learners (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE COLLATE NOCASE,
  key TEXT NOT NULL UNIQUE,
  folded TEXT NOT NULL
);
CREATE INDEX learners_by_folded ON learners(folded);
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  learner INTEGER NOT NULL REFERENCES learners(id) ON DELETE CASCADE,
  recording TEXT NOT NULL UNIQUE,
  file TEXT NOT NULL,
  started TEXT NOT NULL,
  exercise TEXT NOT NULL,
  machine TEXT NOT NULL,
  duration REAL NOT NULL,
  passed INTEGER NOT NULL
);
CREATE INDEX sessions_by_learner ON sessions(learner, started);
CREATE TABLE attempts (
  session INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  attempt INTEGER NOT NULL,
  passed INTEGER NOT NULL,
  finished INTEGER NOT NULL,
  PRIMARY KEY (session, attempt)
) WITHOUT ROWID;
CREATE TABLE figures (
  session INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  attempt INTEGER NOT NULL,
  key TEXT NOT NULL,
  value REAL,
  PRIMARY KEY (session, attempt, key)
) WITHOUT ROWID;
)SQL";

// Added by format 3.
constexpr const char* kTrust = R"SQL(
ALTER TABLE sessions ADD COLUMN digest TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN previous TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN trust INTEGER NOT NULL DEFAULT 1;
ALTER TABLE sessions ADD COLUMN why TEXT NOT NULL DEFAULT 'filed by an older program';
ALTER TABLE sessions ADD COLUMN station TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN instructor TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN seal TEXT NOT NULL DEFAULT '';
ALTER TABLE attempts ADD COLUMN key TEXT NOT NULL DEFAULT '';
ALTER TABLE attempts ADD COLUMN curve_key TEXT NOT NULL DEFAULT '';
CREATE TABLE deleted (learners INTEGER NOT NULL, sessions INTEGER NOT NULL);
INSERT INTO deleted VALUES (0, 0);
)SQL";

// Added by format 4.
constexpr const char* kCourse = R"SQL(
ALTER TABLE learners ADD COLUMN pin TEXT NOT NULL DEFAULT '';
CREATE TABLE quizzes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  learner INTEGER NOT NULL REFERENCES learners(id) ON DELETE CASCADE,
  quiz TEXT NOT NULL,
  taken TEXT NOT NULL,
  correct INTEGER NOT NULL,
  questions INTEGER NOT NULL,
  passed INTEGER NOT NULL
);
CREATE INDEX quizzes_by_learner ON quizzes(learner);
)SQL";

// Added by format 5.
constexpr const char* kSettingsAndNotes = R"SQL(
CREATE TABLE settings (
  learner INTEGER NOT NULL REFERENCES learners(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  value REAL NOT NULL,
  PRIMARY KEY (learner, name)
) WITHOUT ROWID;
CREATE TABLE notes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  recording TEXT NOT NULL,
  owner TEXT NOT NULL,
  tick INTEGER NOT NULL,
  written TEXT NOT NULL,
  text TEXT NOT NULL
);
CREATE INDEX notes_by_recording ON notes(recording, tick);
)SQL";

// Added by format 6. Rows of before have no seal.
constexpr const char* kSealedQuizzes = R"SQL(
ALTER TABLE quizzes ADD COLUMN seal TEXT NOT NULL DEFAULT '';
)SQL";

// From format 1 to 2. Names that have become equal are kept; find() prefers the given spelling.
constexpr const char* kUpgrade = R"SQL(
ALTER TABLE learners ADD COLUMN folded TEXT NOT NULL DEFAULT '';
CREATE INDEX learners_by_folded ON learners(folded);
ALTER TABLE attempts ADD COLUMN finished INTEGER NOT NULL DEFAULT 1;
)SQL";

std::string random_key() {
  std::random_device device;  // getrandom() on Linux
  std::string key;
  for (int i = 0; i < 4; ++i) key += fmt::format("{:08x}", device() & 0xFFFFFFFFU);
  return key;
}

std::string sentence(int code, const char* detail) {
  switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another program is writing to the database of learners just now; try again";
    case SQLITE_NOTADB:
      return "this is no database of learners; move it away and file the sessions anew with "
             "'knuckleboom learners import'";
    case SQLITE_CORRUPT:
      return "the database of learners is damaged; move it away and file the sessions anew with "
             "'knuckleboom learners import'";
    case SQLITE_FULL:
      return "the disk is full";
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return "the database of learners may not be written to; look at the rights of the file and "
             "its "
             "folder";
    case SQLITE_CANTOPEN:
      return "the database of learners cannot be opened; look at the rights of the file and its "
             "folder";
    case SQLITE_IOERR:
      return "the database of learners cannot be read or written: the disk fails or is full";
    default:
      return fmt::format("the database of learners: {}", detail);
  }
}

}  // namespace

// --- Statements -----------------------------------------------------------------

class Database::Statement {
 public:
  Statement(const Database& database, const char* sql) : database_(database) {
    if (sqlite3_prepare_v2(database.handle_, sql, -1, &statement_, nullptr) != SQLITE_OK)
      database.fail();
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(std::string_view text) {
    return checked(sqlite3_bind_text64(statement_, ++bound_, text.data(), text.size(),
                                       SQLITE_TRANSIENT, SQLITE_UTF8));
  }
  Statement& bind(std::int64_t value) {
    return checked(sqlite3_bind_int64(statement_, ++bound_, value));
  }
  Statement& bind(double value) {
    return checked(sqlite3_bind_double(statement_, ++bound_, value));  // not a number: NULL
  }

  // True: there is a row.
  bool step() {
    const int code = sqlite3_step(statement_);
    if (code != SQLITE_ROW && code != SQLITE_DONE) database_.fail();
    return code == SQLITE_ROW;
  }

  std::string text(int column) const {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    if (bytes == nullptr) return {};
    return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
  }
  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  double real(int column) const { return sqlite3_column_double(statement_, column); }
  bool is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

 private:
  Statement& checked(int code) {
    if (code != SQLITE_OK) database_.fail();
    return *this;
  }
  const Database& database_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

// Rolled back without commit().
class Database::Transaction {
 public:
  explicit Transaction(const Database& database) : database_(database) {
    database.run("BEGIN IMMEDIATE");
  }
  ~Transaction() {
    if (!done_) sqlite3_exec(database_.handle_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit() {
    database_.run("COMMIT");
    done_ = true;
  }

 private:
  const Database& database_;
  bool done_ = false;
};

void Database::fail(int code) const {
  throw io::FileError(path_.string(), sentence(code, sqlite3_errstr(code)));
}

void Database::fail() const {
  throw io::FileError(path_.string(),
                      sentence(sqlite3_extended_errcode(handle_), sqlite3_errmsg(handle_)));
}

void Database::run(const char* sql) const {
  if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

std::int64_t Database::number(const char* sql) const {
  Statement statement(*this, sql);
  return statement.step() ? statement.integer(0) : 0;
}

// --- Opening --------------------------------------------------------------------

double figure_of(const Result& result, std::string_view name) {
  for (const auto& [key, value] : result.figures)
    if (key == name) return value;
  return std::nan("");
}

Database::Database(const fs::path& file, Access access, int patience_ms) : path_(file) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(file, error);
  if (status.type() == fs::file_type::none)
    throw io::FileError(
        file.string(),
        fmt::format("the database of learners cannot be looked at: {}", error.message()));
  if (fs::is_directory(status))
    throw io::FileError(file.string(),
                        "this is a folder where the database of learners should be; move it away");
  const bool there = fs::exists(status);
  if (access == Access::kRead && !there) return;
  try {
    open(access, patience_ms);
  } catch (...) {
    sqlite3_close(handle_);
    throw;
  }
}

Database::~Database() { sqlite3_close(handle_); }

Database::Database(Database&& other) noexcept
    : path_(std::move(other.path_)), handle_(std::exchange(other.handle_, nullptr)) {}

// Names are private: folder and file are accessible to their owner only.
void Database::prepare_file() const {
  std::error_code error;
  const fs::path folder = path_.parent_path();
  if (!folder.empty() && fs::create_directories(folder, error) && !error)
    fs::permissions(folder, fs::perms::owner_all, error);
  if (error)
    throw io::FileError(folder.string(),
                        fmt::format("the folder cannot be made: {}", error.message()));
  const int descriptor = ::open(path_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0)
    ::close(descriptor);
  else if (errno != EEXIST)
    throw io::FileError(path_.string(), fmt::format("the database of learners cannot be made: {}",
                                                    std::strerror(errno)));
}

void Database::open(Access access, int patience_ms) {
  if (access == Access::kWrite) prepare_file();
  const int flags = access == Access::kWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
  const int code = sqlite3_open_v2(path_.c_str(), &handle_, flags | SQLITE_OPEN_EXRESCODE, nullptr);
  if (code != SQLITE_OK) fail(code);
  sqlite3_busy_timeout(handle_, patience_ms);
  // The file may have any origin.
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  run("PRAGMA foreign_keys = ON");
  // Deleted data is overwritten; a rollback journal, unlike a write-ahead log, leaves no old page.
  run("PRAGMA secure_delete = ON");
  check_format(access, patience_ms);
}

void Database::upgrade() const {
  Transaction transaction(*this);
  if (number("PRAGMA user_version") == 1) {  // else another program was quicker
    run(kUpgrade);
    std::vector<std::pair<std::int64_t, std::string>> names;
    Statement all(*this, "SELECT id, name FROM learners");
    while (all.step()) names.emplace_back(all.integer(0), all.text(1));
    for (const auto& [id, name] : names) {
      Statement one(*this, "UPDATE learners SET folded = ? WHERE id = ?");
      one.bind(folded(name)).bind(id).step();
    }
    run("PRAGMA user_version = 2");
  }
  if (number("PRAGMA user_version") == 2) {
    run(kTrust);
    run("PRAGMA user_version = 3");
  }
  if (number("PRAGMA user_version") == 3) {
    run(kCourse);
    run("PRAGMA user_version = 4");
  }
  if (number("PRAGMA user_version") == 4) {
    run(kSettingsAndNotes);
    run("PRAGMA user_version = 5");
  }
  if (number("PRAGMA user_version") == 5) {
    run(kSealedQuizzes);
    run(fmt::format("PRAGMA user_version = {}", kDatabaseFormat).c_str());
  }
  transaction.commit();
}

void Database::check_format(Access access, int patience_ms) {
  const auto empty = [this] {
    return number("PRAGMA user_version") == 0 && number("SELECT count(*) FROM sqlite_master") == 0;
  };
  if (empty()) {
    if (access == Access::kRead) {
      sqlite3_close(std::exchange(handle_, nullptr));
      return;
    }
    Transaction transaction(*this);
    if (empty()) {  // else another program was quicker
      run(kSchema);
      run(kTrust);
      run(kCourse);
      run(kSettingsAndNotes);
      run(kSealedQuizzes);
      run(fmt::format("PRAGMA application_id = {}", kApplication).c_str());
      run(fmt::format("PRAGMA user_version = {}", kDatabaseFormat).c_str());
    }
    transaction.commit();
  }
  if (number("PRAGMA application_id") != kApplication) fail(SQLITE_NOTADB);
  const std::int64_t old = number("PRAGMA user_version");
  if (old >= 1 && old < kDatabaseFormat) {
    if (access == Access::kRead) {
      sqlite3_close(std::exchange(handle_, nullptr));
      return open(Access::kWrite, patience_ms);
    }
    upgrade();
  }
  if (const std::int64_t format = number("PRAGMA user_version"); format != kDatabaseFormat)
    throw io::FileError(
        path_.string(),
        fmt::format("the database of learners is of {} version of the program (format {}; this one "
                    "knows {}); use that version",
                    format > kDatabaseFormat ? "a newer" : "another", format, kDatabaseFormat));
  Statement check(*this, "PRAGMA quick_check(1)");
  if (check.step() && check.text(0) != "ok") fail(SQLITE_CORRUPT);
}

// --- Reading --------------------------------------------------------------------

std::optional<Learner> Database::one(const char* sql, const std::string& what) const {
  if (handle_ == nullptr) return std::nullopt;
  Statement statement(*this, sql);
  statement.bind(what);
  if (!statement.step()) return std::nullopt;
  return Learner{statement.integer(0), statement.text(1), statement.text(2)};
}

std::optional<Learner> Database::find(const std::string& name) const {
  if (handle_ == nullptr) return std::nullopt;
  Statement statement(*this,
                      "SELECT id, name, key FROM learners WHERE folded = ?1 "
                      "ORDER BY name = ?2 COLLATE BINARY DESC, id LIMIT 1");
  statement.bind(folded(name)).bind(name);
  if (!statement.step()) return std::nullopt;
  return Learner{statement.integer(0), statement.text(1), statement.text(2)};
}

std::optional<Learner> Database::find_by_key(const std::string& key) const {
  return one("SELECT id, name, key FROM learners WHERE key = ?", key);
}

std::optional<Learner> Database::owner_of(const std::string& recording) const {
  return one(
      "SELECT l.id, l.name, l.key FROM learners l JOIN sessions s ON s.learner = l.id "
      "WHERE s.recording = ?",
      recording);
}

std::vector<Summary> Database::list() const {
  std::vector<Summary> out;
  if (handle_ == nullptr) return out;
  Statement statement(*this,
                      "SELECT l.id, l.name, l.key, count(s.id), coalesce(sum(s.passed), 0), "
                      "coalesce(min(s.started), ''), coalesce(max(s.started), '') "
                      "FROM learners l LEFT JOIN sessions s ON s.learner = l.id "
                      "GROUP BY l.id ORDER BY l.folded, l.name");
  while (statement.step())
    out.push_back({{statement.integer(0), statement.text(1), statement.text(2)},
                   statement.integer(3),
                   statement.integer(4),
                   statement.text(5),
                   statement.text(6)});
  return out;
}

namespace {
// By their times, but none before the one that it names as the last one: clocks are set back.
void put_in_order(std::vector<FiledSession>& sessions) {
  std::map<std::string, std::string> not_before;  // by digest
  std::vector<std::pair<std::string, std::size_t>> order;
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    const FiledSession& one = sessions[i];
    const auto last = one.previous.empty() ? not_before.end() : not_before.find(one.previous);
    const std::string time =
        last == not_before.end() ? one.started : std::max(one.started, last->second);
    if (!one.digest.empty()) not_before[one.digest] = time;
    order.emplace_back(time, i);
  }
  std::sort(order.begin(), order.end());
  std::vector<FiledSession> sorted;
  sorted.reserve(sessions.size());
  for (const auto& [time, i] : order) sorted.push_back(std::move(sessions[i]));
  sessions = std::move(sorted);
}
}  // namespace

std::vector<FiledSession> Database::sessions(const Learner& learner,
                                             const std::string& exercise) const {
  std::vector<FiledSession> out;
  if (handle_ == nullptr) return out;
  Statement rows(
      *this,
      "SELECT id, recording, file, started, exercise, machine, duration, passed, digest, "
      "previous, trust, why, station, instructor, seal FROM sessions WHERE learner = ? ORDER BY "
      "id");
  rows.bind(learner.id);
  while (rows.step()) {
    FiledSession& session = out.emplace_back();
    session.id = rows.integer(0);
    session.recording = rows.text(1);
    session.file = rows.text(2);
    session.started = rows.text(3);
    session.exercise = rows.text(4);
    session.machine = rows.text(5);
    session.duration_s = rows.real(6);
    session.passed = rows.integer(7) != 0;
    session.digest = rows.text(8);
    session.previous = rows.text(9);
    session.trust = static_cast<int>(std::clamp<std::int64_t>(rows.integer(10), 0, 4));
    session.why = rows.text(11);
    session.station = rows.text(12);
    session.instructor = rows.text(13);
    session.seal = rows.text(14);
  }
  put_in_order(out);
  if (!exercise.empty())
    std::erase_if(out, [&exercise](const auto& one) { return one.exercise != exercise; });
  for (FiledSession& session : out) session.results = results(session.id);
  return out;
}

std::vector<Result> Database::results(std::int64_t session) const {
  std::vector<Result> out;
  Statement attempts(
      *this,
      "SELECT attempt, passed, finished, key, curve_key FROM attempts WHERE session = ? "
      "ORDER BY attempt");
  attempts.bind(session);
  while (attempts.step())
    out.push_back({static_cast<int>(attempts.integer(0)),
                   attempts.integer(1) != 0,
                   attempts.integer(2) != 0,
                   {},
                   attempts.text(3),
                   attempts.text(4)});
  Statement figures(*this, "SELECT attempt, key, value FROM figures WHERE session = ?");
  figures.bind(session);
  while (figures.step())
    for (Result& result : out)
      if (result.attempt == figures.integer(0) && !figures.is_null(2))
        result.figures.emplace_back(figures.text(1), figures.real(2));
  return out;
}

std::string Database::pin_hash(const Learner& learner) const {
  if (handle_ == nullptr) return {};
  Statement statement(*this, "SELECT pin FROM learners WHERE id = ?");
  statement.bind(learner.id);
  return statement.step() ? statement.text(0) : std::string();
}

std::vector<QuizTaken> Database::quizzes(const Learner& learner) const {
  std::vector<QuizTaken> out;
  if (handle_ == nullptr) return out;
  Statement rows(
      *this,
      "SELECT quiz, taken, correct, questions, passed, seal FROM quizzes WHERE learner = ? "
      "ORDER BY id");
  rows.bind(learner.id);
  while (rows.step())
    out.push_back({rows.text(0), rows.text(1), static_cast<int>(rows.integer(2)),
                   static_cast<int>(rows.integer(3)), rows.integer(4) != 0, rows.text(5)});
  return out;
}

std::map<std::string, double> Database::settings(const Learner& learner) const {
  std::map<std::string, double> out;
  if (handle_ == nullptr) return out;
  Statement rows(*this, "SELECT name, value FROM settings WHERE learner = ?");
  rows.bind(learner.id);
  while (rows.step()) out[rows.text(0)] = rows.real(1);
  return out;
}

std::vector<Note> Database::notes(const std::string& recording) const {
  std::vector<Note> out;
  if (handle_ == nullptr) return out;
  Statement rows(*this,
                 "SELECT id, recording, owner, tick, written, text FROM notes WHERE recording = ? "
                 "ORDER BY tick, id");
  rows.bind(recording);
  while (rows.step())
    out.push_back(
        {rows.integer(0), rows.text(1), rows.text(2), rows.integer(3), rows.text(4), rows.text(5)});
  return out;
}

// --- Writing --------------------------------------------------------------------

Learner Database::insert(const std::string& name, const std::string& key) {
  Learner learner{0, name, key.empty() || find_by_key(key) ? random_key() : key};
  Statement statement(*this, "INSERT INTO learners (name, key, folded) VALUES (?, ?, ?)");
  statement.bind(learner.name).bind(learner.key).bind(folded(learner.name)).step();
  learner.id = sqlite3_last_insert_rowid(handle_);
  return learner;
}

Learner Database::add(const std::string& name) {
  const std::string wanted = checked_name(name);
  Transaction transaction(*this);
  if (const auto there = find(wanted))
    throw io::FileError(path_.string(),
                        fmt::format("there is a learner '{}' already", there->name));
  Learner learner = insert(wanted);
  transaction.commit();
  return learner;
}

Learner Database::find_or_add(const std::string& name, const std::string& key) {
  const std::string wanted = checked_name(name);
  Transaction transaction(*this);
  if (const auto there = find(wanted)) return *there;
  Learner learner = insert(wanted, key);
  transaction.commit();
  return learner;
}

void Database::rename(const Learner& learner, const std::string& name) {
  const std::string wanted = checked_name(name);
  {
    Transaction transaction(*this);
    const auto there = find(wanted);
    if (there && there->id != learner.id)
      throw io::FileError(path_.string(),
                          fmt::format("there is a learner '{}' already", there->name));
    Statement statement(*this, "UPDATE learners SET name = ?, folded = ? WHERE id = ?");
    statement.bind(wanted).bind(folded(wanted)).bind(learner.id).step();
    transaction.commit();
  }
  compact();
}

void Database::set_pin_hash(const Learner& learner, const std::string& hash) {
  Transaction transaction(*this);
  Statement(*this, "UPDATE learners SET pin = ? WHERE id = ?").bind(hash).bind(learner.id).step();
  transaction.commit();
}

void Database::file(const Learner& learner, const QuizTaken& quiz) {
  Transaction transaction(*this);
  Statement(*this,
            "INSERT INTO quizzes (learner, quiz, taken, correct, questions, passed, seal) VALUES "
            "(?, ?, ?, ?, ?, ?, ?)")
      .bind(learner.id)
      .bind(quiz.quiz)
      .bind(quiz.taken)
      .bind(std::int64_t{quiz.correct})
      .bind(std::int64_t{quiz.questions})
      .bind(std::int64_t{quiz.passed})
      .bind(quiz.seal)
      .step();
  transaction.commit();
}

void Database::set_settings(const Learner& learner, const std::map<std::string, double>& settings) {
  Transaction transaction(*this);
  Statement(*this, "DELETE FROM settings WHERE learner = ?").bind(learner.id).step();
  for (const auto& [name, value] : settings)
    Statement(*this, "INSERT INTO settings (learner, name, value) VALUES (?, ?, ?)")
        .bind(learner.id)
        .bind(name)
        .bind(value)
        .step();
  transaction.commit();
}

void Database::add(const Note& note) {
  Transaction transaction(*this);
  Statement(*this,
            "INSERT INTO notes (recording, owner, tick, written, text) VALUES (?, ?, ?, ?, ?)")
      .bind(note.recording)
      .bind(note.owner)
      .bind(note.tick)
      .bind(note.written)
      .bind(note.text)
      .step();
  transaction.commit();
}

void Database::remove_note(std::int64_t id) {
  Transaction transaction(*this);
  Statement(*this, "DELETE FROM notes WHERE id = ?").bind(id).step();
  transaction.commit();
}

// Deleted data has been overwritten; this removes the empty pages. It may fail, as it needs space.
void Database::compact() { sqlite3_exec(handle_, "VACUUM", nullptr, nullptr, nullptr); }

bool Database::file(const Learner& learner, const FiledSession& session) {
  const std::string path = session.file.string();
  Transaction transaction(*this);
  if (const auto owner = owner_of(session.recording)) {
    if (owner->id != learner.id)
      throw io::FileError(path, fmt::format("this session is filed under '{}'", owner->name));
    Statement place(*this, "UPDATE sessions SET file = ? WHERE recording = ?");
    place.bind(path).bind(session.recording).step();
    // Believed more now: all of its row anew, as sealed.
    Statement lower(*this, "DELETE FROM sessions WHERE recording = ? AND trust < ? RETURNING id");
    lower.bind(session.recording).bind(std::int64_t{session.trust});
    if (lower.step()) {
      const std::int64_t id = lower.integer(0);
      lower.step();
      insert(learner, session, id);
    }
    transaction.commit();
    return false;
  }
  insert(learner, session, 0);
  transaction.commit();
  return true;
}

// id: 0: a new one.
void Database::insert(const Learner& learner, const FiledSession& session, std::int64_t known_id) {
  Statement row(*this,
                "INSERT INTO sessions (id, learner, recording, file, started, exercise, machine, "
                "duration, passed, digest, previous, trust, why, station, instructor, seal) VALUES "
                "(nullif(?, 0), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  row.bind(known_id)
      .bind(learner.id)
      .bind(session.recording)
      .bind(session.file.string())
      .bind(session.started)
      .bind(session.exercise)
      .bind(session.machine)
      .bind(session.duration_s)
      .bind(std::int64_t{session.passed})
      .bind(session.digest)
      .bind(session.previous)
      .bind(std::int64_t{session.trust})
      .bind(session.why)
      .bind(session.station)
      .bind(session.instructor)
      .bind(session.seal)
      .step();
  const std::int64_t id = sqlite3_last_insert_rowid(handle_);
  for (const Result& result : session.results) {
    Statement attempt(*this,
                      "INSERT INTO attempts (session, attempt, passed, finished, key, curve_key) "
                      "VALUES (?, ?, ?, ?, ?, ?)");
    attempt.bind(id)
        .bind(std::int64_t{result.attempt})
        .bind(std::int64_t{result.passed})
        .bind(std::int64_t{result.finished})
        .bind(result.key)
        .bind(result.curve_key)
        .step();
    for (const auto& [key, value] : result.figures) {
      Statement figure(*this,
                       "INSERT INTO figures (session, attempt, key, value) VALUES (?, ?, ?, ?)");
      figure.bind(id).bind(std::int64_t{result.attempt}).bind(key).bind(value).step();
    }
  }
}

std::string sealed_text(const Learner& learner, const FiledSession& session) {
  std::string text =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n", learner.key,
                  session.recording, session.started, session.exercise, session.machine,
                  session.duration_s, session.passed, session.digest, session.previous,
                  session.trust, session.why, session.station, session.instructor);
  for (const Result& result : session.results) {
    text += fmt::format("attempt {} {} {} {} {}\n", result.attempt, result.passed, result.finished,
                        result.key, result.curve_key);
    std::vector<std::pair<std::string, double>> figures = result.figures;
    std::sort(figures.begin(), figures.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [key, value] : figures)
      if (!std::isnan(value)) text += fmt::format("{} {}\n", key, value);
  }
  return text;
}

std::string sealed_text(const Learner& learner, const QuizTaken& quiz) {
  return fmt::format("quiz\n{}\n{}\n{}\n{} {} {}\n", learner.key, quiz.quiz, quiz.taken,
                     quiz.correct, quiz.questions, quiz.passed);
}

void Database::remove(const Learner& learner) {
  {
    Transaction transaction(*this);
    Statement count(*this,
                    "UPDATE deleted SET learners = learners + 1, sessions = sessions + "
                    "(SELECT count(*) FROM sessions WHERE learner = ?)");
    count.bind(learner.id).step();
    // Also those to sessions that were never filed.
    Statement notes(*this,
                    "DELETE FROM notes WHERE owner = ?1 OR recording IN "
                    "(SELECT recording FROM sessions WHERE learner = ?2)");
    notes.bind(learner.key).bind(learner.id).step();
    Statement statement(*this, "DELETE FROM learners WHERE id = ?");
    statement.bind(learner.id).step();
    transaction.commit();
  }
  compact();
}

std::string Database::last_digest(const std::string& key) const {
  if (handle_ == nullptr) return {};
  Statement last(*this,
                 "SELECT s.digest FROM sessions s JOIN learners l ON s.learner = l.id "
                 "WHERE l.key = ? AND s.digest <> '' ORDER BY s.id DESC LIMIT 1");
  last.bind(key);
  return last.step() ? last.text(0) : std::string();
}

Deleted Database::deleted() const {
  if (handle_ == nullptr) return {};
  Statement all(*this, "SELECT sum(learners), sum(sessions) FROM deleted");
  return all.step() ? Deleted{all.integer(0), all.integer(1)} : Deleted{};
}

void Database::back_up(const fs::path& copy) const {
  if (handle_ == nullptr)
    throw io::FileError(path_.string(), "nobody is filed yet, so there is nothing to keep");
  const int descriptor = ::open(copy.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor < 0)
    throw io::FileError(copy.string(),
                        errno == EEXIST
                            ? "there is such a file already, and it is left alone"
                            : fmt::format("cannot be written: {}", std::strerror(errno)));
  ::close(descriptor);
  try {
    Statement whole(*this, "VACUUM INTO ?");  // into an empty file
    whole.bind(copy.string()).step();
  } catch (...) {
    std::error_code ignored;
    fs::remove(copy, ignored);
    throw;
  }
}

void Database::replace_by(const Database& other) {
  sqlite3_backup* const copying = sqlite3_backup_init(handle_, "main", other.handle_, "main");
  if (copying == nullptr) fail();
  sqlite3_backup_step(copying, -1);
  if (const int code = sqlite3_backup_finish(copying); code != SQLITE_OK) fail(code);
  compact();
}

// --- Names ----------------------------------------------------------------------

std::string checked_name(const std::string& name) {
  constexpr const char* kBlanks = " \t\r\n";
  const std::size_t begin = name.find_first_not_of(kBlanks);
  if (begin == std::string::npos) throw io::FileError("learner", "a learner needs a name");
  std::string out = name.substr(begin, name.find_last_not_of(kBlanks) - begin + 1);
  if (out.size() > kLongestName)
    throw io::FileError("learner", fmt::format("a name has at most {} bytes", kLongestName));
  for (std::size_t i = 0; i < out.size();) {
    const io::Utf8Character character = io::decode_utf8(out, i);
    const char32_t c = character.code;
    if (character.length == 0 || io::is_control(c) || io::disturbs_text(c))
      throw io::FileError("learner",
                          "a name is UTF-8 text without control characters and marks of writing "
                          "direction");
    i += character.length;
  }
  return out;
}

}  // namespace knuckleboom::learners
