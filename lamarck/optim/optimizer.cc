#include "lamarck/optim/optimizer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"

namespace lamarck::optim {
namespace {

// Node ids are unique only within a graph, so equal ids are compared by graph.
void require_distinct(const std::vector<Var>& parameters) {
  std::multimap<NodeId, const Var*> seen;
  for (const Var& parameter : parameters) {
    const auto [first, last] = seen.equal_range(parameter.node_id());
    for (auto at = first; at != last; ++at) {
      REQUIRE(!at->second->same_graph(parameter),
              "Optimizer: each parameter must be listed once, got '{}' twice.",
              parameter.name());
    }
    seen.emplace(parameter.node_id(), &parameter);
  }
}

}  // namespace

Optimizer::Optimizer(std::string kind, std::vector<Var> parameters, float rate)
    : kind_(std::move(kind)), parameters_(std::move(parameters)) {
  REQUIRE(!parameters_.empty(),
          "Optimizer: the list of parameters must not be empty.");
  require_distinct(parameters_);
  set_rate(rate);
}

void Optimizer::set_rate(float rate) {
  REQUIRE(std::isfinite(rate) && rate >= 0,
          "Optimizer::set_rate: the learning rate must be finite and not "
          "negative, got {}.",
          rate);
  rate_ = rate;
}

void Optimizer::zero_grad() {
  for (const Var& parameter : parameters_) parameter.zero_grad();
}

void Optimizer::step() {
  REQUIRE(std::ranges::any_of(parameters_,
                              [](const Var& each) { return each.has_grad(); }),
          "Optimizer::step: call backward() on a loss that depends on the "
          "parameters first; none of {} has a gradient, '{}' for example.",
          parameters_.size(), parameters_.front().name());
  ++steps_taken_;
  begin_step();
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Var& parameter = parameters_[i];
    if (!parameter.has_grad()) continue;
    update(i, parameter.gradient_elements(), parameter.elements());
  }
}

float Optimizer::minimize(const Var& loss) {
  zero_grad();
  loss.forward();
  const float value = loss.backward();
  step();
  return value;
}

float Optimizer::clip_gradients(float max_norm) {
  // A float sum would lose small gradients in large networks.
  double total = 0;
  for (const Var& parameter : parameters_) {
    if (!parameter.has_grad()) continue;
    for (const float g : parameter.gradient_elements()) {
      total += static_cast<double>(g) * g;
    }
  }
  const auto norm = static_cast<float>(std::sqrt(total));
  if (norm <= max_norm) return norm;
  for (const Var& parameter : parameters_) {
    if (parameter.has_grad()) parameter.scale_gradient(max_norm / norm);
  }
  return norm;
}

Optimizer::Memory& Optimizer::add_memory(std::string name) {
  NamedMemory& added = memories_.emplace_back();
  added.name = std::move(name);
  for (const Var& parameter : parameters_) {
    added.values.emplace_back(
        static_cast<std::size_t>(parameter.shape().element_count()), 0.0f);
  }
  return added.values;
}

OptimizerState Optimizer::state() const {
  OptimizerState state{kind_, steps_taken_, rate_, {}};
  for (const NamedMemory& memory : memories_) {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const std::string key = parameters_[i].name() + "." + memory.name;
      const bool is_new = state.tensors
                              .emplace(key, Tensor::from(parameters_[i].shape(),
                                                         memory.values[i]))
                              .second;
      REQUIRE(
          is_new,
          "Optimizer::state: parameter names must be unique, got '{}' twice.",
          key);
    }
  }
  return state;
}

Result<void> Optimizer::restore(const OptimizerState& state) {
  std::map<std::string, Shape> wanted;
  for (const NamedMemory& memory : memories_) {
    for (const Var& parameter : parameters_) {
      wanted.emplace(parameter.name() + "." + memory.name, parameter.shape());
    }
  }
  // Everything is checked first, so that a failed restore changes nothing.
  RETURN_IF_ERROR(check_optimizer_state(state, kind_, wanted));
  for (NamedMemory& memory : memories_) {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const std::string key = parameters_[i].name() + "." + memory.name;
      memory.values[i] = state.tensors.at(key).to_vector();
    }
  }
  steps_taken_ = state.steps;
  rate_ = state.rate;
  return {};
}

Sgd::Sgd(std::vector<Var> parameters, float rate, SgdOptions options)
    : Optimizer("sgd", std::move(parameters), rate), options_(options) {
  if (options_.momentum != 0) velocity_ = &add_memory("velocity");
}

void Sgd::update(std::size_t index, std::span<const float> gradient,
                 std::span<float> weight) {
  sgd_update({.rate = rate(),
              .momentum = options_.momentum,
              .weight_decay = options_.weight_decay,
              .nesterov = options_.nesterov},
             gradient.data(),
             velocity_ == nullptr ? nullptr : (*velocity_)[index].data(),
             weight.data(), weight.size());
}

Adam::Adam(std::vector<Var> parameters, float rate, AdamOptions options)
    : Adam("adam", std::move(parameters), rate, options) {}

Adam::Adam(std::string kind, std::vector<Var> parameters, float rate,
           AdamOptions options)
    : Optimizer(std::move(kind), std::move(parameters), rate),
      options_(options),
      mean_(add_memory("mean")),
      square_(add_memory("square")) {}

void Adam::begin_step() {
  // The bias corrections of both moments depend only on the step, so they are
  // folded into the rate and into one factor here. Doubles keep 1 - beta^t
  // exact enough for small t.
  const auto t = static_cast<double>(steps_taken());
  const bool is_decoupled = options_.is_decay_decoupled;
  step_ = {
      .rate = static_cast<float>(rate() / (1 - std::pow(options_.beta1, t))),
      .beta1 = options_.beta1,
      .beta2 = options_.beta2,
      .root_correction =
          static_cast<float>(1 / std::sqrt(1 - std::pow(options_.beta2, t))),
      .epsilon = options_.epsilon,
      .weight_decay = is_decoupled ? 0 : options_.weight_decay,
      .shrink = is_decoupled ? 1 - rate() * options_.weight_decay : 1};
}

void Adam::update(std::size_t index, std::span<const float> gradient,
                  std::span<float> weight) {
  adam_update(step_, gradient.data(), mean_[index].data(),
              square_[index].data(), weight.data(), weight.size());
}

namespace {

AdamOptions decoupled(const AdamWOptions& options) {
  return {.beta1 = options.beta1,
          .beta2 = options.beta2,
          .epsilon = options.epsilon,
          .weight_decay = options.weight_decay,
          .is_decay_decoupled = true};
}

}  // namespace

AdamW::AdamW(std::vector<Var> parameters, float rate, AdamWOptions options)
    : Adam("adamw", std::move(parameters), rate, decoupled(options)) {}

Rmsprop::Rmsprop(std::vector<Var> parameters, float rate,
                 RmspropOptions options)
    : Optimizer("rmsprop", std::move(parameters), rate),
      options_(options),
      square_(add_memory("square")) {}

void Rmsprop::update(std::size_t index, std::span<const float> gradient,
                     std::span<float> weight) {
  rmsprop_update({.rate = rate(),
                  .decay = options_.decay,
                  .epsilon = options_.epsilon,
                  .weight_decay = options_.weight_decay},
                 gradient.data(), square_[index].data(), weight.data(),
                 weight.size());
}

namespace {

template <class Kind>
std::unique_ptr<Optimizer> make(std::vector<Var> parameters, float rate) {
  return std::make_unique<Kind>(std::move(parameters), rate);
}

constexpr std::array kOptimizers = {
    OptimizerEntry{"sgd", "gradient descent", 0.01f, make<Sgd>},
    OptimizerEntry{"adam", "running means of gradients and their squares",
                   1e-3f, make<Adam>},
    OptimizerEntry{"adamw", "Adam with decoupled weight decay", 1e-3f,
                   make<AdamW>},
    OptimizerEntry{"rmsprop", "gradients divided by their root mean square",
                   1e-2f, make<Rmsprop>},
};

}  // namespace

std::span<const OptimizerEntry> optimizer_table() { return kOptimizers; }

}  // namespace lamarck::optim
