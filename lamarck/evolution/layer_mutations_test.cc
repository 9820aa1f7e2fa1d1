#include <gtest/gtest.h>

#include "lamarck/base/error.h"
#include "lamarck/evolution/mutation.h"
#include "lamarck/evolution/network_graph.h"
#include "lamarck/evolution/random_network_fixture.h"
#include "lamarck/evolution/training.h"

namespace lamarck::evolution {
namespace {

NetworkNode pooled_conv(std::uint32_t size) {
  return {.cell = Cell::Conv,
          .activation = Activation::Relu,
          .kernel = 3,
          .pool = 2,
          .extent = {.channels = 2, .height = size, .width = size}};
}

// Pooling by two reduces both 4 x 4 and 5 x 5 images to 2 x 2.
struct TwoSizes {
  Network network;
  UnitId small = network.add_input({.channels = 1, .height = 4, .width = 4});
  UnitId large = network.add_input({.channels = 1, .height = 5, .width = 5});
  UnitId output = network.add_output(3, Activation::Identity);
  UnitId conv = network.add_hidden(pooled_conv(2));
};

TEST(LayerMutations, ConvolutionReadsImagesOfOneSize) {
  TwoSizes sizes;
  EXPECT_TRUE(sizes.network.can_connect(sizes.large, sizes.conv));
  sizes.network.add_edge(sizes.small, sizes.conv);

  EXPECT_FALSE(sizes.network.can_connect(sizes.large, sizes.conv));
  EXPECT_THROW(sizes.network.add_edge(sizes.large, sizes.conv), LogicError);
  for (const auto& [from, to] : sizes.network.possible_edges()) {
    EXPECT_FALSE(from == sizes.large && to == sizes.conv);
  }
  sizes.network.add_edge(sizes.conv, sizes.output);
  EXPECT_NO_THROW(sizes.network.check());
}

TEST(LayerMutations, GrownImageNetworksCanBeComputed) {
  for (std::uint64_t seed = 2; seed < 120; seed += 4) {
    const Network network = random_network(seed, 16);
    EXPECT_NO_THROW(network.check()) << seed;
    Graph graph = to_graph(network);
    Rng rng(seed);
    graph.named("input").set_value(Tensor::rand({3, 144}, rng));
    EXPECT_NO_THROW(graph.step(graph.named("output"))) << seed;
    EXPECT_EQ(graph.named("output").value().shape(), Shape({3, 4})) << seed;
  }
}

TEST(LayerMutations, NewLayersDoNotChangeOutputs) {
  const Network before = minimal_layers({1, 8, 8}, 3, 1);
  Rng rng(2);
  const Tensor rows = Tensor::rand({4, 64}, rng);
  const Tensor expected = predict(before, rows);
  for (const char* name : {"add_conv", "add_dense"}) {
    Network after = before;
    find_mutation(name)->apply(after, {}, rng);
    EXPECT_EQ(after.hidden_count(), 1u) << name;
    const Tensor outputs = predict(after, rows);
    for (std::size_t i = 0; i < expected.data().size(); ++i) {
      EXPECT_NEAR(outputs.data()[i], expected.data()[i], 1e-5) << name;
    }
  }
}

}  // namespace
}  // namespace lamarck::evolution
