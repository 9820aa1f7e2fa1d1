#include "lamarck/evolution/node_function.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace lamarck::evolution {
namespace {

// Each table is in the order of its enumerators, so name_in can index it.
constexpr std::array kActivations = {
    ActivationEntry{
        .value = Activation::Identity,
        .name = "identity",
        .scalar = [](float x) { return x; },
        .apply = [](const Var& x) { return x; },
        .cpp = "",
        .curve = [](double x) { return x; },
    },
    ActivationEntry{
        .value = Activation::Tanh,
        .name = "tanh",
        .scalar = [](float x) { return std::tanh(x); },
        .apply = [](const Var& x) { return x.tanh(); },
        .cpp = "std::tanh",
        .curve = [](double x) { return std::tanh(3 * x); },
    },
    ActivationEntry{
        .value = Activation::Sigmoid,
        .name = "sigmoid",
        .scalar = [](float x) { return 1 / (1 + std::exp(-x)); },
        .apply = [](const Var& x) { return x.sigmoid(); },
        .cpp = "detail::sigmoid",
        .curve =
            [](double x) { return 0.8 * (2 / (1 + std::exp(-6 * x)) - 1); },
    },
    ActivationEntry{
        .value = Activation::Relu,
        .name = "relu",
        .scalar = [](float x) { return std::max(x, 0.0f); },
        .apply = [](const Var& x) { return x.relu(); },
        .cpp = "detail::relu",
        .curve = [](double x) { return 1.6 * std::max(x, 0.0) - 0.8; },
    },
    ActivationEntry{
        .value = Activation::LeakyRelu,
        .name = "leaky_relu",
        .scalar = [](float x) { return x < 0 ? 0.01f * x : x; },
        .apply = [](const Var& x) { return x.leaky_relu(); },
        .cpp = "detail::leaky_relu",
        .curve = [](double x) { return (x > 0 ? 1.6 : 0.3) * x - 0.6; },
    },
};
constexpr std::array kAggregations = {
    AggregationEntry{Aggregation::Sum, "sum"},
    AggregationEntry{Aggregation::Mean, "mean"},
    AggregationEntry{Aggregation::Max, "max"},
    AggregationEntry{Aggregation::Product, "product"},
};
constexpr std::array kLosses = {
    LossEntry{Loss::MeanSquared, "mean_squared"},
    LossEntry{Loss::BinaryCrossEntropy, "binary_cross_entropy"},
    LossEntry{Loss::CrossEntropy, "cross_entropy"},
};

template <class Table, class Value>
std::string_view name_in(const Table& table, Value value) {
  return table[static_cast<std::size_t>(value)].name;
}

template <class Table>
auto value_in(const Table& table, std::string_view name, const char* what)
    -> Result<decltype(table[0].value)> {
  std::string known;
  for (const auto& entry : table) {
    if (entry.name == name) return entry.value;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  return Error(ErrorCode::InvalidArgument, "Unknown " + std::string(what) +
                                               " '" + std::string(name) +
                                               "'; use one of " + known + ".");
}

}  // namespace

const ActivationEntry& find_activation(Activation activation) {
  return kActivations.at(static_cast<std::size_t>(activation));
}
std::span<const ActivationEntry> activation_table() { return kActivations; }
std::span<const AggregationEntry> aggregation_table() { return kAggregations; }
std::span<const LossEntry> loss_table() { return kLosses; }

std::string_view name_of(Activation activation) {
  return find_activation(activation).name;
}
std::string_view name_of(Aggregation aggregation) {
  return name_in(kAggregations, aggregation);
}
std::string_view name_of(Loss loss) { return name_in(kLosses, loss); }

Result<Activation> parse_activation(std::string_view name) {
  return value_in(kActivations, name, "activation");
}
Result<Aggregation> parse_aggregation(std::string_view name) {
  return value_in(kAggregations, name, "aggregation");
}
Result<Loss> parse_loss(std::string_view name) {
  return value_in(kLosses, name, "loss");
}

}  // namespace lamarck::evolution
