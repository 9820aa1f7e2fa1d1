#include "lamarck/archipelago/mutation_engine.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <nlohmann/json.hpp>

#include "lamarck/archipelago/toy_engine_fixture.h"

namespace lamarck::archipelago {
namespace {

MutationContext context() {
  return {.island = 0, .cycle = 1, .rng = Rng(1), .cancel = {}};
}

std::vector<FunctionPtr> parents() {
  auto fn = toy_function(0);
  fn->set_id(3);
  return {fn};
}

TEST(MutationEngine, CompletesOriginWithEngineAndParents) {
  ToyEngine engine([](const auto& /*parents*/, const auto& /*context*/) {
    return std::make_shared<Function>(0, std::make_shared<ToySkeleton>(1),
                                      nullptr, Origin{});
  });

  const auto made = engine.mutate(parents(), context());

  ASSERT_TRUE(made);
  EXPECT_EQ((*made)->origin().engine, "toy");
  EXPECT_EQ((*made)->origin().parents, std::vector<std::uint64_t>{3});
}

TEST(MutationEngine, ReportsStartAndEndOfMutation) {
  ToyEngine engine;
  std::vector<std::string_view> types;
  engine.use_profiler([&](const MutationEngineEvent& event) {
    types.push_back(event_type(event));
  });

  ASSERT_TRUE(engine.mutate(parents(), context()));

  EXPECT_EQ(types, (std::vector<std::string_view>{"on_mutate", "on_mutated"}));
}

TEST(MutationEngine, TurnsExceptionIntoError) {
  ToyEngine engine([](const auto& /*parents*/,
                      const auto& /*context*/) -> Result<FunctionPtr> {
    throw std::runtime_error("out of ideas");
  });

  const auto made = engine.mutate(parents(), context());

  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message(), "The engine toy threw: out of ideas.");
}

TEST(MutationEngine, TurnsNullFunctionIntoError) {
  ToyEngine engine([](const auto& /*parents*/, const auto& /*context*/) {
    return FunctionPtr();
  });

  const auto made = engine.mutate(parents(), context());

  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message(), "The engine toy returned no function.");
}

TEST(MutationEngine, HasNoStateByDefault) {
  ToyEngine engine;

  EXPECT_TRUE(engine.restore(engine.state()));
  EXPECT_FALSE(engine.restore(Json{{"a", 1}}));
}

}  // namespace
}  // namespace lamarck::archipelago
