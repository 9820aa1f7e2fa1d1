// Trains an evolved network as a layer between two others, then saves it, draws
// it and exports it as C++.

#include <cstdio>

#include "lamarck/evolution/dynamic_module.h"
#include "lamarck/evolution/network_cpp.h"
#include "lamarck/evolution/network_file.h"
#include "lamarck/nn/linear.h"
#include "lamarck/optim/optimizer.h"
#include "lamarck/report/network_picture.h"

using namespace lamarck;

// A feed-forward network of two inputs, one hidden neuron and one output.
evolution::Network small_network() {
  evolution::Network network = evolution::minimal_network(2, 1);
  const evolution::UnitId hidden =
      network.add_hidden({.activation = evolution::Activation::Tanh});
  network.add_edge(0, hidden);
  network.add_edge(1, hidden);
  network.add_edge(hidden, 2);
  Rng rng(1);
  for (const evolution::NetworkEdge& edge : network.edges()) {
    evolution::draw_weights(network, edge, rng);
  }
  return network;
}

int main() {
  Graph graph(7);
  const Var x = graph.input(Tensor::rows({{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
  const Var y = graph.input(Tensor::rows({{0}, {1}, {1}, {0}}));
  const nn::Linear first(graph, 2, 2, "first");
  const evolution::DynamicModule evolved(graph, small_network(), "evolved");
  const nn::Linear last(graph, 1, 1, "last");
  const Var loss = last(evolved(first(x).tanh())).mse(y);
  optim::Adam adam(nn::parameters(first, evolved, last), 0.05f);
  const float before = loss.backward();
  for (int step = 0; step < 500; ++step) adam.minimize(loss);
  std::printf("The loss fell by more than half: %s\n",
              loss.item() < before / 2 ? "yes" : "no");

  const evolution::Network network = evolved.network();
  const auto saved = evolution::save_network("evolved.lamarck", {network, {}});
  const std::string picture =
      report::to_svg(network, {.title = "The evolved layer"});
  const std::string source = to_cpp(network);
  std::printf("Saved the model: %s\n",
              saved ? "yes" : saved.error().message().c_str());
  std::printf("Wrote a picture of %zu bytes and %zu bytes of C++.\n",
              picture.size(), source.size());
  std::remove("evolved.lamarck");
  return 0;
}
