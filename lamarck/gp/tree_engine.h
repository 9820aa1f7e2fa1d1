// Genetic programming on expression trees, for any evaluator. Needs no language
// model.
//
// Constants are part of the tree and mutate like the rest of it. Params of a
// parent are replaced by their fitted values.

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

// Returns the formula of a FormulaSkeleton; parses the source of any other
// skeleton.
Result<formula::Formula> read_formula(const archipelago::Skeleton& skeleton);
// Returns a FormulaSkeleton.
archipelago::SkeletonPtr write_formula(formula::Formula formula);

struct TreeOptions {
  // Names from `formula::operations()`.
  std::vector<std::string> operations = {
      "add", "sub",    "mul",  "div", "neg",  "minimum",    "maximum", "abs",
      "exp", "square", "sqrt", "log", "less", "less_equal", "where"};
  TreeConstants constants;
  // Limits of a child, unless its parent is already larger.
  std::size_t max_nodes = 40;
  std::size_t max_depth = 12;
  double further_move = 0.3;   // Probability of another move after a move.
  double better_parent = 0.7;  // Probability of changing the best parent.
  std::size_t tries = 40;      // Attempts to make a child new to its island.
  // Weights of moves by name; replace those in `tree_moves()`.
  std::map<std::string, double, std::less<>> weights;
  // Conversions between skeletons and formulas.
  std::function<Result<formula::Formula>(const archipelago::Skeleton&)> read =
      read_formula;
  std::function<archipelago::SkeletonPtr(formula::Formula)> write =
      write_formula;
};

class TreeEngine : public archipelago::MutationEngine {
 public:
  // Children get `evaluator`. Returns an error for an unknown operation or
  // move.
  static Result<std::unique_ptr<TreeEngine>> create(
      std::shared_ptr<const archipelago::Evaluator> evaluator,
      TreeOptions options = {});

  std::string_view name() const override { return "tree"; }
  void reset_island(std::size_t island,
                    const archipelago::FunctionPtr& founder) override;
  Json state() const override;
  Result<void> restore(const Json& state) override;

 private:
  // The parents that one call works on.
  struct Family;

  TreeEngine(std::shared_ptr<const archipelago::Evaluator> evaluator,
             TreeVocabulary vocabulary, TreeOptions options,
             std::vector<double> weights);

  archipelago::MutationResult make(
      const std::vector<archipelago::FunctionPtr>& parents,
      const archipelago::MutationContext& context) override;
  Result<formula::Formula> read_without_params(
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
  // The map is guarded by mutex_. Each entry belongs to the thread of its
  // island; references stay valid, because a std::map does not move its
  // elements.
  std::map<std::size_t, TreeMemory> memories_;
};

}  // namespace lamarck::gp
