// Convolution and pooling layers for images of shape [batch, channels, height,
// width].

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lamarck/nn/module.h"

namespace lamarck::nn {

// A PerAxis is one number for both axes or a pair {y, x}.
struct Conv2dLayerOptions {
  PerAxis stride = 1;
  PerAxis padding = 0;
  PerAxis dilation = 1;
  std::int64_t groups = 1;  // Must divide the channels and the outputs.
  bool bias = true;
  Init init = Init::kaiming();
};

// A 2-D convolution. The weight "<name>.weight" has the shape [outputs,
// channels / groups, kernel height, kernel width] and the bias "<name>.bias"
// has the shape [outputs].
class Conv2d : public Module {
 public:
  // Throws LogicError if the groups do not divide channels and outputs.
  Conv2d(const Graph& graph, std::int64_t channels, std::int64_t outputs,
         PerAxis kernel, const std::string& name,
         const Conv2dLayerOptions& options = {});

  Var operator()(const Var& x) const;
  std::vector<Var> own_parameters() const override;

  const Var& weight() const { return weight_; }
  // Empty if the layer was made without a bias.
  const std::optional<Var>& bias() const { return bias_; }

 private:
  Conv2dOptions options_;
  Var weight_;
  std::optional<Var> bias_;
};

// Takes the maximum of each window.
class MaxPool2d : public Module {
 public:
  explicit MaxPool2d(PerAxis kernel, const Pool2dOptions& options = {})
      : kernel_(kernel), options_(options) {}

  Var operator()(const Var& x) const { return x.max_pool2d(kernel_, options_); }

 private:
  PerAxis kernel_;
  Pool2dOptions options_;
};

// Takes the mean of each window.
class AvgPool2d : public Module {
 public:
  explicit AvgPool2d(PerAxis kernel, const Pool2dOptions& options = {})
      : kernel_(kernel), options_(options) {}

  Var operator()(const Var& x) const { return x.avg_pool2d(kernel_, options_); }

 private:
  PerAxis kernel_;
  Pool2dOptions options_;
};

}  // namespace lamarck::nn
