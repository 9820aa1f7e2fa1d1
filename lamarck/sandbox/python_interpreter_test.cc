#include "lamarck/sandbox/python_interpreter.h"

#include <gtest/gtest.h>

namespace lamarck {
namespace {

TEST(PythonInterpreter, FindsInstalledInterpreter) {
  const auto python = find_python();

  ASSERT_TRUE(python) << python.error().message();
  EXPECT_TRUE(python->path.starts_with("/")) << python->path;
}

TEST(PythonInterpreter, UsesPreferredInterpreter) {
  const auto chosen = find_python("/bin/sh");

  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->path, "/bin/sh");
}

TEST(PythonInterpreter, ErrorNamesMissingInterpreter) {
  const auto missing = find_python("/no/python");

  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), ErrorCode::NotFound);
  EXPECT_NE(missing.error().message().find("'/no/python'"), std::string::npos);
}

}  // namespace
}  // namespace lamarck
