#include "lamarck/problems/program_evaluator.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lamarck/base/macros.h"
#include "lamarck/problems/python_skeleton.h"

namespace lamarck::problems {
namespace {

using archipelago::Evaluation;
using namespace std::chrono_literals;

constexpr const char* kEvaluate =
    "def inputs(): return ['one', 'two']\n"
    "def evaluate(program, name):\n"
    "    print('hello')\n"
    "    return program.f({'one': 1, 'two': 2}[name])\n";

Result<std::shared_ptr<const ProgramRunner>> runner_for(
    const std::string& evaluate, ProgramRunnerOptions options = {}) {
  ASSIGN_OR_RETURN(ProgramText program,
                   read_program_text("# lamarck: evolve\ndef f(x):\n"
                                     "    return x\n"));
  return open_program_runner({.path = "folder",
                              .program = std::move(program),
                              .evaluate = evaluate,
                              .files = {{"data.txt", "7", false}}},
                             options);
}

std::shared_ptr<const ProgramEvaluator> open_evaluator(
    const std::shared_ptr<const ProgramRunner>& runner,
    const ProgramEvaluatorOptions& options = {}) {
  auto evaluator = ProgramEvaluator::open(runner, options);
  if (!evaluator) throw LogicError(evaluator.error());
  return *std::move(evaluator);
}

std::string open_error(const std::string& evaluate) {
  const auto runner = runner_for(evaluate);
  if (!runner) return runner.error().message();
  const auto evaluator = ProgramEvaluator::open(*runner);
  return evaluator ? "" : evaluator.error().message();
}

// Skipped on machines where the sandbox is not available.
class ProgramEvaluatorTest : public testing::Test {
 protected:
  void SetUp() override {
    auto runner = runner_for(kEvaluate);
    if (!runner) GTEST_SKIP() << runner.error().message();
    runner_ = *std::move(runner);
  }

  Evaluation evaluate_program(const std::string& source) {
    if (!evaluator_) evaluator_ = open_evaluator(runner_);
    return evaluator_->evaluate(PythonSkeleton(runner_, source), {});
  }
  static Evaluation evaluate_program(const std::string& source,
                                     const std::string& evaluate,
                                     const ProgramRunnerOptions& options = {}) {
    const auto runner = runner_for(evaluate, options);
    if (!runner) throw LogicError(runner.error());
    return open_evaluator(*runner)->evaluate(PythonSkeleton(*runner, source),
                                             {});
  }
  std::string failure_of(const std::string& source) {
    const Evaluation evaluation = evaluate_program(source);
    EXPECT_TRUE(evaluation.scores.empty());
    return evaluation.failure.value_or("no failure");
  }
  // The failure of a single run with these limits.
  static std::string failure_within(const SandboxLimits& limits,
                                    const std::string& source) {
    const auto runner = runner_for(kEvaluate, {.limits = limits});
    if (!runner) throw LogicError(runner.error());
    const auto scores = (*runner)->scores(source, "one");
    return scores ? "no failure" : scores.error().message();
  }

  std::shared_ptr<const ProgramRunner> runner_;
  std::shared_ptr<const ProgramEvaluator> evaluator_;
};

TEST_F(ProgramEvaluatorTest, ScoresEveryInput) {
  const Evaluation evaluation =
      evaluate_program("def f(x):\n    return 10 * x\n");

  EXPECT_FALSE(evaluation.failure) << *evaluation.failure;
  EXPECT_EQ(evaluation.scores, (std::vector<double>{10, 20}));
}

TEST_F(ProgramEvaluatorTest, AcceptsAllScoresFromOneRun) {
  for (const char* value :
       {"[program.f(1), 2]", "{'a': program.f(1), 'b': 2}"}) {
    EXPECT_EQ(
        evaluate_program("def f(x): return 5",
                         std::string("def evaluate(program): return ") + value)
            .scores,
        (std::vector<double>{5, 2}));
  }
  EXPECT_EQ(evaluate_program("def f(x): return 5",
                             "def evaluate(program): return program.f(1)")
                .scores,
            (std::vector<double>{5}));
}

TEST_F(ProgramEvaluatorTest, ProvidesInputsAndFirstEvaluation) {
  const auto evaluator = open_evaluator(runner_);

  EXPECT_EQ(evaluator->input_count(), 2u);
  EXPECT_EQ(evaluator->input_names()[1], "two");
  EXPECT_EQ(evaluator->first().scores, (std::vector<double>{1, 2}));
}

TEST_F(ProgramEvaluatorTest, FailureHasReasonAndNoScore) {
  EXPECT_EQ(failure_of("def f(x): return 1 / (x - 2)"),
            "raised ZeroDivisionError: division by zero (line 2 of "
            "program.py), on input 'two'");
  EXPECT_EQ(failure_of("def f(x): return x\nimport nothing"),
            "raised ModuleNotFoundError: No module named 'nothing' (line 3 of "
            "program.py), on input 'one'");
  EXPECT_EQ(failure_of("def f(x): return float('nan')"),
            "returned a score that is not finite: \"nan\", on input 'one'");
  EXPECT_EQ(
      failure_of("def f(x): return 'high'"),
      "evaluate.py: TypeError: a score must be a number, got str, on input "
      "'one'");
  EXPECT_EQ(failure_of("def f(x): return f"),
            "raised TypeError: Object of type function is not JSON "
            "serializable, on input 'one'");
  EXPECT_EQ(failure_of("def f(x: return"),
            "raised SyntaxError: invalid syntax (line 2 of program.py), on "
            "input 'one'");
}

TEST_F(ProgramEvaluatorTest, TimeoutIsFailure) {
  EXPECT_EQ(
      failure_within({.wall = 500ms}, "def f(x):\n    while True: pass\n"),
      "timed out after 500 ms");
}

TEST_F(ProgramEvaluatorTest, ExcessiveMemoryAndDeepRecursionAreFailures) {
  const SandboxLimits limits{.memory_bytes = 60u << 20};

  EXPECT_EQ(failure_within(limits, "def f(x): return len(bytearray(10 ** 10))"),
            "raised MemoryError (line 2 of program.py)");
  EXPECT_NE(failure_within(limits,
                           "import sys\nsys.setrecursionlimit(10 ** 8)\n"
                           "def f(x): return f([x])"),
            "no failure");
}

TEST_F(ProgramEvaluatorTest, EarlyExitIsFailure) {
  for (const char* way : {"raise SystemExit", "__import__('os')._exit(0)",
                          "__import__('os').kill(__import__('os').getppid(), "
                          "9)"}) {
    EXPECT_NE(failure_of(std::string("def f(x):\n    ") + way), "no failure");
    EXPECT_NE(failure_of(std::string(way) + "\ndef f(x): return x"),
              "no failure");
  }
}

TEST_F(ProgramEvaluatorTest, ProgramCannotForgeResultOfEvaluator) {
  const Evaluation evaluation = evaluate_program(
      "import os, sys\n"
      "def f(x):\n"
      "    for file in range(3, 64):\n"
      "        try: os.write(file, b'{\"value\": 1000}\\n')\n"
      "        except OSError: pass\n"
      "    print('{\"value\": 1000}')\n"
      "    os.write(1, b'{\"value\": 1000}')\n"
      "    return 1\n");

  // The program can only forge its own replies, whose values it chooses anyway.
  ASSERT_FALSE(evaluation.failure) << *evaluation.failure;
  EXPECT_EQ(evaluation.scores, (std::vector<double>{1000, 1000}));
}

TEST_F(ProgramEvaluatorTest, ProgramCannotReachEvaluator) {
  // Changes in the program's own process do not affect the evaluator.
  const Evaluation evaluation = evaluate_program(
      "import builtins, json, math, gc, sys\n"
      "class Best(float):\n"
      "    def __float__(self): return 1e9\n"
      "builtins.float = Best\n"
      "math.isfinite = lambda x: True\n"
      "def f(x):\n"
      "    if 'evaluate' in sys.modules: return 1000\n"
      "    for one in gc.get_objects():\n"
      "        if isinstance(one, str) and 'def inputs' in one: return 1000\n"
      "    try: open('evaluate.py'); return 1000\n"
      "    except OSError: return 3\n");

  ASSERT_FALSE(evaluation.failure) << *evaluation.failure;
  EXPECT_EQ(evaluation.scores, (std::vector<double>{3, 3}));
}

TEST_F(ProgramEvaluatorTest, ProgramCannotChangeFilesOfEvaluator) {
  const Evaluation evaluation = evaluate_program(
      "def f(x):\n"
      "    try: open('data.txt', 'w').write('1000')\n"
      "    except OSError: pass\n"
      "    try: open('statistics.py', 'w').write('mean = lambda x: 1000')\n"
      "    except OSError: pass\n"
      "    return 1\n",
      "def evaluate(program):\n"
      "    value = program.f(1)\n"
      "    import statistics\n"
      "    return statistics.mean([value, float(open('data.txt').read())])\n");

  ASSERT_FALSE(evaluation.failure) << *evaluation.failure;
  EXPECT_EQ(evaluation.scores, (std::vector<double>{4}));
}

TEST_F(ProgramEvaluatorTest, ScoresAreReproducible) {
  const std::string source =
      "import random\n"
      "def f(x):\n"
      "    return random.random() + hash('a') % 1000 + list({'a', 'b', 'c'})"
      ".index('a')\n";

  EXPECT_EQ(evaluate_program(source).scores, evaluate_program(source).scores);
}

TEST_F(ProgramEvaluatorTest, LowScoreSkipsRemainingInputs) {
  const auto evaluator = open_evaluator(runner_, {.cascade_floor = 0});

  const Evaluation evaluation = evaluator->evaluate(
      PythonSkeleton(runner_,
                     "def f(x):\n    if x == 2:\n"
                     "        while True: pass\n    return -5\n"),
      {});

  EXPECT_EQ(evaluation.failure,
            "scored -5 on input 'one', below the cascade floor of 0");
  EXPECT_TRUE(evaluation.scores.empty());
}

TEST_F(ProgramEvaluatorTest, CanShareProcessOfEvaluator) {
  const Evaluation evaluation =
      evaluate_program("def f(x): return {x, 2}",
                       "def evaluate(program):\n"
                       "    return isinstance(program.f(1), set) + 1\n",
                       {.shares_process = true});

  EXPECT_FALSE(evaluation.failure) << *evaluation.failure;
  EXPECT_EQ(evaluation.scores, (std::vector<double>{2}));
}

TEST_F(ProgramEvaluatorTest, UnusableFolderIsAnError) {
  EXPECT_EQ(open_error("x = 1"),
            "The program of folder cannot be evaluated: evaluate.py: "
            "NameError: it must define a function evaluate.");
  EXPECT_EQ(
      open_error("def evaluate(program): return program.g(1)"),
      "The program of folder cannot be evaluated: it raised AttributeError: "
      "module 'program' has no attribute 'g'.");
  EXPECT_EQ(open_error("def evaluate(program)"),
            "The program of folder cannot be evaluated: evaluate.py: "
            "SyntaxError: expected ':' (line 1 of evaluate.py).");
  EXPECT_EQ(open_error("def evaluate(program): return float('nan')"),
            "The program of folder cannot be evaluated: evaluate.py returned a "
            "score that is not finite: \"nan\".");
  EXPECT_EQ(
      open_error("def evaluate(program): return []"),
      "The program of folder cannot be evaluated: evaluate.py must return at "
      "least one score.");
}

TEST_F(ProgramEvaluatorTest, StopsWhenCancelled) {
  const auto evaluator = open_evaluator(runner_);
  CancelSource source;
  source.cancel("enough");

  const Evaluation evaluation = evaluator->evaluate(
      PythonSkeleton(runner_, "def f(x):\n    while True: pass\n"),
      source.token());

  EXPECT_EQ(evaluation.failure, "cancelled, on input 'one'");
}

TEST_F(ProgramEvaluatorTest, InputsMayHaveFloorsOfTheirOwn) {
  const auto evaluator = open_evaluator(
      runner_, {.cascade_floor = 0, .cascade_floors = {{"one", -10}}});

  EXPECT_EQ(
      evaluator->evaluate(PythonSkeleton(runner_, "def f(x): return -5"), {})
          .failure,
      "scored -5 on input 'two', below the cascade floor of 0");
}

// A folder whose evaluator is a shell script.
Result<std::shared_ptr<const ProgramRunner>> command_runner(
    const std::string& script, std::vector<std::string> inputs = {}) {
  ASSIGN_OR_RETURN(ProgramText program,
                   read_program_text("# lamarck: evolve\ndef f(x):\n"
                                     "    return 'SEED'\n"));
  ProgramFolder folder{.path = "folder", .program = std::move(program)};
  folder.settings.evaluate = {"sh", "score.sh"};
  folder.settings.inputs = std::move(inputs);
  folder.files = {{"score.sh", script, false}};
  const ProgramRunnerOptions options = runner_options(folder.settings);
  return open_program_runner(std::move(folder), options);
}

TEST_F(ProgramEvaluatorTest, CommandPrintsScoresOnLastLine) {
  const auto runner = command_runner(
      "grep -q SEED program.py && echo note && echo '{\"a\": 1, \"b\": 2.5}' "
      "|| echo '[3, 4]'\n");
  ASSERT_TRUE(runner) << runner.error().message();
  const auto evaluator = open_evaluator(*runner);

  EXPECT_EQ(evaluator->first().scores, (std::vector<double>{1, 2.5}));
  EXPECT_EQ(
      evaluator->evaluate(PythonSkeleton(*runner, "def f(x): pass"), {}).scores,
      (std::vector<double>{3, 4}));
}

TEST_F(ProgramEvaluatorTest, CommandGetsInputAsLastArgument) {
  const auto runner = command_runner("echo \"1$1\"\n", {"0", "5"});
  ASSERT_TRUE(runner) << runner.error().message();
  const auto evaluator = open_evaluator(*runner);

  EXPECT_EQ(evaluator->input_names(), (std::vector<std::string>{"0", "5"}));
  EXPECT_EQ(evaluator->first().scores, (std::vector<double>{10, 15}));
}

TEST_F(ProgramEvaluatorTest, CommandFailsWithReason) {
  const auto reason = [](const std::string& script) {
    const auto runner = command_runner(script);
    if (!runner) return runner.error().message();
    const auto evaluator = ProgramEvaluator::open(*runner);
    return evaluator ? "" : evaluator.error().message();
  };
  EXPECT_NE(reason("echo nothing\n")
                .find("the evaluator must print its scores as JSON on its last "
                      "line, got 'nothing'"),
            std::string::npos)
      << reason("echo nothing\n");
  EXPECT_NE(reason("echo oops >&2; exit 3\n").find("3"), std::string::npos);
  EXPECT_NE(reason("echo 1e999\n"), "");
}

}  // namespace
}  // namespace lamarck::problems
