// Elman's recurrent layer (1990): h = tanh(x W + h V + b).

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lamarck/nn/module.h"

namespace lamarck::nn {

// One time step, built from ordinary operations; for hand-written loops.
class RnnCell : public Module {
 public:
  RnnCell(const Graph& graph, std::int64_t inputs, std::int64_t hidden,
          const std::string& name);

  // Returns the next state [batch, hidden]. x is [batch, inputs]; h is [batch,
  // hidden], or [1, hidden] to use one state for the whole batch.
  Var operator()(const Var& x, const Var& h) const;
  // "<name>.input_weight" [inputs, hidden], "<name>.hidden_weight" [hidden,
  // hidden], "<name>.bias" [hidden].
  std::vector<Var> own_parameters() const override;

  std::int64_t hidden_size() const;
  Var zero_state() const;  // [1, hidden]; broadcasts to any batch.

 private:
  friend class Rnn;
  Var input_weight_;
  Var hidden_weight_;
  Var bias_;
};

struct RnnOptions {
  // At least 1. Each layer reads the hidden states of the previous one.
  std::int64_t layers = 1;
};

struct RnnCall {
  // One state per layer, [batch, hidden] or [1, hidden]; zeros if empty.
  std::vector<Var> initial = {};
  // [steps, batch] of 0 and 1. A 0 marks padding: the state stays as it is, and
  // the input at that step receives no gradient.
  std::optional<Var> mask = {};
};

struct RnnOutput {
  Var hidden;             // [steps, batch, hidden] of the last layer.
  std::vector<Var> last;  // Per layer: [batch, hidden] after the last step.
};

// Processes whole sequences with one fused operation per layer. The batch size
// and the sequence length may change between runs.
class Rnn : public Module {
 public:
  Rnn(const Graph& graph, std::int64_t inputs, std::int64_t hidden,
      const std::string& name, const RnnOptions& options = {});

  // x is [steps, batch, inputs]. Throws LogicError if `call.initial` is neither
  // empty nor one state per layer.
  RnnOutput operator()(const Var& x, const RnnCall& call = {}) const;
  std::vector<Var> own_parameters() const override;

  // One cell per layer, sharing its parameters, which are named
  // "<name>.<layer>.bias" and so on.
  const std::vector<RnnCell>& cells() const { return cells_; }

 private:
  std::vector<RnnCell> cells_;
};

}  // namespace lamarck::nn
