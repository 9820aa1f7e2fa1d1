#include "lamarck/gp/gp_normalise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "lamarck/base/hash.h"

namespace lamarck::gp {

using formula::Op;

namespace {

struct Halves {
  GpTree a;
  GpTree b;
};

Halves halves(const GpTree& tree) {
  const std::size_t root = tree.size() - 1;
  return {subtree(tree, first_argument(tree, root)), subtree(tree, root - 1)};
}

GpTree argument(const GpTree& tree) { return {tree.begin(), tree.end() - 1}; }

// Removes constant factors, which the coefficient of the term can express.
// Keeps a negative factor where the sign matters, as under a square root.
GpTree without_scale(const GpTree& tree, bool sign_matters) {
  const auto is_strippable = [&](const GpTree& t) {
    return is_constant(t) && t[0].value != 0 &&
           (!sign_matters || t[0].value > 0);
  };
  switch (tree.back().op) {
    case Op::Neg:
      return sign_matters ? tree : without_scale(argument(tree), false);
    case Op::Mul:
    case Op::Div: {
      const Halves both = halves(tree);
      if (is_strippable(both.b)) return without_scale(both.a, sign_matters);
      if (is_strippable(both.a)) {
        const GpTree rest = without_scale(both.b, sign_matters);
        return tree.back().op == Op::Mul ? rest
                                         : gp_apply(Op::Reciprocal, rest);
      }
      if (is_constant(both.a) || is_constant(both.b)) return tree;
      return gp_apply(tree.back().op, without_scale(both.a, sign_matters),
                      without_scale(both.b, sign_matters));
    }
    case Op::Square:
    case Op::Abs:
      return gp_apply(tree.back().op, without_scale(argument(tree), false));
    case Op::Cube:
    case Op::Reciprocal:
      return gp_apply(tree.back().op,
                      without_scale(argument(tree), sign_matters));
    case Op::Sqrt:
      return gp_apply(tree.back().op, without_scale(argument(tree), true));
    default:
      return tree;
  }
}

// Splits a sum into terms without constant factors, which get coefficients of
// their own in the next fit.
void split_into(const GpTree& tree, std::vector<GpTree>& terms) {
  const GpTree bare = without_scale(tree, false);
  if (!has_input(bare)) return;
  if (bare.back().op == Op::Add || bare.back().op == Op::Sub) {
    const Halves both = halves(bare);
    split_into(both.a, terms);
    split_into(both.b, terms);
    return;
  }
  terms.push_back(bare);
}

// Returns base ** exponent without Op::Pow if the exponent is within 3 % of a
// simple number and `snaps` is set.
GpTree power(const GpTree& base, double exponent, bool snaps) {
  if (snaps) {
    constexpr std::array kNice = {0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0};
    for (const double nice : kNice) {
      if (std::fabs(std::fabs(exponent) - nice) < 0.03 * nice) {
        GpTree tree = base;
        if (nice == 0.5) tree = gp_apply(Op::Sqrt, base);
        if (nice == 1.5) {
          tree = gp_apply(Op::Mul, base, gp_apply(Op::Sqrt, base));
        }
        if (nice == 2) tree = gp_apply(Op::Square, base);
        if (nice == 2.5) {
          tree = gp_apply(Op::Mul, gp_apply(Op::Square, base),
                          gp_apply(Op::Sqrt, base));
        }
        if (nice == 3) tree = gp_apply(Op::Cube, base);
        if (nice == 4) {
          tree = gp_apply(Op::Square, gp_apply(Op::Square, base));
        }
        return exponent < 0 ? gp_apply(Op::Reciprocal, tree) : tree;
      }
    }
  }
  return gp_apply(Op::Pow, base, gp_constant(exponent));
}

// Converts exp(intercept + sum) to a product: c * log(f) becomes the factor
// f^c, other terms stay in the exponent. The coefficient replaces
// exp(intercept).
GpModel make_product(const GpModel& model, bool snaps) {
  GpTree above;
  GpTree below;
  GpTree exponent;
  const auto multiply = [](GpTree& product, const GpTree& factor) {
    product = product.empty() ? factor : gp_apply(Op::Mul, product, factor);
  };
  for (std::size_t t = 0; t < model.terms.size(); ++t) {
    const GpTree& term = model.terms[t];
    const double c = model.coefficients[t];
    if (c == 0) continue;
    if (term.back().op == Op::Log) {
      const GpTree factor = power(argument(term), c, snaps);
      if (factor.back().op == Op::Reciprocal) {
        multiply(below, argument(factor));
      } else {
        multiply(above, factor);
      }
      continue;
    }
    const GpTree part = gp_apply(Op::Mul, term, gp_constant(c));
    exponent = exponent.empty() ? part : gp_apply(Op::Add, exponent, part);
  }
  if (!exponent.empty()) multiply(above, gp_apply(Op::Exp, exponent));
  GpTree whole = above;
  if (!below.empty()) {
    whole = above.empty() ? gp_apply(Op::Reciprocal, below)
                          : gp_apply(Op::Div, above, below);
  }
  GpModel result;
  result.has_intercept = false;
  if (!whole.empty()) result.terms.push_back(whole);
  return result;
}

}  // namespace

void normalize(GpModel& model) {
  std::vector<GpTree> terms;
  for (const GpTree& term : model.terms) split_into(folded(term), terms);
  model.terms.clear();
  for (GpTree& term : terms) {
    term = folded(term);
    if (!has_input(term)) continue;
    // Terms with constants may differ after the fit, so they are repeated only
    // if the constants are equal as well.
    const auto is_twin = [&](const GpTree& other) {
      return term == other || (structure_hash(term) == structure_hash(other) &&
                               constant_count(term) == 0);
    };
    if (std::none_of(model.terms.begin(), model.terms.end(), is_twin)) {
      model.terms.push_back(std::move(term));
    }
  }
  model.coefficients.assign(model.terms.size(), 0);
}

bool is_allowed(const GpModel& model, const GpOptions& options) {
  if (model.terms.empty() || model.terms.size() > options.max_terms) {
    return false;
  }
  for (const GpTree& term : model.terms) {
    for (const GpNode& node : term) {
      if (node.op == Op::Constant && !std::isfinite(node.value)) return false;
    }
  }
  return model.size() <= options.max_nodes &&
         model.nesting() <= options.max_nesting;
}

GpTree make_gp_tree(const GpModel& model) {
  GpTree sum;
  for (std::size_t t = 0; t < model.terms.size(); ++t) {
    const GpTree part =
        gp_apply(Op::Mul, model.terms[t], gp_constant(model.coefficients[t]));
    sum = sum.empty() ? part : gp_apply(Op::Add, sum, part);
  }
  if (sum.empty()) return gp_constant(model.intercept);
  if (model.has_intercept) {
    sum = gp_apply(Op::Add, sum, gp_constant(model.intercept));
  }
  return sum;
}

GpModel unlinked(const GpModel& model, const GpData& data, bool snaps) {
  GpModel result;
  result.has_intercept = false;
  switch (data.link()) {
    case GpLink::Identity:
      return model;
    case GpLink::Log:
      result = make_product(model, snaps);
      break;
    case GpLink::Inverse:
      result.terms = {gp_apply(Op::Reciprocal, make_gp_tree(model))};
      break;
    case GpLink::Square:
      result.terms = {gp_apply(Op::Sqrt, make_gp_tree(model))};
      break;
    case GpLink::Root:
      result.terms = {gp_apply(Op::Square, make_gp_tree(model))};
      break;
    case GpLink::InverseSquare:
      result.terms = {
          gp_apply(Op::Reciprocal, gp_apply(Op::Sqrt, make_gp_tree(model)))};
      break;
    case GpLink::InverseRoot:
      result.terms = {
          gp_apply(Op::Reciprocal, gp_apply(Op::Square, make_gp_tree(model)))};
      break;
  }
  for (GpTree& term : result.terms) term = folded(term);
  result.coefficients.assign(result.terms.size(), 0);
  return result;
}

std::uint64_t structure_hash(const GpModel& model) {
  // A sum does not depend on the order of the terms.
  std::uint64_t sum = 0;
  for (const GpTree& term : model.terms) sum += mix64(structure_hash(term));
  return sum;
}

}  // namespace lamarck::gp
