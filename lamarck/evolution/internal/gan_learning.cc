#include "lamarck/evolution/internal/gan_learning.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "lamarck/evolution/energy_distance.h"
#include "lamarck/evolution/internal/generator_learner.h"
#include "lamarck/evolution/weighted_learner.h"

namespace lamarck::evolution {
namespace {

// Less momentum than usual, because each network changes the other's loss
// (Radford, Metz and Chintala 2016).
constexpr float kBeta1 = 0.5f;

// The square root of the columns' mean variance.
double deviation_of(const Tensor& rows) {
  const Tensor off = rows - mean(rows, 0);
  return std::sqrt(double{mean(off * off).item()});
}

Tensor drawn_rows(const Tensor& from, std::size_t count, Rng& rng) {
  const std::int64_t width = from.size(1);
  const auto rows = static_cast<std::uint64_t>(from.size(0));
  Tensor drawn =
      Tensor::uninitialized({static_cast<std::int64_t>(count), width});
  float* to = drawn.begin_of_data();
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = static_cast<std::int64_t>(rng.below(rows));
    to = std::copy_n(from.begin_of_data() + row * width, width, to);
  }
  return drawn;
}

// One adversarial training of a generator (making_) and a discriminator
// (judging_).
class GanLearning {
 public:
  GanLearning(Network& generator, Network& discriminator, const GanData& data,
              const GanOptions& options, const LearningContext& context)
      : generator_(generator),
        discriminator_(discriminator),
        real_(data.real),
        held_out_(data.held_out),
        options_(options),
        context_(context),
        deviation_(deviation_of(data.real)),
        making_(fresh(generator), discriminator,
                {.rate = options.generator_rate, .beta1 = kBeta1}),
        judging_(fresh(discriminator),
                 {.rate = options.discriminator_rate, .beta1 = kBeta1}) {}

  TrainingOutcome run() {
    judge();
    const std::size_t total = options_.first_updates + options_.max_updates;
    for (std::size_t i = 0; i < total; ++i) {
      if (i % 16 == 0 && context_.should_stop && context_.should_stop()) {
        outcome_.was_stopped = true;
        break;
      }
      update(i);
      if ((i + 1) % options_.judge_every == 0 && i >= options_.first_updates) {
        judge();
      }
    }
    outcome_.loss = outcome_.check_loss = 1 - best_;
    outcome_.is_finite = std::isfinite(best_);
    return outcome_;
  }

 private:
  static Network fresh(Network network) {
    network.parameters().forget_gradients();
    return network;
  }

  Tensor noise(std::size_t width, Rng& rng) const {
    return Tensor::randn({static_cast<std::int64_t>(options_.batch),
                          static_cast<std::int64_t>(width)},
                         rng);
  }

  Tensor blur(double share, Rng& rng) const {
    const double size = share * options_.blur * deviation_;
    return Tensor::scalar(static_cast<float>(size)) *
           noise(static_cast<std::size_t>(real_.size(1)), rng);
  }

  // Falls linearly from 1 to 0 over the first two thirds of the updates.
  double blur_share(std::size_t index) const {
    const double done =
        index < options_.first_updates
            ? 0
            : static_cast<double>(index - options_.first_updates) /
                  static_cast<double>(options_.max_updates);
    return std::max(0.0, 1 - 1.5 * done);
  }

  // One step of the discriminator on real and generated rows, then one of the
  // generator against it.
  void update(std::size_t index) {
    Rng rng = Rng(context_.seed).split(index);
    const double share = blur_share(index);
    const Network& maker = making_.network();
    const std::size_t inputs = maker.input_width();
    const Tensor made = predict(maker, noise(inputs, rng)) + blur(share, rng);
    const Tensor real =
        drawn_rows(real_, options_.batch, rng) + blur(share, rng);
    const auto rows = static_cast<std::int64_t>(options_.batch);
    const std::array inputs_of_both = {real, made};
    const std::array labels = {Tensor::ones({rows, 1}),
                               Tensor::zeros({rows, 1})};
    judging_.step({.inputs = concat(inputs_of_both, 0),
                   .targets = concat(labels, 0),
                   .weights = Tensor::ones({2 * rows}),
                   .scale = 2 * static_cast<double>(rows)});
    ++outcome_.steps;
    if (index < options_.first_updates) return;
    making_.step(noise(inputs, rng), blur(share, rng), judging_.network());
    ++outcome_.steps;
  }

  // Keeps both networks if the generator is the best so far. The fixed seed
  // gives every candidate the same noise.
  void judge() {
    Rng rng = Rng(0).split("judge");
    const Network& maker = making_.network();
    const double score =
        similarity(generate_rows(maker, options_.judged_rows, rng), held_out_);
    if (!(score > best_)) return;
    best_ = score;
    generator_ = maker;
    discriminator_ = judging_.network();
  }

  Network& generator_;
  Network& discriminator_;
  const Tensor& real_;
  const Tensor& held_out_;
  const GanOptions& options_;
  const LearningContext& context_;
  double deviation_;
  GeneratorLearner making_;
  WeightedLearner judging_;
  double best_ = -std::numeric_limits<double>::infinity();
  TrainingOutcome outcome_;
};

}  // namespace

TrainingOutcome learn_gan(Network& generator, Network& discriminator,
                          const GanData& data, const GanOptions& options,
                          const LearningContext& context) {
  return GanLearning(generator, discriminator, data, options, context).run();
}

}  // namespace lamarck::evolution
