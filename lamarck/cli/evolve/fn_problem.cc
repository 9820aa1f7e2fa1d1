#include "lamarck/cli/evolve/fn_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "lamarck/base/error.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/base/suggestion.h"
#include "lamarck/cli/evolve/column_identifier.h"
#include "lamarck/cli/evolve/fn_units.h"
#include "lamarck/data/csv.h"
#include "lamarck/gp/problem_reduction.h"

namespace lamarck::cli {
namespace {

using formula::Formula;
using formula::Op;
using gp::RegressionProblem;

// Splits a list at its commas.
std::vector<std::string> split_names(const std::optional<std::string>& list) {
  std::vector<std::string> names;
  if (!list) return names;
  for (const auto& name : split_text(*list, ',')) names.emplace_back(name);
  return names;
}

Result<void> check_names(const data::Table& table, const std::string& target,
                         const std::vector<std::string>& inputs) {
  RETURN_IF_ERROR(table.find(target));
  std::set<std::string_view> seen;
  for (const std::string& input : inputs) {
    RETURN_IF_ERROR(table.find(input));
    if (!seen.insert(input).second) {
      return invalid_argument(
          fmt::format("--inputs contains {} more than once; name each column "
                      "once.",
                      in_quotes(input)));
    }
  }
  return {};
}

// A formula computes numbers, of which the sign can decide between two classes;
// another command predicts more of them. Sets the classes, or checks that the
// column has the given ones.
Result<data::Table> with_numeric_target(const data::Table& table,
                                        const std::string& target,
                                        std::optional<FnClasses>& classes) {
  const data::Column& column = table.columns()[table.find(target).value()];
  if (classes) return with_signs(table, target, *classes);
  if (column.kind == data::ColumnKind::Number) return table;
  classes = two_classes(column);
  if (classes) return with_signs(table, target, *classes);
  return invalid_argument(fmt::format(
      "The column {} contains text, but a formula needs numbers or two "
      "classes; choose a numeric target, or predict classes with `lamarck "
      "evolve net`.",
      in_quotes(target)));
}

// Names the columns of text, which cannot be inputs; only counts them if there
// are many.
void add_text_remarks(const data::Table& table, const std::string& target,
                      std::vector<std::string>& remarks) {
  constexpr std::size_t kMaxNamed = 20;
  std::vector<std::string> names;
  for (const data::Column& column : table.columns()) {
    if (column.name != target && column.kind != data::ColumnKind::Number) {
      names.push_back(in_quotes(column.name));
    }
  }
  for (std::size_t i = 0; i < std::min(names.size(), kMaxNamed); ++i) {
    remarks.push_back(
        fmt::format("Column {} is not used: it contains text.", names[i]));
  }
  if (names.size() > kMaxNamed) {
    remarks.push_back(fmt::format("{} more columns of text are not used.",
                                  names.size() - kMaxNamed));
  }
}

Result<RegressionProblem> make_problem(const data::Table& table,
                                       const std::string& target,
                                       const std::vector<std::string>& inputs,
                                       std::optional<FnClasses>& classes,
                                       std::vector<std::string>* remarks) {
  RETURN_IF_ERROR(check_names(table, target, inputs));
  ASSIGN_OR_RETURN(const data::Table numeric,
                   with_numeric_target(table, target, classes));
  if (inputs.empty() && remarks != nullptr) {
    add_text_remarks(table, target, *remarks);
  }
  return gp::regression_problem(numeric, target, inputs);
}

// Sets the dimensions of the columns, which still have their names in the file.
Result<void> set_units(const SearchRun& run, const data::Table& table,
                       RegressionProblem& problem) {
  if (!run.flags.units) return {};
  std::vector<std::string> others;
  for (const data::Column& column : table.columns()) {
    const auto& inputs = problem.input_names;
    if (column.name != problem.target_name &&
        std::ranges::find(inputs, column.name) == inputs.end()) {
      others.push_back(column.name);
    }
  }
  ASSIGN_OR_RETURN(problem.dimensions,
                   read_units(*run.flags.units, problem.input_names,
                              problem.target_name, others));
  return {};
}

Result<void> check_changes(const RegressionProblem& problem) {
  const auto [min, max] = std::ranges::minmax(problem.target);
  if (min != max) return {};
  return invalid_argument(
      fmt::format("The column {} is {} in every row, so there is no law to "
                  "find; choose another target.",
                  in_quotes(problem.target_name), min));
}

Result<void> check_weights(std::span<const double> weights) {
  for (const double weight : weights) {
    if (weight >= 0 && std::isfinite(weight)) continue;
    return invalid_argument(fmt::format(
        "The weight of a row must be a finite number of at least 0, got {}.",
        weight));
  }
  if (std::ranges::count_if(weights, [](double w) { return w > 0; }) > 1) {
    return {};
  }
  return invalid_argument(
      "The weights of at least 2 rows must be above 0; a law needs them.");
}

// Unlike the data, a test file may have a constant target.
Result<FnTest> read_test(const std::string& path,
                         const data::CsvOptions& options,
                         const FnProblem& problem) {
  ASSIGN_OR_RETURN(const data::Table table, data::read_csv(path, options));
  std::optional<FnClasses> classes = problem.classes;
  ASSIGN_OR_RETURN(
      RegressionProblem rows,
      make_problem(table, problem.target, problem.columns, classes, nullptr)
          .transform_error([&](const Error& error) {
            return error.within(data::csv_name(path));
          }));
  FnTest test{.file = path, .problem = std::move(rows)};
  test.problem.input_names = problem.known.input_names;
  return test;
}

std::string unusable(Op op, std::string_view name) {
  if (formula::operation(op).arity == 0) {
    return fmt::format(
        "'{}' is part of every formula; leave it out of --functions.", name);
  }
  return fmt::format(
      "The engine gp does not support '{}'; use pow and functions of one "
      "argument such as sin or exp (+, -, * and / are always available).",
      name);
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const auto& each : formula::operations()) {
    if (each.arity > 0) names.emplace_back(each.name);
  }
  return names;
}

Result<Op> function_named(const std::string& name) {
  if (const auto op = formula::find_op(name)) return *op;
  const auto nearest = nearest_word(name, function_names());
  return invalid_argument(
      fmt::format("--functions: unknown function {}{}", in_quotes(name),
                  nearest ? fmt::format("; did you mean '{}'?", *nearest)
                          : "; `lamarck evolve fn --help` shows examples."));
}

bool is_always_available(Op op) {
  return op == Op::Add || op == Op::Sub || op == Op::Mul || op == Op::Div ||
         op == Op::Neg;
}

Result<void> add_function(Op op, gp::GpOptions& options) {
  const auto& operation = formula::operation(op);
  if (is_always_available(op)) return {};
  if (op == Op::Pow) {
    options.has_powers = true;
  } else if (operation.arity == 1 && op != Op::Not) {
    options.functions.push_back(op);
  } else {
    return invalid_argument(unusable(op, operation.name));
  }
  return {};
}

// Parses --seed-equation. A function definition is Python; anything else is an
// infix formula, which may use all inputs.
Result<Formula> parse_seed(const std::string& text,
                           const std::vector<std::string>& inputs) {
  const bool is_python = text.find("def ") != std::string::npos;
  auto formula = is_python ? formula::parse_python(text)
                           : formula::parse_infix(text, inputs);
  if (!formula) return formula.error().within("--seed-equation");
  return formula;
}

// Rewrites the formula as a function of all inputs of the problem, in their
// order.
Result<Formula> with_inputs(Formula formula,
                            const std::vector<std::string>& inputs) {
  if (formula.inputs == inputs) return formula;
  formula::ExpressionBuilder builder;
  std::vector<formula::NodeIndex> nodes;
  for (const std::string& name : formula.inputs) {
    const auto at = std::ranges::find(inputs, name);
    if (at == inputs.end()) {
      return invalid_argument(fmt::format(
          "--seed-equation uses {}, which is not an input; the inputs are {}.",
          in_quotes(name), one_line(join_text(inputs, ", "), 300)));
    }
    nodes.push_back(
        builder.input(static_cast<std::uint32_t>(at - inputs.begin())));
  }
  formula.body = builder.finish(builder.append(formula.body, nodes, {}));
  formula.inputs = inputs;
  return formula;
}

// The places of the inputs that --seed-equation uses; screening keeps them.
Result<std::vector<std::size_t>> seed_inputs(const SearchRun& run,
                                             const RegressionProblem& problem) {
  std::vector<std::size_t> places;
  if (run.seed_equation.empty()) return places;
  ASSIGN_OR_RETURN(const Formula seed,
                   parse_seed(run.seed_equation, problem.input_names));
  // An infix formula has all inputs, but a Python function names its own.
  std::set<std::string_view> names;
  if (seed.inputs != problem.input_names) {
    names.insert(seed.inputs.begin(), seed.inputs.end());
  } else {
    for (const formula::Node& node : seed.body.nodes()) {
      if (node.op == Op::Input) names.insert(seed.inputs[node.index]);
    }
  }
  for (std::size_t i = 0; i < problem.input_names.size(); ++i) {
    if (names.contains(problem.input_names[i])) places.push_back(i);
  }
  return places;
}

// Replaces a large problem with one that a search can use, and says so.
Result<void> reduce(const SearchRun& run, FnProblem& problem) {
  if (problem.known.rows() > gp::kMaxLawRows) {
    problem.remarks.push_back(fmt::format(
        "The search uses {} of the {} rows, drawn at random; give a smaller "
        "file to choose them yourself.",
        gp::kMaxLawRows, problem.known.rows()));
    problem.known =
        gp::pick_rows(problem.known, gp::choose_rows(problem.known));
  }
  const std::size_t count = problem.columns.size();
  if (count <= gp::kMaxLawInputs) return {};
  ASSIGN_OR_RETURN(const auto required, seed_inputs(run, problem.known));
  const auto kept = gp::choose_inputs(problem.known, required);
  problem.known = gp::pick_inputs(problem.known, kept);
  std::vector<std::string> columns;
  for (const std::size_t place : kept) {
    columns.push_back(problem.columns[place]);
  }
  problem.columns = std::move(columns);
  problem.remarks.push_back(fmt::format(
      "The search uses the {} of {} inputs that tell most about {}, by "
      "correlation and mutual information; use --inputs to choose them "
      "yourself.",
      kept.size(), count, in_quotes(problem.target)));
  return {};
}

}  // namespace

std::vector<std::string> FnProblem::renamed() const {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] == known.input_names[i]) continue;
    result.push_back(
        fmt::format("{} is {}", known.input_names[i], in_quotes(columns[i])));
  }
  return result;
}

Result<FnProblem> make_fn_problem(const SearchRun& run,
                                  const data::Table& table,
                                  std::span<const double> weights) {
  FnProblem problem{.target = run.flags.target.value_or("")};
  ASSIGN_OR_RETURN(
      problem.known,
      make_problem(table, problem.target, split_names(run.flags.inputs),
                   problem.classes, &problem.remarks));
  RETURN_IF_ERROR(set_units(run, table, problem.known));
  if (!weights.empty()) {
    RETURN_IF_ERROR(check_weights(weights));
    problem.known = gp::with_weights(problem.known, weights);
  }
  RETURN_IF_ERROR(check_changes(problem.known));
  // From here on, formulas use identifiers; `columns` keeps the original names.
  problem.columns = problem.known.input_names;
  problem.known.input_names = column_identifiers(problem.columns);
  RETURN_IF_ERROR(reduce(run, problem));
  return problem;
}

Result<FnProblem> read_fn_problem(const SearchRun& run,
                                  const CancelToken& cancel,
                                  data::CsvWatch watch) {
  const data::CsvOptions options{.encoding = run.flags.encoding.value_or(""),
                                 .cancel = cancel,
                                 .watch = std::move(watch)};
  ASSIGN_OR_RETURN(const data::Table table, data::read_csv(run.data, options));
  ASSIGN_OR_RETURN(
      FnProblem problem,
      make_fn_problem(run, table).transform_error([&](const Error& error) {
        return error.within(data::csv_name(run.data));
      }));
  for (const std::string& path : run.flags.tests) {
    ASSIGN_OR_RETURN(FnTest test, read_test(path, options, problem));
    problem.tests.push_back(std::move(test));
  }
  return problem;
}

Result<gp::GpOptions> make_gp_options(const SearchRun& run) {
  gp::GpOptions options;
  if (run.max_size) options.max_nodes = *run.max_size;
  if (!run.flags.functions) return options;
  if (run.engine == law::LawEngine::Llm) {
    return invalid_argument(
        "--functions applies to the engines gp and mix; for llm, describe the "
        "allowed functions in --problem.");
  }
  // --functions replaces the default functions.
  options.functions.clear();
  options.has_powers = false;
  for (const std::string& name : split_names(run.flags.functions)) {
    ASSIGN_OR_RETURN(const Op op, function_named(name));
    RETURN_IF_ERROR(add_function(op, options));
  }
  return options;
}

Result<std::vector<Formula>> seed_formulas(const SearchRun& run,
                                           const RegressionProblem& problem) {
  if (run.seed_equation.empty()) return std::vector<Formula>();
  ASSIGN_OR_RETURN(Formula formula,
                   parse_seed(run.seed_equation, problem.input_names));
  ASSIGN_OR_RETURN(Formula whole,
                   with_inputs(std::move(formula), problem.input_names));
  return std::vector<Formula>{std::move(whole)};
}

}  // namespace lamarck::cli
