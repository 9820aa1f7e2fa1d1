// The training steps of training_bench.cc with LibTorch. Built and run by
// bench/graph_bench; prints "NAME NANOSECONDS" in CPU time, the best of ten
// rounds.

#include <torch/torch.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec);
}

// Returns the mean seconds per step.
template <class F>
double timed(int steps, F&& step) {
  const double start = cpu_seconds();
  for (int i = 0; i < steps; ++i) step();
  return (cpu_seconds() - start) / steps;
}

// Each round takes as long as one of Google Benchmark for our side.
template <class F>
void report(const char* name, F&& step) {
  constexpr double kRoundSeconds = 0.03;
  timed(3, step);
  const int steps = 1 + static_cast<int>(kRoundSeconds / timed(3, step));
  double best = 1e30;
  for (int round = 0; round < 10; ++round) {
    best = std::min(best, timed(steps, step));
  }
  std::printf("%s %.1f\n", name, best * 1e9);
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
    report("BM_TinyAdamStep", [&] {
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
    report("BM_DigitsAdamStep", [&] {
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
    report("BM_LstmAdamStep", [&] {
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
    report("BM_CnnAdamStep", [&] {
      adam.zero_grad();
      auto loss = torch::nn::functional::cross_entropy(net->forward(x), y);
      loss.backward();
      adam.step();
    });
  }
}
