#include "lamarck/gp/gp_library.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lamarck/formula/block_sums.h"

namespace lamarck::gp {

using formula::Op;

namespace {

constexpr std::size_t kBest = 12;  // Candidates that a screening draws from.
constexpr std::size_t kMaxLibraryNodes = 12;  // Nodes of a tree in the library.

}  // namespace

GpLibrary::GpLibrary(const GpData& data, const GpOptions& options,
                     std::vector<std::size_t> inputs, Rng rng, bool of_factors,
                     const CancelToken& cancel)
    : data_(&data),
      options_(options),
      inputs_(std::move(inputs)),
      rows_(data.subset().rows),
      of_factors_(of_factors) {
  trees_.resize(options_.library);
  values_.resize(options_.library * rows_);
  squares_.resize(options_.library * rows_);
  find_bases(cancel);
  fill_plain(rng, cancel);
}

// x, x^2, x^3, f(x), x*y and x/y of all inputs.
std::vector<GpTree> GpLibrary::plain_trees() const {
  std::vector<GpTree> plain;
  for (const std::size_t i : inputs_) {
    plain.push_back(gp_input(i));
    plain.push_back(gp_apply(Op::Square, gp_input(i)));
    plain.push_back(gp_apply(Op::Cube, gp_input(i)));
    for (const Op op : options_.functions) {
      plain.push_back(gp_apply(op, gp_input(i)));
    }
    for (const std::size_t j : inputs_) {
      if (j > i) plain.push_back(gp_apply(Op::Mul, gp_input(i), gp_input(j)));
      if (j != i) plain.push_back(gp_apply(Op::Div, gp_input(i), gp_input(j)));
    }
  }
  return plain;
}

// f(x + y), f(x - y), f(x*y) and f(x/y) of all inputs, in random order.
std::vector<GpTree> GpLibrary::pair_trees(Rng& rng) const {
  std::vector<GpTree> trees;
  for (const std::size_t i : inputs_) {
    for (const std::size_t j : inputs_) {
      if (i == j) continue;
      std::vector<Op> joins = {Op::Sub, Op::Div};
      if (i < j) joins.insert(joins.end(), {Op::Add, Op::Mul});
      for (const Op join : joins) {
        const GpTree pair = gp_apply(join, gp_input(i), gp_input(j));
        if (join == Op::Add || (join == Op::Sub && i < j)) {
          trees.push_back(pair);
        }
        for (const Op op : options_.functions) {
          // The sign of a difference matters to few functions.
          const bool is_signed =
              op == Op::Exp || op == Op::Log || op == Op::Sqrt;
          if (join == Op::Sub && i > j && !is_signed) continue;
          trees.push_back(gp_apply(op, pair));
        }
      }
    }
  }
  rng.shuffle(std::span(trees));
  return trees;
}

// Fills the library with plain trees, up to half of it with functions of pairs,
// and then with random trees. The order is random, so that any stretch is a
// fair sample for `screen`.
void GpLibrary::fill_plain(Rng& rng, const CancelToken& cancel) {
  std::vector<std::size_t> order(trees_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  rng.shuffle(std::span(order));
  std::size_t next = 0;
  const auto fill = [&](const std::vector<GpTree>& trees, std::size_t end) {
    for (const GpTree& tree : trees) {
      if (next + 1 >= end || cancel.is_cancelled()) return;
      if (place(order[next], tree)) ++next;
      if (!of_factors_) continue;
      if (place(order[next], folded(gp_apply(Op::Log, tree)))) ++next;
    }
  };
  fill(plain_trees(), order.size());
  fill(pair_trees(rng), order.size() / 2);
  for (std::size_t k = next; k < order.size(); ++k) {
    replaceable_.push_back(order[k]);
  }
  if (replaceable_.empty()) replaceable_ = order;
  // If too many random trees are unusable, for example because no input varies,
  // the rest is filled with an input.
  for (std::size_t tries = 0; next < order.size(); ++tries) {
    if (cancel.is_cancelled()) break;
    const GpTree tree =
        tries > 50 * order.size() ? gp_input(inputs_[0]) : random_tree(rng, 2);
    if (place(order[next], tree) || tries > 60 * order.size()) ++next;
  }
  for (GpTree& tree : trees_) {
    if (tree.empty()) tree = gp_input(inputs_[0]);
  }
}

// Stores the tree and its scaled values at `index`. Returns false if the values
// are not finite, are nearly constant (the intercept covers these) or are too
// large or small for single precision after scaling.
bool GpLibrary::place(std::size_t index, const GpTree& tree) {
  if (tree.size() > kMaxLibraryNodes || !has_input(tree)) return false;
  std::vector<double> values(padded_rows(rows_));
  fitter_.values(tree, data_->subset(), values.data());
  if (!formula::all_finite(values.data(), rows_)) return false;
  double mean = 0;
  for (std::size_t i = 0; i < rows_; ++i) mean += values[i];
  mean /= static_cast<double>(rows_);
  const double square = formula::dot(values.data(), values.data(), rows_) /
                        static_cast<double>(rows_);
  const double spread = formula::squared_distance(values.data(), mean, rows_) /
                        static_cast<double>(rows_);
  if (!(spread > 1e-12 * square) || !(square > 1e-100) || square > 1e100) {
    return false;
  }
  const double factor = 1 / std::sqrt(square);
  for (std::size_t i = 0; i < rows_; ++i) {
    const auto value = static_cast<float>(values[i] * factor);
    values_[index * rows_ + i] = value;
    squares_[index * rows_ + i] = value * value;
  }
  trees_[index] = tree;
  return true;
}

double GpLibrary::random_constant(Rng& rng) const {
  if (rng.chance(0.5)) return static_cast<double>(rng.integer(1, 5));
  const double size = std::exp(rng.uniform(-3, 3));
  return rng.chance(0.5) ? size : -size;
}

std::size_t GpLibrary::random_input(Rng& rng) const {
  return inputs_[rng.below(inputs_.size())];
}

Op GpLibrary::random_function(Rng& rng) const {
  return options_.functions[rng.below(options_.functions.size())];
}

// Collects x, x^2, 1/x, x*y, x/y, x+y and x-y of all inputs, as far as they are
// finite.
void GpLibrary::find_bases(const CancelToken& cancel) {
  const auto add = [&](const GpTree& tree) {
    std::vector<double> values(padded_rows(rows_));
    fitter_.values(tree, data_->subset(), values.data());
    if (!formula::all_finite(values.data(), rows_)) return;
    values.resize(rows_);
    std::sort(values.begin(), values.end());
    double mean = 0;
    for (const double value : values) mean += value;
    mean /= static_cast<double>(rows_);
    Base base{.tree = tree, .deviation = 1, .quantiles = {}};
    base.deviation =
        std::sqrt(formula::squared_distance(values.data(), mean, rows_) /
                  static_cast<double>(rows_));
    if (!(base.deviation > 0)) base.deviation = 1;
    for (std::size_t i = 0; i <= 32; ++i) {
      base.quantiles.push_back(values[i * (rows_ - 1) / 32]);
    }
    bases_.push_back(std::move(base));
  };
  for (const std::size_t i : inputs_) add(gp_input(i));
  single_bases_ = bases_.size();
  for (const std::size_t i : inputs_) {
    if (cancel.is_cancelled()) return;
    add(gp_apply(Op::Square, gp_input(i)));
    add(gp_apply(Op::Reciprocal, gp_input(i)));
    for (const std::size_t j : inputs_) {
      if (i == j) continue;
      add(gp_apply(Op::Div, gp_input(i), gp_input(j)));
      if (j < i) continue;
      add(gp_apply(Op::Mul, gp_input(i), gp_input(j)));
      add(gp_apply(Op::Sub, gp_input(i), gp_input(j)));
      add(gp_apply(Op::Add, gp_input(i), gp_input(j)));
    }
  }
}

// Returns b, k*b, b - q or k*(b - q). k is of the order of 1/deviation, and q
// is a value of b, a value near its range, or 1 or -1. Constants of the right
// scale give the fit a good start.
GpTree GpLibrary::scaled_base(Rng& rng) const {
  const bool is_pair = bases_.size() > single_bases_ && rng.chance(0.25);
  const Base& base =
      is_pair ? bases_[single_bases_ + rng.below(bases_.size() - single_bases_)]
              : bases_[rng.below(single_bases_)];
  GpTree tree = base.tree;
  if (rng.chance(0.4)) {
    const double kind = rng.uniform();
    const double low = base.quantiles.front();
    const double high = base.quantiles.back();
    const double q =
        kind < 0.6   ? base.quantiles[rng.below(base.quantiles.size())]
        : kind < 0.8 ? rng.uniform(low - (high - low), high + (high - low))
                     : (rng.chance(0.5) ? 1.0 : -1.0);
    tree = gp_apply(Op::Add, tree, gp_constant(-q));
  }
  if (rng.chance(0.55)) {
    const double scale =
        rng.chance(0.7)
            ? std::exp(rng.uniform(std::log(0.1), std::log(10.0)))
            : std::exp(rng.uniform(std::log(0.03), std::log(300.0)));
    const double k = scale / base.deviation;
    tree = gp_apply(Op::Mul, tree, gp_constant(rng.chance(0.5) ? k : -k));
  }
  return tree;
}

GpTree GpLibrary::apply_random_function(const GpTree& argument,
                                        Rng& rng) const {
  if (options_.has_powers && rng.chance(0.08)) {
    return gp_apply(Op::Pow, argument, gp_constant(rng.uniform(-2, 3)));
  }
  if (options_.functions.empty()) return argument;
  return gp_apply(random_function(rng), argument);
}

bool GpLibrary::has(Op op) const {
  return std::find(options_.functions.begin(), options_.functions.end(), op) !=
         options_.functions.end();
}

GpTree GpLibrary::maybe_logarithm(const GpTree& tree, Rng& rng) const {
  if (!of_factors_ || !rng.chance(0.7)) return tree;
  return folded(gp_apply(Op::Log, tree));
}

GpTree GpLibrary::random_shape(Rng& rng) const {
  const Base& base = bases_[rng.chance(0.85) ? rng.below(single_bases_)
                                             : rng.below(bases_.size())];
  const double k =
      std::exp(rng.uniform(std::log(0.3), std::log(10.0))) / base.deviation;
  const GpTree shifted =
      gp_apply(Op::Add, base.tree,
               gp_constant(-base.quantiles[rng.below(base.quantiles.size())]));
  const GpTree u =
      gp_apply(Op::Mul, shifted, gp_constant(rng.chance(0.5) ? k : -k));
  const auto one_plus = [](const GpTree& tree) {
    return gp_apply(Op::Add, tree, gp_constant(1));
  };
  GpTree square = gp_apply(Op::Square, u);
  switch (rng.below(9)) {
    case 0:
      return gp_apply(Op::Reciprocal, one_plus(square));
    case 1:
      return gp_apply(Op::Reciprocal, one_plus(gp_apply(Op::Square, square)));
    case 2:
      return one_plus(square);
    case 3:
      return gp_apply(
          Op::Div, base.tree,
          gp_apply(Op::Add, base.tree,
                   gp_constant(base.deviation * std::exp(rng.uniform(-2, 2)))));
    case 4:
      if (!has(Op::Exp)) return square;
      return gp_apply(Op::Exp, gp_apply(Op::Neg, square));
    case 5:
      if (!has(Op::Exp)) return square;
      return gp_apply(Op::Reciprocal, one_plus(gp_apply(Op::Exp, u)));
    case 6:
      if (!has(Op::Exp)) return square;
      return gp_apply(
          Op::Add,
          gp_apply(Op::Exp, gp_apply(Op::Mul, base.tree, gp_constant(-k))),
          gp_constant(-1));
    case 7:
      return has(Op::Tanh) ? gp_apply(Op::Tanh, u) : u;
    default:
      return has(Op::Abs) ? gp_apply(Op::Abs, u) : square;
  }
}

GpTree GpLibrary::random_leaf(Rng& rng) const {
  // There is no base if no input has finite values.
  if (single_bases_ == 0) return gp_input(random_input(rng));
  return rng.chance(0.4) ? gp_input(random_input(rng)) : scaled_base(rng);
}

GpTree GpLibrary::random_tree(Rng& rng, int depth) const {
  if (depth <= 0) return random_leaf(rng);
  const double kind = rng.uniform();
  if (kind < 0.1 && single_bases_ > 0) return random_shape(rng);
  if (kind < 0.25) return random_leaf(rng);
  if (kind < 0.6)
    return apply_random_function(random_tree(rng, depth - 1), rng);
  const Op op = kind < 0.8    ? Op::Mul
                : kind < 0.88 ? Op::Div
                : kind < 0.95 ? Op::Add
                              : Op::Sub;
  const GpTree a = random_tree(rng, depth - 1);
  // x / (x + k): saturation, as in Michaelis-Menten kinetics.
  if (op == Op::Div && rng.chance(0.3)) {
    const std::size_t i = random_input(rng);
    const GpInput& input = data_->inputs()[i];
    const double k = input.deviation * std::exp(rng.uniform(-2, 2));
    return gp_apply(Op::Div, rng.chance(0.7) ? gp_input(i) : a,
                    gp_apply(Op::Add, gp_input(i), gp_constant(k)));
  }
  return gp_apply(op, a, random_tree(rng, depth - 1));
}

// With an orthonormal basis q, a new column g reduces the squared residual r by
//   (r . g)^2 / (|g|^2 - sum of (q . g)^2),
// where the denominator is the squared part of g outside of the basis. All dot
// products come from one product of two matrices.
const GpTree& GpLibrary::screen(const Screening& screening, std::size_t rows,
                                Rng& rng) const {
  const std::size_t count = std::min(options_.screened, trees_.size());
  const std::size_t first = rng.below(trees_.size() - count + 1);
  // Moving the weight to the other factor, r . (w g) = (w r) . g, lets all
  // trees share their stored values. Columns of `wanted`: w * residual, w *
  // basis. Both are scaled to at most 1, so that single precision does not
  // overflow.
  const std::size_t m = screening.basis.size() + 1;
  std::vector<float> wanted(m * rows);
  std::vector<float> squared_weight(rows, 1.0F);
  double largest = 1e-300;
  for (std::size_t i = 0; i < rows; ++i) {
    const double w = screening.weight == nullptr ? 1 : screening.weight[i];
    largest = std::max(largest, std::fabs(w));
  }
  if (!std::isfinite(largest)) return trees_[first];
  double residual_scale = 1e-300;
  for (std::size_t i = 0; i < rows; ++i) {
    residual_scale = std::max(residual_scale, std::fabs(screening.residual[i]));
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const double w =
        screening.weight == nullptr ? 1 : screening.weight[i] / largest;
    wanted[i] =
        static_cast<float>(w * (screening.residual[i] / residual_scale));
    for (std::size_t j = 1; j < m; ++j) {
      wanted[j * rows + i] = static_cast<float>(w * screening.basis[j - 1][i]);
    }
    squared_weight[i] = static_cast<float>(w * w);
  }
  std::vector<float> products(count * m);
  std::vector<float> norms(count);
  formula::dot_all(values_.data() + first * rows_, count, wanted.data(), m,
                   rows, products.data());
  if (screening.weight == nullptr) {
    // All trees have mean square 1.
    std::fill(norms.begin(), norms.end(), static_cast<float>(rows));
  } else {
    formula::dot_all(squares_.data() + first * rows_, count,
                     squared_weight.data(), 1, rows, norms.data());
  }
  std::vector<std::pair<float, std::size_t>> scores;
  scores.reserve(count);
  for (std::size_t k = 0; k < count; ++k) {
    float left = norms[k];
    for (std::size_t j = 1; j < m; ++j) {
      left -= products[k * m + j] * products[k * m + j];
    }
    const float share = products[k * m] * products[k * m];
    // If nearly all of g lies in the basis, `left` is mostly rounding.
    const float score = left > 1e-4F * norms[k] ? share / left : 0.0F;
    scores.emplace_back(-score, k);
  }
  const std::size_t best = std::min(kBest, scores.size());
  std::partial_sort(scores.begin(),
                    scores.begin() + static_cast<std::ptrdiff_t>(best),
                    scores.end());
  // The minimum of two draws prefers the best trees but keeps some variety.
  const std::size_t rank = std::min(rng.below(best), rng.below(best));
  return trees_[first + scores[rank].second];
}

void GpLibrary::restore(std::vector<GpTree> trees) {
  trees.resize(trees_.size(), gp_input(inputs_[0]));
  for (std::size_t i = 0; i < trees.size(); ++i) place(i, trees[i]);
}

void GpLibrary::refresh(const std::vector<GpTree>& found, std::size_t count,
                        Rng& rng) {
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_found = !found.empty() && rng.chance(0.4);
    const GpTree tree = is_found ? found[rng.below(found.size())]
                                 : maybe_logarithm(random_tree(rng, 2), rng);
    place(replaceable_[rng.below(replaceable_.size())], tree);
  }
}

}  // namespace lamarck::gp
