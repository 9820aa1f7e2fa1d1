#include "lamarck/graph/internal/buffer_planner.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "lamarck/base/rng.h"

namespace lamarck {
namespace {

// The reference: searches all buffers each time.
class PlainPlanner {
 public:
  std::size_t take(std::int64_t size) {
    const std::int64_t wanted = (size + 15) / 16 * 16;
    std::size_t best = blocks_.size();
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (blocks_[i].is_free && is_better(i, best, wanted)) best = i;
    }
    if (best == blocks_.size()) blocks_.push_back({});
    blocks_[best].size = std::max(blocks_[best].size, wanted);
    blocks_[best].is_free = false;
    return best;
  }
  void release(std::size_t buffer) { blocks_[buffer].is_free = true; }

 private:
  struct Block {
    std::int64_t size = 0;
    bool is_free = false;
  };

  // Prefers the smallest buffer that fits, else the largest.
  bool is_better(std::size_t i, std::size_t best, std::int64_t wanted) const {
    if (best == blocks_.size()) return true;
    const std::int64_t size = blocks_[i].size;
    const std::int64_t best_size = blocks_[best].size;
    if (best_size >= wanted) return size >= wanted && size < best_size;
    return size > best_size;
  }

  std::vector<Block> blocks_;
};

TEST(BufferPlanner, ChoosesSameBufferAsLinearSearch) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed);
    BufferPlanner planner;
    PlainPlanner plain;
    std::vector<std::size_t> taken;
    for (int i = 0; i < 100; ++i) {
      if (taken.empty() || rng.below(2) == 0) {
        const auto size = static_cast<std::int64_t>(rng.below(120));
        taken.push_back(planner.take(size));
        ASSERT_EQ(taken.back(), plain.take(size)) << "seed " << seed;
      } else {
        const std::size_t at = rng.below(taken.size());
        planner.release(taken[at]);
        plain.release(taken[at]);
        taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(at));
      }
    }
  }
}

TEST(BufferPlanner, ReusesSmallestReleasedBufferThatFits) {
  BufferPlanner planner;
  const auto large = planner.take(100);
  const auto small = planner.take(10);
  planner.release(large);
  planner.release(small);
  EXPECT_EQ(planner.take(12), small);
  EXPECT_EQ(planner.take(12), large);
}

TEST(BufferPlanner, EnlargesFreeBufferInsteadOfAddingOne) {
  BufferPlanner planner;
  const auto first = planner.take(10);
  planner.release(first);
  EXPECT_EQ(planner.take(1000), first);
  EXPECT_EQ(planner.offsets().back(), 1008);
}

TEST(BufferPlanner, OffsetsAreAlignedAndDoNotOverlap) {
  BufferPlanner planner;
  const auto first = planner.take(17);
  const auto second = planner.take(1);
  EXPECT_NE(first, second);
  EXPECT_EQ(planner.offsets(), (std::vector<std::int64_t>{0, 32, 48}));
}

}  // namespace
}  // namespace lamarck
