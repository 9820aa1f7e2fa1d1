#include "lamarck/problems/program_folder.h"

#include <unistd.h>
#include <gtest/gtest.h>

#include <fstream>

namespace lamarck::problems {
namespace {

namespace fs = std::filesystem;

TEST(ProgramText, FunctionBelowMarkEvolves) {
  const std::string text =
      "import math\n\n# lamarck: evolve\n@cache\ndef f(a, b=1):\n"
      "    '''x\ny'''\n    # note\n    return (a\n+ b)\n\n\nprint(f)\n";

  const auto program = read_program_text(text);

  ASSERT_TRUE(program) << program.error().message();
  EXPECT_EQ(program->before, "import math\n\n# lamarck: evolve\n");
  EXPECT_TRUE(program->evolved.starts_with("@cache\ndef f(a"));
  EXPECT_TRUE(program->evolved.ends_with("+ b)\n"));
  ASSERT_EQ(program->parts.size(), 1U);
  EXPECT_EQ(program->parts[0].after, "\n\nprint(f)\n");
  EXPECT_EQ(program->function().name, "f");
  EXPECT_EQ(program->function().arguments,
            (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(program->with(program->evolved), text);
}

TEST(ProgramText, BlockBetweenMarksEvolves) {
  for (const std::string word : {"EVOLVE", "EVOLVE-BLOCK"}) {
    const auto program = read_program_text(
        "a = 1\n# " + word + "-START\nb = 2\ndef f(x): return x\n# " + word +
        "-END\nc = 3\n");

    ASSERT_TRUE(program) << program.error().message();
    EXPECT_EQ(program->evolved, "b = 2\ndef f(x): return x\n");
    EXPECT_EQ(program->function().name, "f");
  }
}

TEST(ProgramText, WithReplacesEvolvedPart) {
  const auto program =
      read_program_text("# lamarck: evolve\ndef f(x): return x\ny = 1\n");

  ASSERT_TRUE(program);
  EXPECT_EQ(program->with("def f(x): return 2"),
            "# lamarck: evolve\ndef f(x): return 2\ny = 1\n");
}

TEST(ProgramText, SeveralMarkedFunctionsEvolveTogether) {
  const std::string text =
      "import math\n# lamarck: evolve\ndef f(x):\n    return x\n\n\n"
      "FIXED = 1\n# lamarck: evolve\ndef g(x):\n    return f(x)\nend = 1\n";
  const auto program = read_program_text(text);

  ASSERT_TRUE(program) << program.error().message();
  ASSERT_EQ(program->parts.size(), 2U);
  EXPECT_EQ(program->parts[1].function.name, "g");
  EXPECT_EQ(program->evolved,
            "def f(x):\n    return x\n\n\ndef g(x):\n    return f(x)\n");
  EXPECT_EQ(program->with(program->evolved), text);
  // A new helper goes to the part of the function after it.
  EXPECT_EQ(program->with("def h(x):\n    return 3\n"
                          "def f(x):\n    return h(x)\n"
                          "def k(x):\n    return 4\n"
                          "def g(x):\n    return k(x)\n"),
            "import math\n# lamarck: evolve\ndef h(x):\n    return 3\n"
            "def f(x):\n    return h(x)\n\n\nFIXED = 1\n"
            "# lamarck: evolve\ndef k(x):\n    return 4\n"
            "def g(x):\n    return k(x)\nend = 1\n");
  // Functions may come in another order.
  EXPECT_EQ(program->with("def g(x):\n    return 2\n"
                          "def f(x):\n    return 1\n"),
            "import math\n# lamarck: evolve\ndef f(x):\n    return 1\n\n\n"
            "FIXED = 1\n# lamarck: evolve\ndef g(x):\n    return 2\n"
            "end = 1\n");
}

TEST(ProgramText, ErrorNamesWrongMarks) {
  const auto message = [](const std::string& text) {
    const auto program = read_program_text(text, "p.py");
    return program ? "" : program.error().message();
  };

  EXPECT_EQ(message("def f(): pass\n"),
            "p.py: no part is marked to evolve; put the line '# lamarck: "
            "evolve' above a function.");
  EXPECT_EQ(
      message("# lamarck: evolve\nx = 1\n"),
      "p.py: there is no function below '# lamarck: evolve'; put that line "
      "right above a 'def' that is not indented.");
  EXPECT_EQ(message("# lamarck: evolve\n"), message("# lamarck: evolve\nx\n"));
  EXPECT_EQ(message("# EVOLVE-START\ndef f(): pass\n"),
            "p.py: each line '# EVOLVE-START' must be followed by a line "
            "'# EVOLVE-END'.");
  EXPECT_EQ(message("# EVOLVE-START\n# lamarck: evolve\ndef f(): pass\n"
                    "# EVOLVE-END\n"),
            "p.py: parts that are marked to evolve must not overlap.");
  EXPECT_EQ(message("# EVOLVE-START\nx = 1\n# EVOLVE-END\n"),
            "p.py: the marked part has no function; define one with 'def'.");
}

class ProgramFolderTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_ / "data"); }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  std::string error() const {
    const auto read = read_program_folder(folder_);
    return read ? "" : read.error().message();
  }

  fs::path folder_ =
      testing::TempDir() + "program_folder_test_" + std::to_string(::getpid());
};

TEST_F(ProgramFolderTest, ReadsProgramEvaluatorProblemAndOtherFiles) {
  write("program.py", "# lamarck: evolve\ndef f(): pass\n");
  write("evaluate.py", "def evaluate(program): return 1\n");
  write("problem.md", "Why.\n");
  write("data/a.json", "{}");
  write(".hidden", "x");

  const auto folder = read_program_folder(folder_);

  ASSERT_TRUE(folder) << folder.error().message();
  EXPECT_EQ(folder->program.function().name, "f");
  EXPECT_EQ(folder->problem, "Why.\n");
  ASSERT_EQ(folder->files.size(), 1u);
  EXPECT_EQ(folder->files[0].name, "data/a.json");
}

TEST_F(ProgramFolderTest, ErrorNamesMissingFileAndRemedy) {
  EXPECT_EQ(error(), "The folder " + folder_.string() +
                         " must contain program.py, the program that "
                         "evolves; see docs/howto/evolve-a-program.md.");
  write("program.py", "# lamarck: evolve\ndef f(): pass\n");
  EXPECT_NE(error().find("must contain evaluate.py"), std::string::npos);
  const auto missing = read_program_folder("/no/such");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), ErrorCode::NotFound);
}

TEST_F(ProgramFolderTest, CommandReplacesEvaluator) {
  write("program.py", "# lamarck: evolve\ndef f(): pass\n");
  write("problem.toml", "evaluate = 'sh score.sh'\n");
  write("score.sh", "echo 1\n");

  const auto folder = read_program_folder(folder_);

  ASSERT_TRUE(folder) << folder.error().message();
  EXPECT_EQ(folder->settings.evaluate,
            (std::vector<std::string>{"sh", "score.sh"}));
  ASSERT_EQ(folder->files.size(), 1U);
  EXPECT_EQ(folder->files[0].name, "score.sh");
}

}  // namespace
}  // namespace lamarck::problems
