// The gates of recurrent cells for a batch at one step, and their gradients.
//
// The caller has already computed the matrix products: `sums` holds x W + h V.
// The functions replace it by the activated gates, which the gradient needs. A
// row is one sequence of the batch. Where `mask` is at most 0.5, the sequence
// keeps its state and no gradient enters the cell.

#pragma once

#include <cstddef>

namespace lamarck {

struct GateStep {
  std::size_t batch = 0;
  std::size_t hidden = 0;
  const float* mask = nullptr;  // [batch]; null if all sequences continue.
};

// h = tanh(sums + bias); all are [batch, hidden] except bias, which is
// [hidden].
void rnn_gates(const GateStep& step, const float* sums, const float* bias,
               const float* h_before, float* h);
// Takes dy, the gradient of this step's output, and dh, the gradient of h from
// later steps. Writes the gradient of the sums, and leaves in dh the part that
// bypasses the cell: the rows that the mask holds.
void rnn_gates_back(const GateStep& step, const float* h, const float* dy,
                    float* dh, float* d_sums);

// Gates i, f, g, o: c = f c_before + i g, h = o tanh(c).
struct LstmGates {
  float* sums = nullptr;            // [batch, 4 hidden]
  const float* bias = nullptr;      // [4 hidden]
  const float* h_before = nullptr;  // [batch, hidden], like the next four.
  const float* c_before = nullptr;
  float* h = nullptr;
  float* c = nullptr;
  float* tanh_c = nullptr;
  float* output = nullptr;  // [batch, 2 hidden]: h and c side by side.
};
void lstm_gates(const GateStep& step, const LstmGates& gates);

struct LstmGatesBack {
  const float* gates = nullptr;  // The sums as lstm_gates left them.
  const float* tanh_c = nullptr;
  const float* c_before = nullptr;
  const float* dy = nullptr;  // [batch, 2 hidden]
  float* dh = nullptr;
  float* dc = nullptr;
  float* d_sums = nullptr;  // [batch, 4 hidden]
};
void lstm_gates_back(const GateStep& step, const LstmGatesBack& gates);

// Gates r, z, n: n = tanh(x_n + r h_n), h = (1 - z) n + z h_before.
struct GruGates {
  float* x_sums = nullptr;        // [batch, 3 hidden]; replaced by the gates.
  const float* h_sums = nullptr;  // [batch, 3 hidden]
  const float* x_bias = nullptr;  // [3 hidden]
  const float* h_bias = nullptr;  // [3 hidden]
  const float* h_before = nullptr;
  float* h = nullptr;
  float* h_n = nullptr;  // The hidden part of n, which r multiplies.
};
void gru_gates(const GateStep& step, const GruGates& gates);

struct GruGatesBack {
  const float* gates = nullptr;
  const float* h_n = nullptr;
  const float* h_before = nullptr;
  const float* dy = nullptr;
  float* dh = nullptr;
  float* d_x_sums = nullptr;  // [batch, 3 hidden]
  float* d_h_sums = nullptr;  // [batch, 3 hidden]
};
void gru_gates_back(const GateStep& step, const GruGatesBack& gates);

}  // namespace lamarck
