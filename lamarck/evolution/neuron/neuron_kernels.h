// The vectorized arithmetic of networks of neurons for one block of samples.

#pragma once

#include <cstddef>

#include "lamarck/evolution/neuron/neuron_program.h"

namespace lamarck::evolution {

// One block of samples and the buffers for its pass through a network. Rows are
// laid out as described in neuron_program.h.
struct NeuronPass {
  const NeuronProgram* program = nullptr;
  const float* weights = nullptr;
  std::size_t width = 0;  // 4, 8, 16, 32 or 64 samples.
  std::size_t steps = 1;

  // From the batch, each [steps, ..., width].
  const float* inputs = nullptr;
  const float* targets = nullptr;
  const float* importance = nullptr;  // Weights divided by the batch's scale.
  bool only_last_counts = false;  // Targets are given for the last step only.

  // Buffers of the plan. One step of zero rows precedes values and deltas.
  float* values = nullptr;
  float* sums = nullptr;  // Outputs before activation: [steps, outputs, width].
  float* deltas = nullptr;  // Null if no gradient is wanted.
  float* slots = nullptr;   // neuron_slot_size() floats per weight.

  float* values_at(std::size_t step) const {
    return values + step * program->places * width;
  }
  // The last step comes first, so that a step finds the deltas of the one after
  // it at negative rows, as values_at does for the one before.
  float* deltas_at(std::size_t step) const {
    return deltas + (steps - 1 - step) * program->delta_rows * width;
  }
};

// Computes the values of all nodes, and the sums of the outputs.
void neuron_forward(const NeuronPass& pass);

// Returns the loss. If there are deltas, writes its gradient to those of the
// outputs: with respect to the value for MeanSquared, otherwise with respect to
// the sum.
double neuron_loss(const NeuronPass& pass);

// Computes all other deltas and adds the gradients to the slots. The slot of an
// edge is its position in in_edges, that of a bias is bias_of.
void neuron_backward(const NeuronPass& pass);

// A slot is one SIMD vector per weight in which its gradient accumulates, so
// the kernels need no horizontal sums. sum_neuron_slots adds up the lanes of
// each slot and writes them to `gradient` in the order of the weights.
std::size_t neuron_slot_size();
void sum_neuron_slots(const NeuronProgram& program, const float* slots,
                      float* gradient);

}  // namespace lamarck::evolution
