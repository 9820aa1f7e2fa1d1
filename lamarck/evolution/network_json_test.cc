#include "lamarck/evolution/network_json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/evolution/network_graph.h"
#include "lamarck/evolution/random_network_fixture.h"

namespace lamarck::evolution {
namespace {

void expect_same(const Network& a, const Network& b) {
  ASSERT_EQ(a.nodes().size(), b.nodes().size());
  ASSERT_EQ(a.edges().size(), b.edges().size());
  for (std::size_t i = 0; i < a.nodes().size(); ++i) {
    EXPECT_EQ(a.nodes()[i].id, b.nodes()[i].id);
    EXPECT_EQ(a.nodes()[i].begin, b.nodes()[i].begin);
  }
  for (std::size_t i = 0; i < a.edges().size(); ++i) {
    EXPECT_TRUE(a.edges()[i].is_same_place(b.edges()[i]));
    EXPECT_EQ(a.edges()[i].begin, b.edges()[i].begin);
    EXPECT_EQ(a.edges()[i].count, b.edges()[i].count);
  }
  EXPECT_EQ(a.parameters(), b.parameters());
  EXPECT_EQ(a.next_id(), b.next_id());
  EXPECT_EQ(a.head(), b.head());
  EXPECT_EQ(a.topology_hash(), b.topology_hash());
}

TEST(NetworkJson, RoundTripsEveryKindOfNetwork) {
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    SCOPED_TRACE(seed);
    const Network network = random_network(seed);
    const auto text = dump_json(to_json(network));

    const auto back =
        network_from_json(parse_json(text).value(), network.parameters());

    ASSERT_TRUE(back) << back.error().message();
    back->check();
    expect_same(network, *back);
  }
}

TEST(NetworkJson, LoadedNetworkMutatesLikeOriginal) {
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    SCOPED_TRACE(seed);
    Network network = random_network(seed);
    Network back =
        network_from_json(to_json(network), network.parameters()).value();
    for (Network* each : {&network, &back}) {
      Rng rng(seed);
      const MutationLimits limits{.recurrent = true, .score_units = nullptr};
      for (int i = 0; i < 5; ++i) {
        const Mutation* drawn = draw_mutation(*each, limits, {}, rng);
        if (drawn != nullptr) drawn->apply(*each, limits, rng);
      }
    }
    expect_same(network, back);
  }
}

struct Damage {
  const char* path;
  Json value;
};

TEST(NetworkJson, RejectsInvalidFields) {
  const Network network = random_network(6);  // Images, recurrent.
  const Json good = to_json(network);
  ASSERT_TRUE(network_from_json(good, network.parameters()));
  const std::uint64_t huge = 0xffffffffffffffff;
  const Damage damages[] = {
      {"/head", "nothing"},
      {"/head", 3},
      {"/next_id", 1},
      {"/next_id", -1},
      {"/nodes", "none"},
      {"/nodes", Json::array()},
      {"/nodes/0", 7},
      {"/nodes/0/id", 99999},
      {"/nodes/0/id", good["nodes"][1]["id"]},
      {"/nodes/0/id", -1},
      {"/nodes/0/id", 0.5},
      {"/nodes/0/role", "output"},
      {"/nodes/0/role", nullptr},
      {"/nodes/0/cell", "lstm"},
      {"/nodes/0/cell", "quantum"},
      {"/nodes/0/activation", "sine"},
      {"/nodes/0/aggregation", "median"},
      {"/nodes/0/stage", 256},
      {"/nodes/0/stage", 7},
      {"/nodes/0/pool", 0},
      {"/nodes/1/pool", 0},
      {"/nodes/1/kernel", 256},
      {"/nodes/0/extent", {1, 2}},
      {"/nodes/0/extent", {0, 8, 9}},
      {"/nodes/0/extent", {4294967295, 4294967295, 4294967295}},
      {"/nodes/0/extent", {huge, 1, 1}},
      {"/nodes/0/extent", {16777216, 2, 1}},
      {"/nodes/0/extent", {3, 8, 9}},
      {"/nodes/1/begin", huge},
      {"/nodes/1/begin", 1},
      {"/edges", 1},
      {"/edges/0", {1, 2}},
      {"/edges/0/0", 12345},
      {"/edges/0/1", good["nodes"][0]["id"]},
      {"/edges/0/2", 2},
      {"/edges/0/3", huge},
      {"/edges/0/3", 1},
      {"/edges/1", good["edges"][0]},
  };
  for (const Damage& damage : damages) {
    SCOPED_TRACE(std::string(damage.path) + " = " + damage.value.dump());
    Json json = good;
    json[Json::json_pointer(damage.path)] = damage.value;

    const auto made = network_from_json(json, network.parameters());

    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().message().back(), '.');
  }
}

TEST(NetworkJson, RejectsCycles) {
  Network network = minimal_network(1, 1);
  const UnitId a = network.add_hidden({});
  const UnitId b = network.add_hidden({});
  network.add_edge(a, b);
  Json json = to_json(network);
  ASSERT_TRUE(network_from_json(json, network.parameters()));
  std::swap(json["edges"].back()[0], json["edges"].back()[1]);

  EXPECT_FALSE(network_from_json(json, network.parameters()));
}

TEST(NetworkJson, RejectsWrongNumberOfParameters) {
  const Network network = random_network(5);
  NetworkParameters fewer = network.parameters();
  fewer.ages.pop_back();
  EXPECT_FALSE(network_from_json(to_json(network), fewer));
  fewer.values.pop_back();
  fewer.means.pop_back();
  fewer.squares.pop_back();
  EXPECT_FALSE(network_from_json(to_json(network), fewer));
  EXPECT_FALSE(network_from_json(to_json(network), {}));
  EXPECT_FALSE(network_from_json(Json(), {}));
}

// Replacing any field by another value must yield an Error or a valid network.
TEST(NetworkJson, AcceptsOnlyValidNetworksAfterDamage) {
  const Json others[] = {nullptr, 0,     1,  2, -3,   1e300,    4294967296,
                         "x",     "gru", {}, 3, true, {1, 1, 1}};
  for (const std::uint64_t seed : {0, 5, 6}) {
    const Network network = random_network(seed, 4);
    const Json flat = to_json(network).flatten();
    for (const auto& [path, value] : flat.items()) {
      for (const Json& other : others) {
        Json json = to_json(network);
        json[Json::json_pointer(path)] = other;
        const auto made = network_from_json(json, network.parameters());
        if (!made) continue;
        EXPECT_NO_THROW(made->check()) << path << " = " << other;
        EXPECT_NO_THROW(to_graph(*made)) << path << " = " << other;
      }
    }
  }
}

TEST(NetworkJson, RejectsConvolutionOfDifferentImageSizes) {
  const auto json_of = [](std::uint32_t second) {
    Network network;
    network.add_input({.channels = 1, .height = 8, .width = 8});
    network.add_input({.channels = 1, .height = 8, .width = 8});
    network.add_output(1, Activation::Identity);
    const UnitId id = network.add_hidden(
        {.cell = Cell::Conv,
         .kernel = 3,
         .pool = 2,
         .extent = {.channels = 1, .height = 4, .width = 4}});
    network.add_edge(0, id);
    network.add_edge(1, id);
    network.add_edge(id, 2);
    NetworkParts parts{
        .nodes = {network.nodes().begin(), network.nodes().end()},
        .edges = {network.edges().begin(), network.edges().end()},
        .parameters = network.parameters(),
        .next_id = network.next_id()};
    parts.nodes[1].extent.height = second;
    const Network changed(std::move(parts));
    return network_from_json(to_json(changed), changed.parameters());
  };
  EXPECT_TRUE(json_of(8));
  const auto refused = json_of(9);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("different sizes"),
            std::string::npos);
}

}  // namespace
}  // namespace lamarck::evolution
