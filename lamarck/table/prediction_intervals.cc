#include "lamarck/table/prediction_intervals.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "lamarck/base/ensure.h"
#include "lamarck/base/error.h"
#include "lamarck/base/json.h"
#include "lamarck/base/macros.h"

namespace lamarck::table {
namespace {

constexpr std::size_t kMaxQuantiles = 200;

}  // namespace

PredictionIntervals::PredictionIntervals(std::vector<double> errors)
    : rows_(errors.size()) {
  REQUIRE(!errors.empty(), "PredictionIntervals: errors must not be empty.");
  std::ranges::sort(errors);
  const std::size_t count = std::min(errors.size(), kMaxQuantiles);
  for (std::size_t i = 0; i < count; ++i) {
    // Rounded up, so that a bound is rather too wide than too narrow.
    const std::size_t rank = ((i + 1) * errors.size() + count - 1) / count - 1;
    quantiles_.push_back(errors[rank]);
  }
}

double PredictionIntervals::bound(double level) const {
  REQUIRE(level > 0 && level < 1,
          "PredictionIntervals: level must be above 0 and below 1, got {}.",
          level);
  // The rank that covers a new row with probability `level` (Vovk et al.).
  const double share = level * (1 + 1 / static_cast<double>(rows_));
  const auto rank = static_cast<std::size_t>(
      std::ceil(share * static_cast<double>(quantiles_.size())));
  return quantiles_[std::clamp<std::size_t>(rank, 1, quantiles_.size()) - 1];
}

std::string PredictionIntervals::to_text() const {
  return dump_json({{"rows", rows_}, {"errors", quantiles_}});
}

Result<PredictionIntervals> PredictionIntervals::parse(std::string_view text) {
  ASSIGN_OR_RETURN(const Json json, parse_json(text));
  try {
    PredictionIntervals intervals;
    intervals.rows_ = json.at("rows");
    intervals.quantiles_ = json.at("errors").get<std::vector<double>>();
    if (intervals.rows_ > 0 && !intervals.quantiles_.empty() &&
        std::ranges::is_sorted(intervals.quantiles_)) {
      return intervals;
    }
  } catch (const Json::exception&) {
  }
  return Error(ErrorCode::DataDamaged,
               "The note 'intervals' of the model file must contain 'rows' and "
               "ascending 'errors'; evolve the model again.");
}

std::vector<double> prediction_errors(const Tensor& outputs,
                                      const Tensor& targets, bool has_classes,
                                      double scale) {
  std::vector<double> errors;
  for (std::int64_t row = 0; row < outputs.size(0); ++row) {
    if (!has_classes) {
      errors.push_back(scale * std::abs(double{outputs.at({row, 0})} -
                                        double{targets.at({row, 0})}));
      continue;
    }
    double probability = 0;  // Of the actual class.
    for (std::int64_t i = 0; i < outputs.size(1); ++i) {
      const double output = double{outputs.at({row, i})};
      const bool is_actual = targets.at({row, i}) > 0.5f;
      if (is_actual) probability = output;
      if (!is_actual && outputs.size(1) == 1) probability = 1 - output;
    }
    errors.push_back(1 - probability);
  }
  std::erase_if(errors, [](double error) { return !std::isfinite(error); });
  return errors;
}

}  // namespace lamarck::table
