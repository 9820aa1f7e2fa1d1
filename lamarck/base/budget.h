// A shared budget for time, evaluations, tokens, money and branches.
//
// Workers reserve an amount before the work and settle it afterwards, so the
// total stays within the limits however many workers share one budget:
//
//   auto tokens = budget.reserve({.tokens = 500});
//   if (!tokens) return tokens.error();
//   const Reply reply = model.complete(prompt);
//   tokens->settle({.tokens = reply.tokens});  // Frees what was not used.

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

// Amounts that work consumes. Wall time is not reserved; it passes by itself.
struct BudgetAmounts {
  std::int64_t evaluations = 0;
  std::int64_t tokens = 0;
  std::int64_t money_micros = 0;  // Millionths of the currency's unit.
  std::int64_t branches = 0;

  friend bool operator==(const BudgetAmounts&, const BudgetAmounts&) = default;
};

// An unset field means no limit.
struct BudgetLimits {
  std::optional<std::chrono::milliseconds> wall_time;
  std::optional<std::int64_t> evaluations;
  std::optional<std::int64_t> tokens;
  std::optional<std::int64_t> money_micros;
  std::optional<std::int64_t> branches;
};

// Sent once per resource, when 80 % of it is spent.
struct BudgetWarned {
  static constexpr std::string_view type = "budget_warned";
  struct Payload {
    Resource resource;
    std::int64_t spent;  // Milliseconds for wall time.
    std::int64_t limit;
  } payload;
};
// Sent once; the payload is the sentence that `end_reason` returns.
struct BudgetEnded {
  static constexpr std::string_view type = "budget_ended";
  std::string payload;
};
using BudgetEvent = std::variant<BudgetWarned, BudgetEnded>;

// What an interrupted run had spent. A resumed run starts from these amounts.
struct BudgetHistory {
  BudgetAmounts spent;
  std::chrono::milliseconds wall_time{0};
};

class Reservation;

// Thread safety: all members may be called from any thread.
class Budget {
 public:
  // Wall time starts counting now. `clock` must outlive the budget.
  Budget(BudgetLimits limits, Clock& clock, BudgetHistory before = {});

  // Reserves all amounts or none. Fails with BudgetExceeded, naming the limit,
  // if too little is left or the budget has ended; a refusal alone does not end
  // the budget. REQUIRES: no amount is negative.
  Result<Reservation> reserve(const BudgetAmounts& amounts);

  // Fails with BudgetExceeded once time, evaluations, tokens or money are used
  // up or a limit is exceeded; call it between steps. Using up all branches
  // only refuses new ones; existing branches continue.
  Result<void> check();
  // Why the budget ended, or nullopt if it has not, as of the last call to
  // `reserve`, `settle` or `check`.
  std::optional<std::string> end_reason() const;

  BudgetAmounts spent() const;
  BudgetAmounts reserved() const;
  std::chrono::milliseconds wall_time_spent() const;
  // The amount that can still be reserved (milliseconds for wall time), or
  // nullopt without a limit.
  std::optional<std::int64_t> left(Resource resource) const;
  const BudgetLimits& limits() const;

  Remover use_profiler(Profiler<BudgetEvent>::Function function);

 private:
  friend class Reservation;
  struct State;
  std::shared_ptr<State> state_;
};

// Amounts reserved for one piece of work. Releases them if it is destroyed
// before it is settled.
class Reservation {
 public:
  Reservation(Reservation&& other) noexcept;
  Reservation& operator=(Reservation&& other) noexcept;
  ~Reservation();

  const BudgetAmounts& amounts() const { return amounts_; }
  // Records the amounts actually used and releases the rest. An excess over the
  // reservation is counted in full (a provider may send too much) and ends the
  // budget if it exceeds a limit. REQUIRES: called once; no negative amount.
  void settle(const BudgetAmounts& used);

 private:
  friend class Budget;
  Reservation(std::shared_ptr<Budget::State> state, BudgetAmounts amounts);
  void release();

  std::shared_ptr<Budget::State> state_;  // Null once settled.
  BudgetAmounts amounts_;
};

}  // namespace lamarck
