// The model that a search for functions asks.

#pragma once

#include <memory>

#include "lamarck/archipelago/llm_engine.h"
#include "lamarck/base/budget.h"
#include "lamarck/base/clock.h"
#include "lamarck/base/result.h"
#include "lamarck/cli/settings.h"
#include "lamarck/llm/chat_model.h"

namespace lamarck::cli {

// Whether an address or a key is set at all.
bool has_chat_model(const Settings& settings);

// As the settings say; what they say of answers goes to `options`. A server
// that is not there is found out by the first call. The error says which
// setting is missing, or that the limits have one on money and the prices are
// not known. `clock` outlives the model.
Result<std::shared_ptr<llm::ChatModel>> chat_model_of(
    const Settings& settings, const BudgetLimits& limits,
    archipelago::LlmEngineOptions& options, Clock& clock);

}  // namespace lamarck::cli
