// Long short-term memory (Hochreiter and Schmidhuber 1997, with the forget gate
// of Gers et al. 2000):
//
//   i, f, o = sigmoid(x W + h V + b)    input, forget, output
//   g = tanh(x W + h V + b)             what is new
//   c = f c + i g                       the cell
//   h = o tanh(c)
//
// The weights hold the columns of i, f, g, o side by side.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lamarck/nn/module.h"

namespace lamarck::nn {

// Both [batch, hidden], or [1, hidden] for the same in the whole batch.
struct LstmState {
  Var hidden;
  Var cell;
};

struct LstmOptions {
  std::int64_t layers = 1;  // Each reads the hidden states of the one before.
  // What the forget gates' biases begin with: 1 lets cells remember at first.
  float forget_bias = 1;
};

// One step, from ordinary operations: for loops of one's own.
class LstmCell : public Module {
 public:
  LstmCell(const Graph& graph, std::int64_t inputs, std::int64_t hidden,
           const std::string& name, float forget_bias = 1);

  // x is [batch, inputs].
  LstmState operator()(const Var& x, const LstmState& before) const;
  // "<name>.input_weight" [inputs, 4 hidden], "<name>.hidden_weight" [hidden,
  // 4 hidden], "<name>.bias" [4 hidden].
  std::vector<Var> parameters() const override;

  std::int64_t hidden_size() const;
  LstmState zero_state() const;  // [1, hidden], for a batch of any size.

 private:
  friend class Lstm;
  Var input_weight_;
  Var hidden_weight_;
  Var bias_;
};

struct LstmCall {
  std::vector<LstmState> initial = {};  // For each layer; zeros if empty.
  // [steps, batch] of 0 and 1: where it is 0, a sequence has no such step, its
  // state is held, and nothing is learnt from what stands there.
  std::optional<Var> mask = {};
};

struct LstmOutput {
  Var hidden;                   // [steps, batch, hidden] of the last layer.
  std::vector<LstmState> last;  // After the last step, each layer's.
};

// Whole sequences in one operation; batches and lengths may change between
// runs.
class Lstm : public Module {
 public:
  Lstm(const Graph& graph, std::int64_t inputs, std::int64_t hidden,
       const std::string& name, const LstmOptions& options = {});

  // x is [steps, batch, inputs].
  LstmOutput operator()(const Var& x, const LstmCall& call = {}) const;
  std::vector<Var> parameters() const override;

  // Layer i as a cell; its parameters are named "<name>.<i>.bias" and so on.
  const std::vector<LstmCell>& cells() const { return cells_; }

 private:
  std::vector<LstmCell> cells_;
};

}  // namespace lamarck::nn
