// Multi-task learning: a class and a number are learned from shared features.
// Each loss has its own backward pass, and the gradients add up in the shared
// layer.

#include <cmath>
#include <cstdio>

#include "lamarck/data/class_labels.h"
#include "lamarck/data/metrics.h"
#include "lamarck/nn/linear.h"
#include "lamarck/optim/optimizer.h"

using namespace lamarck;

int main() {
  // Points in the plane: whether they are inside the unit circle, and their
  // distance from the origin.
  Rng rng(1);
  const std::int64_t rows = 512;
  const Tensor points = Tensor::randn({rows, 2}, rng);
  Tensor inside = Tensor::zeros({rows, 2});
  Tensor radius = Tensor::zeros({rows, 1});
  for (std::int64_t i = 0; i < rows; ++i) {
    const float r = std::hypot(points.at({i, 0}), points.at({i, 1}));
    radius.at({i, 0}) = r;
    inside.at({i, r < 1 ? 1 : 0}) = 1;
  }

  Graph graph(42);
  const Var x = graph.input(points);
  const nn::Linear body(graph, 2, 32, "body");
  const nn::Linear classes(graph, 32, 2, "classes");
  const nn::Linear number(graph, 32, 1, "number");
  const Var features = body(x).tanh();
  const Var logits = classes(features);
  const Var distance = number(features);
  const Var class_loss = logits.cross_entropy(graph.input(inside));
  const Var number_loss = distance.mse(graph.input(radius));
  optim::Adam adam(nn::parameters(body, classes, number), 1e-2f);
  for (int step = 0; step < 600; ++step) {
    adam.zero_grad();
    class_loss.backward(true);  // Keeps the values that the second pass needs.
    number_loss.backward();
    adam.step();
  }

  logits.forward();
  distance.forward();
  const double accuracy = data::accuracy(logits.value(), inside);
  const double r2 = data::r2(distance.value(), radius);
  std::printf("%.1f %% of the classes are correct, R2 of the distance %.3f.\n",
              100 * accuracy, r2);
  return accuracy >= 0.97 && r2 >= 0.95 ? 0 : 1;
}
