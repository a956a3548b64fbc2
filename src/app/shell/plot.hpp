// Pictures by gnuplot.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace knuckleboom::app {

// A thin line over a thick one shows both where they are the same.
enum class LineStyle { kSolid, kDashed, kThick, kThin };

struct Curve {
  std::string title;  // in the legend; empty: not in it
  std::vector<double> x, y;
  int color = 0;  // index into a palette that colour-blind readers can tell apart
  LineStyle style = LineStyle::kSolid;
};

struct Panel {
  std::string title;
  std::string x_label, y_label;  // units included
  std::vector<Curve> curves;
  bool equal_axes = false;    // a metre is as long along x as along y
  double least_y_span = 0.0;  // keeps noise on a constant from filling the panel
};

struct Figure {
  std::string title;
  std::string note;           // small, below
  std::vector<Panel> panels;  // row by row
  int columns = 1;
};

inline constexpr int kPaletteSize = 8;

// Throws UserError if path ends in neither .svg nor .png, names a folder, or lies in one that cannot be
// written to, or if gnuplot cannot be used. To be called before the work whose result is drawn.
void check_picture_path(const std::filesystem::path& path);
// The part of it that is about gnuplot.
void check_gnuplot(const std::filesystem::path& path);
// The same for any output file.
void check_output_path(const std::filesystem::path& path, const std::string& option);

// Throws UserError if two outputs are one file, or one of them is a file that is read.
struct Output {
  std::string option;
  std::filesystem::path path;  // empty: not wanted
};
void check_distinct(const std::vector<Output>& outputs, const std::vector<std::string>& inputs);

// A folder for outputs, made if it is missing, and taken away again if it is still empty at the end.
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

// Writes figure to path, whole or not at all. Throws RunFailure if gnuplot fails.
void draw(const Figure& figure, const std::filesystem::path& path);

// What gnuplot is told; for tests.
std::string gnuplot_script(const Figure& figure, bool png);

}  // namespace knuckleboom::app
