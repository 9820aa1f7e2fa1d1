#include "lamarck/cli/evolve/fn_classes.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "lamarck/base/error.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/report/report_text.h"

namespace lamarck::cli {
namespace {

using data::Column;
using data::ColumnKind;
using data::Table;

constexpr double kMaxLogSteepness = 7;
constexpr int kSearchSteps = 80;

// log(1 + exp(-x)) without overflow.
double logistic_loss(double x) {
  return x > 0 ? std::log1p(std::exp(-x)) : -x + std::log1p(std::exp(x));
}

// The loss of all rows, each of which is of its own class with almost
// certainty (Platt's targets).
double loss(const std::vector<double>& values,
            const std::vector<double>& target, double steepness) {
  double counts[2] = {0, 0};
  for (const double y : target) counts[y > 0 ? 1 : 0] += 1;
  double sum = 0;
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (!std::isfinite(values[row])) continue;
    const double count = counts[target[row] > 0 ? 1 : 0];
    const double own = (count + 1) / (count + 2);
    const double x = steepness * values[row] * (target[row] > 0 ? 1 : -1);
    sum += own * logistic_loss(x) + (1 - own) * logistic_loss(-x);
  }
  return sum;
}

// The loss has one minimum, so a search by thirds finds it.
double best_steepness(const std::vector<double>& values,
                      const std::vector<double>& target) {
  double low = -kMaxLogSteepness;
  double high = kMaxLogSteepness;
  for (int step = 0; step < kSearchSteps; ++step) {
    const double a = low + (high - low) / 3;
    const double b = high - (high - low) / 3;
    const bool is_left =
        loss(values, target, std::exp(a)) < loss(values, target, std::exp(b));
    (is_left ? high : low) = is_left ? b : a;
  }
  return std::exp((low + high) / 2);
}

}  // namespace

std::optional<FnClasses> two_classes(const Column& column) {
  if (column.kind == ColumnKind::Number || column.values.size() != 2) {
    return std::nullopt;
  }
  return FnClasses{.negative = column.values[0], .positive = column.values[1]};
}

Result<Table> with_signs(const Table& table, const std::string& target,
                         const FnClasses& classes) {
  ASSIGN_OR_RETURN(const std::size_t place, table.find(target));
  std::vector<Column> columns = table.columns();
  const Column& from = columns[place];
  const auto unknown = [&](const std::string& what) {
    return invalid_argument(
        fmt::format("The column {} must contain the classes {} and {}, got {}.",
                    in_quotes(target), in_quotes(classes.negative),
                    in_quotes(classes.positive), what));
  };
  if (from.kind == ColumnKind::Number) return unknown("numbers");
  Column signs{.name = target};
  for (const std::int32_t code : from.codes) {
    if (code == Column::kMissing) {
      signs.numbers.push_back(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    const std::string& word = from.values[static_cast<std::size_t>(code)];
    if (word != classes.negative && word != classes.positive) {
      return unknown(in_quotes(word));
    }
    signs.numbers.push_back(word == classes.positive ? 1 : -1);
  }
  columns[place] = std::move(signs);
  return Table(std::move(columns));
}

std::size_t SignJudgement::rows() const {
  return confusion[0][0] + confusion[0][1] + confusion[1][0] + confusion[1][1];
}

double SignJudgement::accuracy() const {
  const auto right = static_cast<double>(confusion[0][0] + confusion[1][1]);
  return rows() == 0 ? 0 : right / static_cast<double>(rows());
}

SignJudgement judge_signs(const std::vector<double>& values,
                          const std::vector<double>& target) {
  SignJudgement judged;
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (!std::isfinite(values[row]) || !std::isfinite(target[row])) continue;
    ++judged
          .confusion[target[row] > 0 ? 1 : 0][is_positive(values[row]) ? 1 : 0];
  }
  judged.steepness = best_steepness(values, target);
  return judged;
}

double positive_probability(double value, double steepness) {
  return 1 / (1 + std::exp(-steepness * value));
}

std::string classes_text(const FnClasses& classes,
                         const SignJudgement& judged) {
  const auto& confusion = judged.confusion;
  return fmt::format(
      "The sign decides: positive is {}, negative is {}; accuracy {:.4g} on {} "
      "({} of {} {}, {} of {} {}).\n"
      "The probability of {} is 1/(1 + exp(-{:.4g}*value)).\n",
      in_quotes(classes.positive), in_quotes(classes.negative),
      judged.accuracy(), report::counted(judged.rows(), "row", "rows"),
      confusion[0][0], confusion[0][0] + confusion[0][1],
      in_quotes(classes.negative), confusion[1][1],
      confusion[1][0] + confusion[1][1], in_quotes(classes.positive),
      in_quotes(classes.positive), judged.steepness);
}

Json classes_json(const FnClasses& classes, const SignJudgement& judged) {
  return {{"negative", classes.negative},
          {"positive", classes.positive},
          {"accuracy", judged.accuracy()},
          {"confusion", judged.confusion},
          {"steepness", judged.steepness}};
}

Result<StoredClasses> parse_classes(const std::string& json) {
  ASSIGN_OR_RETURN(const Json stored, parse_json(json));
  StoredClasses result;
  ASSIGN_OR_RETURN(result.classes.negative,
                   json_field<std::string>(stored, "negative"));
  ASSIGN_OR_RETURN(result.classes.positive,
                   json_field<std::string>(stored, "positive"));
  ASSIGN_OR_RETURN(result.steepness, json_field<double>(stored, "steepness"));
  return result;
}

}  // namespace lamarck::cli
