// Charts as self-contained SVG pictures.
//
// Colours are CSS variables with a default, so that a page can redefine them
// for dark mode: --chart-1 to --chart-3, --chart-pale, --chart-good,
// --chart-bad,
// --ink, --muted, --grid, --cell and --on-cell. Text is escaped; points that
// are not finite are left out.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/report/chart_scale.h"

namespace lamarck::report {

struct ChartPoint {
  double x = 0;
  double y = 0;
};

enum class ChartLook : std::uint8_t {
  Line,
  Dashed,
  Steps,  // Stays level until the next point.
  Dots,
  Marks,  // Large dots with an outline, which stand out among others.
};

struct ChartSeries {
  std::string name;  // Shown in the legend of a chart with several series.
  std::vector<ChartPoint> points;
  ChartLook look = ChartLook::Line;
  int colour = 1;  // 1 to 3; 0 is the colour of text, -1 a pale one.
};

struct ChartAxes {
  std::string x;
  std::string y;
  std::optional<Range> y_range;  // Defaults to the range of all points.
  bool y_is_exponent = false;    // y is log10 of the value in the labels.
};

std::string line_chart(const std::vector<ChartSeries>& series,
                       const ChartAxes& axes);

// Draws points on two axes with the same range, and the diagonal x = y.
std::string scatter_chart(const std::vector<ChartPoint>& points,
                          const ChartAxes& axes);

struct HeatMap {
  std::vector<std::string> names;                // Names of rows and columns.
  std::vector<std::vector<std::size_t>> counts;  // [row][column]
  std::string row_label;
  std::string column_label;
};

// Shades every cell by its share of its row; cells on the diagonal are good,
// the others bad. Throws LogicError unless the counts are square with a name
// for each row.
std::string heat_map(const HeatMap& map);

}  // namespace lamarck::report
