#include "lamarck/nn/module.h"

namespace lamarck::nn {
namespace {

// Concatenates what `list` returns for each child, in order.
std::vector<Var> collect_from_children(const Module& module,
                                       std::vector<Var> (Module::*list)()
                                           const) {
  std::vector<Var> all;
  for (const Module* child : module.children()) {
    for (const Var& each : (child->*list)()) all.push_back(each);
  }
  return all;
}

}  // namespace

std::vector<Var> Module::parameters() const {
  return collect_from_children(*this, &Module::parameters);
}
std::vector<Var> Module::buffers() const {
  return collect_from_children(*this, &Module::buffers);
}
std::vector<Var> Module::modes() const {
  return collect_from_children(*this, &Module::modes);
}

std::vector<std::pair<std::string, Var>> Module::named_parameters() const {
  std::vector<std::pair<std::string, Var>> all;
  for (const Var& parameter : parameters()) {
    all.emplace_back(parameter.name(), parameter);
  }
  return all;
}

std::int64_t Module::parameter_count() const {
  std::int64_t count = 0;
  for (const Var& parameter : parameters()) {
    count += parameter.shape().element_count();
  }
  return count;
}

void Module::set_training(bool is_training) const {
  // The mode is an input of the graph, so compiled plans stay valid.
  const Tensor flag = Tensor::scalar(is_training ? 1.0f : 0.0f);
  for (const Var& mode : modes()) mode.set_value(flag);
}

}  // namespace lamarck::nn
