#include "fmi/archive.hpp"

#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>
#include <zip.h>

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

}  // namespace knuckleboom::fmi
