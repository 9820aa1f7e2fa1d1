// Genetic programming without a model: new functions from the trees of their
// parents, for evaluators of any kind.
//
// Constants are part of the tree and change like the rest of it; params of a
// parent become the numbers that were fitted for it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/archipelago/mutation_engine.h"
#include "lamarck/formula/formula.h"
#include "lamarck/gp/tree_memory.h"
#include "lamarck/gp/tree_moves.h"
#include "lamarck/gp/tree_vocabulary.h"

namespace lamarck::gp {

// The formula of a skeleton: a FormulaSkeleton's own one, any other is parsed
// from its source.
Result<formula::Formula> read_formula(const archipelago::Skeleton& skeleton);
// A FormulaSkeleton.
archipelago::SkeletonPtr write_formula(formula::Formula formula);

struct TreeOptions {
  // Names from `formula::operations()`.
  std::vector<std::string> operations = {
      "add", "sub",    "mul",  "div", "neg",  "minimum",    "maximum", "abs",
      "exp", "square", "sqrt", "log", "less", "less_equal", "where"};
  TreeConstants constants;
  // What a child has at most, unless its parent has more already.
  std::size_t most_nodes = 40;
  std::size_t most_depth = 12;
  double further_move = 0.3;   // The chance that one more move follows a move.
  double better_parent = 0.7;  // How often the best of the parents is changed.
  std::size_t tries = 40;      // To find a child that is new on its island.
  // Of moves, instead of those in `tree_moves()`, by name.
  std::map<std::string, double, std::less<>> weights;
  // How skeletons that are not formulas become ones, and back.
  std::function<Result<formula::Formula>(const archipelago::Skeleton&)> read =
      read_formula;
  std::function<archipelago::SkeletonPtr(formula::Formula)> write =
      write_formula;
};

class TreeEngine : public archipelago::MutationEngine {
 public:
  // Children get `evaluator`. An unknown operation or move is an error.
  static Result<std::unique_ptr<TreeEngine>> create(
      std::shared_ptr<const archipelago::Evaluator> evaluator,
      TreeOptions options = {});

  std::string_view name() const override { return "tree"; }
  void reset_island(std::size_t island,
                    const archipelago::FunctionPtr& founder) override;
  Json state() const override;
  Result<void> restore(const Json& state) override;

 private:
  // What one call works on. Points into itself, so it stays where it is.
  struct Family;

  TreeEngine(std::shared_ptr<const archipelago::Evaluator> evaluator,
             TreeVocabulary vocabulary, TreeOptions options,
             std::vector<double> weights);

  Result<archipelago::FunctionPtr> make(
      const std::vector<archipelago::FunctionPtr>& parents,
      const archipelago::MutationContext& context) override;
  Result<formula::Formula> numbers_only(
      const archipelago::Function& parent) const;
  Result<Family> family(const std::vector<archipelago::FunctionPtr>& parents,
                        Rng& rng) const;
  std::string change(Tree& tree, const Family& family, Rng& rng) const;
  bool fits(const formula::Expression& body, const Family& family) const;
  TreeMemory& memory(std::size_t island);

  std::shared_ptr<const archipelago::Evaluator> evaluator_;
  TreeVocabulary vocabulary_;
  TreeOptions options_;
  std::vector<double> weights_;  // In the order of `tree_moves()`.

  std::mutex mutex_;
  // The map is guarded by mutex_; what is in it belongs to the island's thread.
  std::map<std::size_t, TreeMemory> memories_;
};

}  // namespace lamarck::gp
