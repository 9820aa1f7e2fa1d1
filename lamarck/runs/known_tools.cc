#include "lamarck/runs/known_tools.h"

#include "lamarck/agent/builtin_tools.h"
#include "lamarck/agent/tool_registry.h"
#include "lamarck/base/ensure.h"
#include "lamarck/runs/run_agent_tools.h"

namespace lamarck::runs {
namespace {

// None of them is ever called, so they need no workspace.
const agent::ToolRegistry& described_tools() {
  static const agent::ToolRegistry* registry = [] {
    auto* made = new agent::ToolRegistry;  // Lives as long as the process.
    agent::add_file_tools(*made, nullptr).value();
    agent::add_table_tools(*made, nullptr).value();
    agent::add_http_tools(*made, {.allowed_hosts = {"localhost"}}).value();
    agent::add_python_tool(*made).value();
    agent::add_formula_tool(*made).value();
    add_run_agent_tools(*made, {}).value();
    return made;
  }();
  return *registry;
}

}  // namespace

skills::FindTool known_tools() { return described_tools().finder(); }

}  // namespace lamarck::runs
