#include "lamarck/gp/unit_views.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

namespace lamarck::gp {
namespace {

using formula::Dimension;
using formula::kBaseUnits;

constexpr double kTinyPivot = 1e-9;
// Sets of columns that are compared; more would take long with many inputs.
constexpr std::size_t kMaxBases = 2000;

std::optional<Dimension> tree_dimension(const GpTree& tree,
                                        const formula::Dimensions& dimensions) {
  if (tree.empty()) return Dimension{};
  formula::ExpressionBuilder builder;
  const formula::NodeIndex root = append_tree(tree, builder, nullptr);
  return formula::dimension_of(builder.finish(root), {}, dimensions.inputs());
}

// Gauss elimination. Returns the exponents of the basis that give the wanted
// dimension, or nullopt if there are none. The columns of the basis must be
// linearly independent.
std::optional<std::vector<double>> basis_exponents(
    const std::vector<Dimension>& basis, const Dimension& wanted) {
  const std::size_t n = basis.size();
  std::vector<std::vector<double>> rows(kBaseUnits, std::vector<double>(n + 1));
  for (std::size_t r = 0; r < kBaseUnits; ++r) {
    for (std::size_t c = 0; c < n; ++c) rows[r][c] = basis[c][r];
    rows[r][n] = wanted[r];
  }
  for (std::size_t c = 0; c < n; ++c) {
    const auto pivot =
        std::max_element(rows.begin() + static_cast<std::ptrdiff_t>(c),
                         rows.end(), [&](const auto& a, const auto& b) {
                           return std::fabs(a[c]) < std::fabs(b[c]);
                         });
    if (std::fabs((*pivot)[c]) < kTinyPivot) return std::nullopt;
    std::swap(*pivot, rows[c]);
    for (std::size_t r = 0; r < kBaseUnits; ++r) {
      if (r == c) continue;
      const double factor = rows[r][c] / rows[c][c];
      for (std::size_t k = c; k <= n; ++k) rows[r][k] -= factor * rows[c][k];
    }
  }
  std::vector<double> result;
  for (std::size_t c = 0; c < n; ++c) result.push_back(rows[c][n] / rows[c][c]);
  for (std::size_t r = n; r < kBaseUnits; ++r) {
    if (std::fabs(rows[r][n]) > 1e-6) return std::nullopt;
  }
  return result;
}

// Multiples of 1/12, so that no rounding is printed.
double rounded_exponent(double exponent) {
  return std::round(12 * exponent) / 12;
}

std::size_t rank_of(const std::vector<Dimension>& all) {
  std::vector<Dimension> basis;
  for (const Dimension& each : all) {
    basis.push_back(each);
    if (basis.size() > kBaseUnits || !basis_exponents(basis, Dimension{})) {
      basis.pop_back();
    }
  }
  return basis.size();
}

// Places of inputs that are not 0, of one sign.
struct UnitColumn {
  Dimension dimension{};
  int sign = 0;
};

bool can_have(const UnitColumn& column, double exponent) {
  if (exponent == 0) return true;
  if (std::floor(exponent) != exponent) return column.sign > 0;
  return exponent > 0 || column.sign != 0;
}

struct UnitCandidate {
  GpView view;
  double cost = 0;  // Of the exponents; lower is simpler.
};

class UnitViewFinder {
 public:
  UnitViewFinder(const GpView& start, std::vector<UnitColumn> columns,
                 const Dimension& target)
      : start_(&start), columns_(std::move(columns)), target_(target) {
    std::vector<Dimension> all;
    for (const UnitColumn& column : columns_) all.push_back(column.dimension);
    rank_ = rank_of(all);
  }

  std::vector<UnitCandidate> find() {
    std::vector<std::size_t> chosen;
    choose(0, chosen);
    std::stable_sort(found_.begin(), found_.end(),
                     [](const UnitCandidate& a, const UnitCandidate& b) {
                       return a.cost < b.cost;
                     });
    return std::move(found_);
  }

 private:
  void choose(std::size_t from, std::vector<std::size_t>& chosen) {
    if (tried_ >= kMaxBases) return;
    if (chosen.size() == rank_) {
      ++tried_;
      add(chosen);
      return;
    }
    for (std::size_t i = from; i < columns_.size(); ++i) {
      chosen.push_back(i);
      choose(i + 1, chosen);
      chosen.pop_back();
    }
  }

  // Multiplies the tree by the powers of the chosen inputs.
  bool multiply(GpTree& tree, const std::vector<std::size_t>& chosen,
                const std::vector<double>& powers, double& cost) const {
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      const double exponent = rounded_exponent(powers[k]);
      if (exponent == 0) continue;
      if (!can_have(columns_[chosen[k]], exponent)) return false;
      tree = gp_product(tree, gp_power(start_->inputs[chosen[k]], exponent));
      cost += std::fabs(exponent);
      if (std::floor(exponent) != exponent) cost += 1;
    }
    return true;
  }

  void add(const std::vector<std::size_t>& chosen) {
    std::vector<Dimension> basis;
    for (const std::size_t i : chosen) basis.push_back(columns_[i].dimension);
    const auto factor = basis_exponents(basis, target_);
    if (!factor) return;
    UnitCandidate candidate;
    candidate.view.factor = start_->factor;
    if (!multiply(candidate.view.factor, chosen, *factor, candidate.cost)) {
      return;
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (std::find(chosen.begin(), chosen.end(), i) != chosen.end()) continue;
      Dimension inverse{};
      for (std::size_t d = 0; d < kBaseUnits; ++d) {
        inverse[d] = -columns_[i].dimension[d];
      }
      const auto powers = basis_exponents(basis, inverse);
      GpTree input = start_->inputs[i];
      if (!powers || !multiply(input, chosen, *powers, candidate.cost)) return;
      candidate.view.inputs.push_back(std::move(input));
    }
    found_.push_back(std::move(candidate));
  }

  const GpView* start_;
  std::vector<UnitColumn> columns_;
  Dimension target_;
  std::size_t rank_ = 0;
  std::size_t tried_ = 0;
  std::vector<UnitCandidate> found_;
};

}  // namespace

std::vector<GpView> unit_views(const RegressionProblem& problem,
                               const GpView& start,
                               const formula::Dimensions& dimensions,
                               std::size_t count) {
  std::vector<UnitColumn> columns;
  for (const GpTree& input : start.inputs) {
    const auto dimension = tree_dimension(input, dimensions);
    if (!dimension) return {};
    const std::vector<double> values = tree_values(input, problem);
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    columns.push_back({*dimension, *low > 0 ? 1 : *high < 0 ? -1 : 0});
  }
  const auto factor = tree_dimension(start.factor, dimensions);
  if (!factor) return {};
  Dimension target = dimensions.target();
  for (std::size_t d = 0; d < kBaseUnits; ++d) target[d] -= (*factor)[d];
  std::vector<GpView> views;
  for (UnitCandidate& each :
       UnitViewFinder(start, std::move(columns), target).find()) {
    if (views.size() < count) views.push_back(std::move(each.view));
  }
  return views;
}

bool can_express_target(const formula::Dimensions& dimensions) {
  std::vector<Dimension> all = dimensions.inputs();
  const std::size_t rank = rank_of(all);
  all.push_back(dimensions.target());
  return rank_of(all) == rank;
}

bool is_consistent(const GpView& view, const formula::Dimensions& dimensions) {
  return tree_dimension(view.factor, dimensions) &&
         std::all_of(view.inputs.begin(), view.inputs.end(),
                     [&](const GpTree& input) {
                       return tree_dimension(input, dimensions).has_value();
                     });
}

}  // namespace lamarck::gp
