#include "lamarck/report/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

#include "lamarck/base/display_number.h"
#include "lamarck/base/ensure.h"
#include "lamarck/base/one_line.h"
#include "lamarck/report/chart_svg.h"
#include "lamarck/report/explanation_sections.h"
#include "lamarck/report/report_page.h"

namespace lamarck::report {
namespace {

constexpr std::size_t kMaxDots = 1500;
constexpr std::size_t kMaxSteps = 400;  // Steps of a series that are drawn.
constexpr std::size_t kMaxGrowthRows = 500;
constexpr std::size_t kMaxConfusionClasses = 40;

// Covers the selected networks and the middle 90 % of the candidates. A few
// candidates that failed badly would otherwise flatten the curve. Ends at
// `max_score`, if there is one.
Range score_range(const std::vector<table::ScorePoint>& curve,
                  const std::optional<double>& max_score) {
  std::vector<double> scores;
  std::vector<double> shown;
  for (const table::ScorePoint& point : curve) {
    if (std::isfinite(point.score)) scores.push_back(point.score);
    shown.push_back(point.best);
  }
  std::ranges::sort(scores);
  if (!scores.empty()) {
    const std::size_t skipped = scores.size() / 20;
    shown.push_back(scores[skipped]);
    shown.push_back(scores[scores.size() - 1 - skipped]);
  }
  Range range = widened(finite_range(shown), 0.05);
  if (max_score && range.low < *max_score) {
    range.high = std::min(range.high, *max_score);
  }
  return range;
}

// Returns one point for every change of the best score, and the end.
std::vector<ChartPoint> best_line(const std::vector<table::ScorePoint>& curve,
                                  double unit) {
  std::vector<ChartPoint> line;
  for (const table::ScorePoint& point : curve) {
    if (line.empty() || line.back().y != point.best) {
      line.push_back({point.seconds / unit, point.best});
    }
  }
  line.push_back({curve.back().seconds / unit, curve.back().best});
  return line;
}

struct TimeUnit {
  std::string_view name;
  double seconds = 1;
};

// Chooses a unit that keeps the numbers on the axis small.
TimeUnit unit_for(double seconds) {
  if (seconds > 2 * 3600) return {"hours", 3600};
  if (seconds > 5 * 60) return {"minutes", 60};
  return {"seconds", 1};
}

std::string curve_section(const RunReport& report) {
  if (report.curve.empty()) return "";
  const table::ScorePoint& last = report.curve.back();
  const TimeUnit unit = unit_for(last.seconds);
  std::vector<ChartPoint> candidates;
  for (const table::ScorePoint& point : thinned(report.curve, kMaxDots)) {
    candidates.push_back({point.seconds / unit.seconds, point.score});
  }
  const std::string chart =
      line_chart({{.name = "candidates",
                   .points = std::move(candidates),
                   .look = ChartLook::Dots,
                   .colour = -1},
                  {.name = "selected",
                   .points = best_line(report.curve, unit.seconds),
                   .look = ChartLook::Steps}},
                 {.x = std::string(unit.name),
                  .y = report.score_name,
                  .y_range = score_range(report.curve, report.max_score)});
  return report_section(
      "Score over time",
      fmt::format("{} evaluations in {:.1f} {}; the {} of the selected network "
                  "is {:.4g}. A larger network is selected only if it is "
                  "better by more than chance.",
                  grouped_digits(last.evaluations), last.seconds / unit.seconds,
                  unit.name, report.score_name, last.best),
      chart);
}

// A table cell with the score and a bar that shows where the score lies between
// the worst and the best.
std::string score_cell(double score, const Range& range) {
  constexpr double kBar = 90;  // Pixels.
  const double share =
      std::isfinite(score)
          ? std::clamp((score - range.low) / (range.high - range.low), 0., 1.)
          : 0;
  return fmt::format(
      "<td class=\"number\"><div class=\"bar\">"
      "<i style=\"width:{:.0f}px\"></i>{:.4g}</div></td>",
      4 + kBar * share, score);
}

// "1 hidden node and 12 edges".
std::string growth_size(const GrowthStep& step) {
  return fmt::format("{} hidden node{} and {} edge{}",
                     grouped_digits(step.nodes), step.nodes == 1 ? "" : "s",
                     grouped_digits(step.edges), step.edges == 1 ? "" : "s");
}

std::string growth_section(const RunReport& report) {
  if (report.growth.empty()) return "";
  std::vector<double> scores;
  for (const GrowthStep& step : report.growth) scores.push_back(step.score);
  const Range range = finite_range(scores);
  std::string html = fmt::format(
      "<div class=\"scroll\"><table class=\"growth\"><thead><tr>"
      "<th class=\"number\">generation</th><th>mutation</th>"
      "<th class=\"number\">hidden nodes</th><th class=\"number\">edges</th>"
      "<th class=\"number\">{}</th></tr></thead><tbody>\n",
      markup_text(report.score_name));
  for (const GrowthStep& step : thinned(report.growth, kMaxGrowthRows)) {
    html += fmt::format(
        "<tr><td class=\"number\">{}</td><td>{}</td>"
        "<td class=\"number\">{}</td><td class=\"number\">{}</td>{}</tr>\n",
        grouped_digits(step.generation), markup_text(step.what),
        grouped_digits(step.nodes), grouped_digits(step.edges),
        score_cell(step.score, range));
  }
  const GrowthStep& first = report.growth.front();
  const GrowthStep& last = report.growth.back();
  return report_section(
      "How the network grew",
      fmt::format("From {} to {} in {} step{}.", growth_size(first),
                  growth_size(last), grouped_digits(std::ssize(report.growth)),
                  report.growth.size() == 1 ? "" : "s"),
      html + "</tbody></table></div>\n");
}

// Embeds the picture without anything before it, such as <?xml ...?>.
std::string network_section(const std::string& svg) {
  const std::size_t begin = svg.find("<svg");
  if (begin == std::string::npos) return "";
  return report_section(
      "The network", "",
      "<div class=\"picture\">" + svg.substr(begin) + "</div>\n");
}

// The classes with the most rows, at most kMaxConfusionClasses, in their order.
std::vector<std::size_t> shown_classes(
    const table::ConfusionCounts& confusion) {
  std::vector<std::size_t> rows;
  for (const std::vector<std::size_t>& counts : confusion.counts) {
    rows.push_back(
        std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
  }
  std::vector<std::size_t> shown(confusion.classes.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  if (shown.size() <= kMaxConfusionClasses) return shown;
  std::ranges::stable_sort(shown, std::greater<>(),
                           [&](std::size_t i) { return rows[i]; });
  shown.resize(kMaxConfusionClasses);
  std::ranges::sort(shown);
  return shown;
}

std::string confusion_picture(const table::ConfusionCounts& confusion) {
  HeatMap map{.names = {},
              .counts = {},
              .row_label = "actual",
              .column_label = "predicted"};
  const std::vector<std::size_t> shown = shown_classes(confusion);
  for (const std::size_t row : shown) {
    map.names.push_back(confusion.classes[row]);
    std::vector<std::size_t>& counts = map.counts.emplace_back();
    for (const std::size_t column : shown) {
      counts.push_back(confusion.counts[row].at(column));
    }
  }
  return heat_map(map);
}

std::string confusion_section(const table::ConfusionCounts& confusion) {
  if (confusion.classes.empty()) return "";
  REQUIRE(confusion.counts.size() == confusion.classes.size(),
          "run_report: there must be a row of counts for each of the {} "
          "classes, got {}.",
          confusion.classes.size(), confusion.counts.size());
  const std::string picture = confusion_picture(confusion);
  std::size_t correct = 0;
  std::size_t all = 0;
  for (std::size_t row = 0; row < confusion.classes.size(); ++row) {
    correct += confusion.counts[row][row];
    for (const std::size_t count : confusion.counts[row]) all += count;
  }
  const double share =
      all == 0 ? 0 : static_cast<double>(correct) / static_cast<double>(all);
  return report_section(
      "Confusion matrix",
      fmt::format("{} of {} predictions are correct ({:.1f} %).", correct, all,
                  100 * share) +
          (confusion.classes.size() > kMaxConfusionClasses
               ? fmt::format(" The {} most frequent of {} classes are shown.",
                             kMaxConfusionClasses, confusion.classes.size())
               : ""),
      picture);
}

std::string numbers_section(const RunReport& report) {
  if (report.numbers.empty()) return "";
  std::vector<ChartPoint> points;
  for (const table::PredictedNumber& each : thinned(report.numbers, kMaxDots)) {
    points.push_back({each.actual, each.predicted});
  }
  return report_section(
      "Predicted versus actual",
      fmt::format("{} predictions; those on the dashed line are exact.",
                  grouped_digits(std::ssize(report.numbers))),
      scatter_chart(points, {.x = "actual " + report.target_name,
                             .y = "predicted " + report.target_name}));
}

// Returns the last kMaxSteps values with their indices.
std::vector<ChartPoint> last_steps(const std::vector<double>& values) {
  const std::size_t first = values.size() - std::min(values.size(), kMaxSteps);
  std::vector<ChartPoint> points;
  for (std::size_t i = first; i < values.size(); ++i) {
    points.push_back({static_cast<double>(i), values[i]});
  }
  return points;
}

std::string series_section(const RunReport& report) {
  const table::PredictedSeries& series = report.series;
  const std::size_t length = series.actual.size();
  REQUIRE(series.predicted.size() == length,
          "report_html: a series must have as many predicted as actual values "
          "({}), got {}.",
          length, series.predicted.size());
  for (const std::vector<double>* baseline :
       {&series.persistence, &series.autoregression, &series.seasonal}) {
    REQUIRE(baseline->empty() || baseline->size() == length,
            "report_html: a baseline must be empty or have one value per step "
            "({}), got {}.",
            length, baseline->size());
  }
  if (length == 0) return "";
  std::vector<ChartSeries> lines;
  if (!series.persistence.empty()) {
    lines.push_back({.name = "persistence",
                     .points = last_steps(series.persistence),
                     .look = ChartLook::Dashed,
                     .colour = 3});
  }
  if (!series.autoregression.empty()) {
    lines.push_back({.name = "linear autoregression",
                     .points = last_steps(series.autoregression),
                     .look = ChartLook::Dashed,
                     .colour = 1});
  }
  if (!series.seasonal.empty()) {
    lines.push_back({.name = "a season before",
                     .points = last_steps(series.seasonal),
                     .look = ChartLook::Dashed,
                     .colour = -1});
  }
  lines.push_back(
      {.name = "actual", .points = last_steps(series.actual), .colour = 0});
  lines.push_back({.name = "predicted",
                   .points = last_steps(series.predicted),
                   .colour = 2});
  const auto steps = static_cast<std::int64_t>(length);
  const std::string note = length > kMaxSteps
                               ? fmt::format("The last {} of {} steps.",
                                             kMaxSteps, grouped_digits(steps))
                               : "";
  return report_section(
      "Predicted series", note,
      line_chart(lines, {.x = "step", .y = report.target_name}));
}

}  // namespace

std::string report_html(const RunReport& report) {
  return report_page(
      report.title, report.subtitle,
      report_tiles(report.highlights) + curve_section(report) +
          confusion_section(report.confusion) + numbers_section(report) +
          series_section(report) +
          explanation_sections(report.explanation, report.score_name,
                               report.target_name) +
          network_section(report.network_svg) + growth_section(report) +
          report_facts(report.facts) + report_remarks(report.remarks));
}

}  // namespace lamarck::report
