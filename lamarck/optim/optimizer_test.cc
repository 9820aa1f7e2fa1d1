#include "lamarck/optim/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lamarck::optim {
namespace {

// A quadratic problem whose size is not a multiple of the SIMD width.
struct Problem {
  Problem() {
    Rng rng(1);
    w.set_value(Tensor::randn({19}, rng));
    target.set_value(Tensor::randn({19}, rng));
  }
  Graph graph{1};
  Var w = graph.parameter({19}, Init::zeros(), "w");
  Var target = graph.zeros({19});
  Var loss = ((w - target).square() * 0.5f).sum();  // Gradient w - target.
};

// Compares ten steps of an optimizer with the textbook formula in double.
void expect_formula(
    const std::function<std::unique_ptr<Optimizer>(std::vector<Var>)>& make,
    const std::function<double(double g, double w, int t, double* memory)>&
        formula) {
  Problem problem;
  const std::vector<float> start = problem.w.value().to_vector();
  std::vector<double> w(start.begin(), start.end());
  const Tensor target = problem.target.value();
  std::vector<std::array<double, 2>> memory(w.size());
  const auto optimizer = make({problem.w});
  for (int t = 1; t <= 10; ++t) {
    optimizer->minimize(problem.loss);
    const Tensor ours = problem.w.value();
    for (std::size_t i = 0; i < w.size(); ++i) {
      w[i] = formula(w[i] - target.data()[i], w[i], t, memory[i].data());
      ASSERT_NEAR(ours.data()[i], w[i], 2e-5) << "step " << t;
    }
  }
}

TEST(Sgd, MatchesFormulaWithWeightDecay) {
  expect_formula(
      [](auto parameters) {
        return std::make_unique<Sgd>(parameters, 0.1f,
                                     SgdOptions{.weight_decay = 0.01f});
      },
      [](double g, double w, int, double*) {
        return w - 0.1 * (g + 0.01 * w);
      });
}

TEST(Sgd, MatchesFormulaWithMomentumAndNesterov) {
  for (const bool nesterov : {false, true}) {
    expect_formula(
        [&](auto parameters) {
          return std::make_unique<Sgd>(
              parameters, 0.1f,
              SgdOptions{.momentum = 0.9f, .nesterov = nesterov});
        },
        [&](double g, double w, int, double* memory) {
          memory[0] = 0.9 * memory[0] + g;
          return w - 0.1 * (nesterov ? g + 0.9 * memory[0] : memory[0]);
        });
  }
}

double adam_formula(double g, double w, int t, double* memory, double shrink) {
  memory[0] = 0.9 * memory[0] + 0.1 * g;
  memory[1] = 0.999 * memory[1] + 0.001 * g * g;
  const double m = memory[0] / (1 - std::pow(0.9, t));
  const double v = memory[1] / (1 - std::pow(0.999, t));
  return w * shrink - 0.05 * m / (std::sqrt(v) + 1e-8);
}

TEST(Adam, MatchesFormula) {
  expect_formula(
      [](auto parameters) { return std::make_unique<Adam>(parameters, 0.05f); },
      [](double g, double w, int t, double* memory) {
        return adam_formula(g, w, t, memory, 1);
      });
}

TEST(AdamW, DecaysWeightsIndependentlyOfGradient) {
  expect_formula(
      [](auto parameters) {
        return std::make_unique<AdamW>(parameters, 0.05f,
                                       AdamWOptions{.weight_decay = 0.1f});
      },
      [](double g, double w, int t, double* memory) {
        return adam_formula(g, w, t, memory, 1 - 0.05 * 0.1);
      });
}

TEST(AdamW, KeepsItsWeightDecayWhenOtherOptionsAreGiven) {
  const Graph graph;
  const Var w = graph.parameter({1}, Init::ones(), "w");
  AdamW adam({w}, 0.1f, {.beta1 = 0.5f});
  (w * 0.0f).sum().backward();
  adam.step();
  EXPECT_FLOAT_EQ(w.value().item(), 1 - 0.1f * 0.01f);
}

TEST(Optimizer, StepWithoutAnyGradientNamesParameter) {
  const Graph graph;
  const Var w = graph.parameter({1}, Init::ones(), "first.weight");
  Sgd sgd({w}, 0.1f);
  try {
    sgd.step();
    ADD_FAILURE() << "accepted";
  } catch (const LogicError& error) {
    EXPECT_NE(std::string(error.what()).find("first.weight"),
              std::string::npos);
  }
  EXPECT_EQ(sgd.steps_taken(), 0);
}

TEST(Rmsprop, MatchesFormula) {
  expect_formula(
      [](auto parameters) {
        return std::make_unique<Rmsprop>(parameters, 0.01f);
      },
      [](double g, double w, int, double* memory) {
        memory[0] = 0.99 * memory[0] + 0.01 * g * g;
        return w - 0.01 * g / (std::sqrt(memory[0]) + 1e-8);
      });
}

TEST(Optimizer, UpdatesOnlyItsOwnParameters) {
  Graph graph(1);
  const Var a = graph.parameter({}, Init::constant(1), "a");
  const Var b = graph.parameter({}, Init::constant(1), "b");
  Sgd optimizer({a}, 0.5f);
  optimizer.minimize((a * b).square());
  EXPECT_EQ(a.value().item(), 0);
  EXPECT_EQ(b.value().item(), 1);
  EXPECT_TRUE(b.has_grad());
}

TEST(Optimizer, ClipsGradientsAboveMaxNorm) {
  Graph graph(1);
  const Var w = graph.parameter({2}, Init::zeros(), "w");
  const Var loss = (w * graph.input(Tensor::from({2}, {3, 4}))).sum();
  Sgd optimizer({w}, 1);
  loss.backward();
  EXPECT_FLOAT_EQ(optimizer.clip_gradients(10), 5);
  EXPECT_FLOAT_EQ(optimizer.clip_gradients(1), 5);
  optimizer.step();
  EXPECT_NEAR(w.value().at({0}), -0.6, 1e-6);
}

TEST(Optimizer, LearnsXorFromEverySeed) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Graph graph(seed);
    const Var x = graph.input(Tensor::rows({{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
    const Var y = graph.input(Tensor::rows({{0}, {1}, {1}, {0}}));
    const Var w = graph.parameter({2, 8}, Init::normal(0, 1), "w");
    const Var b = graph.parameter({8}, Init::normal(0, 1), "b");
    const Var v = graph.parameter({8, 1}, Init::normal(0, 1), "v");
    const Var c = graph.parameter({1}, Init::zeros(), "c");
    const Var logits = (x.matmul(w) + b).tanh().matmul(v) + c;
    const Var loss = logits.bce_with_logits(y);
    Adam adam(graph.parameters(), 0.05f);
    for (int i = 0; i < 500; ++i) adam.minimize(loss);
    logits.forward();
    const auto out = logits.value().to_vector();
    EXPECT_TRUE(out[0] < 0 && out[1] > 0 && out[2] > 0 && out[3] < 0)
        << "seed " << seed;
    EXPECT_EQ(graph.plan_count(), 2u);
  }
}

}  // namespace
}  // namespace lamarck::optim
