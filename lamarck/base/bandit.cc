#include "lamarck/base/bandit.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/portable_math.h"

namespace lamarck {

Bandit::Bandit(std::size_t arms, BanditOptions options)
    : options_(options), arms_(arms) {}

std::size_t Bandit::choose() const {
  double total = 0;
  for (const Arm& arm : arms_) {
    if (!arm.retired) total += static_cast<double>(arm.tries + arm.pending);
  }
  // The platform's log may differ in the last bit and break a tie differently.
  const double log_total = total > 0 ? portable_log(total) : 0;
  std::size_t best = arms_.size();
  double best_index = 0;
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    if (arms_[i].retired) continue;
    const double own = index(arms_[i], log_total);
    if (best == arms_.size() || own > best_index) {
      best = i;
      best_index = own;
    }
  }
  REQUIRE(best < arms_.size(),
          "Bandit::choose: at least one of the {} arms must not be retired.",
          arms_.size());
  return best;
}

double Bandit::index(const Arm& arm, double log_total) const {
  // Pending tries shrink the bonus but earn nothing, so several workers do not
  // all pick the same arm.
  const double n = static_cast<double>(arm.tries + arm.pending);
  if (n == 0) return std::numeric_limits<double>::infinity();
  const double tried = static_cast<double>(arm.tries);
  const double mean = arm.tries > 0 ? arm.reward / tried : 0;
  const double bound = mean + options_.exploration * std::sqrt(log_total / n);
  if (!options_.cost_aware || arm.tries == 0) return bound;
  return bound / (arm.cost / tried);
}

std::size_t Bandit::begin() {
  const std::size_t arm = choose();
  ++arms_[arm].pending;
  return arm;
}

void Bandit::update(std::size_t arm, double reward, double cost) {
  REQUIRE(std::isfinite(reward),
          "Bandit::update: reward must be finite, got {}.", reward);
  REQUIRE(std::isfinite(cost) && (cost > 0 || !options_.cost_aware),
          "Bandit::update: cost must be finite, and positive if cost_aware is "
          "set, got {}.",
          cost);
  Arm& own = at(arm);
  if (own.pending > 0) --own.pending;
  ++own.tries;
  own.reward += reward;
  own.cost += cost;
}

void Bandit::abandon(std::size_t arm) {
  REQUIRE(at(arm).pending > 0,
          "Bandit::abandon: arm {} has no pending try; call begin() first.",
          arm);
  --at(arm).pending;
}

std::size_t Bandit::add_arm() {
  arms_.emplace_back();
  return arms_.size() - 1;
}

void Bandit::retire(std::size_t arm) { at(arm).retired = true; }

Bandit::Arm& Bandit::at(std::size_t arm) {
  REQUIRE(arm < arms_.size(), "Bandit: arm must be below {}, got {}.",
          arms_.size(), arm);
  return arms_[arm];
}

const Bandit::Arm& Bandit::at(std::size_t arm) const {
  return const_cast<Bandit&>(*this).at(arm);
}

double Bandit::mean_reward(std::size_t arm) const {
  const Arm& own = at(arm);
  return own.tries > 0 ? own.reward / static_cast<double>(own.tries) : 0;
}

double Bandit::mean_cost(std::size_t arm) const {
  const Arm& own = at(arm);
  return own.tries > 0 ? own.cost / static_cast<double>(own.tries) : 0;
}

Json Bandit::to_json() const {
  Json arms = Json::array();
  for (const Arm& arm : arms_) {
    arms.push_back({{"tries", arm.tries},
                    {"reward", arm.reward},
                    {"cost", arm.cost},
                    {"retired", arm.retired}});
  }
  return {{"arms", arms}};
}

Result<Bandit> Bandit::from_json(const Json& json, BanditOptions options) {
  ASSIGN_OR_RETURN(const Json arms, json_field<Json>(json, "arms"));
  if (!arms.is_array()) {
    return Error(ErrorCode::DataDamaged,
                 "A bandit's field 'arms' must be an array.");
  }
  Bandit bandit(arms.size(), options);
  for (std::size_t i = 0; i < arms.size(); ++i) {
    Arm& arm = bandit.arms_[i];
    ASSIGN_OR_RETURN(const auto tries,
                     json_field<std::int64_t>(arms[i], "tries"));
    ASSIGN_OR_RETURN(arm.reward, json_field<double>(arms[i], "reward"));
    ASSIGN_OR_RETURN(arm.cost, json_field<double>(arms[i], "cost"));
    ASSIGN_OR_RETURN(arm.retired, json_field<bool>(arms[i], "retired"));
    const bool is_cost_wrong = options.cost_aware && tries > 0 && arm.cost <= 0;
    if (tries < 0 || is_cost_wrong) {
      return Error(
          ErrorCode::DataDamaged,
          fmt::format(
              "Bandit arm {}: 'tries' must not be negative, and 'cost' must be "
              "positive for a tried arm of a cost-aware bandit; got {} and {}.",
              i, tries, arm.cost));
    }
    arm.tries = static_cast<std::uint64_t>(tries);
  }
  return bandit;
}

}  // namespace lamarck
