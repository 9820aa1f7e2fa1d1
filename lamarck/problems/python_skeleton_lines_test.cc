#include "lamarck/problems/python_skeleton_lines.h"

#include <gtest/gtest.h>

namespace lamarck::problems {
namespace {

TEST(PythonLines, StatementCanSpanSeveralLines) {
  const std::string source =
      "x = (1,\n     2)  # )\n\n# comment\ny = '''a\nb''' \\\n  + 'c'\n";

  const auto lines = python_lines(source);

  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].tokens.size(), 7u);
  EXPECT_EQ(lines[1].tokens.back(), "'c'");
  EXPECT_EQ(lines[1].end, source.size());
}

TEST(PythonLines, SplitsInvalidTexts) {
  for (const char* source :
       {"", "(", ")))", "'", "'''", "\\", "x = 'a\nb", "\t#", "\"\"\"\\", "f'{",
        "\n\n\n", "def", "def f", "async"}) {
    for (const PythonLine& line : python_lines(source)) {
      EXPECT_FALSE(line.tokens.empty());
      EXPECT_LE(line.end, std::string_view(source).size());
      python_function(line);
    }
    python_hash(source);
  }
}

TEST(PythonFunction, ListsArgumentNames) {
  const std::string source =
      "async def f(a, b: 'dict[str, int]' = {1: 2}, /, *c, d=(1, 2), **e) -> "
      "list[int]:\n  pass\n";

  const PythonFunction function = python_function(python_lines(source)[0]);

  EXPECT_EQ(function.name, "f");
  EXPECT_EQ(function.arguments,
            (std::vector<std::string>{"a", "b", "c", "d", "e"}));
  const auto other = python_lines("define = 1");
  EXPECT_EQ(python_function(other[0]).name, "");
}

TEST(PythonHash, IgnoresLayoutCommentsAndDocstrings) {
  const auto hash = python_hash("def f(x):\n  if x:\n    return x+1\n");

  EXPECT_EQ(hash, python_hash("# why\ndef f( x ):\n    \"\"\"Doc.\n  \"\"\"\n"
                              "\n    if x:  # so\n        return x \\\n + 1"));
}

TEST(PythonHash, DependsOnStructureStringsAndNumbers) {
  const auto hash = python_hash("def f(x):\n  if x:\n    y = 1\n    g(x)\n");

  EXPECT_NE(hash, python_hash("def f(x):\n  if x:\n    y = 1\n  g(x)\n"));
  EXPECT_NE(hash, python_hash("def f(x):\n  if x:\n    y = 2\n    g(x)\n"));
  EXPECT_NE(python_hash("x = 'a b'"), python_hash("x = 'a  b'"));
  EXPECT_NE(python_hash("ab"), python_hash("a b"));
}

TEST(PythonDocstring, HasNoQuotesAndNoCommonIndentation) {
  const std::string source =
      "def f(x):\n    \"\"\"Returns x.\n\n    For any x:\n"
      "      also this.\n    \"\"\"\n    return x\n\n\n"
      "def g(x):\n    'Short.'\n    return x\n\n\ndef h(x):\n    return 1\n";

  EXPECT_EQ(python_docstring(source, "f"),
            "Returns x.\n\nFor any x:\n  also this.");
  EXPECT_EQ(python_docstring(source, "g"), "Short.");
  EXPECT_EQ(python_docstring(source, "h"), "");
  EXPECT_EQ(python_docstring(source, "nowhere"), "");
}

}  // namespace
}  // namespace lamarck::problems
