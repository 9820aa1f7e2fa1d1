// What is decided about a table before the first generation.

#include <nlohmann/json.hpp>

#include "lamarck/base/error.h"
#include "lamarck/base/json.h"
#include "lamarck/base/macros.h"
#include "lamarck/table/internal/table_preparation.h"
#include "lamarck/table/table_evolution.h"

namespace lamarck::table {

using data::Table;

namespace {

Result<void> check_target(const Table& table,
                          const TableEvolutionOptions& options) {
  if (table.row_count() == 0) return data::no_rows_error();
  RETURN_IF_ERROR(table.find(options.target));
  return {};
}

}  // namespace

// The target is divided by its standard deviation, so errors scale with it and
// squared errors with its square; r2 and class metrics have no unit.
double TablePlan::in_units(double value) const {
  for (int i = 0; i < metric.unit_power; ++i) {
    value *= encoding.target().deviation;
  }
  return value;
}

double TablePlan::from_units(double value) const { return value / in_units(1); }

double TablePlan::shown(double score) const {
  // Adding 0 turns -0 into 0.
  return in_units(metric.higher_is_better ? score : -score) + 0.0;
}

Result<TableTask> table_task_named(std::string_view name) {
  if (name == "auto") return TableTask::Auto;
  if (name == "classify") return TableTask::Classify;
  if (name == "regress") return TableTask::Regress;
  return invalid_argument("Unknown task '" + std::string(name) +
                          "'; use auto, classify or regress.");
}

std::map<std::string, std::string> TableEvolutionOutcome::notes() const {
  std::map<std::string, std::string> notes;
  notes["encoding"] = dump_json(encoding.to_json());
  notes["metric"] = std::string(metric.name);
  if (intervals) notes["intervals"] = intervals->to_text();
  if (series_note) notes["series"] = series_note->to_text();
  return notes;
}

Result<TablePlan> plan_table(const Table& table, const Table* test,
                             const TableEvolutionOptions& options) {
  RETURN_IF_ERROR(check_target(table, options));
  PreparedTable prepared;
  if (options.is_series) {
    ASSIGN_OR_RETURN(prepared.series, prepare_series(table, test, options));
  } else {
    ASSIGN_OR_RETURN(prepared.rows, prepare_rows(table, test, options));
  }
  TablePlan plan =
      prepared.series ? prepared.series->plan : prepared.rows->plan;
  plan.prepared = std::make_shared<const PreparedTable>(std::move(prepared));
  return plan;
}

}  // namespace lamarck::table
