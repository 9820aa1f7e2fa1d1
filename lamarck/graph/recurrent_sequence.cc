#include "lamarck/graph/internal/recurrent_sequence.h"

#include <algorithm>

#include "lamarck/tensor/gemm.h"
#include "lamarck/tensor/vector_math.h"

namespace lamarck {
namespace {

void require_shape(std::string_view operation, const Shape& shape,
                   const Shape& wanted, std::string_view remedy) {
  if (!(shape == wanted)) {
    throw_shape_mismatch(operation, shape, wanted, remedy);
  }
}

// to (+)= the sum of `rows` rows.
void sum_rows(const float* from, std::int64_t rows, std::int64_t columns,
              float* to, bool accumulate) {
  if (!accumulate) std::fill_n(to, columns, 0.0f);
  add_rows_to(from, static_cast<std::size_t>(rows), to,
              static_cast<std::size_t>(columns));
}

}  // namespace

RecurrentSequence::RecurrentSequence(const Shape& x, const Shape& w_hidden)
    : steps(x[0]),
      batch(x[1]),
      features(x[2]),
      hidden(w_hidden[0]),
      columns(w_hidden[1]) {}

GateStep RecurrentSequence::step(std::span<const ConstView> inputs,
                                 const RecurrentKind& kind,
                                 std::int64_t at) const {
  const bool has_mask = inputs.size() > kind.input_count();
  return {.batch = static_cast<std::size_t>(batch),
          .hidden = static_cast<std::size_t>(hidden),
          .mask = has_mask ? inputs.back().data + at * batch : nullptr};
}

void require_sequence(const RecurrentKind& kind, std::string_view operation,
                      std::span<const Shape> inputs) {
  const Shape& x = inputs[0];
  if (x.rank() != 3 || x[0] == 0) {
    throw_invalid_shape(operation, x,
                        "x must be [steps, batch, features] with at least one "
                        "step");
  }
  const Shape& w_hidden = inputs[2];
  if (w_hidden.rank() != 2 || w_hidden[1] != kind.gates * w_hidden[0]) {
    throw_invalid_shape(operation, w_hidden,
                        "the hidden weight must be [hidden, " +
                            std::to_string(kind.gates) + " * hidden]");
  }
  const RecurrentSequence sequence(x, w_hidden);
  require_shape(operation, inputs[1], {x[2], sequence.columns},
                "the input weight must be [features, gates * hidden]");
  for (std::size_t i = 3; i < 3 + kind.biases; ++i) {
    require_shape(operation, inputs[i], {sequence.columns},
                  "a bias must have one element per column of the weights");
  }
  for (std::size_t i = 3 + kind.biases; i < kind.input_count(); ++i) {
    if (inputs[i] == Shape{1, sequence.hidden}) continue;
    require_shape(operation, inputs[i], {x[1], sequence.hidden},
                  "a state must be [batch, hidden] or [1, hidden]");
  }
  if (inputs.size() > kind.input_count()) {
    require_shape(operation, inputs.back(), {x[0], x[1]},
                  "the mask must be [steps, batch]");
  }
}

void multiply_inputs(const RecurrentSequence& sequence,
                     std::span<const ConstView> inputs, float* sums) {
  gemm({.m = sequence.steps * sequence.batch,
        .n = sequence.columns,
        .k = sequence.features},
       inputs[0].data, inputs[1].data, sums);
}

void multiply_hidden(const RecurrentSequence& sequence, const float* h,
                     const float* w_hidden, float* sums, bool accumulate) {
  gemm({.m = sequence.batch,
        .n = sequence.columns,
        .k = sequence.hidden,
        .accumulate = accumulate},
       h, w_hidden, sums);
}

void broadcast_state(const RecurrentSequence& sequence, const ConstView& state,
                     float* to) {
  const std::int64_t step = (*state.shape)[0] == 1 ? 0 : sequence.hidden;
  for (std::int64_t i = 0; i < sequence.batch; ++i) {
    std::copy_n(state.data + i * step, sequence.hidden,
                to + i * sequence.hidden);
  }
}

void transpose_hidden_weight(const RecurrentSequence& sequence,
                             const float* w_hidden, float* to) {
  // Four columns at a time, so that the writes to a row of `to` are adjacent
  // and each line that is read is used at once.
  constexpr std::int64_t kColumns = 4;
  std::int64_t j = 0;
  for (; j + kColumns <= sequence.columns; j += kColumns) {
    for (std::int64_t i = 0; i < sequence.hidden; ++i) {
      const float* row = w_hidden + i * sequence.columns + j;
      for (std::int64_t k = 0; k < kColumns; ++k) {
        to[(j + k) * sequence.hidden + i] = row[k];
      }
    }
  }
  for (; j < sequence.columns; ++j) {
    for (std::int64_t i = 0; i < sequence.hidden; ++i) {
      to[j * sequence.hidden + i] = w_hidden[i * sequence.columns + j];
    }
  }
}

void add_hidden_gradient(const RecurrentSequence& sequence, const float* d_sums,
                         const float* w_transposed, float* dh) {
  gemm({.m = sequence.batch,
        .n = sequence.hidden,
        .k = sequence.columns,
        .accumulate = true},
       d_sums, w_transposed, dh);
}

void add_input_gradients(const RecurrentSequence& sequence,
                         const GradientCall& call, const float* d_sums) {
  const std::int64_t rows = sequence.steps * sequence.batch;
  if (call.input_gradients[0] != nullptr) {
    gemm({.m = rows,
          .n = sequence.features,
          .k = sequence.columns,
          .transpose_b = true,
          .accumulate = call.accumulate[0]},
         d_sums, call.inputs[1].data, call.input_gradients[0]);
  }
  if (call.input_gradients[1] != nullptr) {
    gemm({.m = sequence.features,
          .n = sequence.columns,
          .k = rows,
          .transpose_a = true,
          .accumulate = call.accumulate[1]},
         call.inputs[0].data, d_sums, call.input_gradients[1]);
  }
  add_bias_gradient(sequence, call, 3, d_sums);
}

void add_hidden_weight_gradient(const RecurrentSequence& sequence,
                                const GradientCall& call, const float* h_before,
                                const float* d_sums) {
  if (call.input_gradients[2] == nullptr) return;
  gemm({.m = sequence.hidden,
        .n = sequence.columns,
        .k = sequence.steps * sequence.batch,
        .transpose_a = true,
        .accumulate = call.accumulate[2]},
       h_before, d_sums, call.input_gradients[2]);
}

void add_bias_gradient(const RecurrentSequence& sequence,
                       const GradientCall& call, std::size_t input,
                       const float* d_sums) {
  if (call.input_gradients[input] == nullptr) return;
  sum_rows(d_sums, sequence.steps * sequence.batch, sequence.columns,
           call.input_gradients[input], call.accumulate[input]);
}

void add_state_gradient(const RecurrentSequence& sequence,
                        const GradientCall& call, std::size_t input,
                        const float* d_state) {
  if (call.input_gradients[input] == nullptr) return;
  const std::int64_t rows = (*call.inputs[input].shape)[0];
  if (rows == 1) {  // The batch shares the state, so its gradients add up.
    return sum_rows(d_state, sequence.batch, sequence.hidden,
                    call.input_gradients[input], call.accumulate[input]);
  }
  // A sum over a single row of all elements is a copy or an addition.
  sum_rows(d_state, 1, sequence.state_size(), call.input_gradients[input],
           call.accumulate[input]);
}

}  // namespace lamarck
