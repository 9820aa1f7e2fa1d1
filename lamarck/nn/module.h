// The base class of layers: it lists parameters and switches between training
// and evaluation.
//
//   struct Net : nn::Module {
//     explicit Net(const Graph& graph);
//     Var operator()(const Var& x) const;
//     std::vector<const Module*> children() const override {
//       return {&hidden, &norm, &out};
//     }
//     nn::Linear hidden;
//     nn::BatchNorm norm;
//     nn::Linear out;
//   };

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lamarck/graph/graph.h"

namespace lamarck::nn {

// Constructing a layer creates its parameters in a graph; calling it adds its
// operations. operator() is not virtual, because signatures differ between
// layers. A composite module overrides `children`, and the other lists are
// collected from them. A module with parameters of its own overrides
// `own_parameters`, besides.
class Module {
 public:
  virtual ~Module() = default;

  // The submodules, in the order of their parameters; empty for a plain layer.
  // The pointers refer to members of this module.
  virtual std::vector<const Module*> children() const { return {}; }

  // Of the module itself and then of its children, in order. The trainable
  // parameters, named "<layer>.weight" and so on.
  std::vector<Var> parameters() const;
  // State that training updates without gradients, such as the running
  // statistics of BatchNorm.
  std::vector<Var> buffers() const;
  // The inputs that select the mode: 1 for training, 0 for evaluation.
  std::vector<Var> modes() const;

  std::vector<std::pair<std::string, Var>> named_parameters() const;
  std::int64_t parameter_count() const;  // Counts elements, not tensors.

  // Layers start in training mode. In evaluation mode, Dropout is the identity
  // and BatchNorm uses its running statistics. Switching only changes input
  // values, so no plan is recompiled.
  void train() const { set_training(true); }
  void eval() const { set_training(false); }

 private:
  // Of the module itself, without its children.
  virtual std::vector<Var> own_parameters() const { return {}; }
  virtual std::vector<Var> own_buffers() const { return {}; }
  virtual std::vector<Var> own_modes() const { return {}; }

  std::vector<Var> collect(std::vector<Var> (Module::*own)() const) const;
  void set_training(bool is_training) const;
};

// Returns the parameters of several modules, in order.
template <class... Modules>
std::vector<Var> parameters(const Modules&... modules) {
  std::vector<Var> all;
  const auto append = [&](const Module& module) {
    for (const Var& parameter : module.parameters()) all.push_back(parameter);
  };
  (append(modules), ...);
  return all;
}

// Copies the values of all parameters and buffers, in order. Throws LogicError
// unless both have the same number of them with the same shapes.
void copy_weights(const Module& from, const Module& to);

}  // namespace lamarck::nn
