// Charts as SVG, each a picture of its own.
//
// Colours are CSS variables with a default, so that a page can give others for
// its dark form: --chart-1 to --chart-3, --chart-good, --chart-bad, --ink,
// --muted, --grid. Words are escaped; what is not finite is left out.

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
  Steps,  // Holds its height until the next point.
  Dots,
};

struct ChartSeries {
  std::string name;  // In the legend, if there is more than one.
  std::vector<ChartPoint> points;
  ChartLook look = ChartLook::Line;
  int colour = 1;  // 1 to 3; 0 is that of the text, -1 a pale one.
};

struct ChartAxes {
  std::string x;
  std::string y;
  std::optional<Range> y_range;  // Of all points, if it is not given.
  bool y_is_exponent = false;    // Heights are powers of ten: 3 reads 1e3.
};

std::string line_chart(const std::vector<ChartSeries>& series,
                       const ChartAxes& axes);

// Both axes have the same range, and a line shows where x and y are equal.
std::string scatter_chart(const std::vector<ChartPoint>& points,
                          const ChartAxes& axes);

struct HeatMap {
  std::vector<std::string> names;  // Of the rows and of the columns.
  std::vector<std::vector<std::size_t>> counts;  // By row, then by column.
  std::string row_label;
  std::string column_label;
};

// Shades a cell by its share of its row, those on the diagonal as good, others
// as bad. Throws LogicError if the counts are not a square with a name for each
// row.
std::string heat_map(const HeatMap& map);

}  // namespace lamarck::report
