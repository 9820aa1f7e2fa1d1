#include "lamarck/evolution/aged_adam.h"

#include <cmath>

#include "lamarck/base/ensure.h"
#include "lamarck/optim/update_kernels.h"

namespace lamarck::evolution {

AgedAdam::AgedAdam(const NetworkParameters& state,
                   const AgedAdamOptions& options)
    : options_(options), means_(state.means), squares_(state.squares) {
  for (std::size_t i = 0; i < state.size(); ++i) {
    const double age = double{state.ages[i]};
    if (runs_.empty() || runs_.back().age != age) {
      runs_.push_back({.begin = i,
                       .end = i,
                       .age = age,
                       .power1 = std::pow(double{options.beta1}, age),
                       .power2 = std::pow(double{options.beta2}, age)});
    }
    runs_.back().end = i + 1;
  }
}

void AgedAdam::step(std::span<const float> gradient, std::span<float> values) {
  REQUIRE(gradient.size() == means_.size() && values.size() == means_.size(),
          "AgedAdam::step: the gradient and the values must have {} numbers, "
          "got {} and {}.",
          means_.size(), gradient.size(), values.size());
  for (Run& run : runs_) {
    run.age += 1;
    // Updating the powers of beta is cheaper than calling pow each time.
    run.power1 *= double{options_.beta1};
    run.power2 *= double{options_.beta2};
    const optim::AdamStep step{
        .rate = static_cast<float>(double{options_.rate} / (1 - run.power1)),
        .beta1 = options_.beta1,
        .beta2 = options_.beta2,
        .root_correction = static_cast<float>(1 / std::sqrt(1 - run.power2)),
        .epsilon = options_.epsilon,
        .weight_decay = options_.l2};
    optim::adam_update(step, gradient.data() + run.begin,
                       means_.data() + run.begin, squares_.data() + run.begin,
                       values.data() + run.begin, run.end - run.begin);
  }
}

void AgedAdam::save(NetworkParameters& state) const {
  state.means = means_;
  state.squares = squares_;
  for (const Run& run : runs_) {
    for (std::size_t i = run.begin; i < run.end; ++i) {
      state.ages[i] = static_cast<float>(run.age);
    }
  }
}

}  // namespace lamarck::evolution
