#include "lamarck/cli/evolve/program_outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lamarck/base/display_number.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/evolve/fn_files.h"
#include "lamarck/report/chart_svg.h"
#include "lamarck/report/report_page.h"
#include "lamarck/report/report_text.h"
#include "lamarck/tensor/simd_target.h"

namespace lamarck::cli {
namespace {

using report::counted;
using report::report_section;

constexpr std::size_t kMaxRows = 200;    // In a table of the report.
constexpr std::size_t kMaxSteps = 1500;  // In the chart.
constexpr std::size_t kMaxLines = 12;    // Lines of scores on a terminal.

std::string score_text(double value) { return short_number(value, 6); }

// The cost in USD.
double money(const archipelago::EvolverCounts& counts) {
  return 1e-6 * static_cast<double>(counts.cost.money_micros);
}

std::string scores_text(const ProgramOutcome& outcome) {
  std::string text;
  for (std::size_t i = 0; i < outcome.scores.size(); ++i) {
    // A single remaining line is printed instead of "1 more".
    if (i == kMaxLines && outcome.scores.size() > kMaxLines + 1) {
      return text +
             fmt::format("  ... and {} more; report.html shows the rest\n",
                         outcome.scores.size() - i);
    }
    text += fmt::format(
        "  {:<24} {:<12} {}\n", one_line(outcome.input_name(i), 24),
        score_text(outcome.scores[i]), score_text(outcome.first_scores[i]));
  }
  return text;
}

std::string run_text(const ProgramOutcome& outcome, const SearchRun& run) {
  const auto& counts = outcome.counts;
  std::string text = fmt::format(
      "Run: {} in {:.1f} s ({:.3g}/s), {} failed, {}, engine {}, seed {}",
      counted(counts.evaluations, "evaluation", "evaluations"), outcome.seconds,
      outcome.evaluations_per_s, counts.failed,
      counted(run.evolver.num_islands, "island", "islands"), outcome.engine,
      run.evolver.seed);
  if (counts.cost.tokens_in > 0) {
    text += fmt::format(", {} tokens sent and {} received",
                        counts.cost.tokens_in, counts.cost.tokens_out);
  }
  if (counts.cost.money_micros > 0) {
    text += fmt::format(", {:.4f} usd", money(counts));
  }
  return text + ". " + outcome.reason + "\n";
}

// The most frequent failure.
std::string failures_text(const archipelago::EvolverCounts& counts) {
  if (counts.reasons.empty()) return "";
  const auto most = std::max_element(
      counts.reasons.begin(), counts.reasons.end(),
      [](const auto& a, const auto& b) { return a.second < b.second; });
  return fmt::format("Note: The most frequent failure ({}): {}\n",
                     counted(most->second, "time", "times"),
                     one_line(most->first, 200));
}

std::string scores_section(const ProgramOutcome& outcome) {
  std::string html =
      "<div class=\"scroll\"><table class=\"growth\"><thead><tr>"
      "<th>input</th><th class=\"number\">score</th>"
      "<th class=\"number\">initial</th></tr></thead><tbody>\n";
  for (std::size_t i = 0; i < outcome.scores.size() && i < kMaxRows; ++i) {
    html += fmt::format(
        "<tr><td>{}</td><td class=\"number\">{}</td>"
        "<td class=\"number\">{}</td></tr>\n",
        markup_text(outcome.input_name(i)), score_text(outcome.scores[i]),
        score_text(outcome.first_scores[i]));
  }
  return report_section("Scores", "", html + "</tbody></table></div>\n");
}

std::string curve_section(const ProgramOutcome& outcome) {
  if (outcome.curve.empty()) return "";
  std::vector<report::ChartPoint> points;
  for (const ProgramStep& step : outcome.curve) {
    points.push_back({static_cast<double>(step.evaluations), step.best});
  }
  return report_section(
      "Best score over time", "",
      report::line_chart({{.points = report::thinned(points, kMaxSteps),
                           .look = report::ChartLook::Steps}},
                         {.x = "evaluations", .y = "score"}));
}

std::string lineage_section(const ProgramOutcome& outcome) {
  if (outcome.lineage.empty()) return "";
  std::string html =
      "<div class=\"scroll\"><table class=\"growth\"><thead><tr>"
      "<th class=\"number\">id</th><th>made by</th>"
      "<th class=\"number\">score</th></tr></thead><tbody>\n";
  for (const auto& each : report::thinned(outcome.lineage, kMaxRows)) {
    html += fmt::format(
        "<tr><td class=\"number\">{}</td><td>{}</td>"
        "<td class=\"number\">{}</td></tr>\n",
        each.id, markup_text(each.maker), score_text(each.score));
  }
  return report_section("Lineage", "", html + "</tbody></table></div>\n");
}

std::string facts_section(const ProgramOutcome& outcome, const SearchRun& run) {
  const auto& counts = outcome.counts;
  return report::report_facts(
      {{"folder", run.data.string()},
       {"engine", outcome.engine},
       {"islands", std::to_string(run.evolver.num_islands)},
       {"seed", std::to_string(run.evolver.seed)},
       {"evaluations", grouped_digits(counts.evaluations)},
       {"failed", grouped_digits(counts.failed)},
       {"duplicates", grouped_digits(counts.duplicates)},
       {"resets", std::to_string(counts.resets)},
       {"tokens",
        grouped_digits(counts.cost.tokens_in + counts.cost.tokens_out)},
       {"cost", fmt::format("{:.4f} usd", money(counts))},
       {"reason for stopping", outcome.reason}});
}

}  // namespace

std::string ProgramOutcome::input_name(std::size_t input) const {
  return input < inputs.size() ? inputs[input]
                               : fmt::format("input {}", input + 1);
}

Json program_json(const ProgramOutcome& outcome, const SearchRun& run) {
  Json scores = Json::object();
  for (std::size_t i = 0; i < outcome.scores.size(); ++i) {
    scores[outcome.input_name(i)] = outcome.scores[i];
  }
  const auto& counts = outcome.counts;
  return {{"kind", kProgramKind},
          {"best",
           {{"source", outcome.source},
            {"score", outcome.score},
            {"scores", scores}}},
          {"first_score", outcome.first_score},
          {"engine", outcome.engine},
          {"evaluations", counts.evaluations},
          {"evaluations_per_s", outcome.evaluations_per_s},
          {"failed", counts.failed},
          {"seconds", outcome.seconds},
          {"tokens", counts.cost.tokens_in + counts.cost.tokens_out},
          {"cost", money(counts)},
          {"seed", run.evolver.seed},
          {"simd", simd_target()},
          {"out", run.out.string()},
          {"reason", outcome.reason}};
}

std::string program_text(const ProgramOutcome& outcome, const SearchRun& run) {
  return fmt::format("Best program, with score {} (initially {}):\n\n{}\n",
                     score_text(outcome.score), score_text(outcome.first_score),
                     outcome.source) +
         fmt::format("  {:<24} {:<12} initial\n", "input", "score") +
         scores_text(outcome) + run_text(outcome, run) +
         failures_text(outcome.counts) +
         fmt::format("Files in {}: {}, {}, {}\n", run.out.string(),
                     kBestProgramFile, kReportFile, kJournalFile);
}

std::string program_page(const ProgramOutcome& outcome, const SearchRun& run) {
  return report::report_page(
      "A program for " + run.data.filename().string(),
      fmt::format("Evolved in {:.1f} s", outcome.seconds),
      report::report_tiles(
          {{"score", score_text(outcome.score)},
           {"initial score", score_text(outcome.first_score)},
           {"evaluations", grouped_digits(outcome.counts.evaluations)}}) +
          report_section("Function", "",
                         report::html_code_block(outcome.source)) +
          scores_section(outcome) + curve_section(outcome) +
          lineage_section(outcome) + facts_section(outcome, run));
}

}  // namespace lamarck::cli
