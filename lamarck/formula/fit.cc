#include "lamarck/formula/fit.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include "lamarck/base/ensure.h"
#include "lamarck/formula/exactness.h"
#include "lamarck/formula/fit_starts.h"
#include "lamarck/formula/least_squares.h"
#include "lamarck/formula/linear_params.h"

namespace lamarck::formula {
namespace {

// Each start is the best of this many draws, judged by at most this many rows.
constexpr std::size_t kDrawsPerStart = 24;
constexpr std::size_t kMaxDrawRows = 96;
// The number of starts that are refined on all rows.
constexpr std::size_t kFinalists = 2;

// The denominator of the NMSE; see Fit::nmse.
double scale_of(std::span<const double> target,
                std::span<const double> weights) {
  double count = static_cast<double>(target.size());
  if (!weights.empty()) {
    count = std::accumulate(weights.begin(), weights.end(), 0.0);
  }
  const auto share = [&](std::size_t i) {
    return weights.empty() ? 1 : weights[i];
  };
  double mean = 0;
  for (std::size_t i = 0; i < target.size(); ++i) {
    mean += share(i) * target[i] / count;
  }
  double variance = 0;
  for (std::size_t i = 0; i < target.size(); ++i) {
    const double off = target[i] - mean;
    variance += share(i) * off * off / count;
  }
  // Below this, the variance of a constant target is only rounding.
  if (variance > 1e-30 * mean * mean) return variance;
  return mean != 0 ? mean * mean : 1;
}

// Evenly spaced rows of the data, or all rows if there are not more. Not
// copyable, because its spans point into its own vectors.
class RowSample {
 public:
  RowSample(const Columns& columns, std::span<const double> target,
            std::span<const double> weights, std::size_t rows)
      : columns_(columns), target_(target), weights_(weights) {
    if (rows >= columns.rows) return;
    for (const double* column : columns.inputs) {
      owned_.push_back(spread({column, columns.rows}, rows));
    }
    for (const auto& column : owned_) pointers_.push_back(column.data());
    owned_.push_back(spread(target, rows));
    columns_ = {pointers_, rows};
    target_ = owned_.back();
    if (weights.empty()) return;
    owned_.push_back(spread(weights, rows));
    weights_ = owned_.back();
  }
  RowSample(const RowSample&) = delete;
  RowSample& operator=(const RowSample&) = delete;

  const Columns& columns() const { return columns_; }
  std::span<const double> target() const { return target_; }
  std::span<const double> weights() const { return weights_; }

 private:
  static std::vector<double> spread(std::span<const double> column,
                                    std::size_t rows) {
    std::vector<double> result(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      result[i] = column[i * column.size() / rows];
    }
    return result;
  }

  Columns columns_;
  std::span<const double> target_;
  std::span<const double> weights_;
  std::vector<std::vector<double>> owned_;
  std::vector<const double*> pointers_;
};

struct Candidate {
  std::vector<double> params;
  double nmse = std::numeric_limits<double>::infinity();
};

class Fitter {
 public:
  Fitter(ExpressionPlan& plan, const Columns& columns,
         std::span<const double> target, const FitOptions& options,
         const CancelToken& cancel)
      : options_(options),
        cancel_(cancel),
        linear_(linear_params(plan.expression())),
        few_(columns, target, options.weights,
             std::min(first_rows(columns), kMaxDrawRows)),
        some_(columns, target, options.weights, first_rows(columns)),
        on_few_(plan, few_.columns(), few_.target(), linear_, few_.weights()),
        on_some_(plan, some_.columns(), some_.target(), linear_,
                 some_.weights()),
        on_all_(plan, columns, target, linear_, options.weights),
        drawer_(plan.expression(), columns),
        scale_(scale_of(target, options.weights)) {}

  Fit best_fit(std::span<const double> first, Rng& rng) {
    std::vector<double> given =
        first.empty() && !is_convex() ? drawn_start(rng) : drawer_.draw(rng);
    std::copy_n(first.begin(), std::min(first.size(), given.size()),
                given.begin());
    Candidate best{given, nmse_of(on_all_.cost(given), on_all_)};
    compete(given, rng);
    polish(best);
    return {std::move(best.params), best.nmse, evaluations()};
  }

 private:
  std::size_t first_rows(const Columns& columns) const {
    return options_.first_rows == 0 ? columns.rows : options_.first_rows;
  }
  // Linear in all params: one start finds the global minimum.
  bool is_convex() const {
    return std::count(linear_.begin(), linear_.end(), 0) == 0;
  }
  bool is_enough(double nmse) const {
    return nmse <= std::max(options_.good_enough, kExactBeyondNmse);
  }
  double nmse_of(double cost, const LeastSquares& problem) const {
    return cost / problem.total_weight() / scale_;
  }

  // Runs all starts on a sample of the rows and sorts them into `candidates_`,
  // best first.
  void compete(const std::vector<double>& given, Rng& rng) {
    const std::size_t starts = is_convex() ? 1 : options_.starts;
    for (std::size_t i = 0; i < starts && !cancel_.is_cancelled(); ++i) {
      Candidate start{i == 0 ? given : drawn_start(rng)};
      on_some_.project(start.params);
      const double cost = on_some_.descend(
          start.params,
          {options_.iterations, options_.tolerance, /*projects=*/true},
          cancel_);
      start.nmse = nmse_of(cost, on_some_);
      candidates_.push_back(std::move(start));
      if (is_enough(candidates_.back().nmse)) break;
    }
    std::ranges::stable_sort(candidates_, {}, &Candidate::nmse);
  }

  // Draws several starts and returns the one with the lowest cost after solving
  // for the linear params.
  std::vector<double> drawn_start(Rng& rng) {
    Candidate best{drawer_.draw(rng)};
    for (std::size_t i = 0; i < kDrawsPerStart; ++i) {
      Candidate draw{drawer_.draw(rng)};
      draw.nmse = on_few_.project(draw.params);
      if (draw.nmse < best.nmse) best = std::move(draw);
    }
    return std::move(best.params);
  }

  // Refines the best candidates on all rows until one is good enough.
  void polish(Candidate& best) {
    std::size_t left = kFinalists;
    for (Candidate& candidate : candidates_) {
      if (left == 0 || is_enough(best.nmse) || cancel_.is_cancelled()) return;
      if (!std::isfinite(candidate.nmse)) return;
      const double cost = on_all_.descend(
          candidate.params, {options_.iterations, options_.tolerance}, cancel_);
      candidate.nmse = nmse_of(cost, on_all_);
      if (!std::isfinite(candidate.nmse)) continue;
      if (candidate.nmse < best.nmse) best = candidate;
      --left;
    }
  }

  std::size_t evaluations() const {
    const std::size_t computed = on_few_.computed_rows() +
                                 on_some_.computed_rows() +
                                 on_all_.computed_rows();
    return (computed + on_all_.rows() - 1) / on_all_.rows();
  }

  const FitOptions& options_;
  const CancelToken& cancel_;
  const std::vector<std::uint8_t> linear_;
  const RowSample few_;
  const RowSample some_;
  LeastSquares on_few_;
  LeastSquares on_some_;
  LeastSquares on_all_;
  StartDrawer drawer_;
  double scale_;
  std::vector<Candidate> candidates_;
};

}  // namespace

bool Fit::is_finite() const { return std::isfinite(nmse); }

Fit fit(ExpressionPlan& plan, const Columns& columns,
        std::span<const double> target, std::span<const double> first,
        const FitOptions& options, Rng& rng, const CancelToken& cancel) {
  REQUIRE(target.size() == columns.rows,
          "fit: there must be one target for each of the {} rows, got {}.",
          columns.rows, target.size());
  REQUIRE(
      options.weights.empty() || options.weights.size() == columns.rows,
      "fit: there must be one weight for each of the {} rows or none, got {}.",
      columns.rows, options.weights.size());
  if (columns.rows == 0)
    return {{first.begin(), first.end()},
            std::numeric_limits<double>::infinity()};
  return Fitter(plan, columns, target, options, cancel).best_fit(first, rng);
}

}  // namespace lamarck::formula
