#include "lamarck/graph/internal/buffer_planner.h"

#include <algorithm>

#include "lamarck/base/ensure.h"

namespace lamarck {
namespace {

// A cache line of floats: buffers begin at whole ones.
constexpr std::int64_t kAlignment = 16;

std::int64_t rounded_up(std::int64_t size) {
  return (size + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

BufferPlanner::Buffer BufferPlanner::take(std::int64_t size) {
  const std::int64_t wanted = rounded_up(size);
  Block* best = nullptr;
  for (Block& block : blocks_) {
    if (!block.is_free) continue;
    const bool fits = block.size >= wanted;
    const bool best_fits = best != nullptr && best->size >= wanted;
    // Among those that fit the smallest, else the largest, to be enlarged.
    if (best == nullptr || (fits && (!best_fits || block.size < best->size)) ||
        (!fits && !best_fits && block.size > best->size)) {
      best = &block;
    }
  }
  if (best == nullptr) {
    blocks_.push_back({wanted, false});
    return blocks_.size() - 1;
  }
  best->size = std::max(best->size, wanted);
  best->is_free = false;
  return static_cast<Buffer>(best - blocks_.data());
}

void BufferPlanner::release(Buffer buffer) {
  ENSURE(!blocks_[buffer].is_free, "a buffer is released once");
  blocks_[buffer].is_free = true;
}

std::vector<std::int64_t> BufferPlanner::offsets() const {
  std::vector<std::int64_t> offsets = {0};
  for (const Block& block : blocks_) {
    offsets.push_back(offsets.back() + block.size);
  }
  return offsets;
}

}  // namespace lamarck
