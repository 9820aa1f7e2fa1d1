// A generative adversarial network (Goodfellow and others 2014): a generator
// learns to draw points from eight clouds in a ring, while a discriminator
// learns to distinguish its points from real ones.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "lamarck/nn/linear.h"
#include "lamarck/optim/optimizer.h"

using namespace lamarck;

constexpr int kClouds = 8;
constexpr float kSpread = 0.1f;

std::array<float, 2> centre(int cloud) {
  const double angle = 2 * std::numbers::pi * cloud / kClouds;
  return {static_cast<float>(2 * std::cos(angle)),
          static_cast<float>(2 * std::sin(angle))};
}

Tensor real_points(std::int64_t count, Rng& rng) {
  Tensor points = Tensor::randn({count, 2}, rng);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto [x, y] = centre(static_cast<int>(rng.below(kClouds)));
    points.at({i, 0}) = x + kSpread * points.at({i, 0});
    points.at({i, 1}) = y + kSpread * points.at({i, 1});
  }
  return points;
}

struct Network : nn::Module {
  Network(const Graph& graph, std::int64_t inputs, std::int64_t outputs,
          const std::string& name)
      : first(graph, inputs, 64, name + ".first"),
        second(graph, 64, 64, name + ".second"),
        last(graph, 64, outputs, name + ".last") {}

  Var operator()(const Var& x) const {
    return last(second(first(x).leaky_relu(0.2f)).leaky_relu(0.2f));
  }
  std::vector<const Module*> children() const override {
    return {&first, &second, &last};
  }

  nn::Linear first, second, last;
};

// The number of covered clouds, and the share of points inside a cloud.
std::pair<int, double> coverage(const Tensor& points) {
  std::array<int, kClouds> found{};
  int good = 0;
  for (std::int64_t i = 0; i < points.size(0); ++i) {
    for (int cloud = 0; cloud < kClouds; ++cloud) {
      const auto [x, y] = centre(cloud);
      if (std::hypot(points.at({i, 0}) - x, points.at({i, 1}) - y) <
          4 * kSpread) {
        ++found[static_cast<std::size_t>(cloud)];
        ++good;
      }
    }
  }
  int covered = 0;
  for (const int count : found) {
    covered += count >= points.size(0) / kClouds / 5 ? 1 : 0;
  }
  return {covered,
          static_cast<double>(good) / static_cast<double>(points.size(0))};
}

int main() {
  constexpr std::int64_t kBatch = 128;
  Rng rng(1);
  Graph graph(42);
  const Network generator(graph, 8, 2, "generator");
  const Network discriminator(graph, 2, 1, "discriminator");
  const Var z = graph.zeros({kBatch, 8});
  const Var real = graph.zeros({kBatch, 2});
  // Decreasing noise makes the clouds overlap at first; otherwise the generator
  // would cover only a few of them (Sonderby and others 2017).
  const Var real_noise = graph.zeros({kBatch, 2});
  const Var fake_noise = graph.zeros({kBatch, 2});
  const Var fake = generator(z);
  const Var ones = graph.ones({kBatch, 1});
  const Var d_loss = discriminator(real + real_noise).bce_with_logits(ones) +
                     discriminator(fake.detached() + fake_noise)
                         .bce_with_logits(graph.zeros({kBatch, 1}));
  const Var g_loss = discriminator(fake + fake_noise).bce_with_logits(ones);
  optim::Adam d_adam(discriminator.parameters(), 2e-3f, {.beta1 = 0.5f});
  optim::Adam g_adam(generator.parameters(), 1e-3f, {.beta1 = 0.5f});
  constexpr int kSteps = 8000;
  for (int step = 0; step < kSteps; ++step) {
    const float noise =
        std::max(0.0f, 1 - 1.3f * static_cast<float>(step) / kSteps);
    real_noise.set_value(Tensor::scalar(noise) *
                         Tensor::randn({kBatch, 2}, rng));
    fake_noise.set_value(Tensor::scalar(noise) *
                         Tensor::randn({kBatch, 2}, rng));
    z.set_value(Tensor::randn({kBatch, 8}, rng));
    real.set_value(real_points(kBatch, rng));
    d_adam.minimize(d_loss);
    g_adam.minimize(g_loss);
  }

  z.set_value(Tensor::randn({2000, 8}, rng));
  fake.forward();
  const auto [covered, good] = coverage(fake.value());
  std::printf(
      "%d of %d clouds are covered; %.0f %% of the points lie in one.\n",
      covered, kClouds, 100 * good);
  return covered == kClouds && good >= 0.8 ? 0 : 1;
}
