#include "lamarck/gp/tree_engine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <set>
#include <nlohmann/json.hpp>

#include "lamarck/archipelago/evolver.h"
#include "lamarck/archipelago/formula_skeleton.h"

namespace lamarck::gp {
namespace {

using archipelago::EvolverOptions;
using archipelago::EvolverOutcome;
using archipelago::Function;
using archipelago::FunctionPtr;

// Scores how close a function of x and y is to the target.
class TargetEvaluator : public archipelago::Evaluator {
 public:
  std::size_t input_count() const override { return 1; }
  archipelago::Evaluation evaluate(
      const archipelago::Skeleton& skeleton,
      const CancelToken& /*cancel*/) const override {
    const std::vector<std::vector<double>> arguments = {{-2, -1, 0, 1, 2},
                                                        {3, 1, 4, 1, 5}};
    const auto values = skeleton.call(arguments);
    if (!values)
      return archipelago::Evaluation::failed(values.error().message());
    double error = 0;
    for (std::size_t i = 0; i < arguments[0].size(); ++i) {
      const double x = arguments[0][i];
      error += std::abs((*values)[i] - (x < 0 ? -1 : x * arguments[1][i]));
    }
    return {.scores = {-error}};
  }
};

std::shared_ptr<const archipelago::Evaluator> target() {
  return std::make_shared<TargetEvaluator>();
}

archipelago::SkeletonPtr skeleton(std::string_view body,
                                  std::vector<double> params = {}) {
  return std::make_shared<archipelago::FormulaSkeleton>(
      formula::parse_infix(body, {"x", "y"}).value(), std::move(params));
}

FunctionPtr evaluated(archipelago::SkeletonPtr of) {
  auto fn = std::make_shared<Function>(0, std::move(of), target(),
                                       archipelago::Origin{});
  fn->evaluate();
  return fn;
}

archipelago::MutationContext tree_context(std::uint64_t seed,
                                          std::size_t island = 0) {
  return {.island = island, .cycle = seed, .rng = Rng(seed), .cancel = {}};
}

const formula::Formula& formula_of(const Function& fn) {
  return dynamic_cast<const archipelago::FormulaSkeleton&>(*fn.skeleton())
      .formula();
}

TEST(TreeEngine, MakesNewFunctionsWithinLimits) {
  const auto engine =
      TreeEngine::create(target(), {.max_nodes = 12, .max_depth = 5}).value();
  std::vector<FunctionPtr> parents = {evaluated(skeleton("x + y")),
                                      evaluated(skeleton("x * y"))};
  std::set<std::uint64_t> hashes;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto made = engine->mutate(parents, tree_context(seed));
    if (!made) continue;  // No new function within the limits.
    const Function& child = **made;
    EXPECT_LE(child.skeleton()->size(), 12u) << "seed " << seed;
    EXPECT_LE(formula_of(child).body.depth(), 5u) << "seed " << seed;
    EXPECT_EQ(child.origin().engine, "tree");
    EXPECT_FALSE(child.origin().move.empty()) << "seed " << seed;
    EXPECT_TRUE(hashes.insert(child.skeleton()->hash()).second)
        << "seed " << seed;
    EXPECT_TRUE(formula::parse_python(child.skeleton()->source()))
        << child.skeleton()->source();
  }
  EXPECT_GT(hashes.size(), 270u);
}

TEST(TreeEngine, SameSeedGivesSameChildren) {
  const auto one = TreeEngine::create(target()).value();
  const auto two = TreeEngine::create(target()).value();
  const std::vector<FunctionPtr> parents = {evaluated(skeleton("x * y - 1"))};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    // Mutations of another island do not matter.
    ASSERT_TRUE(two->mutate(parents, tree_context(seed + 1000, 1)));
    EXPECT_EQ((*one->mutate(parents, tree_context(seed)))->skeleton()->source(),
              (*two->mutate(parents, tree_context(seed)))->skeleton()->source())
        << "seed " << seed;
  }
}

TEST(TreeEngine, RestoredEngineContinuesIdentically) {
  const auto one = TreeEngine::create(target()).value();
  const auto two = TreeEngine::create(target()).value();
  const std::vector<FunctionPtr> parents = {evaluated(skeleton("x * y - 1"))};
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    ASSERT_TRUE(one->mutate(parents, tree_context(seed)));
  }
  ASSERT_TRUE(two->restore(one->state()));

  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ((*one->mutate(parents, tree_context(seed)))->skeleton()->source(),
              (*two->mutate(parents, tree_context(seed)))->skeleton()->source())
        << "seed " << seed;
  }
  EXPECT_FALSE(two->restore(Json{{"0", "text"}}));
}

TEST(TreeEngine, ReplacesParamsByNumbers) {
  const auto engine = TreeEngine::create(target()).value();
  const std::vector<FunctionPtr> parents = {
      evaluated(skeleton("a * x + b", {2.5, 7}))};
  bool has_number = false;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto made = engine->mutate(parents, tree_context(seed));
    ASSERT_TRUE(made) << made.error().message();
    EXPECT_EQ(formula_of(**made).body.param_count(), 0u);
    has_number = has_number ||
                 (*made)->skeleton()->source().find("2.5") != std::string::npos;
  }
  EXPECT_TRUE(has_number);
}

// A Python function that is not a FormulaSkeleton.
class TextSkeleton : public archipelago::Skeleton {
 public:
  explicit TextSkeleton(std::string source) : source_(std::move(source)) {}
  const std::string& source() const override { return source_; }
  std::size_t size() const override { return source_.size(); }
  std::uint64_t hash() const override { return 1; }
  Result<std::vector<double>> call(
      std::span<const std::vector<double>> /*arguments*/) const override {
    return std::vector<double>{0, 0, 0, 0, 0};
  }

 private:
  std::string source_;
};

TEST(TreeEngine, ReadsPythonThatIsAFormula) {
  const auto engine = TreeEngine::create(target()).value();
  const auto made = engine->mutate({evaluated(std::make_shared<TextSkeleton>(
                                       "def f(x, y):\n    return x - y\n"))},
                                   tree_context(1));

  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(formula_of(**made).inputs, (std::vector<std::string>{"x", "y"}));
}

TEST(TreeEngine, ErrorNamesLineOfUnreadableFunction) {
  const auto engine = TreeEngine::create(target()).value();
  const auto made = engine->mutate(
      {evaluated(std::make_shared<TextSkeleton>(
          "def f(x, y):\n    while x < y:\n        x += 1\n    return x\n"))},
      tree_context(1));

  ASSERT_FALSE(made);
  const std::string& message = made.error().message();
  EXPECT_NE(message.find("ine 2"), std::string::npos) << message;
  EXPECT_NE(message.find("the engine llm"), std::string::npos) << message;
}

TEST(TreeEngine, RejectsUnknownOperationsAndMoves) {
  EXPECT_FALSE(TreeEngine::create(target(), {.operations = {"plus"}}));
  const auto wrong = TreeEngine::create(target(), {.weights = {{"fly", 1.0}}});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message(),
            "Unknown move 'fly' of the engine 'tree'; use one of crossover, "
            "combine, replace, exchange, insert, remove, hoist, shrink, turn, "
            "jitter, jitter_all, redraw, threshold, branch.");
  const auto negative =
      TreeEngine::create(target(), {.weights = {{"hoist", -1.0}}});
  ASSERT_FALSE(negative);
  EXPECT_EQ(negative.error().message(),
            "The weight of the move 'hoist' must be finite and at least 0, got "
            "-1.");
}

EvolverOptions small_tree_run(std::size_t threads, std::int64_t evaluations) {
  EvolverOptions options{
      .num_islands = 4, .num_parallel = threads, .seed = 3, .goal = -1e-9};
  options.budget.evaluations = evaluations;
  return options;
}

EvolverOutcome evolve(const EvolverOptions& options, const char* first) {
  archipelago::Evolver evolver(options,
                               {.engine = TreeEngine::create(target()).value(),
                                .evaluator = target(),
                                .first = {skeleton(first)}});
  return evolver.run().value();
}

TEST(TreeEngine, FindsFunctionWithBranch) {
  const EvolverOutcome outcome = evolve(small_tree_run(2, 20'000), "x");

  EXPECT_EQ(outcome.end, archipelago::EvolverEnd::Goal)
      << outcome.best->skeleton()->source() << outcome.best->score();
}

TEST(TreeEngine, ResultDoesNotDependOnThreadCount) {
  const EvolverOutcome one = evolve(small_tree_run(1, 1000), "x");
  const EvolverOutcome four = evolve(small_tree_run(4, 1000), "x");

  EXPECT_EQ(one.best->skeleton()->source(), four.best->skeleton()->source());
  EXPECT_EQ(one.counts.duplicates, four.counts.duplicates);
}

}  // namespace
}  // namespace lamarck::gp
