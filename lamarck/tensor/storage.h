// Contiguous floats, aligned for the widest vectors.

#pragma once

#include <cstdint>
#include <memory>

namespace lamarck {

inline constexpr std::size_t kFloatAlignment = 64;  // Bytes.

struct FreeAligned {
  void operator()(float* data) const;
};

// `count` uninitialized floats; throws std::bad_alloc.
using FloatBuffer = std::unique_ptr<float[], FreeAligned>;
FloatBuffer allocate_floats(std::int64_t count);

}  // namespace lamarck
