#include "lamarck/thought/session_export.h"
#include "lamarck/base/text_fixture.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/base/unicode.h"
#include "lamarck/thought/internal/svg_text.h"

namespace lamarck::thought {
namespace {

store::Event event(std::string id, std::string type, std::string branch,
                   std::string content, std::vector<store::Edge> parents) {
  const Json constraints = {{"branch", branch}};
  return {.id = std::move(id),
          .type = std::move(type),
          .parents = std::move(parents),
          .content = std::move(content),
          .constraints = dump_json(constraints)};
}

Session small_session() {
  Session session;
  session.id = "sess_1";
  session.goal = "Rename a <function> & keep \"tests\" green";
  session.budgets.tokens = 5000;
  session.tokens_used = 4200;
  session.branches["main"] = {.id = "main", .name = "main"};
  session.branches["branch_1"] = {.id = "branch_1",
                                  .name = "end",
                                  .from = "main",
                                  .state = BranchState::Planning};
  return session;
}

std::vector<store::Event> small_events() {
  return {event("evt_a", "plan_step", "main", "Look at the code", {}),
          event("evt_b", "branch", "branch_1", "Try \"quotes\" [and] {more}",
                {{"evt_a", "causes"}}),
          event("evt_c", "critique", "branch_1", "a\nb <b>bold</b> `x`; end",
                {{"evt_b", "contradicts"}, {"evt_gone", "causes"}}),
          event("evt_d", "merge", "main", "\u5408\u5e76 \U0001f600",
                {{"evt_a", "refines"}, {"evt_c", "supports"}})};
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + part.size())) {
    ++found;
  }
  return found;
}

TEST(SessionExport, WritesMermaid) {
  const std::string text = to_mermaid(small_session(), small_events());

  EXPECT_TRUE(
      text.starts_with("flowchart TD\n"
                       "  subgraph lane1[\"main (init)\"]\n"
                       "    e1[\"Look at the code\"]:::plan_step\n"
                       "    e4[[\"\u5408\u5e76 \U0001f600\"]]:::merge\n"
                       "  end\n"
                       "  subgraph lane2[\"end (planning)\"]\n"))
      << text;
  EXPECT_TRUE(contains(text,
                       "e2([\"Try #34;quotes#34; #91;and#93; "
                       "#123;more#125;\"]):::branch"));
  EXPECT_TRUE(contains(text, "  e1 --> e2\n"));
  EXPECT_TRUE(contains(text, "  e2 --x|contradicts| e3\n"));
  EXPECT_TRUE(contains(text, "  e1 -.->|refines| e4\n"));
  EXPECT_TRUE(contains(text, "  e3 ==>|supports| e4\n"));
  EXPECT_FALSE(contains(text, "<b>"));
}

TEST(SessionExport, WritesDot) {
  const std::string text = to_dot(small_session(), small_events());

  EXPECT_TRUE(text.starts_with("digraph session {\n"));
  EXPECT_TRUE(contains(text, "label=\"Try \\\"quotes\\\" [and] {more}\""));
  EXPECT_TRUE(contains(text,
                       "e2 -> e3 [style=solid, color=\"#ef4444\", "
                       "label=contradicts];"));
  EXPECT_EQ(count(text, "{\n"), 3U);
}

TEST(SessionExport, WritesSvg) {
  const std::string text = to_svg(small_session(), small_events());

  EXPECT_TRUE(text.starts_with("<svg xmlns="));
  EXPECT_TRUE(text.ends_with("</svg>\n"));
  EXPECT_TRUE(contains(text, "Rename a &lt;function&gt; &amp; keep"));
  EXPECT_TRUE(contains(text, "4200 of 5000 tokens"));
  EXPECT_EQ(count(text, "class=\"type\""), 4U);
  EXPECT_EQ(count(text, "marker-end"), 4U);
  EXPECT_EQ(count(text, "class=\"lane\""), 2U);
}

TEST(SessionExport, WritesJson) {
  const Json json = Json::parse(to_json_text(small_session(), small_events()));

  EXPECT_EQ(json["session"]["id"], "sess_1");
  ASSERT_EQ(json["events"].size(), 4U);
  EXPECT_EQ(json["events"][1]["constraints"]["branch"], "branch_1");
  EXPECT_EQ(json["events"][2]["content"], "a\nb <b>bold</b> `x`; end");
  ASSERT_EQ(json["edges"].size(), 5U);
  EXPECT_EQ(json["edges"][1], Json::parse(R"({"from": "evt_b", "to": "evt_c",
                                              "type": "contradicts"})"));
}

TEST(SessionExport, EmptySessionIsValidInEveryFormat) {
  EXPECT_TRUE(to_mermaid({}, {}).starts_with("flowchart TD\n"));
  EXPECT_TRUE(to_dot({}, {}).ends_with("}\n"));
  EXPECT_TRUE(to_svg({}, {}).ends_with("</svg>\n"));
  EXPECT_TRUE(Json::parse(to_json_text({}, {}))["events"].empty());
}

std::vector<std::string> all_exports(const Session& session,
                                     const std::vector<store::Event>& events,
                                     const ExportOptions& options) {
  return {to_mermaid(session, events, options),
          to_dot(session, events, options), to_svg(session, events, options),
          to_json_text(session, events, options)};
}

TEST(SessionExport, HidesPrivateStepsUnlessRequested) {
  auto events = small_events();
  events[2].content = "hidden thought";
  events[2].constraints =
      R"({"branch": "branch_1", "private": true, "note": "hidden note"})";

  for (const auto& text : all_exports(small_session(), events, {})) {
    EXPECT_FALSE(contains(text, "hidden")) << text;
    EXPECT_TRUE(contains(text, "private"));
  }
  for (const auto& text :
       all_exports(small_session(), events, {.with_private = true})) {
    EXPECT_TRUE(contains(text, "hidden thought"));
  }
}

TEST(SessionExport, RedactsSecretsEverywhere) {
  Session session = small_session();
  session.goal = "Ask ada@example.com";
  session.branches["branch_1"].name = "bob@example.com";
  session.branches["branch_1"].plan = R"({"password": "hunter2"})";
  auto events = small_events();
  events[0].content = "password=hunter2";
  events[1].constraints = R"({"branch": "branch_1", "password": "hunter2"})";
  events[2].early_stop_reason = "token=hunter2";

  for (const auto& text :
       all_exports(session, events, {.with_private = true})) {
    EXPECT_FALSE(contains(text, "hunter2")) << text;
    EXPECT_FALSE(contains(text, "@example")) << text;
  }
}

TEST(SessionExport, AcceptsDamagedConstraintsAndBytes) {
  auto events = small_events();
  events[0].constraints = "{";
  events[1].constraints = "[1]";
  events[2].constraints = R"({"branch": 3})";
  events[3].content = "\xff\x01\x00 x";
  events[3].type = "new_type";

  for (const auto& text : all_exports(small_session(), events, {})) {
    EXPECT_TRUE(is_valid_utf8(text));
    EXPECT_EQ(text.find('\x01'), std::string::npos);
  }
}

TEST(SessionExport, HandlesTenThousandEvents) {
  Session session = small_session();
  std::vector<store::Event> events;
  for (int i = 0; i < 10'000; ++i) {
    const std::string branch = "branch_" + std::to_string(i % 6);
    std::vector<store::Edge> parents;
    if (i > 6) parents.push_back({"evt_" + std::to_string(i - 6), "causes"});
    if (i % 50 == 49) parents.push_back({"evt_" + std::to_string(i - 1)});
    events.push_back(event(
        "evt_" + std::to_string(i), "plan_step", branch,
        "A thought of some length, number " + std::to_string(i), parents));
  }

  for (const auto& text : all_exports(session, events, {})) {
    EXPECT_GT(text.size(), 500'000U);
  }
}

TEST(AuditBar, ShowsShareOfTokens) {
  Session session = small_session();
  const auto bar = [&](std::int64_t used, std::int64_t budget) {
    session.tokens_used = used;
    session.budgets.tokens = budget;
    return audit_bar(session);
  };

  EXPECT_EQ(bar(4200, 5000),
            "Token Budget: [\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588"
            "\u2591\u2591] 4200/5000");
  EXPECT_EQ(count(bar(0, 5000), "\u2588"), 0U);
  EXPECT_EQ(count(bar(5000, 5000), "\u2588"), 10U);
  EXPECT_EQ(count(bar(9000, 5000), "\u2588"), 10U);
  EXPECT_EQ(count(bar(0, 0), "\u2588"), 10U);
}

TEST(SvgText, WrapsAtBlanks) {
  using Lines = std::vector<std::string>;
  using internal::wrapped;

  EXPECT_EQ(wrapped("one two three", 8, 2), (Lines{"one two", "three"}));
  EXPECT_EQ(wrapped("one two three four", 8, 2),
            (Lines{"one two", "three\u2026"}));
  EXPECT_EQ(wrapped("abcdefghij", 4, 2), (Lines{"abcd", "efg\u2026"}));
  EXPECT_EQ(wrapped("\u4e2d\u6587\u5b57", 4, 2),
            (Lines{"\u4e2d\u6587", "\u5b57"}));
  EXPECT_EQ(wrapped("", 4, 2), Lines{});
}

TEST(AuditBox, HasFourLines) {
  Session session;
  session.budgets.tokens = 5000;
  session.tokens_used = 4200;
  session.branches["main"] = {.id = "main", .name = "main", .tokens = 1250};
  session.branches["branch_1"] = {
      .id = "branch_1", .name = "plan_b", .tokens = 850, .changed = 9};
  EXPECT_EQ(audit_box(session),
            "┌────────────────────────────────────────┐\n"
            "│ Token Budget: [████████░░] 4200/5000   │\n"
            "│ Current Branch: plan_b (850 tokens)    │\n"
            "│ Total Branches: 2 (2100 tokens)        │\n"
            "│ Estimated: 4200 tokens (within budget) │\n"
            "└────────────────────────────────────────┘\n");
}

}  // namespace
}  // namespace lamarck::thought
