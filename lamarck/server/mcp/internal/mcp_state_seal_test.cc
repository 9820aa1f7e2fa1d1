#include "lamarck/server/mcp/internal/mcp_state_seal.h"

#include <gtest/gtest.h>

namespace lamarck::mcp {
namespace {

const StateOwner kOwner = {"ada", "tools/call", "digest"};

TEST(StateSeal, RoundTrips) {
  const ManualClock clock;
  const StateSeal seal("key", clock);
  for (const std::string state : {"", "a", "{\"round\":1}"}) {
    EXPECT_EQ(seal.open(kOwner, seal.seal(kOwner, state)).value(), state);
  }
}

TEST(StateSeal, RejectsEveryModification) {
  const ManualClock clock;
  const StateSeal seal("key", clock);
  const std::string sealed = seal.seal(kOwner, "some state");
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(seal.open(kOwner, changed).has_value()) << changed;
    EXPECT_FALSE(seal.open(kOwner, sealed.substr(0, i)).has_value());
  }
  EXPECT_FALSE(seal.open(kOwner, sealed + "-TAMPERED").has_value());
}

TEST(StateSeal, IsBoundToCallUserAndHour) {
  ManualClock clock;
  const StateSeal seal("key", clock);
  const std::string sealed = seal.seal(kOwner, "x");
  for (const StateOwner& other : {StateOwner{"bob", "tools/call", "digest"},
                                  StateOwner{"ada", "prompts/get", "digest"},
                                  StateOwner{"ada", "tools/call", "other"},
                                  StateOwner{"adatools", "/call", "digest"}}) {
    EXPECT_FALSE(seal.open(other, sealed).has_value());
  }
  EXPECT_FALSE(StateSeal("other", clock).open(kOwner, sealed).has_value());
  clock.advance(std::chrono::minutes(61));
  EXPECT_FALSE(seal.open(kOwner, sealed).has_value());
}

}  // namespace
}  // namespace lamarck::mcp
