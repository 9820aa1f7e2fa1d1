// The methods of both eras, in one list.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "lamarck/server/mcp/call_context.h"

namespace lamarck::mcp {

inline constexpr std::string_view kModernVersion = "2026-07-28";
// Newest first.
inline constexpr std::array<std::string_view, 4> kLegacyVersions = {
    "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};

// Keys of `_meta`.
inline constexpr std::string_view kVersionKey =
    "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kClientCapabilitiesKey =
    "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kLogLevelKey =
    "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view kTasksExtension =
    "io.modelcontextprotocol/tasks";

enum class McpMethod : std::uint8_t {
  Discover,
  Initialize,
  Ping,
  ListTools,
  CallTool,
  ListResources,
  ListTemplates,
  ReadResource,
  Subscribe,
  Unsubscribe,
  ListPrompts,
  RenderPrompt,
  CompleteArgument,
  SetLogLevel,
  Listen,
  ReadTask,
  UpdateTask,
  CancelTask,
};

// The feature that a server must offer for a method to exist.
enum class McpFeature : std::uint8_t {
  Always,
  Tools,
  Resources,
  Prompts,
  Completions,
};

struct McpMethodRow {
  std::string_view name;
  McpMethod method;
  bool is_modern;
  bool is_legacy;
  McpFeature feature;
  std::string_view name_field;  // Repeated by the header Mcp-Name; "" = none.
  bool needs_tasks;             // The client must declare the tasks extension.
};

inline constexpr std::array<McpMethodRow, 18> kMcpMethods = {{
    {"server/discover", McpMethod::Discover, true, false, McpFeature::Always,
     "", false},
    {"initialize", McpMethod::Initialize, false, true, McpFeature::Always, "",
     false},
    {"ping", McpMethod::Ping, false, true, McpFeature::Always, "", false},
    {"tools/list", McpMethod::ListTools, true, true, McpFeature::Tools, "",
     false},
    {"tools/call", McpMethod::CallTool, true, true, McpFeature::Tools, "name",
     false},
    {"resources/list", McpMethod::ListResources, true, true,
     McpFeature::Resources, "", false},
    {"resources/templates/list", McpMethod::ListTemplates, true, true,
     McpFeature::Resources, "", false},
    {"resources/read", McpMethod::ReadResource, true, true,
     McpFeature::Resources, "uri", false},
    {"resources/subscribe", McpMethod::Subscribe, false, true,
     McpFeature::Resources, "", false},
    {"resources/unsubscribe", McpMethod::Unsubscribe, false, true,
     McpFeature::Resources, "", false},
    {"prompts/list", McpMethod::ListPrompts, true, true, McpFeature::Prompts,
     "", false},
    {"prompts/get", McpMethod::RenderPrompt, true, true, McpFeature::Prompts,
     "name", false},
    {"completion/complete", McpMethod::CompleteArgument, true, true,
     McpFeature::Completions, "", false},
    {"logging/setLevel", McpMethod::SetLogLevel, false, true,
     McpFeature::Always, "", false},
    {"subscriptions/listen", McpMethod::Listen, true, false, McpFeature::Always,
     "", false},
    {"tasks/get", McpMethod::ReadTask, true, false, McpFeature::Always,
     "taskId", true},
    {"tasks/update", McpMethod::UpdateTask, true, false, McpFeature::Always,
     "taskId", true},
    {"tasks/cancel", McpMethod::CancelTask, true, false, McpFeature::Always,
     "taskId", true},
}};

// Null if the era has no such method.
const McpMethodRow* find_method(std::string_view name, Era era);

bool is_legacy_version(std::string_view version);

std::optional<LogLevel> parse_log_level(std::string_view name);
std::string_view log_level_name(LogLevel level);

}  // namespace lamarck::mcp
