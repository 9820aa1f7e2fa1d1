#include "lamarck/gp/gp_engine.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/formula/simplify.h"
#include "lamarck/gp/gp_json.h"
#include "lamarck/gp/gp_normalise.h"

namespace lamarck::gp {

using archipelago::FunctionPtr;
using formula::Op;

namespace {

constexpr std::size_t kRefreshed = 60;  // Trees of the library per cycle.
constexpr unsigned kTagBits = 32;  // The bits above hold the island's number.
constexpr std::size_t kRemembered = 64;  // Injected parents per island.

// Draws a size limit. Some searches look only for small formulas, which would
// lose against large ones in the same population.
std::size_t draw_size_limit(std::size_t max, Rng& rng) {
  constexpr std::array kShares = {0.3, 0.45, 0.7, 1.0};
  const double share = kShares[rng.below(kShares.size())];
  return std::max<std::size_t>(
      static_cast<std::size_t>(share * static_cast<double>(max)),
      std::min<std::size_t>(max, 8));
}

}  // namespace

archipelago::SkeletonPtr gp_skeleton(const GpModel& model,
                                     const RegressionProblem& problem) {
  formula::ExpressionBuilder builder;
  std::uint32_t params = 0;
  std::vector<double> constants;
  formula::NodeIndex sum = 0;
  for (std::size_t t = 0; t < model.terms.size(); ++t) {
    const formula::NodeIndex coefficient = builder.param(params++);
    constants.push_back(model.coefficients[t]);
    const formula::NodeIndex term =
        append_tree(model.terms[t], builder, &params);
    const std::vector<double> inner = constants_of(model.terms[t]);
    constants.insert(constants.end(), inner.begin(), inner.end());
    const formula::NodeIndex part = builder.apply(Op::Mul, coefficient, term);
    sum = t == 0 ? part : builder.apply(Op::Add, sum, part);
  }
  if (model.has_intercept || model.terms.empty()) {
    const formula::NodeIndex intercept = builder.param(params++);
    constants.push_back(model.intercept);
    sum = model.terms.empty() ? intercept
                              : builder.apply(Op::Add, sum, intercept);
  }
  formula::Formula formula;
  formula.inputs = problem.input_names;
  formula.body = builder.finish(sum);
  return std::make_shared<FittedSkeleton>(std::move(formula),
                                          std::move(constants));
}

GpEngine::GpEngine(const RegressionProblem& problem, GpOptions options,
                   std::size_t islands, std::uint64_t seed,
                   std::shared_ptr<const archipelago::Evaluator> evaluator,
                   const CancelToken& cancel)
    : problem_(&problem),
      options_(std::move(options)),
      seed_(seed),
      evaluator_(std::move(evaluator)),
      islands_(islands) {
  const Rng rng = Rng(seed_).split("gp");
  for (const GpLink link : kGpLinks) {
    if (!GpData::is_possible(problem, link)) continue;
    // The same rows for all links, since the library has values for these rows.
    datas_.push_back(std::make_unique<GpData>(
        problem, link, GpDataOptions{}, rng.split("rows"),
        datas_.empty() ? nullptr : datas_[0].get()));
  }
  std::vector<std::size_t> inputs(problem.inputs.size());
  std::iota(inputs.begin(), inputs.end(), std::size_t{0});
  library_ = std::make_unique<GpLibrary>(*datas_[0], options_, inputs,
                                         rng.split("library"), false, cancel);
  factors_ = std::make_unique<GpLibrary>(*datas_[0], options_, inputs,
                                         rng.split("factors"), true, cancel);
  for (std::size_t i = 0; i < islands; ++i) {
    begin(islands_[i], i, rng.split("island").split(i));
  }
}

GpEngine::~GpEngine() = default;

const GpLibrary& GpEngine::library_for(const IslandSearch& island) const {
  return datas_[island.data]->link() == GpLink::Log ? *factors_ : *library_;
}

void GpEngine::begin(IslandSearch& island, std::size_t number, Rng rng) {
  // Island 0 always searches without a link, so that one search fits y
  // directly.
  const bool is_linked = number != 0 && rng.chance(0.5);
  island.data = is_linked ? rng.below(datas_.size()) : 0;
  GpOptions options = options_;
  options.max_nodes = draw_size_limit(options_.max_nodes, rng);
  // Undoing the link removes one level: exp(log(f)) is f.
  if (datas_[island.data]->link() == GpLink::Log) ++options.max_nesting;
  const std::uint64_t first_tag = island.search == nullptr
                                      ? ((number + 1) << kTagBits) + 1
                                      : island.search->next_tag();
  island.search =
      std::make_unique<GpSearch>(*datas_[island.data], *datas_[0],
                                 library_for(island), options, first_tag);
  // Most searches start from scratch, to explore; some continue from the
  // archive.
  if (island.data != 0 || !rng.chance(0.3)) return;
  for (const auto& [size, find] : archive_.finds()) {
    if (size <= options.max_nodes) island.search->inject(find.plain);
  }
}

void GpEngine::inject_parents(IslandSearch& island,
                              const std::vector<FunctionPtr>& parents) {
  for (const FunctionPtr& parent : parents) {
    if (parent->origin().engine == name()) continue;
    auto& known = island.injected;
    if (std::find(known.begin(), known.end(), parent->id()) != known.end()) {
      continue;
    }
    known.push_back(parent->id());
    if (known.size() > kRemembered) known.erase(known.begin());
    const auto* skeleton = dynamic_cast<const archipelago::FormulaSkeleton*>(
        parent->skeleton().get());
    if (skeleton == nullptr) continue;
    const std::vector<double>& fitted = parent->evaluation().constants;
    const auto constants =
        fitted.empty() ? skeleton->constants() : std::span(fitted);
    const auto tree = make_gp_tree(skeleton->formula().body, constants,
                                   2 * options_.max_nodes);
    if (!tree) continue;
    GpModel model;
    model.terms = {*tree};
    island.search->inject(model);
  }
}

archipelago::MutationResult GpEngine::make(
    const std::vector<FunctionPtr>& parents,
    const archipelago::MutationContext& context) {
  IslandSearch& island = islands_.at(context.island);
  inject_parents(island, parents);
  const std::uint64_t before = island.search->trials();
  Rng rng = context.rng;
  // With finds still pending, a shorter burst is enough.
  island.search->run(
      island.pending.empty() ? options_.burst : options_.burst / 3, rng,
      context.cancel);
  for (GpFind& find : island.search->take_news()) {
    island.fresh.emplace_back(find.tag, find.parent);
    island.pending.push_back(std::move(find));
  }
  const auto trials =
      static_cast<std::int64_t>(island.search->trials() - before);
  if (island.pending.empty()) {
    return {Error(ErrorCode::FailedPrecondition,
                  "The trials of this mutation found no better formula."),
            {.evaluations = trials}};
  }
  GpFind find = std::move(island.pending.front());
  island.pending.pop_front();
  archipelago::Origin origin;
  origin.engine = name();
  origin.move = std::move(find.move);
  if (const std::uint64_t parent = find_function(island, find.parent)) {
    origin.parents.push_back(parent);
  }
  island.given = find.tag;
  origin.cost.evaluations = trials;
  return std::make_shared<archipelago::Function>(
      0, gp_skeleton(find.plain, *problem_), evaluator_, std::move(origin));
}

void GpEngine::learn(const archipelago::MutationContext& context,
                     const FunctionPtr& made, bool /*improved*/) {
  const std::uint64_t tag = islands_.at(context.island).given;
  if (tag != 0 && made != nullptr) descents_[tag].function = made->id();
}

std::uint64_t GpEngine::find_function(const IslandSearch& island,
                                      std::uint64_t tag) const {
  // Follows the parents until one of them has become a function.
  while (tag != 0) {
    const auto known = descents_.find(tag);
    if (known != descents_.end()) {
      if (known->second.function != 0) return known->second.function;
      tag = known->second.parent;
      continue;
    }
    const auto fresh =
        std::find_if(island.fresh.begin(), island.fresh.end(),
                     [&](const auto& entry) { return entry.first == tag; });
    tag = fresh == island.fresh.end() ? 0 : fresh->second;
  }
  return 0;
}

void GpEngine::end_cycle(std::uint64_t cycle) {
  for (IslandSearch& island : islands_) {
    for (const auto& [tag, parent] : island.fresh) {
      descents_[tag].parent = parent;
    }
    island.fresh.clear();
    island.given = 0;
  }
  Rng rng = Rng(seed_).split("gp").split("cycle").split(cycle);
  share_finds(rng);
  for (std::size_t i = 0; i < islands_.size(); ++i) {
    if (islands_[i].search->stalled() < options_.patience) continue;
    begin(islands_[i], i, rng.split(i));
  }
}

void GpEngine::share_finds(Rng& rng) {
  std::vector<GpTree> parts;
  for (IslandSearch& island : islands_) {
    for (const auto& [size, find] : island.search->archive().finds()) {
      if (!archive_.insert(find)) continue;
      for (const GpTree& term : find.plain.terms) {
        parts.push_back(term);
        parts.push_back(subtree(term, rng.below(term.size())));
      }
    }
  }
  // Finds that another island has beaten since need not be returned.
  for (IslandSearch& island : islands_) {
    std::erase_if(island.pending, [&](const GpFind& find) {
      const auto& finds = archive_.finds();
      const auto at = finds.find(find.plain.size());
      return at == finds.end() || at->second.plain.nmse < find.plain.nmse;
    });
  }
  library_->refresh(parts, kRefreshed, rng);
  factors_->refresh(parts, kRefreshed, rng);
}

Json GpEngine::state() const {
  Json islands = Json::array();
  for (const IslandSearch& island : islands_) {
    Json pending = Json::array();
    for (const GpFind& find : island.pending) {
      pending.push_back(gp_find_to_json(find));
    }
    islands.push_back({{"data", island.data},
                       {"most_nodes", island.search->options().max_nodes},
                       {"search", island.search->state()},
                       {"pending", std::move(pending)},
                       {"injected", island.injected}});
  }
  const auto trees_of = [](const GpLibrary& library) {
    Json trees = Json::array();
    for (const GpTree& tree : library.trees()) {
      trees.push_back(gp_tree_to_json(tree));
    }
    return trees;
  };
  Json descents = Json::array();
  for (const auto& [tag, descent] : descents_) {
    descents.push_back({tag, descent.parent, descent.function});
  }
  return {{"islands", std::move(islands)},
          {"descents", std::move(descents)},
          {"library", trees_of(*library_)},
          {"factors", trees_of(*factors_)},
          {"archive", archive_.state()}};
}

Result<void> GpEngine::restore(const Json& state) {
  const std::size_t inputs = problem_->inputs.size();
  ASSIGN_OR_RETURN(const Json islands, json_field<Json>(state, "islands"));
  if (islands.size() != islands_.size()) {
    return Error(ErrorCode::DataDamaged,
                 "The state of the genetic engine must have " +
                     std::to_string(islands_.size()) + " islands, got " +
                     std::to_string(islands.size()) + ".");
  }
  const auto restore_library = [&](const char* name,
                                   GpLibrary& library) -> Result<void> {
    ASSIGN_OR_RETURN(const Json items, json_field<Json>(state, name));
    std::vector<GpTree> trees;
    for (const Json& item : items) {
      ASSIGN_OR_RETURN(GpTree tree, gp_tree_from_json(item, inputs));
      trees.push_back(std::move(tree));
    }
    library.restore(std::move(trees));
    return {};
  };
  RETURN_IF_ERROR(restore_library("library", *library_));
  RETURN_IF_ERROR(restore_library("factors", *factors_));
  ASSIGN_OR_RETURN(const Json archive, json_field<Json>(state, "archive"));
  RETURN_IF_ERROR(archive_.restore(archive, inputs));
  ASSIGN_OR_RETURN(const Json descents, json_field<Json>(state, "descents"));
  descents_.clear();
  for (const Json& item : descents) {
    if (!item.is_array() || item.size() != 3 ||
        !std::all_of(item.begin(), item.end(), [](const Json& number) {
          return number.is_number_unsigned();
        })) {
      return Error(
          ErrorCode::DataDamaged,
          "The state of the genetic engine is damaged: a descent must be "
          "three unsigned integers, got " +
              item.dump() + ".");
    }
    descents_[item[0].get<std::uint64_t>()] = {
        .parent = item[1].get<std::uint64_t>(),
        .function = item[2].get<std::uint64_t>()};
  }
  for (std::size_t i = 0; i < islands_.size(); ++i) {
    IslandSearch& island = islands_[i];
    ASSIGN_OR_RETURN(const std::int64_t data,
                     json_field<std::int64_t>(islands[i], "data"));
    ASSIGN_OR_RETURN(const std::int64_t nodes,
                     json_field<std::int64_t>(islands[i], "most_nodes"));
    island.data = std::min<std::size_t>(static_cast<std::size_t>(data),
                                        datas_.size() - 1);
    GpOptions options = options_;
    options.max_nodes = static_cast<std::size_t>(nodes);
    if (datas_[island.data]->link() == GpLink::Log) ++options.max_nesting;
    island.search = std::make_unique<GpSearch>(*datas_[island.data], *datas_[0],
                                               library_for(island), options);
    ASSIGN_OR_RETURN(const Json search, json_field<Json>(islands[i], "search"));
    RETURN_IF_ERROR(island.search->restore(search));
    ASSIGN_OR_RETURN(const Json pending,
                     json_field<Json>(islands[i], "pending"));
    island.pending.clear();
    for (const Json& item : pending) {
      ASSIGN_OR_RETURN(GpFind find, gp_find_from_json(item, inputs));
      island.pending.push_back(std::move(find));
    }
    island.injected.clear();
    ASSIGN_OR_RETURN(const Json injected,
                     json_field<Json>(islands[i], "injected"));
    for (const Json& id : injected) {
      if (!id.is_number_unsigned()) {
        return Error(
            ErrorCode::DataDamaged,
            "The state of the genetic engine is damaged: a function id "
            "must be an unsigned integer, got " +
                id.dump() + ".");
      }
      island.injected.push_back(id.get<std::uint64_t>());
    }
  }
  return {};
}

}  // namespace lamarck::gp
