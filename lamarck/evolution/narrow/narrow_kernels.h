// The arithmetic of narrow networks over one block of samples, vectorised.

#pragma once

#include <cstddef>

#include "lamarck/evolution/narrow/narrow_program.h"

namespace lamarck::evolution {

// One block on its way through a network; rows are as in NarrowProgram.
struct NarrowPass {
  const NarrowProgram* program = nullptr;
  const float* weights = nullptr;
  std::size_t width = 0;  // 4, 8, 16, 32 or 64 samples.
  std::size_t steps = 1;

  // Of the batch, [steps, .., width].
  const float* inputs = nullptr;
  const float* targets = nullptr;
  const float* importance = nullptr;  // Divided by the scale of the batch.
  bool only_last_counts = false;      // Targets have one step, the last.

  // Of the plan; zeros stand before values and deltas.
  float* values = nullptr;
  float* sums = nullptr;    // Of the outputs, [steps, outputs, width].
  float* deltas = nullptr;  // Null if there is no way back.
  float* slots = nullptr;   // For each weight, narrow_slot_size() floats.

  float* values_at(std::size_t step) const {
    return values + step * program->places * width;
  }
  float* deltas_at(std::size_t step) const {
    return deltas + (steps - 1 - step) * program->delta_rows * width;
  }
};

// Computes all values, and the sums of the outputs.
void narrow_forward(const NarrowPass& pass);

// Returns the loss. Leaves in the deltas of the outputs, if there are deltas,
// its gradient: with MeanSquared that of the value, else that of the sum.
double narrow_loss(const NarrowPass& pass);

// Completes the deltas and adds the gradients to the slots: that of an edge by
// its place among in_edges, that of a bias by bias_of.
void narrow_backward(const NarrowPass& pass);

// A vector for each weight collects its gradient over samples; in the end they
// are summed into `gradient`, in the order of the weights.
std::size_t narrow_slot_size();
void sum_narrow_slots(const NarrowProgram& program, const float* slots,
                      float* gradient);

}  // namespace lamarck::evolution
