#include "lamarck/server/mcp/internal/mcp_envelope.h"

#include <nlohmann/json.hpp>

#include "lamarck/base/one_line.h"
#include "lamarck/server/mcp/internal/mcp_methods.h"

namespace lamarck::mcp {
namespace {

const Json* find_meta(const McpMessage& message) {
  return find_member(*message.params, "_meta");
}

bool has_object(const Json& json, std::string_view name) {
  const Json* member = find_member(json, name);
  return member != nullptr && member->is_object();
}

Failure bad_envelope(std::string_view key, std::string_view what) {
  return {kInvalidParams,
          "The request must have params._meta[\"" + std::string(key) + "\"], " +
              std::string(what) + ".",
          ""};
}

Failure missing(std::string_view what, const Json& capabilities) {
  return {kMissingCapability,
          "The client must declare the capability " + std::string(what) +
              " for this request.",
          dump_json({{"requiredCapabilities", capabilities}})};
}

bool wants_url(const InputRequest& request) {
  const auto params = parse_json(request.params);
  if (!params.has_value()) return false;
  const std::string* mode = find_string(*params, "mode");
  return mode != nullptr && *mode == "url";
}

}  // namespace

bool claims_modern(const McpMessage& message) {
  const Json* meta = find_meta(message);
  return meta != nullptr && find_member(*meta, kVersionKey) != nullptr;
}

McpRoute classify_post(const McpMessage& message,
                       std::string_view version_header) {
  if (message.kind == McpMessage::Kind::Response) return McpRoute::Session;
  if (claims_modern(message)) return McpRoute::Modern;
  // Versions are dates, so strings compare in order of time.
  const bool is_date = version_header.size() == kModernVersion.size() &&
                       version_header.front() >= '0' &&
                       version_header.front() <= '9';
  if (is_date && version_header >= kModernVersion) return McpRoute::Unclaimed;
  if (message.method == "initialize") return McpRoute::Initialize;
  return McpRoute::Session;
}

std::variant<McpEnvelope, Failure> read_modern_envelope(
    const McpMessage& message) {
  const Json* meta = find_meta(message);
  McpEnvelope envelope;
  const std::string* version =
      meta == nullptr ? nullptr : find_string(*meta, kVersionKey);
  if (version == nullptr) {
    return bad_envelope(kVersionKey, "a string such as \"2026-07-28\"");
  }
  envelope.version = *version;
  if (!has_object(*meta, kClientCapabilitiesKey)) {
    return bad_envelope(kClientCapabilitiesKey,
                        "an object, which may be empty");
  }
  envelope.client = read_capabilities(
      *find_member(*meta, kClientCapabilitiesKey), Era::Modern);
  if (find_member(*meta, kLogLevelKey) != nullptr) {
    const std::string* level = find_string(*meta, kLogLevelKey);
    if (level != nullptr) envelope.log_level = parse_log_level(*level);
    if (!envelope.log_level.has_value()) {
      return bad_envelope(kLogLevelKey, "one of debug to emergency");
    }
  }
  envelope.progress_token = read_progress_token(message);
  return envelope;
}

std::optional<Failure> check_modern_version(std::string_view version) {
  if (version == kModernVersion) return std::nullopt;
  return Failure{
      kUnsupportedVersion,
      "The protocol version " + in_quotes(version) + " is not supported.",
      dump_json({{"supported", Json::array({kModernVersion})},
                 {"requested", version}})};
}

ClientCapabilities read_capabilities(const Json& capabilities, Era era) {
  ClientCapabilities client;
  client.sampling = has_object(capabilities, "sampling");
  client.roots = has_object(capabilities, "roots");
  if (has_object(capabilities, "elicitation")) {
    const Json& elicitation = *find_member(capabilities, "elicitation");
    client.elicitation_url = elicitation.contains("url");
    // An empty object means that only forms are supported.
    client.elicitation_form =
        elicitation.contains("form") || !client.elicitation_url;
  }
  if (era == Era::Modern && has_object(capabilities, "extensions")) {
    client.tasks =
        has_object(*find_member(capabilities, "extensions"), kTasksExtension);
  }
  return client;
}

std::string read_progress_token(const McpMessage& message) {
  const Json* meta = find_meta(message);
  const Json* token =
      meta == nullptr ? nullptr : find_member(*meta, "progressToken");
  if (token == nullptr) return "";
  if (!token->is_string() && !token->is_number_integer()) return "";
  return dump_json(*token);
}

std::optional<Failure> missing_capability(const ClientCapabilities& client,
                                          const InputRequest& request) {
  if (request.method == "sampling/createMessage") {
    if (client.sampling) return std::nullopt;
    return missing("sampling", {{"sampling", Json::object()}});
  }
  if (request.method == "roots/list") {
    if (client.roots) return std::nullopt;
    return missing("roots", {{"roots", Json::object()}});
  }
  if (client.elicitation_form && client.elicitation_url) return std::nullopt;
  const bool is_url = wants_url(request);
  if (is_url ? client.elicitation_url : client.elicitation_form) {
    return std::nullopt;
  }
  return missing(
      "elicitation",
      {{"elicitation", {{is_url ? "url" : "form", Json::object()}}}});
}

Failure missing_tasks() {
  return missing(
      std::string("extensions[\"") + std::string(kTasksExtension) + "\"]",
      {{"extensions", {{kTasksExtension, Json::object()}}}});
}

}  // namespace lamarck::mcp
