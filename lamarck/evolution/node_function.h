// Activations, aggregations and losses of networks, with their names.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "lamarck/base/result.h"
#include "lamarck/graph/var.h"

namespace lamarck::evolution {

enum class Activation : std::uint8_t {
  Identity,
  Tanh,
  Sigmoid,
  Relu,
  LeakyRelu,  // 0.01 x below 0.
};

// How a node combines the inputs of its edges before it adds the bias.
enum class Aggregation : std::uint8_t { Sum, Mean, Max, Product };

// Each is a mean over rows and steps.
enum class Loss : std::uint8_t {
  MeanSquared,         // Squared differences, averaged over the outputs.
  BinaryCrossEntropy,  // Summed over the outputs, which are sigmoids.
  CrossEntropy,        // On the softmax over all outputs.
};

// Everything about an activation but its vector kernel, which is in
// neuron/neuron_activations.inc.
struct ActivationEntry {
  Activation value;
  std::string_view name;  // As in files and in figures.
  float (*scalar)(float x);
  Var (*apply)(const Var& x);
  std::string_view cpp;  // Its function in exported C++, "" for none.
  // The curve drawn on a node: from [-1, 1] to [-1, 1], and stretched so that
  // it is recognizable when small.
  double (*curve)(double x);
};
struct AggregationEntry {
  Aggregation value;
  std::string_view name;
};
struct LossEntry {
  Loss value;
  std::string_view name;
};
// In the order of the enumerators.
const ActivationEntry& find_activation(Activation activation);
std::span<const ActivationEntry> activation_table();
std::span<const AggregationEntry> aggregation_table();
std::span<const LossEntry> loss_table();

std::string_view name_of(Activation activation);
std::string_view name_of(Aggregation aggregation);
std::string_view name_of(Loss loss);
// Return an Error of code InvalidArgument for an unknown name.
Result<Activation> parse_activation(std::string_view name);
Result<Aggregation> parse_aggregation(std::string_view name);
Result<Loss> parse_loss(std::string_view name);

}  // namespace lamarck::evolution
