#include "lamarck/evolution/gan_task.h"

#include <array>
#include <cmath>

#include "lamarck/base/ensure.h"
#include "lamarck/evolution/energy_distance.h"
#include "lamarck/evolution/internal/generator_learner.h"
#include "lamarck/evolution/weighted_learner.h"

namespace lamarck::evolution {
namespace {

constexpr float kBeta1 = 0.5f;  // The two must follow each other quickly.

// The root of the mean variance of the numbers.
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

class GanLearning {
 public:
  GanLearning(Network& generator, Network& discriminator, const Tensor& real,
              const Tensor& held_out, const GanOptions& options,
              const LearningContext& context)
      : generator_(generator),
        discriminator_(discriminator),
        real_(real),
        held_out_(held_out),
        options_(options),
        context_(context),
        deviation_(deviation_of(real)),
        making_(fresh(generator), discriminator,
                {.rate = options.generator_rate, .beta1 = kBeta1}),
        judging_(fresh(discriminator),
                 {.rate = options.discriminator_rate, .beta1 = kBeta1}) {}

  TrainingOutcome run() {
    judge();
    const std::size_t total = options_.first_updates + options_.most_updates;
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

  // Gone after the first two thirds.
  double blur_share(std::size_t index) const {
    const double done =
        index < options_.first_updates
            ? 0
            : static_cast<double>(index - options_.first_updates) /
                  static_cast<double>(options_.most_updates);
    return std::max(0.0, 1 - 1.5 * done);
  }

  void update(std::size_t index) {
    Rng rng = Rng(context_.seed).split(index);
    const double share = blur_share(index);
    const Network& maker = making_.network();
    const std::size_t inputs = maker.input_width();
    const Tensor made = predict(maker, noise(inputs, rng)) + blur(share, rng);
    const Tensor real =
        drawn_rows(real_, options_.batch, rng) + blur(share, rng);
    const auto rows = static_cast<std::int64_t>(options_.batch);
    const std::array seen = {real, made};
    const std::array said = {Tensor::ones({rows, 1}), Tensor::zeros({rows, 1})};
    judging_.step({.inputs = concat(seen, 0),
                   .targets = concat(said, 0),
                   .weights = Tensor::ones({2 * rows}),
                   .scale = 2 * static_cast<double>(rows)});
    ++outcome_.steps;
    if (index < options_.first_updates) return;
    making_.step(noise(inputs, rng), blur(share, rng), judging_.network());
    ++outcome_.steps;
  }

  void judge() {
    Rng rng = Rng(0).split("judge");
    const Network& maker = making_.network();
    const double score =
        likeness(generated(maker, options_.judged_rows, rng), held_out_);
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

void check(const Tensor& real, const Tensor& held_out,
           const GanOptions& options) {
  REQUIRE(real.rank() == 2 && held_out.rank() == 2 &&
              real.size(1) == held_out.size(1) && real.size(0) >= 2 &&
              held_out.size(0) >= 2,
          "GanTask: data are rows of as many numbers as those held out");
  REQUIRE(options.batch > 0 && options.judged_rows >= 2 &&
              options.judge_every > 0 && options.blur >= 0,
          "GanOptions: a batch, two rows or more to judge, no negative blur");
}

void check_network(const Network& network, const char* what) {
  REQUIRE(network.is_narrow() && !network.is_recurrent(), what);
}

void prepare_generator(Network& network, const Tensor& real) {
  check_network(network,
                "GanTask: a generator is made of neurons that do not remember");
  REQUIRE(static_cast<std::int64_t>(network.output_width()) == real.size(1),
          "GanTask: a generator gives as many numbers as a row has");
  network.set_head(Loss::MeanSquared);
}

void prepare_discriminator(Network& network, const Tensor& real) {
  check_network(
      network,
      "GanTask: a discriminator is made of neurons that do not remember");
  REQUIRE(static_cast<std::int64_t>(network.input_width()) == real.size(1) &&
              network.output_width() == 1,
          "GanTask: a discriminator reads a row and gives one number");
  network.set_head(Loss::BinaryCrossEntropy);
}

double work_of(const Network& generator, const Network& discriminator,
               const GanOptions& options) {
  // The discriminator runs for real and for made rows, and once more above the
  // generator.
  const double products =
      2 * static_cast<double>(generator.parameters().size()) +
      3 * static_cast<double>(discriminator.parameters().size());
  return products * static_cast<double>(options.batch * options.most_updates);
}

double score_of(const Network& generator, const Tensor& held_out,
                const GanOptions& options, Rng& rng) {
  return likeness(generated(generator, options.judged_rows, rng), held_out);
}

}  // namespace

GanTask::GanTask(const Tensor& real, const Tensor& held_out,
                 Network discriminator, const GanOptions& options)
    : real_(real.contiguous()),
      held_out_(held_out.contiguous()),
      discriminator_(std::move(discriminator)),
      options_(options) {
  check(real, held_out, options);
  prepare_discriminator(discriminator_, real_);
}

TrainingOutcome GanTask::train_until_converged(
    Network& network, const LearningContext& context) const {
  Network discriminator = discriminator_;
  return GanLearning(network, discriminator, real_, held_out_, options_,
                     context)
      .run();
}

double GanTask::evaluate(const Network& network, Rng& rng) const {
  return score_of(network, held_out_, options_, rng);
}

void GanTask::prepare(Network& network) const {
  prepare_generator(network, real_);
}

double GanTask::work(const Network& network) const {
  return work_of(network, discriminator_, options_);
}

GanTeamTask::GanTeamTask(const Tensor& real, const Tensor& held_out,
                         const GanOptions& options)
    : real_(real.contiguous()),
      held_out_(held_out.contiguous()),
      options_(options) {
  check(real, held_out, options);
}

TrainingOutcome GanTeamTask::train_until_converged(
    std::span<Network> networks, const LearningContext& context) const {
  return GanLearning(networks[0], networks[1], real_, held_out_, options_,
                     context)
      .run();
}

double GanTeamTask::evaluate(std::span<const Network> networks,
                             Rng& rng) const {
  return score_of(networks[0], held_out_, options_, rng);
}

void GanTeamTask::prepare(std::span<Network> networks) const {
  REQUIRE(networks.size() == 2,
          "GanTeamTask: the networks are a generator and a discriminator");
  prepare_generator(networks[0], real_);
  prepare_discriminator(networks[1], real_);
}

double GanTeamTask::work(std::span<const Network> networks) const {
  return work_of(networks[0], networks[1], options_);
}

Network gan_discriminator(std::size_t numbers, std::size_t units,
                          std::uint64_t seed) {
  Network network;
  std::vector<UnitId> before;
  for (std::size_t i = 0; i < numbers; ++i) {
    before.push_back(network.add_input({}));
  }
  Rng rng = Rng(seed).split("gan_discriminator");
  const auto join = [&](UnitId to) {
    for (const UnitId from : before) {
      network.add_edge(from, to);
      draw_weights(network, network.edge(from, to, false), rng);
    }
  };
  for (int row = 0; row < 2; ++row) {
    std::vector<UnitId> now;
    for (std::size_t i = 0; i < units; ++i) {
      now.push_back(network.add_hidden({.activation = Activation::LeakyRelu}));
      join(now.back());
    }
    before = std::move(now);
  }
  join(network.add_output(1, Activation::Sigmoid));
  network.set_head(Loss::BinaryCrossEntropy);
  return network;
}

Tensor generated(const Network& generator, std::size_t rows, Rng& rng) {
  return predict(
      generator,
      Tensor::randn({static_cast<std::int64_t>(rows),
                     static_cast<std::int64_t>(generator.input_width())},
                    rng));
}

}  // namespace lamarck::evolution
