#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "lamarck/base/ensure.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/unicode.h"
#include "lamarck/report/chart_svg.h"

namespace lamarck::report {
namespace {

constexpr std::size_t kMaxNameLength = 14;
constexpr std::size_t kMaxRowsWithPercent = 8;
constexpr double kTop = 28;
constexpr double kNameLetterWidth = 7.5;  // Approximate.

struct HeatCell {
  std::size_t row = 0;
  std::size_t column = 0;
  std::size_t count = 0;
  double share = 0;  // count / sum of the row.
};

std::string short_name(const std::string& name) {
  return markup_text(truncate_characters(name, kMaxNameLength));
}

double max_name_width(const HeatMap& map) {
  std::size_t longest = 1;
  for (const std::string& name : map.names) {
    longest = std::max(longest, unicode_length(name));
  }
  return kNameLetterWidth *
         static_cast<double>(std::min(longest, kMaxNameLength));
}

class HeatMapPicture {
 public:
  explicit HeatMapPicture(const HeatMap& map)
      : map_(map),
        name_width_(max_name_width(map)),
        left_(24 + std::max(name_width_, 5 * kNameLetterWidth)),
        size_(std::clamp(430.0 / static_cast<double>(map.names.size()), 22.0,
                         96.0)),
        side_(size_ * static_cast<double>(map.names.size())) {}

  std::string draw() {
    const double height = kTop + side_ + label_height();
    write(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart heat\" "
        "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" "
        "aria-label=\"{2} by {3}\" font-family=\"system-ui,sans-serif\" "
        "font-size=\"12\" style=\"max-width:{0:.0f}px\">\n",
        left_ + side_ + 20, height, markup_text(map_.row_label),
        markup_text(map_.column_label));
    write_label(8, 16, "start", map_.row_label);
    write_label(left_ + side_ / 2, height - 8, "middle", map_.column_label);
    for (std::size_t row = 0; row < map_.names.size(); ++row) {
      draw_names(row);
      draw_row(row);
    }
    return svg_ + "</svg>\n";
  }

 private:
  template <class... Arguments>
  void write(fmt::format_string<Arguments...> form, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(svg_), form,
                   std::forward<Arguments>(arguments)...);
  }

  // Column names are rotated if they would overlap.
  bool has_long_names() const { return size_ < name_width_ + 4; }
  double label_height() const {
    return has_long_names() ? 40 + name_width_ : 56;
  }

  void write_label(double x, double y, std::string_view anchor,
                   const std::string& text) {
    write(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" "
        "style=\"fill:var(--muted,#5b6675)\">{}</text>\n",
        x, y, anchor, markup_text(text));
  }

  void draw_names(std::size_t at) {
    const double middle = (static_cast<double>(at) + 0.5) * size_;
    const std::string name = short_name(map_.names[at]);
    write(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\" "
        "style=\"fill:var(--ink,#1b2330)\">{}</text>\n",
        left_ - 10, kTop + middle + 4, name);
    const double x = left_ + middle;
    const double y = kTop + side_ + 18;
    const std::string turn =
        has_long_names()
            ? fmt::format(" transform=\"rotate(-90 {:.1f} {:.1f})\"", x + 4,
                          y - 6)
            : "";
    write(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{} "
        "style=\"fill:var(--ink,#1b2330)\">{}</text>\n",
        has_long_names() ? x + 4 : x, has_long_names() ? y - 6 : y,
        has_long_names() ? "end" : "middle", turn, name);
  }

  void draw_row(std::size_t row) {
    std::size_t sum = 0;
    for (const std::size_t count : map_.counts[row]) sum += count;
    for (std::size_t column = 0; column < map_.names.size(); ++column) {
      const std::size_t count = map_.counts[row][column];
      const double share =
          sum == 0 ? 0 : static_cast<double>(count) / static_cast<double>(sum);
      draw_cell({row, column, count, share});
    }
  }

  void draw_cell(const HeatCell& cell) {
    const double x = left_ + static_cast<double>(cell.column) * size_;
    const double y = kTop + static_cast<double>(cell.row) * size_;
    write(
        "<g><title>{}: {}, {}: {}, {} ({:.1f} %)</title>"
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
        "rx=\"4\" style=\"fill:{};fill-opacity:{:.3f}\"/>",
        markup_text(map_.row_label), markup_text(map_.names[cell.row]),
        markup_text(map_.column_label), markup_text(map_.names[cell.column]),
        cell.count, 100 * cell.share, x + 1.5, y + 1.5, size_ - 3, size_ - 3,
        fill_of(cell), cell.count == 0 ? 1.0 : 0.18 + 0.82 * cell.share);
    if (cell.count > 0) write_count(cell, x + size_ / 2, y + size_ / 2);
    svg_ += "</g>\n";
  }

  static std::string_view fill_of(const HeatCell& cell) {
    if (cell.count == 0) return "var(--cell,#f1f3f6)";
    return cell.row == cell.column ? "var(--chart-good,#2a5fd0)"
                                   : "var(--chart-bad,#d9730d)";
  }

  void write_count(const HeatCell& cell, double x, double y) {
    // Dark cells need light text.
    const bool is_dark = cell.share > 0.45;
    const std::string_view colour =
        is_dark ? "var(--on-cell,#ffffff)" : "var(--ink,#1b2330)";
    const bool has_share =
        map_.names.size() <= kMaxRowsWithPercent && size_ >= 52;
    write(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" "
        "font-size=\"{}\" font-weight=\"600\" style=\"fill:{}\">{}</text>",
        x, y + (has_share ? 1 : 4), size_ >= 52 ? 16 : 11, colour, cell.count);
    if (!has_share) return;
    write(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" "
        "font-size=\"10\" style=\"fill:{}\">{:.0f} %</text>",
        x, y + 16, colour, 100 * cell.share);
  }

  const HeatMap& map_;
  double name_width_;
  double left_;  // x of the first cell.
  double size_;  // Width and height of a cell.
  double side_;  // Width and height of all cells.
  std::string svg_;
};

}  // namespace

std::string heat_map(const HeatMap& map) {
  REQUIRE(!map.names.empty() && map.counts.size() == map.names.size(),
          "heat_map: there must be one name for each row of counts and at "
          "least one row, got {} names and {} rows.",
          map.names.size(), map.counts.size());
  for (const auto& row : map.counts) {
    REQUIRE(row.size() == map.names.size(),
            "heat_map: counts must be square; a row has {} columns, want {}.",
            row.size(), map.names.size());
  }
  return HeatMapPicture(map).draw();
}

}  // namespace lamarck::report
