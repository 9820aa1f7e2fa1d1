// Gated recurrent units (Cho et al. 2014), in PyTorch's form:
//
//   r = sigmoid(x W_r + b_r + h V_r + d_r)       reset
//   z = sigmoid(x W_z + b_z + h V_z + d_z)       update
//   n = tanh(x W_n + b_n + r (h V_n + d_n))      new
//   h = (1 - z) n + z h
//
// The weights hold the columns of r, z, n side by side.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lamarck/nn/module.h"

namespace lamarck::nn {

// One step, from ordinary operations: for loops of one's own.
class GruCell : public Module {
 public:
  GruCell(const Graph& graph, std::int64_t inputs, std::int64_t hidden,
          const std::string& name);

  // x [batch, inputs] and h [batch, hidden], or [1, hidden], to [batch,
  // hidden].
  Var operator()(const Var& x, const Var& h) const;
  // "<name>.input_weight" [inputs, 3 hidden], "<name>.hidden_weight" [hidden,
  // 3 hidden], "<name>.input_bias" and "<name>.hidden_bias" [3 hidden].
  std::vector<Var> parameters() const override;

  std::int64_t hidden_size() const;
  Var zero_state() const;  // [1, hidden], for a batch of any size.

 private:
  friend class Gru;
  Var input_weight_;
  Var hidden_weight_;
  Var input_bias_;
  Var hidden_bias_;
};

struct GruOptions {
  std::int64_t layers = 1;  // Each reads the hidden states of the one before.
};

struct GruCall {
  // For each layer, [batch, hidden] or [1, hidden]; zeros if empty.
  std::vector<Var> initial = {};
  // [steps, batch] of 0 and 1: where it is 0, a sequence has no such step, its
  // state is held, and nothing is learnt from what stands there.
  std::optional<Var> mask = {};
};

struct GruOutput {
  Var hidden;             // [steps, batch, hidden] of the last layer.
  std::vector<Var> last;  // [batch, hidden] after the last step, each layer.
};

// Whole sequences in one operation; batches and lengths may change between
// runs.
class Gru : public Module {
 public:
  Gru(const Graph& graph, std::int64_t inputs, std::int64_t hidden,
      const std::string& name, const GruOptions& options = {});

  // x is [steps, batch, inputs].
  GruOutput operator()(const Var& x, const GruCall& call = {}) const;
  std::vector<Var> parameters() const override;

  // Layer i as a cell; its parameters are named "<name>.<i>.input_bias" and
  // so on.
  const std::vector<GruCell>& cells() const { return cells_; }

 private:
  std::vector<GruCell> cells_;
};

}  // namespace lamarck::nn
