// The same training as bench/mnist_training.cc with LibTorch; prints the same
// line.
//
//   libtorch_mnist FOLDER SEED

#include <torch/torch.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

constexpr int kEpochs = 5;
constexpr int64_t kBatch = 64;
constexpr double kRate = 4e-3;

struct Digits {
  torch::Tensor images;  // [n, 784], from 0 to 1.
  torch::Tensor labels;  // [n]
};

Digits read_digits(const char* folder,
                   torch::data::datasets::MNIST::Mode part) {
  torch::data::datasets::MNIST files(folder, part);
  return {files.images().reshape({-1, 784}).contiguous(), files.targets()};
}

void train(torch::nn::Sequential& net, const Digits& digits) {
  torch::optim::Adam adam(net->parameters(), kRate);
  const int64_t count = digits.labels.size(0);
  const int64_t steps = kEpochs * ((count + kBatch - 1) / kBatch);
  int64_t step = 0;
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    for (const auto& rows : torch::randperm(count).split(kBatch)) {
      const auto x = digits.images.index_select(0, rows);
      const auto y = digits.labels.index_select(0, rows);
      const double rate = kRate / 2 *
                          (1 + std::cos(M_PI * static_cast<double>(step++) /
                                        static_cast<double>(steps)));
      adam.param_groups()[0].options().set_lr(rate);
      adam.zero_grad();
      auto loss = torch::nn::functional::cross_entropy(net->forward(x), y);
      loss.backward();
      adam.step();
    }
  }
}

double accuracy(torch::nn::Sequential& net, const Digits& test) {
  torch::NoGradGuard no_gradients;
  const auto right = net->forward(test.images).argmax(1).eq(test.labels);
  return right.to(torch::kDouble).mean().item<double>();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: libtorch_mnist FOLDER SEED\n");
    return 2;
  }
  using Mode = torch::data::datasets::MNIST::Mode;
  torch::set_num_threads(1);
  torch::manual_seed(std::strtoull(arguments[2], nullptr, 10));
  const Digits digits = read_digits(arguments[1], Mode::kTrain);
  const Digits test = read_digits(arguments[1], Mode::kTest);
  torch::nn::Sequential net(torch::nn::Linear(784, 128), torch::nn::ReLU(),
                            torch::nn::Linear(128, 10));

  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu_start = std::clock();
  train(net, digits);
  const std::clock_t cpu = std::clock() - cpu_start;
  const std::chrono::duration<double> wall =
      std::chrono::steady_clock::now() - start;

  std::printf("%.4f %.4f %.4f\n", accuracy(net, test), wall.count(),
              static_cast<double>(cpu) / CLOCKS_PER_SEC);
}
