#include "table_bytes.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/utf8.hpp"
#include "text_file.hpp"

namespace knuckleboom::io {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;      // bytes that are read at a time
constexpr std::size_t kHead = std::size_t{4} << 20;       // bytes that are looked at
constexpr std::size_t kLongLine = std::size_t{64} << 20;  // bytes; more is no line of a table

// Files of loggers that are no text, with what makes a table of them.
struct Binary {
  std::string_view start, remedy;
};
constexpr Binary kBinaries[] = {
    {"MDF ",
     "this is an MDF file of a measuring system; write its channels as CSV there, or with "
     "the Python package asammdf, and give that"},
    {"UnFinMF",
     "this is an MDF file that was not finished; let the measuring system finish it, write "
     "its channels as CSV, and give that"},
    {"LOGG",
     "this is a BLF log of a CAN bus; export it as ASC there, or with the Python package "
     "python-can "
     "(can_logconvert LOG.blf LOG.asc), and give that with its DBC"},
    {";$FILEVERSION",
     "this is a trace of PCAN-View; write it as ASC with the Python package python-can "
     "(can_logconvert LOG.trc LOG.asc), and give that with its DBC"},
    {"\x89MCAP", "this is an MCAP log; write the topics wanted as CSV, and give that"},
    {"PK\x03\x04",
     "this is a zip archive or a spreadsheet; save the sheet as CSV, or unpack it, and "
     "give that"},
    {"\x1F\x8B", "this is packed by gzip; unpack it with gunzip, and give that"},
    {"SQLite format 3", "this is an SQLite database; write its table as CSV, and give that"},
    {"PAR1", "this is a Parquet file; write its table as CSV, and give that"},
};

char32_t utf16_unit(std::string_view bytes, std::size_t at, bool big_endian) {
  const auto first = static_cast<unsigned char>(bytes[at]);
  const auto second = static_cast<unsigned char>(bytes[at + 1]);
  return static_cast<char32_t>(big_endian ? first * 256U + second : second * 256U + first);
}

// Appends what is whole; returns the bytes taken.
std::size_t from_utf16(std::string_view bytes, bool big_endian, std::string& out) {
  std::size_t at = 0;
  for (; at + 1 < bytes.size(); at += 2) {
    char32_t code = utf16_unit(bytes, at, big_endian);
    if (code >= 0xD800 && code < 0xDC00) {
      if (at + 3 >= bytes.size()) return at;
      at += 2;
      code = 0x10000 + ((code - 0xD800) << 10U) +
             ((utf16_unit(bytes, at, big_endian) - 0xDC00) & 0x3FFU);
    }
    append_utf8(code >= 0xD800 && code < 0xE000 ? U'?' : code, out);
  }
  return at;
}

}  // namespace

TableBytes::TableBytes(const std::filesystem::path& path, bool convert) : file_(path.string()) {
  look(convert);
}

TableBytes::TableBytes(std::string bytes, std::string file, bool convert)
    : file_(std::move(file)), bytes_(std::move(bytes)) {
  look(convert);
}

// `begun` are raw bytes of a character that is not whole yet.
std::string TableBytes::decoded(std::string_view raw, std::string& begun) const {
  std::string out;
  if (encoding_ == Encoding::kLatin1) {
    out = from_latin1(raw);
  } else if (encoding_ == Encoding::kPlain) {
    out = raw;
  } else {
    begun.append(raw);
    begun.erase(0, from_utf16(begun, encoding_ == Encoding::kUtf16Big, out));
  }
  if (returns_) std::replace(out.begin(), out.end(), '\r', '\n');
  return out;
}

void TableBytes::for_each_piece(
    const std::function<bool(std::string_view piece, bool end)>& visit) const {
  std::string text, begun;  // text: behind the last line that was given away
  std::size_t marks = mark_;
  bool go_on = true;
  const auto take = [&](std::string_view raw) {
    const std::size_t skipped = std::min(marks, raw.size());
    marks -= skipped;
    const std::size_t looked = text.size();
    text += decoded(raw.substr(skipped), begun);
    const std::size_t end = text.rfind('\n');
    if (end == std::string::npos || end < looked) {
      if (text.size() > kLongLine)
        throw FileError(
            file_, fmt::format("a line is longer than {} MiB; this is no table", kLongLine >> 20U));
      return true;
    }
    go_on = visit(std::string_view(text).substr(0, end + 1), false);
    text.erase(0, end + 1);
    return go_on;
  };
  if (!bytes_) {
    read_pieces(file_, kPiece, kTraceLimit, "table", take);
  } else {
    for (std::size_t at = 0; at < bytes_->size() && go_on; at += kPiece)
      take(std::string_view(*bytes_).substr(at, kPiece));
  }
  if (go_on) visit(text, true);
}

void TableBytes::find_encoding(std::string_view first, bool convert) {
  if (!convert) return;
  for (const Binary& one : kBinaries)
    if (first.starts_with(one.start)) throw FileError(file_, std::string(one.remedy));
  const bool little = first.starts_with("\xFF\xFE"), big = first.starts_with("\xFE\xFF");
  // Digits in UTF-16 have a zero byte each.
  const std::size_t looked = std::min<std::size_t>(first.size(), 2000);
  const auto zeros = static_cast<std::size_t>(
      std::count(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(looked), '\0'));
  if (little || big || (looked > 3 && 5 * zeros >= 2 * looked && 5 * zeros <= 3 * looked)) {
    encoding_ = big || (!little && first[0] == '\0') ? Encoding::kUtf16Big : Encoding::kUtf16Little;
    mark_ = little || big ? 2 : 0;
    notes_.emplace_back("the file is UTF-16");
  }
  std::string begun;
  const std::string text = decoded(first.substr(mark_), begun);
  returns_ = text.find('\n') == std::string::npos && text.find('\r') != std::string::npos;
}

void TableBytes::look(bool convert) {
  std::string first;
  if (bytes_) {
    if (bytes_->size() > kTraceLimit) check_text(*bytes_, file_, kTraceLimit, "table (CSV)");
    first = bytes_->substr(0, kPiece);
  } else {
    read_pieces(file_, kPiece, kTraceLimit, "table (CSV)", [&](std::string_view raw) {
      first = raw;
      return false;
    });
  }
  find_encoding(first, convert);

  bool blank = true, utf8 = true;
  for_each_piece([&](std::string_view piece, bool) {
    blank = blank && piece.find_first_not_of(" \t\r\n") == std::string_view::npos;
    check_no_nul(piece, lines_ + 1, file_, "table (CSV)");
    utf8 = utf8 && is_utf8(piece);
    lines_ += static_cast<std::size_t>(std::count(piece.begin(), piece.end(), '\n'));
    if (head_.size() < kHead) head_.append(piece);
    return true;
  });
  if (blank) check_text({}, file_, kTraceLimit, "table (CSV)");
  if (utf8 || !convert) return;
  encoding_ = Encoding::kLatin1;
  notes_.emplace_back("the file is not UTF-8; its letters are taken as Latin-1");
  head_ = from_latin1(head_);
}

}  // namespace knuckleboom::io
