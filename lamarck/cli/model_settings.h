// The language model that the settings name.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "lamarck/base/clock.h"
#include "lamarck/base/result.h"
#include "lamarck/cli/settings.h"
#include "lamarck/llm/http_chat_model.h"
#include "lamarck/llm/model_endpoint.h"

namespace lamarck::cli {

struct ModelSettings {
  llm::EndpointOptions endpoint;
  llm::HttpChatModelOptions chat;
  std::int64_t max_tokens = 2048;
  std::optional<double> temperature;
};

// Without an address and a key, or without a model, there is nobody to ask:
// the error says what to set. A price counts only with both its halves.
Result<ModelSettings> model_settings(const Settings& settings);

// `clock` outlives the model.
Result<std::unique_ptr<llm::ChatModel>> open_model(
    const ModelSettings& settings, Clock& clock);

// The model for those who can also do without one: null if no model is
// set.
Result<std::shared_ptr<llm::ChatModel>> thinking_model(const Settings& settings,
                                                       Clock& clock);

}  // namespace lamarck::cli
