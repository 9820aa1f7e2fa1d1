#include "lamarck/archipelago/evolver_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "lamarck/base/ensure.h"
#include "lamarck/base/one_line.h"

namespace lamarck::archipelago {
namespace {

// Messages may quote a model's answer, so their number and length are limited.
constexpr std::size_t kMaxReasons = 100;
constexpr std::size_t kMaxReasonLength = 200;
constexpr const char* kOtherReasons = "other reasons";

bool is_evaluated_now(EvaluationSource evaluation_source) {
  return evaluation_source != EvaluationSource::Reused &&
         evaluation_source != EvaluationSource::Duplicate;
}

}  // namespace

Rng reset_stream(std::uint64_t seed, std::uint64_t cycle) {
  return Rng(seed).split("reset").split(cycle);
}

EvolverState::EvolverState(const EvolverOptions& options,
                           MutationEngine& engine)
    : options_(options), engine_(&engine), memory_(options.max_remembered) {
  REQUIRE(options_.num_islands > 0,
          "EvolverOptions: num_islands must be at least 1, got {}.",
          options_.num_islands);
}

void EvolverState::add_first(Function& fn) {
  assign_id(fn);
  ++counts_.evaluations;
  memory_.remember(fn);
}

void EvolverState::create_islands(const std::vector<FunctionPtr>& first) {
  REQUIRE(
      !first.empty(),
      "EvolverState::create_islands: at least one first function is needed.");
  REQUIRE(islands_.empty(),
          "EvolverState::create_islands: must not be called twice.");
  for (std::size_t i = 0; i < options_.num_islands; ++i) {
    islands_.push_back(std::make_unique<Island>(options_.island, *engine_,
                                                first[i % first.size()]));
  }
  best_ = *std::max_element(
      first.begin(), first.end(),
      [](const auto& a, const auto& b) { return a->score() < b->score(); });
}

bool EvolverState::would_be_best(const Function& fn) const {
  return best_ == nullptr || fn.score() > best_->score();
}

Gain EvolverState::take(const FunctionPtr& fn, std::size_t island,
                        EvaluationSource evaluation_source, bool is_rejected) {
  count(*fn, evaluation_source, is_rejected);
  if (is_evaluated_now(evaluation_source)) memory_.remember(*fn);
  if (evaluation_source == EvaluationSource::Duplicate || is_rejected ||
      fn->evaluation().failure) {
    return {};
  }
  ++counts_.stored;
  // best_ is separate from the islands, which lose their functions in a reset.
  Gain gain{.is_island_best = false, .is_best = would_be_best(*fn)};
  if (gain.is_best) best_ = fn;
  gain.is_island_best = islands_.at(island)->store(fn);
  return gain;
}

void EvolverState::count(const Function& fn, EvaluationSource evaluation_source,
                         bool is_rejected) {
  ++counts_.made;
  errors_in_row_ = 0;
  duplicates_in_row_ = evaluation_source == EvaluationSource::Duplicate
                           ? duplicates_in_row_ + 1
                           : 0;
  counts_.duplicates +=
      evaluation_source == EvaluationSource::Duplicate ? 1 : 0;
  counts_.reused += evaluation_source == EvaluationSource::Reused ? 1 : 0;
  counts_.rejected += is_rejected ? 1 : 0;
  add_cost(fn.origin().cost);
  if (evaluation_source == EvaluationSource::Fresh) ++counts_.evaluations;
  if (!is_evaluated_now(evaluation_source) || !fn.evaluation().failure) return;
  ++counts_.failed;
  add_reason(*fn.evaluation().failure);
}

void EvolverState::take_error(std::string_view message,
                              const MutationCost& cost) {
  ++counts_.errors;
  ++errors_in_row_;
  add_cost(cost);
  add_reason(message);
}

void EvolverState::add_cost(const MutationCost& cost) {
  counts_.evaluations += cost.evaluations;
  counts_.cost.evaluations += cost.evaluations;
  counts_.cost.tokens_in += cost.tokens_in;
  counts_.cost.tokens_out += cost.tokens_out;
  counts_.cost.money_micros += cost.money_micros;
}

void EvolverState::add_reason(std::string_view sentence) {
  std::string reason = one_line(sentence, kMaxReasonLength);
  if (counts_.reasons.size() >= kMaxReasons &&
      !counts_.reasons.contains(reason)) {
    reason = kOtherReasons;
  }
  ++counts_.reasons[reason];
}

std::size_t EvolverState::best_island() const {
  std::size_t best = 0;
  for (std::size_t i = 1; i < islands_.size(); ++i) {
    if (islands_[i]->best_fn()->score() > islands_[best]->best_fn()->score()) {
      best = i;
    }
  }
  return best;
}

Reset EvolverState::plan_reset(Rng rng) const {
  std::vector<std::size_t> order(islands_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // A stable sort makes the plan reproducible when scores are equal.
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    return islands_[a]->best_fn()->score() > islands_[b]->best_fn()->score();
  });
  const std::size_t staying = order.size() - order.size() / 2;
  Reset reset;
  reset.removed.assign(order.begin() + static_cast<std::ptrdiff_t>(staying),
                       order.end());
  std::sort(reset.removed.begin(), reset.removed.end());
  for (std::size_t i = 0; i < reset.removed.size(); ++i) {
    const std::size_t rank =
        options_.founder == Founder::BestOfAll ? 0 : rng.below(staying);
    reset.founders.push_back(islands_[order[rank]]->best_fn()->id());
  }
  return reset;
}

FunctionPtr EvolverState::find_founder(std::uint64_t id) const {
  for (const auto& island : islands_) {
    if (island->best_fn()->id() == id) return island->best_fn();
  }
  return nullptr;
}

Result<void> EvolverState::reset(const Reset& reset) {
  // All founders are looked up before any island is replaced, so that an error
  // leaves the state unchanged.
  std::vector<FunctionPtr> founders;
  for (const std::uint64_t id : reset.founders) {
    founders.push_back(find_founder(id));
    if (founders.back() != nullptr) continue;
    return Error(
        ErrorCode::DataDamaged,
        fmt::format("The reset starts an island from function {}, which "
                    "is not the best function of any island.",
                    id));
  }
  for (std::size_t i = 0; i < reset.removed.size(); ++i) {
    islands_.at(reset.removed[i]) =
        std::make_unique<Island>(options_.island, *engine_, founders.at(i));
  }
  ++counts_.resets;
  evaluations_at_reset_ = counts_.evaluations;
  return {};
}

}  // namespace lamarck::archipelago
