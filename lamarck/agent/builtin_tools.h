// The tools that every agent can have: files in a workspace, HTTP, statistics
// of tables, Python in a sandbox, and formulas.

#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "lamarck/agent/tool_registry.h"
#include "lamarck/agent/workspace.h"
#include "lamarck/base/result.h"

namespace lamarck::agent {

struct HttpToolOptions {
  // Hosts that may be called: "api.example.com", "localhost:8080" (only that
  // port), "*.example.com" (any host below it). Empty = no HTTP tools.
  std::set<std::string, std::less<>> allowed_hosts;
  // Also connects to loopback and internal networks.
  bool allows_private_addresses = false;
};

struct BuiltinToolOptions {
  std::shared_ptr<Workspace> workspace;  // Null = no tools for files.
  HttpToolOptions http;
  bool has_python = true;
};

// Adds all tools that the options allow.
Result<void> add_builtin_tools(ToolRegistry& registry,
                               const BuiltinToolOptions& options);

// The parts of it.
Result<void> add_file_tools(ToolRegistry& registry,
                            std::shared_ptr<Workspace> workspace);
Result<void> add_http_tools(ToolRegistry& registry,
                            const HttpToolOptions& options);
Result<void> add_table_tools(ToolRegistry& registry,
                             std::shared_ptr<Workspace> workspace);
Result<void> add_python_tool(ToolRegistry& registry);
Result<void> add_formula_tool(ToolRegistry& registry);

// Whether `host` and `port` match an entry of the list.
bool is_allowed_host(const std::set<std::string, std::less<>>& allowed,
                     std::string_view host, std::string_view port);

}  // namespace lamarck::agent
