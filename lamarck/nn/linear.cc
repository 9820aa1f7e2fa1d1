#include "lamarck/nn/linear.h"

namespace lamarck::nn {

Linear::Linear(const Graph& graph, std::int64_t inputs, std::int64_t outputs,
               const std::string& name, const LinearOptions& options)
    : weight_(
          graph.parameter({inputs, outputs}, options.init, name + ".weight")) {
  if (options.bias) {
    bias_ = graph.parameter({outputs}, Init::zeros(), name + ".bias");
  }
}

Var Linear::operator()(const Var& x) const {
  // The bias broadcasts over all leading axes.
  const Var product = x.matmul(weight_);
  return bias_ ? product + *bias_ : product;
}

std::vector<Var> Linear::own_parameters() const {
  std::vector<Var> all = {weight_};
  if (bias_) all.push_back(*bias_);
  return all;
}

}  // namespace lamarck::nn
