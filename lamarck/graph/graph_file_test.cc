#include "lamarck/graph/graph_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "lamarck/base/file.h"
#include "lamarck/base/hash.h"

namespace lamarck {
namespace {

// A small network with every kind of node.
Graph sample_graph() {
  Graph graph(7);
  const Var x =
      graph.input_named(Tensor::from({2, 3}, {1, 2, 3, 4, 5, 6}), "x");
  const Var w = graph.parameter({3, 4}, Init::xavier(), "w");
  const Var memory = graph.memory(Tensor::full({1, 4}, 0.5f), "m");
  const Var h = (x.matmul(w) * 2.0f + memory).leaky_relu(0.2f);
  graph.add_recurrent_edge(h, memory);
  h.reshape({-1, 2}).detach();
  h.slice(1, 0, 2).mean().set_name("loss");
  return graph;
}

float loss_of(const Graph& graph) {
  const Var loss = graph.named("loss");
  loss.forward();
  return loss.item();
}

TEST(GraphFile, KeepsTopologyValuesAndExtras) {
  const Graph graph = sample_graph();
  const ModelExtras extras{
      .tensors = {{"adam.w.mean", Tensor::from({2}, {3, 4})}},
      .notes = {{"classes", "[\"a\", \"b\"]"}}};
  const auto loaded = model_from_bytes(model_to_bytes(graph, extras));
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->graph.node_count(), graph.node_count());
  EXPECT_EQ(loss_of(loaded->graph), loss_of(graph));
  EXPECT_EQ(loaded->extras.tensors.at("adam.w.mean").to_vector(),
            (std::vector<float>{3, 4}));
  EXPECT_EQ(loaded->extras.notes.at("classes"), "[\"a\", \"b\"]");
}

TEST(GraphFile, LoadedGraphTrainsLikeTheOriginal) {
  const Graph graph = sample_graph();
  const auto loaded = model_from_bytes(model_to_bytes(graph));
  ASSERT_TRUE(loaded);
  for (const Graph& each : {graph, loaded->graph}) {
    const Var loss = each.named("loss");
    for (int t = 0; t < 3; ++t) each.step(loss);
    loss.backward_through_time();
  }
  EXPECT_EQ(
      max_difference(graph.named("w").grad(), loaded->graph.named("w").grad()),
      0);
  EXPECT_EQ(max_difference(graph.named("m").value(),
                           loaded->graph.named("m").value()),
            0);
  const auto draw = [](const Graph& each) {
    return each.parameter({5}, Init::normal(0, 1), "new").value();
  };
  EXPECT_EQ(max_difference(draw(graph), draw(loaded->graph)), 0);
}

TEST(GraphFile, KeepsDropoutMasks) {
  for (const std::uint64_t seed :
       {std::uint64_t{0}, std::uint64_t{7}, std::uint64_t{1} << 32,
        std::uint64_t{0x8123456789abcdef}, ~std::uint64_t{0}}) {
    Graph graph(1);
    const Var x = graph.input(Tensor::ones({50}));
    x.dropout(0.5f, graph.ones({}), seed).set_name("dropped");
    const auto loaded = model_from_bytes(model_to_bytes(graph));
    ASSERT_TRUE(loaded) << loaded.error().message();
    const Var dropped = graph.named("dropped");
    const Var again = loaded->graph.named("dropped");
    dropped.forward();
    again.forward();
    EXPECT_EQ(max_difference(dropped.value(), again.value()), 0) << seed;
  }
}

TEST(GraphFile, KeepsInfiniteBounds) {
  Graph graph(1);
  const Var x = graph.input(Tensor::from({2}, {-5, 5}));
  x.clamp(0, INFINITY).sum().set_name("loss");
  const auto loaded = model_from_bytes(model_to_bytes(graph));
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loss_of(loaded->graph), 5);
}

TEST(GraphFile, InputsMayHaveDifferentBatchSizes) {
  Graph graph(1);
  const Var x = graph.input_named(Tensor::zeros({4, 2}), "x");
  const Var y = graph.input_named(Tensor::zeros({4, 1}), "y");
  const Var w = graph.parameter({2, 1}, Init::ones(), "w");
  const Var h = x.matmul(w);
  h.mse(y).set_name("loss");
  x.set_value(Tensor::ones({7, 2}));  // Only x, which is enough to predict.
  h.forward();
  const auto loaded = model_from_bytes(model_to_bytes(graph));
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_THROW(loss_of(loaded->graph), LogicError);
  loaded->graph.named("y").set_value(Tensor::ones({7, 1}));
  EXPECT_EQ(loss_of(loaded->graph), 1);
}

TEST(GraphFile, LeavesNoGapsForRemovedNodes) {
  Graph graph(1);
  const Var a = graph.parameter({}, Init::constant(3), "a");
  const Var gone = a.exp();
  const Var b = graph.parameter({}, Init::constant(4), "b");
  (a * b).set_name("loss");
  graph.remove(gone);
  const auto loaded = model_from_bytes(model_to_bytes(graph));
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->graph.node_count(), 3u);
  EXPECT_EQ(loss_of(loaded->graph), 12);
}

TEST(GraphFile, WritesAndReadsFiles) {
  const std::string path = testing::TempDir() + "graph_file_test.lamarck";
  ASSERT_TRUE(save_model(path, sample_graph()));
  const auto loaded = load_model(path);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loss_of(loaded->graph), loss_of(sample_graph()));
  EXPECT_EQ(load_model(path + ".missing").error().code(), ErrorCode::NotFound);
  ASSERT_TRUE(write_file(path, "not a model"));
  const auto foreign = load_model(path);
  ASSERT_FALSE(foreign);
  EXPECT_NE(foreign.error().message().find(path), std::string::npos);
}

TEST(GraphFile, EveryTruncationIsAnError) {
  const std::string bytes = model_to_bytes(sample_graph());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(model_from_bytes(bytes.substr(0, size))) << size;
  }
  EXPECT_FALSE(model_from_bytes(bytes + "x"));
}

TEST(GraphFile, EveryChangedByteIsAnError) {
  const std::string bytes = model_to_bytes(sample_graph());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    EXPECT_FALSE(model_from_bytes(damaged)) << at;
  }
}

std::string resealed(std::string bytes) {
  bytes.resize(bytes.size() - 64);
  return bytes + sha256_hex(bytes);
}

TEST(GraphFile, RejectsFutureVersionAndAsksToUpdate) {
  std::string bytes = model_to_bytes(sample_graph());
  bytes[8] = 2;
  const auto loaded = model_from_bytes(resealed(bytes));
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code(), ErrorCode::Unsupported);
  EXPECT_NE(loaded.error().message().find("Update Lamarck"), std::string::npos);
}

// A file with a valid checksum may still contain anything: it must load or give
// an error.
TEST(GraphFile, RandomChangesOfTheHeaderNeverCrash) {
  const std::string bytes = model_to_bytes(sample_graph());
  std::uint64_t header_size = 0;
  std::memcpy(&header_size, bytes.data() + 16, sizeof(header_size));
  const std::string_view digits = "0123456789-.,[]{}\":eE truefalsn";
  std::size_t loaded_count = 0;
  std::size_t refused_count = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Rng rng(seed);
    std::string changed = bytes;
    for (int i = 0; i < static_cast<int>(rng.integer(1, 4)); ++i) {
      const std::size_t at = 24 + rng.below(header_size);
      changed[at] = digits[rng.below(digits.size())];
    }
    const auto loaded = model_from_bytes(resealed(changed));
    if (!loaded) {
      ++refused_count;
      EXPECT_FALSE(loaded.error().message().empty());
      continue;
    }
    ++loaded_count;
    for (const NodeId id : loaded->graph.node_ids()) {
      const Var node = loaded->graph.node(id);
      if (node.shape().element_count() > 100'000) continue;
      try {
        node.forward();
      } catch (const LogicError&) {
      }
    }
  }
  EXPECT_GT(loaded_count, 100u);
  EXPECT_GT(refused_count, 100u);
}

}  // namespace
}  // namespace lamarck
