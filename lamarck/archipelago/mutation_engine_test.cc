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

TEST(MutationEngine, NamesItselfAndTheParentsInTheOrigin) {
  ToyEngine engine([](const auto& /*parents*/, const auto& /*context*/) {
    return std::make_shared<Function>(0, std::make_shared<ToySkeleton>(1),
                                      nullptr, Origin{});
  });

  const auto made = engine.mutate(parents(), context());

  ASSERT_TRUE(made);
  EXPECT_EQ((*made)->origin().engine, "toy");
  EXPECT_EQ((*made)->origin().parents, std::vector<std::uint64_t>{3});
}

TEST(MutationEngine, TellsBeforeAndAfterAMutation) {
  ToyEngine engine;
  std::vector<std::string_view> heard;
  engine.use_profiler([&](const MutationEngineEvent& event) {
    heard.push_back(event_type(event));
  });

  ASSERT_TRUE(engine.mutate(parents(), context()));

  EXPECT_EQ(heard, (std::vector<std::string_view>{"on_mutate", "on_mutated"}));
}

TEST(MutationEngine, TurnsWhatIsThrownIntoAnError) {
  ToyEngine engine([](const auto& /*parents*/,
                      const auto& /*context*/) -> Result<FunctionPtr> {
    throw std::runtime_error("out of ideas");
  });

  const auto made = engine.mutate(parents(), context());

  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message(), "The engine toy threw: out of ideas.");
}

TEST(MutationEngine, TurnsNoFunctionIntoAnError) {
  ToyEngine engine([](const auto& /*parents*/, const auto& /*context*/) {
    return FunctionPtr();
  });

  const auto made = engine.mutate(parents(), context());

  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message(), "The engine toy gave no function.");
}

TEST(MutationEngine, KeepsNoStateByItself) {
  ToyEngine engine;

  EXPECT_TRUE(engine.restore(engine.state()));
  EXPECT_FALSE(engine.restore(Json{{"a", 1}}));
}

}  // namespace
}  // namespace lamarck::archipelago
