// Normalization layers.

#pragma once

#include <string>
#include <vector>

#include "lamarck/nn/module.h"

namespace lamarck::nn {

// Normalizes each channel (the second axis) to mean 0 and standard deviation 1,
// then applies a trainable scale and shift. Training mode uses the statistics
// of the batch and updates the running statistics; evaluation mode uses the
// running statistics.
class BatchNorm : public Module {
 public:
  BatchNorm(const Graph& graph, std::int64_t channels, const std::string& name,
            const BatchNormOptions& options = {});

  Var operator()(const Var& x) const;
  std::vector<Var> own_parameters() const override {
    return {inputs_.scale, inputs_.shift};
  }
  std::vector<Var> own_buffers() const override {
    return {inputs_.mean, inputs_.variance};
  }
  std::vector<Var> own_modes() const override { return {inputs_.training}; }

  // In the graph they are called "<name>.weight", "<name>.bias",
  // "<name>.running_mean", "<name>.running_var" and "<name>.training".
  const BatchNormInputs& inputs() const { return inputs_; }

 private:
  BatchNormInputs inputs_;
  BatchNormOptions options_;
};

// Normalizes each row (along the last axis) to mean 0 and standard deviation 1,
// then applies a trainable scale and shift. `width` is the size of the last
// axis.
class LayerNorm : public Module {
 public:
  LayerNorm(const Graph& graph, std::int64_t width, const std::string& name,
            float epsilon = 1e-5f);

  Var operator()(const Var& x) const;
  std::vector<Var> own_parameters() const override { return {weight_, bias_}; }

 private:
  Var weight_;
  Var bias_;
  float epsilon_;
};

}  // namespace lamarck::nn
