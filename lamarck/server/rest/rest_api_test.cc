#include "lamarck/server/rest/rest_api.h"

#include <gtest/gtest.h>

#include <set>

#include "lamarck/base/eventually_fixture.h"
#include "lamarck/server/rest/openapi.h"
#include "lamarck/server/rest/query_string.h"
#include "lamarck/server/rest/rest_fixture.h"
#include "lamarck/server/rest/route_table.h"

namespace lamarck::server {
namespace {

std::string message(const RestAnswer& answer) {
  return answer.body.at("error").at("message").get<std::string>();
}

TEST(RestApi, ListsAndShowsSkillsInTheEnvelope) {
  RestFixture rest;
  const auto agent = rest.add_agent("local", "writer");
  const auto skill = rest.add_skill(agent, "Refund an order");

  const RestAnswer list = rest.call("GET", "/evolved-skills?limit=1");
  EXPECT_EQ(list.status, 200) << list.body;
  EXPECT_EQ(list.body.at("success"), true);
  EXPECT_EQ(list.body.at("data").at("items").at(0).at("id"), skill.id);

  const RestAnswer shown = rest.call("GET", "/evolved-skills/" + skill.id);
  EXPECT_EQ(shown.status, 200) << shown.body;
  EXPECT_EQ(shown.body.at("data").at("name"), "Refund an order");
  EXPECT_TRUE(shown.body.at("data").contains("lift"));
}

TEST(RestApi, PagesStayStableWhileSkillsAreAdded) {
  RestFixture rest;
  const auto agent = rest.add_agent("local", "writer");
  for (int i = 0; i < 5; ++i) {
    rest.add_skill(agent, "Skill " + std::to_string(i));
  }
  std::set<std::string> seen;
  std::string cursor;
  int pages = 0;
  do {
    const RestAnswer page =
        rest.call("GET", "/evolved-skills?limit=2" +
                             (cursor.empty() ? "" : "&cursor=" + cursor));
    ASSERT_EQ(page.status, 200) << page.body;
    for (const Json& item : page.body["data"]["items"]) {
      EXPECT_TRUE(seen.insert(item["name"]).second) << item["name"];
    }
    const Json next = page.body["data"]["next_cursor"];
    cursor = next.is_null() ? "" : next.get<std::string>();
    rest.add_skill(agent, "Later " + std::to_string(pages));
  } while (!cursor.empty() && ++pages < 10);
  EXPECT_EQ(seen.size(), 5u);
}

TEST(RestApi, ReviewsPromotesAndDeprecates) {
  RestFixture rest;
  const auto skill = rest.add_skill(rest.add_agent("local", "a"), "Refund");
  const std::string path = "/evolved-skills/" + skill.id;

  EXPECT_EQ(rest.call("POST", path + "/review", "",
                      R"({"action": "reject", "comment": "No."})")
                .body["data"]["status"],
            "rejected");
  EXPECT_EQ(rest.call("POST", path + "/promote").status, 409);
  EXPECT_EQ(rest.call("POST", path + "/review", "", R"({"action": "approve"})")
                .body["data"]["status"],
            "approved");
  EXPECT_EQ(rest.call("POST", path + "/promote").body["data"]["is_promoted"],
            true);
  EXPECT_EQ(rest.call("DELETE", path).body["data"]["status"], "deprecated");
}

TEST(RestApi, RefusesUnknownPathsMethodsParametersAndFields) {
  RestFixture rest;
  const auto skill = rest.add_skill(rest.add_agent("local", "a"), "Refund");
  const std::string path = "/evolved-skills/" + skill.id;

  EXPECT_EQ(rest.call("GET", "/nothing").status, 404);
  const RestAnswer method = rest.call("PATCH", path);
  EXPECT_EQ(method.status, 405);
  EXPECT_EQ(method.headers.at("Allow"), "GET, DELETE");
  const RestAnswer parameter = rest.call("GET", "/evolved-skills?colour=red");
  EXPECT_EQ(parameter.status, 400);
  EXPECT_NE(message(parameter).find("'colour' is unknown"), std::string::npos)
      << message(parameter);
  EXPECT_EQ(rest.call("GET", "/evolved-skills?limit=0").status, 400);
  EXPECT_EQ(rest.call("GET", "/evolved-skills?limit=101").status, 400);
  EXPECT_EQ(rest.call("GET", "/evolved-skills?limit=1&limit=2").status, 400);
  EXPECT_EQ(rest.call("GET", "/evolved-skills?status=new").status, 400);
  EXPECT_EQ(rest.call("GET", "/evolved-skills?cursor=nonsense").status, 400);
  EXPECT_EQ(rest.call("GET", path + "?x=1").status, 400);
  const RestAnswer field = rest.call("POST", path + "/review", "",
                                     R"({"action": "approve", "by": "me"})");
  EXPECT_EQ(field.status, 400);
  EXPECT_EQ(rest.call("POST", path + "/review", "", R"({"action": "eat"})")
                .body["error"]["fields"]
                .count("action"),
            1u);
  EXPECT_EQ(rest.call("POST", path + "/review", "", "{").status, 400);
  EXPECT_EQ(rest.call("POST", path + "/promote", "", "{}").status, 400);
  EXPECT_EQ(
      rest.call("POST", path + "/review", "", std::string(10'000, '[')).status,
      400);
}

TEST(RestApi, RequiresJsonAsContentType) {
  RestFixture rest;
  net::HttpRequest request;
  request.method = "POST";
  request.path = "/api/v1/agents";
  request.headers.emplace("Content-Type", "text/plain");
  request.body = R"({"name": "x"})";
  EXPECT_EQ(rest.api->reply(request).status, 415);
}

TEST(RestApi, ValidatesTheRangesOfTheEvolutionConfig) {
  RestFixture rest;
  const auto agent = rest.add_agent("local", "a");
  const std::string path = "/agents/" + agent.id + "/evolution";

  const RestAnswer changed = rest.call(
      "PUT", path, "", R"({"min_quality_score": 0.7, "cooldown_minutes": 3})");
  EXPECT_EQ(changed.status, 200) << changed.body;
  EXPECT_EQ(changed.body["data"]["cooldown_minutes"], 3);
  EXPECT_EQ(rest.call("GET", path).body["data"]["min_quality_score"], 0.7);
  for (const char* const wrong :
       {R"({"min_quality_score": 1.1})", R"({"max_evolve_per_hour": 0})",
        R"({"max_evolve_per_hour": 1001})", R"({"cooldown_minutes": -1})",
        R"({"cooldown_minutes": 1441})", R"({"enabled": "yes"})",
        R"({"colour": 1})"}) {
    EXPECT_EQ(rest.call("PUT", path, "", wrong).status, 400) << wrong;
  }
}

TEST(RestApi, ChecksTheRoleOfEveryRoute) {
  RestFixture rest;
  const std::string member = rest.add_token("acme", "member");
  const std::string reviewer = rest.add_token("acme", "reviewer");
  for (const Route& route : routes()) {
    std::string path(route.path);
    if (const std::size_t at = path.find("{id}"); at != std::string::npos) {
      path.replace(at, 4, "x");
    }
    const std::string method(route.method);
    EXPECT_EQ(rest.call(method, path).status, 401) << path;
    EXPECT_EQ(rest.call(method, path, "wrong").status, 401) << path;
    const auto is_forbidden = [&](const std::string& token) {
      return rest.call(method, path, token).status == 403;
    };
    EXPECT_EQ(is_forbidden(member), route.role > Role::Member) << path;
    EXPECT_EQ(is_forbidden(reviewer), route.role > Role::Reviewer) << path;
  }
}

TEST(RestApi, WritesAnOpenApiDocumentWithEveryRoute) {
  RestFixture rest;
  rest.add_token("acme", "member");
  const RestAnswer answer = rest.call("GET", "/openapi.json");  // No token.
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, openapi_document());
  std::size_t operations = 0;
  for (const auto& [path, methods] : answer.body.at("paths").items()) {
    operations += methods.size();
  }
  EXPECT_EQ(operations, routes().size());
}

TEST(RestApi, LearnsInTheBackground) {
  RestFixture rest;
  const auto agent = rest.add_agent("local", "a");
  skills::Trace sample = skills::refund_trace("Ada", "1234", "lamp");
  sample.calls.back().tool = "get_refund_quote";  // Reads only.
  const Json trace = to_json(sample);
  const RestAnswer queued = rest.call("POST", "/agents/" + agent.id + "/learn",
                                      "", dump_json(Json{{"traces", {trace}}}));
  ASSERT_EQ(queued.status, 202) << queued.body;
  const std::string job = queued.body["data"]["id"];
  std::string state;
  EXPECT_TRUE(eventually("the job is done", [&] {
    state = rest.call("GET", "/jobs/" + job).body["data"]["state"];
    return state != "queued" && state != "running";
  }));
  EXPECT_EQ(state, "done") << rest.call("GET", "/jobs/" + job).body;
  EXPECT_EQ(rest.call("GET", "/evolved-skills").body["data"]["items"].size(),
            1u);
  EXPECT_TRUE(eventually("the evolution is counted", [&] {
    const std::string text = rest.service->metrics().text();
    return text.find("evolution_triggered_total 1") != std::string::npos &&
           text.find("evolution_success_total 1") != std::string::npos;
  }));
}

TEST(QueryString, DecodesValuesAndRefusesRepeats) {
  EXPECT_EQ(parse_query_string("a=1%202&b=x+y&c").value(),
            (Json{{"a", "1 2"}, {"b", "x y"}, {"c", ""}}));
  EXPECT_EQ(parse_query_string("").value(), Json::object());
  EXPECT_FALSE(parse_query_string("a=1&a=2"));
  EXPECT_FALSE(parse_query_string("a=%zz"));
}

}  // namespace
}  // namespace lamarck::server
