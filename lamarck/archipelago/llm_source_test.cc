#include "lamarck/archipelago/llm_source.h"

#include <gtest/gtest.h>

namespace lamarck::archipelago {
namespace {

TEST(LlmSource, SplitsTopLevelStatements) {
  const auto blocks = source_blocks(
      "import numpy as np\n"
      "from math import (sin,\n    cos)\n"
      "G: float = 9.81\n"
      "@cached\n"
      "def f(a,\n"
      "      b):\n"
      "    \"\"\"Says\n"
      "def hidden(): in a text\n"
      "\"\"\"\n"
      "    return (a +\n"
      "b)\n"
      "\n"
      "print(f(1, 2))\n");
  ASSERT_EQ(blocks.size(), 5u);
  EXPECT_EQ(blocks[0].kind, SourceKind::Import);
  EXPECT_EQ(blocks[1].kind, SourceKind::Import);
  EXPECT_EQ(blocks[2].kind, SourceKind::Definition);
  EXPECT_EQ(blocks[3].kind, SourceKind::Function);
  EXPECT_EQ(blocks[3].name, "f");
  EXPECT_TRUE(blocks[3].text.starts_with("@cached\ndef f("));
  EXPECT_TRUE(blocks[3].text.ends_with("b)\n\n"));
  EXPECT_EQ(blocks[4].kind, SourceKind::Other);
}

TEST(LlmSource, FindsFunctionAfterProseWithOpenBrackets) {
  const auto blocks = source_blocks(
      "Here is an idea (not\ntested, {you know:\ndef g(x):\n    return x\n"
      "That's it.\n");
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ(blocks[1].name, "g");
  EXPECT_EQ(blocks[1].text, "def g(x):\n    return x\n");
}

TEST(LlmSource, DedentsAndIndents) {
  EXPECT_EQ(dedented("  a\n\n    b\n"), "a\n\n  b\n");
  EXPECT_EQ(dedented("\ta\n\t\tb"), "a\n    b\n");
  EXPECT_EQ(dedented(""), "");
  EXPECT_EQ(indented("a\n\n b\n", 4), "    a\n\n     b\n");
}

TEST(LlmSource, RenamesOnlyCallsOfWholeWords) {
  EXPECT_EQ(
      with_renamed("def f(x): return f (x) + of(x) + f_v1(x) + f", "f", "g"),
      "def g(x): return g (x) + of(x) + f_v1(x) + f");
  EXPECT_TRUE(calls("y = f(1)", "f"));
  EXPECT_FALSE(calls("y = ff(1) + f", "f"));
}

TEST(LlmSource, FindsFunctionHeader) {
  EXPECT_EQ(
      find_header("@d\ndef f(a: int = {1: 2}[1],\n  b=':') -> x[1]:\n  1"),
      "def f(a: int = {1: 2}[1],\n  b=':') -> x[1]:");
  EXPECT_EQ(find_header("def f(a"), "");
  EXPECT_EQ(find_header("nothing"), "");
}

}  // namespace
}  // namespace lamarck::archipelago
