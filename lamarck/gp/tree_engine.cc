#include "lamarck/gp/tree_engine.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "lamarck/archipelago/formula_skeleton.h"
#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/string_split.h"
#include "lamarck/formula/simplify.h"

namespace lamarck::gp {
namespace {

using archipelago::FunctionPtr;
using formula::Expression;
using formula::Formula;
using formula::Op;

// Crossover can double a tree, so the size is limited before simplification.
constexpr std::size_t kMaxExpandedNodes = 10'000;
constexpr std::size_t kMaxMoves = 6;  // Per child.

std::vector<std::string_view> move_names() {
  std::vector<std::string_view> names;
  for (const TreeMove& move : tree_moves()) names.push_back(move.name);
  return names;
}

Result<std::vector<double>> move_weights(const TreeOptions& options) {
  std::vector<double> weights;
  for (const TreeMove& move : tree_moves()) weights.push_back(move.weight);
  for (const auto& [name, weight] : options.weights) {
    const TreeMove* move = find_tree_move(name);
    if (move == nullptr) {
      return Error(ErrorCode::InvalidArgument,
                   fmt::format("Unknown move '{}' of the engine 'tree'; use "
                               "one of {}.",
                               name, join_text(move_names(), ", ")));
    }
    if (!(weight >= 0) || !std::isfinite(weight)) {
      return Error(ErrorCode::InvalidArgument,
                   fmt::format("The weight of the move '{}' must be finite and "
                               "at least 0, got {}.",
                               name, weight));
    }
    weights[static_cast<std::size_t>(move - tree_moves().data())] = weight;
  }
  return weights;
}

// A function that ignores its inputs is of no use to any evaluator.
bool is_finite_and_uses_inputs(const Expression& body) {
  const auto& nodes = body.nodes();
  return body.input_count() > 0 &&
         std::all_of(nodes.begin(), nodes.end(), [](const formula::Node& node) {
           return node.op != Op::Constant || std::isfinite(node.value);
         });
}

}  // namespace

Result<Formula> read_formula(const archipelago::Skeleton& skeleton) {
  const auto* known =
      dynamic_cast<const archipelago::FormulaSkeleton*>(&skeleton);
  if (known != nullptr) return known->formula();
  return formula::parse_python(skeleton.source());
}

archipelago::SkeletonPtr write_formula(Formula formula) {
  return std::make_shared<archipelago::FormulaSkeleton>(std::move(formula));
}

struct TreeEngine::Family {
  Formula formula;  // The formula of the changed parent.
  Tree tree;
  Tree mate;
  std::size_t max_nodes = 0;
  std::size_t max_depth = 0;
};

Result<std::unique_ptr<TreeEngine>> TreeEngine::create(
    std::shared_ptr<const archipelago::Evaluator> evaluator,
    TreeOptions options) {
  ASSIGN_OR_RETURN(TreeVocabulary vocabulary,
                   TreeVocabulary::make(options.operations, options.constants));
  ASSIGN_OR_RETURN(std::vector<double> weights, move_weights(options));
  return std::unique_ptr<TreeEngine>(
      new TreeEngine(std::move(evaluator), std::move(vocabulary),
                     std::move(options), std::move(weights)));
}

TreeEngine::TreeEngine(std::shared_ptr<const archipelago::Evaluator> evaluator,
                       TreeVocabulary vocabulary, TreeOptions options,
                       std::vector<double> weights)
    : evaluator_(std::move(evaluator)),
      vocabulary_(std::move(vocabulary)),
      options_(std::move(options)),
      weights_(std::move(weights)) {}

archipelago::MutationResult TreeEngine::make(
    const std::vector<FunctionPtr>& parents,
    const archipelago::MutationContext& context) {
  Rng rng = context.rng;
  ASSIGN_OR_RETURN(const Family family, this->family(parents, rng));
  TreeMemory& memory = this->memory(context.island);
  // A child must also differ from its parents.
  for (const FunctionPtr& parent : parents) {
    memory.add(parent->skeleton()->hash());
  }
  archipelago::Origin origin{.engine = std::string(name())};
  for (const FunctionPtr& parent : parents) {
    origin.parents.push_back(parent->id());
  }
  for (std::size_t i = 0; i < options_.tries; ++i) {
    Formula child = family.formula;
    Tree tree = family.tree;
    origin.move = change(tree, family, rng);
    if (tree.size() > kMaxExpandedNodes) continue;
    child.body = formula::simplify(to_expression(tree));
    if (!fits(child.body, family)) continue;
    archipelago::SkeletonPtr skeleton = options_.write(std::move(child));
    if (!memory.add(skeleton->hash())) continue;
    return std::make_shared<archipelago::Function>(
        0, std::move(skeleton), evaluator_, std::move(origin));
  }
  return Error(ErrorCode::FailedPrecondition,
               fmt::format("The engine 'tree' found no new function in {} "
                           "attempts.",
                           options_.tries));
}

// The formula of a parent with its params replaced by the fitted numbers.
Result<Formula> TreeEngine::read_without_params(
    const archipelago::Function& parent) const {
  auto read = options_.read(*parent.skeleton());
  if (!read) {
    return Error(read.error().code(),
                 fmt::format("{} Genetic programming can only change functions "
                             "that are formulas; use the engine llm for this "
                             "function.",
                             read.error().message()),
                 read.error().fields());
  }
  Formula formula = std::move(read).value();
  if (formula.body.param_count() > 0) {
    std::vector<double> constants = constants_of(parent);
    constants.resize(formula.body.param_count(), 1.0);
    formula.body = formula::with_constants(formula.body, constants);
    formula.param_names.clear();
  }
  if (formula.body.size() <= kMaxExpandedNodes) return formula;
  return Error(
      ErrorCode::InvalidArgument,
      fmt::format("Genetic programming can only change functions of at "
                  "most {} nodes, got {}; use the engine llm for this "
                  "function.",
                  kMaxExpandedNodes, formula.body.size()));
}

Result<TreeEngine::Family> TreeEngine::family(
    const std::vector<FunctionPtr>& parents, Rng& rng) const {
  REQUIRE(!parents.empty(),
          "TreeEngine::mutate: at least one parent is needed.");
  const std::size_t best = parents.size() - 1;
  const bool takes_best = rng.chance(options_.better_parent);
  const std::size_t base = takes_best ? best : rng.below(parents.size());
  std::size_t mate = base;
  if (parents.size() > 1) mate = (base + 1 + rng.below(best)) % parents.size();
  ASSIGN_OR_RETURN(Formula formula, read_without_params(*parents[base]));
  ASSIGN_OR_RETURN(const Formula other, read_without_params(*parents[mate]));
  Tree tree = to_tree(formula.body);
  const std::size_t nodes = std::max(options_.max_nodes, tree.size());
  const std::size_t depth = std::max(options_.max_depth, tree_depth(tree));
  return Family{std::move(formula), std::move(tree), to_tree(other.body), nodes,
                depth};
}

// Applies random moves to the tree. Returns their names, joined by '+'.
std::string TreeEngine::change(Tree& tree, const Family& family,
                               Rng& rng) const {
  const TreeMaterial material{vocabulary_, family.mate,
                              family.formula.inputs.size()};
  std::string names;
  for (std::size_t i = 0; i < kMaxMoves; ++i) {
    const TreeMove& move = tree_moves()[rng.weighted_choice(weights_)];
    if (!move.apply(tree, material, rng)) continue;
    names += names.empty() ? "" : "+";
    names += move.name;
    if (!rng.chance(options_.further_move)) break;
  }
  return names;
}

bool TreeEngine::fits(const Expression& body, const Family& family) const {
  return body.size() <= family.max_nodes && body.depth() <= family.max_depth &&
         is_finite_and_uses_inputs(body);
}

TreeMemory& TreeEngine::memory(std::size_t island) {
  const std::lock_guard lock(mutex_);
  return memories_[island];
}

void TreeEngine::reset_island(std::size_t island,
                              const FunctionPtr& /*founder*/) {
  memories_.erase(island);
}

Json TreeEngine::state() const {
  Json json = Json::object();
  for (const auto& [island, memory] : memories_) {
    json[std::to_string(island)] = memory.to_json();
  }
  return json;
}

Result<void> TreeEngine::restore(const Json& state) {
  std::map<std::size_t, TreeMemory> memories;
  for (const auto& [key, value] : state.items()) {
    std::size_t island = 0;
    std::from_chars(key.data(), key.data() + key.size(), island);
    ASSIGN_OR_RETURN(memories[island], TreeMemory::from_json(value));
  }
  memories_ = std::move(memories);
  return {};
}

}  // namespace lamarck::gp
