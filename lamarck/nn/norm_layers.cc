#include "lamarck/nn/norm_layers.h"

namespace lamarck::nn {

BatchNorm::BatchNorm(const Graph& graph, std::int64_t channels,
                     const std::string& name, const BatchNormOptions& options)
    : inputs_{.scale =
                  graph.parameter({channels}, Init::ones(), name + ".weight"),
              .shift =
                  graph.parameter({channels}, Init::zeros(), name + ".bias"),
              // Running statistics are inputs, not parameters, so optimizers
              // skip them.
              .mean = graph.input_named(Tensor::zeros({channels}),
                                        name + ".running_mean"),
              .variance = graph.input_named(Tensor::ones({channels}),
                                            name + ".running_var"),
              .training =
                  graph.input_named(Tensor::scalar(1), name + ".training")},
      options_(options) {}

Var BatchNorm::operator()(const Var& x) const {
  return batch_norm(x, inputs_, options_);
}

LayerNorm::LayerNorm(const Graph& graph, std::int64_t width,
                     const std::string& name, float epsilon)
    : weight_(graph.parameter({width}, Init::ones(), name + ".weight")),
      bias_(graph.parameter({width}, Init::zeros(), name + ".bias")),
      epsilon_(epsilon) {}

Var LayerNorm::operator()(const Var& x) const {
  return x.layer_norm(weight_, bias_, epsilon_);
}

}  // namespace lamarck::nn
