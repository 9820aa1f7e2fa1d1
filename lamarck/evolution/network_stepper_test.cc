#include "lamarck/evolution/network_stepper.h"

#include <gtest/gtest.h>

#include "lamarck/base/error.h"
#include "lamarck/evolution/random_network_fixture.h"
#include "lamarck/evolution/training.h"

namespace lamarck::evolution {
namespace {

constexpr std::int64_t kSteps = 6;

void expect_same_as_predict(NetworkStepper& stepper, const Network& network,
                            const Tensor& sequence, std::uint64_t seed) {
  const Tensor expected = predict(network, sequence);
  stepper.reset();
  for (std::int64_t t = 0; t < kSteps; ++t) {
    const Tensor now = sequence.select(1, t).contiguous();
    const std::span<const float> got = stepper.step(now.data());
    ASSERT_EQ(static_cast<std::int64_t>(got.size()), expected.size(2));
    for (std::size_t i = 0; i < got.size(); ++i) {
      const float wanted = expected.at({0, t, static_cast<std::int64_t>(i)});
      EXPECT_NEAR(got[i], wanted, 2e-5f * (1 + std::abs(wanted)))
          << "seed " << seed << " step " << t;
    }
  }
}

TEST(NetworkStepper, MatchesPredictForEveryKindOfNetwork) {
  for (std::uint64_t seed = 0; seed < 48; ++seed) {
    const Network network = random_network(seed);
    Rng rng(seed);
    const Tensor sequence = Tensor::randn(
        {1, kSteps, static_cast<std::int64_t>(network.input_width())}, rng);
    NetworkStepper stepper(network);
    expect_same_as_predict(stepper, network, sequence, seed);
    expect_same_as_predict(stepper, network, sequence, seed);
  }
}

TEST(NetworkStepper, UsesWeightsOfTakeWeights) {
  for (const std::uint64_t seed : {4u, 5u}) {
    Network network = random_network(seed);
    NetworkStepper stepper(network);
    for (float& value : network.parameters().values) value *= 0.5f;
    stepper.take_weights(network);

    Rng rng(seed);
    const Tensor sequence = Tensor::randn(
        {1, kSteps, static_cast<std::int64_t>(network.input_width())}, rng);
    expect_same_as_predict(stepper, network, sequence, seed);
  }
}

TEST(NetworkStepper, RejectsWrongNumberOfInputs) {
  NetworkStepper stepper(minimal_network(3, 1));
  const std::vector<float> two(2);
  EXPECT_THROW(stepper.step(two), LogicError);
}

}  // namespace
}  // namespace lamarck::evolution
