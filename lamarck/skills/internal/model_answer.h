// What the requests to a model share: data that cannot end its own frame, and
// answers that are JSON.

#pragma once

#include <string>
#include <string_view>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/llm/chat_model.h"

namespace lamarck::skills::internal {

// JSON text without '<', so that data cannot contain a closing tag.
std::string escaped_data(std::string_view json);

// The object in an answer, also inside of a code fence.
Result<Json> parse_model_answer(std::string_view text);

// Appends the answer and what is wrong with it.
void ask_again(llm::ChatRequest& request, const std::string& answer,
               const Error& why);

}  // namespace lamarck::skills::internal
