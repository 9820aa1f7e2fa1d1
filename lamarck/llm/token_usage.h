// Tokens, what they cost, and how many a text may have.

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
  bool is_estimated = false;  // The server did not say; rather too high.

  std::int64_t total() const { return tokens_in + tokens_out; }
  friend bool operator==(const TokenUsage&, const TokenUsage&) = default;
};

// Units of a currency for a million tokens; finite and not negative.
struct ModelPrice {
  double input = 0;
  double output = 0;
};

// Rounded up, so that many small calls are not free.
std::int64_t money_micros(const TokenUsage& usage, const ModelPrice& price);

// Two bytes a token: text and code have three to four, so it errs on the high
// side; only long runs of digits have fewer.
std::int64_t estimated_tokens(std::string_view text);
// The most that a call may use: its messages and an answer of full length.
TokenUsage largest_usage(const ChatRequest& request);

// Tokens and, where the price is known, money, as a budget counts them.
BudgetAmounts budget_amounts(const TokenUsage& usage,
                             const std::optional<ModelPrice>& price);

// A limit on money needs a price; the error says where to set it.
Result<void> check_price_known(const BudgetLimits& limits,
                               const std::optional<ModelPrice>& price);

// The fields of an error that say what a failed call may have cost.
Error::Fields cost_fields(const TokenUsage& usage,
                          const std::optional<ModelPrice>& price);

}  // namespace lamarck::llm
