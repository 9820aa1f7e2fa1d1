#include "lamarck/cli/evolve/search_record.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"

namespace lamarck::cli {
namespace {

Json search_limits(const BudgetLimits& budget) {
  Json limits = Json::array();
  const auto add = [&](double limit, const char* unit) {
    limits.push_back({{"limit", limit}, {"unit", unit}});
  };
  if (budget.wall_time) {
    add(std::chrono::duration<double>(*budget.wall_time).count(), "seconds");
  }
  if (budget.evaluations) {
    add(static_cast<double>(*budget.evaluations), "evaluations");
  }
  return limits;
}

}  // namespace

runs::RunStart search_run_start(const SearchRun& run) {
  const auto options = parse_json(search_file_text(run));
  return {.id = "",
          .kind = run.kind,
          .goal = "",
          .options = options ? *options : Json::object(),
          .seed = run.evolver.seed,
          .limits = search_limits(run.evolver.budget),
          .folder = std::filesystem::absolute(run.out).string()};
}

}  // namespace lamarck::cli
