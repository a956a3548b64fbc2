// Recordings of emulations read back as written; damaged ones are read up to the damage.
#include "knuckleboom/recording/emulation_recording.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recording/bytes.hpp"
#include "recording/emulation_blocks.hpp"
#include "recording/journal_blocks.hpp"
#include "support/same_bytes.hpp"
#include "support/session_recording.hpp"

namespace knuckleboom::io {
namespace {

namespace fs = std::filesystem;
using emulation::HilCommandKind;
using exchange::ExchangeInput;
using testing::HasSubstr;

std::string content_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Anew: some file systems flush a file that is truncated and written again.
void put_content(const fs::path& path, std::string_view content) {
  fs::remove(path);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

EmulationRecordingHeader some_header() {
  EmulationRecordingHeader header;
  header.program = this_program();
  header.processor = this_processor();
  header.id = "0123456789abcdef0123456789abcdef";
  header.start_utc = "2026-11-28T06:40:12Z";
  header.emulation = "peg";
  header.tick_s = 1e-3;
  header.layout = emulation_layout();
  header.made_from.texts = {{"emulation", "a/peg.toml", "name = \"peg\" # å\n"},
                            {"host", "a/host.toml", "x = 1\n"},
                            {"host base", "a/base.toml", ""}};
  header.made_from.assignments = {"control.scheme=position", "host.gravity_m_per_s2=[0, 0, 0]"};
  return header;
}

// Everything written to a recording, kept for comparison.
struct Written {
  std::vector<EmulationTickCommand> commands;
  std::vector<ExchangeInput> inputs;  // one for each tick
  std::vector<StateHash> hashes;
  EmulationRecordingEnd end;
};

double any_double(std::mt19937_64& random) { return std::bit_cast<double>(random()); }

exchange::SignalFrame any_frame(std::mt19937_64& random) {
  exchange::SignalFrame frame{};
  frame.fresh = random() & random() & 0xFFFFFFFFU;
  frame.sequence = random();
  frame.stamp_ns = static_cast<std::int64_t>(random());
  // Stale ones have something left over from before, which counts for nothing.
  for (double& value : frame.value) value = any_double(random);
  if (frame.fresh != 0)
    frame.value[std::countr_zero(frame.fresh)] =
        random() % 2 == 0 ? std::numeric_limits<double>::quiet_NaN() : -0.0;
  return frame;
}

// As a run would give them, with every bit pattern a double may have; flushed every 250 ticks.
Written write_some(const fs::path& file, std::int64_t ticks, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Written out;
  EmulationRecordingWriter writer(file, some_header());
  out.hashes.push_back({0, random()});
  writer.add(out.hashes.back());
  const auto command = [&](std::int64_t tick) {
    EmulationTickCommand one;
    one.tick = tick;
    one.command = {static_cast<HilCommandKind>(random() % 7), static_cast<std::int32_t>(random()),
                   any_double(random)};
    out.commands.push_back(one);
    writer.add(one);
  };
  for (std::int64_t k = 0; k < ticks; ++k) {
    while (random() % 20 == 0) command(k);
    ExchangeInput input{};
    if (random() % 3 != 0) input.network = any_frame(random);
    if (random() % 5 == 0) input.log = any_frame(random);
    out.inputs.push_back(input);
    writer.add(k, input);
    if ((k + 1) % kEmulationHashTicks == 0) {
      out.hashes.push_back({k + 1, random()});
      writer.add(out.hashes.back());
    }
    if ((k + 1) % 250 == 0) writer.flush(k + 1);
  }
  command(ticks);  // after the last tick
  out.end = {true, false, ticks, random(), {}, "all phases are over"};
  writer.close(out.end);
  return out;
}

// Data that a tick depends on: the fresh values, and for the recording their sender.
bool same_frame(const exchange::SignalFrame& a, const exchange::SignalFrame& b) {
  if (a.fresh != b.fresh) return false;
  if (a.fresh == 0) return true;
  if (a.sequence != b.sequence || a.stamp_ns != b.stamp_ns) return false;
  for (int i = 0; i < exchange::kMaxSignals; ++i)
    if ((a.fresh >> i & 1U) != 0 && !test::same_bytes(a.value[i], b.value[i])) return false;
  return true;
}

bool same_command(const EmulationTickCommand& a, const EmulationTickCommand& b) {
  return a.tick == b.tick && test::same_bytes(a.command, b.command);
}

bool same_texts(const EmulationRecordingHeader& a, const EmulationRecordingHeader& b) {
  return to_bytes(a) == to_bytes(b);
}

// Whether a reading holds the ticks before its end exactly, and no others. Empty: it does.
std::string difference(const Written& wanted, const EmulationRecording& got) {
  const std::int64_t end = got.end.end_tick;
  if (!same_texts(got.header, some_header())) return "header";
  if (end > wanted.end.end_tick) return "end";
  if (got.end.complete &&
      (end != wanted.end.end_tick || got.end.end_hash != wanted.end.end_hash ||
       got.end.reason != wanted.end.reason || got.commands.size() != wanted.commands.size()))
    return "end mark";
  std::size_t commands = 0, hashes = 0;
  for (const EmulationTickCommand& one : wanted.commands)
    commands += one.tick < end || (got.end.complete && one.tick <= end) ? 1 : 0;
  // A recording of the start alone may be empty.
  for (const StateHash& one : wanted.hashes) hashes += one.tick <= end ? 1 : 0;
  if (got.commands.size() != commands) return "number of commands";
  if (got.hashes.size() != hashes && !(end == 0 && got.hashes.empty())) return "number of hashes";
  for (std::size_t i = 0; i < commands; ++i)
    if (!same_command(got.commands[i], wanted.commands[i])) return "command";
  for (std::size_t i = 0; i < got.hashes.size(); ++i)
    if (got.hashes[i].tick != wanted.hashes[i].tick ||
        got.hashes[i].value != wanted.hashes[i].value)
      return "hash";
  EmulationFrames frames(got);
  std::int64_t count = 0;
  for (std::int64_t k = 0; k < end; ++k) {
    const ExchangeInput& input = frames.at(k);
    const ExchangeInput& own = wanted.inputs[static_cast<std::size_t>(k)];
    if (!same_frame(input.network, own.network) || !same_frame(input.log, own.log))
      return "frame of tick " + std::to_string(k);
    count += (input.network.fresh | input.log.fresh) != 0 ? 1 : 0;
  }
  return count == got.frames ? "" : "number of frames";
}

class EmulationRecordingFile : public testing::Test {
 protected:
  EmulationRecordingFile() : file_(folder_ / "run.kbe"), damaged_(folder_ / "damaged.kbe") {}

  // Refused with a sentence about this file.
  std::string refusal(const fs::path& path) {
    try {
      read_emulation_recording(path);
    } catch (const FileError& error) {
      EXPECT_THAT(error.what(), HasSubstr(path.filename().string()));
      return error.what();
    }
    return "";
  }
  // Ends of the blocks of a file.
  static std::vector<std::size_t> borders(const std::string& content) {
    std::vector<std::size_t> out;
    for (std::size_t at = content.find(kJournalMagic); at != std::string::npos;) {
      std::uint64_t size = 0;
      std::memcpy(&size, content.data() + at + 8, sizeof size);
      at += 32 + size;
      out.push_back(at);
      if (at >= content.size()) break;
    }
    return out;
  }

  test::TemporaryFolder folder_;
  fs::path file_, damaged_;
};

TEST_F(EmulationRecordingFile, KeepsEverythingBitByBit) {
  const Written written = write_some(file_, 5321, 1);
  const EmulationRecording got = read_emulation_recording(file_);
  EXPECT_EQ(difference(written, got), "");
  EXPECT_TRUE(got.end.complete);
  EXPECT_FALSE(got.end.torn);
  EXPECT_EQ(got.end.end_tick, 5321);
  EXPECT_EQ(got.end.lost.count, 0);
  EXPECT_EQ(got.end.lost.first_tick, -1);
  EXPECT_EQ(got.end.reason, "all phases are over");
  EXPECT_EQ(got.commands.back().tick, 5321);
  EXPECT_EQ(got.header.made_from.texts[0].text, "name = \"peg\" # å\n");
  EXPECT_EQ(got.header.made_from.texts[2].role, "host base");
  EXPECT_EQ(got.header.made_from.assignments, some_header().made_from.assignments);
  EXPECT_EQ(got.header.layout, emulation_layout());
  EXPECT_EQ(got.header.tick_s, 1e-3);
}

// Values that are not fresh are not stored.
TEST_F(EmulationRecordingFile, KeepsOnlyWhatIsFresh) {
  EmulationRecordingWriter writer(file_, some_header());
  for (std::int64_t k = 0; k <= 1000; k += kEmulationHashTicks) writer.add(StateHash{k, 1});
  writer.flush(0);
  const std::uint64_t before = writer.bytes();
  ExchangeInput input{};
  std::fill(std::begin(input.network.value), std::end(input.network.value), 7.0);
  input.network.sequence = 12;
  for (std::int64_t k = 0; k < 1000; ++k) writer.add(k, input);
  input.network.fresh = std::uint64_t{1} << 31;
  writer.add(1000, input);
  writer.flush(1001);
  // A block with one frame (tick, parts, fresh, sequence, stamp, value) and a mark.
  EXPECT_EQ(writer.bytes() - before, (32U + 8 + 1 + 3 * 8 + 8) + (32U + 24));
  const EmulationRecording got = read_emulation_recording(file_);
  EXPECT_EQ(got.frames, 1);
  EmulationFrames frames(got);
  EXPECT_EQ(frames.at(999).network.fresh, 0U);
  const ExchangeInput& one = frames.at(1000);
  EXPECT_EQ(one.network.value[31], 7.0);
  EXPECT_EQ(one.network.value[30], 0.0);
  EXPECT_EQ(one.network.sequence, 12U);
}

TEST_F(EmulationRecordingFile, WhatLiesBeyondTheLastMarkDoesNotCount) {
  ExchangeInput input{};
  input.log.fresh = 1;
  input.log.value[0] = 3.0;
  {
    EmulationRecordingWriter writer(file_, some_header());
    writer.add(StateHash{0, 1});
    for (std::int64_t k = 0; k < 250; ++k) writer.add(k, input);
    writer.add(StateHash{100, 2});
    writer.add(StateHash{200, 3});
    writer.add(EmulationTickCommand{150, {HilCommandKind::kHold, 0, 0.0}});
    writer.add(EmulationTickCommand{199, {HilCommandKind::kRun, 0, 0.0}});
    writer.add(EmulationTickCommand{200, {HilCommandKind::kHold, 0, 0.0}});
    // The tick thread is ahead of what it says to have run.
    writer.flush(200, {2, 180});
  }
  const EmulationRecording got = read_emulation_recording(file_);
  EXPECT_FALSE(got.end.complete);
  EXPECT_FALSE(got.end.torn);
  EXPECT_EQ(got.end.end_tick, 200);
  EXPECT_EQ(got.end.reason, "");
  EXPECT_EQ(got.end.lost.count, 2);
  EXPECT_EQ(got.end.lost.first_tick, 180);
  EXPECT_EQ(got.frames, 200);
  EXPECT_EQ(got.hashes.size(), 3U);
  ASSERT_EQ(got.commands.size(), 2U);  // it is not known what else came before tick 200
  EXPECT_EQ(got.commands.back().tick, 199);
}

// Cut at every border of its blocks, and at every byte of a shorter one.
TEST_F(EmulationRecordingFile, ReadsUpToWhereItWasCut) {
  const Written written = write_some(file_, 3000, 2);
  const std::string whole = content_of(file_);
  const std::vector<std::size_t> ends = borders(whole);
  ASSERT_GT(ends.size(), 20U);
  ASSERT_EQ(ends.back(), whole.size());
  std::int64_t last = -1;
  for (const std::size_t end : ends) {
    put_content(damaged_, std::string_view(whole).substr(0, end));
    const EmulationRecording got = read_emulation_recording(damaged_);
    ASSERT_EQ(difference(written, got), "") << end;
    EXPECT_FALSE(got.end.torn) << end;
    EXPECT_EQ(got.end.complete, end == whole.size());
    EXPECT_GE(got.end.end_tick, last);
    last = got.end.end_tick;
  }
  EXPECT_EQ(last, 3000);

  const fs::path short_file = folder_ / "short.kbe";
  const Written short_run = write_some(short_file, 300, 3);
  const std::string bytes = content_of(short_file);
  const std::vector<std::size_t> short_ends = borders(bytes);
  for (std::size_t end = 0; end < bytes.size(); end += end < 2000 ? 1 : 7) {
    put_content(damaged_, std::string_view(bytes).substr(0, end));
    if (end < short_ends.front()) {
      EXPECT_NE(refusal(damaged_), "") << end;
      continue;
    }
    const EmulationRecording got = read_emulation_recording(damaged_);
    ASSERT_EQ(difference(short_run, got), "") << end;
    EXPECT_FALSE(got.end.complete) << end;
    EXPECT_EQ(got.end.torn,
              std::find(short_ends.begin(), short_ends.end(), end) == short_ends.end());
  }
}

// A sentence, or a part from the beginning that is as it was written; never other bits.
TEST_F(EmulationRecordingFile, NoDamageGoesUnnoticed) {
  const Written written = write_some(file_, 1200, 4);
  const std::string whole = content_of(file_);
  std::mt19937_64 random(77);
  const auto below = [&random](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  int refused = 0, cut = 0, untouched = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string bytes = whole;
    // Half of them near the beginning, where the header is, or near the end.
    const std::size_t reach = i % 4 == 0 ? 400 : bytes.size();
    const std::size_t at = i % 4 == 1 ? bytes.size() - 1 - below(400) : below(reach);
    const std::size_t length = std::min(bytes.size() - at, 1 + below(64));
    switch (i % 6) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        for (std::size_t j = 0; j < length; ++j) bytes[at + j] = static_cast<char>(random());
        break;
      case 2:
        bytes.erase(at, length);
        break;
      case 3:
        bytes.insert(at, bytes.substr(below(bytes.size() - length), length));
        break;
      case 4:
        bytes.replace(at, length, length, '\0');
        break;
      default: {  // whole blocks change places or are there twice
        const std::vector<std::size_t> ends = borders(whole);
        const std::size_t one = below(ends.size() - 1);
        const std::string block = whole.substr(ends[one], ends[one + 1] - ends[one]);
        if (i % 12 == 5) bytes.erase(ends[one], block.size());
        bytes.insert(ends[below(one + 1)], block);
      }
    }
    put_content(damaged_, bytes);
    try {
      const EmulationRecording got = read_emulation_recording(damaged_);
      ASSERT_EQ(difference(written, got), "") << "mutation " << i;
      if (bytes == whole) {
        ++untouched;
        continue;
      }
      // The recording itself is whole only where the damage lies behind it.
      ASSERT_TRUE(!got.end.complete || got.end.torn) << "mutation " << i;
      ++cut;
    } catch (const FileError&) {
      ++refused;
    }
  }
  std::printf("2000 mutations: %d refused, %d read as far as they were sound, %d changed nothing\n",
              refused, cut, untouched);
  EXPECT_GT(refused, 100);
  EXPECT_GT(cut, 1000);
}

// Right checksums, and yet no recording: blocks of one that was put together by hand.
TEST_F(EmulationRecordingFile, RefusesContentsThatNoRecordingHas) {
  const auto refused = [&](EmulationBlock kind, const std::function<void(std::string&)>& fill) {
    std::string payload;
    fill(payload);
    put_content(damaged_, journal_block(EmulationBlock::kHeader, 0, to_bytes(some_header())) +
                              journal_block(kind, 1, payload));
    return refusal(damaged_).find("no recording holds") != std::string::npos;
  };
  const auto frame = [](std::string& p, std::int64_t tick, std::uint8_t parts,
                        std::uint64_t fresh) {
    put(p, tick);
    put(p, parts);
    put(p, fresh);
    put(p, std::uint64_t{1});
    put(p, std::int64_t{2});
    put(p, 3.0);
  };
  EXPECT_FALSE(refused(EmulationBlock::kFrames, [&](std::string& p) { frame(p, 5, 2, 1); }));
  EXPECT_TRUE(refused(EmulationBlock::kFrames, [&](std::string& p) { frame(p, 5, 0, 1); }));
  EXPECT_TRUE(refused(EmulationBlock::kFrames, [&](std::string& p) { frame(p, 5, 4, 1); }));
  EXPECT_TRUE(refused(EmulationBlock::kFrames, [&](std::string& p) { frame(p, -1, 2, 1); }));
  EXPECT_TRUE(refused(EmulationBlock::kFrames, [&](std::string& p) { frame(p, 5, 2, 0); }));
  EXPECT_TRUE(refused(EmulationBlock::kFrames,
                      [&](std::string& p) { frame(p, 5, 2, std::uint64_t{1} << 32); }));
  EXPECT_TRUE(refused(EmulationBlock::kFrames, [&](std::string& p) {
    frame(p, 5, 2, 1);
    frame(p, 5, 2, 1);
  }));
  EXPECT_TRUE(refused(EmulationBlock::kFrames, [&](std::string& p) {
    frame(p, 5, 2, 1);
    p.pop_back();
  }));
  EXPECT_TRUE(refused(EmulationBlock::kProgress, [](std::string& p) {
    put(p, std::int64_t{-3});
    put(p, std::int64_t{0});
    put(p, std::int64_t{-1});
  }));
  EXPECT_TRUE(refused(EmulationBlock::kEnd, [](std::string& p) { put(p, std::int64_t{3}); }));
  EXPECT_TRUE(refused(EmulationBlock::kCommands, [](std::string& p) { put(p, std::int64_t{3}); }));
  EXPECT_TRUE(refused(static_cast<EmulationBlock>(99), [](std::string&) {}));
  // Marks that claim what is not there.
  const auto end_mark = [](std::string& p, std::int64_t end, std::int64_t lost,
                           std::int64_t first) {
    put(p, end);
    put(p, std::uint64_t{7});
    put(p, lost);
    put(p, first);
    put_text(p, "over");
  };
  EXPECT_FALSE(refused(EmulationBlock::kEnd, [&](std::string& p) { end_mark(p, 99, 0, -1); }));
  EXPECT_TRUE(refused(EmulationBlock::kEnd, [&](std::string& p) { end_mark(p, 100, 0, -1); }));
  EXPECT_FALSE(refused(EmulationBlock::kEnd, [&](std::string& p) { end_mark(p, 100, 1, 60); }));
  EXPECT_TRUE(refused(EmulationBlock::kEnd, [&](std::string& p) { end_mark(p, 100, 1, -1); }));
  EXPECT_TRUE(refused(EmulationBlock::kEnd, [&](std::string& p) { end_mark(p, 100, 1, 101); }));
  EXPECT_TRUE(refused(EmulationBlock::kEnd, [&](std::string& p) { end_mark(p, 99, -1, 5); }));
  EXPECT_TRUE(refused(EmulationBlock::kEnd, [&](std::string& p) { end_mark(p, 99, 0, 5); }));
  EXPECT_TRUE(refused(EmulationBlock::kEnd, [&](std::string& p) {
    end_mark(p, std::int64_t{1} << 40, std::int64_t{1} << 40, 5);  // an hour without anything
  }));
  EXPECT_TRUE(refused(EmulationBlock::kProgress, [](std::string& p) {
    put(p, std::int64_t{1000});
    put(p, std::int64_t{0});
    put(p, std::int64_t{-1});
  }));
  EXPECT_TRUE(refused(EmulationBlock::kHashes, [](std::string& p) {
    put(p, std::int64_t{150});
    put(p, std::uint64_t{1});
  }));
  EXPECT_TRUE(refused(EmulationBlock::kCommands, [](std::string& p) {
    put(p, std::int64_t{0});
    put(p, std::int32_t{7});
    put(p, std::int32_t{0});
    put(p, 0.0);
  }));
}

TEST_F(EmulationRecordingFile, SaysWhatIsNoRecording) {
  EXPECT_THAT(refusal(folder_ / "nowhere.kbe"), HasSubstr("there is no such file"));
  EXPECT_THAT(refusal(folder_.path()), HasSubstr("not a regular file"));
  put_content(damaged_, "");
  EXPECT_THAT(refusal(damaged_), HasSubstr("no recording of an emulation"));
  put_content(damaged_, "name = \"peg\"\n");
  EXPECT_THAT(refusal(damaged_), HasSubstr("no recording of an emulation"));
  put_content(damaged_, journal_block(JournalKind::kHeader, 0, "x"));
  EXPECT_THAT(refusal(damaged_), HasSubstr("training session"));
  std::string header = to_bytes(some_header());
  header[0] = static_cast<char>(kEmulationRecordingFormat + 1);
  put_content(damaged_, journal_block(EmulationBlock::kHeader, 0, header));
  EXPECT_THAT(refusal(damaged_), HasSubstr("format 2, this program reads format 1"));
  EXPECT_THAT(refusal(damaged_), HasSubstr(this_program()));
}

TEST_F(EmulationRecordingFile, WritesOverNothing) {
  put_content(file_, "mine");
  try {
    const EmulationRecordingWriter writer(file_, some_header());
    FAIL() << "it was written over";
  } catch (const FileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("run.kbe"));
    EXPECT_THAT(error.what(), HasSubstr("give another name"));
  }
  EXPECT_EQ(content_of(file_), "mine");
  try {
    const EmulationRecordingWriter writer(folder_ / "no" / "run.kbe", some_header());
    FAIL() << "there is no such folder";
  } catch (const FileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("there is no folder"));
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 1);
}

// A reader may look while the run goes on; another file in its place is noticed.
TEST_F(EmulationRecordingFile, MayBeReadWhileItGrows) {
  ExchangeInput input{};
  input.network.fresh = 1;
  EmulationRecordingWriter writer(file_, some_header());
  writer.add(StateHash{100, 1});
  writer.add(StateHash{200, 1});
  for (std::int64_t k = 0; k < 100; ++k) writer.add(k, input);
  writer.flush(100);
  const EmulationRecording got = read_emulation_recording(file_);
  for (std::int64_t k = 100; k < 200; ++k) writer.add(k, input);
  writer.flush(200);
  EmulationFrames frames(got);
  for (std::int64_t k = 0; k < 100; ++k) EXPECT_EQ(frames.at(k).network.fresh, 1U);
  EXPECT_EQ(frames.at(100).network.fresh, 0U);  // not within what was read

  EmulationRecordingHeader other = some_header();
  other.id = "another";
  const fs::path other_file = folder_ / "other.kbe";
  const EmulationRecordingWriter other_writer(other_file, other);
  fs::rename(other_file, file_);
  EXPECT_THROW(EmulationFrames{got}, FileError);
}

}  // namespace
}  // namespace knuckleboom::io
