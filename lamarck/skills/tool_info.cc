#include "lamarck/skills/tool_info.h"

#include <array>

#include <fmt/format.h>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"

namespace lamarck::skills {
namespace {

constexpr std::array<CapabilityEntry, 6> kCapabilities = {{
    {Capability::Reads, "reads", false},
    {Capability::Writes, "writes", false},
    {Capability::Network, "network", true},
    {Capability::Deletes, "deletes", true},
    {Capability::Sends, "sends", true},
    {Capability::Executes, "executes", true},
}};

Result<Capability> parse_capability(const Json& json) {
  if (json.is_string()) {
    for (const CapabilityEntry& entry : kCapabilities) {
      if (json.get_ref<const std::string&>() == entry.name) {
        return entry.capability;
      }
    }
  }
  return invalid_argument(
      fmt::format("A capability must be reads, writes, network, deletes, sends "
                  "or executes, got {}.",
                  one_line(dump_json(json))));
}

}  // namespace

std::span<const CapabilityEntry> capabilities() { return kCapabilities; }

Json to_json(const Capabilities& set) {
  Json json = Json::array();
  for (const CapabilityEntry& entry : kCapabilities) {
    if (set.has(entry.capability)) json.push_back(entry.name);
  }
  return json;
}

Result<Capabilities> parse_capabilities(const Json& json) {
  if (!json.is_array()) {
    return invalid_argument("Capabilities must be a list of names.");
  }
  Capabilities set;
  for (const Json& item : json) {
    ASSIGN_OR_RETURN(const Capability one, parse_capability(item));
    set.add(one);
  }
  return set;
}

}  // namespace lamarck::skills
