// The tools that an agent may call, built in or offered by MCP servers.

#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/schema/json_schema.h"
#include "lamarck/skills/tool_info.h"

namespace lamarck::agent {

struct ToolLimits {
  std::chrono::milliseconds time{30'000};
  std::size_t output_bytes = std::size_t{256} << 10;  // Of the result as JSON.
};

// What a tool function gets besides its arguments. `cancel` is triggered at the
// time limit too.
struct ToolContext {
  CancelToken cancel;
  ToolLimits limits;
};
// Arguments are valid by the tool's schema. Thread safety: may be called from
// several threads at once.
using ToolFunction =
    std::function<Result<Json>(const Json& arguments, const ToolContext&)>;

struct Tool {
  skills::ToolInfo info;
  ToolLimits limits;
  ToolFunction run;
};

// Thread safety: const members may be called from any thread.
class ToolRegistry {
 public:
  // Fails with AlreadyExists, or InvalidArgument for a schema that cannot be
  // compiled or a name other than letters, digits and _ - . (at most 128).
  Result<void> add(Tool tool);

  // Null if there is none.
  const Tool* find(std::string_view name) const;
  std::vector<const Tool*> tools() const;  // Sorted by name.
  // Points to this registry.
  skills::FindTool finder() const;

  // The arguments with strings converted where the schema asks for another
  // type. Fails with NotFound, suggesting the nearest name, or InvalidArgument
  // with the first violation.
  Result<Json> checked_arguments(std::string_view name,
                                 const Json& arguments) const;
  // Checks the arguments and runs the tool within its limits: fails with
  // Timeout, and with BudgetExceeded for a result that is too large.
  Result<Json> call(std::string_view name, const Json& arguments,
                    const CancelToken& cancel) const;

 private:
  struct Entry {
    Tool tool;
    schema::JsonSchema schema;
  };
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace lamarck::agent
