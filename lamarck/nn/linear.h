#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lamarck/nn/module.h"

namespace lamarck::nn {

struct LinearOptions {
  bool bias = true;
  Init init = Init::kaiming();
};

// A fully connected layer: y = x W + b. The parameters are "<name>.weight"
// [inputs, outputs] and, unless switched off, "<name>.bias" [outputs].
class Linear : public Module {
 public:
  Linear(const Graph& graph, std::int64_t inputs, std::int64_t outputs,
         const std::string& name, const LinearOptions& options = {});

  // Maps x [.., inputs] to [.., outputs].
  Var operator()(const Var& x) const;
  std::vector<Var> own_parameters() const override;

  const Var& weight() const { return weight_; }
  // Empty if the layer was made without a bias.
  const std::optional<Var>& bias() const { return bias_; }

 private:
  Var weight_;
  std::optional<Var> bias_;
};

}  // namespace lamarck::nn
