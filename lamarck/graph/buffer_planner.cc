#include "lamarck/graph/internal/buffer_planner.h"

#include <algorithm>

#include "lamarck/base/ensure.h"

namespace lamarck {
namespace {

// A cache line of floats. Every buffer starts at a multiple of it.
constexpr std::int64_t kAlignment = 16;

std::int64_t rounded_up(std::int64_t size) {
  return (size + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

BufferPlanner::Buffer BufferPlanner::take(std::int64_t size) {
  const std::int64_t wanted = rounded_up(size);
  if (free_.empty()) {
    blocks_.push_back({wanted, false});
    return blocks_.size() - 1;
  }
  // Best fit. If nothing is large enough, growing the largest free buffer costs
  // the least memory.
  auto best = free_.lower_bound({wanted, 0});
  if (best == free_.end()) {
    const std::int64_t largest = free_.rbegin()->first;
    best = free_.lower_bound({largest, 0});
  }
  const Buffer buffer = best->second;
  free_.erase(best);
  blocks_[buffer].size = std::max(blocks_[buffer].size, wanted);
  blocks_[buffer].is_free = false;
  return buffer;
}

void BufferPlanner::release(Buffer buffer) {
  ENSURE(!blocks_[buffer].is_free, "a released buffer was taken");
  blocks_[buffer].is_free = true;
  free_.emplace(blocks_[buffer].size, buffer);
}

std::vector<std::int64_t> BufferPlanner::offsets() const {
  std::vector<std::int64_t> offsets = {0};
  for (const Block& block : blocks_) {
    offsets.push_back(offsets.back() + block.size);
  }
  return offsets;
}

}  // namespace lamarck
