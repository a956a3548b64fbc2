#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "bytes.hpp"
#include "journal_blocks.hpp"
#include "knuckleboom/recording/sweep_table.hpp"

namespace knuckleboom::io {
namespace {

enum class SweepBlock : std::uint32_t { kHeader = 301, kRow };

constexpr std::uint32_t kRowsFormat = 1;
constexpr const char* kRowsSubject = "sweep";
constexpr std::uint64_t kMostColumns = 100'000;

void put_columns(std::string& out, const std::vector<SweepColumn>& columns) {
  put(out, static_cast<std::uint64_t>(columns.size()));
  for (const SweepColumn& column : columns) {
    put_text(out, column.name);
    put_text(out, column.unit);
    put_text(out, column.description);
    put(out, static_cast<std::uint8_t>(column.numbers ? 1 : 0));
  }
}

std::vector<SweepColumn> take_columns(ByteReader& in) {
  std::vector<SweepColumn> columns;
  const auto count = in.take<std::uint64_t>();
  if (count > kMostColumns) in.fail();
  for (std::uint64_t i = 0; i < count && in.good(); ++i) {
    SweepColumn column;
    column.name = in.take_text();
    column.unit = in.take_text();
    column.description = in.take_text();
    column.numbers = in.take<std::uint8_t>() != 0;
    columns.push_back(std::move(column));
  }
  return columns;
}

std::string bytes_of(const SweepHeader& header) {
  std::string out;
  put(out, kRowsFormat);
  for (const std::string* text :
       {&header.kind, &header.plan_hash, &header.program, &header.plan, &header.text})
    put_text(out, *text);
  put(out, header.runs);
  put(out, header.shard.number);
  put(out, header.shard.of);
  put_columns(out, header.variables);
  put_columns(out, header.results);
  return out;
}

std::string bytes_of(const SweepRow& row) {
  std::string out;
  put(out, row.run);
  for (const std::string& value : row.values) put_text(out, value);
  for (const double result : row.results) put(out, result);
  put(out, row.state_hash);
  put_text(out, row.failure);
  return out;
}

bool take_header(std::string_view bytes, SweepHeader& header) {
  ByteReader in(bytes);
  if (in.take<std::uint32_t>() != kRowsFormat) return false;
  for (std::string* text :
       {&header.kind, &header.plan_hash, &header.program, &header.plan, &header.text})
    *text = in.take_text();
  header.runs = in.take<std::int64_t>();
  header.shard.number = in.take<std::int64_t>();
  header.shard.of = in.take<std::int64_t>();
  header.variables = take_columns(in);
  header.results = take_columns(in);
  return in.good() && in.empty() && header.runs >= 0 && header.shard.number >= 1 &&
         header.shard.of >= header.shard.number;
}

bool take_row(std::string_view bytes, const SweepHeader& header, SweepRow& row) {
  ByteReader in(bytes);
  row.run = in.take<std::int64_t>();
  for (std::size_t i = 0; i < header.variables.size() && in.good(); ++i)
    row.values.push_back(in.take_text());
  for (std::size_t i = 0; i < header.results.size() && in.good(); ++i)
    row.results.push_back(in.take<double>());
  row.state_hash = in.take<std::uint64_t>();
  row.failure = in.take_text();
  return in.good() && in.empty() && row.run >= 0 && row.run < header.runs &&
         header.shard.has(row.run);
}

}  // namespace

SweepRows read_sweep_rows(const std::filesystem::path& path) {
  SweepRows out;
  out.path = path;
  JournalReader reader(path, "rows of a sweep");
  std::uint32_t kind = 0;
  std::string payload;
  if (!reader.next(kind, payload) || kind != static_cast<std::uint32_t>(SweepBlock::kHeader) ||
      !take_header(payload, out.header))
    throw FileError(path.string(),
                    "this file holds no rows of a sweep, or those of another version of the "
                    "program; it was left as it is");
  out.sound_bytes = reader.sound_bytes();
  out.blocks = 1;
  while (reader.next(kind, payload)) {
    SweepRow row;
    if (kind != static_cast<std::uint32_t>(SweepBlock::kRow) || !take_row(payload, out.header, row))
      break;
    out.sound_bytes = reader.sound_bytes();
    ++out.blocks;
    out.rows.push_back(std::move(row));
  }
  std::stable_sort(out.rows.begin(), out.rows.end(),
                   [](const SweepRow& a, const SweepRow& b) { return a.run < b.run; });
  out.rows.erase(std::unique(out.rows.begin(), out.rows.end(),
                             [](const SweepRow& a, const SweepRow& b) { return a.run == b.run; }),
                 out.rows.end());
  return out;
}

std::string difference(const SweepHeader& there, const SweepHeader& wanted) {
  if (there.kind != wanted.kind)
    return fmt::format("it belongs to a {}, not to a {}", there.kind, wanted.kind);
  if (there.program != wanted.program)
    return fmt::format("it was begun by {}, and this is {}", there.program, wanted.program);
  if (there.plan_hash != wanted.plan_hash)
    return there.text == wanted.text
               ? "a file that the plan's runs read has changed since it was begun"
               : "it belongs to another plan, or the plan has changed since it was begun";
  if (there.shard != wanted.shard)
    return fmt::format("it is shard {}/{}, not {}/{}", there.shard.number, there.shard.of,
                       wanted.shard.number, wanted.shard.of);
  if (there.runs != wanted.runs || there.variables != wanted.variables ||
      there.results != wanted.results)
    return "it has other columns";
  return {};
}

SweepRowsWriter SweepRowsWriter::open(const std::filesystem::path& path, const SweepHeader& header,
                                      std::vector<SweepRow>& have) {
  have.clear();
  const std::string first = journal_block(SweepBlock::kHeader, 0, bytes_of(header));
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    std::optional<JournalFile> made = JournalFile::create(path, first, kRowsSubject);
    if (made) return {std::move(*made), 1};
  }
  const auto accept = [&](const SweepRows& there) {
    if (const std::string why = difference(there.header, header); !why.empty())
      throw FileError(path.string(),
                      fmt::format("{}; choose another table with --output, or remove this file to "
                                  "begin again",
                                  why));
  };
  accept(read_sweep_rows(path));
  // Once it is locked nothing is appended any more.
  JournalFile file = JournalFile::resume(path, kRowsSubject);
  SweepRows there = read_sweep_rows(path);
  accept(there);
  file.cut(there.sound_bytes);
  have = std::move(there.rows);
  return {std::move(file), there.blocks};
}

void SweepRowsWriter::add(const SweepRow& row) {
  file_.write(journal_block(SweepBlock::kRow, blocks_++, bytes_of(row)));
}

}  // namespace knuckleboom::io
