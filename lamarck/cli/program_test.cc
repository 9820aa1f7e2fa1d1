#include "lamarck/cli/program.h"

#include <signal.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/cli/command_table.h"

namespace lamarck::cli {
namespace {

using namespace std::chrono_literals;

template <Result<void> (*Run)(CommandContext&)>
Command test_command(std::string_view name) {
  return {.name = name,
          .summary = "Does what its name says",
          .description = "Does what its name says. More details.",
          .example = "lamarck x",
          .configure = [](CLI::App&) -> CommandAction { return Run; }};
}

Result<void> greet(CommandContext& context) {
  context.out << (context.json ? "\"hello\"\n" : "hello\n");
  return {};
}
Result<void> fail(CommandContext&) {
  return Error(ErrorCode::NotFound, "There is no run 'r7'.");
}
Result<void> crash(CommandContext&) { throw std::runtime_error("a bug"); }
Result<void> starve(CommandContext&) { throw std::bad_alloc(); }

// Receives Ctrl-C while it works and keeps its results.
Result<void> work_until_interrupted(CommandContext& context) {
  Progress progress(context.err, context.clock, context.progress("Working"));
  raise(SIGINT);
  if (!context.cancel.wait_for(1min)) {
    return Error(ErrorCode::Internal, "the command was not cancelled");
  }
  context.out << "best so far\n";
  return {};
}
Result<void> give_up_when_interrupted(CommandContext& context) {
  raise(SIGTERM);
  context.cancel.wait_for(1min);
  return context.cancel.check();
}

Command add_command() {
  return {.name = "add",
          .summary = "Adds",
          .description = "Adds numbers.",
          .example = "lamarck add --by 2",
          .configure = [](CLI::App& app) -> CommandAction {
            const auto by = std::make_shared<int>(1);
            app.add_option("--by", *by, "How much");
            return [by](CommandContext& context) -> Result<void> {
              context.out << 40 + *by << " " << context.settings.text("threads")
                          << "\n";
              return {};
            };
          }};
}

struct Outcome {
  int exit_code = 0;
  std::string out;
  std::string err;
};

Outcome run(const std::vector<std::string>& words) {
  static const std::array kCommands = {
      test_command<greet>("greet"),
      test_command<fail>("fail"),
      test_command<crash>("crash"),
      test_command<starve>("starve"),
      test_command<work_until_interrupted>("work"),
      test_command<give_up_when_interrupted>("give-up"),
      add_command(),
  };
  std::ostringstream out;
  std::ostringstream err;
  const int exit_code = run_program(
      words, kCommands, [](const std::string&) { return std::nullopt; },
      {.out = out, .err = err});
  return {exit_code, out.str(), err.str()};
}

TEST(Program, WritesResultsAndReturnsZero) {
  EXPECT_EQ(run({"greet"}).out, "hello\n");
  EXPECT_EQ(run({"greet"}).exit_code, 0);
  EXPECT_EQ(run({"greet", "--json"}).out, "\"hello\"\n");
}

TEST(Program, ErrorPrintsOneSentenceAndReturnsOne) {
  const Outcome outcome = run({"fail"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.err, "lamarck: There is no run 'r7'.\n");
  EXPECT_EQ(outcome.out, "");
}

TEST(Program, SurvivesCommandsThatThrow) {
  EXPECT_EQ(run({"crash"}).exit_code, 1);
  EXPECT_EQ(run({"crash"}).err, "lamarck: a bug\n");
  EXPECT_EQ(run({"starve"}).err,
            "lamarck: There is not enough memory for this command.\n");
}

TEST(Program, InterruptedCommandKeepsResultsAndReturns130) {
  const Outcome outcome = run({"work"});
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_EQ(outcome.out, "best so far\n");
  EXPECT_NE(outcome.err.find("Interrupted by Ctrl-C"), std::string::npos);
  EXPECT_NE(outcome.err.find("Working: 0 steps"), std::string::npos);
}

TEST(Program, TerminatedCommandReturnsSignalExitCode) {
  EXPECT_EQ(run({"give-up"}).exit_code, 128 + SIGTERM);
}

TEST(Program, RunsAgainAfterAnInterrupt) {
  EXPECT_EQ(run({"work"}).exit_code, 130);
  EXPECT_EQ(run({"greet"}).exit_code, 0);
}

TEST(Program, AcceptsSettingsBeforeAndAfterCommand) {
  EXPECT_EQ(run({"--threads", "3", "add", "--by", "2"}).out, "42 3\n");
  EXPECT_EQ(run({"add", "--by=2", "--threads=4"}).out, "42 4\n");
  EXPECT_EQ(run({"add", "--threads", "1", "--threads", "5"}).out, "41 5\n");
}

TEST(Program, WrongUsagePrintsRemedyAndReturnsTwo) {
  struct Case {
    std::vector<std::string> words;
    std::string sentence;
  };
  for (const Case& wrong : std::vector<Case>{
           {{"gret"}, "Unknown command 'gret'; did you mean 'greet'?"},
           {{"--vesion"}, "Unknown flag '--vesion'; did you mean "},
           {{"greet", "--jsn"}, "Unknown flag '--jsn'; did you mean "},
           {{"greet", "extra"}, "Unknown argument 'extra'."},
           {{"add", "--by"}, "--by requires a value."},
           {{"add", "--by", "two"}, "--by must be a number, got 'two'."},
           {{"greet", "--threads", "x"},
            "--threads must be an integer between 0 and 4096, got 'x'."},
           {{"greet", "--by"}, "--by is a flag of `lamarck add`, not of "},
           {{"\xff\xfe"}, "Unknown command "}}) {
    const Outcome outcome = run(wrong.words);
    EXPECT_EQ(outcome.exit_code, 2) << wrong.words.back();
    EXPECT_NE(outcome.err.find(wrong.sentence), std::string::npos)
        << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);
    EXPECT_EQ(outcome.out, "");
  }
}

TEST(Program, HelpShowsEveryCommandOnOneLine) {
  for (const auto& words :
       std::vector<std::vector<std::string>>{{}, {"--help"}, {"-h"}}) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_NE(outcome.out.find("  greet         Does what its name says\n"),
              std::string::npos)
        << outcome.out;
  }
}

TEST(Program, FailedWriteReturnsFailure) {
  std::ostringstream err;
  std::ostream broken(nullptr);
  const std::array commands = {test_command<greet>("greet")};
  const int exit_code = run_program(
      {"greet"}, commands, [](const std::string&) { return std::nullopt; },
      {.out = broken, .err = err});
  EXPECT_EQ(exit_code, 1);
  EXPECT_NE(err.str().find("Cannot write the result"), std::string::npos);
}

// Adds the words that call `command` and each of its subcommands to `paths`.
void add_paths(const Command& command, std::vector<std::string> words,
               std::vector<std::vector<std::string>>& paths) {
  words.emplace_back(command.name);
  paths.push_back(words);
  for (const Command& inner : command.subcommands)
    add_paths(inner, words, paths);
}

TEST(Help, ShowsExamplesIndentedAndNoTypesOfTheParser) {
  std::vector<std::vector<std::string>> paths;
  for (const Command& command : command_table()) add_paths(command, {}, paths);
  EXPECT_GT(paths.size(), command_table().size());

  for (std::vector<std::string>& words : paths) {
    words.emplace_back("--help");
    std::ostringstream out;
    std::ostringstream err;
    run_program(words, command_table(), process_environment(),
                {.out = out, .err = err});
    const std::string help = out.str();
    EXPECT_EQ(help.find("INT in"), std::string::npos) << help;
    const std::size_t example = help.find("Example:\n");
    ASSERT_NE(example, std::string::npos) << help;
    std::istringstream lines(help.substr(example + 9));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_TRUE(line.empty() || line.starts_with("  ")) << line;
    }
  }
}

// Runs for every command of the program, by name.
class EveryCommand : public testing::TestWithParam<std::string> {};

TEST_P(EveryCommand, HasHelpWithAnExample) {
  std::ostringstream out;
  std::ostringstream err;
  const int exit_code =
      run_program({GetParam(), "--help"}, command_table(),
                  process_environment(), {.out = out, .err = err});
  EXPECT_EQ(exit_code, 0);
  EXPECT_NE(out.str().find("Usage: lamarck " + GetParam()), std::string::npos)
      << out.str();
  EXPECT_NE(out.str().find("Example:\n  "), std::string::npos);
  std::istringstream lines(out.str());
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 100u) << line;
  }
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Command& command : command_table())
    names.emplace_back(command.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(CommandTable, EveryCommand,
                         testing::ValuesIn(command_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace lamarck::cli
