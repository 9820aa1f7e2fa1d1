#include "lamarck/gp/gp_moves.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "lamarck/formula/block_sums.h"
#include "lamarck/gp/gp_normalise.h"

namespace lamarck::gp {

using formula::Op;

namespace {

using Child = std::optional<GpModel>;

std::size_t random_term(const GpModel& model, Rng& rng) {
  return rng.below(model.terms.size());
}

// Screens the library against the residual of a model.
Screening make_screening(const GpFitter::Remains& remains) {
  return {
      .residual = remains.residual, .weight = nullptr, .basis = remains.basis};
}

Child add_screened_term(const GpModel& model, GpMoveContext& context) {
  if (model.terms.size() >= context.options.max_terms) return std::nullopt;
  const GpRows& rows = context.data.subset();
  const auto remains = context.fitter.remains(model, rows);
  Screening screening = make_screening(remains);
  screening.weight = rows.weight.data();
  GpModel child = model;
  child.terms.push_back(
      context.library.screen(screening, rows.rows, context.rng));
  return child;
}

Child replace_screened_term(const GpModel& model, GpMoveContext& context) {
  if (model.terms.size() < 2) return std::nullopt;
  GpModel child = model;
  child.terms.erase(child.terms.begin() + static_cast<std::ptrdiff_t>(
                                              random_term(model, context.rng)));
  return add_screened_term(child, context);
}

// Multiplies or divides a term t by g, or adds t * g or t / g as a new term.
// The screening looks for the factor; a quotient is tried now and then.
Child multiply_screened(const GpModel& model, GpMoveContext& context) {
  const GpRows& rows = context.data.subset();
  const std::size_t t = random_term(model, context.rng);
  const bool joins =
      context.rng.chance(0.4) && model.terms.size() < context.options.max_terms;
  GpModel child = model;
  std::vector<double> column(rows.rows);
  {
    const auto remains = context.fitter.remains(model, rows);
    std::copy_n(remains.columns[t], rows.rows, column.data());
  }
  if (!joins) {
    child.terms.erase(child.terms.begin() + static_cast<std::ptrdiff_t>(t));
  }
  const auto remains = context.fitter.remains(child, rows);
  Screening screening = make_screening(remains);
  screening.weight = column.data();
  const GpTree& g = context.library.screen(screening, rows.rows, context.rng);
  const Op op = context.rng.chance(0.8) ? Op::Mul : Op::Div;
  child.terms.push_back(gp_apply(op, model.terms[t], g));
  return child;
}

// The least-squares coefficient of weight * g for the residual, apart from what
// the basis explains.
double screened_coefficient(const GpTree& g, const Screening& screening,
                            GpMoveContext& context) {
  const GpRows& rows = context.data.subset();
  const std::size_t n = rows.rows;
  std::vector<double> column(padded_rows(n));
  context.fitter.values(g, rows, column.data());
  if (screening.weight != nullptr) {
    formula::multiply(column.data(), screening.weight, column.data(), n);
  }
  const double hit = formula::dot(screening.residual, column.data(), n);
  double size = formula::dot(column.data(), column.data(), n);
  for (const double* q : screening.basis) {
    const double part = formula::dot(q, column.data(), n);
    size -= part * part;
  }
  const double share = hit / size;
  return std::isfinite(share) && size > 0 ? share : 0;
}

GpTree times(const GpTree& g, double c) {
  return gp_apply(Op::Mul, g, gp_constant(c));
}

// Returns n (1 + c g) or n / (1 - c g), which agree to first order in c.
GpTree corrected(const GpTree& n, const GpTree& g, double c, Rng& rng) {
  if (rng.chance(0.5)) {
    return gp_apply(Op::Mul, n, gp_apply(Op::Add, times(g, c), gp_constant(1)));
  }
  return gp_apply(Op::Div, n, gp_apply(Op::Add, times(g, -c), gp_constant(1)));
}

// A node of a model and its effect on the subset of the rows.
struct NodeView {
  std::size_t term = 0;
  std::size_t node = 0;
  GpFitter::Remains remains;   // Residuals; valid until the next fit.
  std::vector<double> slope;   // d prediction / d node, weighted.
  std::vector<double> values;  // Values of the node.
};

NodeView random_node(const GpModel& model, GpMoveContext& context) {
  const GpRows& rows = context.data.subset();
  const std::size_t n = rows.rows;
  NodeView view;
  view.term = random_term(model, context.rng);
  const GpTree& term = model.terms[view.term];
  view.node = context.rng.below(term.size());
  view.remains = context.fitter.remains(model, rows);
  view.slope.resize(padded_rows(n));
  view.values.resize(padded_rows(n));
  double* slope = view.slope.data();
  context.fitter.adjoint(term, view.node, rows, slope, view.values.data());
  formula::scale(slope, model.coefficients[view.term], slope, n);
  if (rows.weight.data() != nullptr) {
    formula::multiply(slope, rows.weight.data(), slope, n);
  }
  return view;
}

// Changes a node n to n + c g or n (1 + c g). To first order, a change of the
// node changes the prediction by its derivative, which becomes the weight of
// the screening.
Child change_screened_node(const GpModel& model, GpMoveContext& context) {
  const GpRows& rows = context.data.subset();
  const std::size_t n = rows.rows;
  NodeView view = random_node(model, context);
  const GpTree& term = model.terms[view.term];
  std::vector<double>& slope = view.slope;
  const bool scales = context.rng.chance(0.5);
  if (scales) {
    formula::multiply(slope.data(), view.values.data(), slope.data(), n);
  }
  if (!formula::all_finite(slope.data(), n)) return std::nullopt;
  Screening screening = make_screening(view.remains);
  screening.weight = slope.data();
  const GpTree g = context.library.screen(screening, n, context.rng);
  const double c = screened_coefficient(g, screening, context);
  const GpTree old = subtree(term, view.node);
  const GpTree changed = scales ? corrected(old, g, c, context.rng)
                                : gp_apply(Op::Add, old, times(g, c));
  GpModel child = model;
  child.terms[view.term] = replaced(term, view.node, changed);
  return child;
}

// Replaces a node n by c g + d such that it also explains the residual as well
// as possible, to first order.
Child replace_screened_node(const GpModel& model, GpMoveContext& context) {
  const GpRows& rows = context.data.subset();
  const std::size_t n = rows.rows;
  NodeView view = random_node(model, context);
  const GpTree& term = model.terms[view.term];
  std::vector<double>& slope = view.slope;
  if (!formula::all_finite(slope.data(), n)) return std::nullopt;
  // The new node should give residual + slope * n. The part along the slope is
  // projected out, since the constant d covers it.
  std::vector<double> wanted(view.remains.residual, view.remains.residual + n);
  for (std::size_t i = 0; i < n; ++i) wanted[i] += slope[i] * view.values[i];
  const double size = formula::dot(slope.data(), slope.data(), n);
  if (!(size > 0) || !formula::all_finite(wanted.data(), n)) {
    return std::nullopt;
  }
  std::vector<double> unit(slope.begin(),
                           slope.begin() + static_cast<std::ptrdiff_t>(n));
  formula::scale(unit.data(), 1 / std::sqrt(size), unit.data(), n);
  const double along = formula::dot(unit.data(), wanted.data(), n);
  formula::add_scaled(unit.data(), -along, wanted.data(), n);
  const Screening screening{.residual = wanted.data(),
                            .weight = slope.data(),
                            .basis = {unit.data()}};
  const GpTree g = context.library.screen(screening, n, context.rng);
  const double c = screened_coefficient(g, screening, context);
  std::vector<double> column(padded_rows(n));
  context.fitter.values(g, rows, column.data());
  formula::multiply(column.data(), slope.data(), column.data(), n);
  const double d = (along - c * formula::dot(unit.data(), column.data(), n)) /
                   std::sqrt(size);
  if (!std::isfinite(d)) return std::nullopt;
  GpModel child = model;
  child.terms[view.term] =
      replaced(term, view.node, gp_apply(Op::Add, times(g, c), gp_constant(d)));
  return child;
}

// Multiplies or divides the whole sum by a correction.
Child correct_whole(const GpModel& model, GpMoveContext& context) {
  const GpRows& rows = context.data.subset();
  const std::size_t n = rows.rows;
  const auto remains = context.fitter.remains(model, rows);
  std::vector<double> whole(rows.target.data(), rows.target.data() + n);
  formula::add_scaled(remains.residual, -1, whole.data(), n);
  Screening screening = make_screening(remains);
  screening.weight = whole.data();
  const GpTree g = context.library.screen(screening, n, context.rng);
  const double c = screened_coefficient(g, screening, context);
  GpModel child;
  child.has_intercept = model.has_intercept;
  child.ancestor = model.ancestor;
  child.terms = {corrected(make_gp_tree(model), g, c, context.rng)};
  return child;
}

Child cross_subtrees(const GpModel& model, GpMoveContext& context) {
  if (context.mate.terms.empty()) return std::nullopt;
  GpModel child = model;
  const std::size_t t = random_term(model, context.rng);
  const GpTree& other =
      context.mate.terms[random_term(context.mate, context.rng)];
  const GpTree part = subtree(other, context.rng.below(other.size()));
  child.terms[t] =
      replaced(child.terms[t], context.rng.below(child.terms[t].size()), part);
  return child;
}

Child cross_terms(const GpModel& model, GpMoveContext& context) {
  if (context.mate.terms.empty()) return std::nullopt;
  GpModel child = model;
  for (const GpTree& term : context.mate.terms) {
    if (context.rng.chance(0.5)) child.terms.push_back(term);
  }
  while (child.terms.size() > context.options.max_terms) {
    child.terms.erase(
        child.terms.begin() +
        static_cast<std::ptrdiff_t>(random_term(child, context.rng)));
  }
  return child;
}

Child restart_constants(const GpModel& model, GpMoveContext& context) {
  GpModel child = model;
  bool changed = false;
  for (GpTree& term : child.terms) {
    for (GpNode& node : term) {
      if (node.op != Op::Constant || !context.rng.chance(0.5)) continue;
      node.value = context.rng.chance(0.3)
                       ? context.library.random_constant(context.rng)
                       : node.value * std::exp(context.rng.normal()) *
                             (context.rng.chance(0.15) ? -1 : 1);
      changed = true;
    }
  }
  return changed ? Child(child) : std::nullopt;
}

// Drops a term, or replaces a node with one of its arguments.
Child prune(const GpModel& model, GpMoveContext& context) {
  GpModel child = model;
  if (child.terms.size() > 1 && context.rng.chance(0.4)) {
    child.terms.erase(
        child.terms.begin() +
        static_cast<std::ptrdiff_t>(random_term(model, context.rng)));
    return child;
  }
  GpTree& term = child.terms[random_term(model, context.rng)];
  const std::size_t node = context.rng.below(term.size());
  if (term[node].length == 1) return std::nullopt;
  const bool is_binary = formula::operation(term[node].op).arity == 2;
  const std::size_t kept = is_binary && context.rng.chance(0.5)
                               ? first_argument(term, node)
                               : node - 1;
  term = replaced(term, node, subtree(term, kept));
  return child;
}

// Changes a constant, an input or an operation to another one.
Child change_point(const GpModel& model, GpMoveContext& context) {
  GpModel child = model;
  GpTree& term = child.terms[random_term(model, context.rng)];
  GpNode& node = term[context.rng.below(term.size())];
  const int arity = formula::operation(node.op).arity;
  if (node.op == Op::Constant) {
    node.value = context.library.random_constant(context.rng);
  } else if (node.op == Op::Input) {
    node.input =
        static_cast<std::uint16_t>(context.library.random_input(context.rng));
  } else if (arity == 1) {
    if (context.options.functions.empty()) return std::nullopt;
    node.op = context.library.random_function(context.rng);
  } else if (node.op != Op::Pow) {
    constexpr std::array kBinary = {Op::Add, Op::Sub, Op::Mul, Op::Div};
    node.op = kBinary[context.rng.below(kBinary.size())];
  }
  return child;
}

Child change_subtree(const GpModel& model, GpMoveContext& context) {
  GpModel child = model;
  GpTree& term = child.terms[random_term(model, context.rng)];
  const std::size_t node = context.rng.below(term.size());
  const GpTree fresh =
      context.rng.chance(0.5)
          ? context.library.random_tree(context.rng,
                                        static_cast<int>(context.rng.below(3)))
          : context.library
                .trees()[context.rng.below(context.library.trees().size())];
  term = replaced(term, node, fresh);
  return child;
}

// Puts a function, or an operation with a small tree, around a node.
Child insert_node(const GpModel& model, GpMoveContext& context) {
  GpModel child = model;
  GpTree& term = child.terms[random_term(model, context.rng)];
  const std::size_t node = context.rng.below(term.size());
  const GpTree old = subtree(term, node);
  GpTree fresh;
  if (context.rng.chance(0.4) && !context.options.functions.empty()) {
    fresh = gp_apply(context.library.random_function(context.rng), old);
  } else {
    constexpr std::array kBinary = {Op::Add, Op::Sub, Op::Mul, Op::Div};
    const GpTree small =
        context.rng.chance(0.4)
            ? gp_constant(context.library.random_constant(context.rng))
            : context.library.random_tree(context.rng, 1);
    fresh = gp_apply(kBinary[context.rng.below(kBinary.size())], old, small);
  }
  term = replaced(term, node, fresh);
  return child;
}

// Replaces a term with one of its subtrees.
Child hoist(const GpModel& model, GpMoveContext& context) {
  GpModel child = model;
  GpTree& term = child.terms[random_term(model, context.rng)];
  if (term.size() < 3) return std::nullopt;
  term = subtree(term, context.rng.below(term.size() - 1));
  return child;
}

Child add_random_term(const GpModel& model, GpMoveContext& context) {
  if (model.terms.size() >= context.options.max_terms) return std::nullopt;
  GpModel child = model;
  child.terms.push_back(context.library.random_tree(context.rng, 2));
  return child;
}

Child toggle_intercept(const GpModel& model, GpMoveContext& /*context*/) {
  GpModel child = model;
  child.has_intercept = !child.has_intercept;
  return child;
}

constexpr std::array<GpMove, 16> kMoves = {{
    {"add_screened_term", 8, add_screened_term},
    {"replace_screened_term", 4, replace_screened_term},
    {"multiply_screened", 5, multiply_screened},
    {"change_screened_node", 9, change_screened_node},
    {"replace_screened_node", 5, replace_screened_node},
    {"correct_whole", 3, correct_whole},
    {"cross_subtrees", 12, cross_subtrees},
    {"cross_terms", 8, cross_terms},
    {"restart_constants", 5, restart_constants},
    {"prune", 8, prune},
    {"change_point", 8, change_point},
    {"change_subtree", 8, change_subtree},
    {"insert_node", 8, insert_node},
    {"hoist", 3, hoist},
    {"add_random_term", 4, add_random_term},
    {"toggle_intercept", 2, toggle_intercept},
}};

}  // namespace

std::span<const GpMove> gp_moves() { return kMoves; }

}  // namespace lamarck::gp
