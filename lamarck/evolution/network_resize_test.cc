// Tests that resizing a node preserves what the network computes.

#include <gtest/gtest.h>

#include "lamarck/base/error.h"
#include "lamarck/evolution/internal/owned_parameters.h"
#include "lamarck/evolution/training.h"

namespace lamarck::evolution {
namespace {

void expect_near(const Tensor& a, const Tensor& b) {
  ASSERT_EQ(a.shape(), b.shape());
  const auto left = a.to_vector();
  const auto right = b.to_vector();
  for (std::size_t i = 0; i < left.size(); ++i) {
    ASSERT_NEAR(left[i], right[i], 1e-5) << "at " << i;
  }
}

// An image and some numbers as inputs, the node to resize, two nodes that read
// it, and outputs; with all valid kinds of recurrent edges if `recurrent`.
struct Wired {
  Network network;
  UnitId id = 0;
};

Wired wired(Cell cell, bool recurrent, Rng& rng) {
  Wired made;
  Network& network = made.network;
  const Extent image{.channels = 2, .height = 4, .width = 6};
  const UnitId pixels = network.add_input(image);
  const UnitId numbers = network.add_input({.channels = 3});
  const UnitId output = network.add_output(2, Activation::Identity);
  NetworkNode like{.cell = cell, .extent = {.channels = 4}};
  if (cell == Cell::Conv) {
    like.kernel = 3;
    like.pool = 2;
    like.extent = {.channels = 4, .height = 2, .width = 3};
  }
  made.id = network.add_hidden(like);
  const UnitId dense = network.add_hidden({.extent = {.channels = 3}});
  const UnitId gru =
      network.add_hidden({.cell = Cell::Gru, .extent = {.channels = 2}});
  network.add_edge(pixels, made.id);
  if (cell != Cell::Conv) network.add_edge(numbers, made.id);
  network.add_edge(made.id, dense);
  network.add_edge(made.id, gru);
  network.add_edge(dense, output);
  network.add_edge(gru, output);
  network.add_edge(made.id, output);
  if (cell == Cell::Conv) {
    const UnitId next = network.add_hidden(
        {.cell = Cell::Conv,
         .kernel = 5,
         .extent = {.channels = 3, .height = 2, .width = 3}});
    network.add_edge(made.id, next);
    network.add_edge(next, output);
  }
  if (recurrent) {
    network.add_recurrent_edge(made.id, dense);
    if (cell != Cell::Conv) {
      network.add_recurrent_edge(made.id, made.id);
      network.add_recurrent_edge(output, made.id);
    }
  }
  draw_all_parameters(network, rng);
  return made;
}

class NetworkResize : public testing::TestWithParam<std::tuple<Cell, bool>> {};

TEST_P(NetworkResize, WideningPreservesOutputs) {
  const auto [cell, recurrent] = GetParam();
  Rng rng(3);
  Wired made = wired(cell, recurrent, rng);
  made.network.check();
  const Tensor rows = Tensor::randn({5, 51}, rng);
  const Tensor sequences = Tensor::randn({5, 4, 51}, rng);
  const Tensor before = predict(made.network, rows);
  const Tensor steps_before = predict(made.network, sequences);
  const OwnedParameters owned = owned_parameters(made.network);

  made.network.resize(made.id, std::vector<std::uint32_t>{2, 0, 3, 1}, 7);

  made.network.check();
  expect_near(predict(made.network, rows), before);
  expect_near(predict(made.network, sequences), steps_before);
  for (const auto& [owner, numbers] : owned_parameters(made.network)) {
    const auto& [from, to, kind] = owner;
    if (from == made.id || to == made.id) continue;
    EXPECT_EQ(numbers, owned.at(owner));
  }
}

// The second resize undoes the permutation of the first, also for Adam's state.
TEST_P(NetworkResize, WideningAndShrinkingBackRestoresParameters) {
  const auto [cell, recurrent] = GetParam();
  Rng rng(4);
  Wired made = wired(cell, recurrent, rng);
  const OwnedParameters owned = owned_parameters(made.network);
  made.network.resize(made.id, std::vector<std::uint32_t>{3, 1, 0, 2}, 6);
  made.network.resize(made.id, std::vector<std::uint32_t>{2, 1, 3, 0}, 4);
  made.network.check();
  EXPECT_EQ(owned_parameters(made.network), owned);
}

INSTANTIATE_TEST_SUITE_P(
    Cells, NetworkResize,
    testing::Combine(testing::Values(Cell::Dense, Cell::Conv, Cell::Lstm,
                                     Cell::Gru),
                     testing::Bool()));

TEST(NetworkResizeMistakes, AreRejected) {
  Rng rng(5);
  Wired made = wired(Cell::Dense, false, rng);
  const std::vector<std::uint32_t> two = {0, 1};
  const std::vector<std::uint32_t> beyond = {4};
  EXPECT_THROW(made.network.resize(made.id, two, 1), LogicError);
  EXPECT_THROW(made.network.resize(made.id, {}, 0), LogicError);
  EXPECT_THROW(made.network.resize(0, two, 2), LogicError);
  EXPECT_THROW(made.network.resize(made.id, beyond, 4), LogicError);
}

}  // namespace
}  // namespace lamarck::evolution
