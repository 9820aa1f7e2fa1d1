// An evolved network as a layer of a larger model, trained together with it.
//
//   const nn::Linear first(graph, 4, 3, "first");
//   const DynamicModule evolved(graph, network, "evolved");
//   const Var y = evolved(first(x));
//   ...
//   const Network trained = evolved.network();

#pragma once

#include <string>
#include <vector>

#include "lamarck/evolution/network.h"
#include "lamarck/nn/module.h"

namespace lamarck::evolution {

// Its parameters are called "<name>.node_7.weight" and so on. A recurrent
// network keeps its state in the graph: Graph::step carries it forward and
// Graph::reset_state clears it. Each call to the module has its own state.
class DynamicModule : public nn::Module {
 public:
  // Throws LogicError if the graph already has parameters of that name.
  DynamicModule(const Graph& graph, const Network& network, std::string name);

  // The outputs for x, which is [batch, inputs] or a batch of images with
  // `inputs` numbers each. With a cross-entropy head the outputs are
  // probabilities. Throws LogicError if the width of x does not match.
  Var operator()(const Var& x) const;
  // The same values before softmax or sigmoid, for losses that take logits.
  Var logits(const Var& x) const;

  std::vector<Var> own_parameters() const override { return parameters_; }

  // The network with its current weights. Its Adam moments are reset, because
  // another optimizer trained the weights.
  Network network() const;

 private:
  Var as_rows(const Var& x) const;
  std::string next_state_prefix() const;

  Graph graph_;
  Network network_;
  std::string name_;
  std::vector<Var> parameters_;
  mutable int calls_ = 0;
};

}  // namespace lamarck::evolution
