// Measures how close the optimizers' updates come to the machine's limits. The
// smallest count fits the inner caches, the next is that of a 784-128-10
// network, and the largest streams from memory.

#include "lamarck/optim/update_kernels.h"

#include <array>
#include <functional>
#include <string>

#include "bench/machine_limits.h"

namespace lamarck::optim {
namespace {

constexpr double kFloat = sizeof(float);

struct Arrays {
  explicit Arrays(std::size_t size) : count(size) {}

  std::size_t count;
  float* gradient = bench::floats(count);
  float* mean = bench::floats(count);
  float* square = bench::floats(count);
  float* weight = bench::floats(count);
};

const std::array kArrays = {Arrays(4096), Arrays(101'770), Arrays(1 << 22)};

// Each element reads the gradient, reads and writes `kept` floats, and takes
// `flops` operations.
void add_update(const std::string& name, int kept, int flops,
                const std::function<void(const Arrays&)>& update) {
  for (const Arrays& arrays : kArrays) {
    const auto count = static_cast<double>(arrays.count);
    bench::add_benchmark({name + "/" + std::to_string(arrays.count),
                          kFloat * count * (1 + 2 * kept), count * flops,
                          [=] { update(arrays); },
                          kFloat * count * (1 + kept)});
  }
}

[[maybe_unused]] const bool kRegistered = [] {
  add_update("BM_SgdUpdate", 2, 6, [](const Arrays& at) {
    sgd_update({.rate = 1e-6f, .momentum = 0.9f}, at.gradient, at.mean,
               at.weight, at.count);
  });
  add_update("BM_AdamUpdate", 3, 14, [](const Arrays& at) {
    adam_update(
        {.rate = 1e-6f, .beta1 = 0.9f, .beta2 = 0.999f, .epsilon = 1e-8f},
        at.gradient, at.mean, at.square, at.weight, at.count);
  });
  add_update("BM_RmspropUpdate", 2, 10, [](const Arrays& at) {
    rmsprop_update({.rate = 1e-6f, .decay = 0.99f, .epsilon = 1e-8f},
                   at.gradient, at.square, at.weight, at.count);
  });
  return true;
}();

}  // namespace
}  // namespace lamarck::optim
