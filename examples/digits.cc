// Classifies handwritten digits of 8 x 8 pixels with an accuracy of 97 %.
//
//   digits tests/data/digits.csv

#include <cstdio>

#include "lamarck/data/csv.h"
#include "lamarck/data/data_loader.h"
#include "lamarck/data/metrics.h"
#include "lamarck/data/normalisation.h"
#include "lamarck/data/to_dataset.h"
#include "lamarck/data/train_test_split.h"
#include "lamarck/nn/linear.h"
#include "lamarck/optim/optimizer.h"

using namespace lamarck;

int main(int count, char** arguments) {
  const auto table =
      data::read_csv(count > 1 ? arguments[1] : "tests/data/digits.csv");
  if (!table) {
    std::fprintf(stderr, "%s\n", table.error().message().c_str());
    return 1;
  }
  const auto digits =
      data::to_dataset(
          *table, {.target = "digit", .target_kind = data::TargetKind::Classes})
          .value();
  const auto [train, test] = data::train_test_split(
      digits, {.test_fraction = 0.25, .seed = 1, .stratify = true});
  const auto scaling = data::Normalization::fit(train.inputs());
  data::DataLoader loader(
      data::Dataset(scaling.apply(train.inputs()), train.targets()),
      {.batch_size = 32, .shuffle = true, .seed = 1});

  Graph graph(42);
  const Var x = graph.zeros({32, 64});
  const Var y = graph.zeros({32, 10});
  const nn::Linear hidden(graph, 64, 128, "hidden");
  const nn::Linear out(graph, 128, 10, "out");
  const Var logits = out(hidden(x).relu());
  const Var loss = logits.cross_entropy(y);
  optim::AdamW adam(nn::parameters(hidden, out), 1e-3f,
                    {.weight_decay = 0.05f});
  for (int epoch = 0; epoch < 40; ++epoch) {
    for (auto [images, labels] : loader) {
      x.set_value(images);
      y.set_value(labels);
      adam.minimize(loss);
    }
  }

  x.set_value(scaling.apply(test.inputs()));
  logits.forward();
  const double accuracy = data::accuracy(logits.value(), test.targets());
  std::printf("%.1f %% of %zu digits are classified correctly.\n",
              100 * accuracy, test.size());
  return accuracy >= 0.97 ? 0 : 1;
}
