// The peak speed of this machine, and the speed of our kernels.

#pragma once

#include <functional>
#include <string>
#include <vector>

namespace lamarck {

// Floating-point operations per second of one core that does nothing but fused
// multiply-adds with the instruction set in use. The first call measures it,
// which takes about 0.1 s.
double peak_flops();

// The CPU time of this thread so far.
double thread_cpu_seconds();

// Returns the highest rate in `tries` calls of `run`, which returns the amount
// of work done: work per CPU second of this thread.
double best_rate(int tries, const std::function<double()>& run);

struct KernelSpeed {
  std::string name;  // "product 256x256x256": rows, inner size, columns.
  double flops = 0;  // Per second, on one core.
};

// Measures matrix products and a convolution; takes less than a second.
std::vector<KernelSpeed> measure_kernels();

}  // namespace lamarck
