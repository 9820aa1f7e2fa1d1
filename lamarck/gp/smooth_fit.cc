#include "lamarck/gp/smooth_fit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "lamarck/formula/gram_matrix.h"

namespace lamarck::gp {
namespace {

constexpr std::size_t kMaxSmoothRows = 1200;
constexpr std::size_t kMaxSmoothTerms = 260;
constexpr std::size_t kRowsPerTerm = 3;
constexpr std::size_t kHeldOutEvery = 5;
constexpr int kMaxDegree = 14;
constexpr int kMaxHarmonic = 8;
constexpr double kSmoothDamping = 1e-13;

// The place of each input's function in a term; see Coordinate.
using Term = std::vector<std::size_t>;

// Functions of one input with their derivatives, in blocks of one degree each:
// first 1, then Chebyshev polynomials of the input mapped to [-1, 1], or
// sin(k x) and cos(k x).
struct Coordinate {
  std::vector<std::vector<double>> values;  // [function][row]
  std::vector<std::vector<double>> slopes;
  std::vector<int> degrees;  // Of each function.
};

Coordinate make_angle(const std::vector<double>& x) {
  const std::size_t rows = x.size();
  Coordinate result;
  result.values.emplace_back(rows, 1.0);
  result.slopes.emplace_back(rows, 0.0);
  result.degrees.push_back(0);
  for (int k = 1; k <= kMaxHarmonic; ++k) {
    std::vector<double> sine(rows);
    std::vector<double> cosine(rows);
    std::vector<double> sine_slope(rows);
    std::vector<double> cosine_slope(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      sine[row] = std::sin(k * x[row]);
      cosine[row] = std::cos(k * x[row]);
      sine_slope[row] = k * cosine[row];
      cosine_slope[row] = -k * sine[row];
    }
    result.values.push_back(std::move(sine));
    result.slopes.push_back(std::move(sine_slope));
    result.values.push_back(std::move(cosine));
    result.slopes.push_back(std::move(cosine_slope));
    result.degrees.insert(result.degrees.end(), 2, k);
  }
  return result;
}

Coordinate make_coordinate(const std::vector<double>& x, bool is_log) {
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  const bool takes_log = is_log && *low > 0;
  const auto mapped = [&](double v) { return takes_log ? std::log(v) : v; };
  const double middle = (mapped(*high) + mapped(*low)) / 2;
  const double half = std::max((mapped(*high) - mapped(*low)) / 2, 1e-300);
  const std::size_t rows = x.size();
  Coordinate result;
  result.values.assign(kMaxDegree + 1, std::vector<double>(rows, 1.0));
  result.slopes.assign(kMaxDegree + 1, std::vector<double>(rows, 0.0));
  for (int k = 0; k <= kMaxDegree; ++k) result.degrees.push_back(k);
  for (std::size_t row = 0; row < rows; ++row) {
    const double t = (mapped(x[row]) - middle) / half;
    const double inner = (takes_log ? 1 / x[row] : 1) / half;
    double before = 1;
    double now = t;
    double slope_before = 0;
    double slope_now = 1;
    for (std::size_t k = 1; k <= kMaxDegree; ++k) {
      result.values[k][row] = now;
      result.slopes[k][row] = slope_now * inner;
      const double next = 2 * t * now - before;
      const double slope_next = 2 * now + 2 * t * slope_now - slope_before;
      before = now;
      now = next;
      slope_before = slope_now;
      slope_now = slope_next;
    }
  }
  return result;
}

// The number of terms up to `degree`, as a double since it may be large.
double term_count(const std::vector<Coordinate>& coordinates, int degree) {
  // By total degree.
  std::vector<double> counts(static_cast<std::size_t>(degree) + 1, 0);
  counts[0] = 1;
  for (const Coordinate& coordinate : coordinates) {
    std::vector<double> next(counts.size(), 0);
    for (const int each : coordinate.degrees) {
      for (std::size_t d = 0; d + static_cast<std::size_t>(each) < next.size();
           ++d) {
        next[d + static_cast<std::size_t>(each)] += counts[d];
      }
    }
    counts = std::move(next);
  }
  double sum = 0;
  for (const double count : counts) sum += count;
  return sum;
}

void append_terms(const std::vector<Coordinate>& coordinates, std::size_t input,
                  int left, Term& term, std::vector<Term>& terms) {
  if (input == term.size()) {
    terms.push_back(term);
    return;
  }
  const std::vector<int>& degrees = coordinates[input].degrees;
  for (std::size_t k = 0; k < degrees.size() && degrees[k] <= left; ++k) {
    term[input] = k;
    append_terms(coordinates, input + 1, left - degrees[k], term, terms);
  }
  term[input] = 0;
}

// All terms up to the highest total degree that the rows allow.
std::vector<Term> choose_terms(const std::vector<Coordinate>& coordinates,
                               std::size_t rows) {
  const double most =
      static_cast<double>(std::min(kMaxSmoothTerms, rows / kRowsPerTerm));
  int degree = 1;
  while (degree < kMaxDegree && term_count(coordinates, degree + 1) <= most) {
    ++degree;
  }
  std::vector<Term> terms;
  Term term(coordinates.size(), 0);
  append_terms(coordinates, 0, degree, term, terms);
  return terms;
}

int total_degree(const std::vector<Coordinate>& coordinates, const Term& term) {
  int total = 0;
  for (std::size_t i = 0; i < term.size(); ++i) {
    total += coordinates[i].degrees[term[i]];
  }
  return total;
}

struct SmoothLink {
  std::vector<double> z;
  std::vector<double> change;  // |dy/dz| * weight
  bool is_possible = true;
};

SmoothLink link_target(const std::vector<double>& y,
                       const std::vector<double>& weight, SmoothTarget target) {
  SmoothLink linked;
  const bool has_one_sign =
      std::all_of(y.begin(), y.end(), [](double v) { return v > 0; }) ||
      std::all_of(y.begin(), y.end(), [](double v) { return v < 0; });
  if (target != SmoothTarget::Plain && !has_one_sign) {
    linked.is_possible = false;
    return linked;
  }
  for (std::size_t row = 0; row < y.size(); ++row) {
    const double v = y[row];
    const double w = weight.empty() ? 1 : std::fabs(weight[row]);
    if (target == SmoothTarget::Plain) {
      linked.z.push_back(v);
      linked.change.push_back(w);
    } else if (target == SmoothTarget::Log) {
      linked.z.push_back(std::log(std::fabs(v)));
      linked.change.push_back(w * std::fabs(v));
    } else if (target == SmoothTarget::Inverse) {
      linked.z.push_back(1 / v);
      linked.change.push_back(w * v * v);
    } else {
      linked.z.push_back(v * v);
      linked.change.push_back(w / (2 * std::fabs(v)));
    }
  }
  return linked;
}

double scaling_of(double z, SmoothTarget target) {
  switch (target) {
    case SmoothTarget::Plain:
      return z;
    case SmoothTarget::Log:
      return 1;
    case SmoothTarget::Inverse:
      return -z;
    case SmoothTarget::Square:
      return 2 * z;
  }
  return z;
}

// Rows spread evenly over the table, the held-out ones last.
std::vector<std::size_t> order_rows(std::size_t rows, std::size_t& fitted) {
  const std::size_t count = std::min(rows, kMaxSmoothRows);
  std::vector<std::size_t> order;
  std::vector<std::size_t> held_out;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = i * rows / count;
    (i % kHeldOutEvery == 0 ? held_out : order).push_back(row);
  }
  fitted = order.size();
  order.insert(order.end(), held_out.begin(), held_out.end());
  return order;
}

std::vector<double> picked_rows(const std::vector<double>& values,
                                const std::vector<std::size_t>& rows) {
  std::vector<double> result;
  result.reserve(rows.size());
  for (const std::size_t row : rows) result.push_back(values[row]);
  return result;
}

// The product of the functions of a term, with the derivative of one input's
// function if `sloped` is its place.
void fill_column(const std::vector<Coordinate>& coordinates, const Term& term,
                 std::size_t sloped, double* column, std::size_t rows) {
  std::fill_n(column, rows, 1.0);
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    if (term[i] == 0 && i != sloped) continue;
    const std::vector<double>& values = i == sloped
                                            ? coordinates[i].slopes[term[i]]
                                            : coordinates[i].values[term[i]];
    for (std::size_t row = 0; row < rows; ++row) column[row] *= values[row];
  }
}

// The normal equations of the columns and z, from the first rows of each.
std::vector<double> make_gram(const std::vector<double>& columns,
                              std::size_t terms, std::size_t rows,
                              std::size_t fitted,
                              const std::vector<double>& z) {
  std::vector<double> packed((terms + 1) * fitted);
  for (std::size_t t = 0; t < terms; ++t) {
    std::copy_n(columns.data() + t * rows, fitted, packed.data() + t * fitted);
  }
  std::copy_n(z.data(), fitted, packed.data() + terms * fitted);
  std::vector<double> gram((terms + 1) * (terms + 1));
  formula::gram_matrix(packed.data(), terms + 1, fitted, gram);
  return gram;
}

void add_products(const std::vector<double>& x,
                  const std::vector<double>& columns, std::size_t rows,
                  std::vector<double>& sum) {
  sum.assign(rows, 0);
  for (std::size_t t = 0; t < x.size(); ++t) {
    for (std::size_t row = 0; row < rows; ++row) {
      sum[row] += x[t] * columns[t * rows + row];
    }
  }
}

// The coefficients of the terms up to a total degree; empty if there is no
// solution.
std::vector<double> solve_up_to(int degree, const std::vector<int>& degrees,
                                const std::vector<double>& gram) {
  std::vector<std::uint8_t> wanted;
  wanted.reserve(degrees.size());
  for (const int each : degrees) wanted.push_back(each <= degree ? 1 : 0);
  std::vector<double> x(degrees.size());
  formula::DampedSolver solver;
  const bool is_solved = solver.solve(gram, degrees.size() + 1, degrees.size(),
                                      wanted, kSmoothDamping, x);
  return is_solved ? x : std::vector<double>();
}

double held_out_error(const std::vector<double>& z, const SmoothLink& linked,
                      std::size_t fitted) {
  double error = 0;
  for (std::size_t row = fitted; row < z.size(); ++row) {
    const double off = (z[row] - linked.z[row]) * linked.change[row];
    error += off * off;
  }
  return error / static_cast<double>(z.size() - fitted);
}

}  // namespace

SmoothFit fit_smooth(const RegressionProblem& problem,
                     const std::vector<double>& weight, const SmoothForm& form,
                     bool wants_slopes) {
  SmoothFit fit;
  fit.error = std::numeric_limits<double>::infinity();
  std::size_t fitted = 0;
  const std::vector<std::size_t> order = order_rows(problem.rows(), fitted);
  const std::size_t rows = order.size();
  const SmoothLink linked = link_target(
      picked_rows(problem.target, order),
      weight.empty() ? weight : picked_rows(weight, order), form.target);
  if (!linked.is_possible) return fit;
  std::vector<Coordinate> coordinates;
  for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
    const std::vector<double> input = picked_rows(problem.inputs[i], order);
    const bool is_angle = !form.angles.empty() && form.angles[i] != 0;
    coordinates.push_back(is_angle
                              ? make_angle(input)
                              : make_coordinate(input, form.has_log_inputs));
  }
  const std::vector<Term> terms = choose_terms(coordinates, fitted);
  std::vector<int> degrees;
  for (const Term& term : terms) {
    degrees.push_back(total_degree(coordinates, term));
  }
  std::vector<double> columns(terms.size() * rows);
  const auto fill = [&](std::size_t sloped) {
    for (std::size_t t = 0; t < terms.size(); ++t) {
      fill_column(coordinates, terms[t], sloped, columns.data() + t * rows,
                  rows);
    }
  };
  fill(coordinates.size());
  const std::vector<double> gram =
      make_gram(columns, terms.size(), rows, fitted, linked.z);
  // High degrees can be worse where the rows are sparse, so held-out rows
  // choose the degree.
  std::vector<double> x;
  const int lowest = problem.inputs.empty() ? 0 : 1;
  const int highest = *std::max_element(degrees.begin(), degrees.end());
  for (int degree = highest; degree >= lowest; --degree) {
    const std::vector<double> coefficients = solve_up_to(degree, degrees, gram);
    if (coefficients.empty()) continue;
    std::vector<double> z;
    add_products(coefficients, columns, rows, z);
    const double error = held_out_error(z, linked, fitted);
    if (!(error < fit.error)) continue;
    fit.error = error;
    fit.z = std::move(z);
    x = coefficients;
  }
  if (!wants_slopes || x.empty()) return fit;
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    fill(i);
    fit.slopes.emplace_back();
    add_products(x, columns, rows, fit.slopes.back());
  }
  for (const double z : fit.z) {
    fit.scaling.push_back(scaling_of(z, form.target));
  }
  fit.rows = order;
  return fit;
}

}  // namespace lamarck::gp
