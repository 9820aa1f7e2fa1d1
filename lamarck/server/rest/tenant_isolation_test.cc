// What belongs to one organization does not exist for another: every route and
// every skill tool with every id.

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "lamarck/runs/run_recorder.h"
#include "lamarck/server/rest/rest_fixture.h"
#include "lamarck/server/rest/route_table.h"
#include "lamarck/server/runs/run_tools.h"
#include "lamarck/server/skill_tools.h"

namespace lamarck::server {
namespace {

constexpr const char* kMarker = "Xyzzy";  // In every text of the victim.

// A valid body for each route that takes one. A new route needs an entry.
const std::map<std::string, std::string, std::less<>> kBodies = {
    {"start_run", R"({"kind": "neat", "options": {"task": "xor"}})"},
    {"predict_with_run", R"({"rows": [{"x": 1}]})"},
    {"upload_table", "x,y\n1,2\n2,4\n"},
    {"search_skills", R"({"task": "Xyzzy refund an order"})"},
    {"review_skill", R"({"action": "approve"})"},
    {"share_skill", R"({"is_shared": true})"},
    {"roll_back_skill", R"({"version": 1})"},
    {"begin_use", R"({"agent_id": "mine"})"},
    {"report_use", R"({"success": true})"},
    {"record_task", R"({"agent_id": "mine", "success": true})"},
    {"create_agent", R"({"name": "another"})"},
    {"update_evolution", R"({"enabled": true})"},
    {"learn_from_traces", R"({"traces": [{"request": "r", "calls": []}]})"},
    {"create_webhook", R"({"url": "https://example.org/"})"},
    {"start_agent_task", R"({"task": "t", "agent": "mine"})"},
    {"send_to_agent", R"({"task": "t", "agent": "mine"})"},
    {"answer_agent", R"({"answer": "once"})"},
};

class QuietCall final : public mcp::CallContext {
 public:
  mcp::Era era() const override { return mcp::Era::Modern; }
  const std::string& version() const override { return text_; }
  const std::string& principal() const override { return text_; }
  const mcp::ClientCapabilities& client() const override { return client_; }
  const CancelToken& cancel() const override { return cancel_; }
  const Json* input(std::string_view) const override { return nullptr; }
  const std::string& state() const override { return text_; }
  void progress(double, std::optional<double>, std::string_view) override {}
  void log(mcp::LogLevel, std::string_view, const Json&) override {}

 private:
  std::string text_;
  mcp::ClientCapabilities client_;
  CancelToken cancel_;
};

class TenantIsolation : public testing::Test {
 protected:
  TenantIsolation() {
    skills::SkillStore& store = rest_.service->store();
    const auto agent = rest_.add_agent("victim", std::string(kMarker) + "-a");
    const auto skill = rest_.add_skill(agent, std::string(kMarker) + " refund");
    (void)store.review("victim", skill.id, true, kMarker, kMarker).value();
    (void)store.share("victim", skill.id, true).value();
    use_ = store
               .record_use("victim", {.skill_id = skill.id,
                                      .agent_id = agent.id,
                                      .session_id = kMarker,
                                      .kind = "used"})
               .value()
               .id;
    skill_ = skill.id;
    job_ =
        store.queue_evolution("victim", agent.id, {{"x", kMarker}}).value().id;
    const std::string webhook =
        store
            .add_webhook({.org_id = "victim",
                          .url = std::string("https://example.org/") + kMarker,
                          .secret = kMarker})
            .value()
            .id;
    const std::string run = add_run();
    const std::string session = rest_.organizations->find("victim")
                                    .value()
                                    ->engine()
                                    .start_session({.goal = kMarker}, {})
                                    .value();
    const std::string task = add_task();
    session_ = parse_json(session).value().at("session").get<std::string>();
    ids_ = {agent.id, agent.name, skill_,   use_, job_,
            webhook,  run,        session_, task};
    rest_.add_agent("attacker", "mine");
    token_ = rest_.add_token("attacker", "admin");
  }

  // A run of the victim that has ended.
  std::string add_run() {
    runs::RunStart start;
    start.id = "net-victim";
    start.kind = "net";
    start.goal = kMarker;
    start.options = {{"target", kMarker}};
    store::Append request = runs::make_new_run(
        start, "evt_1", rest_.clock.wall_time(), runs::kDone);
    (void)rest_.runs_of("victim").catalog().journal().append(request).value();
    return start.id;
  }

  // A task of the victim's agent that waits for a permission.
  std::string add_task() {
    const auto event = [](const char* id, const char* type, const Json& data) {
      return store::Event{
          .id = id, .type = type, .constraints = dump_json(data)};
    };
    store::Append request;
    request.run = "agent_victim";
    request.new_run = store::Run{.id = request.run,
                                 .kind = "agent",
                                 .title = kMarker,
                                 .state = "waiting"};
    request.events = {event("evt_a1", "agent_started",
                            {{"task", kMarker},
                             {"org_id", "victim"},
                             {"agent_id", kMarker},
                             {"agent", kMarker},
                             {"starter", "server"}}),
                      event("evt_a2", "permission_asked",
                            {{"tool", kMarker},
                             {"arguments", kMarker},
                             {"needs", {"executes"}},
                             {"run", ""}})};
    (void)rest_.organizations->find("victim")
        .value()
        ->journal()
        .append(request)
        .value();
    return request.run;
  }

  static std::string body_for(const Route& route) {
    const auto found = kBodies.find(route.operation);
    return found == kBodies.end() ? "" : found->second;
  }

  RestFixture rest_;
  std::vector<std::string> ids_;
  std::string skill_;
  std::string use_;
  std::string job_;
  std::string session_;
  std::string token_;
};

TEST_F(TenantIsolation, EveryRouteWithABodyHasASample) {
  for (const Route& route : routes()) {
    const bool has_body = !route.request.empty() || !route.request_type.empty();
    EXPECT_EQ(has_body, !body_for(route).empty()) << route.operation;
  }
}

TEST_F(TenantIsolation, EveryRouteHidesEveryIdOfAnotherOrganization) {
  for (const Route& route : routes()) {
    const std::size_t at = route.path.find("{id}");
    for (const std::string& id : ids_) {
      std::string path(route.path);
      if (const std::size_t name = path.find("{name}");
          name != std::string::npos) {
        path.replace(name, 6, "model.lmk");
      }
      if (at != std::string::npos) path.replace(at, 4, id);
      const RestAnswer answer =
          rest_.call(std::string(route.method), path, token_, body_for(route));
      if (at != std::string::npos) {
        EXPECT_EQ(answer.status, 404) << path << answer.body;
      } else {
        EXPECT_TRUE(answer.status < 300 || answer.status == 409) << path;
      }
      // The error may repeat what the caller sent.
      std::string shown = dump_json(answer.body);
      for (std::size_t found = shown.find(id); found != std::string::npos;
           found = shown.find(id)) {
        if (at == std::string::npos) ADD_FAILURE() << path << " shows " << id;
        shown.erase(found, id.size());
      }
      EXPECT_EQ(shown.find(kMarker), std::string::npos) << path << shown;
    }
  }
}

TEST_F(TenantIsolation, ReferencesInQueriesAndBodiesAreHiddenToo) {
  const std::string agent = ids_.front();
  const auto status = [&](const char* method, const std::string& path,
                          const Json& body) {
    return rest_
        .call(method, path, token_, body.is_null() ? "" : dump_json(body))
        .status;
  };
  EXPECT_EQ(status("GET", "/evolved-skills?agent_id=" + agent, {}), 404);
  EXPECT_EQ(status("POST", "/evolved-skills/search",
                   {{"task", "x"}, {"agent_id", agent}}),
            404);
  EXPECT_EQ(status("POST", "/tasks", {{"agent_id", agent}, {"success", true}}),
            404);
  EXPECT_EQ(
      status("POST", "/tasks",
             {{"agent_id", "mine"}, {"success", true}, {"family", skill_}}),
      404);
  const RestAnswer logs = rest_.call(
      "GET", std::string("/evolution-logs?session_id=") + kMarker, token_);
  EXPECT_TRUE(logs.body["data"]["items"].empty()) << logs.body;
  const RestAnswer tasks = rest_.call("GET", "/tasks?family=" + skill_, token_);
  EXPECT_EQ(dump_json(tasks.body).find(kMarker), std::string::npos);
}

TEST_F(TenantIsolation, EverySkillToolHidesEveryId) {
  // The argument of each tool that takes an id; a new tool needs an entry.
  const std::map<std::string, std::string, std::less<>> id_arguments = {
      {"skill_search", ""},
      {"skill_begin", "skill"},
      {"skill_report", "use"},
      {"skill_learn", "job"}};
  const SkillTools tools{.service = *rest_.service, .org = "attacker"};
  QuietCall context;
  for (const SkillTool& tool : skill_tools()) {
    const auto argument = id_arguments.find(tool.name);
    ASSERT_NE(argument, id_arguments.end()) << tool.name;
    for (const std::string& id : ids_) {
      Json arguments = {{"task", "Xyzzy refund"}, {"success", true}};
      if (!argument->second.empty()) arguments[argument->second] = id;
      const Result<Json> answer = tool.call(tools, context, arguments);
      if (!argument->second.empty()) {
        ASSERT_FALSE(answer) << tool.name;
        EXPECT_EQ(answer.error().code(), ErrorCode::NotFound) << tool.name;
      } else {
        EXPECT_EQ(dump_json(answer.value()).find(kMarker), std::string::npos);
      }
    }
  }
}

TEST_F(TenantIsolation, EveryRunToolHidesRunsOfOthers) {
  const RunTools tools{
      .find = [this](std::string_view org) -> Result<RunService*> {
        return &rest_.runs_of(org);
      },
      .org = "attacker"};
  QuietCall context;
  for (const RunTool& tool : run_tools()) {
    const Json arguments = {{"run", "net-victim"},
                            {"rows", {{{"x", 1}}}},
                            {"csv", "x,y\n1,2\n"},
                            {"target", "y"}};
    const Result<Json> answer = tool.call(tools, context, arguments);
    // Tools that start runs need a journal in a file.
    ASSERT_FALSE(answer) << tool.name;
    EXPECT_EQ(answer.error().code(), tool.read_only
                                         ? ErrorCode::NotFound
                                         : ErrorCode::FailedPrecondition)
        << tool.name;
  }
}

TEST_F(TenantIsolation, ListsAndMetricsOfTheVictimStayHidden) {
  (void)rest_.service->report_use("victim", use_, true, 1, 1, "");
  EXPECT_EQ(rest_.service->metrics().text().find(kMarker), std::string::npos);
  EXPECT_EQ(rest_.service->metrics().text().find("victim"), std::string::npos);
}

}  // namespace
}  // namespace lamarck::server
