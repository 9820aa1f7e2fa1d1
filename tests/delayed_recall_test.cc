// Checks that an LSTM learns to remember: it must report the first symbol of a
// random sequence 20 steps later.

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

class RecallModel {
 public:
  explicit RecallModel(std::uint64_t seed) : graph_(seed) {}

  float train(const Batch& batch) {
    set_inputs(batch);
    adam_.zero_grad();
    const float value = loss_.backward();
    adam_.clip_gradients(1);
    adam_.step();
    return value;
  }

  // The fraction of sequences whose first symbol it predicts.
  float accuracy(const Batch& batch) {
    set_inputs(batch);
    logits_.forward();
    const Tensor predicted = argmax(logits_.value(), 1);
    const Tensor expected = argmax(batch.y, 1);
    std::int64_t hits = 0;
    for (std::int64_t i = 0; i < predicted.size(0); ++i) {
      if (predicted.at({i}) == expected.at({i})) ++hits;
    }
    return static_cast<float>(hits) / static_cast<float>(predicted.size(0));
  }

 private:
  void set_inputs(const Batch& batch) {
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

// Trains a model. Returns its accuracy on 500 new sequences and the last loss.
std::pair<float, float> train_model(std::uint64_t seed, int steps) {
  RecallModel model(seed);
  Rng rng(seed);
  float loss = 0;
  for (int i = 0; i < steps; ++i) loss = model.train(draw(32, rng));
  return {model.accuracy(draw(500, rng)), loss};
}

TEST(DelayedRecall, LstmLearnsFromEverySeed) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    EXPECT_GE(train_model(seed, 400).first, 0.99f) << "seed " << seed;
  }
}

TEST(DelayedRecall, SameSeedGivesSameResult) {
  EXPECT_EQ(train_model(7, 50), train_model(7, 50));
}

}  // namespace
}  // namespace lamarck
