// Decides which values share memory: a buffer is taken for as long as a value
// is needed, and given to another one after.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lamarck {

class BufferPlanner {
 public:
  using Buffer = std::size_t;

  // The smallest free buffer that is large enough, or else a new or enlarged
  // one.
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
};

}  // namespace lamarck
