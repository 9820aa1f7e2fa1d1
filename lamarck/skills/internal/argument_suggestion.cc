#include "lamarck/skills/internal/argument_suggestion.h"

#include <charconv>
#include <optional>

#include <nlohmann/json.hpp>

#include "lamarck/base/ascii.h"
#include "lamarck/skills/internal/request_text.h"

namespace lamarck::skills::internal {
namespace {

struct Context {
  std::string before;       // The word before the value; "" at the start.
  std::string after;        // The word or punctuation after it; "" at the end.
  bool has_spaces = false;  // The value consists of several words.
};

std::string literal_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : dump_json(value);
}

std::string word_before(std::string_view text, std::size_t at) {
  while (at > 0 && !ascii::is_word(text[at - 1])) --at;
  std::size_t begin = at;
  while (begin > 0 && ascii::is_word(text[begin - 1])) --begin;
  return std::string(text.substr(begin, at - begin));
}

std::string word_after(std::string_view text, std::size_t at) {
  while (at < text.size() && !ascii::is_word(text[at])) ++at;
  std::size_t end = at;
  while (end < text.size() && ascii::is_word(text[end])) ++end;
  return std::string(text.substr(at, end - at));
}

std::string_view trimmed(std::string_view text) {
  const auto is_edge = [](char c) {
    return ascii::is_space(c) || c == ',' || c == '.' || c == '?' || c == '!' ||
           c == ';' || c == '"' || c == '\'';
  };
  while (!text.empty() && is_edge(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_edge(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<Json> typed(std::string_view text, const Json& type) {
  if (text.empty() || text.size() > 200) return std::nullopt;
  if (type == "string") return Json(text);
  double number = 0;
  const auto parsed =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ptr != text.data() + text.size()) return std::nullopt;
  if (type == "number") return Json(number);
  if (type == "integer") return Json(static_cast<std::int64_t>(number));
  return std::nullopt;
}

std::optional<Json> value_in(std::string_view task, const Context& context,
                             const Json& type) {
  std::size_t begin = 0;
  if (!context.before.empty()) {
    begin = find_literal(task, context.before);
    if (begin == std::string_view::npos) return std::nullopt;
    begin += context.before.size();
  }
  std::size_t end = task.size();
  if (!context.after.empty()) {
    const std::size_t found = find_literal(task, context.after, begin);
    if (found != std::string_view::npos) end = found;
  }
  std::string_view part = trimmed(task.substr(begin, end - begin));
  if (!context.has_spaces) {
    part = trimmed(part.substr(0, part.find_first_of(" \t\n")));
  }
  return typed(part, type);
}

}  // namespace

Json suggest_arguments(const SkillDraft& draft, std::string_view task) {
  Json suggested = Json::object();
  for (const auto& [name, schema] : draft.parameters.items()) {
    for (const Json& eval : draft.evals) {
      if (!eval.is_object() || !eval.contains("arguments") ||
          !eval["arguments"].contains(name)) {
        continue;
      }
      const std::string request = eval.value("request", "");
      const std::string literal = literal_text(eval["arguments"][name]);
      const std::size_t at = find_literal(request, literal);
      if (at == std::string::npos) continue;
      const Context context{
          .before = word_before(request, at),
          .after = word_after(request, at + literal.size()),
          .has_spaces = literal.find(' ') != std::string::npos};
      const Json type = schema.value("type", Json("string"));
      if (auto value = value_in(task, context, type)) {
        suggested[name] = std::move(*value);
        break;
      }
    }
  }
  return suggested;
}

}  // namespace lamarck::skills::internal
