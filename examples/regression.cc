// Regression on Friedman's first function (1991): five inputs that matter, five
// that do not, and noise.

#include <cmath>
#include <cstdio>
#include <numbers>

#include "lamarck/data/data_loader.h"
#include "lamarck/data/metrics.h"
#include "lamarck/data/train_test_split.h"
#include "lamarck/nn/linear.h"
#include "lamarck/optim/optimizer.h"

using namespace lamarck;

data::Dataset friedman(std::int64_t rows, Rng& rng) {
  Tensor x = Tensor::rand({rows, 10}, rng);
  Tensor y = Tensor::zeros({rows, 1});
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto in = [&](std::int64_t j) { return x.at({i, j}); };
    const double wave = 10 * std::sin(std::numbers::pi * in(0) * in(1));
    const double bowl = 20 * (in(2) - 0.5) * (in(2) - 0.5);
    y.at({i, 0}) =
        static_cast<float>(wave + bowl + 10 * in(3) + 5 * in(4) + rng.normal());
  }
  return {x, y};
}

int main() {
  Rng rng(1);
  const auto [train, test] =
      data::train_test_split(friedman(2000, rng), {.seed = 1});
  data::DataLoader loader(train, {.batch_size = 50, .shuffle = true});

  Graph graph(42);
  const Var x = graph.zeros({50, 10});
  const Var y = graph.zeros({50, 1});
  const nn::Linear hidden(graph, 10, 64, "hidden");
  const nn::Linear out(graph, 64, 1, "out");
  const Var prediction = out(hidden(x).relu());
  const Var loss = prediction.mse(y);
  optim::Adam adam(nn::parameters(hidden, out), 5e-3f);
  for (int epoch = 0; epoch < 60; ++epoch) {
    for (auto [inputs, targets] : loader) {
      x.set_value(inputs);
      y.set_value(targets);
      adam.minimize(loss);
    }
  }

  x.set_value(test.inputs());
  prediction.forward();
  const double r2 = data::r2(prediction.value(), test.targets());
  std::printf("R2 %.3f on %zu unseen rows.\n", r2, test.size());
  return r2 >= 0.7 ? 0 : 1;
}
