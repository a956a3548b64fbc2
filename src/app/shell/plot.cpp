#include "app/shell/plot.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <limits>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "app/shell/child_process.hpp"
#include "app/shell/exit_status.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/io/words.hpp"

namespace knuckleboom::app {
namespace {

namespace fs = std::filesystem;

// Okabe and Ito's palette without yellow, which is faint on white.
constexpr const char* kPalette[kPaletteSize] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                "#56b4e9", "#e69f00", "#404040", "#999999"};

constexpr int kPanelWidth = 620;
constexpr int kPanelHeight = 340;
constexpr double kLeft = 92.0, kRight = 22.0, kBottom = 60.0;  // for tics and axis labels
constexpr double kPanelTop = 54.0;                             // for title and legend
constexpr int kMarginTop = 40;
constexpr int kMarginBottom = 34;
// Note below: size of a character and distance of lines, and the first of its labels.
constexpr int kNoteCharacter = 7, kNoteLine = 16, kNoteLabel = 10;
constexpr std::size_t kRowLabel = 100;  // the first of a panel's names of rows

// More points than a curve has pixels show nothing new.
constexpr std::size_t kMostBuckets = 1500;

// Text in double quotes for gnuplot; the terminals run without markup, so nothing else is special.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else if (static_cast<unsigned char>(c) >= 0x20)
      out += c;
  }
  return out + '"';
}

bool usable(double x, double y) { return std::isfinite(x) && std::isfinite(y); }

void append_point(std::string& text, double x, double y) {
  if (usable(x, y))
    text += fmt::format("{:.7g} {:.7g}\n", x, y);
  else
    text += "\n";  // an empty line interrupts the curve
}

// Long curves keep the first, lowest, highest and last point of each bucket, so that no peak is lost.
void append_data(std::string& text, const Curve& curve) {
  const std::size_t n = std::min(curve.x.size(), curve.y.size());
  if (n <= 4 * kMostBuckets) {
    for (std::size_t i = 0; i < n; ++i) append_point(text, curve.x[i], curve.y[i]);
    return;
  }
  for (std::size_t bucket = 0; bucket < kMostBuckets; ++bucket) {
    const std::size_t begin = bucket * n / kMostBuckets;
    const std::size_t end = (bucket + 1) * n / kMostBuckets;
    std::size_t low = begin, high = begin;
    for (std::size_t i = begin; i < end; ++i) {
      if (curve.y[i] < curve.y[low]) low = i;
      if (curve.y[i] > curve.y[high]) high = i;
    }
    std::size_t kept[4] = {begin, std::min(low, high), std::max(low, high), end - 1};
    for (std::size_t k = 0; k < 4; ++k)
      if (k == 0 || kept[k] != kept[k - 1]) append_point(text, curve.x[kept[k]], curve.y[kept[k]]);
  }
}

struct Span {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void include(double v) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  bool empty() const { return !(high >= low); }
  double width() const { return high - low; }
};

void append_ranges(std::string& text, const Panel& panel) {
  Span x, y;
  for (const Curve& curve : panel.curves)
    for (std::size_t i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i)
      if (usable(curve.x[i], curve.y[i])) {
        x.include(curve.x[i]);
        y.include(curve.y[i]);
      }
  if (x.empty()) x = y = {0.0, 1.0};
  if (!panel.rows.empty()) {
    y = {0.5, static_cast<double>(panel.rows.size()) + 0.7};
    const double room = 0.04 * x.width();  // a bar that ends at the frame is whole
    x = {x.low - room, x.high + room};
  }
  double y_middle = 0.5 * (y.low + y.high);
  double y_half = std::max(
      {0.5 * y.width() * 1.08, 0.5 * panel.least_y_span, 1e-9 * std::fabs(y_middle), 1e-12});
  double x_low = x.low, x_high = x.high;
  if (panel.equal_axes) {
    // gnuplot's own equal axes would shrink the panel; widening the shorter range keeps its frame.
    constexpr double kFrame =  // width to height of the plotted area
        (kPanelWidth - kLeft - kRight) / (kPanelHeight - kPanelTop - kBottom);
    const double middle = 0.5 * (x.low + x.high);
    double half = std::max(0.5 * x.width() * 1.08, 1e-9);
    y_half = std::max(y_half, half / kFrame);
    half = y_half * kFrame;
    x_low = middle - half;
    x_high = middle + half;
  } else if (!(x_high > x_low)) {
    x_low -= 0.5;
    x_high += 0.5;
  }
  text += fmt::format("set xrange [{:.10g}:{:.10g}]\nset yrange [{:.10g}:{:.10g}]\n", x_low, x_high,
                      y_middle - y_half, y_middle + y_half);
}

std::string style_of(const Curve& curve) {
  const int color = ((curve.color % kPaletteSize) + kPaletteSize) % kPaletteSize;
  const char* width = curve.style == LineStyle::kThin    ? "1.2"
                      : curve.style == LineStyle::kThick ? "2.8"
                      : curve.style == LineStyle::kBar   ? "9"
                                                         : "1.8";
  const char* dashes = curve.style == LineStyle::kDashed ? " dashtype (8,5)" : "";
  return fmt::format("linecolor rgb \"{}\" linewidth {}{}", kPalette[color], width, dashes);
}

const char* marks_of(LineStyle style) {
  return style == LineStyle::kCrosses   ? "points pointtype 2"
         : style == LineStyle::kCircles ? "points pointtype 6"
                                        : "lines";
}

bool has_extension(const fs::path& path, const char* extension) {
  return io::lower_case(path.extension().string()) == extension;
}

// Allowed outputs other than regular files: /dev/null and the standard streams.
bool is_sink(const fs::path& path) {
  std::error_code error;
  const std::string name = path.lexically_normal().string();
  if (name.starts_with("/dev/std") || name.starts_with("/dev/fd/") ||
      name.starts_with("/proc/self/fd/"))
    return true;
  return fs::weakly_canonical(path, error) == "/dev/null";
}

// A program's own error message, for the end of a sentence.
std::string own_words(const ChildResult& child) {
  std::string words = child.errors.substr(0, 2000);
  std::replace(words.begin(), words.end(), '\n', ' ');
  words.erase(words.find_last_not_of(' ') + 1);
  words.erase(0, words.find_first_not_of(' '));
  return words.empty() ? words : ": " + words;
}

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (fs::equivalent(a, b, error) && !error) return true;
  const fs::path full_a = fs::weakly_canonical(fs::absolute(a, error), error);
  const fs::path full_b = fs::weakly_canonical(fs::absolute(b, error), error);
  return full_a == full_b;
}

// Lines of at most so many characters, cut at blanks.
std::vector<std::string> lines_of(const std::string& text, std::size_t most) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.size();
    if (end - begin > most) {
      end = text.rfind(' ', begin + most);
      if (end == std::string::npos || end <= begin)
        end = std::min(text.find(' ', begin), text.size());
    }
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

}  // namespace

std::string gnuplot_script(const Figure& figure, bool png) {
  const int columns = std::max(1, figure.columns);
  const int n = static_cast<int>(figure.panels.size());
  const int rows = std::max(1, (n + columns - 1) / columns);
  const int width = columns * kPanelWidth;
  const std::vector<std::string> note =
      lines_of(figure.note, static_cast<std::size_t>((width - 40) / kNoteCharacter));
  const int note_lines = static_cast<int>(note.size());
  const int bottom = note.empty() ? 8 : kMarginBottom + (note_lines - 1) * kNoteLine;
  const int height = rows * kPanelHeight + kMarginTop + bottom;

  std::string text = "set encoding utf8\n";
  // For screens: twice the pixels for fine lines.
  text += png ? fmt::format(
                    "set terminal pngcairo noenhanced background rgb \"white\" "
                    "font \"DejaVu Sans,10\" fontscale 1.6 linewidth 1.6 size {},{}\n",
                    width * 8 / 5, height * 8 / 5)
              : fmt::format(
                    "set terminal svg noenhanced background rgb \"white\" "
                    "font \"DejaVu Sans,Helvetica,Arial,sans-serif,13\" size {},{}\n",
                    width, height);
  for (std::size_t p = 0; p < figure.panels.size(); ++p)
    for (std::size_t c = 0; c < figure.panels[p].curves.size(); ++c) {
      text += fmt::format("$data_{}_{} << END\n", p, c);
      append_data(text, figure.panels[p].curves[c]);
      text += "END\n";
    }
  text +=
      "set border 3 linecolor rgb \"#606060\"\n"
      "set tics nomirror out textcolor rgb \"#303030\"\n"
      "set grid back linetype 1 linecolor rgb \"#d4d4d4\" linewidth 0.8\n"
      "set style data lines\n"
      "set key at graph 1,1.13 right top horizontal samplen 2 autotitle\n";
  const double total = height;
  text += fmt::format(
      "set multiplot\n"
      "set label 1 {} at screen 0.5,{:.5f} center front font \",{}\"\n",
      quoted(figure.title), 1.0 - 20.0 / total, png ? 13 : 17);
  for (int i = 0; i < note_lines; ++i)
    text += fmt::format(
        "set label {} {} at screen 0.5,{:.5f} center front font \",{}\" textcolor rgb "
        "\"#606060\"\n",
        kNoteLabel + i, quoted(note[static_cast<std::size_t>(i)]),
        (15.0 + (note_lines - 1 - i) * kNoteLine) / total, png ? 9 : 11);
  for (int p = 0; p < n; ++p) {
    const Panel& panel = figure.panels[static_cast<std::size_t>(p)];
    const int row = p / columns;
    const double left = static_cast<double>((p % columns) * kPanelWidth);
    const double top = static_cast<double>(kMarginTop + row * kPanelHeight);
    // Explicit frames: all of one size, whatever the width of their numbers and legends.
    text += fmt::format(
        "set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\n"
        "set tmargin at screen {:.5f}\nset bmargin at screen {:.5f}\n",
        (left + kLeft) / width, (left + kPanelWidth - kRight) / width,
        1.0 - (top + kPanelTop) / total, 1.0 - (top + kPanelHeight - kBottom) / total);
    // Labels instead of titles: their position does not depend on the axes' numbers.
    text += fmt::format("set label 3 {} at graph 0,1.17 left front font \",{}\"\n",
                        quoted(panel.title), png ? 11 : 14);
    text += fmt::format("set label 4 {} at screen {:.5f},{:.5f} center rotate front\n",
                        quoted(panel.y_label), (left + 14.0) / width,
                        1.0 - (top + 0.5 * (kPanelTop + kPanelHeight - kBottom)) / total);
    text += fmt::format("set xlabel {} offset 0,0.4\n", quoted(panel.x_label));
    append_ranges(text, panel);
    // Above what is drawn in their row.
    for (std::size_t i = 0; i < panel.rows.size(); ++i)
      text += fmt::format("set label {} {} at graph 0.02, first {:.2f} left front\n", kRowLabel + i,
                          quoted(panel.rows[i]), static_cast<double>(i) + 1.32);
    if (!panel.rows.empty()) text += "unset ytics\n";
    if (panel.log_x) text += "set logscale x\n";
    text += "plot ";
    if (panel.curves.empty()) text += "NaN notitle";
    for (std::size_t c = 0; c < panel.curves.size(); ++c) {
      const Curve& curve = panel.curves[c];
      const std::string legend =
          curve.title.empty() ? std::string("notitle") : "title " + quoted(curve.title);
      text += fmt::format("{}$data_{}_{} using 1:2 with {} {} {}", c > 0 ? ", " : "", p, c,
                          marks_of(curve.style), style_of(curve), legend);
    }
    // The titles belong to the whole figure; drawing them once is enough.
    text += "\nunset label\n";
    if (panel.log_x) text += "unset logscale x\n";
    if (!panel.rows.empty()) text += "set ytics\n";
  }
  text += "unset multiplot\n";
  return text;
}

void check_distinct(const std::vector<Output>& outputs, const std::vector<std::string>& inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Output& one = outputs[i];
    if (one.path.empty() || is_sink(one.path)) continue;
    for (const std::string& input : inputs)
      if (!input.empty() && same_file(one.path, input))
        throw UserError(
            fmt::format("{}: {} would write over a file that is read here; choose another name",
                        one.path.string(), one.option));
    for (std::size_t k = 0; k < i; ++k)
      if (!outputs[k].path.empty() && same_file(one.path, outputs[k].path))
        throw UserError(
            fmt::format("{}: two outputs, {} and {}, cannot go to one file; choose another name",
                        one.path.string(), outputs[k].option, one.option));
  }
}

void check_output_path(const fs::path& path, const std::string& option) {
  std::error_code error;
  if (path.empty()) throw UserError(fmt::format("{} needs the name of a file", option));
  if (fs::is_directory(path, error) || !path.has_filename())
    throw UserError(fmt::format("{}: this is a folder; {} needs the name of a file in it",
                                path.string(), option));
  fs::path folder = path.parent_path();
  if (folder.empty()) folder = ".";
  if (!fs::is_directory(folder, error))
    throw UserError(fmt::format("{}: there is no folder '{}' to write it to; make it first",
                                path.string(), folder.string()));
  const bool special = fs::exists(path, error) && !fs::is_regular_file(path, error);
  if (special && !is_sink(path))
    throw UserError(
        fmt::format("{}: cannot be written to, because it is not a regular file; {} needs another",
                    path.string(), option));
  if (!special && access(folder.c_str(), W_OK | X_OK) != 0)
    throw UserError(fmt::format("{}: the folder '{}' may not be written to; choose another",
                                path.string(), folder.string()));
}

OutputFolder::OutputFolder(const fs::path& folder, const std::string& option) {
  std::error_code error;
  for (fs::path part = fs::absolute(folder, error).lexically_normal();
       !part.empty() && fs::status(part, error).type() == fs::file_type::not_found &&
       part != part.parent_path();
       part = part.parent_path())
    made_.push_back(part);
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder))
    throw UserError(fmt::format("{}: {} needs a folder, and none can be made there{}",
                                folder.string(), option,
                                error ? ": " + error.message() : std::string()));
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    throw UserError(
        fmt::format("{}: this folder may not be written to; choose another", folder.string()));
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;  // only if empty
  for (const fs::path& part : made_)
    if (fs::is_empty(part, ignored)) fs::remove(part, ignored);
}

void check_is_ours(const fs::path& output, bool (*is_ours)(const fs::path&)) {
  std::error_code ignored;
  if (!fs::exists(output, ignored) || is_ours(output)) return;
  throw UserError(
      fmt::format("{}: this file is there and was not written by this command, so it is left as "
                  "it is; give another name to --output, or move it away",
                  output.string()));
}

void check_picture_path(const fs::path& path) {
  check_output_path(path, "--plot");
  if (!has_extension(path, ".svg") && !has_extension(path, ".png"))
    throw UserError(fmt::format("{}: the name of a plot must end in .svg or .png", path.string()));
  check_gnuplot(path);
}

void check_gnuplot(const fs::path& path) {
  const ChildResult gnuplot = run_child({"gnuplot", "--version"}, "", 10.0);
  // 127: status of a started child if the program is missing.
  if (gnuplot.start_error == ENOENT || gnuplot.status == 127)
    throw UserError(
        fmt::format("{}: the plot needs gnuplot, which is not installed (Debian: "
                    "apt-get install gnuplot-nox)",
                    path.string()));
  if (const std::string failure = failure_of(gnuplot); !failure.empty())
    throw UserError(fmt::format("{}: the plot needs gnuplot, which {}{}", path.string(), failure,
                                own_words(gnuplot)));
}

void draw(const Figure& figure, const fs::path& path) {
  const bool png = has_extension(path, ".png");
  constexpr double kLimit = 60.0;  // s
  const ChildResult gnuplot = run_child({"gnuplot", "-"}, gnuplot_script(figure, png), kLimit);
  std::string failure = failure_of(gnuplot);
  if (failure.empty() && gnuplot.output.empty()) failure = "drew nothing";
  if (!failure.empty())
    throw RunFailure(fmt::format("{} was not written, because gnuplot {}{}", path.string(), failure,
                                 own_words(gnuplot)));
  io::write_file(path, gnuplot.output);
}

}  // namespace knuckleboom::app
