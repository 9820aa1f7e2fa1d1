// Generative adversarial networks: a generator learns to produce rows that a
// discriminator cannot tell from real data (Goodfellow and others 2014).
//
//   Evolution{.network = minimal_network(4, 2),
//             .task = GanTask(points, held_out, gan_discriminator(2, 16))}

#pragma once

#include <cstddef>
#include <memory>

#include "lamarck/evolution/evolution_task.h"

namespace lamarck::evolution {

struct GanOptions {
  std::size_t batch = 128;  // Real rows, and as many generated rows.
  std::size_t max_updates = 800;
  // Updates of the discriminator before the generator starts, so that an
  // untrained discriminator does not spoil the inherited weights.
  std::size_t first_updates = 100;
  float generator_rate = 0.005f;
  float discriminator_rate = 0.01f;
  // Noise added to the discriminator's inputs, as a fraction of the standard
  // deviation of the data; decays to 0. It counters mode collapse (Sonderby and
  // others 2017).
  double blur = 0.5;
  std::size_t judged_rows = 400;  // Generated rows per evaluation.
  std::size_t judge_every = 40;   // Updates between evaluations.
};

// The generator maps normally distributed noise to rows. Its score, from 0 to
// 1, is the similarity (see energy_distance.h) of generated and held-out rows.
// Candidates are compared on the same noise. All networks consist of neurons
// and are not recurrent.
class GanTask : public EvolutionTask {
 public:
  // Each candidate trains against its own copy of `discriminator`, which learns
  // too but keeps its topology. It reads a row and has one output.
  GanTask(const Tensor& real, const Tensor& held_out, Network discriminator,
          const GanOptions& options = {});

  TrainingOutcome train_until_converged(
      Network& network, const LearningContext& context) const override;
  double evaluate(const Network& network, Rng& rng) const override;
  bool is_deterministic() const override { return false; }
  void prepare(Network& network) const override;
  double work(const Network& network) const override;

 private:
  Tensor real_;
  Tensor held_out_;
  Network discriminator_;
  GanOptions options_;
};

// Evolves both networks: {generator, discriminator}.
class GanTeamTask : public TeamTask {
 public:
  GanTeamTask(const Tensor& real, const Tensor& held_out,
              const GanOptions& options = {});

  TrainingOutcome train_until_converged(
      std::span<Network> networks,
      const LearningContext& context) const override;
  double evaluate(std::span<const Network> networks, Rng& rng) const override;
  bool is_deterministic() const override { return false; }
  void prepare(std::span<Network> networks) const override;
  double work(std::span<const Network> networks) const override;

 private:
  Tensor real_;
  Tensor held_out_;
  GanOptions options_;
};

// A discriminator for rows of `numbers` values, with two hidden layers of
// `units` neurons each.
Network gan_discriminator(std::size_t numbers, std::size_t units,
                          std::uint64_t seed = 0);

// Generates rows from random noise.
Tensor generate_rows(const Network& generator, std::size_t rows, Rng& rng);

}  // namespace lamarck::evolution
