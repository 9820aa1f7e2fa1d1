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

// y = x W + b, with W of [inputs, outputs].
class Linear : public Module {
 public:
  Linear(const Graph& graph, std::int64_t inputs, std::int64_t outputs,
         const std::string& name, const LinearOptions& options = {});

  Var operator()(const Var& x) const;
  std::vector<Var> parameters() const override;

  const Var& weight() const { return weight_; }
  const std::optional<Var>& bias() const { return bias_; }

 private:
  Var weight_;
  std::optional<Var> bias_;
};

}  // namespace lamarck::nn
