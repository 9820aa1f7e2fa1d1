#include "lamarck/data/rows.h"

#include <algorithm>
#include <cstring>

#include "lamarck/base/ensure.h"

namespace lamarck::data {

std::size_t row_count(const Tensor& tensor, std::string_view operation) {
  if (tensor.rank() == 0) {
    throw_invalid_shape(
        operation, tensor.shape(),
        "it must have at least one axis, because a scalar has no rows");
  }
  return static_cast<std::size_t>(tensor.shape()[0]);
}

std::size_t row_size(const Tensor& tensor, std::string_view operation) {
  // Only for the check that there is a first axis.
  row_count(tensor, operation);
  std::size_t size = 1;
  for (std::size_t axis = 1; axis < tensor.rank(); ++axis) {
    size *= static_cast<std::size_t>(tensor.shape()[axis]);
  }
  return size;
}

void gather_rows(const Tensor& from, std::span<const std::size_t> indices,
                 Tensor& to) {
  const std::size_t count = row_count(from, "gather_rows");
  const std::size_t size = row_size(from, "gather_rows");
  REQUIRE(from.is_contiguous() && to.is_contiguous(),
          "gather_rows: both tensors must be contiguous.");
  REQUIRE(row_size(to, "gather_rows") == size &&
              row_count(to, "gather_rows") >= indices.size(),
          "gather_rows: the destination must have at least {} rows of {} "
          "numbers, got shape {}.",
          indices.size(), size, to.shape().to_string());
  const float* source = from.begin_of_data();
  float* target = to.begin_of_data();
  // Rows drawn at random come from main memory: ask for them ahead of time.
  constexpr std::size_t kAhead = 2;
  constexpr std::size_t kLine = 64 / sizeof(float);
  const auto prefetch = [&](std::size_t at) {
    if (at >= indices.size() || indices[at] >= count) return;
    const float* row = source + indices[at] * size;
    for (std::size_t i = 0; i < size; i += kLine) __builtin_prefetch(row + i);
  };
  for (std::size_t at = 0; at < std::min(kAhead, indices.size()); ++at) {
    prefetch(at);
  }
  for (std::size_t at = 0; at < indices.size(); ++at) {
    prefetch(at + kAhead);
    REQUIRE(indices[at] < count,
            "gather_rows: row indices must be below {}, got {}.", count,
            indices[at]);
    std::memcpy(target, source + indices[at] * size, size * sizeof(float));
    target += size;
  }
}

}  // namespace lamarck::data
