// Gated recurrent units (Cho et al. 2014), in PyTorch's form:
//
//   r = sigmoid(x W_r + b_r + h V_r + d_r)       reset
//   z = sigmoid(x W_z + b_z + h V_z + d_z)       update
//   n = tanh(x W_n + b_n + r (h V_n + d_n))      new
//   h = (1 - z) n + z h
//
// The weights store the columns of r, z and n side by side.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lamarck/nn/module.h"

namespace lamarck::nn {

// One time step, built from ordinary operations; for hand-written loops.
class GruCell : public Module {
 public:
  GruCell(const Graph& graph, std::int64_t inputs, std::int64_t hidden,
          const std::string& name);

  // Returns the next state [batch, hidden]. x is [batch, inputs]; h is [batch,
  // hidden], or [1, hidden] to use one state for the whole batch.
  Var operator()(const Var& x, const Var& h) const;
  // "<name>.input_weight" [inputs, 3 hidden], "<name>.hidden_weight" [hidden, 3
  // hidden], "<name>.input_bias" and "<name>.hidden_bias" [3 hidden].
  std::vector<Var> own_parameters() const override;

  std::int64_t hidden_size() const;
  Var zero_state() const;  // [1, hidden]; broadcasts to any batch.

 private:
  friend class Gru;
  Var input_weight_;
  Var hidden_weight_;
  Var input_bias_;
  Var hidden_bias_;
};

struct GruOptions {
  // At least 1. Each layer reads the hidden states of the previous one.
  std::int64_t layers = 1;
};

struct GruCall {
  // One state per layer, [batch, hidden] or [1, hidden]; zeros if empty.
  std::vector<Var> initial = {};
  // [steps, batch] of 0 and 1. A 0 marks padding: the state stays as it is, and
  // the input at that step receives no gradient.
  std::optional<Var> mask = {};
};

struct GruOutput {
  Var hidden;             // [steps, batch, hidden] of the last layer.
  std::vector<Var> last;  // Per layer: [batch, hidden] after the last step.
};

// Processes whole sequences with one fused operation per layer. The batch size
// and the sequence length may change between runs.
class Gru : public Module {
 public:
  Gru(const Graph& graph, std::int64_t inputs, std::int64_t hidden,
      const std::string& name, const GruOptions& options = {});

  // x is [steps, batch, inputs]. Throws LogicError if `call.initial` is neither
  // empty nor one state per layer.
  GruOutput operator()(const Var& x, const GruCall& call = {}) const;
  std::vector<Var> own_parameters() const override;

  // One cell per layer, sharing its parameters, which are named
  // "<name>.<layer>.input_bias" and so on.
  const std::vector<GruCell>& cells() const { return cells_; }

 private:
  std::vector<GruCell> cells_;
};

}  // namespace lamarck::nn
