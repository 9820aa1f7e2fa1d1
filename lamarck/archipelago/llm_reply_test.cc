#include "lamarck/archipelago/llm_reply.h"

#include <gtest/gtest.h>

#include <array>

#include "lamarck/archipelago/llm_source.h"
#include "lamarck/base/rng.h"
#include "lamarck/formula/expression_plan.h"
#include "lamarck/formula/formula.h"

namespace lamarck::archipelago {
namespace {

const WantedFunction kWanted = {
    .name = "equation",
    .header = "def equation(x, v, params):",
    .versions = {"def equation(x, v, params):\n    return params[0] * x\n",
                 "def equation(x, v, params):\n    return params[1] * v\n"}};

// Every reply means params[0] * x - 2 * v.
struct Style {
  const char* name;
  const char* reply;
};

const std::array kStyles = {
    Style{"a fence and nothing else",
          "```python\ndef equation_v2(x, v, params):\n"
          "    return params[0] * x - 2 * v\n```"},
    Style{"no fence",
          "def equation_v2(x, v, params):\n"
          "    return params[0] * x - 2 * v"},
    Style{"chatter around a fence",
          "Sure! Here's an improved version (I think):\n\n```python\n"
          "import numpy as np\n\ndef equation_v2(x, v, params):\n"
          "    return params[0] * x - 2 * v\n```\n\nThis adds damping = 2."},
    Style{"chatter around bare code",
          "Here's the function (improved:\n\ndef equation_v2(x, v, params):\n"
          "    return params[0] * x - 2 * v\n\nThe term -2*v damps it."},
    Style{"the name as asked for",
          "```\ndef equation(x, v, params):\n"
          "    return params[0] * x - 2 * v\n```"},
    Style{"another name",
          "```python\ndef improved_oscillator(x, v, params):\n"
          "    return params[0] * x - 2 * v\n```"},
    Style{"an indented body",
          "    damping = 2 * v\n    return params[0] * x - damping\n"},
    Style{"a body that is not indented",
          "damping = 2 * v\nreturn params[0] * x - damping\n"},
    Style{"a body whose first line lost its indentation",
          "\"\"\"Improves on equation_v1.\"\"\"\n    damping = 2 * v\n"
          "    return params[0] * x - damping\n"},
    Style{"a body in a fence",
          "Add damping:\n```python\n    return params[0] * x - 2 * v\n```"},
    Style{"a bare return", "return params[0] * x - 2 * v"},
    Style{"a return after prose",
          "The next version is\n\n    return params[0] * x - 2 * v\n\nEnjoy!"},
    Style{"an expression", "params[0] * x - 2 * v"},
    Style{"an expression in a fence", "```\nparams[0] * x - 2 * v\n```"},
    Style{"an expression with a name", "a = params[0] * x - 2 * v"},
    Style{"an expression in backticks",
          "I suggest `params[0] * x - 2 * v`, which damps."},
    Style{"a lambda",
          "```python\nequation = lambda x, v, params: params[0] * x - 2 * v\n"
          "```"},
    Style{"helpers before it",
          "```python\ndef damping(v):\n    return 2 * v\n\n"
          "def equation_v2(x, v, params):\n"
          "    return params[0] * x - damping(v)\n```"},
    Style{"helpers in a separate block",
          "First a helper:\n```python\ndef damping(v):\n    return 2 * v\n```\n"
          "Then:\n```python\ndef equation_v2(x, v, params):\n"
          "    return params[0] * x - damping(v)\n```"},
    Style{"helpers after it",
          "```python\ndef equation_v2(x, v, params):\n"
          "    return params[0] * x - damping(v)\n\n"
          "def damping(v):\n    return 2 * v\n```"},
    Style{"all versions repeated",
          "```python\ndef equation_v0(x, v, params):\n    return params[0]\n\n"
          "def equation_v1(x, v, params):\n    return params[1] * v\n\n"
          "def equation_v2(x, v, params):\n"
          "    return params[0] * x - 2 * v\n```"},
    Style{"a call of an older version",
          "```python\ndef equation_v2(x, v, params):\n"
          "    return equation_v0(x, v, params) - 2 * v\n```"},
    Style{"a test below it",
          "```python\nimport numpy as np\nimport math\n"
          "def equation_v2(x, v, params):\n"
          "    return params[0] * x - 2 * v\n\n"
          "if __name__ == '__main__':\n    x = np.linspace(0, 1)\n"
          "    print(equation_v2(x, x, [1]))\n```"},
    Style{"values at the top level",
          "```python\nDAMPING = 2\ndef equation_v2(x, v, params):\n"
          "    return params[0] * x - DAMPING * v\n```"},
    Style{"reasoning in tags",
          "<think>Maybe ```python\ndef equation_v2(x, v, params):\n"
          "    return 0\n``` no.</think>\ndef equation_v2(x, v, params):\n"
          "    return params[0] * x - 2 * v"},
    Style{"only a closing tag of reasoning",
          "def equation_v2(x): hmm\n</think>\n```\n"
          "def equation_v2(x, v, params):\n"
          "    return params[0] * x - 2 * v\n```"},
    Style{"a fence that never ends",
          "```python\ndef equation_v2(x, v, params):\n"
          "    return params[0] * x - 2 * v"},
    Style{"a closing fence on the last line of code",
          "```python\ndef equation_v2(x, v, params):\n"
          "    return params[0] * x - 2 * v```"},
    Style{"tildes and an indented list",
          "1. My answer:\n   ~~~py\n   def equation_v2(x, v, params):\n"
          "       return params[0] * x - 2 * v\n   ~~~\n"},
    Style{"Windows line ends",
          "```python\r\ndef equation_v2(x, v, params):\r\n"
          "    return params[0] * x - 2 * v\r\n```\r\n"},
    Style{"tabs",
          "```python\ndef equation_v2(x, v, params):\n"
          "\td = 2 * v\n\treturn params[0] * x - d\n```"},
    Style{"typeset signs",
          "```python\ndef equation_v2(x, v, params):\n"
          "\xc2\xa0\xc2\xa0 return params[0] * x \xe2\x88\x92 2 * v\n```"},
    Style{"a Python session",
          ">>> def equation_v2(x, v, params):\n"
          "...     return params[0] * x - 2 * v\n"},
    Style{"JSON",
          R"({"thought": "damp", "code": "def equation_v2(x, v, params):\n)"
          R"(    return params[0] * x - 2 * v"})"},
    Style{"types and a docstring",
          "```python\ndef equation_v2(x: np.ndarray, v: np.ndarray, "
          "params: np.ndarray) -> np.ndarray:\n"
          "    \"\"\" Damped.\n\n    Args:\n      x: position (m)\n    \"\"\"\n"
          "    return params[0] * x - 2 * v\n```"},
    Style{"an example of use in a second block",
          "```python\ndef equation_v2(x, v, params):\n"
          "    return params[0] * x - 2 * v\n```\nUse it so:\n```python\n"
          "y = equation_v2(x, v, [1.0])\n```"},
    Style{"two attempts, the second one corrected",
          "```python\ndef equation_v2(x, v, params):\n    return 0\n```\n"
          "Wait, better:\n```python\ndef equation_v2(x, v, params):\n"
          "    return params[0] * x - 2 * v\n```"},
};

// The first candidate that reads as a formula.
Result<formula::Formula> first_formula(std::string_view reply) {
  std::optional<Error> error;
  for (const std::string& text : function_candidates(reply, kWanted)) {
    auto formula = formula::parse_python(text, "equation");
    if (formula) return formula;
    if (!error) error = formula.error().within(text);
  }
  return error.value_or(Error(ErrorCode::NotFound, "no candidate"));
}

TEST(LlmReply, FindsFunctionInEveryStyle) {
  for (const Style& style : kStyles) {
    const auto formula = first_formula(style.reply);
    ASSERT_TRUE(formula) << style.name << ": " << formula.error().message();
    EXPECT_EQ(formula->inputs, (std::vector<std::string>{"x", "v"}))
        << style.name;
    const std::array inputs = {5.0, 7.0};
    const std::array params = {3.0};
    ASSERT_EQ(formula->body.param_count(), 1u) << style.name;
    EXPECT_EQ(formula::evaluate_row(formula->body, inputs, params), 1.0)
        << style.name;
  }
}

TEST(LlmReply, RenamesFunctionToWantedName) {
  for (const Style& style : kStyles) {
    const auto candidates = function_candidates(style.reply, kWanted);
    ASSERT_FALSE(candidates.empty()) << style.name;
    EXPECT_NE(candidates[0].find("def equation("), std::string::npos)
        << style.name << "\n"
        << candidates[0];
  }
}

TEST(LlmReply, FindsNothingInProse) {
  for (const char* reply : {"", " \n\n", "I cannot help with that.\nSorry!",
                            "<think>It never stops thinking", "```\n```"}) {
    EXPECT_FALSE(first_formula(reply)) << reply;
  }
}

TEST(LlmReply, SurvivesRandomReplies) {
  std::string all;
  for (const Style& style : kStyles) all += style.reply;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Rng rng(seed);
    std::string reply;
    for (int i = 0; i < 12; ++i) {
      reply += all.substr(rng.below(all.size()), rng.below(40));
      if (rng.chance(0.2)) reply += static_cast<char>(rng.below(256));
    }
    for (const std::string& text : function_candidates(reply, kWanted)) {
      static_cast<void>(formula::parse_python(text, "equation"));
    }
  }
}

TEST(LlmReply, HandlesHugeReplies) {
  const std::string fences(100'000, '`');
  const std::string brackets(100'000, '(');
  std::string lines;
  for (int i = 0; i < 2'000; ++i) lines += "def f" + std::to_string(i) + "(:\n";
  const std::string returns(10'000'000, '\r');
  for (const std::string& reply : {fences, brackets, lines, returns}) {
    EXPECT_LE(function_candidates(reply, kWanted).size(), 8u);
  }
}

}  // namespace
}  // namespace lamarck::archipelago
