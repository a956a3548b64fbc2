// The text of a table, piece by piece: no more of it is in memory at a time, whatever the size of the file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace knuckleboom::io {

class TableBytes {
 public:
  // convert: UTF-16, Latin-1 and lines that end in \r alone become UTF-8 with \n, with a note for each.
  // Throws FileError for what is no text, with the way to make a table of it.
  TableBytes(const std::filesystem::path& path, bool convert);
  TableBytes(std::string bytes, std::string file, bool convert);

  // Calls visit with whole lines, the last ones with `end`, until it returns false.
  void for_each_piece(const std::function<bool(std::string_view piece, bool end)>& visit) const;

  const std::string& file() const { return file_; }
  // Whole lines from the beginning, enough to see how the table is written.
  const std::string& head() const { return head_; }
  std::size_t lines() const { return lines_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  enum class Encoding { kPlain, kLatin1, kUtf16Little, kUtf16Big };

  void look(bool convert);
  void find_encoding(std::string_view first, bool convert);
  std::string decoded(std::string_view raw, std::string& begun) const;

  std::string file_;
  std::optional<std::string> bytes_;  // nothing: they are in the file
  Encoding encoding_ = Encoding::kPlain;
  std::size_t mark_ = 0;  // bytes of a byte order mark
  bool returns_ = false;  // lines end in \r alone
  std::string head_;
  std::size_t lines_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace knuckleboom::io
