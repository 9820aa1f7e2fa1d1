// A first check of a build: uses the base library as a newcomer would, and
// checks that SIMD, SQLite and sandbox support report what they are. It does
// not cover the other modules, which have their own tests.

#include <gtest/gtest.h>

#include <sstream>
#include <nlohmann/json.hpp>

#include "lamarck/base/bandit.h"
#include "lamarck/base/budget.h"
#include "lamarck/base/hash.h"
#include "lamarck/base/id.h"
#include "lamarck/base/json.h"
#include "lamarck/base/progress.h"
#include "lamarck/base/rng.h"
#include "lamarck/base/thread_pool.h"
#include "lamarck/base/version.h"
#include "lamarck/sandbox/sandbox_layers.h"
#include "lamarck/store/sqlite_library.h"
#include "lamarck/tensor/simd_target.h"

namespace lamarck {
namespace {

TEST(Smoke, BanditFindsBestArmWithinBudget) {
  ManualClock clock;
  Budget budget({.evaluations = 500}, clock);
  Bandit bandit(3);
  Rng rng(1);
  while (auto reservation = budget.reserve({.evaluations = 1})) {
    const std::size_t arm = bandit.choose();
    bandit.update(arm, rng.chance(0.2 + 0.3 * static_cast<double>(arm)));
    reservation->settle({.evaluations = 1});
  }
  EXPECT_EQ(budget.end_reason(), "The budget of 500 evaluations is used up.");
  EXPECT_GT(bandit.tries(2), bandit.tries(0));
}

TEST(Smoke, ThreadPoolRunsLoopAndReportsProgress) {
  ThreadPool pool(4);
  SystemClock clock;
  std::ostringstream out;
  Progress progress(out, clock, {.label = "Summing", .total = 100});
  const auto squares = pool.parallel_map(100, [&](std::size_t i) {
    progress.advance();
    return i * i;
  });
  progress.finish();
  EXPECT_EQ(squares[99], 9801u);
  EXPECT_EQ(out.str().rfind("Summing: 100 %", 0), 0u);
}

TEST(Smoke, IdsAndHashesSurviveJson) {
  const SystemClock clock;
  IdGenerator ids(clock, Rng(2));
  const Json json = {{"id", ids.next()}, {"hash", sha256_hex("x")}};
  const Json read = parse_json(dump_json(json)).value();
  EXPECT_TRUE(is_id(json_field<std::string>(read, "id").value()));
}

TEST(Smoke, LibraryReportsVersionsAndTargets) {
  EXPECT_FALSE(version().empty());
  EXPECT_FALSE(simd_target().empty());
  EXPECT_FALSE(sqlite_library().version.empty());
  EXPECT_FALSE(sandbox_layers().empty());
}

}  // namespace
}  // namespace lamarck
