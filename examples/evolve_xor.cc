// Evolves a network for XOR, starting without hidden nodes.

#include <cstdio>

#include "lamarck/evolution/evolution.h"
#include "lamarck/evolution/supervised_task.h"

using namespace lamarck;
using namespace lamarck::evolution;

int main() {
  const data::Dataset rows(Tensor::rows({{0, 0}, {0, 1}, {1, 0}, {1, 1}}),
                           Tensor::rows({{0}, {1}, {1}, {0}}));

  const Graph trained =
      Evolution{.network = minimal_network(2, 1),
                .task = SupervisedTask(rows, rows, Metric::Accuracy),
                .options = {.target_metric = 1}}
          .run()
          .value()
          .graph;

  const Var output = trained.named("output");
  trained.named("input").set_value(rows.inputs());
  output.forward();
  for (int row = 0; row < 4; ++row) {
    std::printf("%d xor %d: %.0f\n", row / 2, row % 2,
                output.value().at({row, 0}));
  }
}
