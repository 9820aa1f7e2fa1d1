#include "lamarck/formula/fit_starts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "lamarck/formula/block_kernels.h"
#include "lamarck/formula/fit.h"

namespace lamarck::formula {
namespace {

// Common exponents, for bases that may be negative and sometimes for others.
constexpr std::array kExponents = {0.5, 1.0, 2.0, 3.0, -1.0, -2.0};

double with_random_sign(double x, Rng& rng) { return rng.chance(0.5) ? x : -x; }

double log_uniform(double low, double high, Rng& rng) {
  return low * std::exp(rng.uniform() * std::log(high / low));
}

// The finite values, sorted.
struct Sorted {
  explicit Sorted(std::span<const double> values) {
    for (const double value : values) {
      if (std::isfinite(value)) sorted.push_back(value);
    }
    std::sort(sorted.begin(), sorted.end());
  }
  double low() const { return sorted.empty() ? 0 : sorted.front(); }
  double high() const { return sorted.empty() ? 0 : sorted.back(); }
  double largest() const { return std::max(std::abs(low()), std::abs(high())); }
  // About one standard deviation if the values are uniform; never 0.
  double spread() const {
    if (high() > low()) return (high() - low()) / 3.5;
    return largest() > 0 ? largest() : 1;
  }
  double quantile(double share) const {
    if (sorted.empty()) return 0;
    const double position = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    const double rest = position - static_cast<double>(below);
    return sorted[below] + rest * (sorted[above] - sorted[below]);
  }
  std::vector<double> sorted;
};

// Whether the operation has a pole or is undefined where this argument changes
// sign.
bool wants_one_sign(Op user, std::size_t argument_index) {
  switch (user) {
    case Op::Log:
    case Op::Log2:
    case Op::Log10:
    case Op::Sqrt:
    case Op::Reciprocal:
      return true;
    case Op::Pow:
      return argument_index == 0;
    case Op::Div:
      return argument_index == 1;
    default:
      return false;
  }
}

bool overflows(Op user) {
  return user == Op::Exp || user == Op::Expm1 || user == Op::Sinh ||
         user == Op::Cosh;
}

// A factor for an input of the operation `user`.
double drawn_rate(Op user, bool is_guarded, const Sorted& others, Rng& rng) {
  if (overflows(user)) {
    const double max_magnitude = std::max(others.largest(), 1e-300);
    return with_random_sign(log_uniform(0.03, 12, rng) / max_magnitude, rng);
  }
  if (user == Op::Sin || user == Op::Cos || user == Op::Tan) {
    const double turns =
        rng.chance(0.5) ? log_uniform(0.1, 30, rng) : rng.uniform(0, 30);
    return turns / others.spread();
  }
  const double rate = log_uniform(0.1, 30, rng) / others.spread();
  if (is_guarded && others.low() >= 0) return rate;
  return with_random_sign(rate, rng);
}

// A shift such that x - shift has its zero among the values of x or, if
// guarded, below all of them.
double drawn_shift(const Sorted& x, bool is_guarded, Rng& rng) {
  if (!is_guarded) return x.quantile(rng.uniform());
  return x.low() - x.spread() * log_uniform(0.01, 3, rng);
}

// A minuend such that minuend - x has its zero among the values of x or, if
// guarded, above all of them.
double drawn_minuend(const Sorted& x, bool is_guarded, Rng& rng) {
  if (!is_guarded) return x.quantile(rng.uniform());
  return x.high() + x.spread() * log_uniform(0.01, 3, rng);
}

double drawn_exponent(const Sorted& base, Rng& rng) {
  if (base.low() >= 0 && rng.chance(0.6)) return rng.uniform(-3, 3);
  return kExponents[rng.below(kExponents.size())];
}

}  // namespace

StartDrawer::StartDrawer(const Expression& expression, const Columns& columns)
    : expression_(expression),
      values_(expression.nodes().size() * kRows),
      is_done_(expression.nodes().size()),
      user_(expression.nodes().size(), Op::Add),
      is_guarded_(expression.nodes().size()) {
  const std::vector<Node>& nodes = expression.nodes();
  // Backwards, so that the first user of a node is the one that remains.
  for (std::size_t i = nodes.size(); i-- > 0;) {
    for (std::size_t k = 0; k < arity_of(nodes[i]); ++k) {
      user_[nodes[i].arguments[k]] = nodes[i].op;
      is_guarded_[nodes[i].arguments[k]] = wants_one_sign(nodes[i].op, k);
    }
    if (nodes[i].op != Op::Input || columns.rows == 0) continue;
    const double* column = columns.inputs[nodes[i].index];
    for (std::size_t row = 0; row < kRows; ++row) {
      values_of(i)[row] = column[row * (columns.rows - 1) / (kRows - 1)];
    }
  }
}

std::span<double> StartDrawer::values_of(std::size_t node) {
  return std::span(values_).subspan(node * kRows, kRows);
}

std::vector<double> StartDrawer::draw(Rng& rng) {
  const std::vector<Node>& nodes = expression_.nodes();
  std::vector<double> params(expression_.param_count(), 1.0);
  if (expression_.root().op == Op::Param) params.back() = rng.normal();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    is_done_[i] = nodes[i].op != Op::Param;
    if (nodes[i].op == Op::Constant) {
      std::ranges::fill(values_of(i), nodes[i].value);
    }
    if (arity_of(nodes[i]) == 0) continue;
    draw_for(i, params, rng);
    const auto& x = nodes[i].arguments;
    apply_block(nodes[i].op, values_of(x[0]).data(), values_of(x[1]).data(),
                values_of(x[2]).data(), values_of(i).data(), kRows);
  }
  return params;
}

void StartDrawer::draw_for(std::size_t node, std::vector<double>& params,
                           Rng& rng) {
  const Node& of = expression_.nodes()[node];
  for (std::size_t k = 0; k < arity_of(of); ++k) {
    const NodeIndex argument = of.arguments[k];
    if (is_done_[argument] != 0) continue;
    const double value = drawn(node, k, rng);
    params[expression_.nodes()[argument].index] = value;
    std::ranges::fill(values_of(argument), value);
    is_done_[argument] = 1;
  }
}

double StartDrawer::drawn(std::size_t node, std::size_t argument_index,
                          Rng& rng) {
  const Node& of = expression_.nodes()[node];
  for (std::size_t k = 0; k < arity_of(of); ++k) {
    if (k == argument_index || is_done_[of.arguments[k]] == 0) continue;
    return drawn_beside(node, argument_index, values_of(of.arguments[k]), rng);
  }
  return with_random_sign(log_uniform(0.1, 10, rng), rng);
}

double StartDrawer::drawn_beside(std::size_t node, std::size_t argument_index,
                                 std::span<const double> others,
                                 Rng& rng) const {
  const Sorted x(others);
  const Op user = user_[node];
  const bool is_guarded = is_guarded_[node] != 0 && rng.chance(0.8);
  switch (expression_.nodes()[node].op) {
    case Op::Add:
      return -drawn_shift(x, is_guarded, rng);
    case Op::Sub:
      return argument_index == 1 ? drawn_shift(x, is_guarded, rng)
                                 : drawn_minuend(x, is_guarded, rng);
    case Op::Mul:
      return drawn_rate(user, is_guarded, x, rng);
    case Op::Div:
      if (argument_index == 1) return 1 / drawn_rate(user, is_guarded, x, rng);
      return with_random_sign(log_uniform(0.1, 10, rng) * x.spread(), rng);
    case Op::Pow:
      return argument_index == 1 ? drawn_exponent(x, rng)
                                 : log_uniform(0.2, 5, rng);
    default:
      return x.quantile(rng.uniform());
  }
}

std::vector<double> data_aware_start(const Expression& expression,
                                     const Columns& columns, Rng& rng) {
  return StartDrawer(expression, columns).draw(rng);
}

}  // namespace lamarck::formula
