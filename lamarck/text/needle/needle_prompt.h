// What Needle reads: one request and the tools, as it was trained.

#pragma once

#include <string>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/llm/chat_model.h"
#include "lamarck/text/needle/call_grammar.h"

namespace lamarck::text {

struct NeedlePrompt {
  std::string query;  // The last request, with the results since.
  std::string tools;  // JSON.
  std::vector<CallTool> callable;
  std::vector<std::string> names;  // Of the request, for each callable tool.
};

// Needle knows neither system messages nor earlier requests: they are left out.
// So are tools that require an object as an argument. Fails if no tool is left,
// or if the request asks for what the model cannot do: an answer without tools,
// or one with a JSON schema.
Result<NeedlePrompt> make_needle_prompt(const llm::ChatRequest& request);

// "getWeather.now" -> "get_weather_now".
std::string snake_case(std::string_view name);

}  // namespace lamarck::text
