#include "lamarck/tensor/gate_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "lamarck/base/rng.h"

namespace lamarck {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST(GateKernels, TanhIsAccurateFromTinyToHugeInputs) {
  std::vector<float> x;
  for (double at = 1e-12; at < 1e30; at *= 1.07) {
    x.push_back(static_cast<float>(at));
    x.push_back(static_cast<float>(-at));
  }
  const std::vector<float> zeros(x.size(), 0.0f);
  std::vector<float> h(x.size());
  rnn_gates({.batch = 1, .hidden = x.size()}, x.data(), zeros.data(),
            zeros.data(), h.data());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = std::tanh(static_cast<double>(x[i]));
    EXPECT_NEAR(h[i] / expected, 1, 1e-6) << x[i];
  }
}

// Many lengths, so that both whole vectors and remainders are used.
TEST(GateKernels, LstmMatchesFormulaForEveryLength) {
  Rng rng(1);
  for (std::size_t hidden = 1; hidden <= 37; ++hidden) {
    std::vector<float> sums(4 * hidden);
    std::vector<float> bias(4 * hidden);
    std::vector<float> c_before(hidden);
    for (auto* all : {&sums, &bias, &c_before}) {
      for (float& x : *all) x = static_cast<float>(3 * rng.normal());
    }
    const std::vector<float> before = sums;
    const std::vector<float> h_before(hidden);
    std::vector<float> h(hidden);
    std::vector<float> c(hidden);
    std::vector<float> tanh_c(hidden);
    std::vector<float> output(2 * hidden);
    lstm_gates({.batch = 1, .hidden = hidden}, {.sums = sums.data(),
                                                .bias = bias.data(),
                                                .h_before = h_before.data(),
                                                .c_before = c_before.data(),
                                                .h = h.data(),
                                                .c = c.data(),
                                                .tanh_c = tanh_c.data(),
                                                .output = output.data()});
    for (std::size_t k = 0; k < hidden; ++k) {
      const auto sum = [&](std::size_t gate) {
        const std::size_t at = gate * hidden + k;
        return static_cast<double>(before[at]) + bias[at];
      };
      const double cell =
          sigmoid(sum(1)) * c_before[k] + sigmoid(sum(0)) * std::tanh(sum(2));
      EXPECT_NEAR(c[k], cell, 3e-6) << hidden;
      EXPECT_NEAR(h[k], sigmoid(sum(3)) * std::tanh(cell), 2e-6) << hidden;
      EXPECT_EQ(output[k], h[k]);
      EXPECT_EQ(output[hidden + k], c[k]);
    }
  }
}

TEST(GateKernels, PropagateNan) {
  std::vector<float> sums = {0, 0, 0, std::nanf("")};  // Gate o.
  const std::vector<float> bias(4);
  const std::vector<float> before(1);
  std::vector<float> h(1);
  std::vector<float> c(1);
  std::vector<float> tanh_c(1);
  std::vector<float> output(2);
  lstm_gates({.batch = 1, .hidden = 1}, {.sums = sums.data(),
                                         .bias = bias.data(),
                                         .h_before = before.data(),
                                         .c_before = before.data(),
                                         .h = h.data(),
                                         .c = c.data(),
                                         .tanh_c = tanh_c.data(),
                                         .output = output.data()});
  EXPECT_TRUE(std::isnan(h[0]));
  EXPECT_FALSE(std::isnan(c[0]));
}

TEST(GateKernels, HoldMaskedRows) {
  const std::vector<float> mask = {1, 0};
  const std::vector<float> sums = {0.5f, 0.5f};
  const std::vector<float> bias = {0};
  const std::vector<float> before = {0.1f, 0.2f};
  std::vector<float> h(2);
  const GateStep step{.batch = 2, .hidden = 1, .mask = mask.data()};
  rnn_gates(step, sums.data(), bias.data(), before.data(), h.data());
  EXPECT_NEAR(h[0], std::tanh(0.5), 1e-6);
  EXPECT_EQ(h[1], 0.2f);

  const std::vector<float> dy = {1, 2};
  std::vector<float> dh = {3, 4};
  std::vector<float> d_sums(2);
  rnn_gates_back(step, h.data(), dy.data(), dh.data(), d_sums.data());
  EXPECT_EQ(dh, (std::vector<float>{0, 6}));
  EXPECT_EQ(d_sums[1], 0);
}

}  // namespace
}  // namespace lamarck
