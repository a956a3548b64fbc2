#include "fmi/archive.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <memory>
#include <new>
#include <set>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <zip.h>

#include "io/hasher.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/io/diagnostic.hpp"

namespace knuckleboom::fmi {
namespace {

namespace fs = std::filesystem;

// 1980-01-01, the first day that a zip can tell.
constexpr std::uint16_t kFirstDay = 1U << 5U | 1U;

class Writer {
 public:
  Writer() : source_(zip_source_buffer_create(nullptr, 0, 0, nullptr)) {
    if (source_ == nullptr) throw std::bad_alloc();
    zip_source_keep(source_);
    zip_error_t error;
    zip_error_init(&error);
    zip_ = zip_open_from_source(source_, ZIP_TRUNCATE, &error);
    zip_error_fini(&error);
    if (zip_ == nullptr) throw std::bad_alloc();
  }
  ~Writer() {
    if (zip_ != nullptr) zip_discard(zip_);
    zip_source_free(source_);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void add(const io::NamedText& entry) {
    zip_source_t* const text = zip_source_buffer(zip_, entry.text.data(), entry.text.size(), 0);
    const zip_int64_t index =
        text == nullptr ? -1 : zip_file_add(zip_, entry.name.c_str(), text, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      if (text != nullptr) zip_source_free(text);
      fail();
    }
    zip_file_set_dostime(zip_, static_cast<zip_uint64_t>(index), 0, kFirstDay, 0);
  }

  std::string bytes() {
    if (zip_close(zip_) != 0) fail();
    zip_ = nullptr;
    zip_stat_t facts;
    if (zip_source_stat(source_, &facts) != 0 || zip_source_open(source_) != 0)
      throw std::bad_alloc();
    std::string out(facts.size, '\0');
    const zip_int64_t read = zip_source_read(source_, out.data(), out.size());
    zip_source_close(source_);
    if (read != static_cast<zip_int64_t>(out.size())) throw std::bad_alloc();
    return out;
  }

 private:
  [[noreturn]] void fail() { throw std::runtime_error(zip_strerror(zip_)); }

  zip_source_t* source_;
  zip_t* zip_;
};

}  // namespace

void write_archive(const std::filesystem::path& path, const std::vector<io::NamedText>& entries) {
  std::string bytes;
  try {
    Writer writer;
    for (const io::NamedText& entry : entries) writer.add(entry);
    bytes = writer.bytes();
  } catch (const std::runtime_error& error) {
    throw io::FileError(path.string(), fmt::format("the archive cannot be made: {}", error.what()));
  }
  io::write_file(path, bytes);
}

std::optional<std::string> entry_of(const std::filesystem::path& path, const std::string& name,
                                    std::size_t limit) {
  const std::unique_ptr<zip_t, void (*)(zip_t*)> archive(
      zip_open(path.c_str(), ZIP_RDONLY, nullptr), zip_discard);
  zip_stat_t facts;
  if (!archive || zip_stat(archive.get(), name.c_str(), 0, &facts) != 0 ||
      (facts.valid & ZIP_STAT_SIZE) == 0 || facts.size > limit)
    return std::nullopt;
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(
      zip_fopen(archive.get(), name.c_str(), 0), zip_fclose);
  std::string text(facts.size, '\0');
  if (!file ||
      zip_fread(file.get(), text.data(), text.size()) != static_cast<zip_int64_t>(text.size()))
    return std::nullopt;
  return text;
}

namespace {

constexpr std::uintmax_t kMostBytes = std::uintmax_t{256} << 20U;  // of the file, and unpacked
constexpr zip_uint64_t kMostEntries = 10'000;

[[noreturn]] void refuse_archive(const fs::path& path, const std::string& why) {
  throw io::FileError(path.string(), why);
}

// A name that somebody else has made, at a length that a sentence bears.
std::string shown(std::string_view name) {
  constexpr std::size_t kLongest = 80;
  return name.size() <= kLongest ? std::string(name)
                                 : std::string(name.substr(0, kLongest)) + "...";
}

// The entries that the end of an archive tells: the library would make room for all of them before it counts.
std::size_t entries_told(std::string_view end) {
  constexpr std::string_view kMark = "PK\5\6";
  constexpr std::size_t kCount = 10;
  const std::size_t at = end.rfind(kMark);
  if (at == std::string_view::npos || at + kCount + 2 > end.size()) return 0;
  const auto byte = [&](std::size_t i) {
    return std::size_t{static_cast<unsigned char>(end[at + kCount + i])};
  };
  return byte(0) + 256 * byte(1);
}

// Hash of a file; end: receives its last bytes.
std::string hash_of_file(const fs::path& path, std::string& end) {
  constexpr std::size_t kPiece = std::size_t{1} << 20U;
  std::ifstream stream(path, std::ios::binary);
  std::string piece(kPiece, '\0');
  io::Hasher hash;
  while (stream.read(piece.data(), static_cast<std::streamsize>(kPiece)) || stream.gcount() > 0) {
    const std::string_view read(piece.data(), static_cast<std::size_t>(stream.gcount()));
    hash.add(read);
    end = end.substr(end.size() - std::min(end.size(), kPiece - std::min(kPiece, read.size())));
    end += read;
  }
  return hash.result().hex;
}

struct ForeignEntry {
  zip_uint64_t index;
  std::string name;
  fs::path inside;
  std::uintmax_t size;
};

// Its files, all names looked at before anything is unpacked.
std::vector<ForeignEntry> entries_in(zip_t* archive, const fs::path& path) {
  const auto count = static_cast<zip_uint64_t>(zip_get_num_entries(archive, 0));
  if (count > kMostEntries)
    refuse_archive(path, fmt::format("{} entries are too many for an FMU", count));
  std::vector<ForeignEntry> out;
  std::set<fs::path> known;
  for (zip_uint64_t i = 0; i < count; ++i) {
    zip_stat_t facts;
    if (zip_stat_index(archive, i, 0, &facts) != 0 || (facts.valid & ZIP_STAT_NAME) == 0)
      refuse_archive(path, fmt::format("entry {} of the archive cannot be read", i + 1));
    const std::string name = facts.name;
    const fs::path inside = fs::path(name).lexically_normal();
    if (name.empty() || inside.is_absolute() || *inside.begin() == ".." ||
        name.find('\\') != std::string::npos)
      refuse_archive(path,
                     fmt::format("the entry '{}' leads out of the FMU, so nothing of it is used",
                                 shown(name)));
    if (name.back() == '/') continue;
    if (!known.insert(inside).second)
      refuse_archive(path, fmt::format("the entry '{}' is there twice, so nothing of it is used",
                                       shown(name)));
    out.push_back({i, name, inside, facts.size});
  }
  return out;
}

void extract_entry(zip_t* archive, const ForeignEntry& one, const fs::path& target,
                   const fs::path& path) {
  std::error_code ignored;
  fs::create_directories(target.parent_path(), ignored);
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> entry(
      zip_fopen_index(archive, one.index, 0), zip_fclose);
  if (!entry)
    refuse_archive(path, fmt::format("the entry '{}' cannot be read: {}", shown(one.name),
                                     zip_strerror(archive)));
  std::ofstream file(target, std::ios::binary);
  std::vector<char> piece(std::size_t{1} << 16U);
  std::uintmax_t left = one.size;
  for (zip_int64_t read = 1; read > 0;) {
    read = zip_fread(entry.get(), piece.data(), piece.size());
    if (read < 0 || static_cast<std::uintmax_t>(read) > left || (read == 0 && left > 0))
      refuse_archive(path, fmt::format("the entry '{}' is damaged", shown(one.name)));
    left -= static_cast<std::uintmax_t>(read);
    file.write(piece.data(), read);
  }
  if (!file.flush())
    refuse_archive(path, fmt::format("the entry '{}' cannot be unpacked to {}", shown(one.name),
                                     shown(target.string())));
}

}  // namespace

Extracted extract_archive(const fs::path& path, const fs::path& folder,
                          const std::function<bool(std::string_view name)>& wanted) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) refuse_archive(path, "there is no such file");
  if (fs::file_size(path, ignored) > kMostBytes)
    refuse_archive(path, "the file is larger than 256 MiB, which no FMU for this needs");
  Extracted out;
  std::string end;
  out.hash = hash_of_file(path, end);
  if (const std::size_t told = entries_told(end); told > kMostEntries)
    refuse_archive(path, fmt::format("{} entries are too many for an FMU", told));
  const std::unique_ptr<zip_t, void (*)(zip_t*)> archive(
      zip_open(path.c_str(), ZIP_RDONLY, nullptr), zip_discard);
  if (!archive) refuse_archive(path, "this is no FMU: it cannot be read as a zip archive");
  const std::vector<ForeignEntry> entries = entries_in(archive.get(), path);
  std::uintmax_t content = 0;
  for (const ForeignEntry& one : entries) {
    out.names.push_back(one.name);
    if (!wanted(one.name)) continue;
    content += std::min(one.size, kMostBytes + 1);
    if (content > kMostBytes)
      refuse_archive(path, "unpacked it would have more than 256 MiB, so nothing of it is used");
  }
  for (const ForeignEntry& one : entries)
    if (wanted(one.name)) extract_entry(archive.get(), one, folder / one.inside, path);
  return out;
}

}  // namespace knuckleboom::fmi
