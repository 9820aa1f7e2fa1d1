// How well convolutions, pooling and the gates of recurrent cells use the
// machine; see kernels_bench.cc.

#include <functional>
#include <string>
#include <utility>

#include "lamarck/tensor/convolution.h"
#include "lamarck/tensor/gate_kernels.h"
#include "lamarck/tensor/pooling.h"
#include "bench/machine_limits.h"

namespace lamarck {
namespace {

using bench::add_benchmark;

constexpr double kFloat = sizeof(float);

float* floats(std::int64_t count) {
  return bench::floats(static_cast<std::size_t>(count));
}

// 3 x 3 kernels on square images, in batches of 64.
void add_convolution(std::int64_t channels, std::int64_t outputs,
                     std::int64_t side) {
  const WindowAxis axis{.size = side, .kernel = 3, .padding = 1};
  const Convolution of{.batch = 64,
                       .channels = channels,
                       .outputs = outputs,
                       .y = axis,
                       .x = axis};
  const std::int64_t x_size = 64 * channels * side * side;
  const std::int64_t y_size = 64 * outputs * side * side;
  const std::int64_t kernel_size = outputs * channels * 9;
  float* x = floats(x_size);
  float* y = floats(y_size);
  float* kernels = floats(kernel_size);
  float* scratch = floats(convolution_scratch(of));
  const double bytes =
      kFloat * static_cast<double>(x_size + y_size + kernel_size);
  const double flops = 2.0 * static_cast<double>(y_size * channels * 9);
  const std::string size = "/" + std::to_string(channels) + "-" +
                           std::to_string(outputs) + "x" + std::to_string(side);
  add_benchmark({"BM_Convolve" + size, bytes, flops,
                 [=] { convolve(of, x, kernels, nullptr, y, scratch); }});
  add_benchmark(
      {"BM_ConvolutionInputGradient" + size, bytes, flops,
       [=] { convolution_input_gradient(of, y, kernels, x, false, scratch); }});
  add_benchmark({"BM_ConvolutionWeightGradient" + size, bytes, flops, [=] {
                   convolution_weight_gradient(of, x, y, {.kernels = kernels},
                                               scratch);
                 }});
}

// 2 x 2 windows on 512 images of 28 x 28.
void add_pooling() {
  constexpr std::int64_t kIn = 512 * 28 * 28;
  constexpr std::int64_t kOut = kIn / 4;
  const WindowAxis axis{.size = 28, .kernel = 2, .stride = 2};
  const Pooling of{.planes = 512, .y = axis, .x = axis};
  float* x = floats(kIn);
  float* y = floats(kOut);
  float* where = floats(kOut);
  const auto add = [](const std::string& name, std::int64_t moved,
                      std::function<void()> run) {
    add_benchmark({name, kFloat * static_cast<double>(moved),
                   static_cast<double>(kIn), std::move(run)});
  };
  add("BM_MaxPool", kIn + 2 * kOut, [=] { max_pool(of, x, y, where); });
  add("BM_MaxPoolGradient", kIn + 2 * kOut,
      [=] { max_pool_gradient(of, where, y, x, false); });
  add("BM_AveragePool", kIn + kOut, [=] { average_pool(of, x, y); });
  add("BM_AveragePoolGradient", kIn + kOut,
      [=] { average_pool_gradient(of, y, x, false); });
}

// One step of 32 units for 16 sequences. For each unit, `moved` floats are read
// or written and `flops` operations are done, where an activation counts as
// one.
void add_gates(const std::string& name, int moved, int flops,
               std::function<void()> run) {
  constexpr double kUnits = 16 * 32;
  add_benchmark(
      {name, kFloat * kUnits * moved, kUnits * flops, std::move(run)});
}

void add_all_gates() {
  const GateStep step{.batch = 16, .hidden = 32};
  const auto units = [](std::int64_t each) { return floats(16 * 32 * each); };
  const float* bias = floats(4 * 32L);
  float* sums = units(4);
  float* more = units(4);
  float* dy = units(2);
  float* h = units(1);
  float* c = units(1);
  float* before = units(1);
  float* state = units(1);
  add_gates("BM_RnnGates", 2, 2,
            [=] { rnn_gates(step, sums, bias, before, h); });
  add_gates("BM_RnnGatesBack", 5, 4,
            [=] { rnn_gates_back(step, before, dy, h, sums); });
  const LstmGates lstm{sums, bias, before, before, h, c, state, units(2)};
  add_gates("BM_LstmGates", 14, 13, [=] { lstm_gates(step, lstm); });
  const LstmGatesBack lstm_back{sums, state, before, dy, h, c, more};
  add_gates("BM_LstmGatesBack", 16, 24,
            [=] { lstm_gates_back(step, lstm_back); });
  const GruGates gru{sums, more, bias, bias, before, h, state};
  add_gates("BM_GruGates", 12, 15, [=] { gru_gates(step, gru); });
  const GruGatesBack gru_back{sums, state, before, dy, h, more, units(3)};
  add_gates("BM_GruGatesBack", 14, 20, [=] { gru_gates_back(step, gru_back); });
}

[[maybe_unused]] const bool kRegistered = [] {
  add_convolution(1, 8, 28);
  add_convolution(8, 16, 14);
  add_convolution(32, 32, 14);
  add_pooling();
  add_all_gates();
  return true;
}();

}  // namespace
}  // namespace lamarck
