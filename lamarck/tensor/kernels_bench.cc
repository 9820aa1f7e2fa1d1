// How well the kernels use the machine: bytes and operations per second, and
// their fraction of the limits that bench/machine_limits.h measures. One
// element of an elementwise kernel counts as one operation, however long it
// takes.

#include <cstring>
#include <functional>
#include <string>
#include <utility>

#include "lamarck/tensor/binary_ops.h"
#include "lamarck/tensor/dropout.h"
#include "lamarck/tensor/gemm.h"
#include "lamarck/tensor/reductions.h"
#include "lamarck/tensor/unary_ops.h"
#include "lamarck/tensor/vector_math.h"
#include "bench/machine_limits.h"

namespace lamarck {
namespace {

using bench::add_benchmark;
using bench::floats;

constexpr std::size_t kCount = 4096;  // Three arrays fit the L1 and L2 caches.
constexpr double kFloat = sizeof(float);

// `arrays` is the number of arrays of kCount floats that are read or written.
void add_elementwise(const std::string& name, int arrays,
                     std::function<void()> run) {
  add_benchmark({name, kFloat * arrays * kCount, kCount, std::move(run)});
}

void add_unary(const UnaryOp& op) {
  const float* x = floats(kCount);
  const float* dy = floats(kCount);
  float* y = floats(kCount);
  const float* parameters = op.default_parameters.data();
  const std::string name(op.name);
  const int slope_reads = int{op.slope_reads_x} + int{op.slope_reads_y};
  add_elementwise("BM_Unary/" + name, 2,
                  [=, &op] { op.value(x, y, kCount, parameters); });
  add_elementwise("BM_UnaryGradient/" + name, 2 + slope_reads, [=, &op] {
    op.gradient(x, x, dy, y, kCount, parameters, false);
  });
}

void add_binary(const BinaryOp& op) {
  const float* a = floats(kCount);
  const float* b = floats(kCount, 2);
  float* y = floats(kCount);
  add_elementwise("BM_Binary/" + std::string(op.name), 3,
                  [=, &op] { op.value(a, 1, b, 1, y, kCount); });
}

void add_loops(std::size_t count) {
  const float* x = floats(count);
  float* y = floats(count);
  const auto n = static_cast<double>(count);
  const std::string size = "/" + std::to_string(count);
  add_benchmark({"BM_Memcpy" + size, 2 * kFloat * n, 0,
                 [=] { std::memcpy(y, x, count * sizeof(float)); }});
  add_benchmark({"BM_AddTo" + size, 3 * kFloat * n, n,
                 [=] { add_to(x, y, count); }, 2 * kFloat * n});
  add_benchmark({"BM_Dot" + size, 2 * kFloat * n, 2 * n,
                 [=] { benchmark::DoNotOptimize(dot(x, y, count)); }});
}

void add_reduction(const std::string& name, Reduction reduction) {
  const float* x = floats(kCount);
  const float* dy = floats(64);
  float* y = floats(64);
  float* dx = floats(kCount);
  for (const std::size_t axis : {0u, 1u}) {
    const AxisView view(Shape{64, 64}, axis);
    const std::string of = name + "/axis:" + std::to_string(axis);
    add_elementwise("BM_Reduce" + of, 1,
                    [=] { reduce(reduction, view, x, y); });
    add_elementwise("BM_ReduceGradient" + of, 1, [=] {
      reduce_gradient(reduction, view, x, y, dy, dx, false);
    });
  }
}

// The same calls as the softmax operation of the graph.
void add_softmax(std::size_t size) {
  const float* x = floats(kCount);
  float* y = floats(kCount);
  const auto done = static_cast<double>(kCount / size * size);
  add_benchmark({"BM_SoftmaxRows/" + std::to_string(size), 2 * kFloat * done,
                 4 * done, [=] {
                   for (std::size_t i = 0; i + size <= kCount; i += size) {
                     const float largest = max_of(x + i, size);
                     const float sum = exp_shifted(x + i, largest, y + i, size);
                     scale(1 / sum, y + i, y + i, size);
                   }
                 }});
}

void add_gemm(const std::string& name, const Gemm& shape) {
  const auto size = [](std::int64_t rows, std::int64_t columns) {
    return static_cast<std::size_t>(rows * columns);
  };
  const std::size_t a_size = size(shape.m, shape.k);
  const std::size_t b_size = size(shape.k, shape.n);
  const std::size_t c_size = size(shape.m, shape.n);
  const float* a = floats(a_size);
  const float* b = floats(b_size);
  float* c = floats(c_size);
  add_benchmark({"BM_Gemm/" + name,
                 kFloat * static_cast<double>(a_size + b_size + c_size),
                 2 * static_cast<double>(shape.m * shape.n * shape.k),
                 [=] { gemm(shape, a, b, c); }});
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const std::size_t count : {kCount, std::size_t{1} << 22}) {
    add_loops(count);
  }
  for (const UnaryOp& op : unary_ops()) add_unary(op);
  for (const BinaryOp& op : binary_ops()) add_binary(op);
  add_elementwise("BM_DropOut", 2, [x = floats(kCount), y = floats(kCount)] {
    drop_out({.key = 1, .probability = 0.5f}, x, y, kCount);
  });
  add_reduction("Sum", Reduction::Sum);
  add_reduction("Mean", Reduction::Mean);
  add_reduction("Max", Reduction::Max);
  add_reduction("Min", Reduction::Min);
  for (const std::size_t size : {10u, 64u, 1024u}) add_softmax(size);
  for (const std::int64_t n : {4, 8, 12, 16, 32, 64, 128, 256, 512}) {
    add_gemm(std::to_string(n), {.m = n, .n = n, .k = n});
  }
  // The first layer of a 784-128-10 network at batch size 64: the forward pass,
  // and the gradient of its weights.
  add_gemm("64x784x128", {.m = 64, .n = 128, .k = 784});
  add_gemm("784x64x128/transposed",
           {.m = 784, .n = 128, .k = 64, .transpose_a = true});
  return true;
}();

}  // namespace
}  // namespace lamarck
