#include "lamarck/report/explanation_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "lamarck/base/one_line.h"
#include "lamarck/report/chart_svg.h"
#include "lamarck/report/report_page.h"
#include "lamarck/report/report_text.h"

namespace lamarck::report {
namespace {

using table::ConfidenceBand;
using table::InputImportance;
using table::ModelExplanation;
using table::PartialDependence;

constexpr std::size_t kMaxInputs = 20;
constexpr double kUnsure = 0.7;  // Probabilities below it.

std::string importance_section(const std::vector<InputImportance>& all,
                               std::string_view score_name) {
  if (all.empty()) return "";
  constexpr double kBar = 160;  // Pixels.
  const double top = std::max(all[0].loss, 1e-12);
  std::string html =
      "<div class=\"scroll\"><table class=\"growth\"><thead><tr>"
      "<th>input</th><th class=\"number\">" +
      markup_text(fmt::format("{} lost", score_name)) +
      "</th></tr></thead><tbody>\n";
  for (std::size_t i = 0; i < std::min(all.size(), kMaxInputs); ++i) {
    const double share = std::clamp(all[i].loss / top, 0.0, 1.0);
    html += fmt::format(
        "<tr><td>{}</td><td class=\"number\"><div class=\"bar\">"
        "<i style=\"width:{:.0f}px\"></i>{:.3g}</div></td></tr>\n",
        markup_text(all[i].column), kBar * share, all[i].loss);
  }
  std::string note = fmt::format(
      "How much worse the {} on held-out rows becomes if the values of one "
      "input are shuffled.",
      score_name);
  if (all.size() > kMaxInputs) {
    note += fmt::format(" The first {} of {} inputs are shown.", kMaxInputs,
                        all.size());
  }
  return report_section("Which inputs matter", note,
                        html + "</tbody></table></div>\n");
}

std::string dependence_chart(const PartialDependence& dependence,
                             std::string_view target_name) {
  std::vector<ChartSeries> lines;
  for (std::size_t i = 0; i < dependence.curves.size(); ++i) {
    const PartialDependence::Curve& curve = dependence.curves[i];
    ChartSeries line{.name = curve.name, .colour = static_cast<int>(i) + 1};
    for (std::size_t k = 0; k < curve.means.size(); ++k) {
      line.points.push_back({dependence.values[k], curve.means[k]});
    }
    lines.push_back(std::move(line));
  }
  const bool is_number =
      lines.size() == 1 && lines[0].name == std::string(target_name);
  const std::string y = is_number           ? "mean " + std::string(target_name)
                        : lines.size() == 1 ? "probability of " + lines[0].name
                                            : "probability";
  return line_chart(lines, {.x = dependence.column, .y = y});
}

std::string dependence_section(const std::vector<PartialDependence>& all,
                               std::string_view target_name) {
  if (all.empty()) return "";
  std::string charts;
  for (const PartialDependence& each : all) {
    charts += dependence_chart(each, target_name);
  }
  return report_section(
      "How predictions depend on the most important inputs",
      "Each curve is the mean prediction if all rows had that value and "
      "everything else stayed as it is.",
      charts);
}

// The share of the rows below kUnsure, and how often they are right.
std::string unsure_note(const std::vector<ConfidenceBand>& bands) {
  std::size_t rows = 0;
  std::size_t unsure = 0;
  double correct = 0;
  for (const ConfidenceBand& band : bands) {
    rows += band.rows;
    if (band.high > kUnsure + 1e-9) continue;
    unsure += band.rows;
    correct += band.accuracy * static_cast<double>(band.rows);
  }
  if (unsure == 0) {
    return fmt::format(
        "The model is at least {:.0f} % sure of each of {} held-out rows.",
        100 * kUnsure, rows);
  }
  return fmt::format(
      "The model is less than {:.0f} % sure of {} of {} held-out rows; {:.0f} "
      "% "
      "of those predictions are correct.",
      100 * kUnsure, unsure, rows, 100 * correct / static_cast<double>(unsure));
}

std::string confidence_section(const std::vector<ConfidenceBand>& bands) {
  if (bands.empty()) return "";
  std::vector<ChartPoint> points;
  std::string table =
      "<div class=\"scroll\"><table class=\"growth\"><thead><tr>"
      "<th>probability</th><th class=\"number\">rows</th>"
      "<th class=\"number\">mean probability</th>"
      "<th class=\"number\">correct</th></tr></thead><tbody>\n";
  for (const ConfidenceBand& band : bands) {
    points.push_back({band.mean_probability, band.accuracy});
    table += fmt::format(
        "<tr><td>{:.0f} to {:.0f} %</td><td class=\"number\">{}</td>"
        "<td class=\"number\">{:.1f} %</td><td class=\"number\">{:.1f} "
        "%</td></tr>\n",
        100 * band.low, 100 * band.high, band.rows, 100 * band.mean_probability,
        100 * band.accuracy);
  }
  const std::string chart =
      line_chart({{.name = "exact",
                   .points = {{0, 0}, {1, 1}},
                   .look = ChartLook::Dashed,
                   .colour = 3},
                  {.name = "this model", .points = points}},
                 {.x = "probability of the predicted class",
                  .y = "share of correct predictions",
                  .y_range = Range{0, 1}});
  return report_section("Where it is unsure",
                        unsure_note(bands) +
                            " Probabilities can be trusted where the curve is "
                            "near the dashed line.",
                        chart + table + "</tbody></table></div>\n");
}

}  // namespace

std::string explanation_sections(const ModelExplanation& explanation,
                                 std::string_view score_name,
                                 std::string_view target_name) {
  return importance_section(explanation.importance, score_name) +
         dependence_section(explanation.dependence, target_name) +
         confidence_section(explanation.confidence);
}

}  // namespace lamarck::report
