#include "lamarck/llm/token_usage.h"

#include <cmath>
#include <string>

#include "lamarck/llm/chat_model.h"

namespace lamarck::llm {
namespace {

constexpr std::int64_t kBytesPerToken = 2;
// Markers that chat templates add around a message.
constexpr std::int64_t kTokensPerMessage = 8;

}  // namespace

std::int64_t money_micros(const TokenUsage& usage, const ModelPrice& price) {
  // A price per million tokens equals the price of one token in millionths.
  const double micros = static_cast<double>(usage.tokens_in) * price.input +
                        static_cast<double>(usage.tokens_out) * price.output;
  return static_cast<std::int64_t>(std::ceil(micros));
}

std::int64_t estimated_tokens(std::string_view text) {
  const auto bytes = static_cast<std::int64_t>(text.size());
  return (bytes + kBytesPerToken - 1) / kBytesPerToken;
}

TokenUsage max_usage(const ChatRequest& request) {
  TokenUsage usage{.tokens_out = request.max_tokens, .is_estimated = true};
  for (const ChatMessage& message : request.messages) {
    usage.tokens_in += kTokensPerMessage + estimated_tokens(message.text);
    for (const ChatToolCall& call : message.tool_calls) {
      usage.tokens_in += kTokensPerMessage + estimated_tokens(call.name) +
                         estimated_tokens(call.arguments);
    }
  }
  for (const ChatTool& tool : request.tools) {
    usage.tokens_in += kTokensPerMessage + estimated_tokens(tool.name) +
                       estimated_tokens(tool.description) +
                       estimated_tokens(tool.parameters);
  }
  if (request.response_schema) {
    usage.tokens_in += estimated_tokens(request.response_schema->schema);
  }
  return usage;
}

BudgetAmounts budget_amounts(const TokenUsage& usage,
                             const std::optional<ModelPrice>& price) {
  return {.tokens = usage.total(),
          .money_micros = price ? money_micros(usage, *price) : 0};
}

Result<void> check_price_known(const BudgetLimits& limits,
                               const std::optional<ModelPrice>& price) {
  if (!limits.money_micros || price) return {};
  return Error(
      ErrorCode::InvalidArgument,
      "A limit on money needs the prices of the model; set llm.price_in and "
      "llm.price_out (per million tokens), or limit tokens instead.");
}

Error::Fields cost_fields(const TokenUsage& usage,
                          const std::optional<ModelPrice>& price) {
  Error::Fields fields = {{"tokens_in", std::to_string(usage.tokens_in)},
                          {"tokens_out", std::to_string(usage.tokens_out)}};
  if (price) {
    fields["money_micros"] = std::to_string(money_micros(usage, *price));
  }
  return fields;
}

}  // namespace lamarck::llm
