// What the operations over whole sequences have in common: the order of their
// inputs, their sizes, and the products outside the loop over the steps.

#pragma once

#include <cstdint>

#include "lamarck/graph/operation.h"
#include "lamarck/tensor/gate_kernels.h"

namespace lamarck {

// Inputs are x [steps, batch, features], w_input [features, gates hidden],
// w_hidden [hidden, gates hidden], the biases [gates hidden], the states before
// the first step [batch, hidden], or [1, hidden] for the same in the whole
// batch, and perhaps a mask [steps, batch].
struct RecurrentKind {
  std::int64_t gates = 1;
  std::size_t biases = 1;
  std::size_t states = 1;

  std::size_t input_count() const { return 3 + biases + states; }
};

struct RecurrentSequence {
  std::int64_t steps = 0;
  std::int64_t batch = 0;
  std::int64_t features = 0;
  std::int64_t hidden = 0;
  std::int64_t columns = 0;  // gates x hidden

  explicit RecurrentSequence(const Shape& x, const Shape& w_hidden);
  std::int64_t state_size() const { return batch * hidden; }
  std::int64_t sums_size() const { return batch * columns; }

  // Of one step, with its row of the mask if there is one.
  GateStep step(std::span<const ConstView> inputs, const RecurrentKind& kind,
                std::int64_t at) const;
};

// Throws LogicError if the inputs do not fit together.
void require_sequence(const RecurrentKind& kind, std::string_view operation,
                      std::span<const Shape> inputs);

// sums = x w_input for all steps at once.
void multiply_inputs(const RecurrentSequence& sequence,
                     std::span<const ConstView> inputs, float* sums);
// sums (+)= h w_hidden, of one step.
void multiply_hidden(const RecurrentSequence& sequence, const float* h,
                     const float* w_hidden, float* sums, bool accumulate);
// Copies a state before the first step to each row of the batch.
void stretch_state(const RecurrentSequence& sequence, const ConstView& state,
                   float* to);

// to[j][i] = w_hidden[i][j], once for all steps of a gradient.
void transpose_hidden_weight(const RecurrentSequence& sequence,
                             const float* w_hidden, float* to);
// dh += d_sums w_hidden^T, of one step.
void give_to_hidden(const RecurrentSequence& sequence, const float* d_sums,
                    const float* w_transposed, float* dh);
// The gradients of x, w_input and the first bias from those of the sums.
void give_to_inputs(const RecurrentSequence& sequence, const GradientCall& call,
                    const float* d_sums);
// The gradient of w_hidden; `h_before` is the state before each step.
void give_to_hidden_weight(const RecurrentSequence& sequence,
                           const GradientCall& call, const float* h_before,
                           const float* d_sums);
void give_to_bias(const RecurrentSequence& sequence, const GradientCall& call,
                  std::size_t input, const float* d_sums);
// The gradient of the state that is input `input`.
void give_to_state(const RecurrentSequence& sequence, const GradientCall& call,
                   std::size_t input, const float* d_state);

}  // namespace lamarck
