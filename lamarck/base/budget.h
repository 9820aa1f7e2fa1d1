// Limits that cannot be overshot.
//
// Amounts are reserved before the work and settled after it, so however many
// workers draw on one budget, what they spend together stays within it:
//
//   LAMARCK_ASSIGN_OR_RETURN(Reservation tokens, budget.reserve({.tokens =
//   500})); LAMARCK_ASSIGN_OR_RETURN(Reply reply, model.complete(prompt));
//   tokens.settle({.tokens = reply.tokens});   // The rest is free again.

#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "lamarck/base/clock.h"
#include "lamarck/base/profiler.h"
#include "lamarck/base/result.h"

namespace lamarck {

enum class Resource : std::uint8_t {
  WallTime,
  Evaluations,
  Tokens,
  Money,
  Branches,
};
inline constexpr std::array kResources = {
    Resource::WallTime, Resource::Evaluations, Resource::Tokens,
    Resource::Money, Resource::Branches};

// "wall_time", "evaluations" and so on.
std::string_view resource_name(Resource resource);

// What work uses. Time is not among it: it passes by itself.
struct BudgetAmounts {
  std::int64_t evaluations = 0;
  std::int64_t tokens = 0;
  std::int64_t money_micros = 0;  // Millionths of the currency's unit.
  std::int64_t branches = 0;

  friend bool operator==(const BudgetAmounts&, const BudgetAmounts&) = default;
};

// Nothing set means no limit.
struct BudgetLimits {
  std::optional<std::chrono::milliseconds> wall_time;
  std::optional<std::int64_t> evaluations;
  std::optional<std::int64_t> tokens;
  std::optional<std::int64_t> money_micros;
  std::optional<std::int64_t> branches;
};

// Sent once for each resource, when 80 % of it are spent.
struct BudgetWarned {
  static constexpr std::string_view type = "budget_warned";
  struct Payload {
    Resource resource;
    std::int64_t spent;  // Milliseconds for wall time.
    std::int64_t limit;
  } payload;
};
// Sent once, with the sentence that `end_reason` gives.
struct BudgetEnded {
  static constexpr std::string_view type = "budget_ended";
  std::string payload;
};
using BudgetEvent = std::variant<BudgetWarned, BudgetEnded>;

// What a run had spent before it was interrupted; it goes on counting.
struct BudgetHistory {
  BudgetAmounts spent;
  std::chrono::milliseconds wall_time{0};
};

class Reservation;

// Thread safety: any member from any thread.
class Budget {
 public:
  // Time runs from now on. `clock` outlives the budget.
  Budget(BudgetLimits limits, Clock& clock, BudgetHistory before = {});

  // Sets the amounts aside, all or none. Fails with BudgetExceeded, in a
  // sentence that names the limit, when less is left or the budget has ended; a
  // refusal alone does not end it. REQUIRES: no amount is negative.
  Result<Reservation> reserve(const BudgetAmounts& amounts);

  // BudgetExceeded once time, evaluations, tokens or money are used up, or a
  // limit was overstepped; call it between steps. Branches that are used up
  // only refuse more: those that exist go on.
  Result<void> check();
  // Why it ended; nothing while it goes on. As of the last call of `reserve`,
  // `settle` or `check`.
  std::optional<std::string> end_reason() const;

  BudgetAmounts spent() const;
  BudgetAmounts reserved() const;
  std::chrono::milliseconds wall_time_spent() const;
  // What can still be reserved; nothing where there is no limit.
  std::optional<std::int64_t> left(Resource resource) const;
  const BudgetLimits& limits() const;

  Remover use_profiler(Profiler<BudgetEvent>::Function function);

 private:
  friend class Reservation;
  struct State;
  std::shared_ptr<State> state_;
};

// Amounts set aside for one piece of work. Gives everything back when it is
// destroyed without having been settled.
class Reservation {
 public:
  Reservation(Reservation&& other) noexcept;
  Reservation& operator=(Reservation&& other) noexcept;
  ~Reservation();

  const BudgetAmounts& amounts() const { return amounts_; }
  // What was really used. More than was reserved is counted truthfully (a
  // provider may send too much) and ends the budget if it oversteps a limit.
  // REQUIRES: called once; no amount is negative.
  void settle(const BudgetAmounts& used);

 private:
  friend class Budget;
  Reservation(std::shared_ptr<Budget::State> state, BudgetAmounts amounts);
  void release();

  std::shared_ptr<Budget::State> state_;  // Null once settled.
  BudgetAmounts amounts_;
};

}  // namespace lamarck
