// Determines the era of a message and reads its metadata.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "lamarck/server/mcp/call_context.h"
#include "lamarck/server/mcp/internal/mcp_message.h"

namespace lamarck::mcp {

// The metadata of a message, independent of its method.
struct McpEnvelope {
  Era era = Era::Modern;
  std::string version;
  ClientCapabilities client;
  std::optional<LogLevel> log_level;  // nullopt = no log messages.
  std::string progress_token;         // As JSON text; "" = none.
};

enum class McpRoute : std::uint8_t {
  Modern,      // Stateless; the envelope may still be invalid.
  Unclaimed,   // Modern by its header, but not by its body.
  Initialize,  // Starts a session.
  Session,     // Belongs to a session.
};

// Returns whether the body has the key for the modern protocol version, with
// any value.
bool claims_modern(const McpMessage& message);

// Classifies one POST; `version_header` is MCP-Protocol-Version.
McpRoute classify_post(const McpMessage& message,
                       std::string_view version_header);

// The envelope of a modern message, or an error that names the missing key
// (-32602). Does not check that the version is supported.
std::variant<McpEnvelope, Failure> read_modern_envelope(
    const McpMessage& message);

// -32022 unless the version is supported.
std::optional<Failure> check_modern_version(std::string_view version);

ClientCapabilities read_capabilities(const Json& capabilities, Era era);

// As JSON text; "" if there is none.
std::string read_progress_token(const McpMessage& message);

// -32021 with the missing capability in `data` if the client cannot answer the
// request; otherwise nullopt.
std::optional<Failure> missing_capability(const ClientCapabilities& client,
                                          const InputRequest& request);
Failure missing_tasks();

}  // namespace lamarck::mcp
