#include "lamarck/skills/trace_generalization.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lamarck/skills/skill_replay.h"
#include "lamarck/skills/skill_samples_fixture.h"

namespace lamarck::skills {
namespace {

Json result_of(int step, const std::string& path) {
  return {{"$result", {{"step", step}, {"path", path}}}};
}

TEST(TraceGeneralization, TurnsLiteralsIntoParametersAndResultsIntoReferences) {
  const SkillDraft draft =
      generalize_traces({refund_trace("Ada", "W123", "sku-9")}).value();

  EXPECT_EQ(draft.name, "Refund order of customer");
  EXPECT_EQ(draft.description, "Refund order (order id) of customer (name).");
  EXPECT_EQ(draft.trigger_keywords,
            (std::vector<std::string>{"refund", "order", "customer"}));
  ASSERT_EQ(draft.steps.size(), 3u);
  EXPECT_EQ(draft.steps[0].arguments, (Json{{"name", {{"$param", "name"}}}}));
  EXPECT_EQ(draft.steps[1].arguments,
            (Json{{"order_id", {{"$param", "order_id"}}},
                  {"customer_id", result_of(1, "/customer/id")}}));
  EXPECT_EQ(draft.steps[2].arguments,
            (Json{{"order_id", {{"$param", "order_id"}}},
                  {"sku", result_of(2, "/items/0/sku")},
                  {"amount", result_of(2, "/items/0/price")},
                  {"reason", "requested"}}));
  EXPECT_EQ(draft.parameters["order_id"]["type"], "string");
  EXPECT_EQ(draft.parameters.size(), 2u);
  EXPECT_TRUE(check_evals(draft));
}

TEST(TraceGeneralization, ReplaysWithOtherArgumentsAndResults) {
  const SkillDraft draft =
      generalize_traces({refund_trace("Ada", "W123", "sku-9")}).value();
  const Trace other = refund_trace("Bob", "W777", "sku-1");

  const auto arguments = match_trace(draft, other);
  ASSERT_TRUE(arguments.has_value());
  EXPECT_EQ(*arguments, (Json{{"name", "Bob"}, {"order_id", "W777"}}));
  std::vector<Json> results;
  for (const ToolCall& call : other.calls) results.push_back(call.result);
  const auto calls = replay_skill(draft, *arguments, results).value();
  for (std::size_t i = 0; i < calls.size(); ++i) {
    EXPECT_EQ(calls[i].arguments, other.calls[i].arguments);
  }
  Trace different = other;
  different.calls[2].arguments["reason"] = "damaged";
  EXPECT_FALSE(match_trace(draft, different).has_value());
}

TEST(TraceGeneralization, WhatDiffersBetweenTracesIsAParameter) {
  Trace one = refund_trace("Ada", "W123", "sku-9");
  Trace two = refund_trace("Bob", "W777", "sku-1");
  two.calls[2].arguments["reason"] = "damaged";

  const SkillDraft draft = generalize_traces({one, two}).value();
  EXPECT_EQ(draft.steps[2].arguments["reason"], (Json{{"$param", "reason"}}));
  EXPECT_EQ(draft.evals.size(), 2u);
  EXPECT_TRUE(check_evals(draft));
  two.calls[1].tool = "find_order";
  EXPECT_FALSE(generalize_traces({one, two}));
}

TEST(TraceGeneralization, SeveralTracesRejectCoincidentalSources) {
  // In the first trace the amount equals a field that is not its source.
  const auto trace = [](int limit, int total) {
    Trace made;
    made.request = "Pay the open invoice";
    made.calls = {{.tool = "read_invoice",
                   .result = {{"amount", limit}, {"total", {{"sum", total}}}}},
                  {.tool = "pay", .arguments = {{"amount", total}}}};
    return made;
  };
  const SkillDraft draft =
      generalize_traces({trace(50, 50), trace(20, 70)}).value();
  EXPECT_EQ(draft.steps[1].arguments["amount"], result_of(1, "/total/sum"));
}

TEST(TraceGeneralization, SmallNumbersFollowTheirNames) {
  Trace trace;
  trace.request = "Sum up the sheet and save it as report.json";
  trace.calls = {
      {.tool = "open_sheet", .result = {{"rows", 7}, {"pages", 2}}},
      {.tool = "sum_rows",
       .arguments = {{"rows", 7}, {"places", 2}},
       .result = 5},
      {.tool = "save",
       .arguments = {{"path", "report.json"}, {"format", "json"}, {"sum", 5}}}};
  const SkillDraft draft = generalize_traces({trace}).value();

  EXPECT_EQ(draft.steps[1].arguments["rows"], result_of(1, "/rows"));
  EXPECT_EQ(draft.steps[1].arguments["places"], 2);  // A coincidence.
  EXPECT_EQ(draft.steps[2].arguments["sum"], result_of(2, ""));
  EXPECT_EQ(draft.steps[2].arguments["path"], (Json{{"$param", "path"}}));
  EXPECT_EQ(draft.steps[2].arguments["format"], "json");
}

TEST(TraceGeneralization, FindsValuesInsideTextsOfResults) {
  Trace trace;
  trace.request = "Close the latest ticket";
  trace.calls = {
      {.tool = "list_tickets", .result = "Newest: T-4711 (open)\nOlder: T-1"},
      {.tool = "close_ticket", .arguments = {{"ids", {"T-4711"}}}}};
  const SkillDraft draft = generalize_traces({trace}).value();

  EXPECT_EQ(
      draft.steps[1].arguments["ids"][0]["$result"],
      (Json{{"step", 1}, {"path", ""}, {"after", "Newest: "}, {"until", " "}}));
  const auto calls =
      replay_skill(draft, Json::object(), {"Newest: T-9000 (open)"}).value();
  EXPECT_EQ(calls[1].arguments["ids"][0], "T-9000");
}

TEST(TraceGeneralization, NumbersFlagsAndNestedValuesKeepTheirTypes) {
  Trace trace;
  trace.request = "Find 3 hotels below 1,200 euros in Paris";
  trace.calls = {{.tool = "find_hotels",
                  .arguments = {{"filter",
                                 {{"city", "Paris"},
                                  {"max_price", 1200},
                                  {"count", 3},
                                  {"open", true}}}},
                  .result = {{"hotels", {"a", "b", "c"}}}}};
  const SkillDraft draft = generalize_traces({trace}).value();
  EXPECT_EQ(draft.steps[0].arguments["filter"],
            (Json{{"city", {{"$param", "city"}}},
                  {"max_price", {{"$param", "max_price"}}},
                  {"count", {{"$param", "count"}}},
                  {"open", true}}));
  EXPECT_EQ(draft.parameters["max_price"]["type"], "integer");
  EXPECT_FALSE(bind_arguments(
      draft, {{"city", "Rome"}, {"max_price", "cheap"}, {"count", 1}}));
}

TEST(TraceGeneralization, DataThatLooksLikeAReferenceStaysData) {
  Trace trace;
  trace.request = "Store the template";
  trace.calls = {
      {.tool = "write_template", .arguments = {{"body", {{"$param", "x"}}}}}};
  const SkillDraft draft = generalize_traces({trace}).value();
  EXPECT_EQ(replay_skill(draft, Json::object(), {}).value()[0].arguments,
            trace.calls[0].arguments);
}

TEST(TraceGeneralization, SkipsFailedAndRepeatedCalls) {
  Trace trace = refund_trace("Ada", "W123", "sku-9");
  ToolCall failed = trace.calls[1];
  failed.succeeded = false;
  trace.calls.insert(trace.calls.begin() + 1, failed);
  trace.calls.push_back(trace.calls.back());
  EXPECT_EQ(generalize_traces({trace})->steps.size(), 3u);
}

TEST(TraceGeneralization, NamesBeginWithAVerb) {
  const auto name = [](const std::string& request) {
    Trace trace;
    trace.request = request;
    trace.calls = {{.tool = "send_mail"}};
    return generalize_traces({trace})->name;
  };
  EXPECT_EQ(name("Please could you summarize the report?"),
            "Summarize the report");
  EXPECT_EQ(name("The weekly numbers"), "Send the weekly numbers");
  EXPECT_EQ(name("\u67e5\u8be2\u8ba2\u5355"), "Send \u67e5\u8be2\u8ba2\u5355");
}

// "Double the mean price" by a plan whose author wrote where the values come
// from: small numbers that rules alone would take for constants.
Trace planned_trace(double mean, int factor) {
  Trace trace;
  trace.request = "Write the scaled mean of prices.csv";
  trace.calls = {
      {.tool = "csv_statistics",
       .arguments = {{"path", "prices.csv"}},
       .planned = {{"path", "prices.csv"}},
       .result = {{"columns", {{"price", {{"mean", mean}}}}}}},
      {.tool = "formula_evaluate",
       .arguments = {{"formula", "m*f"},
                     {"values", {{"m", mean}, {"f", factor}}}},
       .planned = {{"formula", "m*f"},
                   {"values",
                    {{"m", result_of(1, "/columns/price/mean")},
                     {"f", {{"$param", "factor"}}}}}},
       .result = {{"value", mean * factor}}},
      {.tool = "file_write",
       .arguments = {{"path", "out.json"}, {"content", mean * factor}},
       .planned = {{"path", "out.json"}, {"content", result_of(2, "/value")}},
       .result = true}};
  return trace;
}

TEST(TraceGeneralization, KeepsTheReferencesOfAPlan) {
  const SkillDraft draft = generalize_traces({planned_trace(2, 2)}).value();

  EXPECT_EQ(draft.steps[1].arguments["values"],
            (Json{{"m", result_of(1, "/columns/price/mean")},
                  {"f", {{"$param", "factor"}}}}));
  EXPECT_EQ(draft.steps[2].arguments["content"], result_of(2, "/value"));
  EXPECT_EQ(draft.parameters["factor"]["default"], 2);
  EXPECT_EQ(draft.parameters["factor"]["required"], false);
  EXPECT_TRUE(check_evals(draft));
  // It makes the calls of another table, with the default and without it.
  EXPECT_TRUE(match_trace(draft, planned_trace(7, 2)).has_value());
  EXPECT_EQ(match_trace(draft, planned_trace(7, 3))->at("factor"), 3);
}

TEST(TraceGeneralization, ReferencesOfAPlanCountOnlyTheCallsThatSucceeded) {
  Trace trace = planned_trace(2, 2);
  trace.calls.insert(trace.calls.begin(),
                     {.tool = "file_read", .succeeded = false});
  trace.calls[2].planned["values"]["m"] = result_of(2, "/columns/price/mean");
  trace.calls[3].planned["content"] = result_of(3, "/value");

  const SkillDraft draft = generalize_traces({trace}).value();
  ASSERT_EQ(draft.steps.size(), 3u);
  EXPECT_EQ(draft.steps[1].arguments["values"]["m"],
            result_of(1, "/columns/price/mean"));
  EXPECT_EQ(draft.steps[2].arguments["content"], result_of(2, "/value"));
}

TEST(TraceGeneralization, ParametersOfAPlanWithOneValueStayApart) {
  Trace trace = planned_trace(2, 2);
  trace.calls[1].arguments["values"]["g"] = 2;
  trace.calls[1].planned["values"]["g"] = {{"$param", "other"}};

  const SkillDraft draft = generalize_traces({trace}).value();
  EXPECT_EQ(draft.steps[1].arguments["values"]["f"],
            (Json{{"$param", "factor"}}));
  EXPECT_EQ(draft.steps[1].arguments["values"]["g"],
            (Json{{"$param", "other"}}));
}

TEST(TraceGeneralization, APlanIsNotBelievedWhereItsResultDiffers) {
  Trace trace = planned_trace(2, 2);
  trace.calls[2].planned["content"] = result_of(1, "/columns/price/mean");

  const SkillDraft draft = generalize_traces({trace}).value();
  EXPECT_NE(draft.steps[2].arguments["content"],
            result_of(1, "/columns/price/mean"));
  EXPECT_TRUE(check_evals(draft));
}

TEST(TraceGeneralization, ATraceWithAPlanSurvivesJson) {
  const Trace trace = planned_trace(2, 2);
  EXPECT_EQ(parse_trace(to_json(trace))->calls, trace.calls);
  Json damaged = to_json(trace);
  damaged["calls"][0]["planned"] = 3;
  EXPECT_FALSE(parse_trace(damaged));
}

}  // namespace
}  // namespace lamarck::skills
