#include "lamarck/graph/internal/onnx_importer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

namespace lamarck {
namespace {

using OnnxNames = std::pair<std::string_view, std::string_view>;

constexpr std::array<OnnxNames, 13> kOnnxUnary = {{
    {"Relu", "relu"},
    {"Tanh", "tanh"},
    {"Sigmoid", "sigmoid"},
    {"Exp", "exp"},
    {"Log", "log"},
    {"Sqrt", "sqrt"},
    {"Abs", "abs"},
    {"Neg", "neg"},
    {"Sin", "sin"},
    {"Cos", "cos"},
    {"Softplus", "softplus"},
    {"Reciprocal", "reciprocal"},
    {"Gelu", "gelu"},
}};
// The comparisons give booleans there and 0 or 1 here.
constexpr std::array<OnnxNames, 12> kOnnxBinary = {{
    {"Add", "add"},
    {"Sum", "add"},
    {"Sub", "sub"},
    {"Mul", "mul"},
    {"Div", "div"},
    {"Max", "maximum"},
    {"Min", "minimum"},
    {"Greater", "greater"},
    {"GreaterOrEqual", "greater_equal"},
    {"Less", "less"},
    {"LessOrEqual", "less_equal"},
    {"Equal", "equal"},
}};

std::optional<std::string_view> find_ours(std::span<const OnnxNames> table,
                                          std::string_view theirs) {
  const auto found = std::ranges::find(table, theirs, &OnnxNames::first);
  if (found == table.end()) return std::nullopt;
  return found->second;
}

bool is_close(float value, float expected) {
  return std::abs(value - expected) < 1e-4f;
}

// The value of a constant of one element.
std::optional<float> constant_number(const OnnxValue& value) {
  const auto* weight = std::get_if<OnnxWeight>(&value);
  if (weight == nullptr || weight->value.element_count() != 1) {
    return std::nullopt;
  }
  return weight->value.item();
}

}  // namespace

std::optional<Var> OnnxImporter::built_elementwise(const OnnxNode& node) {
  if (auto var = built_unary(node)) return var;
  const auto ours = find_ours(kOnnxBinary, node.operation);
  if (!ours) return std::nullopt;
  Var all = input(node, 0);
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    all = binary(*ours, all, input(node, i));
  }
  return all;
}

std::optional<Var> OnnxImporter::built_unary(const OnnxNode& node) {
  const std::string& name = node.operation;
  if (name == "Gelu" && node.attributes.contains("approximate") &&
      node.attributes.at("approximate").text != "none") {
    throw_unsupported(node, "the approximation must be 'none'");
  }
  if (const auto ours = find_ours(kOnnxUnary, name)) {
    return input(node, 0).apply(*ours);
  }
  if (name == "Cast") return input(node, 0);
  if (name == "Not") return 1.0f - input(node, 0);
  if (name == "LeakyRelu") {
    return input(node, 0).leaky_relu(number_attribute(node, "alpha", 0.01f));
  }
  if (name == "Elu") {
    return input(node, 0).elu(number_attribute(node, "alpha", 1));
  }
  if (name == "Pow") {
    if (!has_input(node, 1))
      throw_unsupported(node, "it must have an exponent");
    return input(node, 0).pow(number(node, 1, 1));
  }
  if (name == "Clip") {
    constexpr float kMax = std::numeric_limits<float>::max();
    return input(node, 0).clamp(number(node, 1, -kMax), number(node, 2, kMax));
  }
  return std::nullopt;
}

bool OnnxImporter::follow_erf(const OnnxNode& node) {
  if (node.operation == "Erf") {
    const OnnxNode* scaled = producer(node.inputs.at(0));
    const bool is_product = scaled != nullptr && scaled->inputs.size() == 2 &&
                            scaled->operation == "Mul";
    const bool is_quotient = scaled != nullptr && scaled->inputs.size() == 2 &&
                             scaled->operation == "Div";
    if (is_product || is_quotient) {
      const float expected = is_product ? std::sqrt(0.5f) : std::sqrt(2.0f);
      const auto factor = constant_number(value_of(scaled->inputs[1]));
      const auto* x = std::get_if<Var>(&value_of(scaled->inputs[0]));
      if (x != nullptr && factor && is_close(*factor, expected)) {
        set(node, OnnxErf{*x});
        return true;
      }
    }
    throw_unsupported(node, "erf must be part of a GELU");
  }
  if (!has_input(node, 0) || !has_input(node, 1)) return false;
  const OnnxValue& first = value_of(node.inputs[0]);
  const OnnxValue& second = value_of(node.inputs[1]);
  if (const auto* erf = std::get_if<OnnxErf>(&first)) {
    return follow_erf(node, *erf, second);
  }
  if (const auto* erf = std::get_if<OnnxErf>(&second)) {
    return follow_erf(node, *erf, first);
  }
  return false;
}

bool OnnxImporter::follow_erf(const OnnxNode& node, const OnnxErf& erf,
                              const OnnxValue& other) {
  const auto constant = constant_number(other);
  if (node.operation == "Add" && constant) {
    set(node, OnnxErf{erf.x, erf.scale, erf.shift + *constant});
    return true;
  }
  if (node.operation == "Mul" && constant) {
    set(node, OnnxErf{erf.x, erf.scale * *constant, erf.shift * *constant});
    return true;
  }
  const auto* factor = std::get_if<Var>(&other);
  const bool is_gelu = node.operation == "Mul" && factor != nullptr &&
                       factor->node_id() == erf.x.node_id() &&
                       is_close(erf.scale, erf.shift);
  if (!is_gelu) return false;
  const Var gelu = erf.x.gelu();
  set(node, is_close(erf.scale, 0.5f) ? gelu : gelu * (2 * erf.scale));
  return true;
}

}  // namespace lamarck
