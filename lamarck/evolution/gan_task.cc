#include "lamarck/evolution/gan_task.h"

#include "lamarck/base/ensure.h"
#include "lamarck/evolution/energy_distance.h"
#include "lamarck/evolution/internal/gan_learning.h"

namespace lamarck::evolution {
namespace {

void check(const Tensor& real, const Tensor& held_out,
           const GanOptions& options) {
  REQUIRE(real.rank() == 2 && held_out.rank() == 2 &&
              real.size(1) == held_out.size(1) && real.size(0) >= 2 &&
              held_out.size(0) >= 2,
          "GanTask: the data and the held-out data must have at least two "
          "rows of equally many numbers, got {} and {}.",
          real.shape().to_string(), held_out.shape().to_string());
  REQUIRE(
      options.batch > 0 && options.judge_every > 0,
      "GanOptions: batch and judge_every must be at least 1, got {} and {}.",
      options.batch, options.judge_every);
  REQUIRE(options.judged_rows >= 2,
          "GanOptions: judged_rows must be at least 2, got {}.",
          options.judged_rows);
  REQUIRE(options.blur >= 0, "GanOptions: blur must not be negative, got {}.",
          options.blur);
}

void check_network(const Network& network, const char* which) {
  REQUIRE(network.has_only_neurons() && !network.is_recurrent(),
          "GanTask: the {} must consist of neurons without recurrence; use "
          "minimal_network or gan_discriminator.",
          which);
}

void prepare_generator(Network& network, const Tensor& real) {
  check_network(network, "generator");
  REQUIRE(static_cast<std::int64_t>(network.output_width()) == real.size(1),
          "GanTask: the generator must have {} outputs, one per column of the "
          "data, got {}.",
          real.size(1), network.output_width());
  network.set_head(Loss::MeanSquared);
}

void prepare_discriminator(Network& network, const Tensor& real) {
  check_network(network, "discriminator");
  REQUIRE(static_cast<std::int64_t>(network.input_width()) == real.size(1) &&
              network.output_width() == 1,
          "GanTask: the discriminator must have {} inputs and 1 output, got {} "
          "and {}.",
          real.size(1), network.input_width(), network.output_width());
  network.set_head(Loss::BinaryCrossEntropy);
}

double estimate_work(const Network& generator, const Network& discriminator,
                     const GanOptions& options) {
  // Per update, the generator runs twice. The discriminator runs on real rows,
  // on generated rows, and once more on top of the generator.
  const double products =
      2 * static_cast<double>(generator.parameters().size()) +
      3 * static_cast<double>(discriminator.parameters().size());
  return products * static_cast<double>(options.batch * options.max_updates);
}

double score_of(const Network& generator, const Tensor& held_out,
                const GanOptions& options, Rng& rng) {
  return similarity(generate_rows(generator, options.judged_rows, rng),
                    held_out);
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
  return learn_gan(network, discriminator, {real_, held_out_}, options_,
                   context);
}

double GanTask::evaluate(const Network& network, Rng& rng) const {
  return score_of(network, held_out_, options_, rng);
}

void GanTask::prepare(Network& network) const {
  prepare_generator(network, real_);
}

double GanTask::work(const Network& network) const {
  return estimate_work(network, discriminator_, options_);
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
  return learn_gan(networks[0], networks[1], {real_, held_out_}, options_,
                   context);
}

double GanTeamTask::evaluate(std::span<const Network> networks,
                             Rng& rng) const {
  return score_of(networks[0], held_out_, options_, rng);
}

void GanTeamTask::prepare(std::span<Network> networks) const {
  REQUIRE(networks.size() == 2,
          "GanTeamTask: there must be two networks, a generator and a "
          "discriminator, got {}.",
          networks.size());
  prepare_generator(networks[0], real_);
  prepare_discriminator(networks[1], real_);
}

double GanTeamTask::work(std::span<const Network> networks) const {
  return estimate_work(networks[0], networks[1], options_);
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

Tensor generate_rows(const Network& generator, std::size_t rows, Rng& rng) {
  return predict(
      generator,
      Tensor::randn({static_cast<std::int64_t>(rows),
                     static_cast<std::int64_t>(generator.input_width())},
                    rng));
}

}  // namespace lamarck::evolution
