// The recipes of docs/howto/train-a-network.md, one function each.

#include <array>
#include <cstdio>
#include <vector>

#include "lamarck/nn/linear.h"
#include "lamarck/nn/lstm.h"
#include "lamarck/optim/optimizer.h"
#include "lamarck/optim/target_network.h"

using namespace lamarck;

// Trains a memory to repeat the input of the previous step.
float train_memory() {
  Graph graph(1);
  Rng rng(1);
  const Var x = graph.zeros({16, 1});
  const Var y = graph.zeros({16, 1});
  const nn::Linear from_x(graph, 1, 8, "from_x");
  const nn::Linear from_before(graph, 8, 8, "from_before");
  const nn::Linear out(graph, 8, 1, "out");
  const Var before = graph.memory(Tensor::zeros({1, 8}), "before");
  const Var now = (from_x(x) + from_before(before)).tanh();
  graph.add_recurrent_edge(now, before);  // Next step: before = now.
  const Var loss = out(now).mse(y);

  optim::Adam adam(graph.parameters(), 0.01f);
  float sum = 0;
  for (int round = 0; round < 300; ++round) {
    graph.reset_state();
    for (int t = 0; t < 10; ++t) {
      y.set_value(x.value());
      x.set_value(Tensor::randn({16, 1}, rng));
      graph.step(loss);
    }
    adam.zero_grad();
    sum = loss.backward_through_time();
    adam.step();
  }
  return sum / 10;
}

// Trains an LSTM to compute the mean of a sequence.
float train_lstm() {
  Graph graph(1);
  Rng rng(1);
  const Var x = graph.zeros({12, 16, 1});  // [steps, batch, features]
  const Var y = graph.zeros({16, 1});
  const nn::Lstm lstm(graph, 1, 16, "lstm");
  const nn::Linear out(graph, 16, 1, "out");
  const Var loss = out(lstm(x).last[0].hidden).mse(y);

  optim::Adam adam(graph.parameters(), 0.01f);
  float last = 0;
  for (int round = 0; round < 300; ++round) {
    const Tensor sequence = Tensor::rand({12, 16, 1}, rng);
    x.set_value(sequence);
    y.set_value(mean(sequence, 0));
    adam.zero_grad();
    loss.backward();
    adam.clip_gradients(1);
    adam.step();
    last = loss.item();
  }
  return last;
}

// One step of two competing networks, each with its own optimizer.
float train_gan() {
  Graph graph(1);
  const nn::Linear generator(graph, 4, 2, "generator");
  const nn::Linear discriminator(graph, 2, 1, "discriminator");
  const Var noise = graph.randn({32, 4});
  const Var real = graph.randn({32, 2});
  const Var ones = graph.ones({32, 1});
  const Var fake = generator(noise);
  const Var zeros = graph.zeros({32, 1});
  // No gradient passes through fake.detached() to the generator.
  const Var discriminator_loss =
      discriminator(real).bce_with_logits(ones) +
      discriminator(fake.detached()).bce_with_logits(zeros);
  const Var generator_loss = discriminator(fake).bce_with_logits(ones);
  optim::Adam discriminator_adam(discriminator.parameters(), 0.01f);
  optim::Adam generator_adam(generator.parameters(), 0.01f);

  discriminator_adam.minimize(discriminator_loss);
  return generator_adam.minimize(generator_loss);
}

struct Critic : nn::Module {
  Critic(const Graph& graph, const std::string& name)
      : first(graph, 3, 8, name + ".first"),
        last(graph, 8, 1, name + ".last") {}

  Var operator()(const Var& x) const { return last(first(x).relu()); }
  std::vector<const Module*> children() const override {
    return {&first, &last};
  }

  nn::Linear first, last;
};

// Freezes a layer, and updates a target network slowly.
float update_target() {
  Graph graph(1);
  const Var x = graph.randn({8, 3});
  const Var y = graph.randn({8, 1});
  const Critic critic(graph, "critic");
  const Critic target(graph, "target");
  const Var loss = critic(x).mse(y);

  for (const Var& frozen : critic.first.parameters()) {
    frozen.set_requires_grad(false);
  }
  optim::Adam adam(critic.last.parameters(), 0.01f);
  const Tensor before = critic.first.weight().value();

  optim::copy_parameters(critic.parameters(), target.parameters());
  for (int step = 0; step < 20; ++step) {
    adam.minimize(loss);
    optim::soft_update(target.parameters(), critic.parameters(), 0.05f);
  }
  return max_difference(before, critic.first.weight().value());
}

// Adds a branch to a network, and undoes it.
bool edit_topology() {
  Graph graph(1);
  const Var x = graph.randn({8, 3});
  const Var y = graph.randn({8, 1});
  const nn::Linear straight(graph, 3, 1, "straight");
  const Var sum = total(std::array{straight(x)});
  const Var loss = sum.mse(y);
  optim::Sgd(graph.parameters(), 0.1f).minimize(loss);

  const GraphSnapshot small = graph.snapshot();
  loss.forward();
  const float before = loss.item();

  const nn::Linear side(graph, 3, 1, "side", {.init = Init::zeros()});
  const Var bend = side(x).tanh();
  graph.add_edge(bend, sum);  // Plans are recompiled as needed.
  optim::Sgd(graph.parameters(), 0.1f).minimize(loss);
  graph.set_input(bend, 0, straight(x));  // Replaces the input.
  graph.remove_edge(bend, sum);
  graph.remove(bend);

  graph.restore(small);  // Restores topology and weights.
  loss.forward();
  return loss.item() == before;
}

int main() {
  const float repeated = train_memory();
  const float averaged = train_lstm();
  std::printf("Memory repeats with an error of %.2f.\n", repeated);
  std::printf("The LSTM averages with an error of %.2f.\n", averaged);
  std::printf("The generator's first loss was %.1f.\n", train_gan());
  const bool is_frozen = update_target() == 0;
  std::printf("Frozen weights %s.\n", is_frozen ? "did not change" : "changed");
  const bool is_restored = edit_topology();
  std::printf("The snapshot was %s.\n", is_restored ? "restored" : "lost");
  return repeated < 0.2f && averaged < 0.05f && is_frozen && is_restored ? 0
                                                                         : 1;
}
