#include <chrono>
#include <utility>
#include <nlohmann/json.hpp>

#include "tests/mcp/fixture_tools.h"

namespace lamarck::mcp {
namespace {

using Work = std::function<Outcome(CallContext&)>;

StartTask task(Work work, bool is_required) {
  StartTask start;
  start.work = std::move(work);
  start.is_required = is_required;
  start.poll_interval = std::chrono::milliseconds(100);
  return start;
}

Outcome compute_slowly(CallContext&, const Json& arguments) {
  const std::chrono::duration<double> time(arguments.value("seconds", 1.0));
  const std::string label = arguments.value("label", "it");
  return task(
      [=](CallContext& context) -> Outcome {
        context.cancel().wait_for(
            std::chrono::duration_cast<std::chrono::nanoseconds>(time));
        return tool_text("Computed " + label + ".");
      },
      false);
}

Outcome fail_later(CallContext&, const Json&) {
  return task(
      [](CallContext& context) -> Outcome {
        context.cancel().wait_for(std::chrono::seconds(1));
        return tool_error("The job failed on purpose.");
      },
      true);
}

Outcome break_protocol(CallContext&, const Json&) {
  return task(
      [](CallContext&) -> Outcome {
        return Failure{-32603, "The job broke on purpose.", ""};
      },
      false);
}

Outcome delete_if_confirmed(CallContext&, const Json& arguments) {
  const std::string file = arguments.value("filename", "a file");
  return task(
      [=](CallContext& context) -> Outcome {
        const Json* answer = context.input("confirm");
        if (answer == nullptr) {
          return InputRequired{
              {{"confirm", ask_to_confirm("deleting " + file)}}, ""};
        }
        const bool is_sure = is_accepted_true(answer, "confirm");
        return tool_text((is_sure ? "Deleted " : "Kept ") + file + ".");
      },
      false);
}

Outcome ask_two_things(CallContext&, const Json&) {
  return task(
      [](CallContext& context) -> Outcome {
        InputRequired required;
        if (context.input("name") == nullptr) {
          required.requests["name"] = ask_for_name();
        }
        if (context.input("confirm") == nullptr) {
          required.requests["confirm"] = ask_to_confirm("this");
        }
        if (!required.requests.empty()) return required;
        const std::string name = accepted_text(context.input("name"), "name");
        return tool_text("Both answers of " + name + " are here.");
      },
      false);
}

Outcome ask_before_the_task(CallContext& context, const Json&) {
  const std::string name = accepted_text(context.input("user_name"), "name");
  if (name.empty()) return InputRequired{{{"user_name", ask_for_name()}}, ""};
  return task(
      [=](CallContext&) -> Outcome {
        return tool_text("Hello, " + name + "!");
      },
      true);
}

}  // namespace

void add_task_tools(Registry& registry) {
  add_tool(
      registry, "greet", "Greets immediately.",
      R"({"type":"object","properties":{"name":{"type":"string"}}})",
      [](CallContext&, const Json& arguments) -> Outcome {
        return tool_text("Hello, " + arguments.value("name", "you") + "!");
      },
      true);
  add_tool(registry, "slow_compute", "Takes the given time.",
           R"({"type":"object","properties":{"seconds":{"type":"number"},)"
           R"("label":{"type":"string"}}})",
           compute_slowly);
  add_tool(registry, "failing_job", "Fails after a second.", kNoArguments,
           fail_later);
  add_tool(registry, "protocol_error_job", "Fails with a protocol error.",
           kNoArguments, break_protocol);
  add_tool(registry, "confirm_delete", "Pretends to delete a file.",
           R"({"type":"object","properties":{"filename":{"type":"string"}}})",
           delete_if_confirmed);
  add_tool(registry, "multi_input", "Asks two things at once.", kNoArguments,
           ask_two_things);
  add_tool(registry, "test_tool_with_task",
           "Asks for a name, then works in the background.", kNoArguments,
           ask_before_the_task);
}

}  // namespace lamarck::mcp
