#include "lamarck/evolution/network_file.h"

#include <cstring>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/file.h"
#include "lamarck/base/json.h"
#include "lamarck/evolution/network_graph.h"
#include "lamarck/evolution/network_json.h"
#include "lamarck/evolution/random_network_fixture.h"
#include "lamarck/graph/onnx_export.h"

namespace lamarck::evolution {
namespace {

std::filesystem::path file_named(const std::string& name) {
  return std::filesystem::path(testing::TempDir()) / name;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST(NetworkFile, BytesAreThoseOfFile) {
  const auto path = file_named("bytes.lamarck");
  const NetworkModel model{random_network(3), {{"facts", "{}"}}};
  ASSERT_TRUE(save_network(path, model));

  const std::string bytes = network_to_bytes(model);

  EXPECT_EQ(bytes, read_file(path).value());
  const auto back = make_network(model_from_bytes(bytes).value());
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(back->notes.at("facts"), "{}");
}

TEST(NetworkFile, RoundTripsBitForBit) {
  const auto path = file_named("bits.lamarck");
  for (std::uint64_t seed = 0; seed < 48; ++seed) {
    SCOPED_TRACE(seed);
    NetworkModel model{random_network(seed), {{"facts", R"({"seed": 1})"}}};
    model.network.parameters().values[0] = -0.0f;
    const auto saved = save_network(path, model);
    ASSERT_TRUE(saved) << saved.error().message();

    const auto back = load_network(path);

    ASSERT_TRUE(back) << back.error().message();
    back->network.check();
    EXPECT_EQ(dump_json(to_json(back->network)),
              dump_json(to_json(model.network)));
    const NetworkParameters& a = model.network.parameters();
    const NetworkParameters& b = back->network.parameters();
    EXPECT_TRUE(same_bits(a.values, b.values));
    EXPECT_TRUE(same_bits(a.means, b.means));
    EXPECT_TRUE(same_bits(a.squares, b.squares));
    EXPECT_TRUE(same_bits(a.ages, b.ages));
    EXPECT_EQ(back->notes, model.notes);
  }
}

TEST(NetworkFile, IsAlsoARunnableGraphModel) {
  const auto path = file_named("graph.lamarck");
  const Network network = random_network(2);
  ASSERT_TRUE(save_network(path, {network, {}}));

  const SavedModel model = load_model(path).value();

  Rng rng(1);
  const Tensor rows = Tensor::randn({3, 144}, rng);
  std::vector<std::vector<float>> outputs;
  for (const Graph& graph : {model.graph, to_graph(network)}) {
    graph.named("input").set_value(rows);
    graph.named("output").forward();
    outputs.push_back(graph.named("output").value().to_vector());
  }
  EXPECT_EQ(outputs[0], outputs[1]);
}

TEST(NetworkFile, ExportsEveryKindOfNetworkToOnnx) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const Var output = to_graph(random_network(seed)).named("output");
    const auto bytes = onnx_bytes(std::span(&output, 1));
    EXPECT_TRUE(bytes) << "seed " << seed;
  }
}

TEST(NetworkFile, ReportsModelWithoutNetwork) {
  const auto path = file_named("plain.lamarck");
  Graph graph;
  graph.input_named(Tensor::zeros({1, 2}), "x");
  ASSERT_TRUE(save_model(path, graph));

  const auto loaded = load_network(path);

  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code(), ErrorCode::Unsupported);
  EXPECT_NE(
      loaded.error().message().find("holds a graph but no evolved network"),
      std::string::npos);
}

TEST(NetworkFile, RejectsDamagedExtras) {
  const Network network = random_network(1);
  const auto path = file_named("damaged.lamarck");
  ASSERT_TRUE(save_network(path, {network, {}}));
  const SavedModel good = load_model(path).value();

  SavedModel lacks = good;
  lacks.extras.tensors.erase("network.means");
  EXPECT_FALSE(make_network(lacks));
  SavedModel shorter = good;
  shorter.extras.tensors["network.means"] = Tensor::zeros({1});
  EXPECT_FALSE(make_network(shorter));
  SavedModel garbled = good;
  garbled.extras.notes["network"] = "{";
  EXPECT_FALSE(make_network(garbled));
  EXPECT_FALSE(load_network(file_named("nowhere.lamarck")));
}

}  // namespace
}  // namespace lamarck::evolution
