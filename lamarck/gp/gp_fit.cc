#include "lamarck/gp/gp_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "lamarck/base/cholesky.h"
#include "lamarck/formula/block_kernels.h"
#include "lamarck/formula/block_sums.h"
#include "lamarck/gp/internal/gp_tree_runner.h"

namespace lamarck::gp {

using formula::kBlockRows;
using formula::Op;

namespace {

// A column is dropped if less than this share of it is independent of the
// columns before it. Its coefficient would be rounding noise.
constexpr double kMinIndependentShare = 1e-9;
// How often a rejected step is repeated with more damping.
constexpr int kTries = 3;

// Solves (a + damping * diag(a)) x = b by Cholesky. Scaling the matrix to a
// unit diagonal first makes the step independent of the units of the constants.
// Returns false if the matrix is singular or the solution is not finite.
bool solve_damped(std::vector<double>& a, std::size_t n, double damping,
                  const std::vector<double>& b, std::vector<double>& x) {
  std::vector<double> scale(n);
  for (std::size_t i = 0; i < n; ++i) {
    scale[i] = a[i * n + i] > 0 ? 1 / std::sqrt(a[i * n + i]) : 0;
  }
  std::vector<double> factor(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      factor[i * n + j] = a[i * n + j] * scale[i] * scale[j];
    }
    factor[i * n + i] = 1 + damping;
  }
  constexpr double kMinSquare = 1e-14;
  const auto pivot = [](double square) {
    return square > kMinSquare ? std::sqrt(square) : 0;
  };
  if (!factor_cholesky(factor.data(), n, pivot)) return false;
  x.resize(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = b[i] * scale[i];
  solve_cholesky(factor.data(), n, x.data());
  for (std::size_t i = 0; i < n; ++i) {
    x[i] *= scale[i];
    if (!std::isfinite(x[i])) return false;
  }
  return true;
}

}  // namespace

std::size_t GpModel::size() const {
  std::size_t nodes = has_intercept ? 2 : 0;
  for (const GpTree& term : terms) nodes += term.size() + 2;
  return nodes + (terms.empty() ? 0 : terms.size() - 1);
}

std::size_t GpModel::constants() const {
  std::size_t count = terms.size() + (has_intercept ? 1 : 0);
  for (const GpTree& term : terms) count += constant_count(term);
  return count;
}

int GpModel::nesting() const {
  int deepest = 0;
  for (const GpTree& term : terms) {
    deepest = std::max(deepest, gp::nesting(term));
  }
  return deepest;
}

struct GpFitter::State {
  GpTreeRunner runner;
  std::vector<char> depends;  // Whether a node of a tree depends on a constant.
  GpColumns phi;              // The weighted values of the terms.
  GpColumns slopes;           // d term / d constant, weighted.
  GpColumns basis;  // Q of the QR decomposition; the intercept's column first.
  GpColumns extra;  // extra[0] is the residual.
  std::vector<std::size_t> slope_term;  // The term that a slope belongs to.
  std::vector<double> upper;            // R of the QR decomposition.
  std::vector<char> dropped;            // Columns that depend on others.
  std::size_t fits = 0;

  // Fills phi, and slopes if wanted. Returns false if a value is not finite. A
  // slope that is not finite is set to 0, which leaves its constant unchanged.
  bool evaluate(const GpModel& model, const GpRows& rows, bool with_slopes) {
    const std::size_t n = rows.rows;
    phi.resize(model.terms.size() + 1, n);
    if (with_slopes) {
      std::size_t count = 0;
      for (const GpTree& term : model.terms) count += constant_count(term);
      slopes.resize(std::max<std::size_t>(count, 1), n);
      slope_term.clear();
    }
    for (std::size_t t = 0; t < model.terms.size(); ++t) {
      evaluate_term(model.terms[t], t, rows, with_slopes);
      if (!formula::all_finite(phi[t], n)) return false;
    }
    for (std::size_t k = 0; with_slopes && k < slope_term.size(); ++k) {
      if (!formula::all_finite(slopes[k], n)) std::fill_n(slopes[k], n, 0.0);
    }
    return true;
  }

  void evaluate_term(const GpTree& tree, std::size_t term, const GpRows& rows,
                     bool with_slopes) {
    const double* weight = rows.weight.data();
    const std::size_t first_slope = slope_term.size();
    if (with_slopes) {
      mark_constant_dependence(tree, depends);
      slope_term.insert(slope_term.end(), constant_count(tree), term);
    }
    for (std::size_t start = 0; start < rows.rows; start += kBlockRows) {
      const std::size_t live = std::min(kBlockRows, rows.rows - start);
      const std::size_t count = padded_rows(live);
      const double* values = runner.run(tree, rows, start, count);
      place(values, weight, start, live, phi[term]);
      if (!with_slopes || slope_term.size() == first_slope) continue;
      runner.run_back(tree, count, depends);
      std::size_t slope = first_slope;
      for (std::size_t i = 0; i < tree.size(); ++i) {
        if (tree[i].op != Op::Constant) continue;
        place(runner.adjoints(i), weight, start, live, slopes[slope++]);
      }
    }
  }

  static void place(const double* values, const double* weight,
                    std::size_t start, std::size_t count, double* column) {
    if (weight == nullptr) {
      std::copy_n(values, count, column + start);
    } else {
      formula::multiply(values, weight + start, column + start, count);
    }
  }

  // Solves for the coefficients by QR, which is more accurate than the normal
  // equations. Sets extra[0] to the residual and returns its sum of squares.
  double solve(GpModel& model, const GpRows& rows) {
    const std::size_t n = rows.rows;
    const std::size_t first = model.has_intercept ? 1 : 0;
    const std::size_t m = model.terms.size() + first;
    basis.resize(std::max<std::size_t>(m, 1), n);
    extra.resize(2, n);
    upper.assign(m * m, 0);
    dropped.assign(m, 0);
    for (std::size_t j = 0; j < m; ++j) {
      double* q = basis[j];
      if (j < first) {
        if (rows.weight.data() == nullptr) {
          std::fill_n(q, n, 1.0);
        } else {
          std::copy_n(rows.weight.data(), n, q);
        }
      } else {
        std::copy_n(phi[j - first], n, q);
      }
      orthonormalize(j, m, n);
    }
    double* residual = extra[0];
    std::copy_n(rows.target.data(), n, residual);
    std::vector<double> solution(m, 0.0);
    // The second round is one step of iterative refinement.
    for (int round = 0; round < 2; ++round) {
      add_correction(m, first, n, rows, solution);
    }
    model.intercept = first == 1 ? solution[0] : 0;
    model.coefficients.assign(
        solution.begin() + static_cast<std::ptrdiff_t>(first), solution.end());
    return formula::dot(residual, residual, n);
  }

  // Gram-Schmidt with one reorthogonalization, which is enough for
  // orthogonality to rounding ("twice is enough", Kahan and Parlett).
  void orthonormalize(std::size_t j, std::size_t m, std::size_t n) {
    double* q = basis[j];
    const double before = std::sqrt(formula::dot(q, q, n));
    for (int round = 0; round < 2; ++round) {
      for (std::size_t i = 0; i < j; ++i) {
        if (dropped[i]) continue;
        const double share = formula::dot(basis[i], q, n);
        upper[i * m + j] += share;
        formula::add_scaled(basis[i], -share, q, n);
      }
    }
    const double after = std::sqrt(formula::dot(q, q, n));
    if (!(after > kMinIndependentShare * before) || !std::isfinite(after)) {
      dropped[j] = 1;
      std::fill_n(q, n, 0.0);
      return;
    }
    upper[j * m + j] = after;
    formula::scale(q, 1 / after, q, n);
  }

  // Solves R step = Q^T residual, adds the step to the solution and computes
  // the residual again from the columns, which avoids accumulated rounding.
  void add_correction(std::size_t m, std::size_t first, std::size_t n,
                      const GpRows& rows, std::vector<double>& solution) {
    std::vector<double> step(m, 0.0);
    for (std::size_t j = 0; j < m; ++j) {
      step[j] = dropped[j] ? 0 : formula::dot(basis[j], extra[0], n);
    }
    for (std::size_t j = m; j-- > 0;) {
      if (dropped[j]) {
        step[j] = 0;
        continue;
      }
      for (std::size_t k = j + 1; k < m; ++k) {
        step[j] -= upper[j * m + k] * step[k];
      }
      step[j] /= upper[j * m + j];
    }
    for (std::size_t j = 0; j < m; ++j) solution[j] += step[j];
    double* residual = extra[0];
    std::copy_n(rows.target.data(), n, residual);
    for (std::size_t j = 0; j < m; ++j) {
      if (j >= first) {
        formula::add_scaled(phi[j - first], -solution[j], residual, n);
      } else if (rows.weight.data() == nullptr) {
        for (std::size_t i = 0; i < n; ++i) residual[i] -= solution[j];
      } else {
        formula::add_scaled(rows.weight.data(), -solution[j], residual, n);
      }
    }
  }

  // Builds the equations of the Levenberg-Marquardt step. The slopes are scaled
  // by their coefficients and projected on the complement of the basis: a
  // change within the basis is undone by the coefficients, which are solved
  // again. Kaufman's approximation neglects the derivative of the projection
  // itself.
  void normal_equations(const GpModel& model, const GpRows& rows,
                        std::vector<double>& a, std::vector<double>& b) {
    const std::size_t n = rows.rows;
    const std::size_t k = slope_term.size();
    const std::size_t m = dropped.size();
    for (std::size_t i = 0; i < k; ++i) {
      double* slope = slopes[i];
      formula::scale(slope, model.coefficients[slope_term[i]], slope, n);
      for (std::size_t j = 0; j < m; ++j) {
        if (dropped[j]) continue;
        formula::add_scaled(basis[j], -formula::dot(basis[j], slope, n), slope,
                            n);
      }
    }
    a.assign(k * k, 0);
    b.assign(k, 0);
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        a[i * k + j] = a[j * k + i] = formula::dot(slopes[i], slopes[j], n);
      }
      b[i] = formula::dot(slopes[i], extra[0], n);
    }
  }
};

namespace {

void set_constants(GpModel& model, const std::vector<double>& constants) {
  std::size_t next = 0;
  for (GpTree& term : model.terms) {
    for (GpNode& node : term) {
      if (node.op == Op::Constant) node.value = constants[next++];
    }
  }
}

std::vector<double> inner_constants(const GpModel& model) {
  std::vector<double> all;
  for (const GpTree& term : model.terms) {
    for (const GpNode& node : term) {
      if (node.op == Op::Constant) all.push_back(node.value);
    }
  }
  return all;
}

}  // namespace

GpFitter::GpFitter() : state_(std::make_unique<State>()) {}
GpFitter::~GpFitter() = default;
GpFitter::GpFitter(GpFitter&&) noexcept = default;
GpFitter& GpFitter::operator=(GpFitter&&) noexcept = default;

std::uint64_t GpFitter::fits() const { return state_->fits; }

bool GpFitter::fit(GpModel& model, const GpRows& rows,
                   const GpFitOptions& options) {
  State& state = *state_;
  ++state.fits;
  model.nmse = std::numeric_limits<double>::infinity();
  std::vector<double> constants = inner_constants(model);
  const bool has_slopes = !constants.empty() && options.steps > 0;
  if (!state.evaluate(model, rows, has_slopes)) return false;
  double error = state.solve(model, rows);
  if (!std::isfinite(error)) return false;
  GpModel best = model;
  double damping = options.damping;
  std::vector<double> a;
  std::vector<double> b;
  std::vector<double> step;
  for (int i = 0; has_slopes && i < options.steps; ++i) {
    if (error < 1e-31 * rows.variance) break;  // Only rounding is left.
    state.normal_equations(best, rows, a, b);
    bool is_better = false;
    double before = error;
    for (int attempt = 0; attempt < kTries && !is_better; ++attempt) {
      if (solve_damped(a, constants.size(), damping, b, step)) {
        std::vector<double> moved = constants;
        for (std::size_t k = 0; k < moved.size(); ++k) moved[k] += step[k];
        set_constants(model, moved);
        if (state.evaluate(model, rows, false)) {
          const double tried = state.solve(model, rows);
          if (std::isfinite(tried) && tried < error) {
            is_better = true;
            error = tried;
            constants = std::move(moved);
            best = model;
          }
        }
      }
      // Less damping after a success (towards Gauss-Newton), more after a
      // failure (towards a short gradient step).
      damping *= is_better ? 0.15 : 8;
    }
    if (!is_better || error > before * (1 - 1e-5)) break;  // Converged.
    if (i + 1 < options.steps && !state.evaluate(model, rows, true)) break;
  }
  model = std::move(best);
  model.nmse = error / rows.variance;
  double largest = 0;
  for (std::size_t t = 0; t < model.terms.size(); ++t) {
    const double size = formula::dot(state.phi[t], state.phi[t], rows.rows) *
                        model.coefficients[t] * model.coefficients[t];
    // phi may be of a rejected step, and then not finite.
    if (std::isfinite(size)) largest = std::max(largest, size);
  }
  const double target =
      formula::dot(rows.target.data(), rows.target.data(), rows.rows);
  model.cancellation = std::sqrt(largest / std::max(target, 1e-300));
  return true;
}

void GpFitter::values(const GpTree& tree, const GpRows& rows, double* out) {
  for (std::size_t start = 0; start < rows.rows; start += kBlockRows) {
    const std::size_t live = std::min(kBlockRows, rows.rows - start);
    std::copy_n(state_->runner.run(tree, rows, start, padded_rows(live)), live,
                out + start);
  }
}

void GpFitter::values(const GpModel& model, const GpRows& rows,
                      std::vector<double>& out) {
  out.assign(rows.rows, model.intercept);
  for (std::size_t t = 0; t < model.terms.size(); ++t) {
    for (std::size_t start = 0; start < rows.rows; start += kBlockRows) {
      const std::size_t live = std::min(kBlockRows, rows.rows - start);
      formula::add_scaled(
          state_->runner.run(model.terms[t], rows, start, padded_rows(live)),
          model.coefficients[t], out.data() + start, live);
    }
  }
}

GpFitter::Remains GpFitter::remains(const GpModel& model, const GpRows& rows) {
  GpModel copy = model;
  state_->evaluate(copy, rows, false);
  state_->solve(copy, rows);
  Remains remains{.residual = state_->extra[0], .basis = {}, .columns = {}};
  for (std::size_t j = 0; j < state_->dropped.size(); ++j) {
    if (!state_->dropped[j]) remains.basis.push_back(state_->basis[j]);
  }
  for (std::size_t t = 0; t < model.terms.size(); ++t) {
    remains.columns.push_back(state_->phi[t]);
  }
  return remains;
}

void GpFitter::adjoint(const GpTree& term, std::size_t node, const GpRows& rows,
                       double* out, double* node_values) {
  // Only `node` and the nodes above it need an adjoint.
  std::vector<char> wanted(term.size(), 0);
  const std::size_t first = first_of(term, node);
  for (std::size_t i = node; i < term.size(); ++i) {
    wanted[i] = first_of(term, i) <= first && i >= node ? 1 : 0;
  }
  for (std::size_t start = 0; start < rows.rows; start += kBlockRows) {
    const std::size_t live = std::min(kBlockRows, rows.rows - start);
    state_->runner.run(term, rows, start, padded_rows(live));
    state_->runner.run_back(term, padded_rows(live), wanted);
    std::copy_n(state_->runner.adjoints(node), live, out + start);
    std::copy_n(state_->runner.values(node), live, node_values + start);
  }
}

}  // namespace lamarck::gp
