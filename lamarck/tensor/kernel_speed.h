// How fast this machine computes, and how much of that our kernels use.

#pragma once

#include <functional>
#include <string>
#include <vector>

namespace lamarck {

// Floating-point operations a second of one core that does nothing but fused
// multiply-adds with the instruction set in use. Measured at the first call,
// which takes about 0.1 s.
double peak_flops();

// CPU time of this thread.
double thread_cpu_seconds();

// The highest rate in `tries` calls of `run`, which returns the work done: work
// per CPU second of this thread.
double best_rate(int tries, const std::function<double()>& run);

struct KernelSpeed {
  std::string name;  // "product 256x256x256": rows, inner size, columns.
  double flops = 0;  // A second, on one core.
};

// Products of matrices and a convolution; takes less than a second.
std::vector<KernelSpeed> measure_kernels();

}  // namespace lamarck
