#include "lamarck/server/mcp/internal/mcp_headers.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/unicode.h"
#include "lamarck/net/base64.h"
#include "lamarck/server/mcp/internal/mcp_message.h"

namespace lamarck::mcp {
namespace {

constexpr std::string_view kMark = "x-mcp-header";
// The largest integer that a double represents exactly, as in JavaScript.
constexpr std::int64_t kSafeInteger = (std::int64_t{1} << 53) - 1;

Failure mismatch(std::string message) {
  return {kHeaderMismatch, std::move(message), ""};
}

const std::string* find_header(const net::HttpHeaders& headers,
                               std::string_view name) {
  const auto found = headers.find(name);
  return found == headers.end() ? nullptr : &found->second;
}

std::optional<Failure> check_equal(const net::HttpHeaders& headers,
                                   std::string_view name,
                                   std::string_view wanted) {
  const std::string* value = find_header(headers, name);
  if (value == nullptr) {
    return mismatch("The header " + std::string(name) + " is missing.");
  }
  if (*value == wanted) return std::nullopt;
  return mismatch("The header " + std::string(name) + " is " +
                  in_quotes(*value) + ", but the body has " +
                  in_quotes(wanted) + ".");
}

bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](unsigned char c) {
    return std::isalnum(c) != 0 ||
           kMarks.find(static_cast<char>(c)) != std::string_view::npos;
  });
}

class MarkFinder {
 public:
  Result<std::vector<HeaderMark>> find(const Json& schema) {
    RETURN_IF_ERROR(walk(schema, true));
    return std::move(marks_);
  }

 private:
  // `is_reachable`: the path so far consists of `properties` only.
  Result<void> walk(const Json& json, bool is_reachable) {
    if (json.is_array()) {
      for (const Json& item : json) RETURN_IF_ERROR(walk(item, false));
    }
    if (!json.is_object()) return {};
    if (json.contains(kMark)) RETURN_IF_ERROR(add(json, is_reachable));
    for (const auto& [name, value] : json.items()) {
      // These contain values, not schemas.
      if (name == "enum" || name == "const" || name == "default" ||
          name == "examples") {
        continue;
      }
      if (name == "properties" && value.is_object()) {
        RETURN_IF_ERROR(walk_properties(value, is_reachable));
      } else {
        RETURN_IF_ERROR(walk(value, false));
      }
    }
    return {};
  }

  Result<void> walk_properties(const Json& properties, bool is_reachable) {
    for (const auto& [name, value] : properties.items()) {
      path_.push_back(name);
      RETURN_IF_ERROR(walk(value, is_reachable));
      path_.pop_back();
    }
    return {};
  }

  Result<void> add(const Json& schema, bool is_reachable) {
    const std::string* name = find_string(schema, kMark);
    if (name == nullptr || !is_token(*name)) {
      return illegal("must be a header token");
    }
    const std::string* type = find_string(schema, "type");
    if (type == nullptr ||
        (*type != "string" && *type != "integer" && *type != "boolean")) {
      return illegal("must mark a string, an integer or a boolean");
    }
    if (!is_reachable || path_.empty()) {
      return illegal("must be reachable through properties alone");
    }
    if (!names_.insert(*name).second) return illegal("must be unique");
    marks_.push_back({path_, "Mcp-Param-" + *name});
    return {};
  }

  Result<void> illegal(std::string_view why) const {
    return Error(
        ErrorCode::InvalidArgument,
        "An x-mcp-header of the input schema " + std::string(why) + ".");
  }

  std::vector<HeaderMark> marks_;
  std::vector<std::string> path_;
  std::set<std::string, net::HeaderNameLess> names_;
};

const Json* value_at(const Json& arguments,
                     const std::vector<std::string>& path) {
  const Json* value = &arguments;
  for (const std::string& name : path) {
    value = find_member(*value, name);
    if (value == nullptr) return nullptr;
  }
  return value->is_null() ? nullptr : value;
}

bool is_same_integer(std::string_view text, const Json& value) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end &&
         std::abs(number) <= kSafeInteger && value == number;
}

bool agrees(std::string_view text, const Json& value) {
  if (value.is_string()) return value == text;
  if (value.is_boolean()) return text == (value == true ? "true" : "false");
  return value.is_number() && is_same_integer(text, value);
}

}  // namespace

Result<std::vector<HeaderMark>> find_header_marks(const Json& schema) {
  return MarkFinder().find(schema);
}

std::optional<std::string> decoded_header(std::string_view value) {
  constexpr std::string_view kBegin = "=?base64?";
  constexpr std::string_view kEnd = "?=";
  if (value.size() < kBegin.size() + kEnd.size() ||
      !value.starts_with(kBegin) || !value.ends_with(kEnd)) {
    return std::string(value);
  }
  value.remove_prefix(kBegin.size());
  value.remove_suffix(kEnd.size());
  auto text = net::base64_decoded(value);
  if (text.has_value() && !is_valid_utf8(*text)) return std::nullopt;
  return text;
}

std::optional<Failure> check_version_header(const net::HttpHeaders& headers,
                                            std::string_view version) {
  return check_equal(headers, "MCP-Protocol-Version", version);
}

std::optional<Failure> check_method_header(const net::HttpHeaders& headers,
                                           std::string_view method) {
  return check_equal(headers, "Mcp-Method", method);
}

std::optional<Failure> check_name_header(const net::HttpHeaders& headers,
                                         std::string_view name) {
  const std::string* value = find_header(headers, "Mcp-Name");
  if (value == nullptr) return mismatch("The header Mcp-Name is missing.");
  const auto decoded = decoded_header(*value);
  if (decoded.has_value() && *decoded == name) return std::nullopt;
  return mismatch("The header Mcp-Name is " + in_quotes(*value) +
                  ", but the body has " + in_quotes(name) + ".");
}

std::optional<Failure> check_marked_headers(
    const net::HttpHeaders& headers, const std::vector<HeaderMark>& marks,
    const Json& arguments) {
  for (const HeaderMark& mark : marks) {
    const Json* argument = value_at(arguments, mark.path);
    if (argument == nullptr) continue;
    const std::string* value = find_header(headers, mark.header);
    if (value == nullptr) {
      return mismatch("The header " + mark.header + " is missing.");
    }
    const auto decoded = decoded_header(*value);
    if (!decoded.has_value() || !agrees(*decoded, *argument)) {
      return mismatch("The header " + mark.header + " is " + in_quotes(*value) +
                      ", but the argument is " +
                      in_quotes(dump_json(*argument)) + ".");
    }
  }
  return std::nullopt;
}

}  // namespace lamarck::mcp
