#include "lamarck/archipelago/llm_engine.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "lamarck/archipelago/formula_skeleton.h"
#include "lamarck/archipelago/internal/source_skeleton.h"
#include "lamarck/base/eventually_fixture.h"
#include "lamarck/llm/http_chat_model.h"
#include "lamarck/llm/scripted_chat_model_fixture.h"
#include "lamarck/llm/scripted_server_fixture.h"

namespace lamarck::archipelago {
namespace {

using namespace std::chrono_literals;
using llm::ScriptedChatModel;

constexpr const char* kGood =
    "```python\ndef equation_v1(x, params):\n"
    "    return params[0] * x + params[1]\n```";

class NoEvaluator : public Evaluator {
 public:
  std::size_t input_count() const override { return 1; }
  Evaluation evaluate(const Skeleton& /*skeleton*/,
                      const CancelToken& /*cancel*/) const override {
    return {.scores = {0}, .failure = {}, .constants = {}};
  }
};

FunctionPtr parent(const char* source, std::vector<double> constants) {
  auto fn = std::make_shared<Function>(
      3, formula_reply_reader("equation", {"x"})(source).value(), nullptr,
      Origin{.engine = "seed"});
  fn->accept(
      {.scores = {-1}, .failure = {}, .constants = std::move(constants)});
  return fn;
}

std::vector<FunctionPtr> one_parent() {
  return {parent("def equation(x, params):\n    return params[0] * x\n", {7})};
}

MutationContext llm_context(CancelToken cancel = {}) {
  return {.island = 0, .cycle = 0, .rng = Rng(5), .cancel = std::move(cancel)};
}

// An engine with its clock and budget.
struct Stage {
  explicit Stage(std::shared_ptr<llm::ChatModel> model,
                 LlmEngineOptions options = {}, BudgetLimits limits = {})
      : budget(limits, clock),
        engine(std::move(model), formula_reply_reader("equation", {"x"}),
               std::make_shared<NoEvaluator>(), std::move(options), clock,
               &budget) {}

  SystemClock clock;
  Budget budget;
  LlmEngine engine;
};

std::shared_ptr<ScriptedChatModel> scripted(
    std::vector<Result<std::string>> answers) {
  return std::make_shared<ScriptedChatModel>(
      std::move(answers), llm::ModelPrice{.input = 1, .output = 2});
}

std::int64_t tokens(const MutationResult& made) {
  return made.cost().tokens_in + made.cost().tokens_out;
}

TEST(LlmEngine, MakesFunctionFromAnswer) {
  const auto model = scripted({std::string(kGood)});
  Stage stage(model);
  const auto made = stage.engine.mutate(one_parent(), llm_context());
  ASSERT_TRUE(made) << made.error().message();
  const Function& fn = **made;
  EXPECT_EQ(fn.skeleton()->source(),
            "def equation(x, params):\n    return params[0] * x + params[1]\n");
  EXPECT_FALSE(fn.is_evaluated());
  EXPECT_EQ(fn.origin().engine, "llm");
  EXPECT_EQ(fn.origin().move, "ask");
  EXPECT_EQ(fn.origin().parents, std::vector<std::uint64_t>{3});
  EXPECT_EQ(fn.origin().reply, kGood);
  EXPECT_NE(fn.origin().prompt.find("def equation_v0(x, params):"),
            std::string::npos);

  const MutationCost& cost = fn.origin().cost;
  EXPECT_GT(cost.tokens_in, 0);
  EXPECT_GT(cost.tokens_out, 0);
  EXPECT_EQ(cost.money_micros, cost.tokens_in + 2 * cost.tokens_out);
  EXPECT_EQ(stage.budget.spent().tokens, cost.tokens_in + cost.tokens_out);
  EXPECT_EQ(stage.budget.spent().money_micros, cost.money_micros);
  EXPECT_EQ(stage.budget.reserved(), BudgetAmounts{});
}

TEST(LlmEngine, SameSeedSendsSameRequest) {
  const auto model = scripted({std::string(kGood)});
  Stage stage(model, {.max_tokens = 99, .temperature = 0.7});
  ASSERT_TRUE(stage.engine.mutate(one_parent(), llm_context()));
  ASSERT_TRUE(stage.engine.mutate(one_parent(), llm_context()));
  const auto requests = model->requests();
  EXPECT_EQ(requests[0].seed, requests[1].seed);
  EXPECT_EQ(requests[0].messages, requests[1].messages);
  EXPECT_EQ(requests[0].max_tokens, 99);
  EXPECT_EQ(requests[0].temperature, 0.7);
}

TEST(LlmEngine, InheritsConstantsOfMatchingParent) {
  const std::vector<FunctionPtr> parents = {
      parent("def equation(x, params):\n    return params[0] + params[1]*x*x\n",
             {2, 3}),
      parent("def equation(x, params):\n    return params[0] * x\n", {7})};
  Stage stage(scripted(
      {std::string(kGood),
       std::string("return params[0] + params[1] * x + params[2] * x**2"),
       std::string("return x * x")}));
  const auto constants = [&] {
    const auto fn = stage.engine.mutate(parents, llm_context()).value();
    const auto span = fn->skeleton()->constants();
    return std::vector<double>(span.begin(), span.end());
  };
  EXPECT_EQ(constants(), (std::vector<double>{2, 3}));
  EXPECT_EQ(constants(), (std::vector<double>{7, 1, 1}));
  EXPECT_EQ(constants(), std::vector<double>{});
}

TEST(LlmEngine, SendsErrorBackOnce) {
  const auto model =
      scripted({std::string("def equation_v1(x, params):\n    return zap(x)"),
                std::string(kGood)});
  Stage stage(model);
  const auto made = stage.engine.mutate(one_parent(), llm_context());
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ((*made)->origin().move, "repair");
  const auto requests = model->requests();
  ASSERT_EQ(requests.size(), 2u);
  ASSERT_EQ(requests[1].messages.size(), 4u);
  EXPECT_EQ(requests[1].messages[2].role, llm::Role::Assistant);
  EXPECT_NE(requests[1].messages[3].text.find("zap"), std::string::npos);
  EXPECT_EQ(stage.budget.spent().tokens, (*made)->origin().cost.tokens_in +
                                             (*made)->origin().cost.tokens_out);
}

TEST(LlmEngine, FailsAfterOneRepairAndReportsCost) {
  const auto model = scripted({std::string("no"), std::string("never")});
  Stage stage(model);
  const auto made = stage.engine.mutate(one_parent(), llm_context());
  ASSERT_FALSE(made);
  EXPECT_EQ(model->requests().size(), 2u);
  EXPECT_EQ(tokens(made), stage.budget.spent().tokens);
  EXPECT_GT(tokens(made), 0);

  Stage strict(model, {.repairs = false});
  EXPECT_FALSE(strict.engine.mutate(one_parent(), llm_context()));
  EXPECT_EQ(model->requests().size(), 3u);
}

TEST(LlmEngine, RejectsDifferentArguments) {
  Stage stage(scripted(
      {std::string("def equation_v1(y, params):\n    return params[0] * y")}));
  const auto made = stage.engine.mutate(one_parent(), llm_context());
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message().find("must take the arguments (x, params)"),
            std::string::npos)
      << made.error().message();
}

TEST(LlmEngine, RejectsRepeatedParent) {
  Stage stage(scripted({std::string(
      "def equation_v1(x, params):\n    y = params[0] * x\n    return y")}));
  const auto made = stage.engine.mutate(one_parent(), llm_context());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message(), "The model repeated a parent.");
  EXPECT_GT(tokens(made), 0);
}

TEST(LlmEngine, SendsNoRequestBeyondBudget) {
  const auto model = scripted({std::string(kGood)});
  Stage stage(model, {}, {.tokens = 2000});
  const auto made = stage.engine.mutate(one_parent(), llm_context());
  EXPECT_EQ(made.error().code(), ErrorCode::BudgetExceeded);
  EXPECT_EQ(tokens(made), 0);
  EXPECT_TRUE(model->requests().empty());
}

// The error of an engine whose server plays a scene of misbehavior.
Error failure_at(const llm::ServerScene& scene,
                 std::chrono::milliseconds timeout) {
  SystemClock clock;
  const llm::ScriptedServer server({scene});
  Stage stage(llm::HttpChatModel::open(
                  {.model = "m"},
                  llm::ModelEndpoint::open({.base_url = server.base_url(),
                                            .attempts = 2,
                                            .first_pause = 1ms,
                                            .max_reply_bytes = 1 << 20},
                                           clock)
                      .value())
                  .value(),
              {.timeout = timeout});
  const auto made = stage.engine.mutate(one_parent(), llm_context());
  EXPECT_EQ(stage.budget.reserved(), BudgetAmounts{});
  if (made) return {ErrorCode::Internal, "The engine made a function."};
  EXPECT_EQ(tokens(made), stage.budget.spent().tokens);
  return made.error();
}

TEST(LlmEngine, SurvivesMisbehavingServer) {
  using namespace llm;
  EXPECT_EQ(failure_at(stalling_scene(60s, chat_scene(kGood)), 100ms).code(),
            ErrorCode::Timeout);
  EXPECT_EQ(
      failure_at(chat_scene("def equation(x): return eval('1')"), 10s).code(),
      ErrorCode::Unavailable);
  EXPECT_EQ(failure_at(http_scene(200, "\xff\xfe{"), 10s).code(),
            ErrorCode::Unavailable);
  EXPECT_EQ(failure_at(flooding_scene(), 10s).code(), ErrorCode::Unavailable);
  EXPECT_EQ(failure_at(resetting_scene(), 10s).code(), ErrorCode::Unavailable);
  EXPECT_EQ(failure_at(truncated_scene("{"), 10s).code(),
            ErrorCode::Unavailable);
  EXPECT_EQ(failure_at(http_scene(500, ""), 10s).code(),
            ErrorCode::Unavailable);
  EXPECT_EQ(failure_at(chat_scene(std::string(500'000, '(')), 10s).code(),
            ErrorCode::Unavailable);
}

// Returns nonsense after `duration`.
class SlowModel : public ScriptedChatModel {
 public:
  SlowModel(ManualClock& clock, std::chrono::milliseconds duration)
      : ScriptedChatModel({std::string("nonsense")}),
        clock_(clock),
        duration_(duration) {}

  Result<llm::ChatReply> complete(const llm::ChatRequest& request,
                                  const CancelToken& cancel) override {
    clock_.advance(duration_);
    return ScriptedChatModel::complete(request, cancel);
  }

 private:
  ManualClock& clock_;
  std::chrono::milliseconds duration_;
};

TEST(LlmEngine, AnswerAndRepairShareOneTimeout) {
  const auto timeouts = [](std::chrono::milliseconds duration) {
    ManualClock clock;
    const auto model = std::make_shared<SlowModel>(clock, duration);
    LlmEngine engine(model, formula_reply_reader("equation", {"x"}),
                     std::make_shared<NoEvaluator>(), {.timeout = 10s}, clock);
    EXPECT_FALSE(engine.mutate(one_parent(), llm_context()));
    std::vector<std::chrono::milliseconds> given;
    for (const auto& request : model->requests()) {
      given.push_back(request.timeout.value());
    }
    return given;
  };
  using Timeouts = std::vector<std::chrono::milliseconds>;
  EXPECT_EQ(timeouts(4s), (Timeouts{10s, 6s}));
  EXPECT_EQ(timeouts(9900ms), Timeouts{10s});
}

TEST(LlmEngine, StopsAllIslandsWhenCancelled) {
  SystemClock clock;
  const llm::ScriptedServer server(
      {llm::stalling_scene(60s, llm::chat_scene(kGood))});
  Stage stage(
      llm::HttpChatModel::open(
          {.model = "m"},
          llm::ModelEndpoint::open(
              {.base_url = server.base_url(), .concurrent_calls = 2}, clock)
              .value())
          .value());
  CancelSource source;
  std::atomic<int> cancelled = 0;
  {
    std::vector<std::jthread> islands;
    for (int i = 0; i < 4; ++i) {
      islands.emplace_back([&] {
        const auto made =
            stage.engine.mutate(one_parent(), llm_context(source.token()));
        cancelled += !made && made.error().code() == ErrorCode::Cancelled;
      });
    }
    EXPECT_TRUE(eventually("two islands have asked the model",
                           [&] { return server.requests().size() >= 2; }));
    source.cancel("enough");
  }
  EXPECT_EQ(cancelled, 4);
}

// Reads any text as the source of a program.
Result<SkeletonPtr> read_source(const std::string& text) {
  return SkeletonPtr(std::make_shared<SourceSkeleton>(text));
}

std::string long_program(const std::string& last_line) {
  std::string source = "import math\n\n\ndef plan(x):\n";
  for (int i = 0; i < 500; ++i) {
    source += "    x += " + std::to_string(i) + "\n";
  }
  return source + last_line;
}

TEST(LlmEngine, EditsLongProgram) {
  const auto model = scripted(
      {std::string("Here:\n<<<<<<< SEARCH\n    return x\n=======\n"
                   "    return math.sqrt(x)\n>>>>>>> REPLACE\n"),
       std::string("<<<<<<< SEARCH\n    return y\n=======\n>>>>>>> REPLACE")});
  SystemClock clock;
  LlmEngineOptions options;
  options.repairs = false;
  options.prompt.name = "plan";
  options.prompt.language = PromptLanguage::Python;
  LlmEngine engine(model, read_source, std::make_shared<NoEvaluator>(), options,
                   clock);
  const std::vector<FunctionPtr> parents = {
      scored_function(long_program("    return x\n"), 1, {})};

  const auto made = engine.mutate(parents, llm_context());
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ((*made)->skeleton()->source(),
            long_program("    return math.sqrt(x)\n"));

  const auto failed = engine.mutate(parents, llm_context());
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message().find("they occur 0 times"),
            std::string::npos)
      << failed.error().message();
}

TEST(LlmEngine, PromptsSayWhichAnswersFailed) {
  const auto model = scripted({std::string("no code at all"),
                               std::string("still none"), std::string(kGood)});
  Stage stage(model);
  EXPECT_FALSE(stage.engine.mutate(one_parent(), llm_context()));
  stage.engine.end_cycle(0);
  EXPECT_TRUE(stage.engine.mutate(one_parent(), llm_context()));
  const auto requests = model->requests();
  EXPECT_EQ(requests[0].messages[1].text.find("did not help"),
            std::string::npos);
  EXPECT_NE(requests[2].messages[1].text.find("did not help"),
            std::string::npos);
}

TEST(LlmEngine, FailedAttemptKeepsItsConversation) {
  const auto model = scripted({std::string("no"), std::string("never")});
  Stage stage(model);
  const auto made = stage.engine.mutate(one_parent(), llm_context());
  ASSERT_FALSE(made);
  const Origin& origin = made.origin();
  EXPECT_NE(origin.system, "");
  EXPECT_EQ(origin.prompt.find(origin.system), std::string::npos);
  EXPECT_EQ(origin.draft, "no");
  EXPECT_NE(origin.correction, "");
  EXPECT_EQ(origin.reply, "never");
  EXPECT_EQ(origin.parents, std::vector<std::uint64_t>{3});
}

TEST(LlmEngine, SpendingOfInterruptedRunCounts) {
  const auto model = scripted({std::string(kGood)});
  Stage stage(model, {.max_tokens = 100},
              {.tokens = 80'000, .money_micros = 1'000'000});
  stage.engine.add_spent({.tokens = 79'990, .money_micros = 5});
  const auto made = stage.engine.mutate(one_parent(), llm_context());
  EXPECT_EQ(made.error().code(), ErrorCode::BudgetExceeded);
  EXPECT_TRUE(model->requests().empty());
  EXPECT_EQ(stage.budget.spent().tokens, 79'990);
}

}  // namespace
}  // namespace lamarck::archipelago
