#include <utility>
#include <nlohmann/json.hpp>

#include "tests/mcp/fixture_tools.h"

namespace lamarck::mcp {
namespace {

InputRequest form(std::string_view message, const Json& properties,
                  const Json& required = Json::array()) {
  Json schema = {{"type", "object"}, {"properties", properties}};
  if (!required.empty()) schema["required"] = required;
  return {"elicitation/create",
          dump_json({{"message", message}, {"requestedSchema", schema}})};
}

Json with_default(std::string_view type, const Json& value) {
  return {{"type", type}, {"default", value}};
}

Json titled(std::string_view value, std::string_view title) {
  return {{"const", value}, {"title", title}};
}

InputRequest form_with_defaults() {
  Json status = with_default("string", "active");
  status["enum"] = {"active", "inactive", "pending"};
  return form("Who are you?", {{"name", with_default("string", "John Doe")},
                               {"age", with_default("integer", 30)},
                               {"score", with_default("number", 95.5)},
                               {"status", status},
                               {"verified", with_default("boolean", true)}});
}

InputRequest form_with_enums() {
  const Json names = {"one", "two", "three"};
  const Json titles =
      Json::array({titled("one", "The first"), titled("two", "The second"),
                   titled("three", "The third")});
  const Json list = {{"type", "string"}, {"enum", names}};
  Json legacy = list;
  legacy["enumNames"] = {"The first", "The second", "The third"};
  return form(
      "Choose.",
      {{"untitledSingle", list},
       {"titledSingle", {{"type", "string"}, {"oneOf", titles}}},
       {"legacyEnum", legacy},
       {"untitledMulti", {{"type", "array"}, {"items", list}}},
       {"titledMulti", {{"type", "array"}, {"items", {{"anyOf", titles}}}}}});
}

// Sends one request and returns the answer as text.
ToolFunction asks(const std::string& key, const InputRequest& request,
                  const std::string& words) {
  return [=](CallContext& context, const Json&) -> Outcome {
    const Json* answer = context.input(key);
    if (answer == nullptr) return InputRequired{{{key, request}}, ""};
    return tool_text(words + dump_json(*answer));
  };
}

Outcome ask_prompt(CallContext& context, const Json& arguments) {
  const Json* answer = context.input("answer");
  if (answer == nullptr) {
    const std::string prompt = arguments.value("prompt", "");
    return InputRequired{{{"answer", ask_model(prompt)}}, ""};
  }
  const Json content = answer->value("content", Json::object());
  const std::string text =
      content.is_object() ? content.value("text", "") : dump_json(content);
  return tool_text("The model says: " + text);
}

Outcome ask_message(CallContext& context, const Json& arguments) {
  const Json* answer = context.input("person");
  if (answer == nullptr) {
    const Json text = {{"type", "string"}};
    const Json email = {{"type", "string"}, {"format", "email"}};
    const std::string message = arguments.value("message", "");
    return InputRequired{
        {{"person", form(message, {{"username", text}, {"email", email}},
                         {"username", "email"})}},
        ""};
  }
  return tool_text("The user says: " + dump_json(*answer));
}

Outcome greet_user(CallContext& context, const Json&) {
  const std::string name = accepted_text(context.input("user_name"), "name");
  if (name.empty()) return InputRequired{{{"user_name", ask_for_name()}}, ""};
  return tool_text("Hello, " + name + "!");
}

Outcome remember_state(CallContext& context, const Json&) {
  if (context.state() != "asked" || context.input("confirm") == nullptr) {
    return InputRequired{{{"confirm", ask_to_confirm("this")}}, "asked"};
  }
  return tool_text("state-ok");
}

Outcome ask_three(CallContext& context, const Json&) {
  InputRequired required;
  required.requests = {{"user_name", ask_for_name()},
                       {"greeting", ask_model("Write a greeting.")},
                       {"client_roots", ask_for_roots()}};
  required.state = "three";
  for (const auto& [key, request] : required.requests) {
    if (context.input(key) == nullptr) return required;
  }
  return tool_text("All three were answered.");
}

Outcome ask_twice(CallContext& context, const Json&) {
  if (context.state() == "second" && context.input("step2") != nullptr) {
    return tool_text("Both steps were answered.");
  }
  if (context.state() == "second" ||
      (context.state() == "first" && context.input("step1") != nullptr)) {
    return InputRequired{{{"step2", ask_to_confirm("step 2")}}, "second"};
  }
  return InputRequired{{{"step1", ask_for_name()}}, "first"};
}

// Sends only requests that this client can answer.
Outcome ask_supported_requests(CallContext& context, const Json&) {
  InputRequired required;
  const ClientCapabilities& client = context.client();
  if (client.sampling) required.requests["model"] = ask_model("Say something.");
  if (client.elicitation_form) required.requests["person"] = ask_for_name();
  for (const auto& [key, request] : required.requests) {
    if (context.input(key) == nullptr) return required;
  }
  return tool_text("Everything possible was asked.");
}

void add_legacy_questions(Registry& registry) {
  add_tool(registry, "test_sampling", "Asks the client's model.",
           R"({"type":"object","properties":{"prompt":{"type":"string"}},)"
           R"("required":["prompt"]})",
           ask_prompt);
  add_tool(registry, "test_elicitation", "Asks the user.",
           R"({"type":"object","properties":{"message":{"type":"string"}},)"
           R"("required":["message"]})",
           ask_message);
  add_tool(registry, "test_elicitation_sep1034_defaults",
           "Asks the user with a form that has defaults.", kNoArguments,
           asks("form", form_with_defaults(), "The user says: "));
  add_tool(registry, "test_elicitation_sep1330_enums",
           "Asks the user with a form that has choices.", kNoArguments,
           asks("form", form_with_enums(), "The user says: "));
  add_tool(registry, "test_missing_capability",
           "Needs a client that has a model.", kNoArguments,
           asks("answer", ask_model("Say something."), "The model says: "));
  add_tool(registry, "test_streaming_elicitation", "Asks for a name.",
           kNoArguments, greet_user);
}

}  // namespace

InputRequest ask_for_name() {
  return form("What is your name?", {{"name", {{"type", "string"}}}}, {"name"});
}

InputRequest ask_to_confirm(std::string_view what) {
  return form("Confirm " + std::string(what) + "?",
              {{"confirm", {{"type", "boolean"}}}}, {"confirm"});
}

InputRequest ask_model(std::string_view prompt) {
  const Json content = {{"type", "text"}, {"text", prompt}};
  const Json message = {{"role", "user"}, {"content", content}};
  return {
      "sampling/createMessage",
      dump_json({{"messages", Json::array({message})}, {"maxTokens", 100}})};
}

InputRequest ask_for_roots() { return {"roots/list", "{}"}; }

std::string accepted_text(const Json* answer, std::string_view field) {
  if (answer == nullptr || answer->value("action", "") != "accept") return "";
  const Json content = answer->value("content", Json::object());
  if (!content.is_object()) return "";
  const auto found = content.find(std::string(field));
  return found != content.end() && found->is_string()
             ? found->get<std::string>()
             : "";
}

bool is_accepted_true(const Json* answer, std::string_view field) {
  if (answer == nullptr || answer->value("action", "") != "accept") {
    return false;
  }
  const Json content = answer->value("content", Json::object());
  return content.is_object() &&
         content.value(std::string(field), Json()) == true;
}

void add_asking_tools(Registry& registry) {
  add_legacy_questions(registry);
  const auto add = [&](const std::string& name, ToolFunction call) {
    add_tool(registry, "test_input_required_result_" + name,
             "Asks the client and is called again with the answers.",
             kNoArguments, std::move(call));
  };
  add("elicitation", greet_user);
  add("sampling",
      asks("capital_question", ask_model("What is the capital of France?"),
           "The model says: "));
  add("list_roots", asks("client_roots", ask_for_roots(), "The roots are "));
  add("request_state", remember_state);
  add("multiple_inputs", ask_three);
  add("multi_round", ask_twice);
  add("tampered_state", remember_state);
  add("capabilities", ask_supported_requests);
}

}  // namespace lamarck::mcp
