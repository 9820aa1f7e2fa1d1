// The tools, resources and prompts that the official MCP conformance suite
// expects, with the names and answers of its scenarios.

#pragma once

#include <atomic>
#include <memory>

#include "lamarck/server/mcp/mcp_server.h"
#include "lamarck/server/mcp/registry.h"

namespace lamarck::mcp {

// Set after the server is created, because its tools need a pointer to it.
using FixtureServer = std::shared_ptr<std::atomic<McpServer*>>;

Registry fixture_registry(const FixtureServer& server);

// The parts of the registry in the order of the list.
void add_content_tools(Registry& registry, const FixtureServer& server);
void add_asking_tools(Registry& registry);
void add_task_tools(Registry& registry);
void add_resources(Registry& registry);
void add_prompts(Registry& registry);

// A PNG image of one pixel in Base64.
inline constexpr std::string_view kPng =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ"
    "/pLvAAAAAElFTkSuQmCC";

// Schemas and requests that several parts use.
inline constexpr std::string_view kNoArguments =
    R"({"type":"object","additionalProperties":false})";
InputRequest ask_for_name();                         // Field "name".
InputRequest ask_to_confirm(std::string_view what);  // Field "confirm".
InputRequest ask_model(std::string_view prompt);
InputRequest ask_for_roots();
// The text field of an accepted form; "" if it is missing.
std::string accepted_text(const Json* answer, std::string_view field);
bool is_accepted_true(const Json* answer, std::string_view field);

using ToolFunction = std::function<Outcome(CallContext&, const Json&)>;
void add_tool(Registry& registry, std::string name, std::string description,
              std::string_view input_schema, ToolFunction call,
              bool is_nonblocking = false);

}  // namespace lamarck::mcp
