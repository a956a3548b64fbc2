#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>
#include <xlsxwriter.h>

#include "knuckleboom/io/diagnostic.hpp"
#include "learners/table.hpp"

namespace knuckleboom::learners {

void write_workbook(const std::filesystem::path& file, const std::vector<LearnerSessions>& learners,
                    const std::vector<std::string>& order) {
  const std::filesystem::path next = fmt::format("{}.{}.tmp", file.string(), ::getpid());
  // The library tells the terminal what it cannot write.
  if (!std::ofstream(next))
    throw io::FileError(file.string(), fmt::format("cannot be written: {}", std::strerror(errno)));
  lxw_workbook* const book = workbook_new(next.c_str());
  if (book == nullptr) throw io::FileError(file.string(), "cannot be written: no memory");
  lxw_worksheet* const sheet = workbook_add_worksheet(book, "results");
  std::uint32_t number = 0;
  for (const std::vector<Cell>& row : table_of(learners, order)) {
    std::uint16_t column = 0;
    for (const Cell& cell : row) {
      if (const auto* text = std::get_if<std::string>(&cell); text != nullptr && !text->empty())
        worksheet_write_string(sheet, number, column, text->c_str(), nullptr);
      if (const auto* value = std::get_if<double>(&cell))
        worksheet_write_number(sheet, number, column, *value, nullptr);
      ++column;
    }
    ++number;
  }
  worksheet_freeze_panes(sheet, 1, 1);
  const lxw_error fault = workbook_close(book);
  std::error_code error;
  if (fault == LXW_NO_ERROR) std::filesystem::rename(next, file, error);
  if (fault == LXW_NO_ERROR && !error) return;
  std::error_code ignored;
  std::filesystem::remove(next, ignored);
  throw io::FileError(file.string(),
                      fmt::format("cannot be written: {}",
                                  error ? error.message() : std::string(lxw_strerror(fault))));
}

}  // namespace knuckleboom::learners
