// What a node of an evolving network does with what arrives, and how its
// outputs are compared with what they should be.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "lamarck/base/result.h"

namespace lamarck::evolution {

enum class Activation : std::uint8_t {
  Identity,
  Tanh,
  Sigmoid,
  Relu,
  LeakyRelu,  // 0.01 x below 0.
};

// How what arrives over several edges becomes one, before the bias is added.
enum class Aggregation : std::uint8_t { Sum, Mean, Max, Product };

// Each is the mean over rows (and steps) of what it says.
enum class Loss : std::uint8_t {
  MeanSquared,         // The mean over the outputs of squared differences.
  BinaryCrossEntropy,  // Summed over outputs, each the sigmoid of its node.
  CrossEntropy,        // Of the softmax over all outputs.
};

struct ActivationEntry {
  Activation value;
  std::string_view name;  // As in files and on pictures.
};
struct AggregationEntry {
  Aggregation value;
  std::string_view name;
};
struct LossEntry {
  Loss value;
  std::string_view name;
};
std::span<const ActivationEntry> activation_table();
std::span<const AggregationEntry> aggregation_table();
std::span<const LossEntry> loss_table();

std::string_view name_of(Activation activation);
std::string_view name_of(Aggregation aggregation);
std::string_view name_of(Loss loss);
Result<Activation> activation_named(std::string_view name);
Result<Aggregation> aggregation_named(std::string_view name);
Result<Loss> loss_named(std::string_view name);

}  // namespace lamarck::evolution
