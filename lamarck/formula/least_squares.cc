#include "lamarck/formula/least_squares.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "lamarck/base/ensure.h"

namespace lamarck::formula {
namespace {

constexpr double kMinDamping = 1e-15;
constexpr double kMaxDamping = 1e12;

double finite_or_infinite(double cost) {
  return std::isfinite(cost) ? cost : std::numeric_limits<double>::infinity();
}

// The cost of rounding alone: half a unit in the last place of each target.
double rounding_floor(std::span<const double> target,
                      std::span<const double> roots) {
  double sum = 0;
  for (std::size_t i = 0; i < target.size(); ++i) {
    const double error = 0x1p-54 * target[i] * (roots.empty() ? 1 : roots[i]);
    sum += error * error;
  }
  return sum;
}

std::vector<double> roots_of(std::span<const double> weights) {
  std::vector<double> roots;
  roots.reserve(weights.size());
  for (const double weight : weights) roots.push_back(std::sqrt(weight));
  return roots;
}

}  // namespace

// Nielsen's rule (1999): the closer the gain is to the predicted one, the more
// the damping falls.
void LeastSquares::Damping::fall(double gain_ratio) {
  const double deviation = 2 * std::min(gain_ratio, 1.0) - 1;
  const double factor = 1 - deviation * deviation * deviation;
  value = std::max(value * std::max(0.05, factor), kMinDamping);
  growth = 2;
}

void LeastSquares::Damping::rise() {
  value *= growth;
  growth *= 2;
}

LeastSquares::LeastSquares(ExpressionPlan& plan, const Columns& columns,
                           std::span<const double> target,
                           std::span<const std::uint8_t> linear,
                           std::span<const double> weights)
    : plan_(plan),
      columns_(columns),
      target_(target),
      linear_(linear),
      params_(plan.expression().param_count()),
      roots_(roots_of(weights)),
      total_weight_(weights.empty()
                        ? static_cast<double>(columns.rows)
                        : std::accumulate(weights.begin(), weights.end(), 0.0)),
      floor_(rounding_floor(target, roots_)),
      matrix_((params_ + 1) * columns.rows),
      gram_((params_ + 1) * (params_ + 1)),
      other_gram_(gram_.size()),
      all_(params_, 1) {
  REQUIRE(
      target.size() == columns.rows,
      "LeastSquares: there must be one target for each of the {} rows, got {}.",
      columns.rows, target.size());
  REQUIRE(
      linear.size() == params_,
      "LeastSquares: the mask of linear params must have {} elements, got {}.",
      params_, linear.size());
}

void LeastSquares::weigh(std::span<double> column) const {
  if (roots_.empty()) return;
  for (std::size_t i = 0; i < column.size(); ++i) column[i] *= roots_[i];
}

std::span<double> LeastSquares::residuals() {
  return std::span(matrix_).last(columns_.rows);
}

double LeastSquares::squares_of_residuals() {
  const std::span<double> r = residuals();
  for (std::size_t i = 0; i < r.size(); ++i) r[i] = target_[i] - r[i];
  weigh(r);
  double sum = 0;
  gram_matrix(r.data(), 1, r.size(), {&sum, 1});
  return finite_or_infinite(sum);
}

double LeastSquares::cost(std::span<const double> params) {
  computed_rows_ += columns_.rows;
  plan_.values(columns_, params.first(params_), residuals());
  return squares_of_residuals();
}

double LeastSquares::linearize(std::span<const double> params,
                               std::span<double> gram) {
  computed_rows_ += columns_.rows;
  // The residuals are the last column of the matrix, so that one Gram matrix
  // holds both the normal equations and their right side.
  plan_.values_and_jacobian(columns_, params.first(params_), residuals(),
                            std::span(matrix_).first(params_ * columns_.rows));
  for (std::size_t i = 0; i < params_; ++i) {
    weigh(std::span(matrix_).subspan(i * columns_.rows, columns_.rows));
  }
  const double cost = squares_of_residuals();
  gram_matrix(matrix_.data(), params_ + 1, columns_.rows, gram);
  return cost;
}

double LeastSquares::project(std::vector<double>& params) {
  const double before = linearize(params, other_gram_);
  std::vector<double> step(params_);
  if (!solver_.solve(other_gram_, params_ + 1, params_, linear_, 0, step)) {
    return before;
  }
  std::vector<double> moved = params;
  for (std::size_t i = 0; i < params_; ++i) moved[i] += step[i];
  const double after = cost(moved);
  // Also rejects NaN.
  if (!(after < before)) return before;
  params = std::move(moved);
  return after;
}

bool LeastSquares::has_both_kinds() const {
  const auto linear = std::count(linear_.begin(), linear_.end(), 1);
  return linear > 0 && linear < static_cast<std::ptrdiff_t>(params_);
}

// The decrease of the cost that the linearized expression predicts.
double LeastSquares::predicted_gain(std::span<const double> step,
                                    double damping) const {
  const std::size_t stride = params_ + 1;
  double gain = 0;
  for (std::size_t i = 0; i < params_; ++i) {
    if (step[i] == 0) continue;
    gain += step[i] * (gram_[i * stride + params_] +
                       damping * gram_[i * stride + i] * step[i]);
  }
  return gain;
}

double LeastSquares::descend(std::vector<double>& params,
                             const DescentOptions& options,
                             const CancelToken& cancel) {
  const bool projects = options.projects && has_both_kinds();
  Damping damping;
  std::vector<double> step(params_), trial;
  double best = linearize(params, gram_);
  for (int i = 0; i < options.iterations && best > floor_; ++i) {
    if (!std::isfinite(best) || cancel.is_cancelled()) break;
    if (damping.value > kMaxDamping) break;
    const bool has_step =
        solver_.solve(gram_, params_ + 1, params_, all_, damping.value, step);
    const double predicted = predicted_gain(step, damping.value);
    if (!(predicted > 0) && has_step) break;
    trial = params;
    for (std::size_t k = 0; k < params_; ++k) trial[k] += step[k];
    const double trial_cost = !has_step
                                  ? std::numeric_limits<double>::infinity()
                              : projects ? project(trial)
                                         : cost(trial);
    const double gain = best - trial_cost;
    // A rejected step raises the damping, which shortens the next one.
    if (!(gain > 0)) {
      damping.rise();
      continue;
    }
    damping.fall(gain / predicted);
    params = trial;
    best = linearize(params, gram_);
    if (gain < options.tolerance * (best + gain)) break;
  }
  return best;
}

}  // namespace lamarck::formula
