#include "lamarck/cli/evolve/fn_outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "lamarck/base/display_number.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/cli/evolve/fn_files.h"
#include "lamarck/formula/expression_plan.h"
#include "lamarck/report/report_text.h"
#include "lamarck/tensor/simd_target.h"

namespace lamarck::cli {
namespace {

using law::Law;
using law::LawSearchResult;
using report::counted;

constexpr int kAllDigits = 17;    // Enough to restore a double exactly.
constexpr double kMicros = 1e-6;  // One micro-dollar in dollars.

std::string error_text(double nmse) {
  return std::isfinite(nmse) ? short_number(nmse) : "not finite";
}

// JSON has no NaN or infinity.
Json number_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json law_json(const Law& law) {
  Json recognized = Json::array();
  for (const formula::WrittenConstant& each : law.recognized) {
    recognized.push_back(
        {{"text", each.text}, {"value", each.value}, {"fitted", each.fitted}});
  }
  Json deviations = Json::array();
  for (const double each : law.deviations) {
    deviations.push_back(number_or_null(each));
  }
  return {{"formula", law_text(law, kAllDigits)},
          {"latex", formula::to_latex(law.formula, &law.params)},
          {"params", law.params},
          {"deviations", deviations},
          {"recognized", recognized},
          {"exact", law.is_exact()},
          {"size", law.size},
          {"nmse", number_or_null(law.nmse)}};
}

std::string indented(const std::string& text) {
  std::string result;
  for (const auto& line : split_text(text, '\n')) {
    if (!line.empty()) result += fmt::format("    {}\n", line);
  }
  return result;
}

// The tokens and the cost of the model; empty if no model was used.
std::string model_text(const archipelago::MutationCost& cost) {
  if (cost.tokens_in + cost.tokens_out == 0) return "";
  std::string tokens = fmt::format(", {} tokens sent and {} received",
                                   cost.tokens_in, cost.tokens_out);
  if (cost.money_micros == 0) return tokens;
  return tokens + fmt::format(", {:.4f} usd",
                              kMicros * static_cast<double>(cost.money_micros));
}

std::string run_text(const FnOutcome& outcome, const SearchRun& run) {
  const auto& counts = outcome.result.counts;
  return fmt::format(
      "Run: {} in {:.1f} s ({:.3g}/s), {}, engine {}, seed {}{}. {}\n",
      counted(counts.evaluations, "evaluation", "evaluations"), outcome.seconds,
      outcome.evaluations_per_s,
      counted(run.evolver.num_islands, "island", "islands"),
      engine_name(*run.engine), run.evolver.seed, model_text(counts.cost),
      outcome.result.reason);
}

std::vector<double> law_values(const Law& law,
                               const gp::RegressionProblem& rows) {
  formula::ExpressionPlan plan(law.formula.body);
  std::vector<double> values(rows.rows());
  const std::vector<const double*> inputs = rows.input_pointers();
  plan.values({.inputs = inputs, .rows = rows.rows()}, law.params, values);
  return values;
}

std::string signs_text(const FnOutcome& outcome, const FnProblem& problem) {
  const auto judged = judge_classes(outcome, problem);
  return judged ? classes_text(*problem.classes, *judged) : "";
}

Json signs_json(const FnOutcome& outcome, const FnProblem& problem) {
  const auto judged = judge_classes(outcome, problem);
  return judged ? classes_json(*problem.classes, *judged) : Json();
}

std::string units_text(const SearchRun& run) {
  if (!run.flags.units) return "";
  return fmt::format("Units: {}; all laws are consistent with them.\n",
                     one_line(*run.flags.units, 300));
}

std::string notes_text(const FnProblem& problem) {
  std::string text;
  for (const std::string& remark : problem.remarks) {
    text += "Note: " + one_line(remark, 300) + "\n";
  }
  return text;
}

// Empty if the data could not be read, as in a replay without its file.
std::string rows_text(const FnProblem& problem) {
  if (problem.known.rows() == 0) return "";
  return " from " + counted(problem.known.rows(), "row", "rows");
}

// The comment above the Python function of a law.
std::string python_comment(const Law& law, const FnProblem& problem) {
  std::string text = fmt::format(
      "# {} from {}; NMSE {}.\n", one_line(problem.target),
      one_line(join_text(problem.columns, ", "), 300), error_text(law.nmse));
  for (const std::string& name : problem.renamed()) {
    text += "# " + one_line(name, 300) + ".\n";
  }
  return text;
}

// Quotes a CSV cell; quotes inside it are doubled.
std::string quoted_cell(const std::string& text) {
  std::string cell = "\"";
  for (const char c : text)
    cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + "\"";
}

}  // namespace

std::vector<double> test_errors(const LawSearchResult& result,
                                const FnProblem& problem) {
  const Law& law = result.front[result.best];
  std::vector<double> errors;
  for (const FnTest& test : problem.tests) {
    errors.push_back(law::law_nmse(law.formula.body, law.params, test.problem));
  }
  return errors;
}

std::optional<SignJudgement> judge_classes(const FnOutcome& outcome,
                                           const FnProblem& problem) {
  if (!problem.classes || problem.known.rows() == 0) return std::nullopt;
  return judge_signs(law_values(outcome.best(), problem.known),
                     problem.known.target);
}

std::string law_text(const Law& law, int digits) {
  return formula::to_infix(law.formula, &law.params, digits);
}

std::string law_python(const Law& law, const FnProblem& problem) {
  formula::Formula named = law.formula;
  named.docstring = "";
  return python_comment(law, problem) + "import numpy as np\n\n\n" +
         formula::to_python(named, &law.params);
}

std::string law_latex(const Law& law, const FnProblem& problem) {
  std::string text;
  for (const std::string& name : problem.renamed()) {
    text += "% " + one_line(name, 300) + "\n";
  }
  return text + formula::to_latex(law.formula, &law.params) + "\n";
}

Json fn_json(const FnOutcome& outcome, const FnProblem& problem,
             const SearchRun& run) {
  const auto& counts = outcome.result.counts;
  Json best = law_json(outcome.best());
  best["test"] = Json::object();
  for (std::size_t i = 0; i < problem.tests.size(); ++i) {
    best["test"][problem.tests[i].file] = number_or_null(outcome.test_nmse[i]);
  }
  Json front = Json::array();
  for (const Law& law : outcome.result.front) front.push_back(law_json(law));
  Json columns = Json::object();
  for (std::size_t i = 0; i < problem.columns.size(); ++i) {
    columns[problem.known.input_names[i]] = problem.columns[i];
  }
  return {{"kind", kFnKind},
          {"target", problem.target},
          {"classes", signs_json(outcome, problem)},
          {"columns", columns},
          {"units", run.flags.units ? Json(*run.flags.units) : Json()},
          {"best", best},
          {"front", front},
          {"engine", engine_name(*run.engine)},
          {"evaluations", counts.evaluations},
          {"evaluations_per_s", outcome.evaluations_per_s},
          {"seconds", outcome.seconds},
          {"tokens", counts.cost.tokens_in + counts.cost.tokens_out},
          {"cost", kMicros * static_cast<double>(counts.cost.money_micros)},
          {"seed", run.evolver.seed},
          {"simd", simd_target()},
          {"out", run.out.string()},
          {"remarks", problem.remarks},
          {"reason", outcome.result.reason}};
}

std::string fn_front_text(const LawSearchResult& result) {
  std::string text = "    size  NMSE        formula\n";
  for (std::size_t i = 0; i < result.front.size(); ++i) {
    const Law& law = result.front[i];
    text +=
        fmt::format("  {} {:>4}  {:<10}  {}\n", i == result.best ? ">" : " ",
                    law.size, error_text(law.nmse), law_text(law));
  }
  return text;
}

std::vector<std::string> law_notes(const Law& law) {
  std::vector<std::string> notes;
  if (law.is_exact()) {
    notes.emplace_back("exact: only rounding is left of the error");
  }
  for (const formula::WrittenConstant& each : law.recognized) {
    notes.push_back(
        fmt::format("{} was fitted as {:.15g}", each.text, each.fitted));
  }
  std::vector<std::string> bars;
  for (std::size_t i = 0; i < law.deviations.size(); ++i) {
    const double deviation = law.deviations[i];
    bars.push_back(fmt::format("{:.6g} +- {}", law.params[i],
                               std::isfinite(deviation)
                                   ? fmt::format("{:.2g}", deviation)
                                   : "unknown"));
  }
  if (!bars.empty()) {
    notes.push_back("constants with their standard deviations: " +
                    join_text(bars, ", "));
  }
  return notes;
}

std::string fn_laws_text(const FnOutcome& outcome, const FnProblem& problem) {
  const Law& best = outcome.best();
  std::string text = fmt::format("Laws for {}{}, from short to exact:\n",
                                 in_quotes(problem.target), rows_text(problem));
  text += fn_front_text(outcome.result);
  text += fmt::format("The law: {} = {}\n", one_line(problem.target),
                      law_text(best));
  for (const std::string& note : law_notes(best)) text += "  " + note + "\n";
  for (const std::string& name : problem.renamed()) {
    text += "  where " + one_line(name, 300) + "\n";
  }
  text +=
      "  Python\n" + indented(formula::to_python(best.formula, &best.params));
  text += "  LaTeX\n" + indented(formula::to_latex(best.formula, &best.params));
  text += signs_text(outcome, problem);
  for (std::size_t i = 0; i < problem.tests.size(); ++i) {
    if (problem.classes) {
      const auto judged =
          judge_signs(law_values(best, problem.tests[i].problem),
                      problem.tests[i].problem.target);
      text += fmt::format("Accuracy on {}: {:.4g}\n",
                          one_line(problem.tests[i].file), judged.accuracy());
    }
    text += fmt::format("NMSE on {}: {}\n", one_line(problem.tests[i].file),
                        error_text(outcome.test_nmse[i]));
  }
  return text;
}

std::string fn_text(const FnOutcome& outcome, const FnProblem& problem,
                    const SearchRun& run) {
  return fn_laws_text(outcome, problem) + units_text(run) +
         run_text(outcome, run) + notes_text(problem) +
         fmt::format("Files in {}: {}\n", run.out.string(),
                     join_text(kFnFiles, ", "));
}

std::string fn_front_csv(const LawSearchResult& result) {
  std::string text = "size,nmse,chosen,formula\n";
  for (std::size_t i = 0; i < result.front.size(); ++i) {
    const Law& law = result.front[i];
    text += fmt::format("{},{},{},{}\n", law.size, law.nmse,
                        i == result.best ? 1 : 0,
                        quoted_cell(law_text(law, kAllDigits)));
  }
  return text;
}

}  // namespace lamarck::cli
