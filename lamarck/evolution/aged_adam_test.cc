#include "lamarck/evolution/aged_adam.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lamarck/base/error.h"
#include "lamarck/base/rng.h"

namespace lamarck::evolution {
namespace {

// Adam for one weight as published (Kingma and Ba 2015), with L2 regularization
// added to the gradient.
struct TextbookAdam {
  AgedAdamOptions options;
  double mean = 0;
  double square = 0;
  double age = 0;

  double stepped(double value, double gradient) {
    const double beta1 = double{options.beta1};
    const double beta2 = double{options.beta2};
    age += 1;
    gradient += double{options.l2} * value;
    mean = beta1 * mean + (1 - beta1) * gradient;
    square = beta2 * square + (1 - beta2) * gradient * gradient;
    const double mean_hat = mean / (1 - std::pow(beta1, age));
    const double square_hat = square / (1 - std::pow(beta2, age));
    const double rate = double{options.rate};
    return value -
           rate * mean_hat / (std::sqrt(square_hat) + double{options.epsilon});
  }
};

NetworkParameters make_parameters(const std::vector<TextbookAdam>& each) {
  NetworkParameters state;
  for (const TextbookAdam& adam : each) {
    state.values.push_back(0);
    state.means.push_back(static_cast<float>(adam.mean));
    state.squares.push_back(static_cast<float>(adam.square));
    state.ages.push_back(static_cast<float>(adam.age));
  }
  return state;
}

// Steps both and compares the weights, and at the end the moments and ages.
void expect_same_steps(std::vector<TextbookAdam> wanted, int steps) {
  NetworkParameters state = make_parameters(wanted);
  AgedAdam adam(state, wanted[0].options);
  Rng rng(7);
  std::vector<float> values;
  std::vector<float> gradient(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    values.push_back(static_cast<float>(rng.uniform(-1, 1)));
  }
  std::vector<double> exact(values.begin(), values.end());
  for (int step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      gradient[i] = static_cast<float>(rng.normal());
      exact[i] = wanted[i].stepped(exact[i], double{gradient[i]});
    }
    adam.step(gradient, values);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_NEAR(values[i], exact[i], 2e-5) << "step " << step << " of " << i;
    }
  }
  adam.save(state);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_NEAR(state.means[i], wanted[i].mean, 1e-5);
    EXPECT_NEAR(state.squares[i], wanted[i].square, 1e-5);
    EXPECT_EQ(state.ages[i], wanted[i].age);
    EXPECT_EQ(state.values[i], 0);
  }
}

TEST(AgedAdam, MatchesTextbookAdamForNewWeights) {
  expect_same_steps(std::vector<TextbookAdam>(37), 100);
  expect_same_steps(std::vector<TextbookAdam>(3, {.options = {.l2 = 0.1f}}),
                    50);
}

TEST(AgedAdam, CorrectsBiasByAgeOfEachWeight) {
  std::vector<TextbookAdam> grown(40);
  Rng rng(1);
  for (TextbookAdam& adam : grown) {
    adam.age = static_cast<double>(rng.below(4) * 17);
    if (adam.age == 0) continue;
    adam.mean = double{static_cast<float>(rng.normal(0, 0.1))};
    adam.square = double{static_cast<float>(rng.uniform(0.01, 0.1))};
  }
  expect_same_steps(grown, 60);
}

TEST(AgedAdam, ResumesFromSavedState) {
  NetworkParameters state;
  state.values = state.means = state.squares = state.ages = {0, 0};
  const std::vector<float> gradient = {0.5f, -0.25f};
  std::vector<float> in_one_go = {1, 1};
  AgedAdam whole(state, {});
  for (int i = 0; i < 6; ++i) whole.step(gradient, in_one_go);

  std::vector<float> in_two = {1, 1};
  AgedAdam first(state, {});
  for (int i = 0; i < 3; ++i) first.step(gradient, in_two);
  first.save(state);
  AgedAdam second(state, {});
  for (int i = 0; i < 3; ++i) second.step(gradient, in_two);

  EXPECT_FLOAT_EQ(in_two[0], in_one_go[0]);
  EXPECT_FLOAT_EQ(in_two[1], in_one_go[1]);
}

TEST(AgedAdam, UsesRateGivenBySetRate) {
  NetworkParameters state;
  state.values = state.means = state.squares = state.ages = {0};
  AgedAdam adam(state, {});
  std::vector<float> values = {1};
  adam.set_rate(0);
  adam.step(std::vector<float>{1}, values);
  EXPECT_EQ(values[0], 1);
  EXPECT_THROW(adam.step(std::vector<float>{1, 2}, values), LogicError);
}

}  // namespace
}  // namespace lamarck::evolution
