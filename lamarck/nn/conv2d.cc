#include "lamarck/nn/conv2d.h"

#include "lamarck/base/ensure.h"

namespace lamarck::nn {
namespace {

Shape weight_shape(std::int64_t channels, std::int64_t outputs, PerAxis kernel,
                   const Conv2dLayerOptions& options) {
  REQUIRE(options.groups > 0 && channels % options.groups == 0 &&
              outputs % options.groups == 0,
          "Conv2d: groups ({}) must be at least 1 and divide channels ({}) and "
          "outputs ({}).",
          options.groups, channels, outputs);
  // Each group connects its share of the channels to its share of the outputs.
  return {outputs, channels / options.groups, kernel.y, kernel.x};
}

}  // namespace

Conv2d::Conv2d(const Graph& graph, std::int64_t channels, std::int64_t outputs,
               PerAxis kernel, const std::string& name,
               const Conv2dLayerOptions& options)
    : options_{.stride = options.stride,
               .padding = options.padding,
               .dilation = options.dilation,
               .groups = options.groups},
      weight_(graph.parameter(weight_shape(channels, outputs, kernel, options),
                              options.init, name + ".weight")) {
  if (options.bias) {
    bias_ = graph.parameter({outputs}, Init::zeros(), name + ".bias");
  }
}

Var Conv2d::operator()(const Var& x) const {
  return bias_ ? x.conv2d(weight_, *bias_, options_)
               : x.conv2d(weight_, options_);
}

std::vector<Var> Conv2d::own_parameters() const {
  std::vector<Var> all = {weight_};
  if (bias_) all.push_back(*bias_);
  return all;
}

}  // namespace lamarck::nn
