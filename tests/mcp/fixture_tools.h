// What the official MCP conformance suite expects a server to offer: tools,
// resources and prompts with the names and answers that its scenarios ask for.

#pragma once

#include <atomic>
#include <memory>

#include "lamarck/server/mcp/mcp_server.h"
#include "lamarck/server/mcp/registry.h"

namespace lamarck::mcp {

// The tools that announce changes need the server, which needs the tools.
using FixtureServer = std::shared_ptr<std::atomic<McpServer*>>;

Registry fixture_registry(const FixtureServer& server);

// Its parts, in the order of the list.
void add_content_tools(Registry& registry, const FixtureServer& server);
void add_asking_tools(Registry& registry);
void add_task_tools(Registry& registry);
void add_resources(Registry& registry);
void add_prompts(Registry& registry);

// A picture of one pixel, in Base64.
inline constexpr std::string_view kPng =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ"
    "/pLvAAAAAElFTkSuQmCC";

// Schemas and questions that several parts use.
inline constexpr std::string_view kNoArguments =
    R"({"type":"object","additionalProperties":false})";
InputRequest ask_for_name();                         // Field "name".
InputRequest ask_to_confirm(std::string_view what);  // Field "confirm".
InputRequest ask_model(std::string_view prompt);
InputRequest ask_for_roots();
// The field of an accepted form as text; "" if there is none.
std::string accepted_text(const Json* answer, std::string_view field);
bool is_accepted_true(const Json* answer, std::string_view field);

using ToolFunction = std::function<Outcome(CallContext&, const Json&)>;
void add_tool(Registry& registry, std::string name, std::string description,
              std::string_view input_schema, ToolFunction call,
              bool is_quick = false);

}  // namespace lamarck::mcp
