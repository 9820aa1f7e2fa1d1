// Grows a model that was written and trained by hand: its layers become a
// network, evolution improves it, and the program uses the result in the same
// graph.

#include <cstdio>

#include "lamarck/evolution/convert/graph_conversion.h"
#include "lamarck/evolution/evolution.h"
#include "lamarck/evolution/supervised_task.h"
#include "lamarck/nn/linear.h"
#include "lamarck/nn/sequential.h"
#include "lamarck/optim/optimizer.h"

using namespace lamarck;
using namespace lamarck::evolution;

float loss_of(const Var& loss) {
  loss.forward();
  return loss.item();
}

int main() {
  Rng rng(1);
  const Tensor inputs = Tensor::uniform({200, 2}, -1, 1, rng);
  const Tensor targets =
      (inputs.select(1, 0) * inputs.select(1, 1) + pow(inputs.select(1, 0), 3))
          .reshape({-1, 1});
  Graph graph(1);
  const Var x = graph.input_named(inputs, "x");
  const Var y = graph.input(targets);
  const nn::Sequential net({nn::Linear(graph, 2, 3, "hidden"), &Var::tanh,
                            nn::Linear(graph, 3, 1, "out")});
  const Var before = net(x).mse(y);
  optim::Adam adam(net.parameters(), 0.02f);
  for (int step = 0; step < 400; ++step) adam.minimize(before);

  const GraphConversion model = convert_graph(net(x)).value();
  const data::Dataset rows(inputs, targets);
  const EvolutionResult result =
      Evolution{
          .network = model.network,
          .task = SupervisedTask(rows, rows, data::Metric::MeanSquaredError),
          .options = {.grain = Grain::Both, .budget = {.evaluations = 20}}}
          .run()
          .value();
  const Var evolved = model.add_to_graph(result.network, "evolved");
  const Var after = evolved.mse(y);
  const bool is_better = loss_of(after) < 0.5f * loss_of(before);
  std::printf("The evolved model is %s.\n", is_better ? "better" : "no better");
  return is_better ? 0 : 1;
}
