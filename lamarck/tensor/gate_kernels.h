// What the gates of recurrent cells do to a batch in one step, and back again.
//
// The products with the weights are done before: `sums` holds x W + h V, and
// comes back as the activated gates that the gradient needs. A row is one
// sequence of the batch; where `mask` is at most a half its state is held, and
// no gradient enters the cell.

#pragma once

#include <cstddef>

namespace lamarck {

struct GateStep {
  std::size_t batch = 0;
  std::size_t hidden = 0;
  const float* mask = nullptr;  // [batch]; null if every sequence goes on.
};

// h = tanh(sums + bias), all of [batch, hidden].
void rnn_gates(const GateStep& step, const float* sums, const float* bias,
               const float* h_before, float* h);
// Takes dy, the gradient of this step's output, and dh, what later steps gave
// to h; leaves the gradient of the sums, and in dh what passes by the cell.
void rnn_gates_back(const GateStep& step, const float* h, const float* dy,
                    float* dh, float* d_sums);

// Gates i, f, g, o: c = f c_before + i g, h = o tanh(c).
struct LstmGates {
  float* sums = nullptr;            // [batch, 4 hidden]
  const float* bias = nullptr;      // [4 hidden]
  const float* h_before = nullptr;  // [batch, hidden], as the following.
  const float* c_before = nullptr;
  float* h = nullptr;
  float* c = nullptr;
  float* tanh_c = nullptr;
  float* output = nullptr;  // [batch, 2 hidden]: h and c side by side.
};
void lstm_gates(const GateStep& step, const LstmGates& gates);

struct LstmGatesBack {
  const float* gates = nullptr;  // As lstm_gates left them.
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
  float* x_sums = nullptr;        // [batch, 3 hidden]; becomes the gates.
  const float* h_sums = nullptr;  // [batch, 3 hidden]
  const float* x_bias = nullptr;  // [3 hidden]
  const float* h_bias = nullptr;  // [3 hidden]
  const float* h_before = nullptr;
  float* h = nullptr;
  float* h_n = nullptr;  // What r multiplies.
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
