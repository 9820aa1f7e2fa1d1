#include "lamarck/evolution/convert/graph_conversion.h"

#include <gtest/gtest.h>

#include <vector>

#include "lamarck/data/dataset.h"
#include "lamarck/evolution/evolution.h"
#include "lamarck/evolution/network_graph.h"
#include "lamarck/evolution/supervised_task.h"
#include "lamarck/nn/conv2d.h"
#include "lamarck/nn/dropout_layer.h"
#include "lamarck/nn/gru.h"
#include "lamarck/nn/linear.h"
#include "lamarck/nn/lstm.h"
#include "lamarck/nn/norm_layers.h"
#include "lamarck/nn/rnn.h"
#include "lamarck/nn/sequential.h"
#include "lamarck/optim/optimizer.h"

namespace lamarck::evolution {
namespace {

Tensor value_after_run(const Var& var) {
  var.forward();
  return var.value();
}

// The network that a graph converts to gives the graph's outputs.
void expect_same_outputs(const Var& x, const Var& y, const Network& network) {
  const Tensor expected = value_after_run(y);
  const Tensor inputs = x.value();
  const Tensor rows =
      inputs.reshape({inputs.size(0), inputs.element_count() / inputs.size(0)});
  EXPECT_LE(max_difference(predict(network, rows), expected), 1e-6);
}

TEST(GraphConversion, DenseLayersKeepOutputs) {
  Graph graph(3);
  const Var x = graph.randn({9, 4});
  const nn::Sequential net({nn::Linear(graph, 4, 6, "a"), &Var::tanh,
                            nn::Linear(graph, 6, 5, "b"), &Var::relu,
                            nn::Linear(graph, 5, 3, "c")});
  const Var y = net(x);
  const Network network = y;
  EXPECT_EQ(network.hidden_count(), 2u);
  EXPECT_EQ(network.parameters().size(),
            static_cast<std::size_t>(net.parameter_count()));
  expect_same_outputs(x, y, network);
}

TEST(GraphConversion, SoftmaxAndSigmoidBecomeHeads) {
  Graph graph(4);
  const Var x = graph.randn({5, 3});
  const nn::Linear a(graph, 3, 4, "a");
  const nn::Linear b(graph, 4, 2, "b");
  const Var classes = b(a(x).relu()).softmax();
  const Var flags = b(a(x).sigmoid()).sigmoid();
  const Network by_class = classes;
  const Network by_flag = flags;
  EXPECT_EQ(by_class.head(), Loss::CrossEntropy);
  EXPECT_EQ(by_flag.head(), Loss::BinaryCrossEntropy);
  expect_same_outputs(x, classes, by_class);
  expect_same_outputs(x, flags, by_flag);
}

TEST(GraphConversion, SkipsSumsAndConcatenationsKeepOutputs) {
  Graph graph(5);
  const Var x = graph.randn({6, 3});
  const nn::Linear a(graph, 3, 3, "a");
  const nn::Linear b(graph, 6, 2, "b");
  const Var h = a(x).tanh();
  const Var y = b(concat({h + x, x * 0.5f - 1.0f}, 1)) * 2.0f;
  expect_same_outputs(x, y, y);
}

// A slice of the input and the input as a whole are both read.
TEST(GraphConversion, SlicesOfInputKeepOutputs) {
  Graph graph(6);
  const Var x = graph.randn({6, 5});
  const nn::Linear a(graph, 2, 3, "a");
  const nn::Linear b(graph, 5, 1, "b");
  const nn::Linear c(graph, 3, 1, "c");
  const Var y = c(a(x.slice(1, 1, 3)).relu()) + b(x);
  const GraphConversion model = convert_graph(y).value();
  EXPECT_FALSE(model.has_fixed_part());
  expect_same_outputs(x, y, model.network);
}

TEST(GraphConversion, ConvolutionsNormsAndPoolsKeepOutputs) {
  Graph graph(7);
  const Var x = graph.randn({3, 2, 8, 8});
  const nn::Conv2d conv(graph, 2, 4, 3, "conv", {.padding = 1});
  const nn::BatchNorm norm(graph, 4, "norm");
  const nn::Dropout drop(graph, 0.5f, "drop");
  const nn::Linear out(graph, 64, 3, "out");
  const Var y = out(drop(norm(conv(x)).relu().max_pool2d(2)).flatten());
  y.forward();  // Moves the running statistics.
  norm.eval();
  drop.eval();
  const Network network = y;
  EXPECT_EQ(network.nodes()[1].cell, Cell::Conv);
  expect_same_outputs(x, y, network);
}

TEST(GraphConversion, RecurrentLayersKeepOutputs) {
  Graph graph(8);
  const Var x = graph.randn({5, 4, 3});
  const nn::Lstm lstm(graph, 3, 6, "lstm");
  const nn::Gru gru(graph, 6, 4, "gru");
  const nn::Rnn rnn(graph, 4, 3, "rnn");
  const nn::Linear out(graph, 3, 2, "out");
  const Var h = rnn(gru(lstm(x).hidden).hidden).hidden;
  const Var y = out(h);
  const GraphConversion model = convert_graph(y).value();
  EXPECT_TRUE(model.is_sequence);
  EXPECT_FALSE(model.has_fixed_part());
  EXPECT_TRUE(model.network.is_recurrent());
  const Tensor expected = value_after_run(y);
  const Graph steps = to_graph(model.network);
  const Tensor inputs = x.value();
  for (std::int64_t t = 0; t < 5; ++t) {
    steps.named("input").set_value(inputs.select(0, t).contiguous());
    steps.no_grad([&] { steps.step(steps.named("output")); });
    EXPECT_LE(max_difference(steps.named("output").value(),
                             expected.select(0, t).contiguous()),
              1e-6)
        << t;
  }
  // The last hidden state alone, as in a classifier.
  const Var last =
      out(rnn(lstm(x).last[0].hidden.unsqueeze(0).slice(2, 0, 4)).last[0]);
  EXPECT_TRUE(convert_graph(last).value().is_sequence);
}

TEST(GraphConversion, UnknownOperationsStayFixedInFront) {
  Graph graph(9);
  const Var words = graph.input(Tensor::from({4, 2}, {0, 1, 2, 3, 4, 0, 1, 1}));
  const Var table = graph.parameter({5, 3}, Init::normal(0, 1), "words.weight");
  const nn::Linear hidden(graph, 6, 4, "hidden");
  const nn::Linear out(graph, 4, 1, "out");
  const Var y = out(hidden(table.embedding(words).reshape({-1, 6})).tanh());
  const GraphConversion model = convert_graph(y).value();
  EXPECT_TRUE(model.has_fixed_part());
  const Tensor rows = model.features(words.value());
  EXPECT_LE(max_difference(predict(model.network, rows), value_after_run(y)),
            1e-6);
  // The owner of the graph uses the network behind the fixed part.
  const Var again = model.add_to_graph(model.network, "evolved");
  EXPECT_LE(max_difference(value_after_run(again), value_after_run(y)), 1e-6);
  EXPECT_THROW(static_cast<void>(Network(y)), LogicError);
}

TEST(GraphConversion, RefusesGraphsWithNothingToEvolve) {
  Graph graph;
  const Var x = graph.randn({4, 3});
  const Result<GraphConversion> made = convert_graph(x.sum(1));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), ErrorCode::Unsupported);
  static_cast<void>(x * 2.0f);
  static_cast<void>(x * 3.0f);
  EXPECT_EQ(convert_graph(graph).error().code(), ErrorCode::InvalidArgument);
}

// Every network goes to a graph and back.
TEST(GraphConversion, NetworksSurviveRoundTrip) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed);
    Network network = minimal_network(3, 2, seed);
    for (int i = 0; i < 6; ++i) {
      const UnitId id = network.add_hidden({.activation = Activation::Tanh});
      network.add_edge(network.nodes_of(Role::Input)[rng.below(3)], id);
      network.add_edge(id, network.nodes_of(Role::Output)[rng.below(2)]);
    }
    for (float& value : network.parameters().values) {
      value = static_cast<float>(rng.normal());
    }
    const Network again = to_graph(network);
    const Tensor rows = Tensor::randn({7, 3}, rng);
    EXPECT_LE(max_difference(predict(again, rows), predict(network, rows)),
              1e-6)
        << seed;
  }
}

// The whole way: a trained model is converted, evolution improves it, and the
// owner of the graph uses the result.
TEST(GraphConversion, EvolutionImprovesTrainedModule) {
  Rng rng(2);
  const Tensor inputs = Tensor::uniform({80, 2}, -1, 1, rng);
  Tensor targets = Tensor::zeros({80, 1});
  for (std::int64_t i = 0; i < 80; ++i) {
    targets.at({i, 0}) = inputs.at({i, 0}) * inputs.at({i, 1});
  }
  Graph graph(1);
  const Var x = graph.input(inputs);
  const nn::Linear hidden(graph, 2, 2, "hidden");
  const nn::Linear out(graph, 2, 1, "out");
  const Var y = out(hidden(x).tanh());
  const Var loss = y.mse(graph.input(targets));
  optim::Adam adam(graph.parameters(), 0.03f);
  for (int step = 0; step < 300; ++step) adam.minimize(loss);
  loss.forward();
  const float before = loss.item();

  const GraphConversion model = convert_graph(y).value();
  const data::Dataset rows(inputs, targets);
  const EvolutionResult result =
      Evolution{
          .network = model.network,
          .task = SupervisedTask(rows, rows, data::Metric::MeanSquaredError),
          .options = {.seed = 1, .budget = {.evaluations = 12}}}
          .run()
          .value();
  EXPECT_LT(result.loss, before * 0.8);
  const Var evolved = model.add_to_graph(result.network, "evolved");
  const Var error = evolved.mse(graph.input(targets));
  error.forward();
  EXPECT_NEAR(error.item(), result.loss, 1e-5);
}

}  // namespace
}  // namespace lamarck::evolution
