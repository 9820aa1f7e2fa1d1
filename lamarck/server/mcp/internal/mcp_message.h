// JSON-RPC 2.0 as used by MCP. Messages are parsed once; replies are written as
// text.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "lamarck/base/json.h"
#include "lamarck/server/mcp/outcome.h"

namespace lamarck::mcp {

inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kMissingCapability = -32021;
inline constexpr int kUnsupportedVersion = -32022;
inline constexpr int kLegacyResourceNotFound = -32002;

struct McpMessage {
  enum class Kind : std::uint8_t { Request, Notification, Response };

  Kind kind = Kind::Notification;
  std::string id;      // As JSON text, so 1 and "1" differ; "" = none.
  std::string method;  // "" for responses.
  std::shared_ptr<const Json> json;
  const Json* params = nullptr;  // Points into json or to {}; never null.
};

// The error for an invalid message, and the id to reply with.
struct McpRefusal {
  std::string id;
  Failure failure;
};

// Reads one message; arrays are handled by mcp_batch.h.
std::variant<McpMessage, McpRefusal> read_message(Json json);

// A JSON string, with its quotes.
std::string json_quoted(std::string_view text);

std::string result_message(std::string_view id, std::string_view result);
// Omits the id if it is "".
std::string error_message(std::string_view id, const Failure& failure);
std::string request_message(std::string_view id, std::string_view method,
                            std::string_view params);
std::string notification_message(std::string_view method,
                                 std::string_view params);
// {"code", "message", "data"}.
std::string failure_object(const Failure& failure);

// The member of an object; null if it is missing or `json` is not an object.
const Json* find_member(const Json& json, std::string_view name);
// Like find_member; null unless the member is a string.
const std::string* find_string(const Json& json, std::string_view name);

// Replaces line ends between JSON tokens with spaces.
std::string on_one_line(std::string json_text);

}  // namespace lamarck::mcp
