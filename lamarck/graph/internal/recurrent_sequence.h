// What the recurrent operations over whole sequences share: the order of their
// inputs, their sizes, and their matrix products.

#pragma once

#include <cstdint>

#include "lamarck/graph/operation.h"
#include "lamarck/tensor/gate_kernels.h"

namespace lamarck {

// The inputs are, in this order: x [steps, batch, features], w_input [features,
// gates * hidden], w_hidden [hidden, gates * hidden], the biases [gates *
// hidden], the initial states [batch, hidden], or [1, hidden] for one that the
// whole batch shares, and optionally a mask [steps, batch].
struct RecurrentKind {
  std::int64_t gates = 1;
  std::size_t biases = 1;
  std::size_t states = 1;

  // Without the mask.
  std::size_t input_count() const { return 3 + biases + states; }
};

struct RecurrentSequence {
  std::int64_t steps = 0;
  std::int64_t batch = 0;
  std::int64_t features = 0;
  std::int64_t hidden = 0;
  std::int64_t columns = 0;  // gates * hidden

  explicit RecurrentSequence(const Shape& x, const Shape& w_hidden);
  std::int64_t state_size() const { return batch * hidden; }
  std::int64_t sums_size() const { return batch * columns; }

  // The sizes of one step, with its row of the mask if there is one.
  GateStep step(std::span<const ConstView> inputs, const RecurrentKind& kind,
                std::int64_t at) const;
};

// Throws LogicError if the inputs do not fit together.
void require_sequence(const RecurrentKind& kind, std::string_view operation,
                      std::span<const Shape> inputs);

// sums = x w_input, for all steps at once.
void multiply_inputs(const RecurrentSequence& sequence,
                     std::span<const ConstView> inputs, float* sums);
// sums (+)= h w_hidden, for one step.
void multiply_hidden(const RecurrentSequence& sequence, const float* h,
                     const float* w_hidden, float* sums, bool accumulate);
// Copies an initial state to each row of the batch.
void broadcast_state(const RecurrentSequence& sequence, const ConstView& state,
                     float* to);

// to[j][i] = w_hidden[i][j]. A gradient transposes once and then multiplies at
// each step with the dense result.
void transpose_hidden_weight(const RecurrentSequence& sequence,
                             const float* w_hidden, float* to);
// dh += d_sums w_hidden^T, for one step.
void add_hidden_gradient(const RecurrentSequence& sequence, const float* d_sums,
                         const float* w_transposed, float* dh);
// The gradients of x, w_input and the first bias from the gradient of the sums,
// for all steps at once.
void add_input_gradients(const RecurrentSequence& sequence,
                         const GradientCall& call, const float* d_sums);
// The gradient of w_hidden; `h_before` is the state before each step.
void add_hidden_weight_gradient(const RecurrentSequence& sequence,
                                const GradientCall& call, const float* h_before,
                                const float* d_sums);
// The gradient of the bias that is input `input`.
void add_bias_gradient(const RecurrentSequence& sequence,
                       const GradientCall& call, std::size_t input,
                       const float* d_sums);
// The gradient of the initial state that is input `input`.
void add_state_gradient(const RecurrentSequence& sequence,
                        const GradientCall& call, std::size_t input,
                        const float* d_state);

}  // namespace lamarck
