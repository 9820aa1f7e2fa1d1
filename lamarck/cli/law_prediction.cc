#include "lamarck/cli/law_prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "lamarck/base/file.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/evolve/fn_files.h"
#include "lamarck/cli/evolve/fn_targets.h"
#include "lamarck/cli/opened_law_run.h"
#include "lamarck/formula/expression_plan.h"
#include "lamarck/report/report_text.h"

namespace lamarck::cli {
namespace {

using data::Column;
using data::Table;

bool uses_input(const formula::Expression& body, std::size_t input) {
  return std::ranges::any_of(body.nodes(), [&](const formula::Node& node) {
    return node.op == formula::Op::Input && node.index == input;
  });
}

Result<const Column*> numeric_column(const Table& table,
                                     const std::string& name) {
  ASSIGN_OR_RETURN(const std::size_t place, table.find(name));
  const Column& column = table.columns()[place];
  if (column.kind == data::ColumnKind::Number) return &column;
  return Error(ErrorCode::InvalidArgument,
               "The column " + in_quotes(name) +
                   " contains text, but the law needs numbers; correct it.");
}

// The inputs of the law; those that it does not use are 0.
Result<gp::RegressionProblem> read_inputs(const LawModel& model,
                                          const Table& table) {
  gp::RegressionProblem rows;
  rows.input_names = model.columns;
  for (std::size_t i = 0; i < model.columns.size(); ++i) {
    if (!uses_input(model.law.formula.body, i)) {
      rows.inputs.emplace_back(table.row_count());
      continue;
    }
    ASSIGN_OR_RETURN(const Column* column,
                     numeric_column(table, model.columns[i]));
    rows.inputs.push_back(column->numbers);
  }
  return rows;
}

std::vector<double> evaluate(const LawModel& model,
                             const gp::RegressionProblem& rows,
                             std::size_t count) {
  std::vector<double> values(count);
  formula::ExpressionPlan plan(model.law.formula.body);
  const std::vector<const double*> pointers = rows.input_pointers();
  plan.values({.inputs = pointers, .rows = count}, model.law.params, values);
  return values;
}

// "prediction" and the probability of each class.
std::vector<Column> class_columns(const StoredClasses& stored,
                                  const std::vector<double>& values) {
  const FnClasses& classes = stored.classes;
  Column prediction{.name = "prediction",
                    .kind = data::ColumnKind::Category,
                    .values = {classes.negative, classes.positive}};
  Column negative{.name = "probability_" + classes.negative};
  Column positive{.name = "probability_" + classes.positive};
  for (const double value : values) {
    const bool is_known = std::isfinite(value);
    const double share = positive_probability(value, stored.steepness);
    prediction.codes.push_back(!is_known            ? Column::kMissing
                               : is_positive(value) ? 1
                                                    : 0);
    positive.numbers.push_back(is_known ? share : value);
    negative.numbers.push_back(is_known ? 1 - share : value);
  }
  return {std::move(prediction), std::move(negative), std::move(positive)};
}

// The accuracy on the rows that have one of the classes and a finite value.
void add_class_score(const LawModel& model, const Table& table,
                     const std::vector<double>& values,
                     TablePrediction& prediction) {
  prediction.metric = "accuracy";
  if (!table.find(model.target)) return;
  const auto signs = with_signs(table, model.target, model.classes->classes);
  if (!signs) {
    prediction.remarks.push_back(signs.error().message());
    return;
  }
  const Column& target = signs->columns()[*table.find(model.target)];
  const SignJudgement judged = judge_signs(values, target.numbers);
  prediction.scored_rows = judged.rows();
  if (judged.rows() > 0) prediction.score = judged.accuracy();
}

// Scores the rows that have a target and a finite prediction.
void add_score(const LawModel& model, const Table& table,
               const gp::RegressionProblem& rows,
               const std::vector<double>& values, TablePrediction& prediction) {
  const auto place = table.find(model.target);
  if (!place) return;
  const Column& target = table.columns()[*place];
  if (target.kind != data::ColumnKind::Number) return;
  gp::RegressionProblem known;
  known.inputs.resize(rows.inputs.size());
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (!std::isfinite(target.numbers[row]) || !std::isfinite(values[row])) {
      continue;
    }
    known.target.push_back(target.numbers[row]);
    for (std::size_t i = 0; i < rows.inputs.size(); ++i) {
      known.inputs[i].push_back(rows.inputs[i][row]);
    }
  }
  if (known.target.empty()) return;
  const double nmse =
      law::law_nmse(model.law.formula.body, model.law.params, known);
  prediction.scored_rows = known.target.size();
  // A constant target has no variance to compare the error with.
  if (std::isfinite(nmse)) prediction.score = nmse;
}

}  // namespace

Result<LawModel> open_law_model(const std::filesystem::path& folder) {
  ASSIGN_OR_RETURN(const SearchRun run, read_search_run(folder));
  if (run.kind != kFnKind) {
    return Error(ErrorCode::Unsupported,
                 one_line(folder.string(), 300) +
                     " contains a run of `lamarck evolve program`, which does "
                     "not predict tables; `lamarck show` prints its program.");
  }
  ASSIGN_OR_RETURN(const OpenedLawRun opened, open_law_run(folder));
  LawModel model{.law = opened.outcome.best(),
                 .columns = opened.problem.columns,
                 .target = opened.problem.target};
  if (std::filesystem::exists(folder / kClassesFile)) {
    ASSIGN_OR_RETURN(const std::string text, read_file(folder / kClassesFile));
    ASSIGN_OR_RETURN(model.classes, parse_classes(text));
  }
  return model;
}

Result<TablePrediction> predict_by_law(const LawModel& model,
                                       const Table& table) {
  if (table.row_count() == 0) return data::no_rows_error();
  ASSIGN_OR_RETURN(const gp::RegressionProblem rows, read_inputs(model, table));
  std::vector<double> values = evaluate(model, rows, table.row_count());
  TablePrediction prediction{.table = Table({}),
                             .metric = "nmse",
                             .score = std::nullopt,
                             .remarks = {}};
  if (model.classes) {
    add_class_score(model, table, values, prediction);
  } else {
    add_score(model, table, rows, values, prediction);
  }
  std::size_t missing = 0;
  for (double& value : values) {
    if (std::isfinite(value)) continue;
    value = std::numeric_limits<double>::quiet_NaN();
    ++missing;
  }
  if (missing > 0) {
    prediction.remarks.push_back(fmt::format(
        "The law has no finite value in {}; their predictions are empty.",
        report::counted(missing, "row", "rows")));
  }
  if (model.classes) {
    prediction.table = Table(class_columns(*model.classes, values));
    return prediction;
  }
  Column column{.name = "prediction", .numbers = std::move(values)};
  prediction.table = Table({std::move(column)});
  return prediction;
}

Result<TablePrediction> predict_by_laws(const std::filesystem::path& folder,
                                        const Table& table) {
  ASSIGN_OR_RETURN(const std::vector<FnTarget> targets, read_targets(folder));
  std::vector<Column> columns;
  TablePrediction all{.table = Table({}),
                      .metric = "nmse",
                      .score = std::nullopt,
                      .remarks = {}};
  for (const FnTarget& target : targets) {
    ASSIGN_OR_RETURN(const LawModel model, open_law_model(target.folder));
    ASSIGN_OR_RETURN(const TablePrediction one, predict_by_law(model, table));
    for (Column column : one.table.columns()) {
      column.name += "_" + target.name;
      columns.push_back(std::move(column));
    }
    for (const std::string& remark : one.remarks) {
      all.remarks.push_back(target.name + ": " + remark);
    }
  }
  all.table = Table(std::move(columns));
  return all;
}

}  // namespace lamarck::cli
