#include "lamarck/optim/optimizer.h"

#include <cmath>
#include <utility>

namespace lamarck::optim {

Optimizer::Optimizer(std::vector<Var> parameters, float rate)
    : parameters_(std::move(parameters)), rate_(rate) {}

void Optimizer::zero_grad() {
  for (const Var& parameter : parameters_) parameter.zero_grad();
}

void Optimizer::step() {
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

float Optimizer::clip_gradients(float largest_norm) {
  double total = 0;
  for (const Var& parameter : parameters_) {
    if (!parameter.has_grad()) continue;
    for (const float g : parameter.gradient_elements()) {
      total += static_cast<double>(g) * g;
    }
  }
  const auto norm = static_cast<float>(std::sqrt(total));
  if (norm <= largest_norm) return norm;
  for (const Var& parameter : parameters_) {
    if (parameter.has_grad()) parameter.scale_gradient(largest_norm / norm);
  }
  return norm;
}

std::vector<std::vector<float>> Optimizer::make_memory() const {
  std::vector<std::vector<float>> memory;
  for (const Var& parameter : parameters_) {
    memory.emplace_back(
        static_cast<std::size_t>(parameter.shape().element_count()), 0.0f);
  }
  return memory;
}

Sgd::Sgd(std::vector<Var> parameters, float rate, SgdOptions options)
    : Optimizer(std::move(parameters), rate), options_(options) {
  if (options_.momentum != 0) velocity_ = make_memory();
}

void Sgd::update(std::size_t index, std::span<const float> gradient,
                 std::span<float> weight) {
  sgd_update({.rate = rate(),
              .momentum = options_.momentum,
              .weight_decay = options_.weight_decay,
              .nesterov = options_.nesterov},
             gradient.data(),
             velocity_.empty() ? nullptr : velocity_[index].data(),
             weight.data(), weight.size());
}

Adam::Adam(std::vector<Var> parameters, float rate, AdamOptions options)
    : Optimizer(std::move(parameters), rate),
      options_(options),
      mean_(make_memory()),
      square_(make_memory()) {}

void Adam::begin_step() {
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

AdamOptions decoupled(AdamOptions options) {
  options.is_decay_decoupled = true;
  return options;
}

}  // namespace

AdamW::AdamW(std::vector<Var> parameters, float rate, AdamOptions options)
    : Adam(std::move(parameters), rate, decoupled(options)) {}

Rmsprop::Rmsprop(std::vector<Var> parameters, float rate,
                 RmspropOptions options)
    : Optimizer(std::move(parameters), rate),
      options_(options),
      square_(make_memory()) {}

void Rmsprop::update(std::size_t index, std::span<const float> gradient,
                     std::span<float> weight) {
  rmsprop_update({.rate = rate(),
                  .decay = options_.decay,
                  .epsilon = options_.epsilon,
                  .weight_decay = options_.weight_decay},
                 gradient.data(), square_[index].data(), weight.data(),
                 weight.size());
}

}  // namespace lamarck::optim
