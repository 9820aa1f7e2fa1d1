// What layers have in common: parameters, and whether they train.
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

// Building a layer makes its parameters; calling it adds its operations. How it
// is called is its own affair, because signatures differ. A module made of
// others names them in `children` and has the rest from them.
class Module {
 public:
  virtual ~Module() = default;

  // In the order of the parameters; none of a layer.
  virtual std::vector<const Module*> children() const { return {}; }
  // Their names are "<layer>.weight" and so on.
  virtual std::vector<Var> parameters() const;
  // What a trained layer knows beside its parameters: running statistics.
  virtual std::vector<Var> buffers() const;
  // The inputs that say whether it trains: 1 or 0.
  virtual std::vector<Var> modes() const;

  std::vector<std::pair<std::string, Var>> named_parameters() const;
  std::int64_t parameter_count() const;  // In elements.

  // Layers begin in training. Evaluation drops nothing out and normalises by
  // running statistics. Changes inputs only: no plan is compiled anew.
  void train() const { set_training(true); }
  void eval() const { set_training(false); }

 private:
  void set_training(bool is_training) const;
};

// Of several modules, in order.
template <class... Modules>
std::vector<Var> parameters(const Modules&... modules) {
  std::vector<Var> all;
  const auto append = [&](const Module& module) {
    for (const Var& parameter : module.parameters()) all.push_back(parameter);
  };
  (append(modules), ...);
  return all;
}

}  // namespace lamarck::nn
