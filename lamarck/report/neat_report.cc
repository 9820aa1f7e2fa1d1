#include "lamarck/report/neat_report.h"

#include <cmath>
#include <iomanip>
#include <sstream>
#include <nlohmann/json.hpp>

#include "lamarck/report/report_text.h"
#include "lamarck/report/run_moments.h"
#include "lamarck/tensor/simd_target.h"

namespace lamarck::report {
namespace {

Json run_json(const NeatRun& run) {
  const neat::NeatOutcome& outcome = run.outcome;
  return {{"seed", run.seed},
          {"solved", outcome.solved},
          {"evaluations", outcome.evaluations},
          {"generations", outcome.generations},
          {"hidden", outcome.best.hidden_count()},
          {"connections", outcome.best.enabled_count()},
          {"fitness", outcome.best.fitness}};
}

// "1 generation", for a field that is named by the plural.
std::string counted_of(const Json& run, const char* field, const char* one) {
  return counted(run[field].get<std::int64_t>(), one, field);
}

std::string run_text(const Json& run, const std::string& measure) {
  std::ostringstream text;
  text << "Seed " << run["seed"]
       << (run["solved"] ? ": solved" : ": not solved") << " after "
       << counted_of(run, "evaluations", "evaluation") << " in "
       << counted_of(run, "generations", "generation") << "; "
       << counted(run["hidden"].get<std::int64_t>(), "hidden node",
                  "hidden nodes")
       << ", " << counted_of(run, "connections", "connection");
  if (!measure.empty()) {
    text << ", " << measure << " " << run.at(measure).get<double>();
  }
  text << ".\n";
  return text.str();
}

}  // namespace

Json neat_report(const NeatSeries& series) {
  Json runs = Json::array();
  std::int64_t evaluations = 0;
  std::size_t solved = 0;
  for (const NeatRun& run : series.runs) {
    runs.push_back(run_json(run));
    if (!series.measure.empty()) runs.back()[series.measure] = run.measured;
    evaluations += run.outcome.evaluations;
    solved += run.outcome.solved ? 1 : 0;
  }
  const RunMoments spent = run_moments(runs, "evaluations");
  const double seconds = series.cpu_seconds;
  Json report = {
      {"task", series.task},
      {"population", series.population},
      {"seeds", series.runs.size()},
      {"simd", simd_target()},
      {"solved", solved},
      {"evaluations_mean", spent.mean},
      {"evaluations_sd", spent.deviation},
      {"hidden_mean", run_moments(runs, "hidden").mean},
      {"evaluations_per_cpu_s",
       seconds > 0 ? static_cast<double>(evaluations) / seconds : 0.0},
      {"runs", std::move(runs)}};
  if (!series.measure.empty()) report["measure"] = series.measure;
  return report;
}

std::string neat_text(const Json& report) {
  const Json& runs = report["runs"];
  if (runs.size() == 1) {
    return run_text(runs[0], report.value("measure", std::string()));
  }
  std::ostringstream text;
  text << std::fixed << std::setprecision(0) << "Solved with "
       << report["solved"] << " of " << report["seeds"] << " seeds; on average "
       << report["evaluations_mean"].get<double>()
       << " evaluations (standard deviation "
       << report["evaluations_sd"].get<double>() << ") and "
       << std::setprecision(1) << report["hidden_mean"].get<double>()
       << " hidden nodes; " << std::setprecision(0)
       << report["evaluations_per_cpu_s"].get<double>()
       << " evaluations per CPU second.\n";
  return text.str();
}

}  // namespace lamarck::report
