#include "lamarck/server/thought_tools.h"

#include <algorithm>
#include <set>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/schema/json_schema.h"
#include "lamarck/schema/lenient_arguments.h"
#include "lamarck/store/memory_journal.h"

namespace lamarck::server {
namespace {

// A client that can offer its model.
class FakeContext : public mcp::CallContext {
 public:
  mcp::Era era() const override { return mcp::Era::Modern; }
  const std::string& version() const override { return version_; }
  const std::string& principal() const override { return principal_; }
  const mcp::ClientCapabilities& client() const override { return client_; }
  const CancelToken& cancel() const override { return cancel_; }
  const Json* input(std::string_view key) const override {
    const auto found = inputs.find(key);
    return found == inputs.end() ? nullptr : &found->second;
  }
  const std::string& state() const override { return state_; }
  void progress(double, std::optional<double>, std::string_view) override {}
  void log(mcp::LogLevel, std::string_view, const Json&) override {}
  void close_stream() override {}

  mcp::ClientCapabilities client_;
  std::map<std::string, Json, std::less<>> inputs;
  std::string state_;

 private:
  std::string version_ = "2026-07-28";
  std::string principal_;
  CancelToken cancel_;
};

const ThoughtTool& tool_named(std::string_view name) {
  for (const ThoughtTool& tool : thought_tools()) {
    if (tool.name == name) return tool;
  }
  throw std::out_of_range(std::string(name));
}

std::vector<schema::Violation> violations(std::string_view schema_text,
                                          const Json& instance) {
  const auto schema = schema::JsonSchema::compile(Json::parse(schema_text));
  EXPECT_TRUE(schema) << schema.error().message();
  auto found = schema->validate(instance);
  EXPECT_TRUE(found) << found.error().message();
  return *found;
}

// Tools over an in-memory journal; every answer is validated against its
// schema.
class ThoughtToolsTest : public testing::Test {
 protected:
  Json result(std::string_view name, const Json& arguments) {
    const mcp::Outcome outcome = raw(name, arguments);
    const auto* complete = std::get_if<mcp::Complete>(&outcome);
    EXPECT_NE(complete, nullptr) << name;
    return complete == nullptr ? Json() : Json::parse(complete->result);
  }

  mcp::Outcome raw(std::string_view name, const Json& arguments) {
    const ThoughtTool& tool = tool_named(name);
    const Json lenient =
        schema::lenient_arguments(arguments, Json::parse(tool.input_schema));
    for (const auto& wrong : violations(tool.input_schema, lenient)) {
      ADD_FAILURE() << name << ": " << wrong.message;
    }
    return tool.call({engine_, *journal_, nullptr}, context_, lenient);
  }

  Json call(std::string_view name, const Json& arguments) {
    const Json reply = result(name, arguments);
    EXPECT_FALSE(reply.value("isError", false)) << name << reply.dump();
    if (!reply.contains("structuredContent")) return {};
    const Json& content = reply["structuredContent"];
    EXPECT_EQ(Json::parse(reply["content"][0]["text"].get<std::string>()),
              content);
    for (const auto& wrong :
         violations(tool_named(name).output_schema, content)) {
      ADD_FAILURE() << name << ": " << wrong.instance_path << ": "
                    << wrong.message << "\n"
                    << content.dump(2);
    }
    return content;
  }

  std::string refusal(std::string_view name, const Json& arguments) {
    const Json reply = result(name, arguments);
    EXPECT_TRUE(reply.value("isError", false)) << name << reply.dump();
    return reply["content"][0]["text"];
  }

  std::string start(const Json& more = Json::object()) {
    Json arguments = {{"goal", "Make the test pass"}};
    arguments.update(more);
    return call("think_session_start", arguments)["session"];
  }

  SystemClock clock_;
  std::unique_ptr<store::Journal> journal_ = store::make_memory_journal();
  thought::ThoughtEngine engine_{{}, *journal_, clock_, Rng(7)};
  FakeContext context_;
};

const Json kPlan = {{"dry_run", true},
                    {"rollback", {{"strategy", "git_revert"}}},
                    {"limits", {{"max_changes", 40}, {"max_files", 2}}},
                    {"capabilities_required", {"edit"}},
                    {"success_criteria", {"green"}},
                    {"risk_estimate", {{"test_coverage", 0.9}}}};

TEST(ThoughtTools, EveryToolHasValidSchemas) {
  EXPECT_EQ(thought_tools().size(), 11u);
  for (const ThoughtTool& tool : thought_tools()) {
    for (const std::string_view text :
         {tool.input_schema, tool.output_schema}) {
      const Json schema = Json::parse(text);
      EXPECT_EQ(schema.at("type"), "object") << tool.name;
      EXPECT_TRUE(schema::JsonSchema::compile(schema)) << tool.name;
    }
    EXPECT_NE(tool.description.find("Example: {"), std::string_view::npos)
        << tool.name;
  }
}

TEST(ThoughtTools, ExamplesSatisfySchemas) {
  for (const ThoughtTool& tool : thought_tools()) {
    const std::size_t at = tool.description.find("Example: {");
    ASSERT_NE(at, std::string_view::npos) << tool.name;
    const Json example = Json::parse(
        tool.description.substr(at + std::string_view("Example: ").size()));
    EXPECT_TRUE(violations(tool.input_schema, example).empty()) << tool.name;
  }
}

TEST_F(ThoughtToolsTest, CompletesSessionFromGoalToEvidence) {
  const std::string session = start();
  call("think_plan_step", {{"session", session}, {"content", "Look first."}});
  call("think_branch", {{"session", session},
                        {"action", "fork"},
                        {"children",
                         {{{"name", "a"}, {"content", "One way."}},
                          {{"name", "b"}, {"content", "Another."}}}}});
  call("think_branch", {{"session", session},
                        {"action", "score"},
                        {"branch", "a"},
                        {"completeness", "0.9"},
                        {"risk", 0.1}});
  const Json rejected =
      call("think_validate_plan",
           {{"session", session}, {"branch", "a"}, {"plan", Json::object()}});
  EXPECT_FALSE(rejected.at("passes").get<bool>());
  EXPECT_FALSE(rejected.at("review").at("suggestions").empty());
  call("think_plan_step",
       {{"session", session}, {"branch", "a"}, {"content", "Fill it in."}});
  const Json passed =
      call("think_validate_plan",
           {{"session", session}, {"branch", "a"}, {"plan", kPlan}});
  EXPECT_TRUE(passed.at("passes").get<bool>());
  const Json race =
      call("think_parallel_run", {{"session", session}, {"max_rounds", 0}});
  EXPECT_EQ(race.at("winner"), "branch_1");
  const Json plan =
      call("think_export_plan", {{"session", session}, {"branch", "a"}});
  EXPECT_EQ(plan.at("plan").at("limits"), kPlan.at("limits"));
  const Json evidence = call("think_receive_evidence", {{"session", session},
                                                        {"branch", "a"},
                                                        {"execution_id", "1"},
                                                        {"success", "true"}});
  EXPECT_FALSE(evidence.at("critic_needed").get<bool>());
  call("think_session_control", {{"session", session}, {"action", "complete"}});
  call("think_digest", {{"session", session}});
  for (const char* format : {"metrics", "mermaid", "dot", "json"}) {
    call("think_digest", {{"session", session}, {"format", format}});
  }
  call("think_digest", Json::object());
}

TEST_F(ThoughtToolsTest, ValidatesDocumentationPlan) {
  const std::string session = start();
  call("think_validate_plan", {{"session", session},
                               {"plan_type", "DocPlan"},
                               {"plan",
                                {{"target_path", "docs/a.md"},
                                 {"naming_convention", "kebab-case"},
                                 {"structure_template", "howto"},
                                 {"validation_rules", {"links"}}}}});
  call("think_export_doc_plan", {{"session", session}});
  const Json judged =
      call("think_receive_doc_validation", {{"session", session},
                                            {"validation_id", "1"},
                                            {"compliance_score", 0.97},
                                            {"placement_correct", true}});
  EXPECT_TRUE(judged.at("compliant").get<bool>());
}

TEST_F(ThoughtToolsTest, ErrorsExplainTheProblem) {
  EXPECT_NE(
      refusal("think_plan_step", {{"session", "sess_x"}, {"content", "Hello"}})
          .find("sess_x"),
      std::string::npos);
  EXPECT_NE(refusal("think_plan_step", {{"session", start()}, {"content", " "}})
                .find("only white space"),
            std::string::npos);
  EXPECT_NE(
      refusal("think_branch",
              {{"session", start()}, {"action", "merge"}, {"content", "Both"}})
          .find("needs `from` with the branches to merge"),
      std::string::npos);
  EXPECT_NE(refusal("think_parallel_run",
                    {{"session", start()}, {"thinker", "client"}})
                .find("sampling"),
            std::string::npos);
}

// The largest value that the schema allows must be accepted by the engine.
TEST_F(ThoughtToolsTest, SchemaLimitsAreThoseOfTheEngine) {
  const auto limit = [](std::string_view tool, const char* path) {
    const Json schema = Json::parse(tool_named(tool).input_schema);
    return schema.at(Json::json_pointer("/properties/" + std::string(path)))
        .get<std::int64_t>();
  };
  EXPECT_EQ(limit("think_session_start", "token_budget/maximum"),
            thought::kMaxTokenBudget);
  EXPECT_EQ(limit("think_session_start", "time_budget_ms/maximum"),
            thought::kMaxWallTime.count());
  EXPECT_EQ(limit("think_session_start", "max_branches/maximum"),
            thought::kMaxBranches);
  EXPECT_EQ(limit("think_session_start", "success_criteria/maxItems"),
            std::int64_t{thought::kMaxCriteria});
  EXPECT_EQ(limit("think_plan_step", "parents/maxItems"),
            std::int64_t{thought::kMaxParents});
  EXPECT_EQ(limit("think_plan_step", "content/maxLength"),
            std::int64_t{thought::kMaxContent});
  EXPECT_EQ(limit("think_plan_step", "token_cost/maximum"),
            thought::kMaxTokenBudget);
  EXPECT_EQ(limit("think_branch", "children/maxItems"),
            std::int64_t{thought::kMaxForked});
  EXPECT_EQ(limit("think_parallel_run", "max_rounds/maximum"),
            thought::kMaxRounds);
  const std::string session =
      start({{"success_criteria", std::vector(50, std::string(400, 'c'))},
             {"token_budget", 1'000'000'000},
             {"time_budget_ms", 31'536'000'000},
             {"max_branches", 1000}});
  call("think_parallel_run",
       {{"session", session}, {"max_rounds", 50}, {"thinker", "none"}});
  call("think_plan_step",
       {{"session", session}, {"content", std::string(400, 'x')}});
}

TEST_F(ThoughtToolsTest, ErrorsAreStructured) {
  const Json reply =
      result("think_plan_step", {{"session", "sess_x"}, {"content", "Hello"}});
  const Json& structured = reply.at("structuredContent");
  EXPECT_EQ(structured["error"]["code"], "not_found");
  EXPECT_EQ(structured["error"]["fields"]["session"], "sess_x");
  EXPECT_TRUE(
      violations(tool_named("think_plan_step").output_schema, structured)
          .empty());
}

TEST_F(ThoughtToolsTest, ListRedactsSecrets) {
  start({{"goal", std::string(85, 'x') + " mail bobby.tables@example.com"}});

  const std::string list = call("think_digest", Json::object()).dump();
  EXPECT_EQ(list.find("bobby"), std::string::npos) << list;
}

TEST_F(ThoughtToolsTest, ViewsRedactSecrets) {
  const std::string session = start({{"goal", "Ask goal@example.com"},
                                     {"success_criteria", {"by@example.com"}},
                                     {"client", "client@example.com"}});
  const Json forked =
      call("think_branch", {{"session", session},
                            {"action", "fork"},
                            {"children",
                             {{{"name", "name@example.com"}, {"content", "x"}},
                              {{"name", "b"}, {"content", "y"}}}}});
  call("think_branch", {{"session", session},
                        {"action", "stop"},
                        {"branch", "b"},
                        {"reason", "why@example.com"}});

  for (Json shown :
       {call("think_session_control",
             {{"session", session}, {"action", "status"}}),
        call("think_session_control",
             {{"session", session}, {"action", "restore"}}),
        call("think_branch", {{"session", session}, {"action", "list"}})}) {
    // Clients send the clock back, so it is not redacted.
    EXPECT_EQ(shown["vector_clock"]["client@example.com"], 1);
    shown.erase("vector_clock");
    EXPECT_EQ(shown.dump().find("@example"), std::string::npos) << shown;
    EXPECT_EQ(shown["goal"], "Ask [email]");
  }
  EXPECT_EQ(
      refusal("think_plan_step",
              {{"session", session}, {"branch", "none"}, {"content", "z"}})
          .find("@example"),
      std::string::npos);
  for (const char* format : {"json", "digest", "metrics", "mermaid", "dot"}) {
    const Json digest =
        call("think_digest", {{"session", session}, {"format", format}});
    EXPECT_EQ(digest.dump().find("@example"), std::string::npos) << digest;
  }
}

TEST_F(ThoughtToolsTest, StopDefaultsToMainBranch) {
  const std::string session = start();
  call("think_plan_step", {{"session", session}, {"content", "A thought"}});

  const Json stopped =
      call("think_branch", {{"session", session}, {"action", "stop"}});

  EXPECT_EQ(stopped["branch"], "main");
  EXPECT_EQ(stopped["state"], "early_stopped");
}

TEST_F(ThoughtToolsTest, ListHasTotalAndPages) {
  std::vector<std::string> ids;
  for (int i = 0; i < 53; ++i) ids.push_back(start());

  const Json first = call("think_digest", Json::object());
  const Json rest = call("think_digest", {{"after", first["after"]}});

  EXPECT_EQ(first["sessions"].size(), 50u);
  EXPECT_EQ(first["total"], 53);
  EXPECT_EQ(first["after"], ids[3]);
  EXPECT_NE(first["next_step"].get<std::string>().find(ids[3]),
            std::string::npos);
  ASSERT_EQ(rest["sessions"].size(), 3u);
  EXPECT_EQ(rest["sessions"][2]["session"], ids[0]);
  EXPECT_EQ(rest["total"], 53);
  EXPECT_FALSE(rest.contains("after"));
  EXPECT_NE(refusal("think_digest", {{"after", "sess_none"}})
                .find("Session 'sess_none' does not exist; pass the `after` of "
                      "the previous page, or omit it"),
            std::string::npos);
}

TEST_F(ThoughtToolsTest, SameKeyReturnsSameAnswer) {
  const Json arguments = {{"goal", "Once"}, {"idempotency_key", "k"}};
  const Json first = call("think_session_start", arguments);
  EXPECT_EQ(call("think_session_start", arguments), first);
  refusal("think_session_start", {{"goal", "Twice"}, {"idempotency_key", "k"}});
}

// The client's model is asked for all branches at once, and the plans race.
TEST_F(ThoughtToolsTest, ClientModelThinksForBranches) {
  context_.client_.sampling = true;
  const std::string session = start();
  call("think_branch", {{"session", session},
                        {"action", "fork"},
                        {"children",
                         {{{"name", "a"}, {"content", "One way."}},
                          {{"name", "b"}, {"content", "Another."}}}}});
  const Json arguments = {
      {"session", session}, {"branches", {"a", "b"}}, {"strategy", "race"}};

  const mcp::Outcome first = raw("think_parallel_run", arguments);
  const auto* asked = std::get_if<mcp::InputRequired>(&first);
  ASSERT_NE(asked, nullptr);
  EXPECT_EQ(asked->requests.size(), 2u);
  context_.state_ = asked->state;
  for (const auto& [key, request] : asked->requests) {
    EXPECT_EQ(request.method, "sampling/createMessage");
    context_.inputs[key] = {
        {"role", "assistant"},
        {"model", "m"},
        {"content",
         {{"type", "text"}, {"text", "```json\n" + kPlan.dump() + "\n```"}}}};
  }
  const Json race = call("think_parallel_run", arguments);
  EXPECT_EQ(race.at("winner"), "branch_1");
}

Json model_reply(const std::string& text) {
  return {{"role", "assistant"},
          {"model", "m"},
          {"content", {{"type", "text"}, {"text", text}}}};
}

std::set<std::string> keys_of(const mcp::Outcome& outcome) {
  std::set<std::string> keys;
  if (const auto* asked = std::get_if<mcp::InputRequired>(&outcome)) {
    for (const auto& [key, request] : asked->requests) keys.insert(key);
  }
  return keys;
}

TEST_F(ThoughtToolsTest, RepeatedAnswersChangeNothing) {
  context_.client_.sampling = true;
  const std::string session = start();
  call("think_branch", {{"session", session},
                        {"action", "fork"},
                        {"children",
                         {{{"name", "a"}, {"content", "One way."}},
                          {{"name", "b"}, {"content", "Another."}}}}});
  const Json arguments = {{"session", session}};
  const mcp::Outcome first = raw("think_parallel_run", arguments);
  context_.state_ = std::get<mcp::InputRequired>(first).state;
  for (const std::string& key : keys_of(first)) {
    context_.inputs[key] = model_reply("I think.");
  }
  const mcp::Outcome second = raw("think_parallel_run", arguments);
  const auto head = engine_.session(session)->head;
  ASSERT_EQ(keys_of(second).size(), 2u);
  ASSERT_NE(keys_of(second), keys_of(first));

  for (int i = 0; i < 3; ++i) {
    const mcp::Outcome again = raw("think_parallel_run", arguments);
    EXPECT_EQ(keys_of(again), keys_of(second));
  }
  EXPECT_EQ(engine_.session(session)->head, head);

  // A request of this state without an answer is recorded as failed.
  context_.state_ = std::get<mcp::InputRequired>(second).state;
  context_.inputs.clear();
  context_.inputs["branch_1#2"] = model_reply("I think on.");
  EXPECT_EQ(keys_of(raw("think_parallel_run", arguments)).size(), 2u);
  const auto events = journal_->events(session).value();
  const auto failed =
      std::ranges::count(events, "rejected", &store::Event::status);
  EXPECT_EQ(failed, 1);
}

// The client of the run died, and a client without a model calls.
TEST_F(ThoughtToolsTest, AbandonedRunDoesNotBlockOthers) {
  context_.client_.sampling = true;
  const std::string session = start();
  const Json arguments = {{"session", session}, {"strategy", "best"}};
  ASSERT_EQ(keys_of(raw("think_parallel_run", arguments)).size(), 1u);
  ASSERT_GT(engine_.session(session)->tokens_reserved, 0);

  context_.client_.sampling = false;
  call("think_parallel_run", arguments);

  EXPECT_EQ(engine_.session(session)->tokens_reserved, 0);
  EXPECT_TRUE(engine_.session(session)->parallel_runs.empty());
}

}  // namespace
}  // namespace lamarck::server
