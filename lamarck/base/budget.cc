#include "lamarck/base/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "lamarck/base/display_number.h"
#include "lamarck/base/ensure.h"

namespace lamarck {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

// A resource counted in units. All code below iterates over kCountables.
struct Countable {
  Resource resource;
  std::string_view noun;  // For messages, such as "evaluations".
  std::string_view one;   // The noun for one unit.
  std::int64_t BudgetAmounts::*amount;
  std::optional<std::int64_t> BudgetLimits::*limit;
  bool ends_budget = true;  // False: a used-up resource only refuses more.
};

constexpr std::array kCountables = {
    Countable{Resource::Evaluations, "evaluations", "evaluation",
              &BudgetAmounts::evaluations, &BudgetLimits::evaluations},
    Countable{Resource::Tokens, "tokens", "token", &BudgetAmounts::tokens,
              &BudgetLimits::tokens},
    Countable{Resource::Money, "units of money", "unit of money",
              &BudgetAmounts::money_micros, &BudgetLimits::money_micros},
    Countable{Resource::Branches, "branches", "branch",
              &BudgetAmounts::branches, &BudgetLimits::branches, false},
};

std::string quantity(const Countable& countable, std::int64_t amount) {
  if (countable.resource == Resource::Money) {
    return short_number(static_cast<double>(amount) / 1e6, 6);
  }
  return std::to_string(amount);
}

// Providers report amounts, and may report anything; never overflow.
std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    return std::numeric_limits<std::int64_t>::max();
  }
  return sum;
}

void require_not_negative(std::string_view function,
                          const BudgetAmounts& amounts) {
  for (const Countable& countable : kCountables) {
    REQUIRE(amounts.*countable.amount >= 0,
            "{}: {} must not be negative, got {}.", function, countable.noun,
            amounts.*countable.amount);
  }
}

// True from 80 % on. Written so that huge limits do not overflow.
bool is_nearly_spent(std::int64_t spent, std::int64_t limit) {
  return spent >= limit - limit / 5;
}

}  // namespace

std::string_view resource_name(Resource resource) {
  switch (resource) {
    case Resource::WallTime:
      return "wall_time";
    case Resource::Evaluations:
      return "evaluations";
    case Resource::Tokens:
      return "tokens";
    case Resource::Money:
      return "money";
    case Resource::Branches:
      return "branches";
  }
  return "";
}

struct Budget::State {
  State(BudgetLimits given, Clock& time, const BudgetHistory& before)
      : limits(given),
        clock(time),
        start(time.elapsed() - before.wall_time),
        spent(before.spent) {}

  milliseconds wall_time_spent() const {
    return duration_cast<milliseconds>(clock.elapsed() - start);
  }

  // Records new warnings and the end of the budget. Returns the events to send
  // after unlocking, because a profiler may call the budget.
  // REQUIRES: mutex is held.
  std::vector<BudgetEvent> check_limits() {
    std::vector<BudgetEvent> events;
    for (const Countable& countable : kCountables) {
      const auto limit = limits.*countable.limit;
      const std::int64_t used = spent.*countable.amount;
      if (!limit) continue;
      warn(countable.resource, used, *limit, events);
      const bool is_used_up =
          countable.ends_budget && used == *limit && used > 0;
      if (is_used_up || used > *limit) {
        end(used_up(countable), countable.resource, events);
      }
    }
    if (limits.wall_time) {
      const milliseconds used = wall_time_spent();
      warn(Resource::WallTime, used.count(), limits.wall_time->count(), events);
      if (used >= *limits.wall_time) {
        end(fmt::format("The time budget of {} is used up.",
                        to_readable(*limits.wall_time)),
            Resource::WallTime, events);
      }
    }
    return events;
  }

  // "1 evaluation" or "5 branches".
  std::string limit_text(const Countable& countable) const {
    const std::string amount = quantity(countable, *(limits.*countable.limit));
    return fmt::format("{} {}", amount,
                       amount == "1" ? countable.one : countable.noun);
  }

  std::string used_up(const Countable& countable) const {
    return fmt::format("The budget of {} is used up.", limit_text(countable));
  }

  void warn(Resource resource, std::int64_t used, std::int64_t limit,
            std::vector<BudgetEvent>& events) {
    bool& is_warned = warned[static_cast<std::size_t>(resource)];
    if (is_warned || !is_nearly_spent(used, limit)) return;
    is_warned = true;
    events.emplace_back(BudgetWarned{{resource, used, limit}});
  }

  void end(std::string reason, Resource resource,
           std::vector<BudgetEvent>& events) {
    if (ended) return;
    ended = Error(ErrorCode::BudgetExceeded, reason,
                  {{"resource", std::string(resource_name(resource))}});
    events.emplace_back(BudgetEnded{std::move(reason)});
  }

  // REQUIRES: mutex is held.
  // Reserved amounts count as taken, so that workers together never overshoot.
  std::optional<std::int64_t> left(const Countable& countable) const {
    const auto limit = limits.*countable.limit;
    if (!limit) return std::nullopt;
    const std::int64_t taken =
        saturating_sum(spent.*countable.amount, reserved.*countable.amount);
    return std::max<std::int64_t>(0, *limit - taken);
  }

  // The error for the first limit that `amounts` would exceed.
  // REQUIRES: mutex is held.
  std::optional<Error> shortage(const BudgetAmounts& amounts) const {
    for (const Countable& countable : kCountables) {
      const auto rest = left(countable);
      const std::int64_t asked = amounts.*countable.amount;
      if (!rest || asked <= *rest) continue;
      const bool is_used_up =
          spent.*countable.amount == *(limits.*countable.limit);
      return Error(
          ErrorCode::BudgetExceeded,
          is_used_up
              ? used_up(countable)
              : fmt::format("The budget of {} has {} left, but {} {} needed.",
                            limit_text(countable), quantity(countable, *rest),
                            quantity(countable, asked),
                            asked == 1 ? "is" : "are"),
          {{"resource", std::string(resource_name(countable.resource))}});
    }
    return std::nullopt;
  }

  void send(const std::vector<BudgetEvent>& events) const {
    for (const BudgetEvent& event : events) profiler.send(event);
  }

  const BudgetLimits limits;
  const Clock& clock;
  const std::chrono::nanoseconds start;
  Profiler<BudgetEvent> profiler;

  mutable std::mutex mutex;
  // Guarded by mutex.
  BudgetAmounts spent;
  BudgetAmounts reserved;
  std::array<bool, kResources.size()> warned{};
  std::optional<Error> ended;
};

Budget::Budget(BudgetLimits limits, Clock& clock, BudgetHistory before)
    : state_(std::make_shared<State>(limits, clock, before)) {}

Result<Reservation> Budget::reserve(const BudgetAmounts& amounts) {
  require_not_negative("Budget::reserve", amounts);
  std::unique_lock lock(state_->mutex);
  const auto events = state_->check_limits();
  std::optional<Error> refusal = state_->ended;
  if (!refusal) refusal = state_->shortage(amounts);
  if (!refusal) {
    for (const Countable& countable : kCountables) {
      std::int64_t& reserved = state_->reserved.*countable.amount;
      ENSURE(amounts.*countable.amount <=
                 std::numeric_limits<std::int64_t>::max() - reserved,
             "the reserved total fits in 64 bits");
      reserved += amounts.*countable.amount;
    }
  }
  lock.unlock();
  state_->send(events);
  if (refusal) return *refusal;
  return Reservation(state_, amounts);
}

Result<void> Budget::check() {
  std::unique_lock lock(state_->mutex);
  const auto events = state_->check_limits();
  const std::optional<Error> ended = state_->ended;
  lock.unlock();
  state_->send(events);
  if (ended) return *ended;
  return {};
}

std::optional<std::string> Budget::end_reason() const {
  const std::lock_guard lock(state_->mutex);
  if (!state_->ended) return std::nullopt;
  return state_->ended->message();
}

BudgetAmounts Budget::spent() const {
  const std::lock_guard lock(state_->mutex);
  return state_->spent;
}

BudgetAmounts Budget::reserved() const {
  const std::lock_guard lock(state_->mutex);
  return state_->reserved;
}

milliseconds Budget::wall_time_spent() const {
  return state_->wall_time_spent();
}

std::optional<std::int64_t> Budget::left(Resource resource) const {
  if (resource == Resource::WallTime) {
    if (!state_->limits.wall_time) return std::nullopt;
    const auto rest = *state_->limits.wall_time - wall_time_spent();
    return std::max<std::int64_t>(0, rest.count());
  }
  const std::lock_guard lock(state_->mutex);
  for (const Countable& countable : kCountables) {
    if (countable.resource == resource) return state_->left(countable);
  }
  return std::nullopt;
}

const BudgetLimits& Budget::limits() const { return state_->limits; }

Remover Budget::use_profiler(Profiler<BudgetEvent>::Function function) {
  return state_->profiler.use_profiler(std::move(function));
}

Reservation::Reservation(std::shared_ptr<Budget::State> state,
                         BudgetAmounts amounts)
    : state_(std::move(state)), amounts_(amounts) {}

Reservation::Reservation(Reservation&& other) noexcept = default;

Reservation& Reservation::operator=(Reservation&& other) noexcept {
  if (this != &other) {
    release();
    state_ = std::move(other.state_);
    amounts_ = other.amounts_;
  }
  return *this;
}

Reservation::~Reservation() { release(); }

void Reservation::release() {
  if (state_ == nullptr) return;
  const std::lock_guard lock(state_->mutex);
  for (const Countable& countable : kCountables) {
    state_->reserved.*countable.amount -= amounts_.*countable.amount;
  }
}

void Reservation::settle(const BudgetAmounts& used) {
  REQUIRE(state_ != nullptr, "Reservation::settle: call it only once.");
  require_not_negative("Reservation::settle", used);
  std::vector<BudgetEvent> events;
  {
    const std::lock_guard lock(state_->mutex);
    for (const Countable& countable : kCountables) {
      state_->reserved.*countable.amount -= amounts_.*countable.amount;
      std::int64_t& spent = state_->spent.*countable.amount;
      spent = saturating_sum(spent, used.*countable.amount);
    }
    events = state_->check_limits();
  }
  const std::shared_ptr<Budget::State> state = std::exchange(state_, nullptr);
  state->send(events);
}

}  // namespace lamarck
