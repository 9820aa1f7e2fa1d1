#include "lamarck/optim/lbfgs.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <utility>
#include <vector>

#include "lamarck/base/ensure.h"

namespace lamarck::optim {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Constants of the strong Wolfe conditions: the required share of the predicted
// decrease (c1), and the share of the initial slope that may remain (c2).
constexpr double kSufficientDecrease = 1e-4;
constexpr double kCurvature = 0.9;
constexpr int kMaxLineSteps = 20;
// Losses that differ by less than this relative amount count as equal, because
// they are sums of floats.
constexpr double kNoise = 1e-7;

template <class A, class B>
double dot(const std::vector<A>& a, const std::vector<B>& b) {
  double total = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    total += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  }
  return total;
}

// A point with its loss and gradient. The loss is infinite if either is not
// finite.
struct Point {
  std::vector<float> at;
  std::vector<float> gradient;
  double loss = kInfinity;
};

// A trial on the search line: the distance from the start, and the loss and its
// directional derivative there.
struct LineTrial {
  double distance = 0;
  double loss = kInfinity;
  double slope = 0;
};

// Returns the minimum of the cubic through both trials (Nocedal and Wright,
// equation 3.59), at least 10 % of the interval away from either end. If `high`
// is out of bounds, returns a distance close to `low`.
double interpolate(const LineTrial& low, const LineTrial& high) {
  const double size = high.distance - low.distance;
  if (!std::isfinite(high.loss)) return low.distance + 0.1 * size;
  const double rise = 3 * (low.loss - high.loss) / size;
  const double a = low.slope + high.slope + rise;
  const double root = std::sqrt(std::max(0.0, a * a - low.slope * high.slope));
  const double share =
      1 - (high.slope + root - a) / (high.slope - low.slope + 2 * root);
  const double safe = std::isfinite(share) ? share : 0.5;
  return low.distance + size * std::clamp(safe, 0.1, 0.9);
}

// The most recent steps and the change of the gradient along each of them.
class Memory {
 public:
  explicit Memory(std::size_t max_pairs) : max_pairs_(max_pairs) {}

  bool empty() const { return pairs_.empty(); }
  void clear() { pairs_.clear(); }

  // Replaces the oldest pair once the memory is full, reusing its vectors.
  // Skips a step without positive curvature, which would make the approximate
  // Hessian indefinite.
  void add(const Point& from, const Point& to) {
    Pair next;
    if (pairs_.size() == max_pairs_) {
      next = std::move(pairs_.front());
      pairs_.pop_front();
    }
    subtract(to.at, from.at, &next.step);
    subtract(to.gradient, from.gradient, &next.change);
    next.curvature = dot(next.step, next.change);
    const double min_curvature =
        1e-9 *
        std::sqrt(dot(next.step, next.step) * dot(next.change, next.change));
    if (next.curvature > min_curvature) pairs_.push_back(std::move(next));
  }

  // Sets the direction to minus the approximate inverse Hessian times the
  // gradient, by the two-loop recursion (Nocedal and Wright, algorithm 7.4).
  // `share` is alpha in the book, and beta in the second loop.
  void set_direction(const std::vector<float>& gradient,
                     std::vector<double>* direction) {
    direction->assign(gradient.begin(), gradient.end());
    for (std::size_t k = pairs_.size(); k-- > 0;) {
      Pair& pair = pairs_[k];
      pair.share = dot(pair.step, *direction) / pair.curvature;
      add_scaled(-pair.share, pair.change, direction);
    }
    scale(direction);
    for (const Pair& pair : pairs_) {
      const double share = dot(pair.change, *direction) / pair.curvature;
      add_scaled(pair.share - share, pair.step, direction);
    }
    for (double& value : *direction) value = -value;
  }

 private:
  struct Pair {
    std::vector<double> step;
    std::vector<double> change;  // Change of the gradient.
    double curvature = 0;        // step . change
    double share = 0;
  };

  static void subtract(const std::vector<float>& a, const std::vector<float>& b,
                       std::vector<double>* to) {
    to->resize(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      (*to)[i] = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    }
  }
  static void add_scaled(double factor, const std::vector<double>& x,
                         std::vector<double>* y) {
    for (std::size_t i = 0; i < x.size(); ++i) (*y)[i] += factor * x[i];
  }
  // Scales by the curvature along the last step, the initial inverse Hessian of
  // equation 7.20.
  void scale(std::vector<double>* direction) const {
    if (pairs_.empty()) return;
    const Pair& last = pairs_.back();
    const double factor = last.curvature / dot(last.change, last.change);
    for (double& value : *direction) value *= factor;
  }

  std::size_t max_pairs_;
  std::deque<Pair> pairs_;
};

class Minimizer {
 public:
  Minimizer(const LossAndGradient& function, const LbfgsOptions& options,
            std::span<const float> start)
      : function_(function), options_(options), memory_(options.memory) {
    for (Point* point : {&here_, &trial_, &best_}) {
      point->at.assign(start.begin(), start.end());
      point->gradient.resize(start.size());
    }
    evaluate(&here_);
  }

  LbfgsReason run() {
    if (!std::isfinite(here_.loss)) return LbfgsReason::StartNotFinite;
    std::vector<double> losses = {here_.loss};
    while (true) {
      if (gradient_norm() <= options_.gradient_tolerance) {
        return LbfgsReason::GradientSmall;
      }
      if (is_flat(losses)) return LbfgsReason::LossFlat;
      if (is_spent()) return LbfgsReason::EvaluationsSpent;
      if (!step()) {
        return is_spent() ? LbfgsReason::EvaluationsSpent
                          : LbfgsReason::NoDescent;
      }
      losses.push_back(here_.loss);
    }
  }

  const Point& here() const { return here_; }
  std::size_t evaluations() const { return evaluations_; }
  double gradient_norm() const {
    return std::sqrt(dot(here_.gradient, here_.gradient));
  }

 private:
  bool is_spent() const { return evaluations_ >= options_.max_evaluations; }

  bool is_flat(const std::vector<double>& losses) const {
    if (losses.size() <= options_.patience) return false;
    const double before = losses[losses.size() - 1 - options_.patience];
    return before - here_.loss <= options_.loss_tolerance * std::abs(before);
  }

  void evaluate(Point* point) {
    ++evaluations_;
    point->loss = function_(point->at, point->gradient);
    // The sum is not finite if the loss or any element of the gradient is not.
    const bool is_finite =
        std::isfinite(point->loss + dot(point->gradient, point->gradient));
    if (!is_finite) point->loss = kInfinity;
  }

  // Moves to a lower point and returns whether it found one. If the L-BFGS
  // direction fails, it clears the memory and retries along the gradient.
  bool step() {
    memory_.set_direction(here_.gradient, &direction_);
    bool found = dot(direction_, here_.gradient) < 0 && search_line();
    if (!found && !memory_.empty()) {
      memory_.clear();
      memory_.set_direction(here_.gradient, &direction_);
      found = search_line();
    }
    if (!found) return false;
    memory_.add(here_, best_);
    std::swap(here_, best_);
    return true;
  }

  LineTrial try_at(double distance) {
    for (std::size_t i = 0; i < direction_.size(); ++i) {
      trial_.at[i] = static_cast<float>(static_cast<double>(here_.at[i]) +
                                        distance * direction_[i]);
    }
    evaluate(&trial_);
    const double slope = dot(direction_, trial_.gradient);
    const LineTrial trial = {distance, trial_.loss, slope};
    if (trial_.loss < best_.loss) std::swap(trial_, best_);
    return trial;
  }

  // Stores the lowest point it evaluated in best_ and returns whether that is
  // lower than here_. Invariant: the interval from `low`, which decreases
  // enough and still descends, to `high`, which does not, contains a minimum.
  bool search_line() {
    const LineTrial start = {0, here_.loss, dot(direction_, here_.gradient)};
    best_.loss = here_.loss;
    LineTrial low = start;
    LineTrial high = {kInfinity, kInfinity, 0};
    double distance = first_distance();
    for (int i = 0; i < kMaxLineSteps && !is_spent(); ++i) {
      const LineTrial now = try_at(distance);
      const bool is_level = std::abs(now.slope) <= -kCurvature * start.slope;
      if (is_level && is_low_enough(now, start)) break;
      const bool is_beyond = !is_low_enough(now, start) || now.loss > low.loss;
      (is_beyond || now.slope >= 0 ? high : low) = now;
      distance = std::isfinite(high.distance) ? interpolate(low, high)
                                              : 4 * low.distance;
    }
    return best_.loss < here_.loss;
  }

  // The sufficient-decrease condition; a difference within rounding noise also
  // passes.
  static bool is_low_enough(const LineTrial& now, const LineTrial& start) {
    return now.loss <=
               start.loss + kSufficientDecrease * now.distance * start.slope ||
           std::abs(now.loss - start.loss) <= kNoise * std::abs(start.loss);
  }

  // Without curvature information, the first step has at most unit length.
  double first_distance() const {
    return memory_.empty() ? std::min(1.0, 1 / gradient_norm()) : 1.0;
  }

  const LossAndGradient& function_;
  const LbfgsOptions& options_;
  Memory memory_;
  Point here_;
  Point trial_;
  Point best_;  // The lowest point on the current line.
  std::vector<double> direction_;
  std::size_t evaluations_ = 0;
};

}  // namespace

LbfgsOutcome minimize_lbfgs(const LossAndGradient& function,
                            std::span<float> at, const LbfgsOptions& options) {
  REQUIRE(
      options.memory > 0 && options.max_evaluations > 0 && options.patience > 0,
      "minimize_lbfgs: memory, max_evaluations and patience must be at "
      "least 1, got {}, {} and {}.",
      options.memory, options.max_evaluations, options.patience);
  Minimizer minimizer(function, options, at);
  const LbfgsReason reason = minimizer.run();
  const Point& end = minimizer.here();
  std::ranges::copy(end.at, at.begin());
  return {.loss = end.loss,
          .evaluations = minimizer.evaluations(),
          .gradient_norm = minimizer.gradient_norm(),
          .reason = reason};
}

}  // namespace lamarck::optim
