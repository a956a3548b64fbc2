// Sessions, journals and recordings of emulations that somebody has put together, with checksums that are
// right: each is refused with one sentence, or is run and said to differ, or is a part of the sound one and
// said to be cut off. No crash, no hang.
//
// A hundred of each; `./dev long` asks for 400 by KNUCKLEBOOM_FORGED in the environment.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include "knuckleboom/recording/emulation_recording.hpp"
#include "knuckleboom/recording/session_file.hpp"
#include "knuckleboom/recording/session_journal.hpp"
#include "knuckleboom/runtime/emulation_replayer.hpp"
#include "knuckleboom/runtime/replayer.hpp"
#include "knuckleboom/runtime/session_recorder.hpp"
#include "recording/session_header.hpp"
#include "support/forge.hpp"
#include "support/hil_run.hpp"
#include "support/same_bytes.hpp"
#include "support/session_recording.hpp"

namespace knuckleboom {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kTicks = 2345;
constexpr double kLongest = 20.0;  // s, for one: far more than any takes

int wanted() {
  const char* const asked = std::getenv("KNUCKLEBOOM_FORGED");
  return asked != nullptr ? std::atoi(asked) : 100;
}

class Tally {
 public:
  void add(const std::string& outcome) { ++counts_[outcome]; }
  int operator[](const std::string& outcome) { return counts_[outcome]; }
  void print(const char* what) const {
    std::string text;
    for (const auto& [outcome, count] : counts_) text += fmt::format(", {} {}", count, outcome);
    std::printf("%s: %s\n", what, text.substr(2).c_str());
  }

 private:
  std::map<std::string, int> counts_;
};

// About the recording, or about a place in one of the files in it.
void expect_one_sentence(const std::string& text, const std::string& done) {
  EXPECT_THAT(text, testing::HasSubstr(": ")) << done;
  EXPECT_LT(text.size(), 4000U) << done << ": " << text;
}

// --- Sessions -------------------------------------------------------------------

bool same_inputs(const io::SessionRecord& a, const io::SessionRecord& b) {
  const std::size_t count = b.inputs.size() - 1;  // without the end
  return count < a.inputs.size() &&
         std::equal(b.inputs.begin(), b.inputs.end() - 1, a.inputs.begin(),
                    [](const training::InputEvent& x, const training::InputEvent& y) {
                      return test::same_bytes(x, y);
                    });
}

bool same_hashes(const io::SessionRecord& a, const io::SessionRecord& b) {
  return b.hashes.size() <= a.hashes.size() &&
         std::equal(b.hashes.begin(), b.hashes.end(), a.hashes.begin(),
                    [](const io::StateHash& x, const io::StateHash& y) {
                      return x.tick == y.tick && x.value == y.value;
                    });
}

bool same_header(const io::SessionRecord& a, const io::SessionRecord& b) {
  return io::to_bytes(a.header) == io::to_bytes(b.header);
}

// Reads it and runs all of it, and from each stored state. In words what came of it; "silent" is the one that
// must not be.
std::string outcome_of(const fs::path& path, const io::SessionRecord& sound,
                       const std::string& done) {
  try {
    io::SessionRecord record = io::read_session(path);
    EXPECT_LE(record.end.end_tick, kTicks) << done;
    const bool same_header_now = same_header(sound, record);
    const bool same = same_header_now && same_inputs(sound, record) && same_hashes(sound, record);
    const bool told_cut = !record.end.complete || record.end.lost > 0;
    const std::int64_t end = record.end.end_tick;
    runtime::Replayer replayer(std::move(record));
    if (replayer.source() == runtime::Replayer::Source::kChannels) return "of another layout, said";
    while (replayer.step()) {
    }
    bool differs = replayer.mismatch_count() > 0 || !replayer.end_is_equal();
    const std::vector<std::int64_t> states = replayer.record().state_ticks;
    for (const std::int64_t tick : states) {
      replayer.seek(0);
      replayer.seek(tick);
      replayer.step();
    }
    differs = differs || replayer.mismatch_count() > 0;
    if (differs) return "said to differ";
    if (!told_cut && end < sound.end.end_tick) return "silent";
    if (same) return told_cut ? "cut off, said" : "the same run";
    // Another name or note, or an input that changed no bit of any state.
    return replayer.hashes_compared() > end / 100 ? "the same run" : "silent";
  } catch (const io::FileError& error) {
    expect_one_sentence(error.what(), done);
    return "refused";
  }
}

class ForgedSessions : public testing::Test {
 protected:
  ForgedSessions() : file_(folder_ / "sound.h5"), forged_(folder_ / "forged.h5") {
    const test::DescribedSession described = test::described_session("reach");
    const std::vector<training::InputEvent> input = test::random_input(5, kTicks);
    test::record_session(described, input, file_);
    sound_ = io::read_session(file_);
    // The same once more as a journal: its end mark is there, but nobody has made a file of it.
    const fs::path other = folder_ / "other.h5";
    runtime::RecorderSettings settings;
    settings.own_thread = false;
    training::SessionState state = described.session->initial_state();
    training::SessionSnapshot snapshot{};
    runtime::SessionRecorder recorder(io::SessionJournal(other, described.header),
                                      *described.session, state, settings);
    std::size_t next = 0;
    command::OperatorInput levers{};
    for (;;) {
      for (; next < input.size() && input[next].tick == state.tick; ++next) {
        const training::InputEvent& event = input[next];
        if (event.kind == training::InputEventKind::kEnd) continue;
        recorder.input(event);
        if (event.kind == training::InputEventKind::kInput) levers = event.input;
        if (event.kind != training::InputEventKind::kCommand) continue;
        recorder.before(event.command, state);
        described.session->apply(event.command, state);
      }
      if (state.tick == kTicks) break;
      described.session->step(levers, state, snapshot);
      recorder.after_tick(state, snapshot);
      if (state.tick % 200 == 0) recorder.drain();
    }
    fs::create_directory(other);  // something of that name
    recorder.finish(state, {{"ticks", 1.0}});
    journal_ = test::content_of(folder_ / "other.h5.journal");
  }

  // Runs one after the other, with the time each takes.
  void run(const char* what, int count, const std::function<std::string(int)>& forge) {
    Tally tally;
    for (int i = 0; i < count && !HasFailure(); ++i) {
      const std::string done = forge(i);
      const auto start = std::chrono::steady_clock::now();
      const std::string outcome = outcome_of(forged_, sound_, done);
      const double s =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      EXPECT_LT(s, kLongest) << done;
      EXPECT_NE(outcome, "silent") << i << ": " << done;
      tally.add(outcome);
    }
    tally.print(what);
    EXPECT_GT(tally["refused"], count / 4);
  }

  test::TemporaryFolder folder_;
  fs::path file_, forged_;
  std::string journal_;
  io::SessionRecord sound_;
};

TEST_F(ForgedSessions, AsJournals) {
  const std::vector<test::Block> sound = test::blocks_of(journal_);
  ASSERT_GT(sound.size(), 100U);
  test::Forger forger(2026);
  run("journals", wanted(), [&](int) {
    std::vector<test::Block> blocks = sound;
    std::string done = forger.forge(blocks, 1, 9);
    while (forger.below(3) == 0 && !blocks.empty()) done += ", " + forger.forge(blocks, 1, 9);
    test::put_content(forged_, test::sealed(blocks));
    return done;
  });
}

// --- HDF5 -----------------------------------------------------------------------

// An open HDF5 file, to be changed from within. What cannot be done is not done.
class Hdf5File {
 public:
  explicit Hdf5File(const fs::path& path) : id_(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)) {}
  ~Hdf5File() { H5Fclose(id_); }
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  void set_number(const char* group, const char* name, std::uint64_t bits) const {
    const hid_t object = H5Oopen(id_, group, H5P_DEFAULT);
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute);
    if (H5Tget_size(type) == sizeof bits) H5Awrite(attribute, type, &bits);
    H5Tclose(type);
    H5Aclose(attribute);
    H5Oclose(object);
  }
  void set_text(const char* name, const std::string& text) const {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    const hid_t attribute = H5Aopen(id_, name, H5P_DEFAULT);
    const char* const pointer = text.c_str();
    H5Awrite(attribute, type, &pointer);
    H5Aclose(attribute);
    H5Tclose(type);
  }
  void remove(const char* name) const { H5Ldelete(id_, name, H5P_DEFAULT); }
  void remove_attribute(const char* name) const { H5Adelete(id_, name); }
  // A list of numbers of another kind, rank and length in the place of a table.
  void replace(const char* name, hid_t type, int rank, hsize_t rows) const {
    remove(name);
    const hsize_t size[3] = {rows, 3, 2};
    const hid_t space = H5Screate_simple(rank, size, nullptr);
    H5Dclose(H5Dcreate2(id_, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
  }
  void resize(const char* name, hsize_t rows) const {
    const hid_t set = H5Dopen2(id_, name, H5P_DEFAULT);
    const hid_t space = H5Dget_space(set);
    hsize_t size[2] = {};
    H5Sget_simple_extent_dims(space, size, nullptr);
    size[0] = rows;
    H5Dset_extent(set, size);
    H5Sclose(space);
    H5Dclose(set);
  }
  // One number of a column; member: of a compound row, or nullptr.
  void set_value(const char* name, const char* member, std::size_t row, std::uint64_t bits) const {
    const hid_t set = H5Dopen2(id_, name, H5P_DEFAULT);
    const hid_t stored = H5Dget_type(set);
    hid_t type = H5Tcopy(H5T_NATIVE_INT64);
    if (H5Tget_class(stored) == H5T_FLOAT) type = H5Tcopy(H5T_NATIVE_FLOAT);
    if (member != nullptr) {
      type = H5Tcreate(H5T_COMPOUND, sizeof bits);
      const int index = H5Tget_member_index(stored, member);
      const bool whole =
          index >= 0 && H5Tget_member_class(stored, static_cast<unsigned>(index)) == H5T_INTEGER;
      H5Tinsert(type, member, 0, whole ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE);
    }
    const hid_t space = H5Dget_space(set);
    hsize_t rows = 0;
    H5Sget_simple_extent_dims(space, &rows, nullptr);
    if (rows > 0) {
      const hsize_t start = row % rows, count = 1;
      H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, nullptr, &count, nullptr);
      const hid_t memory = H5Screate_simple(1, &count, nullptr);
      H5Dwrite(set, type, memory, space, H5P_DEFAULT, &bits);
      H5Sclose(memory);
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Tclose(stored);
    H5Dclose(set);
  }
  void link_out(const char* name) const {
    remove(name);
    H5Lcreate_external("/etc/hostname", "/", id_, name, H5P_DEFAULT, H5P_DEFAULT);
  }
  void link_in_a_circle(const char* name) const {
    remove(name);
    H5Lcreate_soft(name, id_, name, H5P_DEFAULT, H5P_DEFAULT);
  }
  void link_the_root(const char* name) const {
    remove(name);
    H5Lcreate_hard(id_, "/", id_, name, H5P_DEFAULT, H5P_DEFAULT);
  }
  // The bytes of a table are those of another file.
  void keep_outside(const char* name) const {
    remove(name);
    const hsize_t size = 8;
    const hid_t space = H5Screate_simple(1, &size, nullptr);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(creation, "/etc/hostname", 0, size);
    H5Dclose(H5Dcreate2(id_, name, H5T_NATIVE_INT64, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    H5Pclose(creation);
    H5Sclose(space);
  }

 private:
  hid_t id_;
};

constexpr const char* kObjects[] = {"levers",       "commands",      "hashes",
                                    "attempts",     "events",        "states/tick",
                                    "states",       "states/bytes",  "channels/tick",
                                    "channels",     "health",        "options",
                                    "files",        "files/machine", "files/exercise",
                                    "files/levers", "channels/t_s",  "channels/task_phase"};
constexpr std::pair<const char*, const char*> kNumbers[] = {{"/", "end_tick"},
                                                            {"/", "first_tick"},
                                                            {"/", "rate_Hz"},
                                                            {"/", "lost"},
                                                            {"/", "complete"},
                                                            {"/", "end_hash"},
                                                            {"/", "parent_tick"},
                                                            {"states", "layout_bytes"},
                                                            {"states", "layout_places"},
                                                            {"states", "layout_version"}};
constexpr const char* kTexts[] = {"session_id", "start_utc",     "learner",      "learner_id",
                                  "program",    "exercise_hash", "machine_hash", "parent_id"};
constexpr std::pair<const char*, const char*> kColumns[] = {
    {"levers", "tick"},       {"levers", "left_x"},     {"levers", "right_y"},
    {"commands", "tick"},     {"hashes", "tick"},       {"hashes", "hash"},
    {"events", "tick"},       {"attempts", "phase"},    {"attempts", "begin_tick"},
    {"attempts", "end_tick"}, {"states/tick", nullptr}, {"channels/tick", nullptr},
    {"channels/t_s", nullptr}};

template <class T, std::size_t N>
const T& any_of(test::Forger& forger, const T (&list)[N]) {
  return list[forger.below(N)];
}

std::string forge_hdf5(const fs::path& path, test::Forger& forger) {
  std::string odd(8, '\0');
  forger.spoil_number(odd, 0, 8);
  std::uint64_t bits = 0;
  std::memcpy(&bits, odd.data(), sizeof bits);
  const Hdf5File file(path);
  const char* const object = any_of(forger, kObjects);
  const std::string what = object;
  switch (forger.below(12)) {
    case 0:
    case 1: {
      const auto& [group, name] = any_of(forger, kNumbers);
      file.set_number(group, name, bits);
      return fmt::format("{} {} is {:#x}", group, name, bits);
    }
    case 2: {
      const char* const name = any_of(forger, kTexts);
      constexpr const char* kOdd[] = {"", "\xff\xfe", "a\nb", "../../x", "\x1b[2J"};
      file.set_text(name, forger.below(4) == 0 ? std::string(60000, 'x') : any_of(forger, kOdd));
      return fmt::format("text {}", name);
    }
    case 3:
      file.remove(object);
      return what + " is gone";
    case 4:
      file.replace(object, H5T_NATIVE_FLOAT, 1 + static_cast<int>(forger.below(3)),
                   forger.below(1000));
      return what + " is a table of another sort";
    case 5:
      file.resize(object,
                  forger.below(2) == 0 ? forger.below(10) : hsize_t{1} << (20 + forger.below(40)));
      return what + " has another length";
    case 6:
    case 7:
    case 8: {
      const auto& [name, member] = any_of(forger, kColumns);
      file.set_value(name, member, forger.below(3000), bits);
      return fmt::format("{} {} has {:#x}", name, member != nullptr ? member : "", bits);
    }
    case 9:
      file.link_out(object);
      return what + " is a link to another file";
    case 10:
      if (forger.below(2) == 0)
        file.link_in_a_circle(object);
      else
        file.link_the_root(object);
      return what + " is a link in a circle";
    default:
      file.keep_outside(object);
      return what + " is kept in another file";
  }
}

TEST_F(ForgedSessions, AsFiles) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  test::Forger forger(11);
  run("session files", wanted(), [&](int) {
    fs::copy_file(file_, forged_, fs::copy_options::overwrite_existing);
    std::string done = forge_hdf5(forged_, forger);
    test::seal_session(forged_);
    return done;
  });
}

// Bytes that only the HDF5 library understands: whatever it does, it does to a process that may do nothing.
TEST_F(ForgedSessions, AsBytesOfHdf5) {
  test::Forger forger(12);
  const std::string sound = test::content_of(file_);
  run("bytes of HDF5", wanted(), [&](int i) {
    std::string bytes = sound;
    std::string done;
    // The structure of the file is mostly described at its beginning.
    for (std::size_t k = 0; k < 1 + forger.below(8); ++k)
      done += forger.spoil_number(bytes, 512, i % 2 == 0 ? 512 + 20000 : bytes.size()) + " ";
    test::put_content(forged_, bytes);
    test::seal_session(forged_);
    return done;
  });
}

// --- Emulations -----------------------------------------------------------------

TEST(ForgedEmulations, AsRecordings) {
  const test::TemporaryFolder folder;
  const fs::path file = folder / "sound.kbe", forged = folder / "forged.kbe";
  const io::EmulationTexts texts = test::shipped_emulation_texts("peg_on_plane");
  const auto loop = io::make_hil_bench(texts);
  test::record_emulation(texts, *loop, test::outside_run(*loop, kTicks, 3), file);
  const std::vector<test::Block> sound = test::blocks_of(test::content_of(file));
  const io::EmulationRecording whole = io::read_emulation_recording(file);
  test::Forger forger(2027);
  Tally tally;
  const int count = wanted();
  for (int i = 0; i < count && !testing::Test::HasFailure(); ++i) {
    std::vector<test::Block> blocks = sound;
    std::string done = forger.forge(blocks, 101, 106);
    while (forger.below(3) == 0 && !blocks.empty()) done += ", " + forger.forge(blocks, 101, 106);
    test::put_content(forged, test::sealed(blocks));
    try {
      runtime::EmulationReplayer replayer(io::read_emulation_recording(forged));
      ASSERT_LE(replayer.recording().end.end_tick, kTicks) << done;
      while (replayer.step()) {
      }
      const io::EmulationRecordingEnd& end = replayer.recording().end;
      const bool differs =
          replayer.first_difference() >= 0 || !replayer.end_is_equal() || replayer.refused() > 0;
      const bool told = !end.complete || end.lost.count > 0 || end.torn;
      const bool short_of_it = end.end_tick < whole.end.end_tick;
      EXPECT_TRUE(differs || told || !short_of_it) << i << ": " << done;
      tally.add(differs ? "said to differ" : told ? "cut off or with gaps, said" : "the same run");
    } catch (const io::FileError& error) {
      expect_one_sentence(error.what(), done);
      tally.add("refused");
    }
  }
  tally.print("recordings of emulations");
  EXPECT_GT(tally["refused"], count / 4);
}

}  // namespace
}  // namespace knuckleboom
