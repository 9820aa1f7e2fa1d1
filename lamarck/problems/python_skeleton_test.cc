#include "lamarck/problems/python_skeleton.h"

#include <gtest/gtest.h>

namespace lamarck::problems {
namespace {

class PythonSkeletonTest : public testing::Test {
 protected:
  void SetUp() override {
    auto program = read_program_text(
        "import math\n# lamarck: evolve\ndef f(x, y):\n    return x + y\n");
    ASSERT_TRUE(program);
    auto runner = open_program_runner({.program = *std::move(program)});
    if (!runner) GTEST_SKIP() << runner.error().message();
    runner_ = *std::move(runner);
  }

  std::string refusal(const std::string& source) const {
    const auto skeleton = python_skeleton_reader(runner_)(source);
    return skeleton ? "" : skeleton.error().message();
  }

  std::shared_ptr<const ProgramRunner> runner_;
};

TEST_F(PythonSkeletonTest, CallsFunctionElementByElement) {
  const PythonSkeleton skeleton(runner_,
                                "def f(x, y):\n    return math.sqrt(x) * y\n");

  const std::vector<std::vector<double>> arguments = {{1, 4, 9}, {2}};
  const auto values = skeleton.call(arguments);

  ASSERT_TRUE(values) << values.error().message();
  EXPECT_EQ(*values, (std::vector<double>{2, 4, 6}));
}

TEST_F(PythonSkeletonTest, FailedCallReturnsReason) {
  const PythonSkeleton skeleton(runner_, "def f(x, y):\n    return x / y\n");

  const std::vector<std::vector<double>> arguments = {{1}, {0}};
  const auto values = skeleton.call(arguments);

  ASSERT_FALSE(values);
  EXPECT_EQ(values.error().message(),
            "raised ZeroDivisionError: float division by zero (line 4 of "
            "program.py)");
}

TEST_F(PythonSkeletonTest, HashIgnoresLayout) {
  const PythonSkeleton one(runner_, "def f(x, y):\n  return x\n");
  const PythonSkeleton other(runner_, "def f(x,y): # it\n\n    return x\n");

  EXPECT_EQ(one.hash(), other.hash());
  EXPECT_EQ(one.size(), one.source().size());
}

TEST_F(PythonSkeletonTest, ReaderAcceptsPythonWithRightFunction) {
  const auto read = python_skeleton_reader(runner_);

  const auto with_helper =
      read("import cmath\ndef g(x):\n  return x\ndef f(x, y):\n  return g(x)");
  const auto numbered =
      read("def f_v2(x, y):\n    # f_v2\n    return f_v2(x, y - 1) + 1\n");

  ASSERT_TRUE(with_helper) << with_helper.error().message();
  ASSERT_TRUE(numbered) << numbered.error().message();
  EXPECT_EQ((*numbered)->source(),
            "def f(x, y):\n    # f_v2\n    return f(x, y - 1) + 1\n");
}

TEST_F(PythonSkeletonTest, ReaderReportsWhatIsWrong) {
  EXPECT_EQ(refusal("def f(x, y)\n  return x\n"),
            "SyntaxError: expected ':' (line 3 of program.py)");
  EXPECT_EQ(refusal("def f(x):\n  return x\n"),
            "The text must define f(x, y) with the same arguments, got f(x).");
  EXPECT_EQ(refusal("x = 1"), "The text must define f(x, y).");
  EXPECT_EQ(refusal("Here is f."), "The text must define f(x, y).");
}

TEST_F(PythonSkeletonTest, ReadingDoesNotExecuteProgram) {
  const auto read = python_skeleton_reader(runner_);

  EXPECT_TRUE(read("while True: pass\ndef f(x, y):\n  return x\n"));
}

}  // namespace
}  // namespace lamarck::problems
