// Trains a 784-128-10 network on MNIST for five epochs of Adam, like
// bench/peers/libtorch_mnist.cc. Prints "ACCURACY WALL_SECONDS CPU_SECONDS";
// the times include only the training.
//
//   mnist_training FOLDER SEED

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>

#include "lamarck/data/data_loader.h"
#include "lamarck/data/metrics.h"
#include "lamarck/nn/linear.h"
#include "lamarck/optim/optimizer.h"
#include "lamarck/optim/schedule.h"
#include "bench/mnist_files.h"

using namespace lamarck;

namespace {

constexpr int kEpochs = 5;
constexpr std::size_t kBatch = 64;

struct Network {
  explicit Network(std::uint64_t seed)
      : graph(seed),
        x(graph.zeros({kBatch, 784})),
        y(graph.zeros({kBatch, 10})),
        hidden(graph, 784, 128, "hidden"),
        out(graph, 128, 10, "out"),
        logits(out(hidden(x).relu())),
        loss(logits.cross_entropy(y)) {}

  Graph graph;
  Var x;
  Var y;
  nn::Linear hidden;
  nn::Linear out;
  Var logits;
  Var loss;
};

void train(const Network& net, data::DataLoader& loader) {
  optim::Adam adam(nn::parameters(net.hidden, net.out));
  const auto steps = static_cast<std::int64_t>(loader.batch_count());
  const optim::Schedule schedule("cosine",
                                 {.rate = 4e-3f, .steps = kEpochs * steps});
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    for (const auto& [images, labels] : loader) {
      net.x.set_value(images);
      net.y.set_value(labels);
      schedule.apply(adam);
      adam.minimize(net.loss);
    }
  }
}

double accuracy(const Network& net, const data::Dataset& test) {
  net.x.set_value(test.inputs());
  net.logits.forward();
  return data::accuracy(net.logits.value(), test.targets());
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: mnist_training FOLDER SEED\n");
    return 2;
  }
  const auto digits = read_mnist(arguments[1], "train");
  const auto test = read_mnist(arguments[1], "t10k");
  if (!digits || !test) {
    const Error& error = digits ? test.error() : digits.error();
    std::fprintf(stderr, "%s\n", error.message().c_str());
    return 1;
  }
  const std::uint64_t seed = std::strtoull(arguments[2], nullptr, 10);
  const Network net(seed);
  data::DataLoader loader(
      *digits, {.batch_size = kBatch, .shuffle = true, .seed = seed});

  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu_start = std::clock();
  train(net, loader);
  const std::clock_t cpu = std::clock() - cpu_start;
  const std::chrono::duration<double> wall =
      std::chrono::steady_clock::now() - start;

  std::printf("%.4f %.4f %.4f\n", accuracy(net, *test), wall.count(),
              static_cast<double>(cpu) / CLOCKS_PER_SEC);
}
