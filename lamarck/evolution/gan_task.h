// A generator that learns to make what a discriminator cannot tell from real
// data (Goodfellow and others 2014).
//
//   Evolution{.graph = minimal_network(4, 2),
//             .task = GanTask(points, held_out, gan_discriminator(2, 16))}

#pragma once

#include <cstddef>
#include <memory>

#include "lamarck/evolution/evolution_task.h"

namespace lamarck::evolution {

struct GanOptions {
  std::size_t batch = 128;  // Real rows and made ones, each.
  std::size_t most_updates = 800;
  // The discriminator's, before the generator begins, so that what a child
  // inherits is not spoilt by a judge who knows nothing.
  std::size_t first_updates = 100;
  float generator_rate = 0.005f;
  float discriminator_rate = 0.01f;
  // Noise on what the discriminator sees, as a share of the data's deviation;
  // falls to 0. It keeps generators from being content with a part of the data
  // (Sonderby and others 2017).
  double blur = 0.5;
  // Generators are compared by so many rows, after so many updates.
  std::size_t judged_rows = 400;
  std::size_t judge_every = 40;
};

// The generator reads numbers that are normally distributed and gives rows like
// the data's. The score is the likeness (see energy_distance.h) of what it
// makes to rows held out, from 0 to 1; candidates are compared by it with the
// same numbers for all. All networks are neurons and do not remember.
class GanTask : public EvolutionTask {
 public:
  using EvolutionTask::evaluate;
  using EvolutionTask::prepare;
  using EvolutionTask::train_until_converged;
  using EvolutionTask::work;

  // Each candidate meets a copy of `discriminator`, which learns alongside; its
  // topology stays. It reads a row and gives one number.
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

// Both evolve: the networks are {generator, discriminator}.
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

// Two hidden rows of so many neurons each.
Network gan_discriminator(std::size_t numbers, std::size_t units,
                          std::uint64_t seed = 0);

// Rows that a generator makes.
Tensor generated(const Network& generator, std::size_t rows, Rng& rng);

}  // namespace lamarck::evolution
