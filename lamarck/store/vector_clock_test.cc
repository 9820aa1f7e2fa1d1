#include "lamarck/store/vector_clock.h"

#include <gtest/gtest.h>

#include "lamarck/base/rng.h"

namespace lamarck::store {
namespace {

ClockCounts random_clock(Rng& rng) {
  ClockCounts clock;
  for (const char* node : {"a", "b", "c"}) {
    if (rng.chance(0.7)) clock[node] = rng.below(3);
  }
  return clock;
}

bool is_equal(const ClockCounts& a, const ClockCounts& b) {
  return !happens_before(a, b) && !happens_before(b, a) && !is_concurrent(a, b);
}

TEST(VectorClock, CountsStepsOfNode) {
  ClockCounts clock;
  increment(clock, "a");
  increment(clock, "a");
  increment(clock, "b");

  EXPECT_EQ(clock, (ClockCounts{{"a", 2}, {"b", 1}}));
}

TEST(VectorClock, MergeTakesMaximumAndCountsOneStep) {
  ClockCounts clock = {{"a", 2}, {"b", 1}};
  merge(clock, {{"b", 5}, {"c", 1}}, "a");

  EXPECT_EQ(clock, (ClockCounts{{"a", 3}, {"b", 5}, {"c", 1}}));
}

TEST(VectorClock, SmallerClockHappensBefore) {
  EXPECT_TRUE(happens_before({{"a", 1}}, {{"a", 2}}));
  EXPECT_TRUE(happens_before({}, {{"a", 1}}));
  EXPECT_TRUE(happens_before({{"a", 1}}, {{"a", 1}, {"b", 1}}));
  EXPECT_FALSE(happens_before({{"a", 1}}, {{"a", 1}}));
  EXPECT_FALSE(happens_before({{"a", 2}}, {{"a", 1}}));
}

TEST(VectorClock, IndependentWritersAreConcurrent) {
  EXPECT_TRUE(is_concurrent({{"a", 1}}, {{"b", 1}}));
  EXPECT_FALSE(is_concurrent({{"a", 1}}, {{"a", 1}}));
  EXPECT_FALSE(is_concurrent({{"a", 1}}, {{"a", 2}}));
}

TEST(VectorClock, MissingCountIsZero) {
  EXPECT_TRUE(is_equal({{"a", 0}}, {}));
  EXPECT_FALSE(happens_before({}, {{"a", 0}}));
}

TEST(VectorClock, AtMostOneRelationHolds) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Rng rng(seed);
    const ClockCounts a = random_clock(rng);
    const ClockCounts b = random_clock(rng);
    const int relations = int{happens_before(a, b)} +
                          int{happens_before(b, a)} + int{is_concurrent(a, b)};
    EXPECT_LE(relations, 1) << "seed " << seed;
    ClockCounts merged = a;
    merge(merged, b, "a");
    EXPECT_TRUE(happens_before(a, merged)) << "seed " << seed;
    EXPECT_TRUE(happens_before(b, merged)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace lamarck::store
