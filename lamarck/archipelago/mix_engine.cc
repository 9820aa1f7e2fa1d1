#include "lamarck/archipelago/mix_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "lamarck/archipelago/internal/evolver_ending.h"
#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"

namespace lamarck::archipelago {
namespace {

// The highest reward of a mutation that does not improve its island. It is
// small, so that an engine cannot win with mediocre functions.
constexpr double kMaxRewardWithoutGain = 0.25;

BanditOptions bandit_options(const MixOptions& options) {
  return {.exploration = options.exploration, .cost_aware = true};
}

double weigh(const MixCosts& costs, const MutationCost& cost) {
  const auto tokens = static_cast<double>(cost.tokens_in + cost.tokens_out);
  return costs.mutation +
         costs.evaluation * static_cast<double>(cost.evaluations) +
         costs.token * tokens +
         costs.money_micro * static_cast<double>(cost.money_micros);
}

}  // namespace

MixEngine::MixEngine(std::vector<std::shared_ptr<MutationEngine>> engines,
                     MixOptions options)
    : engines_(std::move(engines)),
      options_(options),
      bandit_(engines_.size(), bandit_options(options)) {
  REQUIRE(!engines_.empty(), "MixEngine: at least one engine is needed.");
  REQUIRE(options_.costs.mutation > 0,
          "MixEngine: costs.mutation must be positive, got {}.",
          options_.costs.mutation);
  for (const auto& engine : engines_) {
    REQUIRE(engine != nullptr,
            "MixEngine: an engine is null; pass only valid engines.");
  }
}

// Simulates the choices of all islands up to this one on a copy of the bandit.
// This gives each island the same engine whatever the order of the threads.
std::size_t MixEngine::choose_arm(std::size_t island) const {
  Bandit bandit = bandit_;
  std::size_t arm = bandit.begin();
  for (std::size_t i = 0; i < island; ++i) arm = bandit.begin();
  return arm;
}

MutationResult MixEngine::make(const std::vector<FunctionPtr>& parents,
                               const MutationContext& context) {
  const std::size_t arm = choose_arm(context.island);
  auto made = engines_[arm]->mutate(parents, context);
  const Try attempt{.arm = arm,
                    .cost = weigh(options_.costs, made.cost()),
                    .has_final_error = !made && is_final(made.error())};
  const std::lock_guard lock(mutex_);
  tries_[context.island] = attempt;
  return made;
}

void MixEngine::learn(const MutationContext& context, const FunctionPtr& made,
                      bool improved) {
  std::size_t arm = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto found = tries_.find(context.island);
    if (found == tries_.end()) return;
    found->second.is_improved = improved;
    found->second.made = made;
    arm = found->second.arm;
  }
  engines_[arm]->learn(context, made, improved);
}

double MixEngine::reward(const Try& done) const {
  if (done.is_improved) return 1;
  if (done.made == nullptr || recent_.empty()) return 0;
  const double score = done.made->score();
  const auto worse = std::count_if(recent_.begin(), recent_.end(),
                                   [&](double each) { return each < score; });
  return kMaxRewardWithoutGain * static_cast<double>(worse) /
         static_cast<double>(recent_.size());
}

void MixEngine::remember(const Try& done) {
  if (done.made == nullptr || !std::isfinite(done.made->score())) return;
  recent_.push_back(done.made->score());
  if (recent_.size() > options_.recent) recent_.pop_front();
}

// The last working engine is never retired.
void MixEngine::retire(std::size_t arm) {
  std::size_t working = 0;
  for (std::size_t i = 0; i < bandit_.arm_count(); ++i) {
    working += bandit_.is_retired(i) ? 0 : 1;
  }
  if (!bandit_.is_retired(arm) && working > 1) bandit_.retire(arm);
}

void MixEngine::end_cycle(std::uint64_t cycle) {
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [island, done] : tries_) {
      bandit_.update(done.arm, reward(done), done.cost);
      remember(done);
      if (done.has_final_error) retire(done.arm);
    }
    tries_.clear();
  }
  for (const auto& engine : engines_) engine->end_cycle(cycle);
  retire_ended();
}

void MixEngine::retire_ended() {
  for (std::size_t arm = 0; arm < engines_.size(); ++arm) {
    if (engines_[arm]->ending()) retire(arm);
  }
}

void MixEngine::see_best(const FunctionPtr& best) {
  for (const auto& engine : engines_) engine->see_best(best);
  retire_ended();
}

void MixEngine::add_spent(const BudgetAmounts& before) {
  for (const auto& engine : engines_) engine->add_spent(before);
}

std::optional<EngineEnding> MixEngine::ending() const {
  std::optional<EngineEnding> last;
  for (const auto& engine : engines_) {
    auto ending = engine->ending();
    if (!ending) return std::nullopt;
    last = std::move(ending);
  }
  return last;
}

std::vector<std::string> MixEngine::notes() const {
  std::vector<std::string> notes;
  for (const auto& engine : engines_) {
    if (const auto ending = engine->ending()) notes.push_back(ending->reason);
  }
  return notes;
}

void MixEngine::reset_island(std::size_t island, const FunctionPtr& founder) {
  for (const auto& engine : engines_) engine->reset_island(island, founder);
}

Json MixEngine::state() const {
  Json engines = Json::array();
  for (const auto& engine : engines_) {
    engines.push_back({{"name", engine->name()}, {"state", engine->state()}});
  }
  return {{"bandit", bandit_.to_json()},
          {"recent", recent_},
          {"engines", std::move(engines)}};
}

Result<void> MixEngine::restore(const Json& state) {
  ASSIGN_OR_RETURN(const Json engines, json_field<Json>(state, "engines"));
  ASSIGN_OR_RETURN(Json bandit, json_field<Json>(state, "bandit"));
  ASSIGN_OR_RETURN(const Json recent, json_field<Json>(state, "recent"));
  if (engines.size() != engines_.size()) {
    return Error(
        ErrorCode::FailedPrecondition,
        fmt::format("The run mixed {} engines, but now there are {}; use the "
                    "same engines.",
                    engines.size(), engines_.size()));
  }
  for (std::size_t i = 0; i < engines_.size(); ++i) {
    ASSIGN_OR_RETURN(const auto name,
                     json_field<std::string>(engines.at(i), "name"));
    if (name != engines_[i]->name()) {
      return Error(ErrorCode::FailedPrecondition,
                   fmt::format("Engine {} of the mix must be {}, got {}.",
                               i + 1, name, engines_[i]->name()));
    }
    RETURN_IF_ERROR(engines_[i]->restore(engines.at(i).at("state")));
  }
  // Resuming a run tries all engines again: a model server may be back.
  if (bandit.contains("arms") && bandit["arms"].is_array()) {
    for (Json& arm : bandit["arms"]) arm["retired"] = false;
  }
  ASSIGN_OR_RETURN(bandit_,
                   Bandit::from_json(bandit, bandit_options(options_)));
  recent_ = recent.get<std::deque<double>>();
  return {};
}

}  // namespace lamarck::archipelago
