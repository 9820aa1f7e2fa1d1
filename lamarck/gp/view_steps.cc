#include "lamarck/gp/view_steps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

namespace lamarck::gp {

using formula::Op;

namespace {

constexpr double kMaxContradiction = 0.05;
constexpr double kClearlyTrue = 1e-4;
// Contradictions up to this multiple of the least one are equal.
constexpr double kSameContradiction = 2;
constexpr double kMaxExponent = 6;

struct Exponents {
  int a;
  int b;
};
constexpr std::array<Exponents, 18> kExponents = {{{1, 1},
                                                   {1, -1},
                                                   {1, 2},
                                                   {1, -2},
                                                   {2, 1},
                                                   {2, -1},
                                                   {1, 3},
                                                   {1, -3},
                                                   {3, 1},
                                                   {3, -1},
                                                   {2, 3},
                                                   {2, -3},
                                                   {3, 2},
                                                   {3, -2},
                                                   {1, 4},
                                                   {1, -4},
                                                   {4, 1},
                                                   {4, -1}}};
// A factor other than a power of an input.
struct Factor {
  GpTree (*tree)(const GpTree& x);
  double (*value)(double x);
  double (*slope)(double x);
};
GpTree with_one(Op op, const GpTree& x) {
  return gp_apply(op, gp_constant(1), x);
}
constexpr std::array<Factor, 7> kFactors = {{
    {[](const GpTree& x) { return gp_apply(Op::Sin, x); },
     [](double x) { return std::sin(x); },
     [](double x) { return std::cos(x); }},
    {[](const GpTree& x) { return gp_apply(Op::Cos, x); },
     [](double x) { return std::cos(x); },
     [](double x) { return -std::sin(x); }},
    {[](const GpTree& x) { return with_one(Op::Add, x); },
     [](double x) { return 1 + x; }, [](double /*x*/) { return 1.0; }},
    {[](const GpTree& x) { return with_one(Op::Sub, x); },
     [](double x) { return 1 - x; }, [](double /*x*/) { return -1.0; }},
    {[](const GpTree& x) { return with_one(Op::Add, gp_apply(Op::Square, x)); },
     [](double x) { return 1 + x * x; }, [](double x) { return 2 * x; }},
    {[](const GpTree& x) { return with_one(Op::Sub, gp_apply(Op::Square, x)); },
     [](double x) { return 1 - x * x; }, [](double x) { return -2 * x; }},
    {[](const GpTree& x) { return with_one(Op::Sub, gp_apply(Op::Cos, x)); },
     [](double x) { return 1 - std::cos(x); },
     [](double x) { return std::sin(x); }},
}};
// There are many factors, so one must fit better than other steps.
constexpr double kMaxFactorContradiction = 2e-3;

// The exponents of a and b in a sum a^p + b^q.
constexpr std::array kSummandPowers = {1, 2, -1};

// The values of a view and of the smooth model at the rows of the fit.
class StepFinder {
 public:
  StepFinder(const ViewedProblem& viewed, const SmoothFit& fit)
      : view_(&viewed.view), fit_(&fit) {
    for (std::size_t i = 0; i < viewed.problem.inputs.size(); ++i) {
      const std::vector<double>& column = viewed.problem.inputs[i];
      signs_.push_back(sign_of(column));
      inputs_.emplace_back();
      scaled_.emplace_back();
      for (std::size_t k = 0; k < fit.rows.size(); ++k) {
        inputs_[i].push_back(column[fit.rows[k]]);
        scaled_[i].push_back(inputs_[i][k] * fit.slopes[i][k]);
      }
    }
  }

  std::vector<ViewStep> find() {
    for (std::size_t i = 0; i < inputs_.size(); ++i) add_power(i);
    for (std::size_t i = 0; i < inputs_.size(); ++i) add_factors(i);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      for (std::size_t j = i + 1; j < inputs_.size(); ++j) {
        add_sums(i, j);
        add_products(i, j);
      }
    }
    // Below kClearlyTrue, or close to the best one if the model is poor, the
    // order counts: powers and simple exponents first.
    double clear = kClearlyTrue;
    if (!steps_.empty()) {
      const auto least =
          std::min_element(steps_.begin(), steps_.end(),
                           [](const ViewStep& a, const ViewStep& b) {
                             return a.contradiction < b.contradiction;
                           });
      clear = std::max(clear, kSameContradiction * least->contradiction);
    }
    std::stable_sort(steps_.begin(), steps_.end(),
                     [&](const ViewStep& a, const ViewStep& b) {
                       return std::max(a.contradiction, clear) <
                              std::max(b.contradiction, clear);
                     });
    return std::move(steps_);
  }

 private:
  // 1 or -1 if all values have that sign and none is 0, else 0.
  static int sign_of(const std::vector<double>& values) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return *low > 0 ? 1 : *high < 0 ? -1 : 0;
  }

  void add(GpView view, double contradiction) {
    if (contradiction < kMaxContradiction) {
      steps_.push_back({std::move(view), contradiction});
    }
  }

  // The exponent c for which `change` is c times the scaling, rounded to a
  // multiple of 1/2, and the share of `size` that is left.
  struct Scaling {
    double exponent = 0;
    double left = 0;
  };
  Scaling scaling(const std::vector<double>& change, double size) const {
    double hit = 0;
    double norm = 0;
    for (std::size_t k = 0; k < change.size(); ++k) {
      hit += change[k] * fit_->scaling[k];
      norm += fit_->scaling[k] * fit_->scaling[k];
    }
    Scaling result;
    result.exponent = std::round(2 * hit / norm) / 2;
    double left = 0;
    for (std::size_t k = 0; k < change.size(); ++k) {
      const double off = change[k] - result.exponent * fit_->scaling[k];
      left += off * off;
    }
    result.left = size > 0 ? left / size : 1;
    return result;
  }

  bool can_have_power(std::size_t input, double exponent) const {
    if (exponent == 0) return true;
    if (std::fabs(exponent) > kMaxExponent) return false;
    if (std::floor(exponent) != exponent) return signs_[input] > 0;
    return signs_[input] != 0;
  }

  // y = a^c g(others).
  void add_power(std::size_t i) {
    double size = 0;
    for (const double change : scaled_[i]) size += change * change;
    const Scaling found = scaling(scaled_[i], size);
    if (found.exponent == 0 || !can_have_power(i, found.exponent)) return;
    GpView view = *view_;
    view.factor =
        gp_product(view.factor, gp_power(view.inputs[i], found.exponent));
    view.inputs.erase(view.inputs.begin() + static_cast<std::ptrdiff_t>(i));
    add(std::move(view), found.left);
  }

  // y = f(a)^c g(others), where f is a common function.
  void add_factors(std::size_t i) {
    for (const Factor& factor : kFactors) {
      double hit = 0;
      double norm = 0;
      bool is_positive = true;
      bool has_zero = false;
      for (std::size_t k = 0; k < fit_->rows.size(); ++k) {
        const double f = factor.value(inputs_[i][k]);
        const double wanted = factor.slope(inputs_[i][k]) * fit_->scaling[k];
        hit += f * fit_->slopes[i][k] * wanted;
        norm += wanted * wanted;
        is_positive &= f > 0;
        has_zero |= f == 0;
      }
      const double c = std::round(2 * hit / norm) / 2;
      if (!std::isfinite(c) || c == 0 || std::fabs(c) > kMaxExponent) continue;
      if (has_zero || (std::floor(c) != c && !is_positive)) continue;
      double left = 0;
      double size = 0;
      for (std::size_t k = 0; k < fit_->rows.size(); ++k) {
        const double found = factor.value(inputs_[i][k]) * fit_->slopes[i][k];
        const double wanted = factor.slope(inputs_[i][k]) * fit_->scaling[k];
        left += (found - c * wanted) * (found - c * wanted);
        size += found * found;
      }
      if (!(left < kMaxFactorContradiction * size)) continue;
      GpView view = *view_;
      view.factor =
          gp_product(view.factor, gp_power(factor.tree(view.inputs[i]), c));
      view.inputs.erase(view.inputs.begin() + static_cast<std::ptrdiff_t>(i));
      add(std::move(view), left / size);
    }
  }

  GpView merged(std::size_t i, std::size_t j, const GpTree& by) const {
    GpView view = *view_;
    view.inputs[i] = by;
    view.inputs.erase(view.inputs.begin() + static_cast<std::ptrdiff_t>(j));
    return view;
  }

  // d (x^p) / dx
  static double power_slope(double x, int power) {
    return power == 1 ? 1 : power == 2 ? 2 * x : -1 / (x * x);
  }

  // g(a^p + b^q) or g(a^p - b^q): the derivatives are as those of the sum.
  void add_sums(std::size_t i, std::size_t j) {
    for (const int p : kSummandPowers) {
      for (const int q : kSummandPowers) {
        if ((p < 0 && signs_[i] == 0) || (q < 0 && signs_[j] == 0)) continue;
        double size = 0;
        double product = 0;
        for (std::size_t k = 0; k < fit_->rows.size(); ++k) {
          const double a = fit_->slopes[i][k] * power_slope(inputs_[j][k], q);
          const double b = fit_->slopes[j][k] * power_slope(inputs_[i][k], p);
          size += a * a + b * b;
          product += 2 * a * b;
        }
        const bool is_sum = product > 0;
        const double left = (size - std::fabs(product)) / size;
        if (!std::isfinite(left)) continue;
        add(merged(i, j,
                   gp_apply(is_sum ? Op::Add : Op::Sub,
                            gp_power(view_->inputs[i], p),
                            gp_power(view_->inputs[j], q))),
            left);
      }
    }
  }

  // y = g(a^p b^q), a^c g(a^p b^q) or b^c g(a^p b^q). Along a^q b^-p, which
  // leaves a^p b^q alone, y is then a power.
  void add_products(std::size_t i, std::size_t j) {
    for (const auto& [p, q] : kExponents) {
      if (q < 0 && signs_[j] == 0) continue;
      std::vector<double> change(scaled_[i].size());
      double size = 0;
      for (std::size_t k = 0; k < change.size(); ++k) {
        const double a = q * scaled_[i][k];
        const double b = p * scaled_[j][k];
        change[k] = a - b;
        size += a * a + b * b;
      }
      const Scaling found = scaling(change, size);
      const GpTree product = gp_product(gp_power(view_->inputs[i], p),
                                        gp_power(view_->inputs[j], q));
      const GpView view = merged(i, j, product);
      if (found.exponent == 0) {
        add(view, found.left);
        continue;
      }
      // a^(c/q) changes by the factor c along a^q, b^(-c/p) along b^-p.
      add_with_factor(view, i, found.exponent / q, found.left);
      add_with_factor(view, j, -found.exponent / p, found.left);
    }
  }

  void add_with_factor(const GpView& merged, std::size_t input, double exponent,
                       double left) {
    if (std::floor(2 * exponent) != 2 * exponent) return;
    if (!can_have_power(input, exponent)) return;
    GpView view = merged;
    view.factor =
        gp_product(view.factor, gp_power(view_->inputs[input], exponent));
    add(std::move(view), left);
  }

  const GpView* view_;
  const SmoothFit* fit_;
  std::vector<int> signs_;
  std::vector<std::vector<double>> inputs_;  // [input][row]
  // input * d z / d input: the change of z if the input grows by a share.
  std::vector<std::vector<double>> scaled_;
  std::vector<ViewStep> steps_;
};

}  // namespace

std::vector<ViewStep> view_steps(const ViewedProblem& viewed,
                                 const SmoothFit& fit) {
  return StepFinder(viewed, fit).find();
}

std::vector<GpView> power_views(const ViewedProblem& viewed) {
  constexpr std::array kPowers = {1.0, -1.0, 2.0, -2.0, 0.5, -0.5};
  std::vector<GpView> views;
  for (std::size_t i = 0; i < viewed.view.inputs.size(); ++i) {
    const std::vector<double>& column = viewed.problem.inputs[i];
    if (*std::min_element(column.begin(), column.end()) <= 0) continue;
    for (const double power : kPowers) {
      GpView view = viewed.view;
      view.factor = gp_product(view.factor, gp_power(view.inputs[i], power));
      view.inputs.erase(view.inputs.begin() + static_cast<std::ptrdiff_t>(i));
      views.push_back(std::move(view));
    }
  }
  return views;
}

}  // namespace lamarck::gp
