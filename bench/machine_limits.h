// The measured limits of this machine, with which kernels are compared.

#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <functional>
#include <string>

namespace lamarck::bench {

// The bytes per second that one core reads and writes when it computes y += 2 x
// over arrays of `bytes` bytes in total, which is the speed of the cache that
// holds them. (A memcpy may be 30 times slower: when it becomes `rep movsb` and
// the target lies just behind the source modulo 4096.)
double streaming_bandwidth(std::size_t bytes);

// `count` aligned floats of this value, which live until the program ends.
float* floats(std::size_t count, float value = 0.5f);

// One call of a kernel.
struct Kernel {
  std::string name;
  double bytes = 0;  // Read and written.
  double flops = 0;  // At least one per element.
  std::function<void()> run;
  double footprint = 0;  // Bytes of all arrays, if it differs from `bytes`.
};

// Registers a benchmark that reports GB/s, GFLOP/s and their share of the
// limits.
void add_benchmark(const Kernel& kernel);

}  // namespace lamarck::bench
