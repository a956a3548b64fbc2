// Plots by gnuplot.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace knuckleboom::app {

// A thin line over a thick one shows both where they coincide.
enum class LineStyle {
  kSolid,
  kDashed,
  kThick,
  kThin,
  kCrosses,  // points alone, as the next
  kCircles,
  kBar,  // a thick bar along the curve
};

struct Curve {
  std::string title;  // in the legend; empty: not in it
  std::vector<double> x, y;
  int color = 0;  // index into a palette for colour-blind readers
  LineStyle style = LineStyle::kSolid;
};

struct Panel {
  std::string title;
  std::string x_label, y_label;  // units included
  std::vector<Curve> curves;
  bool equal_axes = false;    // a metre is as long along x as along y
  double least_y_span = 0.0;  // keeps noise on a constant from filling the panel
  bool log_x = false;
  std::vector<std::string> rows = {};  // names at y = 1, 2, ..., in place of numbers there
};

struct Figure {
  std::string title;
  std::string note;           // small, below
  std::vector<Panel> panels;  // row by row
  int columns = 1;
};

inline constexpr int kPaletteSize = 8;

// Throws UserError if path ends in neither .svg nor .png, is a folder or in a folder that cannot be
// written to, or if gnuplot cannot be used. To be called before the run whose result is plotted.
void check_picture_path(const std::filesystem::path& path);
// The gnuplot part of this check.
void check_gnuplot(const std::filesystem::path& path);
// The same for any output file.
void check_output_path(const std::filesystem::path& path, const std::string& option);
// Somebody's own file is not written over. Throws UserError for one that is there and is not ours.
void check_is_ours(const std::filesystem::path& output,
                   bool (*is_ours)(const std::filesystem::path&));

// Throws UserError if two outputs are one file, or one of them is a file that is read.
struct Output {
  std::string option;
  std::filesystem::path path;  // empty: not wanted
};
void check_distinct(const std::vector<Output>& outputs, const std::vector<std::string>& inputs);

// A folder for outputs, created if missing, and removed again if still empty at the end.
class OutputFolder {
 public:
  // Throws UserError if it cannot be written to.
  OutputFolder(const std::filesystem::path& folder, const std::string& option);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

 private:
  std::vector<std::filesystem::path> made_;  // innermost first
};

// Writes figure to path, completely or not at all. Throws RunFailure if gnuplot fails.
void draw(const Figure& figure, const std::filesystem::path& path);

// The gnuplot script; for tests.
std::string gnuplot_script(const Figure& figure, bool png);

}  // namespace knuckleboom::app
