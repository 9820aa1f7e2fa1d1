#include "lamarck/archipelago/journal_record.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lamarck/archipelago/toy_engine_fixture.h"

namespace lamarck::archipelago {
namespace {

FunctionReading reading() {
  return {read_toy, std::make_shared<ToyEvaluator>()};
}

// A record as a journal holds it.
Json journaled(const auto& record) {
  return parse_json(dump_json(to_json(record))).value();
}

FunctionPtr recorded_function(std::int64_t number) {
  const FunctionPtr fn =
      ToyEngine::child(number, {.evaluations = 12, .money_micros = 3});
  fn->set_id(8);
  fn->evaluate();
  return fn;
}

FunctionRecord function_record(std::int64_t number = 900) {
  return {.cycle = 4,
          .island = 2,
          .fn = recorded_function(number),
          .evaluation_source = EvaluationSource::ByEngine,
          .is_rejected = true,
          .gain = {.is_island_best = true, .is_best = false},
          .seconds = 0.5};
}

TEST(JournalRecord, RoundTripsFunctions) {
  const Json json = journaled(function_record());
  const auto read = function_record_from(json, reading());
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(journaled(*read), json);
  EXPECT_EQ(read->cycle, 4u);
  EXPECT_EQ(read->island, 2u);
  EXPECT_EQ(read->evaluation_source, EvaluationSource::ByEngine);
  EXPECT_TRUE(read->is_rejected);
  EXPECT_TRUE(read->gain.is_island_best);
  EXPECT_FALSE(read->gain.is_best);
  EXPECT_EQ(toy_number(*read->fn), 900);
  EXPECT_EQ(read->fn->id(), 8u);
  EXPECT_EQ(read->fn->origin().move, "step");
  EXPECT_EQ(read->fn->origin().cost.evaluations, 12);
  EXPECT_EQ(read->fn->evaluation().scores,
            function_record().fn->evaluation().scores);
}

TEST(JournalRecord, FailedFunctionIsReadWithoutItsSource) {
  const auto read = function_record_from(journaled(function_record(907)),
                                         {[](const auto&, const auto&) {
                                            ADD_FAILURE();
                                            return read_toy("1", {});
                                          },
                                          nullptr});
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->fn->evaluation().failure, "it ends in 7");
}

TEST(JournalRecord, RecordedSkeletonCannotBeCalled) {
  const auto read = first_record_from(to_json(FirstRecord{toy_function(3)}),
                                      FunctionReading());
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->fn->skeleton()->source(), "3");
  const auto called = read->fn->skeleton()->call({});
  ASSERT_FALSE(called);
  EXPECT_EQ(called.error().code(), ErrorCode::Unsupported);
}

TEST(JournalRecord, RejectsDamagedFunctions) {
  const Json good = journaled(function_record());
  const auto is_damaged = [&](const char* key, const Json& value) {
    Json json = good;
    json[key] = value;
    const auto read = function_record_from(json, reading());
    return !read && read.error().code() == ErrorCode::DataDamaged;
  };
  EXPECT_FALSE(is_damaged("seconds", 3));
  EXPECT_TRUE(is_damaged("fate", "unknown"));
  EXPECT_TRUE(is_damaged("score", 1));
  EXPECT_TRUE(is_damaged("scores", Json::array()));
  EXPECT_TRUE(is_damaged("scores", Json::array({nullptr, 1})));
  EXPECT_TRUE(is_damaged("size", 99));
  EXPECT_TRUE(is_damaged("source", "901"));
  EXPECT_TRUE(is_damaged("cycle", "four"));
  EXPECT_TRUE(is_damaged("cost", {{"evaluations", -1}}));
  EXPECT_TRUE(is_damaged("cost", {{"tokens_in", 1.5}}));
  EXPECT_TRUE(is_damaged("cost", {{"tokens_in", 1ull << 60}}));
}

TEST(JournalRecord, RoundTripsErrorsCyclesAndResets) {
  const ErrorRecord error{.cycle = 1,
                          .island = 3,
                          .code = "timeout",
                          .message = "The model did not answer.",
                          .origin = {.cost = {.tokens_in = 5}},
                          .seconds = 2};
  EXPECT_EQ(journaled(*error_record_from(journaled(error))), journaled(error));
  EXPECT_EQ(cost_record_from(journaled(error))->tokens_in, 5);

  const CycleRecord cycle{.cycle = 9, .evaluations = 1234, .best = 7};
  EXPECT_EQ(*cycle_record_from(journaled(cycle)), cycle);

  const ResetRecord reset{.cycle = 9,
                          .reset = {.removed = {0, 2}, .founders = {5, 6}}};
  EXPECT_EQ(reset_record_from(journaled(reset))->reset, reset.reset);
  EXPECT_FALSE(reset_record_from(to_json(cycle)));
}

TEST(JournalRecord, RunNamesFormatThatCannotBeRead) {
  Json json = to_json(RunRecord{.engine = "gp", .fingerprint = "f"});
  ASSERT_TRUE(run_record_from(json));
  json["format"] = kJournalFormat + 1;
  const auto read = run_record_from(json);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code(), ErrorCode::Unsupported);
  EXPECT_NE(read.error().message().find("format 3"), std::string::npos)
      << read.error().message();
}

}  // namespace
}  // namespace lamarck::archipelago
