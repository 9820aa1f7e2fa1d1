#include "lamarck/cli/chat_model_setting.h"

#include <charconv>
#include <cmath>
#include <optional>

#include "lamarck/base/one_line.h"
#include "lamarck/llm/http_chat_model.h"
#include "lamarck/llm/model_endpoint.h"

namespace lamarck::cli {
namespace {

Error invalid(std::string message) {
  return Error(ErrorCode::InvalidArgument, std::move(message));
}

Result<double> price_of(const Settings& settings, const char* key) {
  const std::string& text = settings.text(key);
  double price = 0;
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, price);
  const bool is_price = failure == std::errc() && stop == end &&
                        std::isfinite(price) && price >= 0;
  if (is_price) return price;
  return invalid("The setting " + std::string(key) + " (" +
                 settings[key].origin +
                 ") is the price of a million tokens, such as 2.5, not " +
                 in_quotes(text) + ".");
}

Result<std::optional<llm::ModelPrice>> prices(const Settings& settings) {
  const bool has_in = !settings.text("llm.price_in").empty();
  const bool has_out = !settings.text("llm.price_out").empty();
  if (!has_in && !has_out) return std::optional<llm::ModelPrice>();
  if (!has_in || !has_out) {
    return invalid("llm.price_in and llm.price_out are set together or not at "
                   "all.");
  }
  llm::ModelPrice price;
  ASSIGN_OR_RETURN(price.input, price_of(settings, "llm.price_in"));
  ASSIGN_OR_RETURN(price.output, price_of(settings, "llm.price_out"));
  return std::optional(price);
}

}  // namespace

bool has_chat_model(const Settings& settings) {
  return !settings.text("llm.base_url").empty() ||
         !settings.text("llm.api_key").empty();
}

Result<std::shared_ptr<llm::ChatModel>> chat_model_of(
    const Settings& settings, const BudgetLimits& limits, Clock& clock) {
  if (!has_chat_model(settings)) {
    return invalid(
        "This engine asks a model, and none is set: set OPENAI_BASE_URL or "
        "OPENAI_API_KEY and --llm-model, or use --engine gp.");
  }
  if (settings.text("llm.model").empty()) {
    return invalid(
        "This engine asks a model: say which with --llm-model NAME or "
        "LAMARCK_LLM_MODEL.");
  }
  ASSIGN_OR_RETURN(const auto price, prices(settings));
  RETURN_IF_ERROR(llm::check_price_known(limits, price));
  llm::EndpointOptions options{.api_key = settings.text("llm.api_key")};
  if (!settings.text("llm.base_url").empty()) {
    options.base_url = settings.text("llm.base_url");
  }
  ASSIGN_OR_RETURN(auto endpoint, llm::ModelEndpoint::open(options, clock));
  ASSIGN_OR_RETURN(auto model,
                   llm::HttpChatModel::open({.model = settings.text("llm.model"),
                                             .price = price},
                                            std::move(endpoint)));
  return std::shared_ptr<llm::ChatModel>(std::move(model));
}

}  // namespace lamarck::cli
