#include "lamarck/report/chart_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "lamarck/base/display_number.h"
#include "lamarck/base/one_line.h"

namespace lamarck::report {
namespace {

constexpr std::size_t kMaxTicks = 7;

// The size of the picture and its margins.
struct Paper {
  double width = 720;
  double height = 340;
  double left = 74;
  double right = 18;
  double top = 34;
  double bottom = 54;
  bool is_square = false;
};

std::string colour_of(int colour) {
  switch (colour) {
    case -1:
      return "var(--chart-pale,#9db7e8)";
    case 1:
      return "var(--chart-1,#2a5fd0)";
    case 2:
      return "var(--chart-2,#d9730d)";
    case 3:
      return "var(--chart-3,#7d8896)";
    default:
      return "var(--ink,#1b2330)";
  }
}

// Labels for ticks that are exponents of ten.
std::vector<std::string> power_labels(const std::vector<double>& exponents) {
  std::vector<std::string> labels;
  for (const double exponent : exponents) {
    labels.push_back(short_number(std::pow(10, exponent), 3));
  }
  return labels;
}

bool is_finite(const ChartPoint& point) {
  return std::isfinite(point.x) && std::isfinite(point.y);
}

class Chart {
 public:
  Chart(const Paper& paper, Range x, Range y, std::string_view description)
      : paper_(paper),
        x_(x, paper.left, paper.width - paper.right),
        // The y axis of SVG points down, so small values are at the bottom.
        y_(y, paper.height - paper.bottom, paper.top) {
    write(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{}\" "
        "viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\" "
        "font-family=\"system-ui,sans-serif\" font-size=\"12\">\n",
        paper.is_square ? "chart square" : "chart", paper.width, paper.height,
        markup_text(description));
  }

  void draw_axes(const ChartAxes& axes) {
    draw_x_ticks();
    draw_y_ticks(axes.y_is_exponent);
    const double middle = (paper_.left + paper_.width - paper_.right) / 2;
    write(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" "
        "style=\"fill:var(--muted,#5b6675)\">{}</text>\n",
        middle, paper_.height - 10, markup_text(axes.x));
    write(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" "
        "style=\"fill:var(--muted,#5b6675)\">{}</text>\n",
        8.0, 18.0, markup_text(axes.y));
  }

  // The legend is a single text element, so it stays aligned with any font
  // size.
  void draw_legend(const std::vector<ChartSeries>& all) {
    if (all.size() < 2) return;
    write(
        "<text x=\"{:.1f}\" y=\"18\" text-anchor=\"end\" "
        "style=\"fill:var(--ink,#1b2330)\">",
        paper_.width - paper_.right);
    for (const ChartSeries& each : all) {
      write("{}<tspan font-weight=\"700\" style=\"fill:{}\">{}</tspan>&#160;{}",
            &each == &all.front() ? "" : "&#160;&#160;&#160;",
            colour_of(each.colour), legend_mark(each.look),
            markup_text(each.name));
    }
    svg_ += "</text>\n";
  }

  void draw(const ChartSeries& series) {
    if (series.look == ChartLook::Dots) {
      draw_dots(series.points, series.colour, 2.2);
    } else if (series.look == ChartLook::Marks) {
      draw_marks(series.points, series.colour);
    } else {
      draw_path(series);
    }
  }

  void draw_dots(const std::vector<ChartPoint>& points, int colour,
                 double radius) {
    write("<g style=\"fill:{}\" fill-opacity=\"0.6\">\n", colour_of(colour));
    for (const ChartPoint& point : points) {
      if (!is_finite(point) || !y_.contains(point.y)) continue;
      write("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/>\n",
            x_.place(point.x), y_.place(point.y), radius);
    }
    svg_ += "</g>\n";
  }

  void draw_marks(const std::vector<ChartPoint>& points, int colour) {
    write(
        "<g stroke-width=\"1.5\" "
        "style=\"fill:{};stroke:var(--ink,#1b2330)\">\n",
        colour_of(colour));
    for (const ChartPoint& point : points) {
      if (!is_finite(point) || !y_.contains(point.y)) continue;
      write("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5.5\"/>\n",
            x_.place(point.x), y_.place(point.y));
    }
    svg_ += "</g>\n";
  }

  // The line on which x and y are equal.
  void draw_diagonal() {
    const Range& range = x_.range();
    write(
        "<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke-dasharray=\"5 4\" "
        "style=\"stroke:var(--muted,#5b6675)\"/>\n",
        x_.place(range.low), y_.place(range.low), x_.place(range.high),
        y_.place(range.high));
  }

  std::string finish() && { return std::move(svg_) + "</svg>\n"; }

 private:
  template <class... Arguments>
  void write(fmt::format_string<Arguments...> form, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(svg_), form,
                   std::forward<Arguments>(arguments)...);
  }

  void draw_x_ticks() {
    const auto ticks = nice_ticks(x_.range(), kMaxTicks);
    const auto labels = tick_labels(ticks);
    const double bottom = paper_.height - paper_.bottom;
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      const double x = x_.place(ticks[i]);
      write(
          "<path d=\"M{0:.1f} {1:.1f}V{2:.1f}\" "
          "style=\"stroke:var(--grid,#e3e7ed)\"/>\n",
          x, paper_.top, bottom);
      write(
          "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" "
          "style=\"fill:var(--muted,#5b6675)\">{}</text>\n",
          x, bottom + 18, labels[i]);
    }
  }

  void draw_y_ticks(bool is_exponent) {
    const auto ticks = nice_ticks(y_.range(), kMaxTicks);
    const auto labels = is_exponent ? power_labels(ticks) : tick_labels(ticks);
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      const double y = y_.place(ticks[i]);
      write(
          "<path d=\"M{:.1f} {:.1f}H{:.1f}\" "
          "style=\"stroke:var(--grid,#e3e7ed)\"/>\n",
          paper_.left, y, paper_.width - paper_.right);
      write(
          "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\" "
          "style=\"fill:var(--muted,#5b6675)\">{}</text>\n",
          paper_.left - 8, y + 4, labels[i]);
    }
  }

  static std::string_view legend_mark(ChartLook look) {
    if (look == ChartLook::Dots || look == ChartLook::Marks) return "&#9679;";
    return look == ChartLook::Dashed ? "- -" : "&#8212;";
  }

  static std::string_view dashes(const ChartSeries& series) {
    return series.look == ChartLook::Dashed ? " stroke-dasharray=\"4 3\"" : "";
  }

  // Clamps a line to the range, so that it does not leave the chart.
  double height_of(double y) const {
    return y_.place(std::clamp(y, y_.range().low, y_.range().high));
  }

  // Draws the series with a gap at every point that is not finite.
  void draw_path(const ChartSeries& series) {
    std::string path;
    bool is_open = false;
    for (const ChartPoint& point : series.points) {
      if (!is_finite(point)) {
        is_open = false;
        continue;
      }
      const double x = x_.place(point.x);
      if (is_open && series.look == ChartLook::Steps) {
        path += fmt::format("H{:.1f}", x);
      }
      path += fmt::format("{}{:.1f} {:.1f}", is_open ? 'L' : 'M', x,
                          height_of(point.y));
      is_open = true;
    }
    write(
        "<path d=\"{}\" fill=\"none\" stroke-width=\"2\" "
        "stroke-linejoin=\"round\" style=\"stroke:{}\"{}/>\n",
        path.empty() ? "M0 0" : path, colour_of(series.colour), dashes(series));
  }

  Paper paper_;
  Scale x_;
  Scale y_;
  std::string svg_;
};

}  // namespace

std::string line_chart(const std::vector<ChartSeries>& series,
                       const ChartAxes& axes) {
  std::vector<double> xs;
  std::vector<double> ys;
  for (const ChartSeries& each : series) {
    for (const ChartPoint& point : each.points) {
      if (!is_finite(point)) continue;
      xs.push_back(point.x);
      ys.push_back(point.y);
    }
  }
  const Range y = axes.y_range.value_or(widened(finite_range(ys), 0.05));
  Chart chart({}, finite_range(xs), y, axes.y + " by " + axes.x);
  chart.draw_axes(axes);
  for (const ChartSeries& each : series) chart.draw(each);
  chart.draw_legend(series);
  return std::move(chart).finish();
}

std::string scatter_chart(const std::vector<ChartPoint>& points,
                          const ChartAxes& axes) {
  std::vector<double> both;
  for (const ChartPoint& point : points) {
    if (!is_finite(point)) continue;
    both.push_back(point.x);
    both.push_back(point.y);
  }
  const Range range = widened(finite_range(both), 0.05);
  Chart chart({.width = 480, .height = 476, .is_square = true}, range, range,
              axes.y + " by " + axes.x);
  chart.draw_axes(axes);
  chart.draw_diagonal();
  chart.draw_dots(points, 1, 3);
  return std::move(chart).finish();
}

}  // namespace lamarck::report
