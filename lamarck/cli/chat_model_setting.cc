#include "lamarck/cli/chat_model_setting.h"

#include <algorithm>

#include "lamarck/base/macros.h"
#include "lamarck/cli/model_settings.h"
#include "lamarck/llm/token_usage.h"

namespace lamarck::cli {

std::size_t concurrent_calls(const CommandContext& context) {
  return std::max<std::size_t>(context.settings.count("llm.calls"), 1);
}

bool has_chat_model(const Settings& settings) {
  return !settings.text("llm.base_url").empty() ||
         !settings.text("llm.api_key").empty();
}

Result<std::shared_ptr<llm::CountedChatModel>> open_chat_model(
    const Settings& settings, const BudgetLimits& limits,
    archipelago::LlmEngineOptions& options, Clock& clock) {
  const auto model = model_settings(settings);
  if (!model) {
    // The user chose an engine that needs a model, so this is wrong usage.
    return Error(
        ErrorCode::InvalidArgument,
        model.error().message() + " Or use --engine gp, which needs no model.");
  }
  RETURN_IF_ERROR(llm::check_price_known(limits, model->chat.price));
  options.max_tokens = model->max_tokens;
  options.temperature = model->temperature;
  options.patience.max_useless_answers =
      static_cast<std::int64_t>(settings.count("llm.patience"));
  ASSIGN_OR_RETURN(auto opened, open_model(*model, clock));
  return std::make_shared<llm::CountedChatModel>(std::move(opened));
}

}  // namespace lamarck::cli
