// The language model that the settings describe.

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

// Requires a model name, and a base URL or a key; otherwise the error says what
// to set. The input and output prices must be set together or not at all.
Result<ModelSettings> model_settings(const Settings& settings);

// Opens the model without contacting the
// server. `clock` must outlive the model.
Result<std::unique_ptr<llm::ChatModel>> open_model(
    const ModelSettings& settings, Clock& clock);

// Opens the model of a command that also works without one; returns null if
// llm.model is not set.
Result<std::shared_ptr<llm::ChatModel>> open_optional_model(
    const Settings& settings, Clock& clock);

}  // namespace lamarck::cli
