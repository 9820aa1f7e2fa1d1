#include "lamarck/archipelago/llm_edits.h"

#include <gtest/gtest.h>

namespace lamarck::archipelago {
namespace {

constexpr const char* kSource =
    "import math\n"
    "\n"
    "def f(x):\n"
    "    y = x + 1\n"
    "    return y\n"
    "\n"
    "\n"
    "def g(x):\n"
    "    return 2 * x\n";

std::string edit_text(const std::string& search, const std::string& replace) {
  return "<<<<<<< SEARCH\n" + search + "=======\n" + replace +
         ">>>>>>> REPLACE\n";
}

std::string edited(const std::string& reply) {
  const auto text = apply_edits(kSource, find_edits(reply));
  return text ? *text : text.error().message();
}

TEST(LlmEdits, FindsEveryCompleteBlock) {
  const auto edits = find_edits(
      "First this:\n```python\n" + edit_text("a\n", "b\n") + "```\nand then\n" +
      edit_text("c\n", "") + "<<<<<<< SEARCH\ncut off\n");
  ASSERT_EQ(edits.size(), 2U);
  EXPECT_EQ(edits[0].search, "a\n");
  EXPECT_EQ(edits[0].replace, "b\n");
  EXPECT_EQ(edits[1].search, "c\n");
  EXPECT_EQ(edits[1].replace, "");
  EXPECT_TRUE(find_edits("def f(x): return x << 7\n").empty());
}

TEST(LlmEdits, ReplacesSearchedLines) {
  const std::string text =
      edited(edit_text("    y = x + 1\n", "    y = x + 2\n    y *= y\n") +
             edit_text("    return 2 * x\n", "    return 3 * x\n"));
  EXPECT_EQ(text,
            "import math\n\ndef f(x):\n    y = x + 2\n    y *= y\n"
            "    return y\n\n\ndef g(x):\n    return 3 * x\n");
}

TEST(LlmEdits, LaterEditsSeeEarlierOnes) {
  EXPECT_NE(edited(edit_text("    y = x + 1\n", "    y = x + 2\n") +
                   edit_text("    y = x + 2\n", "    y = x + 3\n"))
                .find("x + 3"),
            std::string::npos);
}

TEST(LlmEdits, AcceptsMissingIndentationAndSpacesAtLineEnds) {
  EXPECT_NE(edited(edit_text("y = x + 1   \nreturn y\n", "return x\n"))
                .find("def f(x):\n    return x\n"),
            std::string::npos);
}

TEST(LlmEdits, EmptySearchAddsLinesAtTheEnd) {
  EXPECT_TRUE(edited(edit_text("", "\ndef h(x):\n    return 1\n"))
                  .ends_with("return 2 * x\ndef h(x):\n    return 1\n"));
}

TEST(LlmEdits, ErrorSaysWhichEditDoesNotMatchOnce) {
  EXPECT_EQ(edited(edit_text("    y = x + 1\n", "    y = x\n") +
                   edit_text("    z = 1\n", "")),
            "The SEARCH lines of edit 2 must occur exactly once in the "
            "program, but they occur 0 times; they begin with '    z = 1'.");
  const auto twice = apply_edits("a = 1\na = 1\n",
                                 find_edits(edit_text("a = 1\n", "a = 2\n")));
  ASSERT_FALSE(twice);
  EXPECT_NE(twice.error().message().find("occur 2 times"), std::string::npos);
}

TEST(LlmEdits, MergedSourceReplacesOnlyFunctionsOfThePart) {
  const std::string text = merged_source(
      kSource, "def g(x):\n    return h(x)\n\n\ndef h(x):\n    return 9\n");
  EXPECT_NE(text.find("y = x + 1"), std::string::npos) << text;
  EXPECT_NE(text.find("return h(x)"), std::string::npos) << text;
  EXPECT_NE(text.find("return 9"), std::string::npos) << text;
  EXPECT_EQ(text.find("2 * x"), std::string::npos) << text;
}

}  // namespace
}  // namespace lamarck::archipelago
