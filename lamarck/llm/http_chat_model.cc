#include "lamarck/llm/http_chat_model.h"

#include <fmt/format.h>

#include <utility>

#include "lamarck/base/ensure.h"
#include "lamarck/base/one_line.h"
#include "lamarck/llm/internal/chat_protocol.h"

namespace lamarck::llm {

using internal::ChatBodyOptions;
using internal::ChatStream;
using internal::LimitName;
using internal::WireReply;

// The part of an answer received so far, in one piece or as a stream.
struct HttpChatModel::Answer {
  std::optional<ChatStream> stream;  // nullopt if not streamed.
  std::string whole;

  bool feed(std::string_view bytes) {
    if (stream) return stream->feed(bytes);
    whole += bytes;
    return true;
  }
  Result<WireReply> finish() {
    return stream ? stream->finish() : internal::parse_chat_reply(whole);
  }
};

namespace {

// An upper bound for a call without a complete answer: a server that broke off
// may have generated all tokens it was allowed to.
TokenUsage usage_of_failure(const ChatRequest& request) {
  return max_usage(request);
}

TokenUsage parse_usage(const ChatRequest& request, const WireReply& reply) {
  if (reply.usage) return *reply.usage;
  TokenUsage usage = max_usage(request);
  if (!reply.text && reply.tool_calls.empty()) return usage;
  usage.tokens_out = estimated_tokens(reply.text.value_or(""));
  for (const ChatToolCall& call : reply.tool_calls) {
    usage.tokens_out +=
        estimated_tokens(call.name) + estimated_tokens(call.arguments);
  }
  return usage;
}

Error without_text(const WireReply& reply) {
  if (!reply.refusal.empty()) {
    return {ErrorCode::Unavailable,
            "The model refused to answer: " + one_line(reply.refusal)};
  }
  if (reply.finish == FinishReason::Length) {
    return {ErrorCode::Unavailable,
            "The model reached its token limit before it answered; increase "
            "llm.max_tokens."};
  }
  return {ErrorCode::Unavailable, "The answer of the model contains no text."};
}

// Newer OpenAI models reject `max_tokens` and name its replacement in the
// error.
bool asks_for_new_limit_name(const Result<void>& outcome) {
  if (outcome) return false;
  const Error& error = outcome.error();
  const auto status = error.fields().find("status");
  return status != error.fields().end() && status->second == "400" &&
         error.message().find("max_completion_tokens") != std::string::npos;
}

Error with_cost(const Error& error, const TokenUsage& usage,
                const std::optional<ModelPrice>& price) {
  Error::Fields fields = error.fields();
  fields.merge(cost_fields(usage, price));
  return {error.code(), error.message(), std::move(fields)};
}

}  // namespace

Result<std::unique_ptr<HttpChatModel>> HttpChatModel::open(
    HttpChatModelOptions options, std::shared_ptr<ModelEndpoint> endpoint) {
  REQUIRE(endpoint != nullptr,
          "HttpChatModel::open: endpoint must not be null.");
  if (options.model.empty()) {
    return Error(ErrorCode::InvalidArgument,
                 "A model name is required; set llm.model to a model that the "
                 "server offers.");
  }
  return std::unique_ptr<HttpChatModel>(
      new HttpChatModel(std::move(options), std::move(endpoint)));
}

HttpChatModel::HttpChatModel(HttpChatModelOptions options,
                             std::shared_ptr<ModelEndpoint> endpoint)
    : options_(std::move(options)), endpoint_(std::move(endpoint)) {}

EndpointReply HttpChatModel::post(const ChatRequest& request, Answer& answer,
                                  const CancelToken& cancel) {
  REQUIRE(request.max_tokens > 0,
          "ChatModel::complete: max_tokens must be at least 1, got {}.",
          request.max_tokens);
  const auto send = [&](LimitName limit_name, const auto& timeout) {
    const ChatBodyOptions body = {.model = options_.model,
                                  .streams = answer.stream.has_value(),
                                  .limit_name = limit_name};
    return endpoint_->post(
        {.path = "/chat/completions",
         .body = internal::chat_body(request, body),
         .timeout = timeout,
         .on_bytes =
             [&](std::string_view bytes) { return answer.feed(bytes); }},
        cancel);
  };
  if (uses_new_limit_name_) {
    return send(LimitName::MaxCompletionTokens, request.timeout);
  }
  EndpointReply reply = send(LimitName::MaxTokens, request.timeout);
  if (!asks_for_new_limit_name(reply.outcome)) return reply;
  // Repeats the call within what is left of the deadline.
  uses_new_limit_name_ = true;
  return send(LimitName::MaxCompletionTokens, std::optional(reply.time_left));
}

Result<ChatReply> HttpChatModel::finish(const ChatRequest& request,
                                        Answer& answer,
                                        const EndpointReply& reply) const {
  if (!reply.outcome) {
    const Error& error = reply.outcome.error();
    if (!reply.may_have_cost) return error;
    return with_cost(error, usage_of_failure(request), options_.price);
  }
  const auto wire = answer.finish();
  if (!wire) {
    const Error error(wire.error().code(),
                      endpoint_->without_key(wire.error().message()));
    return with_cost(error, usage_of_failure(request), options_.price);
  }
  const TokenUsage usage = parse_usage(request, *wire);
  if ((!wire->text || wire->text->empty()) && wire->tool_calls.empty()) {
    return with_cost(without_text(*wire), usage, options_.price);
  }
  ChatReply done{.text = endpoint_->without_key(wire->text.value_or("")),
                 .tool_calls = wire->tool_calls,
                 .finish = wire->finish,
                 .usage = usage,
                 .money_micros = std::nullopt,
                 .attempts = reply.attempts};
  for (ChatToolCall& call : done.tool_calls) {
    call.arguments = endpoint_->without_key(std::move(call.arguments));
  }
  if (options_.price) done.money_micros = money_micros(usage, *options_.price);
  return done;
}

Result<ChatReply> HttpChatModel::complete(const ChatRequest& request,
                                          const CancelToken& cancel) {
  Answer answer;
  const EndpointReply reply = post(request, answer, cancel);
  return finish(request, answer, reply);
}

Result<ChatReply> HttpChatModel::stream(const ChatRequest& request,
                                        const OnText& on_text,
                                        const CancelToken& cancel) {
  Answer answer;
  answer.stream.emplace(on_text);
  const EndpointReply reply = post(request, answer, cancel);
  return finish(request, answer, reply);
}

}  // namespace lamarck::llm
