// Token counts, their cost, and estimates of both.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "lamarck/base/budget.h"
#include "lamarck/base/error.h"
#include "lamarck/base/result.h"

namespace lamarck::llm {

struct ChatRequest;

struct TokenUsage {
  std::int64_t tokens_in = 0;
  std::int64_t tokens_out = 0;
  bool is_estimated = false;  // An upper estimate; the server reported none.

  std::int64_t total() const { return tokens_in + tokens_out; }
  friend bool operator==(const TokenUsage&, const TokenUsage&) = default;
};

// Currency units per million tokens; finite and not negative.
struct ModelPrice {
  double input = 0;
  double output = 0;
};

// Rounded up, so that many small calls are not free.
std::int64_t money_micros(const TokenUsage& usage, const ModelPrice& price);

// Assumes two bytes per token. Text and code have three to four, so the
// estimate is high; only long runs of digits have fewer.
std::int64_t estimated_tokens(std::string_view text);
// An upper bound for a call: its messages and an answer of maximum length.
TokenUsage max_usage(const ChatRequest& request);

// Tokens and, if the price is known, money, in the units of a budget.
BudgetAmounts budget_amounts(const TokenUsage& usage,
                             const std::optional<ModelPrice>& price);

// Fails if there is a limit on money but no price; the error names the
// settings.
Result<void> check_price_known(const BudgetLimits& limits,
                               const std::optional<ModelPrice>& price);

// The error fields for the possible cost of a failed call.
Error::Fields cost_fields(const TokenUsage& usage,
                          const std::optional<ModelPrice>& price);

}  // namespace lamarck::llm
