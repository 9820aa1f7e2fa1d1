#include "lamarck/cli/evolve/fn_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lamarck/base/display_number.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/formula/expression_plan.h"
#include "lamarck/report/chart_svg.h"
#include "lamarck/report/law_mathml.h"
#include "lamarck/report/report_page.h"
#include "lamarck/report/report_text.h"
#include "lamarck/tensor/simd_target.h"

namespace lamarck::cli {
namespace {

using law::Law;
using law::LawAncestor;
using report::ChartPoint;
using report::html_code_block;
using report::report_section;
using report::ReportFact;

// These limits keep the page small enough for a browser.
constexpr std::size_t kMaxChartDots = 1500;
constexpr std::size_t kMaxAncestorRows = 200;
constexpr std::size_t kMaxDrawnSize = 300;  // Nodes; larger laws are text only.
// The logarithmic axis needs a positive error for an exact law.
constexpr double kMinError = 1e-32;

// The colour of the chosen law, pale enough for text of either mode.
constexpr const char* kChosenRow =
    " style=\"background:color-mix(in srgb, var(--chart-2,#d9730d) 18%, "
    "transparent)\"";

double exponent(double nmse) { return std::log10(std::max(nmse, kMinError)); }

// The Pareto front as steps, with a dot for each law.
std::string front_chart(const FnOutcome& outcome) {
  std::vector<ChartPoint> all;
  for (const Law& law : outcome.result.front) {
    all.push_back({static_cast<double>(law.size), exponent(law.nmse)});
  }
  const ChartPoint chosen = all[outcome.result.best];
  return report::line_chart(
      {{.name = "front",
        .points = all,
        .look = report::ChartLook::Steps,
        .colour = 3},
       {.name = "laws", .points = all, .look = report::ChartLook::Dots},
       {.name = "chosen",
        .points = {chosen},
        .look = report::ChartLook::Marks,
        .colour = 2}},
      {.x = "size (nodes)", .y = "NMSE", .y_is_exponent = true});
}

std::string front_table(const FnOutcome& outcome) {
  std::string html =
      "<div class=\"scroll\"><table class=\"growth\"><thead><tr>"
      "<th class=\"number\">size</th><th class=\"number\">NMSE</th>"
      "<th>formula</th></tr></thead><tbody>\n";
  for (std::size_t i = 0; i < outcome.result.front.size(); ++i) {
    const Law& law = outcome.result.front[i];
    const bool is_best = i == outcome.result.best;
    html += fmt::format(
        "<tr{}><td class=\"number\">{}</td><td class=\"number\">{}</td>"
        "<td>{}</td></tr>\n",
        is_best ? kChosenRow : "", law.size, short_number(law.nmse),
        is_best ? "<b>" + markup_text(law_text(law)) + "</b> &#9664; chosen"
                : markup_text(law_text(law)));
  }
  return html + "</tbody></table></div>\n";
}

std::string front_section(const FnOutcome& outcome) {
  return report_section(
      "Size and error",
      "NMSE is the mean squared error divided by the variance of the target. "
      "No law in this list is both larger and less accurate than another. The "
      "chosen law is marked in both.",
      front_chart(outcome) + front_table(outcome));
}

std::string law_section(const FnOutcome& outcome, const FnProblem& problem) {
  const Law& law = outcome.best();
  std::string html;
  if (law.size <= kMaxDrawnSize) {
    html = "<div style=\"overflow:auto;font-size:20px;margin:8px 0 18px\">" +
           report::to_mathml(problem.target, law.formula, law.params) +
           "</div>\n";
  }
  html += html_code_block(problem.target + " = " + law_text(law));
  html += html_code_block(formula::to_python(law.formula, &law.params));
  html += html_code_block(formula::to_latex(law.formula, &law.params));
  std::vector<std::string> notes = law_notes(law);
  if (const auto judged = judge_classes(outcome, problem)) {
    notes.push_back(classes_text(*problem.classes, *judged));
  }
  if (!notes.empty()) {
    html += "<ul>\n";
    for (const std::string& note : notes) {
      html += "<li>" + markup_text(note) + "</li>\n";
    }
    html += "</ul>\n";
  }
  return report_section("The law", join_text(problem.renamed(), "; "), html);
}

std::vector<double> predictions(const Law& law, const FnProblem& problem) {
  formula::ExpressionPlan plan(law.formula.body);
  std::vector<double> values(problem.known.rows());
  const std::vector<const double*> inputs = problem.known.input_pointers();
  plan.values({.inputs = inputs, .rows = problem.known.rows()}, law.params,
              values);
  return values;
}

// Two charts: predicted against actual values, and residuals.
std::string fit_sections(const FnOutcome& outcome, const FnProblem& problem) {
  const std::vector<double> values = predictions(outcome.best(), problem);
  std::vector<ChartPoint> points;
  std::vector<ChartPoint> residuals;
  for (std::size_t row = 0; row < values.size(); ++row) {
    const double actual = problem.known.target[row];
    points.push_back({actual, values[row]});
    residuals.push_back({values[row], actual - values[row]});
  }
  const std::string& target = problem.target;
  return report_section(
             "Predicted and actual",
             fmt::format("{} rows; exact predictions lie on the dashed line",
                         values.size()),
             report::scatter_chart(
                 report::thinned(points, kMaxChartDots),
                 {.x = "actual " + target, .y = "predicted " + target})) +
         report_section(
             "Residuals",
             "actual minus predicted; a pattern suggests that the law is "
             "incomplete",
             report::line_chart(
                 {{.points = report::thinned(residuals, kMaxChartDots),
                   .look = report::ChartLook::Dots}},
                 {.x = "predicted " + target, .y = "residual"}));
}

std::string lineage_section(const std::vector<LawAncestor>& lineage) {
  if (lineage.empty()) return "";
  std::string html =
      "<div class=\"scroll\"><table class=\"growth\"><thead><tr>"
      "<th class=\"number\">id</th><th>made by</th>"
      "<th class=\"number\">size</th><th class=\"number\">NMSE</th>"
      "<th>formula</th></tr></thead><tbody>\n";
  for (const LawAncestor& each : report::thinned(lineage, kMaxAncestorRows)) {
    const std::string maker =
        each.move.empty() ? each.engine : each.engine + ": " + each.move;
    html += fmt::format(
        "<tr><td class=\"number\">{}</td><td>{}</td>"
        "<td class=\"number\">{}</td><td class=\"number\">{}</td>"
        "<td>{}</td></tr>\n",
        each.id, markup_text(maker), each.size, short_number(each.nmse),
        markup_text(each.formula));
  }
  return report_section("Lineage",
                        fmt::format("{} generations, from the first to the "
                                    "chosen law",
                                    lineage.size()),
                        html + "</tbody></table></div>\n");
}

// The numbers at the top of the page.
std::vector<ReportFact> highlights(const FnOutcome& outcome,
                                   const FnProblem& problem) {
  std::vector<ReportFact> facts = {
      {"NMSE", short_number(outcome.best().nmse)},
      {"size", std::to_string(outcome.best().size)},
      {"evaluations", grouped_digits(outcome.result.counts.evaluations)}};
  if (!problem.tests.empty()) {
    facts.push_back({"NMSE on " + problem.tests[0].file,
                     short_number(outcome.test_nmse[0])});
  }
  return facts;
}

std::vector<ReportFact> make_facts(const FnOutcome& outcome,
                                   const FnProblem& problem,
                                   const SearchRun& run) {
  const auto& counts = outcome.result.counts;
  std::vector<ReportFact> facts = {
      {"data", run.data.string()},
      {"target", problem.target},
      {"inputs", join_text(problem.columns, ", ")},
      {"rows", std::to_string(problem.known.rows())},
      {"engine", std::string(engine_name(*run.engine))},
      {"islands", std::to_string(run.evolver.num_islands)},
      {"seed", std::to_string(run.evolver.seed)},
      {"instruction set", simd_target()},
      {"evaluations per second", short_number(outcome.evaluations_per_s)},
      {"functions stored", grouped_digits(counts.stored)},
      {"resets", std::to_string(counts.resets)},
      {"reason for stopping", outcome.result.reason}};
  if (run.flags.units) facts.push_back({"units", *run.flags.units});
  if (counts.cost.tokens_in > 0) {
    facts.push_back({"tokens sent", grouped_digits(counts.cost.tokens_in)});
    facts.push_back(
        {"tokens received", grouped_digits(counts.cost.tokens_out)});
  }
  for (std::size_t i = 0; i < problem.tests.size(); ++i) {
    facts.push_back({"NMSE on " + problem.tests[i].file,
                     short_number(outcome.test_nmse[i])});
  }
  return facts;
}

}  // namespace

std::string fn_page(const FnOutcome& outcome, const FnProblem& problem,
                    const SearchRun& run) {
  return report::report_page(
      "A law for " + problem.target,
      fmt::format("Found in {} in {:.1f} s", run.data.filename().string(),
                  outcome.seconds),
      report::report_tiles(highlights(outcome, problem)) +
          law_section(outcome, problem) + front_section(outcome) +
          fit_sections(outcome, problem) +
          lineage_section(outcome.result.lineage) +
          report::report_facts(make_facts(outcome, problem, run)) +
          report::report_remarks(problem.remarks));
}

}  // namespace lamarck::cli
