#include "lamarck/server/mcp/internal/mcp_methods.h"

#include <algorithm>

namespace lamarck::mcp {
namespace {

constexpr std::array<std::string_view, 8> kLogLevels = {
    "debug", "info",     "notice", "warning",
    "error", "critical", "alert",  "emergency"};

}  // namespace

const McpMethodRow* find_method(std::string_view name, Era era) {
  for (const McpMethodRow& row : kMcpMethods) {
    const bool is_of_era = era == Era::Modern ? row.is_modern : row.is_legacy;
    if (is_of_era && row.name == name) return &row;
  }
  return nullptr;
}

bool is_legacy_version(std::string_view version) {
  return std::ranges::find(kLegacyVersions, version) != kLegacyVersions.end();
}

std::optional<LogLevel> parse_log_level(std::string_view name) {
  const auto* found = std::ranges::find(kLogLevels, name);
  if (found == kLogLevels.end()) return std::nullopt;
  return static_cast<LogLevel>(found - kLogLevels.begin());
}

std::string_view log_level_name(LogLevel level) {
  return kLogLevels[static_cast<std::size_t>(level)];
}

}  // namespace lamarck::mcp
