// check_draft: the form and the content of a skill.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/ascii.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/unicode.h"
#include "lamarck/schema/json_schema.h"
#include "lamarck/skills/internal/text_checks.h"
#include "lamarck/skills/skill_replay.h"
#include "lamarck/skills/skill_safety.h"
#include "lamarck/store/redaction.h"

namespace lamarck::skills {
namespace {

constexpr std::size_t kMaxSteps = 50;
constexpr std::size_t kMaxParameters = 50;
constexpr std::size_t kMaxKeywords = 32;
constexpr std::size_t kMaxText = 2'000;
constexpr std::size_t kMaxArguments = 32'768;
constexpr std::size_t kMaxNesting = 32;

Error draft_error(std::string_view field, std::string_view rule) {
  return {ErrorCode::InvalidArgument,
          fmt::format("{} {}", field, rule),
          {{"field", std::string(field)}}};
}

Result<void> check_text(std::string_view field, std::string_view text,
                        std::size_t max_bytes) {
  if (text.size() > max_bytes) {
    return draft_error(field, fmt::format("must have at most {} bytes, got {}.",
                                          max_bytes, text.size()));
  }
  if (!is_valid_utf8(text)) return draft_error(field, "must be UTF-8.");
  if (const auto hidden = internal::find_hidden_character(text)) {
    return draft_error(
        field, fmt::format("must not contain the hidden character U+{:04X}.",
                           *hidden));
  }
  if (store::redacted(text) != text) {
    return draft_error(field,
                       "must not contain a secret or an e-mail "
                       "address; make it a parameter.");
  }
  if (internal::find_personal_data(text)) {
    return draft_error(field,
                       "must not contain a telephone, card or account "
                       "number; make it a parameter.");
  }
  return {};
}

// A text that is read as an instruction.
Result<void> check_instruction(std::string_view field, std::string_view text) {
  RETURN_IF_ERROR(check_text(field, text, kMaxText));
  const std::string_view order = internal::find_order_phrase(text);
  if (order.empty()) return {};
  return draft_error(field, fmt::format("must not give orders to a model ({}).",
                                        in_quotes(order)));
}

bool is_tool_name(std::string_view name) {
  if (name.empty() || name.size() > 128) return false;
  for (const char c : name) {
    const bool is_known = ascii::is_word(c) || c == '.' || c == '-' ||
                          c == ':' || c == '/' || c == ' ';
    if (!is_known) return false;
  }
  return name.find("..") == std::string_view::npos;
}

bool is_parameter_name(std::string_view name) {
  if (name.empty() || name.size() > 64 || ascii::is_digit(name[0])) {
    return false;
  }
  for (const char c : name) {
    if (!ascii::is_word(c)) return false;
  }
  return true;
}

bool is_placeholder(const std::string& text) {
  for (const char* const one :
       {"[key]", "[token]", "[password]", "[email]", "[private]"}) {
    if (text.find(one) != std::string::npos) return true;
  }
  return false;
}

Result<void> check_constant(std::string_view field, const Json& value) {
  if (!value.is_string()) return {};
  const std::string& text = value.get_ref<const std::string&>();
  RETURN_IF_ERROR(check_text(field, text, kMaxArguments));
  if (is_placeholder(text)) {
    return draft_error(field,
                       "contains a secret that was removed; make it a "
                       "parameter.");
  }
  if (internal::leaves_folder(text)) {
    return draft_error(field,
                       "must not contain a path that leaves its folder "
                       "('..').");
  }
  return {};
}

Result<void> check_reference(const SkillDraft& draft, std::string_view field,
                             std::size_t place,
                             const ArgumentReference& reference) {
  if (reference.kind == ArgumentReference::Kind::Parameter &&
      !draft.parameters.contains(reference.parameter)) {
    return draft_error(field, fmt::format("refers to the unknown parameter {}.",
                                          in_quotes(reference.parameter)));
  }
  if (reference.kind == ArgumentReference::Kind::StepResult &&
      reference.step > place) {
    return draft_error(
        field, fmt::format("refers to the result of step {}, which is not an "
                           "earlier step.",
                           reference.step));
  }
  return {};
}

Result<void> check_argument(const SkillDraft& draft, const std::string& field,
                            std::size_t place, const Json& value,
                            std::size_t depth) {
  if (depth > kMaxNesting) return draft_error(field, "is nested too deeply.");
  Result<std::optional<ArgumentReference>> reference = parse_reference(value);
  if (!reference) return draft_error(field, reference.error().message());
  if (*reference) {
    if ((*reference)->kind == ArgumentReference::Kind::Literal) {
      return check_constant(field, Json(dump_json((*reference)->literal)));
    }
    return check_reference(draft, field, place, **reference);
  }
  if (value.is_object()) {
    for (const auto& [name, part] : value.items()) {
      RETURN_IF_ERROR(check_text(field, name, kMaxText));
      RETURN_IF_ERROR(check_argument(draft, field, place, part, depth + 1));
    }
    return {};
  }
  if (value.is_array()) {
    for (const Json& part : value) {
      RETURN_IF_ERROR(check_argument(draft, field, place, part, depth + 1));
    }
    return {};
  }
  return check_constant(field, value);
}

Result<void> check_steps(const SkillDraft& draft) {
  if (draft.steps.empty() || draft.steps.size() > kMaxSteps) {
    return draft_error("steps", fmt::format("must have 1 to {} entries, got "
                                            "{}.",
                                            kMaxSteps, draft.steps.size()));
  }
  for (std::size_t i = 0; i < draft.steps.size(); ++i) {
    const SkillStep& step = draft.steps[i];
    const std::string field = fmt::format("steps[{}]", i);
    const bool calls_skill = step.tool.starts_with("skill:");
    if (calls_skill) RETURN_IF_ERROR(check_text(field, step.tool, 300));
    if (!calls_skill && !is_tool_name(step.tool)) {
      return draft_error(field + ".tool",
                         fmt::format("must be the name of a tool, got {}.",
                                     in_quotes(step.tool)));
    }
    if (dump_json(step.arguments).size() > kMaxArguments) {
      return draft_error(
          field + ".arguments",
          fmt::format("must have at most {} bytes.", kMaxArguments));
    }
    RETURN_IF_ERROR(
        check_argument(draft, field + ".arguments", i, step.arguments, 0));
  }
  return {};
}

Result<void> check_parameters(const Json& parameters) {
  if (parameters.size() > kMaxParameters) {
    return draft_error("parameters",
                       fmt::format("must have at most {} "
                                   "entries, got {}.",
                                   kMaxParameters, parameters.size()));
  }
  for (const auto& [name, entry] : parameters.items()) {
    const std::string field = fmt::format("parameters.{}", one_line(name, 40));
    if (!is_parameter_name(name)) {
      return draft_error(field,
                         "must be named with letters, digits and "
                         "underscores only.");
    }
    if (!entry.is_object() || !entry.contains("type")) {
      return draft_error(field, "must be an object with a type.");
    }
    Json schema = entry;
    schema.erase("required");
    const auto compiled = schema::JsonSchema::compile(schema);
    if (!compiled) return draft_error(field, compiled.error().message());
  }
  return {};
}

}  // namespace

Result<void> check_draft(const SkillDraft& draft) {
  if (draft.name.empty() || unicode_length(draft.name) > 200) {
    return draft_error("name", "must have 1 to 200 characters.");
  }
  if (draft.description.empty()) {
    return draft_error("description", "must not be empty.");
  }
  if (draft.trigger_keywords.size() > kMaxKeywords) {
    return draft_error(
        "trigger_keywords",
        fmt::format("must have at most {} entries, got {}.", kMaxKeywords,
                    draft.trigger_keywords.size()));
  }
  RETURN_IF_ERROR(check_parameters(draft.parameters));
  RETURN_IF_ERROR(check_steps(draft));
  for (const auto& [field, text] : internal::instruction_texts(draft)) {
    RETURN_IF_ERROR(check_instruction(field, text));
  }
  return check_evals(draft);
}

}  // namespace lamarck::skills
