// The chat model for `lamarck evolve fn` and `lamarck evolve program`.

#pragma once

#include <cstddef>
#include <memory>

#include "lamarck/archipelago/llm_engine.h"
#include "lamarck/base/budget.h"
#include "lamarck/base/clock.h"
#include "lamarck/base/result.h"
#include "lamarck/cli/command.h"
#include "lamarck/cli/settings.h"
#include "lamarck/llm/counted_chat_model.h"

namespace lamarck::cli {

// The calls that may wait for the model at the same time.
std::size_t concurrent_calls(const CommandContext& context);

// Whether a base URL or a key is set.
bool has_chat_model(const Settings& settings);

// Opens the model that the settings describe, and copies the token limit, the
// temperature and the patience to `options`. Does not contact the server; the
// first call finds out whether it is reachable. Fails if a setting is missing,
// or if `limits` has a limit on money and the prices are not set. `clock` must
// outlive the model.
Result<std::shared_ptr<llm::CountedChatModel>> open_chat_model(
    const Settings& settings, const BudgetLimits& limits,
    archipelago::LlmEngineOptions& options, Clock& clock);

}  // namespace lamarck::cli
