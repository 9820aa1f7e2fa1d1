#include "lamarck/gp/gp_engine.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/gp/find_views.h"
#include "lamarck/gp/gp_json.h"
#include "lamarck/gp/gp_normalise.h"
#include "lamarck/gp/unit_views.h"

namespace lamarck::gp {

using archipelago::FunctionPtr;
using formula::Op;

namespace {

constexpr std::size_t kRefreshed = 60;  // Trees of the library per cycle.
constexpr unsigned kTagBits = 32;  // The bits above hold the island's number.
constexpr std::size_t kRemembered = 64;  // Injected parents per island.
constexpr std::size_t kMaxViews = 3;
constexpr std::size_t kMaxUnitViews = 3;
constexpr double kViewShare = 0.65;  // Of the searches, once there are views.
constexpr double kLastViewShare = 0.6;
constexpr std::size_t kShortNodes = 8;
constexpr std::size_t kNodesPerInput = 6;

// Draws a size limit. Some searches look only for small formulas, which would
// lose against large ones in the same population.
std::size_t draw_size_limit(std::size_t max, Rng& rng) {
  constexpr std::array kShares = {0.3, 0.45, 0.7, 1.0};
  const double share = kShares[rng.below(kShares.size())];
  return std::max<std::size_t>(
      static_cast<std::size_t>(share * static_cast<double>(max)),
      std::min<std::size_t>(max, 8));
}

// The same for a view, whose laws are shorter the fewer inputs it has. Half of
// the searches keep to short formulas, which would lose against long ones with
// tiny errors.
std::size_t draw_view_size_limit(std::size_t max, std::size_t inputs,
                                 Rng& rng) {
  if (rng.chance(0.5)) return draw_size_limit(max, rng);
  return std::min(max, kShortNodes + kNodesPerInput * inputs);
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
  scenes_.push_back(std::make_unique<GpScene>(problem, options_, rng, cancel));
  if (has_units()) {
    for (const GpView& view :
         unit_views(problem, plain_view(problem.inputs.size()),
                    *problem.dimensions, kMaxUnitViews)) {
      add_scene(view, cancel);
    }
  }
  for (std::size_t i = 0; i < islands; ++i) {
    begin(islands_[i], i, rng.split("island").split(i));
  }
  inject_laws();
}

GpEngine::~GpEngine() = default;

void GpEngine::make_search(IslandSearch& island, std::size_t max_nodes,
                           std::uint64_t first_tag) {
  const GpScene& scene = *scenes_[island.scene];
  const GpData& data = scene.data(island.data);
  GpOptions options = options_;
  options.max_nodes = max_nodes;
  if (scene.view() != nullptr) options.max_plain_nodes = options_.max_nodes;
  // Undoing the link removes one level: exp(log(f)) is f.
  if (data.link() == GpLink::Log) ++options.max_nesting;
  island.is_changed = true;
  island.search = std::make_unique<GpSearch>(data, scenes_[0]->data(0),
                                             scene.library(island.data),
                                             options, first_tag);
}

void GpEngine::begin(IslandSearch& island, std::size_t number, Rng rng) {
  // Island 0 always searches the problem as it is and without a link, so that
  // one search fits y directly. With units, only views are searched.
  const bool is_free = number != 0 || islands_.size() == 1 || has_units();
  island.scene = 0;
  if (is_free && scenes_.size() > 1 &&
      (has_units() || rng.chance(kViewShare))) {
    // The last view has the fewest inputs.
    island.scene = rng.chance(kLastViewShare)
                       ? scenes_.size() - 1
                       : 1 + rng.below(scenes_.size() - 1);
  }
  island.data = draw_link(island.scene, number, rng);
  const std::uint64_t first_tag = island.search == nullptr
                                      ? ((number + 1) << kTagBits) + 1
                                      : island.search->next_tag();
  const GpScene& scene = *scenes_[island.scene];
  const std::size_t max_nodes =
      island.scene == 0
          ? draw_size_limit(options_.max_nodes, rng)
          : draw_view_size_limit(options_.max_nodes,
                                 scene.data(0).input_count(), rng);
  make_search(island, max_nodes, first_tag);
  // Most searches start from scratch, to explore; some continue from the
  // archive.
  if (island.scene != 0 || island.data != 0 || !rng.chance(0.3)) return;
  for (const auto& [size, find] : archive_.finds()) {
    if (size <= max_nodes) island.search->inject(find.plain);
  }
}

// In a view, the searches try all links in turn: with few inputs, the right
// link matters more than the search. One of them more often fits y directly.
std::size_t GpEngine::draw_link(std::size_t scene, std::size_t number,
                                Rng& rng) {
  const std::size_t links = scenes_[scene]->data_count();
  if (scene == 0) {
    const bool is_linked = number != 0 && rng.chance(0.5);
    return is_linked ? rng.below(links) : 0;
  }
  return view_searches_++ % (links + 1) % links;
}

// The analysis takes about a second, so simple laws are found without it.
bool GpEngine::needs_views() const {
  if (has_looked_) return false;
  std::uint64_t trials = 0;
  for (const IslandSearch& island : islands_) trials += island.trials;
  return trials >= options_.trials_before_views;
}

// Depends on the problem and the seed alone, so that a checkpoint needs no
// views.
void GpEngine::add_views(const CancelToken& cancel) {
  has_looked_ = true;
  const std::vector<GpView> chain =
      find_views(*problem_, plain_view(problem_->inputs.size()), cancel);
  const std::size_t first = chain.size() - std::min(chain.size(), kMaxViews);
  for (std::size_t i = first; i < chain.size(); ++i) {
    if (!has_units()) {
      add_scene(chain[i], cancel);
      continue;
    }
    for (const GpView& view :
         unit_views(*problem_, chain[i], *problem_->dimensions, 1)) {
      add_scene(view, cancel);
    }
  }
}

void GpEngine::add_scene(const GpView& view, const CancelToken& cancel) {
  if (view.inputs.empty()) {
    laws_.push_back(view.factor);
    return;
  }
  ViewedProblem seen = viewed(*problem_, view);
  if (!seen.is_finite()) return;
  const Rng rng = Rng(seed_).split("gp").split("view").split(scenes_.size());
  scenes_.push_back(
      std::make_unique<GpScene>(std::move(seen), options_, rng, cancel));
}

bool GpEngine::has_units() const {
  return problem_->dimensions && !problem_->dimensions->are_plain();
}

void GpEngine::inject_laws() {
  for (const GpTree& law : laws_) {
    if (law.empty()) continue;
    GpModel model;
    model.terms = {law};
    model.has_intercept = !has_units();
    islands_[0].is_changed = true;
    islands_[0].search->inject(model);
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
    island.is_changed = true;
    island.search->inject(model);
  }
}

void GpEngine::begin_burst(IslandSearch& island,
                           const std::vector<FunctionPtr>& parents) {
  inject_parents(island, parents);
  island.trials_before = island.search->trials();
}

// With finds still pending, a shorter burst is enough.
std::size_t GpEngine::burst_of(const IslandSearch& island) const {
  return island.pending.empty() ? options_.burst : options_.burst / 3;
}

archipelago::MutationResult GpEngine::make(
    const std::vector<FunctionPtr>& parents,
    const archipelago::MutationContext& context) {
  IslandSearch& island = islands_.at(context.island);
  island.cancel = context.cancel;
  if (!std::exchange(island.is_searched, false)) {
    begin_burst(island, parents);
    Rng rng = context.rng;
    island.search->run(burst_of(island), rng, context.cancel);
  }
  for (GpFind& find : island.search->take_news()) {
    island.fresh.emplace_back(find.tag, find.parent);
    island.pending.push_back(std::move(find));
  }
  const auto trials =
      static_cast<std::int64_t>(island.search->trials() - island.trials_before);
  island.trials += static_cast<std::uint64_t>(trials);
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
  const bool looks = needs_views();
  if (change_) change_->has_new_views = looks;
  if (looks) {
    add_views(islands_[0].cancel);
    inject_laws();
  }
  const bool has_new = looks && scenes_.size() > 1;
  for (std::size_t i = 0; i < islands_.size(); ++i) {
    const bool is_stalled = islands_[i].search->stalled() >= options_.patience;
    if (is_stalled || (has_new && i > 0)) begin(islands_[i], i, rng.split(i));
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
  if (change_) change_ = SceneChange{.parts = parts, .rng = rng.to_string()};
  refresh_scenes(parts, rng);
}

void GpEngine::refresh_scenes(const std::vector<GpTree>& parts, Rng& rng) {
  for (const auto& scene : scenes_) {
    // What was found is written in the inputs of the problem.
    scene->refresh(scene->view() == nullptr ? parts : std::vector<GpTree>{},
                   kRefreshed, rng);
  }
}

Json GpEngine::search_state(const IslandSearch& island) const {
  return {{"scene", island.scene},
          {"data", island.data},
          {"most_nodes", island.search->options().max_nodes},
          {"search", island.search->state()}};
}

Result<void> GpEngine::restore_search(IslandSearch& island, const Json& state) {
  ASSIGN_OR_RETURN(const std::int64_t scene,
                   json_field<std::int64_t>(state, "scene"));
  ASSIGN_OR_RETURN(const std::int64_t data,
                   json_field<std::int64_t>(state, "data"));
  ASSIGN_OR_RETURN(const std::int64_t nodes,
                   json_field<std::int64_t>(state, "most_nodes"));
  island.scene = std::min<std::size_t>(static_cast<std::size_t>(scene),
                                       scenes_.size() - 1);
  island.data = std::min<std::size_t>(static_cast<std::size_t>(data),
                                      scenes_[island.scene]->data_count() - 1);
  make_search(island, static_cast<std::size_t>(nodes), 1);
  ASSIGN_OR_RETURN(const Json search, json_field<Json>(state, "search"));
  return island.search->restore(search);
}

Json GpEngine::scenes_state() const {
  Json scenes = Json::array();
  for (const auto& scene : scenes_) scenes.push_back(scene->state());
  return {{"scenes", std::move(scenes)}, {"has_looked", has_looked_}};
}

Result<void> GpEngine::restore_scenes(const Json& state) {
  ASSIGN_OR_RETURN(const Json scenes, json_field<Json>(state, "scenes"));
  ASSIGN_OR_RETURN(const bool has_looked,
                   json_field<bool>(state, "has_looked"));
  if (has_looked && !has_looked_) add_views({});
  if (!scenes.is_array() || scenes.size() != scenes_.size()) {
    return Error(ErrorCode::DataDamaged,
                 "The state of the genetic engine must have " +
                     std::to_string(scenes_.size()) + " scenes, got " +
                     std::to_string(scenes.size()) + ".");
  }
  for (std::size_t i = 0; i < scenes_.size(); ++i) {
    RETURN_IF_ERROR(scenes_[i]->restore(scenes[i]));
  }
  return {};
}

Json GpEngine::state() const {
  Json islands = Json::array();
  for (const IslandSearch& island : islands_) {
    Json pending = Json::array();
    for (const GpFind& find : island.pending) {
      pending.push_back(gp_find_to_json(find));
    }
    Json all = search_state(island);
    all["trials"] = island.trials;
    all["pending"] = std::move(pending);
    all["injected"] = island.injected;
    islands.push_back(std::move(all));
  }
  Json descents = Json::array();
  for (const auto& [tag, descent] : descents_) {
    descents.push_back({tag, descent.parent, descent.function});
  }
  Json state = scenes_state();
  state["view_searches"] = view_searches_;
  state["islands"] = std::move(islands);
  state["descents"] = std::move(descents);
  state["archive"] = archive_.state();
  state["view_searches"] = view_searches_;
  return state;
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
  RETURN_IF_ERROR(restore_scenes(state));
  view_searches_ = 0;
  if (state.contains("view_searches")) {  // Older states lack it.
    ASSIGN_OR_RETURN(const std::int64_t view_searches,
                     json_field<std::int64_t>(state, "view_searches"));
    view_searches_ = static_cast<std::uint64_t>(view_searches);
  }
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
    ASSIGN_OR_RETURN(const std::int64_t trials,
                     json_field<std::int64_t>(islands[i], "trials"));
    island.trials = static_cast<std::uint64_t>(trials);
    RETURN_IF_ERROR(restore_search(island, islands[i]));
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
