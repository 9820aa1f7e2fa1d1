// Trains a classifier on a CSV table with text columns and missing cells.

#include <cstdio>

#include "lamarck/data/csv.h"
#include "lamarck/data/data_loader.h"
#include "lamarck/data/metrics.h"
#include "lamarck/data/normalisation.h"
#include "lamarck/data/to_dataset.h"
#include "lamarck/nn/linear.h"
#include "lamarck/optim/optimizer.h"

using namespace lamarck;

constexpr const char* kFlowers = R"(petal_length;petal_width;garden;species
1.4;0.2;north;setosa
1.3;0.3;south;setosa
1.7;0.4;south;setosa
4.7;1.4;north;versicolor
4.0;1.3;north;versicolor
NA;1.5;south;versicolor
3.5;1.0;south;versicolor
6.0;2.5;north;virginica
5.9;2.1;south;virginica
5.6;1.8;north;virginica
)";

int main() {
  const auto table = data::parse_csv(kFlowers).value();
  const auto raw =
      data::to_dataset(
          table, {.target = "species", .missing = data::MissingCells::Mean})
          .value();
  const auto scaling = data::Normalization::fit(raw.inputs());
  const data::Dataset flowers(scaling.apply(raw.inputs()), raw.targets(),
                              raw.names());
  data::DataLoader loader(flowers, {.batch_size = 4, .shuffle = true});

  Graph graph(42);
  const Var x = graph.input(flowers.inputs());
  const Var y = graph.input(flowers.targets());
  const nn::Linear layer(graph, 4, 3, "layer");
  const Var logits = layer(x);
  const Var loss = logits.cross_entropy(y);
  optim::Adam adam(nn::parameters(layer), 0.05f);
  for (int epoch = 0; epoch < 100; ++epoch) {
    for (auto [inputs, targets] : loader) {
      x.set_value(inputs);
      y.set_value(targets);
      adam.minimize(loss);
    }
  }

  x.set_value(flowers.inputs());
  logits.forward();
  const data::ConfusionMatrix matrix(logits.value(), flowers.targets());
  std::printf("%s", matrix.to_string(flowers.class_names()).c_str());
}
