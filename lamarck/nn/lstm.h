// Long short-term memory (Hochreiter and Schmidhuber 1997, with the forget gate
// of Gers et al. 2000):
//
//   i, f, o = sigmoid(x W + h V + b)    input, forget, output
//   g = tanh(x W + h V + b)             candidate
//   c = f c + i g                       cell
//   h = o tanh(c)
//
// The weights store the columns of i, f, g and o side by side.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lamarck/nn/module.h"

namespace lamarck::nn {

// Both are [batch, hidden], or [1, hidden] to use one state for the whole
// batch.
struct LstmState {
  Var hidden;
  Var cell;
};

struct LstmOptions {
  // At least 1. Each layer reads the hidden states of the previous one.
  std::int64_t layers = 1;
  // The initial bias of the forget gates. A positive value makes cells remember
  // at the start of training (Jozefowicz et al. 2015).
  float forget_bias = 1;
};

// One time step, built from ordinary operations; for hand-written loops.
class LstmCell : public Module {
 public:
  LstmCell(const Graph& graph, std::int64_t inputs, std::int64_t hidden,
           const std::string& name, float forget_bias = 1);

  // Returns the next state. x is [batch, inputs].
  LstmState operator()(const Var& x, const LstmState& previous) const;
  // "<name>.input_weight" [inputs, 4 hidden], "<name>.hidden_weight" [hidden,
  // 4 hidden], "<name>.bias" [4 hidden].
  std::vector<Var> own_parameters() const override;

  std::int64_t hidden_size() const;
  LstmState zero_state() const;  // [1, hidden]; broadcasts to any batch.

 private:
  friend class Lstm;
  Var input_weight_;
  Var hidden_weight_;
  Var bias_;
};

struct LstmCall {
  std::vector<LstmState> initial = {};  // One per layer; zeros if empty.
  // [steps, batch] of 0 and 1. A 0 marks padding: the state stays as it is, and
  // the input at that step receives no gradient.
  std::optional<Var> mask = {};
};

struct LstmOutput {
  Var hidden;                   // [steps, batch, hidden] of the last layer.
  std::vector<LstmState> last;  // Per layer: the state after the last step.
};

// Processes whole sequences with one fused operation per layer. The batch size
// and the sequence length may change between runs.
class Lstm : public Module {
 public:
  Lstm(const Graph& graph, std::int64_t inputs, std::int64_t hidden,
       const std::string& name, const LstmOptions& options = {});

  // x is [steps, batch, inputs]. Throws LogicError if `call.initial` is neither
  // empty nor one state per layer.
  LstmOutput operator()(const Var& x, const LstmCall& call = {}) const;
  std::vector<Var> own_parameters() const override;

  // One cell per layer, sharing its parameters, which are named
  // "<name>.<layer>.bias" and so on.
  const std::vector<LstmCell>& cells() const { return cells_; }

 private:
  std::vector<LstmCell> cells_;
};

}  // namespace lamarck::nn
