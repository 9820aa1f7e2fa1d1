// An agent with a few tools, for tests of the runner.

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "lamarck/agent/agent_runner.h"
#include "lamarck/store/memory_journal.h"

namespace lamarck::agent {

// Tools that count their calls, and a journal.
struct RunnerStage {
  RunnerStage() {
    add("add", {}, true, [](const Json& arguments) -> Result<Json> {
      return Json{
          {"sum", arguments["a"].get<int>() + arguments["b"].get<int>()}};
    });
    add("send", {skills::Capability::Sends}, false,
        [](const Json& arguments) -> Result<Json> { return arguments; });
    add("fail", {}, true, [](const Json&) -> Result<Json> {
      return invalid_argument("It never works.");
    });
  }
  void add(const std::string& name, skills::Capabilities capabilities,
           bool is_idempotent,
           const std::function<Result<Json>(const Json&)>& function) {
    ASSERT_TRUE(tools.add({.info = {.name = name,
                                    .input_schema = {{"type", "object"}},
                                    .capabilities = capabilities,
                                    .is_idempotent = is_idempotent},
                           .limits = {},
                           .run = [this, name, function](const Json& arguments,
                                                         const ToolContext&) {
                             ++calls[name];
                             return function(arguments);
                           }}));
  }
  AgentRunner runner() {
    return AgentRunner(options, tools, *journal, clock, Rng(++seed));
  }
  // Copies the first `count` events of a run of `other`.
  void copy_run(RunnerStage& other, const std::string& id, std::size_t count) {
    const auto events = other.journal->events(id).value();
    for (std::size_t i = 0; i < std::min(count, events.size()); ++i) {
      store::Append append{.run = id, .events = {events[i]}};
      if (i == 0) append.new_run = other.journal->run(id).value();
      ASSERT_TRUE(journal->append(append));
    }
  }
  Result<AgentRun> run(std::string_view plan) {
    return runner().run("Do it",
                        parse_agent_plan(parse_json(plan).value()).value(),
                        cancel.token());
  }

  ManualClock clock;
  std::unique_ptr<store::Journal> journal = store::make_memory_journal();
  ToolRegistry tools;
  AgentRunnerOptions options{.agent = {.org_id = "local", .name = "a"}};
  std::map<std::string, int> calls;
  CancelSource cancel;
  std::uint64_t seed = 0;
};

}  // namespace lamarck::agent
