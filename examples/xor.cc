// Trains a network on XOR; the graph is built once and run many times.

#include <cstdio>

#include "lamarck/nn/linear.h"
#include "lamarck/optim/optimizer.h"

using namespace lamarck;

int main() {
  Graph graph(42);  // The seed determines the initial weights.
  const Var x = graph.input(Tensor::rows({{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
  const Var y = graph.input(Tensor::rows({{0}, {1}, {1}, {0}}));
  const nn::Linear hidden(graph, 2, 8, "hidden");
  const nn::Linear out(graph, 8, 1, "out");
  const Var logits = out(hidden(x).tanh());
  const Var loss = logits.bce_with_logits(y);  // Nothing is computed yet.

  optim::Adam adam(nn::parameters(hidden, out), 0.05f);
  for (int step = 0; step < 1000; ++step) adam.minimize(loss);

  const Var probability = logits.sigmoid();
  probability.forward();
  for (int row = 0; row < 4; ++row) {
    std::printf("%d xor %d: %.1f\n", row / 2, row % 2,
                probability.value().at({row, 0}));
  }
}
