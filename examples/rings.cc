// Trains a classifier, saves it with its optimizer, and continues from the
// file: the program of docs/howto/train-a-network.md.

#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "lamarck/data/data_loader.h"
#include "lamarck/data/metrics.h"
#include "lamarck/data/normalisation.h"
#include "lamarck/data/train_test_split.h"
#include "lamarck/graph/graph_file.h"
#include "lamarck/graph/onnx_export.h"
#include "lamarck/nn/dropout_layer.h"
#include "lamarck/nn/linear.h"
#include "lamarck/nn/norm_layers.h"
#include "lamarck/optim/optimizer.h"
#include "lamarck/optim/optimizer_file.h"

using namespace lamarck;

// Points in the plane; the class says whether they lie in a ring.
data::Dataset points() {
  Rng rng(1);
  const Tensor inputs = Tensor::randn({600, 2}, rng);
  Tensor targets = Tensor::zeros({600, 2});
  for (std::int64_t i = 0; i < 600; ++i) {
    const float radius = std::hypot(inputs.at({i, 0}), inputs.at({i, 1}));
    targets.at({i, radius > 0.7f && radius < 1.5f ? 1 : 0}) = 1;
  }
  return {inputs, targets};
}

struct Net : nn::Module {
  explicit Net(const Graph& graph)
      : hidden(graph, 2, 64, "hidden"),
        norm(graph, 64, "norm"),
        drop(graph, 0.1f, "drop"),
        out(graph, 64, 2, "out") {}

  Var operator()(const Var& x) const {
    return out(drop(norm(hidden(x)).relu()));
  }
  std::vector<const Module*> children() const override {
    return {&hidden, &norm, &drop, &out};
  }

  nn::Linear hidden;
  nn::BatchNorm norm;
  nn::Dropout drop;
  nn::Linear out;
};

int main() {
  const auto [train, test] = data::train_test_split(points());
  const auto scaling = data::Normalization::fit(train.inputs());
  data::DataLoader loader({scaling.apply(train.inputs()), train.targets()},
                          {.batch_size = 50, .shuffle = true});

  Graph graph(42);  // The seed determines the initial weights.
  const Var x = graph.input_named(Tensor::zeros({50, 2}), "x");
  const Var y = graph.input_named(Tensor::zeros({50, 2}), "y");
  const Net net(graph);
  const Var logits = net(x).set_name("logits");
  const Var loss = logits.cross_entropy(y).set_name("loss");

  optim::AdamW adam(net.parameters(), 0.02f);
  for (int epoch = 0; epoch < 150; ++epoch) {
    for (auto [inputs, targets] : loader) {
      x.set_value(inputs);
      y.set_value(targets);
      adam.minimize(loss);  // zero_grad, forward, backward, step.
    }
  }

  net.eval();
  x.set_value(scaling.apply(test.inputs()));
  y.set_value(test.targets());
  graph.no_grad([&] { loss.forward(); });
  const double share = data::accuracy(logits.value(), test.targets());
  std::printf("%.0f %% of unseen points are classified correctly.\n",
              100 * share);

  const auto folder = std::filesystem::temp_directory_path();
  const auto path = folder / "lamarck_rings.lamarck";
  ModelExtras extras;
  extras.notes["normalization"] = dump_json(scaling.to_json());
  optim::add_optimizer(extras, adam);
  save_model(path, graph, extras).value();

  const SavedModel loaded = load_model(path).value();
  const Graph& again = loaded.graph;
  optim::AdamW resumed(again.parameters());
  optim::restore_optimizer(loaded.extras, resumed).value();
  const auto note = parse_json(loaded.extras.notes.at("normalization")).value();
  const auto same_scaling = data::Normalization::from_json(note).value();

  again.named("x").set_value(same_scaling.apply(test.inputs()));
  again.named("logits").forward();
  const float difference =
      max_difference(again.named("logits").value(), logits.value());
  std::printf("The loaded model differs by %g after %d steps.\n", difference,
              static_cast<int>(resumed.steps_taken()));

  const auto onnx_path = folder / "lamarck_rings.onnx";
  export_onnx(onnx_path, std::array{logits}).value();

  std::filesystem::remove(path);
  std::filesystem::remove(onnx_path);
  return share > 0.9 && difference == 0 ? 0 : 1;
}
