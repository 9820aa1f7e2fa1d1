// Decides which values share memory: a buffer is taken for as long as a value
// is needed, and given to another one after.

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

  // The smallest free buffer that is large enough, or else the largest one,
  // enlarged, or a new one if none is free. Among equals the oldest.
  Buffer take(std::int64_t size);
  void release(Buffer buffer);

  // Once everything is taken: where each buffer begins, and behind them the
  // size of all.
  std::vector<std::int64_t> offsets() const;

 private:
  struct Block {
    std::int64_t size = 0;
    bool is_free = false;
  };
  std::vector<Block> blocks_;
  std::set<std::pair<std::int64_t, Buffer>> free_;  // By size.
};

}  // namespace lamarck
