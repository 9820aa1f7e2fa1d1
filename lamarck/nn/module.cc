#include "lamarck/nn/module.h"

#include "lamarck/base/ensure.h"

namespace lamarck::nn {

std::vector<Var> Module::collect(std::vector<Var> (Module::*own)()
                                     const) const {
  std::vector<Var> all = (this->*own)();
  for (const Module* child : children()) {
    for (const Var& each : child->collect(own)) all.push_back(each);
  }
  return all;
}

std::vector<Var> Module::parameters() const {
  return collect(&Module::own_parameters);
}
std::vector<Var> Module::buffers() const {
  return collect(&Module::own_buffers);
}
std::vector<Var> Module::modes() const { return collect(&Module::own_modes); }

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

void copy_weights(const Module& from, const Module& to) {
  const auto all = [](const Module& module) {
    std::vector<Var> weights = module.parameters();
    for (const Var& buffer : module.buffers()) weights.push_back(buffer);
    return weights;
  };
  const std::vector<Var> source = all(from);
  const std::vector<Var> target = all(to);
  REQUIRE(source.size() == target.size(),
          "copy_weights: both modules must have the same number of parameters "
          "and buffers, got {} and {}.",
          source.size(), target.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (!(source[i].shape() == target[i].shape())) {
      throw_shape_mismatch("copy_weights", source[i].shape(), target[i].shape(),
                           "number " + std::to_string(i) + " is '" +
                               source[i].name() + "' and '" + target[i].name() +
                               "'");
    }
  }
  for (std::size_t i = 0; i < source.size(); ++i) {
    target[i].set_value(source[i].value());
  }
}

}  // namespace lamarck::nn
