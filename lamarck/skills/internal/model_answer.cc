#include "lamarck/skills/internal/model_answer.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace lamarck::skills::internal {

std::string escaped_data(std::string_view json) {
  std::string text;
  for (const char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

Result<Json> parse_model_answer(std::string_view text) {
  const std::size_t begin = text.find('{');
  const std::size_t end = text.rfind('}');
  if (begin == std::string_view::npos || end < begin) {
    return invalid_argument("The answer must be a JSON object.");
  }
  return parse_json(text.substr(begin, end - begin + 1),
                    {.size_bytes = 262'144, .depth = 64});
}

void ask_again(llm::ChatRequest& request, const std::string& answer,
               const Error& why) {
  request.messages.push_back({.role = llm::Role::Assistant, .text = answer});
  request.messages.push_back(
      {.role = llm::Role::User,
       .text = fmt::format("This is not valid: {} Answer again with the whole "
                           "corrected JSON object.",
                           why.message())});
}

}  // namespace lamarck::skills::internal
