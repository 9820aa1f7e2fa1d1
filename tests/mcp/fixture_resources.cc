#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/net/base64.h"
#include "tests/mcp/fixture_tools.h"

namespace lamarck::mcp {
namespace {

using Arguments = std::map<std::string, std::string>;

void add_resource(Registry& registry, std::string uri, std::string name,
                  ResourceText content) {
  Resource resource;
  resource.uri = std::move(uri);
  resource.name = std::move(name);
  resource.description = "A resource that never changes.";
  resource.mime_type = content.mime_type;
  resource.read = [content = std::move(content)](
                      CallContext&) -> Result<ResourceText> { return content; };
  registry.resources.push_back(std::move(resource));
}

ResourceText templated_resource(const std::string& id) {
  const Json content = {
      {"id", id}, {"templateTest", true}, {"data", "The data of " + id}};
  return {.mime_type = "application/json",
          .text = dump_json(content),
          .is_blob = false};
}

Json user_message(const Json& content) {
  return {{"role", "user"}, {"content", content}};
}

Json user_text(const std::string& text) {
  return user_message({{"type", "text"}, {"text", text}});
}

Complete messages(const Json& list) {
  return {dump_json({{"messages", list}})};
}

std::string value_of(const Arguments& arguments, const std::string& name) {
  const auto found = arguments.find(name);
  return found == arguments.end() ? "" : found->second;
}

Outcome render_simple(CallContext&, const Arguments&) {
  return messages(Json::array({user_text("This is a simple prompt.")}));
}

Outcome render_arguments(CallContext&, const Arguments& arguments) {
  return messages(Json::array(
      {user_text("The arguments are '" + value_of(arguments, "arg1") +
                 "' and '" + value_of(arguments, "arg2") + "'.")}));
}

Outcome render_resource(CallContext&, const Arguments& arguments) {
  const Json contents = {{"uri", value_of(arguments, "resourceUri")},
                         {"mimeType", "text/plain"},
                         {"text", "The content of the resource."}};
  return messages(
      Json::array({user_message({{"type", "resource"}, {"resource", contents}}),
                   user_text("Read the resource above.")}));
}

Outcome render_image(CallContext&, const Arguments&) {
  return messages(Json::array(
      {user_message(
           {{"type", "image"}, {"data", kPng}, {"mimeType", "image/png"}}),
       user_text("Look at the picture above.")}));
}

Outcome render_with_context(CallContext& context, const Arguments&) {
  const Json* answer = context.input("user_context");
  if (answer == nullptr) {
    return InputRequired{{{"user_context", ask_for_name()}}, ""};
  }
  return messages(Json::array({user_text("The user: " + dump_json(*answer))}));
}

}  // namespace

void add_resources(Registry& registry) {
  add_resource(registry, "test://static-text", "Static text",
               {.mime_type = "text/plain",
                .text = "This is the content of the static text.",
                .is_blob = false});
  add_resource(registry, "test://static-binary", "Static picture",
               {.mime_type = "image/png",
                .text = net::base64_decoded(kPng).value_or(""),
                .is_blob = true});
  add_resource(registry, "test://watched-resource", "Watched text",
               {.mime_type = "text/plain",
                .text = "Clients subscribe to this text.",
                .is_blob = false});
  ResourceTemplate family;
  family.uri_template = "test://template/{id}/data";
  family.name = "Templated data";
  family.description = "One resource for each id.";
  family.mime_type = "application/json";
  family.read = [](CallContext&,
                   const Arguments& values) -> Result<ResourceText> {
    return templated_resource(values.at("id"));
  };
  registry.templates.push_back(std::move(family));
}

void add_prompts(Registry& registry) {
  const auto add = [&](std::string name, std::vector<PromptArgument> arguments,
                       Outcome (*render)(CallContext&, const Arguments&)) {
    Prompt prompt;
    prompt.name = std::move(name);
    prompt.description = "A prompt of the conformance suite.";
    prompt.arguments = std::move(arguments);
    prompt.render = render;
    registry.prompts.push_back(std::move(prompt));
  };
  add("test_simple_prompt", {}, render_simple);
  add("test_prompt_with_arguments",
      {{"arg1", "The first value.", true}, {"arg2", "The second value.", true}},
      render_arguments);
  add("test_prompt_with_embedded_resource",
      {{"resourceUri", "URI of the resource to embed.", true}},
      render_resource);
  add("test_prompt_with_image", {}, render_image);
  add("test_input_required_result_prompt", {}, render_with_context);
  registry.completers.push_back(
      {"test_prompt_with_arguments", "arg1",
       [](std::string_view value, const Arguments&) {
         std::vector<std::string> all;
         for (const std::string name : {"paris", "park", "party"}) {
           if (name.starts_with(value)) all.push_back(name);
         }
         return all;
       }});
}

}  // namespace lamarck::mcp
