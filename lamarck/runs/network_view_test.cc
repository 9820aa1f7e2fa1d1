#include "lamarck/runs/network_view.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lamarck/neat/neat_genome.h"

namespace lamarck::runs {
namespace {

TEST(NetworkView, ShowsNodesEdgesAndLabels) {
  evolution::Network network = evolution::minimal_network(2, 1, 5);
  const auto outputs = network.nodes_of(evolution::Role::Output);
  network.add_recurrent_edge(outputs[0], outputs[0]);
  Json view = network_view(network, {.inputs = {"a", "b"}, .outputs = {"y"}});
  ASSERT_EQ(view["nodes"].size(), 3u);
  EXPECT_EQ(view["nodes"][0]["kind"], "input");
  EXPECT_EQ(view["nodes"][0]["label"], "a");
  EXPECT_EQ(view["nodes"][2]["label"], "y");
  EXPECT_EQ(view["edges_total"], 3);
  EXPECT_EQ(view["edges"][2]["recurrent"], true);

  place_nodes(view);
  EXPECT_EQ(view["nodes"][0]["x"], 0.0);
  EXPECT_EQ(view["nodes"][2]["x"], 1.0);
  EXPECT_LT(view["nodes"][0]["y"].get<double>(),
            view["nodes"][1]["y"].get<double>());
}

TEST(NetworkView, SummarizesWideLayers) {
  const evolution::Network network =
      evolution::minimal_layers({.channels = 8}, 3, 1);
  const Json view = network_view(network, {});
  ASSERT_EQ(view["nodes"].size(), 2u);
  EXPECT_EQ(view["nodes"][0]["width"], 8);
  EXPECT_EQ(view["edges"][0]["count"], 24);
  EXPECT_GT(view["edges"][0]["weight"].get<double>(), 0);
}

TEST(NetworkView, KeepsStrongestOfVeryManyEdges) {
  const evolution::Network network = evolution::minimal_network(300, 10, 1);
  const Json view = network_view(network, {});
  EXPECT_EQ(view["edges_total"], 3000);
  EXPECT_EQ(view["edges"].size(), 2000u);
}

TEST(NetworkView, ShowsGenomes) {
  neat::InnovationTracker tracker(neat::Genome::node_count(2, 1));
  neat::Genome genome = neat::Genome::minimal(2, 1, tracker);
  genome.split_connection(genome.connections()[1].innovation, tracker);
  Json view = network_view(genome, {});
  EXPECT_EQ(view["nodes"].size(), 5u);
  EXPECT_EQ(view["edges"].size(), 4u);  // One is disabled.
  place_nodes(view);
  for (const Json& node : view["nodes"]) {
    EXPECT_TRUE(node["x"].is_number()) << node;
  }
}

}  // namespace
}  // namespace lamarck::runs
