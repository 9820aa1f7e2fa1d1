// The steps of training_bench.cc as a user of LibTorch writes them. Built and
// run by bench/run_peers.py; prints "NAME NANOSECONDS", the best of many.

#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace {

template <class F>
void report(const char* name, int rounds, int steps, F&& step) {
  double best = 1e30;
  for (int round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < steps; ++i) step();
    const std::chrono::duration<double, std::nano> took =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count() / steps);
  }
  std::printf("%s %.1f\n", name, best);
}

}  // namespace

int main() {
  torch::manual_seed(1);
  torch::set_num_threads(1);
  {
    auto x =
        torch::tensor({0.f, 0.f, 0.f, 1.f, 1.f, 0.f, 1.f, 1.f}).reshape({4, 2});
    auto y = torch::tensor({0.f, 1.f, 1.f, 0.f}).reshape({4, 1});
    torch::nn::Sequential net(torch::nn::Linear(2, 8), torch::nn::Tanh(),
                              torch::nn::Linear(8, 1));
    torch::optim::Adam adam(net->parameters(), 1e-3);
    report("BM_TinyAdamStep", 10, 500, [&] {
      adam.zero_grad();
      auto loss = torch::mse_loss(net->forward(x), y);
      loss.backward();
      adam.step();
    });
  }
  {
    auto x = torch::rand({64, 784});
    auto y = torch::randint(10, {64});
    torch::nn::Sequential net(torch::nn::Linear(784, 128), torch::nn::ReLU(),
                              torch::nn::Linear(128, 10));
    torch::optim::Adam adam(net->parameters(), 1e-3);
    report("BM_DigitsAdamStep", 10, 60, [&] {
      adam.zero_grad();
      auto loss = torch::nn::functional::cross_entropy(net->forward(x), y);
      loss.backward();
      adam.step();
    });
  }
  {
    auto x = torch::rand({16, 16, 32});
    auto y = torch::randint(10, {16});
    torch::nn::LSTM lstm(torch::nn::LSTMOptions(32, 32));
    torch::nn::Linear out(32, 10);
    auto parameters = lstm->parameters();
    for (auto& parameter : out->parameters()) parameters.push_back(parameter);
    torch::optim::Adam adam(parameters, 1e-3);
    report("BM_LstmAdamStep", 10, 100, [&] {
      adam.zero_grad();
      auto hidden = std::get<0>(lstm->forward(x));
      auto loss =
          torch::nn::functional::cross_entropy(out->forward(hidden[15]), y);
      loss.backward();
      adam.step();
    });
  }
  {
    auto x = torch::rand({64, 1, 28, 28});
    auto y = torch::randint(10, {64});
    using Conv = torch::nn::Conv2dOptions;
    torch::nn::Sequential net(torch::nn::Conv2d(Conv(1, 8, 3).padding(1)),
                              torch::nn::ReLU(), torch::nn::MaxPool2d(2),
                              torch::nn::Conv2d(Conv(8, 16, 3).padding(1)),
                              torch::nn::ReLU(), torch::nn::MaxPool2d(2),
                              torch::nn::Flatten(), torch::nn::Linear(784, 10));
    torch::optim::Adam adam(net->parameters(), 1e-3);
    report("BM_CnnAdamStep", 10, 20, [&] {
      adam.zero_grad();
      auto loss = torch::nn::functional::cross_entropy(net->forward(x), y);
      loss.backward();
      adam.step();
    });
  }
}
