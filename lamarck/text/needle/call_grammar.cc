#include "lamarck/text/needle/call_grammar.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lamarck/base/ascii.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/text/value_shape.h"

namespace lamarck::text {
namespace {

constexpr std::int32_t kNoCall = 1 << 30;  // A value of `openings_`.
constexpr std::int32_t kEndOfArguments = kNoCall;
constexpr std::int32_t kEndOfCalls = kNoCall;
constexpr std::int32_t kMaxListElements = 8;

std::string call_head(const std::string& name) {
  return R"({"name":)" + dump_json(Json(name)) + R"(,"arguments":{)";
}

// The same JSON in ASCII, which models like to write: "\\u00e8".
std::string escaped_json(const std::string& text) {
  const auto json = parse_json(text);
  return json ? json->dump(-1, ' ', true, Json::error_handler_t::replace)
              : text;
}

// Whether `text` contains `part` as whole words.
bool contains_words(std::string_view text, std::string_view part) {
  const auto is_word = [](char c) {
    return ascii::is_digit(c) ||
           (ascii::lower(c) >= 'a' && ascii::lower(c) <= 'z');
  };
  for (auto at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + 1)) {
    const std::size_t end = at + part.size();
    if ((at == 0 || !is_word(text[at - 1])) &&
        (end == text.size() || !is_word(text[end]))) {
      return true;
    }
  }
  return false;
}

std::string type_of(const Json& schema) {
  const Json type = schema.is_object() ? schema.value("type", Json()) : Json();
  if (type.is_string()) return type.get<std::string>();
  if (type.is_array()) {  // Such as ["string", "null"].
    for (const Json& one : type) {
      if (one.is_string() && one != "null") return one.get<std::string>();
    }
  }
  return "";
}

bool is_integer(const std::string& number) {
  return number.find_first_of(".eE") == std::string::npos;
}

// The literals whose shape the schema names; all, if there are none.
std::vector<std::string> texts_of_shape(const Json& schema,
                                        const ValueLiterals& literals) {
  std::vector<std::string> shapes;
  const Json given =
      schema.is_object() ? schema.value(kShapesKeyword, Json()) : Json();
  for (const Json& one : given.is_array() ? given : Json::array()) {
    if (one.is_string()) shapes.push_back(one.get<std::string>());
  }
  std::vector<std::string> texts;
  for (const std::string& text : literals.texts) {
    if (has_shape(text, shapes)) texts.push_back(text);
  }
  return texts.empty() ? literals.texts : texts;
}

bool is_open(const Json& schema) {
  return !schema.is_object() ||
         !(schema.contains("enum") || schema.contains("const"));
}

// The values of a scalar; nullopt if its type is not supported.
std::optional<std::vector<std::string>> scalar_values(
    const Json& schema, const ValueLiterals& literals) {
  std::vector<std::string> values;
  for (const char* name : {"enum", "const"}) {
    if (!schema.is_object() || !schema.contains(name)) continue;
    const Json& given = schema[name];
    for (const Json& one : given.is_array() ? given : Json::array({given})) {
      if (one.is_primitive()) values.push_back(dump_json(one));
    }
    return values;
  }
  const std::string type = type_of(schema);
  if (type == "boolean") return std::vector<std::string>{"true", "false"};
  if (type == "string" || type.empty()) {
    for (const std::string& text : texts_of_shape(schema, literals)) {
      values.push_back(dump_json(Json(text)));
    }
  } else if (type == "number" || type == "integer") {
    for (const std::string& number : literals.numbers) {
      if (type == "number" || is_integer(number)) values.push_back(number);
    }
  } else {
    return std::nullopt;
  }
  if (schema.is_object() && schema.contains("default") &&
      schema["default"].is_primitive()) {
    values.push_back(dump_json(schema["default"]));
  }
  return values;
}

}  // namespace

Result<CallTool> make_call_tool(const std::string& name, const Json& schema,
                                const ValueLiterals& literals) {
  CallTool tool{.name = name, .parameters = {}};
  const Json properties =
      schema.is_object() ? schema.value("properties", Json::object()) : Json();
  if (!properties.is_object()) return tool;
  const Json required = schema.value("required", Json::array());
  const auto is_required = [&](const std::string& key) {
    return required.is_array() && std::find(required.begin(), required.end(),
                                            Json(key)) != required.end();
  };
  for (const auto& [key, given] : properties.items()) {
    const bool is_list = type_of(given) == "array";
    const auto values = scalar_values(
        is_list ? given.value("items", Json::object()) : given, literals);
    if (!values && is_required(key)) {
      return invalid_argument(
          "Needle fills in strings, numbers, booleans and lists of them; the "
          "required parameter " +
          in_quotes(key) + " of " + in_quotes(name) + " has the type " +
          in_quotes(type_of(given)) + ".");
    }
    if (!values || (values->empty() && !is_required(key))) continue;
    tool.parameters.push_back(
        {.name = key,
         .is_required = is_required(key),
         .is_list = is_list,
         .is_open =
             is_open(is_list ? given.value("items", Json::object()) : given),
         .values = *values});
  }
  // Required ones first: the model fills them in while it still follows.
  std::stable_partition(
      tool.parameters.begin(), tool.parameters.end(),
      [](const CallParameter& parameter) { return parameter.is_required; });
  return tool;
}

CallGrammar::CallGrammar(std::vector<CallTool> tools, Options options)
    : options_(options) {
  for (CallTool& tool : tools) {
    const bool is_callable =
        std::ranges::none_of(tool.parameters, [](const CallParameter& one) {
          return one.is_required && one.values.empty();
        });
    if (!is_callable) continue;
    const auto number = static_cast<std::int32_t>(tools_.size());
    const std::string head = call_head(tool.name);
    // SentencePiece puts a space before a text.
    openings_.insert("[" + head, number);
    openings_.insert(" [" + head, number);
    closings_.insert("}," + head, number);
    Grown grown{.tool = std::move(tool), .keys = {}, .values = {}};
    grow_keys(grown);
    for (const CallParameter& parameter : grown.tool.parameters) {
      ByteTrie& trie = grown.values.emplace_back();
      for (std::size_t i = 0; i < parameter.values.size(); ++i) {
        const auto index = static_cast<std::int32_t>(i);
        trie.insert(parameter.values[i], index);
        trie.insert(escaped_json(parameter.values[i]), index);
      }
    }
    tools_.push_back(std::move(grown));
  }
  if (options_.max_calls <= 1) closings_ = {};
  closings_.insert("}]", kEndOfCalls);
  if (!options_.must_call) {
    openings_.insert("[]", kNoCall);
    openings_.insert(" []", kNoCall);
  }
}

// At each position the next key is one of the optional parameters up to the
// next required one, and the arguments end if there is no required one left.
void CallGrammar::grow_keys(Grown& grown) const {
  const auto& parameters = grown.tool.parameters;
  for (std::size_t at = 0; at <= parameters.size(); ++at) {
    ByteTrie& trie = grown.keys.emplace_back();
    bool can_end = true;
    for (std::size_t i = at; i < parameters.size() && can_end; ++i) {
      trie.insert(
          (at == 0 ? "" : ",") + dump_json(Json(parameters[i].name)) + ":",
          static_cast<std::int32_t>(i));
      can_end = !parameters[i].is_required;
    }
    if (can_end) trie.insert("}", kEndOfArguments);
  }
}

std::optional<CallGrammar::Position> CallGrammar::step_value(Position from,
                                                             char byte) const {
  const Grown& grown = tools_[static_cast<std::size_t>(from.tool)];
  const auto index = static_cast<std::size_t>(from.parameter);
  const ByteTrie& trie = grown.values[index];
  const bool is_list = grown.tool.parameters[index].is_list;
  if (is_list && from.elements == 0) {
    if (byte != '[') return std::nullopt;
    from.elements = 1;
    return from;
  }
  const std::int32_t next = trie.child(from.node, byte);
  if (next != ByteTrie::kNone) {
    from.node = next;
    return from;
  }
  if (trie.value(from.node) == ByteTrie::kNone) return std::nullopt;
  if (is_list && byte == ',' && from.elements < kMaxListElements) {
    ++from.elements;
    from.node = 0;
    return from;
  }
  Position after{.phase = Phase::Key,
                 .tool = from.tool,
                 .parameter = from.parameter + 1,
                 .calls = from.calls,
                 .last_parameter = from.parameter,
                 .last_value = trie.value(from.node)};
  if (is_list) {
    return byte == ']' ? std::optional(after) : std::nullopt;
  }
  return step(after, byte);
}

std::optional<CallGrammar::Position> CallGrammar::step(Position from,
                                                       char byte) const {
  if (from.phase == Phase::End) return std::nullopt;
  if (from.phase == Phase::Value) return step_value(from, byte);
  const ByteTrie& trie =
      from.phase == Phase::Opening ? openings_
      : from.phase == Phase::Closing
          ? closings_
          : tools_[static_cast<std::size_t>(from.tool)]
                .keys[static_cast<std::size_t>(from.parameter)];
  from.node = trie.child(from.node, byte);
  if (from.node == ByteTrie::kNone) return std::nullopt;
  const std::int32_t value = trie.value(from.node);
  if (value == ByteTrie::kNone) return from;
  from.node = 0;
  if (from.phase == Phase::Key) {
    from.phase = value == kEndOfArguments ? Phase::Closing : Phase::Value;
    from.parameter = value == kEndOfArguments ? 0 : value;
    from.elements = 0;
    return from;
  }
  if (value == kNoCall)
    return Position{.phase = Phase::End, .calls = from.calls};
  if (from.calls == static_cast<std::int32_t>(options_.max_calls)) {
    return std::nullopt;
  }
  return Position{.phase = Phase::Key, .tool = value, .calls = from.calls + 1};
}

std::optional<CallGrammar::Position> CallGrammar::advance(
    Position from, std::string_view bytes) const {
  std::optional<Position> at = from;
  for (const char byte : bytes) {
    at = step(*at, byte);
    if (!at) break;
  }
  return at;
}

void CallGrammar::use_up_last_value(const Position& position) {
  if (position.phase == Phase::Opening || position.phase == Phase::End ||
      position.last_parameter < 0) {
    return;
  }
  Grown& grown = tools_[static_cast<std::size_t>(position.tool)];
  const auto last = static_cast<std::size_t>(position.last_parameter);
  const std::string value =
      grown.tool.parameters[last]
          .values[static_cast<std::size_t>(position.last_value)];
  if (!value.starts_with('"')) return;
  for (std::size_t i = last + 1; i < grown.tool.parameters.size(); ++i) {
    CallParameter& one = grown.tool.parameters[i];
    if (!one.is_open) continue;
    const auto overlaps = [&](const std::string& other) {
      const auto inner = [](const std::string& text) {
        return text.size() < 2
                   ? std::string_view()
                   : std::string_view(text).substr(1, text.size() - 2);
      };
      return contains_words(inner(value), inner(other)) ||
             contains_words(inner(other), inner(value));
    };
    const auto kept = std::ranges::count_if(
        one.values, [&](const std::string& other) { return !overlaps(other); });
    if (kept == 0) continue;
    for (const std::string& other : one.values) {
      if (!overlaps(other)) continue;
      grown.values[i].remove(other);
      grown.values[i].remove(escaped_json(other));
    }
  }
}

}  // namespace lamarck::text
