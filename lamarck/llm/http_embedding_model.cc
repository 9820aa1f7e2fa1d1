#include "lamarck/llm/http_embedding_model.h"

#include <utility>

#include "lamarck/base/ensure.h"
#include "lamarck/llm/internal/embedding_protocol.h"

namespace lamarck::llm {
namespace {

TokenUsage estimated_usage(const std::vector<std::string>& texts) {
  TokenUsage usage{.is_estimated = true};
  for (const std::string& text : texts) {
    usage.tokens_in += 1 + estimated_tokens(text);
  }
  return usage;
}

}  // namespace

Result<std::unique_ptr<HttpEmbeddingModel>> HttpEmbeddingModel::open(
    HttpEmbeddingModelOptions options,
    std::shared_ptr<ModelEndpoint> endpoint) {
  REQUIRE(endpoint != nullptr,
          "HttpEmbeddingModel::open: endpoint must not be null.");
  if (options.model.empty()) {
    return Error(ErrorCode::InvalidArgument,
                 "A model name is required; use an embedding model that the "
                 "server offers.");
  }
  return std::unique_ptr<HttpEmbeddingModel>(
      new HttpEmbeddingModel(std::move(options), std::move(endpoint)));
}

HttpEmbeddingModel::HttpEmbeddingModel(HttpEmbeddingModelOptions options,
                                       std::shared_ptr<ModelEndpoint> endpoint)
    : options_(std::move(options)), endpoint_(std::move(endpoint)) {}

Error HttpEmbeddingModel::failure(const Error& error,
                                  const std::vector<std::string>& texts) const {
  Error::Fields fields = error.fields();
  fields.merge(cost_fields(estimated_usage(texts), options_.price));
  return {error.code(), endpoint_->without_key(error.message()),
          std::move(fields)};
}

Result<EmbeddingReply> HttpEmbeddingModel::embed(
    const std::vector<std::string>& texts, const CancelToken& cancel) {
  REQUIRE(!texts.empty(), "EmbeddingModel::embed: texts must not be empty.");
  std::string body;
  const EndpointReply reply =
      endpoint_->post({.path = "/embeddings",
                       .body = internal::embedding_body(texts, options_.model),
                       .timeout = std::nullopt,
                       .on_bytes =
                           [&](std::string_view bytes) {
                             body += bytes;
                             return true;
                           }},
                      cancel);
  if (!reply.outcome) {
    return reply.may_have_cost ? failure(reply.outcome.error(), texts)
                               : reply.outcome.error();
  }
  auto wire = internal::parse_embedding_reply(body, texts.size());
  if (!wire) return failure(wire.error(), texts);
  EmbeddingReply done{.vectors = std::move(wire->vectors),
                      .usage = wire->usage.value_or(estimated_usage(texts)),
                      .money_micros = std::nullopt,
                      .attempts = reply.attempts};
  if (options_.price) {
    done.money_micros = money_micros(done.usage, *options_.price);
  }
  return done;
}

}  // namespace lamarck::llm
