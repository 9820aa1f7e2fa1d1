// Which era a message belongs to, and what it says about its sender.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "lamarck/server/mcp/call_context.h"
#include "lamarck/server/mcp/internal/mcp_message.h"

namespace lamarck::mcp {

// What a message says about itself, whatever its method.
struct McpEnvelope {
  Era era = Era::Modern;
  std::string version;
  ClientCapabilities client;
  std::optional<LogLevel> log_level;  // Nothing = no messages.
  std::string progress_token;         // As JSON text; "" = none.
};

enum class McpRoute : std::uint8_t {
  Modern,      // Stands alone; its envelope may still be wrong.
  Unclaimed,   // The header says modern, the body does not.
  Initialize,  // Begins a session.
  Session,     // Belongs to one.
};

// The body alone says it, with any value: a claim to be modern.
bool claims_modern(const McpMessage& message);

// For one POST; `version_header` is MCP-Protocol-Version.
McpRoute classify_post(const McpMessage& message,
                       std::string_view version_header);

// The envelope of a modern message, or what is missing in it (-32602). The
// version may be one that is not served.
std::variant<McpEnvelope, Failure> read_modern_envelope(
    const McpMessage& message);

// -32022, unless the version is served.
std::optional<Failure> check_modern_version(std::string_view version);

ClientCapabilities read_capabilities(const Json& capabilities, Era era);

// As JSON text; "" if there is none.
std::string read_progress_token(const McpMessage& message);

// Of the InputRequest kinds and tasks, what the client lacks, as the `data` of
// -32021; nothing if it has what is needed.
std::optional<Failure> missing_capability(const ClientCapabilities& client,
                                          const InputRequest& request);
Failure missing_tasks();

}  // namespace lamarck::mcp
