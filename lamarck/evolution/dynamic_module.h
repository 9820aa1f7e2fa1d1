// An evolved network as a layer among others, trained together with them.
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
// network keeps memories in the graph: Graph::step carries them on and
// Graph::reset_state begins anew; each call has its own.
class DynamicModule : public nn::Module {
 public:
  // A name that is taken throws LogicError.
  DynamicModule(const Graph& graph, const Network& network, std::string name);

  // What the outputs give for x, [batch, inputs] or images of as many numbers:
  // with a head of cross entropy probabilities. Throws LogicError if the
  // network reads another number of inputs.
  Var operator()(const Var& x) const;
  // Likewise before softmax or sigmoid, for losses that take logits.
  Var logits(const Var& x) const;

  std::vector<Var> parameters() const override { return parameters_; }

  // The network with the weights as they are now. What Adam remembers of them
  // is forgotten, since others trained them.
  Network network() const;

 private:
  Var rows_of(const Var& x) const;
  std::string memories_of_call() const;

  Graph graph_;
  Network network_;
  std::string name_;
  std::vector<Var> parameters_;
  mutable int calls_ = 0;
};

}  // namespace lamarck::evolution
