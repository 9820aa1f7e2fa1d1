#include "lamarck/base/id.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>
#include <vector>

namespace lamarck {
namespace {

using namespace std::chrono_literals;

TEST(Id, IsUuidVersion7) {
  ManualClock clock(Clock::WallTime(0x018f3c6e7d2aLL * 1ms));
  IdGenerator ids(clock, Rng(1));
  const std::string id = ids.next();
  EXPECT_TRUE(is_id(id)) << id;
  EXPECT_EQ(id.substr(0, 15), "018f3c6e-7d2a-7");
  EXPECT_EQ(id_time(id), clock.wall_time());
}

TEST(Id, SortsByCreationEvenIfClockStopsOrGoesBack) {
  ManualClock clock(Clock::WallTime(1'000'000h));
  IdGenerator ids(clock, Rng(2));
  std::vector<std::string> given;
  for (int i = 0; i < 10'000; ++i) {
    if (i == 3000) clock.advance(5ms);
    if (i == 6000) clock.set_wall_time(Clock::WallTime(10h));
    given.push_back(ids.next());
    ASSERT_TRUE(is_id(given.back())) << given.back();
  }
  EXPECT_TRUE(std::ranges::is_sorted(given));
  EXPECT_EQ(std::ranges::adjacent_find(given), given.end());
}

TEST(Id, AdvancesMillisecondWhenCounterOverflows) {
  ManualClock clock(Clock::WallTime(1h));
  IdGenerator ids(clock, Rng(3));
  std::string last = ids.next();
  for (int i = 0; i < 200'000; ++i) {
    std::string next = ids.next();
    ASSERT_LT(last, next);
    last = std::move(next);
  }
}

TEST(Id, IsUniqueAcrossThreadsAndGenerators) {
  const SystemClock clock;
  IdGenerator shared(clock, Rng(4));
  std::vector<std::vector<std::string>> given(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < given.size(); ++i) {
      threads.emplace_back([&, i] {
        IdGenerator own(clock, Rng(5).split(i));
        for (int k = 0; k < 500; ++k) {
          given[i].push_back(shared.next());
          given[i].push_back(own.next());
        }
      });
    }
  }
  std::set<std::string> all;
  for (const auto& ids : given) all.insert(ids.begin(), ids.end());
  EXPECT_EQ(all.size(), 4000u);
}

TEST(Id, RejectsMalformedIds) {
  for (const char* text : {"", "x", "018f3c6e-7d2a-4b41-9c55-3f0e8d1a2b4c",
                           "018f3c6e-7d2a-7b41-cc55-3f0e8d1a2b4c",
                           "018F3C6E-7D2A-7B41-9C55-3F0E8D1A2B4C",
                           "018f3c6e07d2a-7b41-9c55-3f0e8d1a2b4c"}) {
    EXPECT_FALSE(is_id(text)) << text;
    EXPECT_EQ(id_time(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace lamarck
