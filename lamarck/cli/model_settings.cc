#include "lamarck/cli/model_settings.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "lamarck/base/macros.h"

namespace lamarck::cli {
namespace {

Result<std::optional<llm::ModelPrice>> price(const Settings& settings) {
  using Price = std::optional<llm::ModelPrice>;
  const auto input = settings.number("llm.price_in");
  const auto output = settings.number("llm.price_out");
  if (input.has_value() != output.has_value()) {
    return Error(ErrorCode::InvalidArgument,
                 "Only one of llm.price_in and llm.price_out is set; set both, "
                 "in USD per million tokens.");
  }
  if (!input) return Price();
  return Price(llm::ModelPrice{.input = *input, .output = *output});
}

Result<void> check_complete(const Settings& settings) {
  if (settings.text("llm.base_url").empty() &&
      settings.text("llm.api_key").empty()) {
    return Error(
        ErrorCode::FailedPrecondition,
        "No model server is configured; set LAMARCK_LLM_BASE_URL to its "
        "URL, such as http://localhost:8080/v1, or OPENAI_API_KEY to "
        "your key.");
  }
  if (settings.text("llm.model").empty()) {
    return Error(ErrorCode::FailedPrecondition,
                 "No model is configured; set LAMARCK_LLM_MODEL or --llm-model "
                 "to a model that the server offers.");
  }
  return {};
}

}  // namespace

Result<ModelSettings> model_settings(const Settings& settings) {
  RETURN_IF_ERROR(check_complete(settings));
  ModelSettings model;
  // Without a URL, a key alone selects the default server of the endpoint.
  if (!settings.text("llm.base_url").empty()) {
    model.endpoint.base_url = settings.text("llm.base_url");
  }
  model.endpoint.api_key = settings.text("llm.api_key");
  // The settings accept 0; the endpoint requires at least 1.
  model.endpoint.timeout = std::chrono::seconds(
      std::max<std::size_t>(settings.count("llm.timeout"), 1));
  model.endpoint.concurrent_calls =
      std::max<std::size_t>(settings.count("llm.calls"), 1);
  model.chat.model = settings.text("llm.model");
  ASSIGN_OR_RETURN(model.chat.price, price(settings));
  model.max_tokens = static_cast<std::int64_t>(
      std::max<std::size_t>(settings.count("llm.max_tokens"), 1));
  model.temperature = settings.number("llm.temperature");
  return model;
}

Result<std::unique_ptr<llm::ChatModel>> open_model(
    const ModelSettings& settings, Clock& clock) {
  ASSIGN_OR_RETURN(auto endpoint,
                   llm::ModelEndpoint::open(settings.endpoint, clock));
  ASSIGN_OR_RETURN(
      auto model, llm::HttpChatModel::open(settings.chat, std::move(endpoint)));
  return std::unique_ptr<llm::ChatModel>(std::move(model));
}

Result<std::shared_ptr<llm::ChatModel>> open_optional_model(
    const Settings& settings, Clock& clock) {
  if (settings.text("llm.model").empty()) {
    return std::shared_ptr<llm::ChatModel>();
  }
  ASSIGN_OR_RETURN(const ModelSettings wanted, model_settings(settings));
  ASSIGN_OR_RETURN(std::unique_ptr<llm::ChatModel> model,
                   open_model(wanted, clock));
  return std::shared_ptr<llm::ChatModel>(std::move(model));
}

}  // namespace lamarck::cli
