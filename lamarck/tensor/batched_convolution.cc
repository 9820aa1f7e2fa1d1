#include "lamarck/tensor/batched_convolution.h"

#include <algorithm>

#include "lamarck/tensor/vector_math.h"
#include "lamarck/tensor/worker_scope.h"

namespace lamarck {
namespace {

constexpr std::int64_t kMaxImageParts = 4;
constexpr std::int64_t kMinImagesPerPart = 4;

std::int64_t part_count(const Convolution& c) {
  return std::clamp<std::int64_t>(c.batch / kMinImagesPerPart, 1,
                                  kMaxImageParts);
}

std::int64_t kernels_size(const Convolution& c) {
  return c.outputs * (c.channels / c.groups) * c.y.kernel * c.x.kernel;
}

// The size of the sums that the gradient of the weights has for each part.
std::int64_t sums_size(const Convolution& c) {
  return kernels_size(c) + c.outputs;
}

// One part of the batch.
struct Part {
  Convolution convolution;
  std::int64_t x_begin = 0;
  std::int64_t y_begin = 0;
  float* scratch = nullptr;
  float* sums = nullptr;
};

template <class F>
void for_each_convolution(const Convolution& c, float* scratch, F&& work) {
  const std::int64_t parts = part_count(c);
  const std::int64_t work_size = convolution_scratch(c);
  float* const sums = scratch + parts * work_size;
  // A single thread reuses the scratch memory of the first part, which stays in
  // the cache.
  const bool has_workers = WorkerScope::pool() != nullptr;
  for_each_part(static_cast<std::size_t>(parts), [&](std::size_t i) {
    const auto at = static_cast<std::int64_t>(i);
    const std::int64_t begin = c.batch * at / parts;
    Part part{.convolution = c};
    part.convolution.batch = c.batch * (at + 1) / parts - begin;
    part.x_begin = begin * c.channels * c.y.size * c.x.size;
    part.y_begin = begin * c.outputs * c.y.positions() * c.x.positions();
    part.scratch = scratch + (has_workers ? at * work_size : 0);
    part.sums = sums + at * sums_size(c);
    work(part);
  });
}

}  // namespace

std::int64_t batched_scratch(const Convolution& c) {
  return part_count(c) * (convolution_scratch(c) + sums_size(c));
}

void convolve_batch(const Convolution& c, const float* x, const float* kernels,
                    const float* bias, float* y, float* scratch) {
  for_each_convolution(c, scratch, [&](const Part& part) {
    convolve(part.convolution, x + part.x_begin, kernels, bias,
             y + part.y_begin, part.scratch);
  });
}

void batch_input_gradient(const Convolution& c, const float* dy,
                          const float* kernels, float* dx, bool accumulate,
                          float* scratch) {
  for_each_convolution(c, scratch, [&](const Part& part) {
    convolution_input_gradient(part.convolution, dy + part.y_begin, kernels,
                               dx + part.x_begin, accumulate, part.scratch);
  });
}

void batch_weight_gradient(const Convolution& c, const float* x,
                           const float* dy, const ConvolutionSums& sums,
                           float* scratch) {
  const std::int64_t kernels = kernels_size(c);
  for_each_convolution(c, scratch, [&](const Part& part) {
    std::fill_n(part.sums, sums_size(c), 0.0f);
    convolution_weight_gradient(
        part.convolution, x + part.x_begin, dy + part.y_begin,
        {.kernels = sums.kernels == nullptr ? nullptr : part.sums,
         .bias = sums.bias == nullptr ? nullptr : part.sums + kernels},
        part.scratch);
  });
  // Add the parts in a fixed order, so that the result does not depend on which
  // thread finishes first.
  const float* given = scratch + part_count(c) * convolution_scratch(c);
  for (std::int64_t part = 0; part < part_count(c); ++part) {
    if (sums.kernels != nullptr) {
      add_to(given, sums.kernels, static_cast<std::size_t>(kernels));
    }
    if (sums.bias != nullptr) {
      add_to(given + kernels, sums.bias, static_cast<std::size_t>(c.outputs));
    }
    given += sums_size(c);
  }
}

}  // namespace lamarck
