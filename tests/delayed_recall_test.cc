// Whether an LSTM learns to remember: the first symbol of a sequence of noise
// must be told 20 steps later.

#include <gtest/gtest.h>

#include <utility>

#include "lamarck/nn/linear.h"
#include "lamarck/nn/lstm.h"
#include "lamarck/optim/optimizer.h"

namespace lamarck {
namespace {

constexpr std::int64_t kSymbols = 4;
constexpr std::int64_t kSteps = 21;

struct Batch {
  Tensor x;  // [steps, batch, symbols], one-hot.
  Tensor y;  // [batch, symbols]: the first symbol.
};

Batch draw(std::int64_t size, Rng& rng) {
  Batch batch{Tensor::zeros({kSteps, size, kSymbols}), {}};
  for (std::int64_t t = 0; t < kSteps; ++t) {
    for (std::int64_t i = 0; i < size; ++i) {
      batch.x.at({t, i, rng.integer(0, kSymbols - 1)}) = 1;
    }
  }
  batch.y = batch.x.select(0, 0).clone();
  return batch;
}

class Listener {
 public:
  explicit Listener(std::uint64_t seed) : graph_(seed) {}

  float train(const Batch& batch) {
    show(batch);
    adam_.zero_grad();
    const float value = loss_.backward();
    adam_.clip_gradients(1);
    adam_.step();
    return value;
  }

  // The share of sequences whose first symbol it tells.
  float accuracy(const Batch& batch) {
    show(batch);
    logits_.forward();
    const Tensor said = argmax(logits_.value(), 1);
    const Tensor right = argmax(batch.y, 1);
    std::int64_t hits = 0;
    for (std::int64_t i = 0; i < said.size(0); ++i) {
      if (said.at({i}) == right.at({i})) ++hits;
    }
    return static_cast<float>(hits) / static_cast<float>(said.size(0));
  }

 private:
  void show(const Batch& batch) {
    x_.set_value(batch.x);
    y_.set_value(batch.y);
  }

  Graph graph_;
  Var x_ = graph_.zeros({kSteps, 1, kSymbols});
  Var y_ = graph_.zeros({1, kSymbols});
  nn::Lstm lstm_{graph_, kSymbols, 32, "lstm", {.forget_bias = 3}};
  nn::Linear out_{graph_, 32, kSymbols, "out"};
  Var logits_ = out_(lstm_(x_).last[0].hidden);
  Var loss_ = logits_.cross_entropy(y_);
  optim::Adam adam_{graph_.parameters(), 1e-2f};
};

// What it said about 500 new sequences after training, and the last loss.
std::pair<float, float> trained(std::uint64_t seed, int steps) {
  Listener listener(seed);
  Rng rng(seed);
  float loss = 0;
  for (int i = 0; i < steps; ++i) loss = listener.train(draw(32, rng));
  return {listener.accuracy(draw(500, rng)), loss};
}

TEST(DelayedRecall, IsLearntByAnLstmFromEverySeed) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    EXPECT_GE(trained(seed, 400).first, 0.99f) << "seed " << seed;
  }
}

TEST(DelayedRecall, IsTheSameForTheSameSeed) {
  EXPECT_EQ(trained(7, 50), trained(7, 50));
}

}  // namespace
}  // namespace lamarck
