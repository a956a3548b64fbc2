#include "knuckleboom/recording/table_file.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "bytes.hpp"
#include "journal_blocks.hpp"
#include "open_file.hpp"
#include "session_child.hpp"
#include "session_guard.hpp"
#include "table_unfold.hpp"

namespace knuckleboom::io {
namespace {

constexpr std::string_view kTraceStart = "# knuckleboom ";

// As far as an HDF5 file's mark may lie.
std::string beginning_of(const std::filesystem::path& path) {
  constexpr std::size_t kLooked = 70'000;
  std::error_code ignored;
  std::string out;
  if (!std::filesystem::is_regular_file(path, ignored)) return out;
  std::ifstream file(path, std::ios::binary);
  out.resize(kLooked);
  file.read(out.data(), static_cast<std::streamsize>(out.size()));
  out.resize(static_cast<std::size_t>(file.gcount()));
  return out;
}

bool begins_arrays(const std::string& begin) {
  return (is_hdf5(begin) || is_matlab(begin)) && !begin.starts_with(kSessionFirstLine);
}

// The answer of the process, which is only as good as the file.
class Arrays {
 public:
  void take(StreamBlock kind, std::string_view payload) {
    bytes_ += payload.size();
    if (bytes_ > kMostNumbers * sizeof(double) + kMostTextBytes)
      throw std::runtime_error("it has more numbers than a table may have");
    ByteReader reader(payload);
    if (kind == StreamBlock::kTable) {
      out_.kind = shown(reader.take_text());
      for (auto n = reader.take<std::uint64_t>(); n > 0 && reader.good(); --n)
        out_.notes.push_back(shown(reader.take_text()));
    } else if (kind == StreamBlock::kArray) {
      if (out_.arrays.size() >= kMostArrays) throw std::runtime_error("it has too many arrays");
      out_.arrays.push_back(array_of(reader));
    } else if (kind == StreamBlock::kNumbers && !out_.arrays.empty()) {
      std::vector<double>& to = out_.arrays.back().values;
      const std::size_t n = payload.size() / sizeof(double), before = to.size();
      to.resize(before + n);
      std::memcpy(to.data() + before, payload.data(), n * sizeof(double));
    }
  }

  NumberArrays take_all() {
    std::erase_if(out_.arrays, [](const NumberArray& one) {
      std::size_t n = 1;
      for (const std::size_t size : one.shape)
        if (__builtin_mul_overflow(n, size, &n)) return true;
      return n == 0 || n != (one.texts.empty() ? one.values.size() : one.texts.size());
    });
    return std::move(out_);
  }

 private:
  // Names of foreign files, without what would reorder, break or forge the text around them.
  static std::string shown(const std::string& raw) {
    const std::string text = is_utf8(raw) ? raw : from_latin1(raw);
    std::string out;
    for (std::size_t at = 0; at < text.size() && out.size() < kMostShown;) {
      const Utf8Character one = decode_utf8(text, at);
      if (is_control(one.code) || disturbs_text(one.code))
        out += '?';
      else
        out.append(text, at, one.length);
      at += std::max<std::size_t>(one.length, 1);
    }
    return out;
  }

  static NumberArray array_of(ByteReader& reader) {
    NumberArray out;
    out.name = shown(reader.take_text());
    out.unit = shown(reader.take_text());
    out.first_fastest = reader.take<std::uint8_t>() != 0;
    for (auto rank = reader.take<std::uint8_t>(); rank > 0 && reader.good(); --rank)
      out.shape.push_back(static_cast<std::size_t>(reader.take<std::uint64_t>()));
    for (auto n = reader.take<std::uint64_t>(); n > 0 && reader.good(); --n)
      out.texts.push_back(shown(reader.take_text()));
    return out;
  }

  static constexpr std::size_t kMostShown = 500;

  NumberArrays out_;
  std::uint64_t bytes_ = 0;
};

NumberArrays unfold(const std::filesystem::path& path) {
  const std::string file = path.string();
  const OpenFile opened(path, "table");
  try {
    SessionChild child;
    child.ask(opened.get(), static_cast<std::uint64_t>(std::filesystem::file_size(path)),
              kAskTable);
    Arrays arrays;
    std::string payload;
    for (std::uint32_t block = 0; child.next(block, payload);) {
      const auto kind = static_cast<StreamBlock>(block);
      if (kind != StreamBlock::kDone) {
        arrays.take(kind, payload);
        continue;
      }
      if (const std::string wrong = ByteReader(payload).take_text(); !wrong.empty())
        throw FileError(file, wrong);
      return arrays.take_all();
    }
    throw FileError(file,
                    fmt::format("the library that reads such files {}; the file may be damaged",
                                child.failure()));
  } catch (const FileError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw FileError(file, fmt::format("cannot be read: {}", error.what()));
  }
}

}  // namespace

LogTable open_log(const std::filesystem::path& path, LogMap map) {
  const std::string begin = beginning_of(path);
  if (begin.starts_with(kSessionFirstLine))
    throw FileError(
        path.string(),
        "this is a session of the trainer, no table; `judge`, `replay` and `report` take "
        "it as it is, and `verify --from` makes a bundle of it");
  if (!begins_arrays(begin)) return {path, std::move(map)};
  return {unfold(path), path.string(), std::move(map)};
}

Trace read_log(const std::filesystem::path& path, const LogMap& map,
               std::span<const KnownColumn> known) {
  return open_log(path, map).read(map.columns, known);
}

Trace read_table(const std::filesystem::path& path, const std::string& dbc) {
  if (dbc.empty() && beginning_of(path).starts_with(kTraceStart)) return read_trace(path);
  LogMap map;
  map.dbc = dbc;
  return open_log(path, std::move(map)).read_all();
}

bool is_array_file(const std::filesystem::path& path) { return begins_arrays(beginning_of(path)); }

}  // namespace knuckleboom::io
