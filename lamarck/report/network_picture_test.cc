#include "lamarck/report/network_picture.h"
#include "lamarck/base/text_fixture.h"

#include <gtest/gtest.h>

#include "lamarck/evolution/random_network_fixture.h"

namespace lamarck::report {
namespace {

using evolution::Network;

std::size_t count_occurrences(const std::string& text,
                              const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

Network small_network() {
  Network network = evolution::minimal_network(2, 1);
  const evolution::UnitId hidden =
      network.add_hidden({.activation = evolution::Activation::Tanh});
  network.add_edge(network.nodes()[0].id, hidden);
  network.add_edge(hidden, 2);
  network.add_recurrent_edge(hidden, hidden);
  // The output's bias and its two edges, the hidden node's bias, its input
  // edge, its output edge and its loop.
  network.parameters().values = {0.25f, 0.5f, -3, 1, 2, -1.5f, 0.125f};
  return network;
}

const PictureOptions kNames = {
    .input_names = {"a", "b"}, .output_names = {"y"}, .title = "small"};

TEST(NetworkPicture, DrawsEachNodeAndEdgeOnce) {
  const std::string svg = to_svg(small_network(), kNames);

  EXPECT_EQ(count_occurrences(svg, "<circle class=\"end\""), 2u);
  EXPECT_EQ(count_occurrences(svg, "<circle class=\"node\""), 2u);
  EXPECT_EQ(count_occurrences(svg, "<path class=\"edge plus\""),
            2u + 1);  // One in the legend.
  EXPECT_EQ(count_occurrences(svg, "<path class=\"edge minus\""), 2u + 1);
  EXPECT_EQ(count_occurrences(svg, "<path class=\"edge plus dashed\""), 1u);
  EXPECT_TRUE(contains(svg, ">a</text>"));
  EXPECT_TRUE(contains(svg, ">y</text>"));
  EXPECT_TRUE(contains(svg, "prefers-color-scheme: dark"));
}

TEST(NetworkPicture, EscapesNames) {
  const PictureOptions options{
      .input_names = {"<script>alert(1)</script>", "a & \"b\"\x01"},
      .title = "<b>"};
  const std::string svg = to_svg(small_network(), options);
  EXPECT_FALSE(contains(svg, "<script>"));
  EXPECT_FALSE(contains(svg, "<b>"));
  EXPECT_FALSE(contains(svg, "\x01"));
  EXPECT_TRUE(contains(svg, "a &amp; &quot;b&quot;"));
  const std::string dot = to_dot(small_network(), options);
  EXPECT_TRUE(contains(dot, "\\\"b\\\""));
}

TEST(NetworkPicture, FadesAllButTheStrongestEdges) {
  Network network = evolution::minimal_network(10, 9);
  Rng rng(1);
  for (float& value : network.parameters().values) {
    value = static_cast<float>(rng.normal());
  }
  const std::string svg = to_svg(network);

  EXPECT_EQ(count_occurrences(svg, "stroke-width=\"0.50\" opacity=\"0.18\""),
            50u);
  EXPECT_TRUE(contains(svg, "the 40 strongest edges stand out"));
  EXPECT_FALSE(contains(to_svg(small_network()), "strongest"));
}

TEST(NetworkPicture, DrawsManyInputsAsOneBox) {
  const std::string svg = to_svg(evolution::minimal_network(64, 2));

  EXPECT_TRUE(contains(svg, "64 inputs"));
  EXPECT_EQ(count_occurrences(svg, "<circle class=\"end\""), 0u);
  EXPECT_LT(svg.size(), 8000u);
}

TEST(NetworkPicture, DrawsEveryKindOfNetwork) {
  for (std::uint64_t seed = 0; seed < 32; ++seed) {
    SCOPED_TRACE(seed);
    const Network network = evolution::random_network(seed, 20);
    const std::string svg = to_svg(network);
    EXPECT_TRUE(svg.starts_with("<svg "));
    EXPECT_FALSE(contains(svg, "nan")) << svg;
    EXPECT_EQ(count_occurrences(svg, "<g>"), count_occurrences(svg, "</g>"));
    EXPECT_FALSE(to_dot(network).empty());
    EXPECT_FALSE(to_text(network).empty());
  }
}

TEST(NetworkPicture, HandlesNonFiniteWeights) {
  Network network = small_network();
  network.parameters().values[1] = std::numeric_limits<float>::quiet_NaN();
  network.parameters().values[2] = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(contains(to_svg(network), "=\"nan"));
}

TEST(NetworkText, WritesSmallNetworksAsFormulas) {
  EXPECT_EQ(to_text(small_network(), kNames),
            "small\n"
            "2 inputs, 1 hidden node, 1 output; 5 edges (1 recurrent); 7 "
            "parameters; its outputs are numbers.\n"
            "\n"
            "  h3  tanh              reads a, h3 (previous step); 3 "
            "parameters\n"
            "  y   identity          reads a, b, h3; 4 parameters\n"
            "\n"
            "  h3 = tanh(2 a + 0.125 h3' + 1)\n"
            "  y = 0.5 a - 3 b - 1.5 h3 + 0.25\n"
            "  (h3' is the value of h3 at the previous step.)\n");
}

TEST(NetworkText, DescribesLayers) {
  Network network =
      evolution::minimal_layers({.channels = 1, .height = 8, .width = 8}, 3);
  const evolution::UnitId conv =
      network.add_hidden({.cell = evolution::Cell::Conv,
                          .activation = evolution::Activation::Relu,
                          .kernel = 3,
                          .pool = 2,
                          .extent = {.channels = 4, .height = 4, .width = 4}});
  network.add_edge(network.nodes()[0].id, conv);
  network.add_edge(conv, 1);

  const std::string text = to_text(network);

  EXPECT_TRUE(contains(text, "conv 4x4x4 relu")) << text;
  EXPECT_TRUE(contains(text, "out  dense 3 identity")) << text;
}

}  // namespace
}  // namespace lamarck::report
