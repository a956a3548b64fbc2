#include "fmi/archive.hpp"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <new>
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

std::string extract_archive(const std::filesystem::path& path,
                            const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  constexpr std::uintmax_t kLargestFile = std::uintmax_t{256} << 20U;
  constexpr std::uintmax_t kLargestContent = std::uintmax_t{1} << 30U;
  constexpr zip_int64_t kMostEntries = 10'000;
  const auto refuse = [&path](const std::string& why) { throw io::FileError(path.string(), why); };
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) refuse("there is no such file");
  if (fs::file_size(path, ignored) > kLargestFile)
    refuse("the file is larger than 256 MiB, which no FMU for this needs");
  std::ifstream stream(path, std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  io::Hasher hash;
  hash.add(all);
  zip_source_t* const source = zip_source_buffer_create(all.data(), all.size(), 0, nullptr);
  if (source == nullptr) throw std::bad_alloc();
  zip_t* const opened = zip_open_from_source(source, ZIP_RDONLY, nullptr);
  if (opened == nullptr) {
    zip_source_free(source);
    refuse("this is no FMU: it cannot be read as a zip archive");
  }
  const std::unique_ptr<zip_t, void (*)(zip_t*)> archive(opened, zip_discard);
  const zip_int64_t count = zip_get_num_entries(opened, 0);
  if (count > kMostEntries) refuse(fmt::format("{} entries are too many for an FMU", count));
  std::uintmax_t content = 0;
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<zip_uint64_t>(i);
    zip_stat_t facts;
    if (zip_stat_index(opened, index, 0, &facts) != 0 || (facts.valid & ZIP_STAT_NAME) == 0)
      refuse(fmt::format("entry {} of the archive cannot be read", i + 1));
    const std::string name = facts.name;
    const fs::path inside = fs::path(name).lexically_normal();
    if (name.empty() || inside.is_absolute() || *inside.begin() == ".." ||
        name.find('\\') != std::string::npos)
      refuse(fmt::format("the entry '{}' leads out of the FMU, so nothing of it is used", name));
    if (name.back() == '/') continue;
    content += facts.size;
    if (content > kLargestContent)
      refuse("unpacked it would have more than 1 GiB, so nothing of it is used");
    const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> entry(zip_fopen_index(opened, index, 0),
                                                                  zip_fclose);
    std::string text(facts.size, '\0');
    char beyond = 0;
    if (!entry ||
        zip_fread(entry.get(), text.data(), text.size()) != static_cast<zip_int64_t>(text.size()) ||
        zip_fread(entry.get(), &beyond, 1) != 0)
      refuse(fmt::format("the entry '{}' is damaged", name));
    const fs::path target = folder / inside;
    fs::create_directories(target.parent_path(), ignored);
    std::ofstream file(target, std::ios::binary);
    file << text;
    if (!file.flush())
      refuse(fmt::format("the entry '{}' cannot be unpacked to {}", name, target.string()));
  }
  return hash.result().hex;
}

}  // namespace knuckleboom::fmi
