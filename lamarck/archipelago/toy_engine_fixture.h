// Functions and engines for tests. A skeleton is an integer, and its score is
// how close it is to a secret integer.

#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lamarck/archipelago/evaluator.h"
#include "lamarck/archipelago/evolver.h"
#include "lamarck/archipelago/mutation_engine.h"

namespace lamarck::archipelago {

class ToySkeleton : public Skeleton {
 public:
  explicit ToySkeleton(std::int64_t number)
      : number_(number), source_(std::to_string(number)) {}

  std::int64_t number() const { return number_; }
  const std::string& source() const override { return source_; }
  std::size_t size() const override { return source_.size(); }
  std::uint64_t hash() const override {
    return static_cast<std::uint64_t>(number_);
  }
  Result<std::vector<double>> call(
      std::span<const std::vector<double>> /*arguments*/) const override {
    return std::vector<double>{static_cast<double>(number_)};
  }

 private:
  std::int64_t number_;
  std::string source_;
};

inline std::int64_t toy_number(const Function& fn) {
  return static_cast<const ToySkeleton&>(*fn.skeleton()).number();
}

// Two inputs; the secret is 1000. Numbers that end in 7 fail.
class ToyEvaluator : public Evaluator {
 public:
  std::size_t input_count() const override { return 2; }
  Evaluation evaluate(const Skeleton& skeleton,
                      const CancelToken& /*cancel*/) const override {
    const auto number = static_cast<const ToySkeleton&>(skeleton).number();
    if (number % 10 == 7) return Evaluation::failed("it ends in 7");
    const double error = std::fabs(static_cast<double>(number) - 1000);
    return {.scores = {-error, -error * error},
            .failure = {},
            .constants = {error}};
  }
};

inline FunctionPtr toy_function(std::int64_t number) {
  auto fn = std::make_shared<Function>(0, std::make_shared<ToySkeleton>(number),
                                       std::make_shared<ToyEvaluator>(),
                                       Origin{.engine = "seed"});
  fn->evaluate();
  return fn;
}

inline Result<SkeletonPtr> read_toy(const std::string& source,
                                    const std::vector<double>& /*constants*/) {
  return std::make_shared<ToySkeleton>(std::stoll(source));
}

// Returns what `change` makes, by default a number near the best parent's.
class ToyEngine : public MutationEngine {
 public:
  using Change = std::function<MutationResult(const std::vector<FunctionPtr>&,
                                              const MutationContext&)>;

  explicit ToyEngine(Change change = {}) : change_(std::move(change)) {}

  std::string_view name() const override { return "toy"; }

  static FunctionPtr child(std::int64_t number, MutationCost cost = {}) {
    return std::make_shared<Function>(
        0, std::make_shared<ToySkeleton>(number),
        std::make_shared<ToyEvaluator>(),
        Origin{.engine = "toy", .move = "step", .cost = cost});
  }

 private:
  MutationResult make(const std::vector<FunctionPtr>& parents,
                      const MutationContext& context) override {
    if (change_) return change_(parents, context);
    Rng rng = context.rng;
    return child(toy_number(*parents.back()) + rng.integer(-20, 20));
  }

  Change change_;
};

inline EvolverParts toy_parts(ToyEngine::Change change = {}) {
  return {.engine = std::make_shared<ToyEngine>(std::move(change)),
          .evaluator = std::make_shared<ToyEvaluator>(),
          .first = {std::make_shared<ToySkeleton>(0)},
          .reader = read_toy};
}

}  // namespace lamarck::archipelago
