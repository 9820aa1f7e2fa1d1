#include "lamarck/base/bandit.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "lamarck/base/ensure.h"
#include "lamarck/base/portable_math.h"

namespace lamarck {

Bandit::Bandit(std::size_t arms, BanditOptions options)
    : options_(options), arms_(arms) {}

std::size_t Bandit::choose() const {
  double total = 0;
  for (const Arm& arm : arms_) {
    if (!arm.retired) total += static_cast<double>(arm.tries + arm.pending);
  }
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
  ENSURE(best < arms_.size(), "a bandit has an arm that is not retired");
  return best;
}

double Bandit::index(const Arm& arm, double log_total) const {
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
  ENSURE(std::isfinite(reward), "a reward is a finite number");
  ENSURE(std::isfinite(cost) && (cost > 0 || !options_.cost_aware),
         "a cost is a finite number, above 0 where it is compared");
  Arm& own = arms_.at(arm);
  if (own.pending > 0) --own.pending;
  ++own.tries;
  own.reward += reward;
  own.cost += cost;
}

void Bandit::abandon(std::size_t arm) {
  ENSURE(arms_.at(arm).pending > 0, "only a try that began is abandoned");
  --arms_[arm].pending;
}

std::size_t Bandit::add_arm() {
  arms_.emplace_back();
  return arms_.size() - 1;
}

void Bandit::retire(std::size_t arm) { arms_.at(arm).retired = true; }

double Bandit::mean_reward(std::size_t arm) const {
  const Arm& own = arms_.at(arm);
  return own.tries > 0 ? own.reward / static_cast<double>(own.tries) : 0;
}

double Bandit::mean_cost(std::size_t arm) const {
  const Arm& own = arms_.at(arm);
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
    if (tries < 0) {
      return Error(ErrorCode::DataDamaged,
                   "A bandit's field 'tries' is below 0.");
    }
    arm.tries = static_cast<std::uint64_t>(tries);
  }
  return bandit;
}

}  // namespace lamarck
