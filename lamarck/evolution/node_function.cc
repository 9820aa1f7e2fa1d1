#include "lamarck/evolution/node_function.h"

#include <array>
#include <string>

namespace lamarck::evolution {
namespace {

// Each table is in the order of its enumerators, so name_in can index it.
constexpr std::array kActivations = {
    ActivationEntry{Activation::Identity, "identity"},
    ActivationEntry{Activation::Tanh, "tanh"},
    ActivationEntry{Activation::Sigmoid, "sigmoid"},
    ActivationEntry{Activation::Relu, "relu"},
    ActivationEntry{Activation::LeakyRelu, "leaky_relu"},
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

std::span<const ActivationEntry> activation_table() { return kActivations; }
std::span<const AggregationEntry> aggregation_table() { return kAggregations; }
std::span<const LossEntry> loss_table() { return kLosses; }

std::string_view name_of(Activation activation) {
  return name_in(kActivations, activation);
}
std::string_view name_of(Aggregation aggregation) {
  return name_in(kAggregations, aggregation);
}
std::string_view name_of(Loss loss) { return name_in(kLosses, loss); }

Result<Activation> activation_named(std::string_view name) {
  return value_in(kActivations, name, "activation");
}
Result<Aggregation> aggregation_named(std::string_view name) {
  return value_in(kAggregations, name, "aggregation");
}
Result<Loss> loss_named(std::string_view name) {
  return value_in(kLosses, name, "loss");
}

}  // namespace lamarck::evolution
