#include "lamarck/graph/graph_picture.h"

#include <gtest/gtest.h>

namespace lamarck {
namespace {

Graph picture_graph() {
  Graph graph(1);
  const Var x = graph.input_named(Tensor::zeros({4, 2}), "x<&\"");
  const Var w = graph.parameter({2, 1500}, Init::xavier(), "w");
  const Var m = graph.memory(Tensor::zeros({1, 1500}), "m");
  const Var h = (x.matmul(w) + m).tanh();
  graph.add_recurrent_edge(h, m);
  (h * 2.0f).mean().set_name("loss");
  return graph;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(GraphPicture, SummaryCountsParameters) {
  const std::string text = summary(picture_graph());
  EXPECT_NE(text.find("3,000 parameters in 1 tensors; 9 nodes."),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("loss: mean"), std::string::npos);
  EXPECT_NE(text.find("t-1: 5"), std::string::npos);
}

TEST(GraphPicture, DotHasEveryNodeAndEdge) {
  const std::string dot = to_dot(picture_graph());
  EXPECT_EQ(count_of(dot, "label=\""), 10u) << dot;
  EXPECT_EQ(count_of(dot, " -> "), 9u);
  EXPECT_EQ(count_of(dot, "style=dashed"), 1u);
  EXPECT_NE(dot.find("x<&\\\""), std::string::npos);
}

TEST(GraphPicture, SvgHasEveryNodeAndEdge) {
  const std::string svg = to_svg(picture_graph());
  EXPECT_EQ(count_of(svg, "<g>"), 9u);
  EXPECT_EQ(count_of(svg, "<path"), 9u);
  EXPECT_EQ(count_of(svg, "stroke-dasharray"), 1u);
  EXPECT_NE(svg.find("x&lt;&amp;&quot;"), std::string::npos);
  EXPECT_EQ(to_svg(Graph()).find("nan"), std::string::npos);
}

}  // namespace
}  // namespace lamarck
