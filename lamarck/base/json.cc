#include "lamarck/base/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/json_parse.h"
#include "lamarck/base/json_quote.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/unicode.h"

namespace lamarck {
namespace {

// A SAX handler that builds a value like nlohmann's own parser, but stops at
// the depth limit and at the first error.
class BoundedReader {
 public:
  BoundedReader(Json& root, std::size_t max_depth)
      : builder_(root, false), max_depth_(max_depth) {}

  bool null() { return builder_.null(); }
  bool boolean(bool value) { return builder_.boolean(value); }
  bool number_integer(std::int64_t value) {
    return builder_.number_integer(value);
  }
  bool number_unsigned(std::uint64_t value) {
    return builder_.number_unsigned(value);
  }
  bool number_float(double value, const std::string& text) {
    return builder_.number_float(value, text);
  }
  bool string(std::string& value) { return builder_.string(value); }
  bool binary(Json::binary_t& value) { return builder_.binary(value); }
  bool key(std::string& value) { return builder_.key(value); }
  bool start_object(std::size_t size) {
    return enter() && builder_.start_object(size);
  }
  bool start_array(std::size_t size) {
    return enter() && builder_.start_array(size);
  }
  bool end_object() {
    --depth_;
    return builder_.end_object();
  }
  bool end_array() {
    --depth_;
    return builder_.end_array();
  }

  bool parse_error(std::size_t position, const std::string& /*last_token*/,
                   const Json::exception& failure) {
    position_ = position;
    what_ = failure.what();
    return false;
  }

  bool is_too_deep() const { return is_too_deep_; }
  std::size_t position() const { return position_; }
  const std::string& what() const { return what_; }

 private:
  bool enter() {
    is_too_deep_ = ++depth_ > max_depth_;
    return !is_too_deep_;
  }

  nlohmann::detail::json_sax_dom_parser<Json> builder_;
  std::size_t max_depth_;
  std::size_t depth_ = 0;
  bool is_too_deep_ = false;
  std::size_t position_ = 0;  // Bytes read before the error.
  std::string what_;
};

// nlohmann's "[json.exception...] parse error at line 1, column 2: syntax
// error while parsing value - invalid literal; last read: 'x'" without its
// prefix.
std::string plain_reason(std::string_view what) {
  const std::size_t bracket = what.find("] ");
  if (bracket != std::string_view::npos) what.remove_prefix(bracket + 2);
  const std::size_t start = what.find(": ");
  if (start != std::string_view::npos) what.remove_prefix(start + 2);
  return one_line(what, 200);
}

Error syntax_error(std::string_view text, const BoundedReader& reader) {
  const std::string_view before = text.substr(
      0, std::min(text.size(), reader.position() > 0 ? reader.position() - 1
                                                     : std::size_t{0}));
  const auto line = 1 + std::ranges::count(before, '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0.
  const std::size_t column = 1 + unicode_length(before.substr(line_start));
  return {ErrorCode::InvalidArgument,
          "Invalid JSON at line " + std::to_string(line) + ", column " +
              std::to_string(column) + ": " + plain_reason(reader.what()) + ".",
          {{"line", std::to_string(line)}, {"column", std::to_string(column)}}};
}

template <class Number>
void append_number(std::string& text, Number number) {
  std::array<char, 24> digits{};
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text.append(digits.data(), end);
}

// Produces the same text as nlohmann's dump() on one line, several times
// faster. NOLINTNEXTLINE(misc-no-recursion): as deep as the value, like dump().
void append_value(std::string& text, const Json& json) {
  switch (json.type()) {
    case Json::value_t::object: {
      char before = '{';
      for (const auto& [name, value] : json.get_ref<const Json::object_t&>()) {
        text += before;
        append_quoted_json(text, name);
        text += ':';
        append_value(text, value);
        before = ',';
      }
      text += json.empty() ? "{}" : "}";
      return;
    }
    case Json::value_t::array: {
      char before = '[';
      for (const Json& value : json.get_ref<const Json::array_t&>()) {
        text += before;
        append_value(text, value);
        before = ',';
      }
      text += json.empty() ? "[]" : "]";
      return;
    }
    case Json::value_t::string:
      return append_quoted_json(text, json.get_ref<const std::string&>());
    case Json::value_t::number_integer:
      return append_number(text, json.get<std::int64_t>());
    case Json::value_t::number_unsigned:
      return append_number(text, json.get<std::uint64_t>());
    default:
      text += json.dump();
  }
}

template <class T>
struct FieldType;
template <>
struct FieldType<bool> {
  static constexpr const char* kName = "true or false";
  static bool matches(const Json& json) { return json.is_boolean(); }
};
template <>
struct FieldType<std::int64_t> {
  static constexpr const char* kName = "a whole number";
  static bool matches(const Json& json) {
    constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
    return json.is_number_integer() &&
           (!json.is_number_unsigned() ||
            json.get<std::uint64_t>() <= static_cast<std::uint64_t>(kMax));
  }
};
template <>
struct FieldType<double> {
  static constexpr const char* kName = "a number";
  static bool matches(const Json& json) { return json.is_number(); }
};
template <>
struct FieldType<std::string> {
  static constexpr const char* kName = "a string";
  static bool matches(const Json& json) { return json.is_string(); }
};
template <>
struct FieldType<Json> {
  static constexpr const char* kName = "a value";
  static bool matches(const Json&) { return true; }
};

// Null if there is no such field.
Result<const Json*> find_field(const Json& object, std::string_view name) {
  if (!object.is_object()) {
    return Error(ErrorCode::InvalidArgument,
                 "Expected an object with the field '" + std::string(name) +
                     "', got " + truncate_characters(dump_json(object), 60) +
                     ".",
                 {{"field", std::string(name)}});
  }
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

template <class T>
Result<T> read_field(const Json& value, std::string_view name) {
  if (!FieldType<T>::matches(value)) {
    return Error(ErrorCode::InvalidArgument,
                 "The field '" + std::string(name) + "' must be " +
                     FieldType<T>::kName + ", got " +
                     truncate_characters(dump_json(value), 60) + ".",
                 {{"field", std::string(name)}});
  }
  return value.get<T>();
}

}  // namespace

Result<Json> parse_json(std::string_view text, JsonLimits limits) {
  if (text.size() > limits.size_bytes) {
    return Error(ErrorCode::InvalidArgument,
                 "The JSON text has " + std::to_string(text.size()) +
                     " bytes; the limit is " +
                     std::to_string(limits.size_bytes) + " bytes.");
  }
  // The fast parser accepts valid text only; nlohmann's explains errors.
  if (auto value = parse_valid_json(text, limits.depth)) {
    return *std::move(value);
  }
  Json root;
  BoundedReader reader(root, limits.depth);
  if (Json::sax_parse(text, &reader)) return root;
  if (reader.is_too_deep()) {
    return Error(ErrorCode::InvalidArgument,
                 "The JSON text nests deeper than " +
                     std::to_string(limits.depth) + " levels.");
  }
  return syntax_error(text, reader);
}

std::string dump_json(const Json& json, int indent) {
  if (indent >= 0) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
  }
  std::string text;
  append_value(text, json);
  return text;
}

template <JsonFieldType T>
Result<T> json_field(const Json& object, std::string_view name) {
  ASSIGN_OR_RETURN(const Json* value, find_field(object, name));
  if (value == nullptr) {
    return Error(ErrorCode::InvalidArgument,
                 "The field '" + std::string(name) +
                     "' is missing; it must be " + FieldType<T>::kName + ".",
                 {{"field", std::string(name)}});
  }
  return read_field<T>(*value, name);
}

template <JsonFieldType T>
Result<T> json_field_or(const Json& object, std::string_view name,
                        std::type_identity_t<T> otherwise) {
  ASSIGN_OR_RETURN(const Json* value, find_field(object, name));
  if (value == nullptr || value->is_null()) return otherwise;
  return read_field<T>(*value, name);
}

template Result<bool> json_field(const Json&, std::string_view);
template Result<std::int64_t> json_field(const Json&, std::string_view);
template Result<double> json_field(const Json&, std::string_view);
template Result<std::string> json_field(const Json&, std::string_view);
template Result<Json> json_field(const Json&, std::string_view);
template Result<bool> json_field_or<bool>(const Json&, std::string_view, bool);
template Result<std::int64_t> json_field_or<std::int64_t>(const Json&,
                                                          std::string_view,
                                                          std::int64_t);
template Result<double> json_field_or<double>(const Json&, std::string_view,
                                              double);
template Result<std::string> json_field_or<std::string>(const Json&,
                                                        std::string_view,
                                                        std::string);
template Result<Json> json_field_or<Json>(const Json&, std::string_view, Json);

Json error_to_json(const Error& error) {
  Json json = {{"code", error_code_name(error.code())},
               {"message", error.message()}};
  if (!error.fields().empty()) json["fields"] = error.fields();
  return json;
}

}  // namespace lamarck
