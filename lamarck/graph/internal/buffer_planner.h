// Decides which values share memory. A value takes a buffer for as long as it
// is needed; after that, the buffer is free for another value.

#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace lamarck {

class BufferPlanner {
 public:
  using Buffer = std::size_t;

  // Takes a buffer for `size` floats: the smallest free buffer that is large
  // enough, else the largest free one, enlarged, else a new one. Prefers the
  // oldest of several equal buffers.
  Buffer take(std::int64_t size);
  // Makes the buffer free again. REQUIRES: it is taken.
  void release(Buffer buffer);

  // The offset of each buffer, in floats, followed by the total size. Call it
  // last: `take` may still enlarge buffers.
  std::vector<std::int64_t> offsets() const;

 private:
  struct Block {
    std::int64_t size = 0;
    bool is_free = false;
  };
  std::vector<Block> blocks_;
  std::set<std::pair<std::int64_t, Buffer>> free_;  // Sorted by size.
};

}  // namespace lamarck
