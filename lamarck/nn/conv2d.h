// Layers on images [batch, channels, height, width].

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lamarck/nn/module.h"

namespace lamarck::nn {

struct Conv2dLayerOptions {
  PerAxis stride = 1;
  PerAxis padding = 0;
  PerAxis dilation = 1;
  std::int64_t groups = 1;
  bool bias = true;
  Init init = Init::kaiming();
};

// Weight [outputs, channels / groups, height, width], bias [outputs].
class Conv2d : public Module {
 public:
  Conv2d(const Graph& graph, std::int64_t channels, std::int64_t outputs,
         PerAxis kernel, const std::string& name,
         const Conv2dLayerOptions& options = {});

  Var operator()(const Var& x) const;
  std::vector<Var> parameters() const override;

  const Var& weight() const { return weight_; }
  const std::optional<Var>& bias() const { return bias_; }

 private:
  Conv2dOptions options_;
  Var weight_;
  std::optional<Var> bias_;
};

// The largest of each window.
class MaxPool2d : public Module {
 public:
  explicit MaxPool2d(PerAxis kernel, const Pool2dOptions& options = {})
      : kernel_(kernel), options_(options) {}

  Var operator()(const Var& x) const { return x.max_pool2d(kernel_, options_); }

 private:
  PerAxis kernel_;
  Pool2dOptions options_;
};

// The mean of each window.
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
