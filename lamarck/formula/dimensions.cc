#include "lamarck/formula/dimensions.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lamarck::formula {
namespace {

constexpr double kDimensionTolerance = 1e-6;
// Fitted exponents count as the nearest multiple of 1/12 this close.
constexpr double kExponentTolerance = 0.01;

double dot_product(const Dimension& a, const Dimension& b) {
  double sum = 0;
  for (std::size_t i = 0; i < kBaseUnits; ++i) sum += a[i] * b[i];
  return sum;
}

Dimension combined_dimension(const Dimension& a, const Dimension& b,
                             double factor) {
  Dimension sum = a;
  for (std::size_t i = 0; i < kBaseUnits; ++i) sum[i] += factor * b[i];
  return sum;
}

Dimension scaled_dimension(const Dimension& a, double factor) {
  return combined_dimension(Dimension{}, a, factor);
}

bool is_pure_number(const Dimension& a) { return are_equal(a, Dimension{}); }

// An orthonormal basis of what the constants span.
std::vector<Dimension> orthonormal(std::span<const Dimension> constants) {
  std::vector<Dimension> basis;
  for (const Dimension& constant : constants) {
    Dimension rest = constant;
    for (const Dimension& known : basis) {
      rest = combined_dimension(rest, known, -dot_product(rest, known));
    }
    const double norm = std::sqrt(dot_product(rest, rest));
    if (norm > kDimensionTolerance)
      basis.push_back(scaled_dimension(rest, 1 / norm));
  }
  return basis;
}

Dimension without_constants(Dimension dimension,
                            const std::vector<Dimension>& basis) {
  for (const Dimension& known : basis) {
    dimension =
        combined_dimension(dimension, known, -dot_product(dimension, known));
  }
  return dimension;
}

using Maybe = std::optional<Dimension>;

Maybe same_dimension(const Dimension& a, const Dimension& b) {
  return are_equal(a, b) ? Maybe(a) : std::nullopt;
}

Maybe pure_if(bool holds) { return holds ? Maybe(Dimension{}) : std::nullopt; }

// The value of a node that is a number, else nullopt.
std::optional<double> number_of(const Node& node,
                                std::span<const double> params) {
  if (node.op == Op::Constant) return node.value;
  if (node.op == Op::Param && node.index < params.size()) {
    return params[node.index];
  }
  return std::nullopt;
}

Maybe dimension_power(const Dimension& base, const Dimension& exponent,
                      std::optional<double> value) {
  if (!is_pure_number(exponent)) return std::nullopt;
  if (is_pure_number(base)) return Dimension{};
  if (!value) return std::nullopt;
  const double nearest = std::round(12 * *value) / 12;
  if (!(std::fabs(nearest - *value) < kExponentTolerance)) return std::nullopt;
  return scaled_dimension(base, nearest);
}

Maybe unary_dimension(Op op, const Dimension& a) {
  switch (op) {
    case Op::Neg:
    case Op::Abs:
      return a;
    case Op::Sign:
      return Dimension{};
    case Op::Square:
      return scaled_dimension(a, 2);
    case Op::Cube:
      return scaled_dimension(a, 3);
    case Op::Reciprocal:
      return scaled_dimension(a, -1);
    case Op::Sqrt:
      return scaled_dimension(a, 0.5);
    case Op::Cbrt:
      return scaled_dimension(a, 1.0 / 3);
    default:
      return pure_if(is_pure_number(a));
  }
}

Maybe binary_dimension(Op op, const Dimension& a, const Dimension& b,
                       std::optional<double> exponent) {
  switch (op) {
    case Op::Mul:
      return combined_dimension(a, b, 1);
    case Op::Div:
      return combined_dimension(a, b, -1);
    case Op::Pow:
      return dimension_power(a, b, exponent);
    case Op::Add:
    case Op::Sub:
    case Op::Minimum:
    case Op::Maximum:
    case Op::Hypot:
    case Op::Mod:
      return same_dimension(a, b);
    default:  // Comparisons, logic and angles.
      return pure_if(are_equal(a, b));
  }
}

}  // namespace

bool are_equal(const Dimension& a, const Dimension& b) {
  for (std::size_t i = 0; i < kBaseUnits; ++i) {
    if (!(std::fabs(a[i] - b[i]) < kDimensionTolerance)) return false;
  }
  return true;
}

Dimensions::Dimensions(std::vector<Dimension> inputs, const Dimension& target,
                       std::span<const Dimension> constants)
    : inputs_(std::move(inputs)) {
  const std::vector<Dimension> basis = orthonormal(constants);
  for (Dimension& input : inputs_) input = without_constants(input, basis);
  target_ = without_constants(target, basis);
}

bool Dimensions::are_plain() const {
  return is_pure_number(target_) &&
         std::all_of(inputs_.begin(), inputs_.end(), is_pure_number);
}

Dimensions Dimensions::pick(std::span<const std::size_t> inputs) const {
  std::vector<Dimension> some;
  some.reserve(inputs.size());
  for (const std::size_t input : inputs) some.push_back(inputs_[input]);
  return {std::move(some), target_};
}

bool Dimensions::allow(const Expression& body,
                       std::span<const double> params) const {
  const Maybe found = dimension_of(body, params, inputs_);
  return found && are_equal(*found, target_);
}

std::optional<Dimension> dimension_of(const Expression& body,
                                      std::span<const double> params,
                                      std::span<const Dimension> inputs) {
  std::vector<Dimension> values;
  values.reserve(body.nodes().size());
  for (const Node& node : body.nodes()) {
    const auto argument = [&](std::size_t place) {
      return values[node.arguments[place]];
    };
    Maybe value;
    const std::size_t arity = arity_of(node);
    if (node.op == Op::Input) {
      value = inputs[node.index];
    } else if (arity == 0) {
      value = Dimension{};
    } else if (arity == 1) {
      value = unary_dimension(node.op, argument(0));
    } else if (arity == 2) {
      value =
          binary_dimension(node.op, argument(0), argument(1),
                           number_of(body.nodes()[node.arguments[1]], params));
    } else {
      value = same_dimension(argument(1), argument(2));  // where
    }
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values.back();
}

}  // namespace lamarck::formula
