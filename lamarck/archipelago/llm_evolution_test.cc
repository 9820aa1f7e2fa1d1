// Complete runs whose mutations come from a model.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include "lamarck/archipelago/evolver.h"
#include "lamarck/archipelago/llm_engine.h"
#include "lamarck/llm/http_chat_model.h"
#include "lamarck/llm/scripted_server.h"

namespace lamarck::archipelago {
namespace {

using namespace std::chrono_literals;

// Scores how close f(3) is to 40.
class NearForty : public Evaluator {
 public:
  std::size_t input_count() const override { return 1; }
  Evaluation evaluate(const Skeleton& skeleton,
                      const CancelToken& /*cancel*/) const override {
    const std::vector<std::vector<double>> arguments = {{3}};
    const double value = skeleton.call(arguments).value()[0];
    return {.scores = {-std::abs(value - 40)}, .failure = {}, .constants = {}};
  }
};

// Answers depend only on the seed of the request, as those of a deterministic
// model.
class SeededModel : public llm::ChatModel {
 public:
  const std::string& name() const override { return name_; }
  const std::optional<llm::ModelPrice>& price() const override {
    return price_;
  }
  Result<llm::ChatReply> complete(const llm::ChatRequest& request,
                                  const CancelToken& /*cancel*/) override {
    return llm::ChatReply{
        .text = fmt::format("return params[0] * x + {}", *request.seed % 50),
        .usage = {.tokens_in = 90, .tokens_out = 10},
        .money_micros = std::nullopt};
  }
  Result<llm::ChatReply> stream(const llm::ChatRequest& request,
                                const OnText& /*on_text*/,
                                const CancelToken& cancel) override {
    return complete(request, cancel);
  }

 private:
  const std::string name_ = "seeded";
  const std::optional<llm::ModelPrice> price_;
};

EvolverOutcome evolve(std::shared_ptr<llm::ChatModel> model,
                      EvolverOptions options, Budget* budget = nullptr) {
  SystemClock clock;
  const auto read = formula_reply_reader("equation", {"x"});
  const auto evaluator = std::make_shared<NearForty>();
  EvolverParts parts;
  parts.engine = std::make_shared<LlmEngine>(
      std::move(model), read, evaluator,
      LlmEngineOptions{.max_tokens = 100, .timeout = 200ms}, clock, budget);
  parts.evaluator = evaluator;
  parts.first = {
      read("def equation(x, params):\n    return params[0] * x\n").value()};
  options.num_islands = 4;
  return Evolver(std::move(options), std::move(parts)).run().value();
}

TEST(LlmEvolution, ResultDoesNotDependOnThreadCount) {
  const auto one = evolve(std::make_shared<SeededModel>(),
                          {.num_parallel = 1, .max_cycles = 8});
  const auto many = evolve(std::make_shared<SeededModel>(),
                           {.num_parallel = 4, .max_cycles = 8});
  EXPECT_GT(one.best->score(), -10);
  EXPECT_EQ(one.best->origin().engine, "llm");
  EXPECT_EQ(one.best->skeleton()->source(), many.best->skeleton()->source());
  EXPECT_EQ(one.counts.cost.tokens_in, many.counts.cost.tokens_in);
}

TEST(LlmEvolution, ConcurrentIslandsStayWithinTokenBudget) {
  SystemClock clock;
  Budget budget({.tokens = 5000}, clock);
  const auto outcome =
      evolve(std::make_shared<SeededModel>(), {.num_parallel = 4}, &budget);
  EXPECT_EQ(outcome.end, EvolverEnd::Budget);
  EXPECT_LE(budget.spent().tokens, 5000);
  EXPECT_GT(budget.spent().tokens, 3000);
  EXPECT_EQ(outcome.counts.cost.tokens_in + outcome.counts.cost.tokens_out,
            budget.spent().tokens);
}

TEST(LlmEvolution, EndsWithBestSoFarIfModelMisbehaves) {
  using namespace llm;
  SystemClock clock;
  const ScriptedServer server(
      {chat_scene("return params[0] * x + 36"), chat_scene("nonsense"),
       stalling_scene(60s, chat_scene("late")), flooding_scene(),
       resetting_scene(), http_scene(500, "")});
  const auto endpoint = ModelEndpoint::open({.base_url = server.base_url(),
                                             .attempts = 1,
                                             .largest_reply = 1 << 16},
                                            clock)
                            .value();
  const auto outcome =
      evolve(HttpChatModel::open({.model = "m"}, endpoint).value(),
             {.num_parallel = 2, .most_errors_in_row = 12});
  EXPECT_EQ(outcome.end, EvolverEnd::Errors) << outcome.reason;
  EXPECT_EQ(outcome.best->score(), -1);
}

}  // namespace
}  // namespace lamarck::archipelago
