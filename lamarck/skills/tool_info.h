// What skills need to know of a tool: its arguments and what it can do.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"

namespace lamarck::skills {

enum class Capability : std::uint8_t {
  Reads,     // Files or data.
  Writes,    // Creates or changes files or data.
  Network,   // Connects to other machines.
  Deletes,   // Removes files or data.
  Sends,     // Sends messages to people.
  Executes,  // Runs programs or code.
};
struct CapabilityEntry {
  Capability capability;
  std::string_view name;  // "reads".
  bool is_dangerous;      // Needs the agent's white list.
};
// The one list of capabilities.
std::span<const CapabilityEntry> capabilities();

// A set of capabilities.
class Capabilities {
 public:
  constexpr Capabilities() = default;
  constexpr Capabilities(std::initializer_list<Capability> list) {
    for (const Capability one : list) add(one);
  }
  constexpr void add(Capability one) { bits_ |= 1U << static_cast<int>(one); }
  constexpr bool has(Capability one) const {
    return (bits_ & 1U << static_cast<int>(one)) != 0;
  }
  friend bool operator==(const Capabilities&, const Capabilities&) = default;

 private:
  unsigned bits_ = 0;
};
Json to_json(const Capabilities& set);  // ["reads", "writes"].
Result<Capabilities> parse_capabilities(const Json& json);

struct ToolInfo {
  std::string name;
  std::string description;
  Json input_schema = Json::object();
  Capabilities capabilities;
  bool is_idempotent = false;
};
// Finds a tool by name; nullopt if it is not known.
using FindTool = std::function<std::optional<ToolInfo>(std::string_view name)>;

}  // namespace lamarck::skills
