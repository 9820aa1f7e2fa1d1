#include "lamarck/report/net_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/base/display_number.h"
#include "lamarck/base/one_line.h"
#include "lamarck/report/network_picture.h"
#include "lamarck/report/report_text.h"
#include "lamarck/report/run_moments.h"
#include "lamarck/report/run_report.h"
#include "lamarck/tensor/simd_target.h"

namespace lamarck::report {
namespace {

using table::TableEvolutionOptions;
using table::TableEvolutionOutcome;

constexpr std::size_t kHistoryLines = 8;

std::string task_kind(const TableEvolutionOutcome& outcome) {
  if (outcome.series_note) return "series";
  return outcome.encoding.target().has_classes() ? "classification"
                                                 : "regression";
}

// Returns "species", or "y in 3 rows" for a series.
std::string target_label(const TableEvolutionOutcome& outcome) {
  return outcome.series_note ? outcome.series_note->ahead_name()
                             : outcome.encoding.target().name;
}

bool is_ensemble(const TableEvolutionOutcome& outcome) {
  return outcome.ensemble.folds > 0;
}

std::string ensemble_text(const TableEvolutionOutcome& outcome) {
  return fmt::format("{} networks in one, from {} compared in {} folds",
                     outcome.ensemble.members,
                     counted(outcome.ensemble.designs, "design", "designs"),
                     outcome.ensemble.folds);
}

// Compares the network with a baseline on the held-out rows.
std::string comparison(const TableEvolutionOutcome& outcome,
                       const table::Baseline& baseline) {
  const double gain = outcome.metric.higher_is_better
                          ? outcome.test_score - baseline.score
                          : baseline.score - outcome.test_score;
  if (gain > 0) return "the network is better";
  return gain < 0 ? "the network is worse" : "the network is no better";
}

// Returns "3 hidden nodes, 12 edges, 2 recurrent, 20 parameters" or similar.
std::string size_text(const evolution::Network& network) {
  std::string text =
      counted(network.hidden_count(), "hidden node", "hidden nodes");
  if (network.hidden_units() != network.hidden_count()) {
    text += fmt::format(" with {} units", network.hidden_units());
  }
  text += ", " + counted(network.forward_edge_count(), "edge", "edges");
  if (network.recurrent_edge_count() > 0) {
    text += fmt::format(", {} recurrent", network.recurrent_edge_count());
  }
  return text + fmt::format(", {} parameters", network.parameters().size());
}

// Returns the first and the last record and a few evenly spaced between them.
std::vector<evolution::GrowthRecord> shortened(
    const std::vector<evolution::GrowthRecord>& history) {
  if (history.size() <= kHistoryLines) return history;
  std::vector<evolution::GrowthRecord> lines;
  for (std::size_t i = 0; i < kHistoryLines; ++i) {
    lines.push_back(history[i * (history.size() - 1) / (kHistoryLines - 1)]);
  }
  return lines;
}

std::string growth_text(const TableEvolutionOutcome& outcome) {
  const table::TablePlan plan = outcome.plan();
  std::string text = "How it grew:\n";
  for (const auto& record : shortened(outcome.result.history)) {
    text += fmt::format(
        "  generation {:>5}  {:<22} {:>3} hidden {:>4} edges  loss {:<9.4g} "
        "{} {:.4g}\n",
        record.generation, record.mutation, record.hidden_nodes,
        record.edges + record.recurrent_edges, record.loss, plan.metric.name,
        plan.shown(record.score));
  }
  return text;
}

// Returns why the run ended, a whole sentence; empty if unknown.
std::string reason_text(const evolution::EvolutionResult& result) {
  static const std::map<std::string, std::string, std::less<>> kReasons = {
      {"target", "The goal was reached."},
      {"cancelled", "The run was interrupted; this is the best so far."},
      {"seconds", "Stopped because the time budget was used up."},
      {"generations", "Stopped after the given number of generations."},
      {"evaluations", "Stopped after the given number of candidates."},
      {"flat_generations", "Stopped because the network no longer improved."},
      {"designs", "Stopped after comparing the usual number of designs."},
      {"flat", "Stopped because the ensemble no longer improved."}};
  const auto found = kReasons.find(result.reason);
  return found == kReasons.end() ? "" : found->second;
}

// Returns additional sentences about how the run ended; may be empty.
std::string ending_text(const TableEvolutionOutcome& outcome) {
  const auto& result = outcome.result;
  std::string text;
  if (result.counts.dropped > 0) {
    text =
        fmt::format(" {} with non-finite outputs {} dropped.",
                    counted(result.counts.dropped, "candidate", "candidates"),
                    result.counts.dropped == 1 ? "was" : "were");
  }
  if (result.counts.infeasible > 0) {
    text += fmt::format(
        " {} had no feasible mutation and only trained further.",
        counted(result.counts.infeasible, "candidate", "candidates"));
  }
  const std::string reason = reason_text(result);
  return reason.empty() ? text : text + " " + reason;
}

// The test score, the baselines and the size of the network.
std::vector<ReportFact> make_highlights(const TableEvolutionOutcome& outcome) {
  std::vector<ReportFact> facts = {
      {fmt::format("{} on held-out rows", outcome.metric.name),
       short_number(outcome.test_score)}};
  for (const auto& baseline : outcome.baselines) {
    facts.push_back({baseline.name, short_number(baseline.score)});
  }
  const auto& network = outcome.result.network;
  facts.push_back({"hidden nodes", std::to_string(network.hidden_count())});
  if (facts.size() < 4) {
    facts.push_back(
        {"parameters", std::to_string(network.parameters().size())});
  }
  return facts;
}

}  // namespace

Json net_json(const TableEvolutionOutcome& outcome, std::uint64_t seed,
              const NetPaths& paths) {
  const auto& result = outcome.result;
  Json baselines = Json::object();
  for (const auto& baseline : outcome.baselines) {
    baselines[baseline.name] = baseline.score;
  }
  Json json = {{"kind", task_kind(outcome)},
               {"metric", outcome.metric.name},
               {"score", outcome.score},
               {"test_score", outcome.test_score},
               {"target_reached", result.target_reached},
               {"reason", result.reason},
               {"generations", result.counts.generations},
               {"evaluations", result.counts.evaluations},
               {"gradient_steps", result.counts.gradient_steps},
               {"hidden_nodes", result.network.hidden_count()},
               {"hidden_units", result.network.hidden_units()},
               {"edges", result.network.forward_edge_count()},
               {"recurrent_edges", result.network.recurrent_edge_count()},
               {"parameters", result.network.parameters().size()},
               {"dropped", result.counts.dropped},
               {"baselines", std::move(baselines)},
               {"remarks", outcome.remarks},
               {"seconds", result.seconds},
               {"seed", seed},
               {"simd", simd_target()},
               {"model", paths.model.string()}};
  if (is_ensemble(outcome)) {
    json["ensemble"] = {{"folds", outcome.ensemble.folds},
                        {"designs", outcome.ensemble.designs},
                        {"members", outcome.ensemble.members},
                        {"single_test_score", outcome.ensemble.single_score}};
  }
  if (outcome.series_note) {
    json["target"] = outcome.series_note->target;
    json["horizon"] = outcome.series_note->horizon;
  }
  if (!paths.model.empty()) {
    json["picture"] = paths.picture.string();
    json["report"] = paths.report.string();
  }
  return json;
}

Json held_out_json(const TableEvolutionOutcome& outcome) {
  constexpr std::size_t kMaxRows = 1000;
  Json json = {
      {"kind", task_kind(outcome)},
      {"rows", outcome.test_rows},
      {"target", outcome.series_note ? outcome.series_note->target
                                     : outcome.encoding.target().name}};
  if (!outcome.confusion.classes.empty()) {
    json["classes"] = outcome.confusion.classes;
    json["counts"] = outcome.confusion.counts;
  } else if (outcome.series_note) {
    const std::vector<double>& actual = outcome.series.actual;
    const auto skipped = static_cast<std::ptrdiff_t>(
        actual.size() - std::min(actual.size(), kMaxRows));
    json["horizon"] = outcome.series_note->horizon;
    json["actual"] = std::vector(actual.begin() + skipped, actual.end());
    json["predicted"] = std::vector(outcome.series.predicted.begin() + skipped,
                                    outcome.series.predicted.end());
  } else {
    const std::size_t rows = outcome.numbers.size();
    const std::size_t count = std::min(rows, kMaxRows);
    json["pairs"] = Json::array();
    for (std::size_t i = 0; i < count; ++i) {
      const table::PredictedNumber& each = outcome.numbers[i * rows / count];
      json["pairs"].push_back({each.actual, each.predicted});
    }
  }
  return json;
}

std::string net_text(const TableEvolutionOutcome& outcome,
                     const NetPaths& paths) {
  const auto& result = outcome.result;
  std::string text = fmt::format(
      "{} of '{}' on {}: {} {:.4g}\n",
      task_kind(outcome) == "classification" ? "Classification" : "Prediction",
      target_label(outcome),
      counted(outcome.test_rows, "held-out row", "held-out rows"),
      outcome.metric.name, outcome.test_score);
  for (const auto& baseline : outcome.baselines) {
    text += fmt::format("  {:<32} {:<10.4g} {}\n", baseline.name,
                        baseline.score, comparison(outcome, baseline));
  }
  text += fmt::format("  {:<32} {:.4g}\n",
                      is_ensemble(outcome) ? "this ensemble, out of fold"
                                           : "this network on validation rows",
                      outcome.score);
  if (is_ensemble(outcome)) {
    text += fmt::format("  {:<32} {:.4g}\n", "the best evolved network alone",
                        outcome.ensemble.single_score);
    text += "Ensemble: " + ensemble_text(outcome) + "\n";
  }
  text += "Network: " + size_text(result.network) + "\n";
  text += fmt::format(
      "Run: {}, {}, {} gradient steps, {:.1f} s.{}\n",
      counted(result.counts.generations, "generation", "generations"),
      counted(result.counts.evaluations, "candidate", "candidates"),
      result.counts.gradient_steps, result.seconds, ending_text(outcome));
  text += growth_text(outcome);
  for (const std::string& remark : outcome.remarks) {
    text += "Note: " + one_line(remark, 300) +
            (remark.ends_with('.') ? "\n" : ".\n");
  }
  return text + fmt::format("Model   {}\nPicture {}\nReport  {}\n",
                            paths.model.string(), paths.picture.string(),
                            paths.report.string());
}

Json net_summary(Json runs, double cpu_seconds, bool has_goal) {
  std::size_t reached = 0;
  for (const Json& run : runs) {
    reached += run.at("target_reached").get<bool>() ? 1 : 0;
  }
  const RunMoments test = run_moments(runs, "test_score");
  const RunMoments evaluations = run_moments(runs, "evaluations");
  const double rate =
      cpu_seconds > 0
          ? evaluations.mean * static_cast<double>(runs.size()) / cpu_seconds
          : 0.0;
  return {{"seeds", runs.size()},
          {"has_goal", has_goal},
          {"solved", reached},
          {"evaluations_per_cpu_s", rate},
          {"test_score_mean", test.mean},
          {"test_score_sd", test.deviation},
          {"evaluations_mean", evaluations.mean},
          {"evaluations_sd", evaluations.deviation},
          {"hidden_mean", run_moments(runs, "hidden_nodes").mean},
          {"seconds_mean", run_moments(runs, "seconds").mean},
          {"runs", std::move(runs)}};
}

std::string net_summary_text(const Json& summary) {
  return fmt::format(
      "{} seeds: {} {:.4g} on held-out rows (standard deviation {:.2g}), "
      "{:.0f} candidates, {:.1f} hidden nodes, {:.1f} s each{}.\n",
      summary["seeds"].get<std::size_t>(),
      summary["runs"][0]["metric"].get<std::string>(),
      summary["test_score_mean"].get<double>(),
      summary["test_score_sd"].get<double>(),
      summary["evaluations_mean"].get<double>(),
      summary["hidden_mean"].get<double>(),
      summary["seconds_mean"].get<double>(),
      summary["has_goal"].get<bool>()
          ? fmt::format("; {} reached the goal",
                        summary["solved"].get<std::size_t>())
          : "");
}

std::string net_picture(const TableEvolutionOutcome& outcome) {
  const auto& target = outcome.encoding.target();
  std::vector<std::string> outputs = target.classes;
  // Two classes have one output, the probability of the second.
  if (target.classes.size() == 2) {
    outputs = {target.name + " is " + target.classes[1]};
  }
  if (outputs.empty()) {
    outputs = {outcome.series_note ? "change of " + outcome.series_note->target
                                   : target.name};
  }
  return to_svg(outcome.result.network,
                {.input_names = outcome.encoding.input_names(),
                 .output_names = outputs,
                 .title = target_label(outcome)});
}

std::string net_report_page(const TableEvolutionOutcome& outcome,
                            const TableEvolutionOptions& options,
                            const std::string& data,
                            const std::string& picture) {
  const auto& result = outcome.result;
  const table::TablePlan plan = outcome.plan();
  RunReport report{
      .title = fmt::format("A network for {}", target_label(outcome)),
      .subtitle =
          fmt::format("Evolved from {} in {:.1f} s", data, result.seconds),
      .highlights = make_highlights(outcome),
      .score_name = std::string(outcome.metric.name),
      .max_score =
          outcome.metric.higher_is_better ? std::optional(1.0) : std::nullopt,
      .curve = outcome.curve,
      .network_svg = picture,
      .confusion = outcome.confusion,
      .target_name = options.target,
      .numbers = outcome.numbers,
      .series = outcome.series,
      .explanation = outcome.explanation,
      .remarks = outcome.remarks};
  report.facts = {
      {"data", data},
      {"target", options.target},
      {"task", task_kind(outcome)},
      {"training rows", std::to_string(outcome.train_rows)},
      {is_ensemble(outcome) ? "rows scored out of fold" : "validation rows",
       std::to_string(outcome.check_rows)},
      {"held-out rows", std::to_string(outcome.test_rows)},
      {is_ensemble(outcome) ? "out-of-fold score" : "validation score",
       short_number(outcome.score)},
      {"network", size_text(result.network)},
      {"end", reason_text(result)},
      {"generations", std::to_string(result.counts.generations)},
      {"gradient steps", std::to_string(result.counts.gradient_steps)},
      {"dropped candidates", std::to_string(result.counts.dropped)},
      {"strategy", options.evolution.strategy},
      {"seed", std::to_string(options.evolution.seed)},
      {"instruction set", simd_target()}};
  if (is_ensemble(outcome)) {
    report.facts.push_back({"ensemble", ensemble_text(outcome)});
    report.facts.push_back({"the best evolved network alone",
                            short_number(outcome.ensemble.single_score)});
  }
  for (const auto& baseline : outcome.baselines) {
    report.facts.push_back({baseline.name, short_number(baseline.score)});
  }
  for (const auto& record : result.history) {
    report.growth.push_back(
        {.generation = record.generation,
         .what = record.mutation,
         .nodes = static_cast<std::int64_t>(record.hidden_nodes),
         .edges =
             static_cast<std::int64_t>(record.edges + record.recurrent_edges),
         .score = plan.shown(record.score)});
  }
  return report_html(report);
}

}  // namespace lamarck::report
