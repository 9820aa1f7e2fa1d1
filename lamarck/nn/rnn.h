// Elman's recurrent layer: h = tanh(x W + h V + b).

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lamarck/nn/module.h"

namespace lamarck::nn {

// One step, from ordinary operations: for loops of one's own.
class RnnCell : public Module {
 public:
  RnnCell(const Graph& graph, std::int64_t inputs, std::int64_t hidden,
          const std::string& name);

  // x [batch, inputs] and h [batch, hidden], or [1, hidden], to [batch,
  // hidden].
  Var operator()(const Var& x, const Var& h) const;
  // "<name>.input_weight" [inputs, hidden], "<name>.hidden_weight" [hidden,
  // hidden], "<name>.bias" [hidden].
  std::vector<Var> parameters() const override;

  std::int64_t hidden_size() const;
  Var zero_state() const;  // [1, hidden], for a batch of any size.

 private:
  friend class Rnn;
  Var input_weight_;
  Var hidden_weight_;
  Var bias_;
};

struct RnnOptions {
  std::int64_t layers = 1;  // Each reads the hidden states of the one before.
};

struct RnnCall {
  // For each layer, [batch, hidden] or [1, hidden]; zeros if empty.
  std::vector<Var> initial = {};
  // [steps, batch] of 0 and 1: where it is 0, a sequence has no such step, its
  // state is held, and nothing is learnt from what stands there.
  std::optional<Var> mask = {};
};

struct RnnOutput {
  Var hidden;             // [steps, batch, hidden] of the last layer.
  std::vector<Var> last;  // [batch, hidden] after the last step, each layer.
};

// Whole sequences in one operation; batches and lengths may change between
// runs.
class Rnn : public Module {
 public:
  Rnn(const Graph& graph, std::int64_t inputs, std::int64_t hidden,
      const std::string& name, const RnnOptions& options = {});

  // x is [steps, batch, inputs].
  RnnOutput operator()(const Var& x, const RnnCall& call = {}) const;
  std::vector<Var> parameters() const override;

  // Layer i as a cell; its parameters are named "<name>.<i>.bias" and so on.
  const std::vector<RnnCell>& cells() const { return cells_; }

 private:
  std::vector<RnnCell> cells_;
};

}  // namespace lamarck::nn
