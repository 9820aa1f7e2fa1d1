// What this machine can do, measured: kernels are judged by it.

#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <functional>
#include <string>

namespace lamarck::bench {

// Bytes that one core reads and writes in a second when it does y += 2 x over
// arrays of so many bytes together: as fast as the cache in which they fit. (A
// memcpy may be 30 times slower: where it becomes `rep movsb` and the target
// lies just behind the source modulo 4096.)
double streaming_bandwidth(std::size_t bytes);

// So many of this value, aligned, until the program ends.
float* floats(std::size_t count, float value = 0.5f);

// One call of a kernel.
struct Kernel {
  std::string name;
  double bytes = 0;  // Read and written.
  double flops = 0;  // At least one for each element.
  std::function<void()> run;
  double footprint = 0;  // Bytes of the arrays, if some are read and written.
};

// Reports GB/s and GFLOP/s, and which share of the limits they are.
void add_benchmark(const Kernel& kernel);

}  // namespace lamarck::bench
