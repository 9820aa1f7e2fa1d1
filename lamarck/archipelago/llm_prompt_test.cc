#include "lamarck/archipelago/llm_prompt.h"

#include <gtest/gtest.h>

#include <memory>

#include "lamarck/archipelago/internal/source_skeleton.h"

namespace lamarck::archipelago {
namespace {

const PromptOptions kOptions = {
    .problem = "Find the acceleration of a damped oscillator.",
    .docstring = "Acceleration from position x and speed v."};

std::vector<FunctionPtr> two_parents() {
  return {scored_function("def equation(x, v, params):\n"
                          "    return -params[0] * x\n",
                          -0.25, {3.98765}),
          scored_function("def equation(x, v, params):\n"
                          "    return -params[0] * x - params[1] * v",
                          -0.0123456789, {4, 0.5})};
}

TEST(LlmPrompt, ShowsVersionsFromWorstToBest) {
  const auto messages = mutation_prompt(kOptions, two_parents());
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[0].role, llm::Role::System);
  EXPECT_EQ(messages[1].role, llm::Role::User);
  EXPECT_EQ(messages[1].text,
            R"(Find the acceleration of a damped oscillator.

```python
# Score -0.25 with params = [3.988].
def equation_v0(x, v, params):
    return -params[0] * x

# Score -0.0123457 with params = [4, 0.5].
def equation_v1(x, v, params):
    return -params[0] * x - params[1] * v

def equation_v2(x, v, params):
    """Acceleration from position x and speed v.

    Improves on equation_v1."""
```

Write the whole function equation_v2 in one code block, without explanations.
The function is parsed as a formula, not executed. Use only assignments, if, for over range, helper functions, + - * / ** %, comparisons, and, or, not, and these functions: np.minimum, np.maximum, np.arctan2, np.hypot, np.logical_and, np.logical_or, np.abs, np.sign, np.square, np.reciprocal, np.sqrt, np.cbrt, np.exp, np.expm1, np.log, np.log1p, np.log2, np.log10, np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.sinh, np.cosh, np.tanh, np.floor, np.ceil, np.round, np.logical_not, np.where.
The arguments are columns of numbers. Write every constant that should be fitted to the data as params[0], params[1] and so on; their values are fitted automatically.
)");
}

TEST(LlmPrompt, AsksForPlainPythonForPrograms) {
  const auto messages = mutation_prompt(
      {.name = "priority", .language = PromptLanguage::Python},
      {scored_function("import numpy as np\n\n\ndef help(a):\n    return a\n\n"
                       "def priority(item: float,\n"
                       "             bins: list) -> list:\n"
                       "    return [help(b) for b in bins]\n",
                       -12, {})});
  EXPECT_EQ(messages[1].text,
            R"(```python
# Score -12.
import numpy as np


def help(a):
    return a

def priority_v0(item: float,
             bins: list) -> list:
    return [help(b) for b in bins]

def priority_v1(item: float,
             bins: list) -> list:
    """Improves on priority_v0."""
```

Write the whole function priority_v1 in one code block, without explanations.
Write plain Python 3 with the same arguments. It runs without network access and with little time and memory.
)");
}

TEST(LlmPrompt, LeavesOutWorstParentsAboveSizeLimit) {
  PromptOptions options = kOptions;
  options.max_source_size = 100;
  const auto parents = two_parents();
  EXPECT_EQ(shown_parents(options, parents).size(), 1u);
  EXPECT_EQ(shown_parents(options, parents)[0], parents[1]);
  options.max_source_size = 1;
  EXPECT_EQ(shown_parents(options, parents).size(), 1u);
  EXPECT_EQ(shown_parents(kOptions, parents), parents);
}

TEST(LlmPrompt, RepairPromptStatesErrorOnOneLine) {
  const auto message = repair_prompt(kOptions, "line 2:\n'while' is not known");
  EXPECT_TRUE(message.text.starts_with(
      "That answer cannot be used: line 2:\\n'while' is not known\n"))
      << message.text;
}

TEST(LlmPrompt, ListsWhatDidNotHelp) {
  const auto messages = mutation_prompt(kOptions, two_parents(),
                                        {"x*p0 scored only -0.5.", "No code."});
  EXPECT_NE(messages[1].text.find("Lately, these answers did not help:\n"
                                  "- x*p0 scored only -0.5.\n- No code.\n"),
            std::string::npos)
      << messages[1].text;
}

TEST(LlmPrompt, AsksForEditsOfLongPrograms) {
  std::string source = "def plan(x):\n";
  for (int i = 0; i < 500; ++i) source += "    x += 1\n";
  source += "    return x\n";
  const PromptOptions options{.name = "plan",
                              .docstring = "Plans x.",
                              .language = PromptLanguage::Python};
  const auto best = scored_function(source, 1, {});
  EXPECT_TRUE(asks_for_edits(options, *best));
  EXPECT_FALSE(asks_for_edits(options, *two_parents()[0]));
  EXPECT_EQ(shown_parents(options, {two_parents()[0], best}),
            std::vector<FunctionPtr>{best});
  const std::string text = mutation_prompt(options, {best})[1].text;
  EXPECT_NE(text.find("def plan(x):\n"), std::string::npos);
  EXPECT_NE(text.find("<<<<<<< SEARCH"), std::string::npos);
  EXPECT_NE(text.find("Plans x."), std::string::npos);
  EXPECT_EQ(text.find("plan_v"), std::string::npos);
}

TEST(LlmPrompt, NamesAllFunctionsThatEvolve) {
  PromptOptions options{.name = "f", .language = PromptLanguage::Python};
  options.other_names = {"g"};
  const std::string text =
      mutation_prompt(options, {scored_function("def f(x): return x\n\n\n"
                                                "def g(x): return f(x)\n",
                                                1, {})})[1]
          .text;
  EXPECT_NE(text.find("Keep the names and arguments of f, g."),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace lamarck::archipelago
