#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "lamarck/formula/formula.h"
#include "lamarck/formula/internal/random_expression_fixture.h"

namespace lamarck::formula {
namespace {

constexpr std::array<double, 2> kInputs = {3, -2};  // x, v
constexpr std::array<double, 4> kParams = {10, 20, 30, 40};

// The value of the source for x = 3, v = -2 and params 10, 20, 30, 40.
double python_value(const std::string& source) {
  const auto formula = parse_python(source);
  EXPECT_TRUE(formula) << source << "\n" << formula.error().message();
  return formula ? scalar_value(formula->body, kInputs, kParams) : NAN;
}

// The value of a function with this body, whose lines are separated by \n.
double body(const std::string& lines) {
  std::string source = "def equation(x, v, params):\n    ";
  for (const char c : lines) {
    source += c;
    if (c == '\n') source += "    ";
  }
  return python_value(source);
}

double expression(const std::string& text) { return body("return " + text); }

std::string python_error(const std::string& source) {
  const auto formula = parse_python(source);
  return formula ? "no error" : formula.error().message();
}

std::string body_error(const std::string& lines) {
  return python_error("def equation(x, v, params):\n    " + lines);
}

TEST(ParsePython, ReadsNameInputsAndDocstring) {
  const auto formula = parse_python(
      "import numpy as np\n"
      "\n"
      "@evolve\n"
      "def motion(x: np.ndarray, v: 'float', params: list[float]) -> float:\n"
      "    '''The motion\n"
      "       of a spring.\n"
      "    '''\n"
      "    return -params[1] * x\n");

  ASSERT_TRUE(formula) << formula.error().message();
  EXPECT_EQ(formula->name, "motion");
  EXPECT_EQ(formula->inputs, (std::vector<std::string>{"x", "v"}));
  EXPECT_EQ(formula->docstring, "The motion\nof a spring.");
  EXPECT_EQ(formula->body.param_count(), 2u);
  EXPECT_EQ(formula->body.input_count(), 1u);
  EXPECT_TRUE(formula->param_names.empty());
}

TEST(ParsePython, PrefersRequestedFunction) {
  const std::string source =
      "def equation(x):\n  return 1\n"
      "def other(x):\n  return 2\n";

  EXPECT_EQ(parse_python(source)->name, "equation");
  EXPECT_EQ(parse_python(source, "nobody")->name, "other");
}

TEST(ParsePython, FollowsPythonPrecedence) {
  EXPECT_EQ(expression("-x**2"), -9);
  EXPECT_EQ(expression("2**-1"), 0.5);
  EXPECT_EQ(expression("2**3**2"), 512);
  EXPECT_EQ(expression("(-x)**2"), 9);
  EXPECT_EQ(expression("2 + 3 * x"), 11);
  EXPECT_EQ(expression("100 / 10 / 2.0"), 5);
  EXPECT_EQ(expression("10 - 4 - x"), 3);
  EXPECT_EQ(expression("v % x"), 1);
  EXPECT_EQ(expression("v // x"), -1);
  EXPECT_EQ(expression("not x < v"), 1);
  EXPECT_EQ(expression("1 < x < 5"), 1);
  EXPECT_EQ(expression("1 < x < 2"), 0);
  EXPECT_EQ(expression("v < x > 0 == 0"), 1);
  EXPECT_EQ(expression("x < 5 and v < 0 or x"), 1);
  EXPECT_EQ(expression("(x > 0) & (v > 0) | (x == 3)"), 1);
  EXPECT_EQ(expression("(x > 0) ^ (v < 0)"), 0);
  EXPECT_EQ(expression("~(x > 0)"), 0);
  EXPECT_EQ(expression("1 if x > 5 else 2 if v < 0 else 3"), 2);
  EXPECT_EQ(expression("--x + +x"), 6);
}

TEST(ParsePython, ParsesNumbers) {
  EXPECT_EQ(expression("1e-3"), 1e-3);
  EXPECT_EQ(expression("1_000"), 1000);
  EXPECT_EQ(expression(".5 + 5. + 1.e1"), 15.5);
  EXPECT_EQ(expression("0x1F + 0b101 + 0o17"), 51);
  EXPECT_EQ(expression("1E5"), 1e5);
  EXPECT_EQ(expression("-np.inf"), -INFINITY);
  EXPECT_EQ(expression("1e999"), INFINITY);
  EXPECT_EQ(expression("1e-999"), 0);
  EXPECT_EQ(expression("True + False"), 1);
  EXPECT_EQ(expression("math.pi"), M_PI);
  EXPECT_EQ(expression("numpy.e"), M_E);
}

TEST(ParsePython, SupportsNumpyFunctions) {
  EXPECT_EQ(expression("np.abs(v) + np.absolute(v) + abs(v) + np.fabs(v)"), 8);
  EXPECT_EQ(expression("np.power(x, 2) + np.square(x) + pow(x, 2)"), 27);
  EXPECT_EQ(expression("np.clip(x, 0, 1)"), 1);
  EXPECT_EQ(expression("np.heaviside(v, 0.5) + np.heaviside(0.0, 0.5)"), 0.5);
  EXPECT_EQ(expression("max(x, v, 7) + min(x, v)"), 5);
  EXPECT_EQ(expression("np.maximum(x, v)"), 3);
  EXPECT_EQ(expression("math.sqrt(x + 6)"), 3);
  EXPECT_EQ(expression("math.atan2(0.0, x)"), 0);
  EXPECT_EQ(expression("np.where(x > 0, 1, 2)"), 1);
  EXPECT_EQ(expression("np.select([x < 0, x < 5], [1, 2], 3)"), 2);
  EXPECT_EQ(expression("np.zeros_like(x) + np.ones_like(x)"), 1);
  EXPECT_EQ(expression("np.full_like(x, 7.0)"), 7);
  EXPECT_EQ(expression("float(x) + int(2.7 * x)"), 11);
  EXPECT_EQ(expression("np.isnan(x) + np.isfinite(x)"), 1);
  EXPECT_NEAR(expression("np.arcsinh(v)"), std::asinh(-2), 1e-15);
  EXPECT_NEAR(expression("np.arccosh(x)"), std::acosh(3), 1e-15);
  EXPECT_NEAR(expression("np.arctanh(x / 4)"), std::atanh(0.75), 1e-15);
  EXPECT_NEAR(expression("np.logaddexp(x, v)"),
              std::log(std::exp(3) + std::exp(-2)), 1e-14);
  EXPECT_NEAR(expression("np.deg2rad(180 * x)"), 3 * M_PI, 1e-14);
}

TEST(ParsePython, ParsesParams) {
  EXPECT_EQ(expression("params[0] + params[3]"), 50);
  EXPECT_EQ(body("a, b, c = params[:3]\nreturn a + b - c"), 0);
  EXPECT_EQ(body("a, b = params[0], params[1]\nreturn a - b"), -10);
  EXPECT_EQ(body("[a, b] = params[2:4]\nreturn a - b"), -10);
  EXPECT_EQ(body("a, b, c, d = params\nreturn d"), 40);
  EXPECT_EQ(body("p = params\nreturn p[1 + 1]"), 30);
  EXPECT_EQ(body("p = params[1:]\nreturn p[1]"), 30);
}

TEST(ParsePython, SubscriptedArgumentIsParamVector) {
  const auto formula =
      parse_python("def f(x, theta, v):\n  return theta[1] * x + v\n");

  ASSERT_TRUE(formula);
  EXPECT_EQ(formula->inputs, (std::vector<std::string>{"x", "v"}));
  EXPECT_EQ(formula->body.param_count(), 2u);
  EXPECT_EQ(parse_python("def f(c):\n  a, b = c\n  return a\n")->inputs.size(),
            0u);
}

TEST(ParsePython, SupportsAssignments) {
  EXPECT_EQ(body("a = b = x\na += 1\nb *= 2\nreturn a - b"), -2);
  EXPECT_EQ(body("a = x\na -= 1\na /= 4\na **= 2\nreturn a"), 0.25);
  EXPECT_EQ(body("a: float = 2.5\nb: int\nreturn a"), 2.5);
  EXPECT_EQ(body("a, b = x, v\na, b = b, a\nreturn a - b"), -5);
  EXPECT_EQ(body("a = 1; b = 2; return a + b"), 3);
  EXPECT_EQ(body("x = x + 1\nreturn x"), 4);
  EXPECT_EQ(body("a = (x +\n   v)\nb = a + \\\n  1\nreturn b"), 2);
  EXPECT_EQ(body("# a comment\n\na = x  # another\nreturn a"), 3);
}

TEST(ParsePython, InlinesHelpers) {
  EXPECT_EQ(python_value("G = 9.81\n"
                         "LIMIT = [1.0] * 10\n"
                         "def half(a):\n    return a / 2\n"
                         "def both(a, p):\n    return half(a), p[1] + G\n"
                         "def equation(x, v, params):\n"
                         "    u, w = both(x, params)\n"
                         "    return u + w\n"),
            1.5 + (20 + 9.81));
}

TEST(ParsePython, UnrollsLoops) {
  EXPECT_EQ(body("s = 0\nfor i in range(3):\n    s += params[i] * x**i\n"
                 "return s"),
            10 + 60 + 270);
  EXPECT_EQ(body("s = 0\nfor i in range(1, 7, 2):\n    s += i\nreturn s"), 9);
  EXPECT_EQ(body("s = 0\nfor i in range(3, 0, -1):\n    s = 10 * s + i\n"
                 "return s"),
            321);
  EXPECT_EQ(body("s = 0\nfor p in params[:2]:\n    s += p\nreturn s"), 30);
  EXPECT_EQ(body("s = 0\nfor a in (x, v, 1):\n    s += a\nreturn s"), 2);
  EXPECT_EQ(body("s = 0\nfor i in range(2):\n    for j in range(2):\n"
                 "        if i == j:\n            s += x\nreturn s"),
            6);
  EXPECT_EQ(body("for i in range(5):\n    if x > i:\n        return i\n"
                 "return 9"),
            0);
}

TEST(ParsePython, BranchesBecomeWhere) {
  EXPECT_EQ(body("if x > 0:\n    a = 1\nelse:\n    a = 2\nreturn a"), 1);
  EXPECT_EQ(body("a = 5\nif v > 0:\n    a = 1\nreturn a"), 5);
  EXPECT_EQ(body("if v > 0: return 1\nif x > 5: return 2\nreturn 3"), 3);
  EXPECT_EQ(body("if v > 0:\n    return 1\nelif x < 5:\n    return 2\n"
                 "else:\n    return 3"),
            2);
  EXPECT_EQ(body("a = x\nif x > 0:\n    if v < 0:\n        return a\n"
                 "    a = 7\nelse:\n    a = 8\nreturn a + 1"),
            3);
  EXPECT_EQ(body("a = x\nif x > 0:\n    if v > 0:\n        return a\n"
                 "    a = 7\nelse:\n    a = 8\nreturn a + 1"),
            8);
  EXPECT_EQ(body("if x > 0:\n    a, b = 1, 2\nelse:\n    a, b = 3, 4\n"
                 "return 10 * a + b"),
            12);
  EXPECT_EQ(body("if True:\n    return 1\nreturn undefined"), 1);
}

// Compares with the same function written in C++, at many points.
TEST(ParsePython, NestedBranchesMatchPython) {
  const auto formula = parse_python(
      "def f(x, v):\n"
      "    y = 0.0\n"
      "    if x > 1:\n"
      "        y = x\n"
      "        if v > 1:\n"
      "            return y + v\n"
      "        elif v > 0:\n"
      "            y -= v\n"
      "        else:\n"
      "            y *= 3\n"
      "            if x > 2:\n"
      "                return -y\n"
      "    elif x > 0:\n"
      "        return v\n"
      "    if v < -1:\n"
      "        y += 100\n"
      "    return y\n");
  ASSERT_TRUE(formula) << formula.error().message();
  const auto expected = [](double x, double v) {
    double y = 0;
    if (x > 1) {
      y = x;
      if (v > 1) return y + v;
      if (v > 0) {
        y -= v;
      } else {
        y *= 3;
        if (x > 2) return -y;
      }
    } else if (x > 0) {
      return v;
    }
    if (v < -1) y += 100;
    return y;
  };
  Rng rng(1);
  for (int i = 0; i < 1000; ++i) {
    const std::array<double, 2> at = {rng.uniform(-1, 3), rng.uniform(-2, 2)};
    EXPECT_EQ(scalar_value(formula->body, at, {}), expected(at[0], at[1]));
  }
}

TEST(ParsePython, FoldsIntegers) {
  EXPECT_EQ(parse_python("def f(x):\n  return x * (1 + 2)\n")->body.size(), 3u);
  EXPECT_EQ(parse_python("def f(x):\n  return x**2\n")->body.root().op,
            Op::Square);
  EXPECT_EQ(parse_python("def f(x):\n  return x**2.0\n")->body.root().op,
            Op::Pow);
  EXPECT_EQ(parse_python("def f(x):\n  return 0 + 1 * x\n")->body.size(), 1u);
}

struct UnsupportedCase {
  const char* lines;
  const char* words;  // What the error must name.
};

TEST(ParsePython, ErrorsNameUnsupportedConstruct) {
  const UnsupportedCase cases[] = {
      {"f = lambda a: a\n    return f(x)", "a lambda"},
      {"while x > 0:\n        x -= 1\n    return x", "a while loop"},
      {"return sum([i for i in range(3)])", "a comprehension"},
      {"return sum(params[i] for i in range(3))", "a comprehension"},
      {"class A:\n        pass\n    return x", "a class"},
      {"return x.shape", "the attribute '.shape'"},
      {"return x.mean()", "this call"},
      {"return x[0]", "a subscript of anything but the constants"},
      {"return x[:, 0]", "a subscript of anything but the constants"},
      {"return 'one'", "a string as a value"},
      {"return np.round(x, decimals=2)", "the keyword argument 'decimals='"},
      {"global g\n    return x", "'global'"},
      {"try:\n        return x\n    except: pass", "'try'"},
      {"with a as b:\n        return x", "'with'"},
      {"return equation(x, v, params)", "recursion, here of 'equation',"},
      {"def g(a):\n        return a\n    return g(x)",
       "a function within a function"},
      {"return {1: x}[1]", "a dictionary or set"},
      {"return np.sum(x)", "the function 'sum'"},
      {"return x @ v", "the matrix product '@'"},
      {"return x if x is None else v", "'is'"},
      {"return (y := x)", "':='"},
      {"params[0] = 1\n    return x", "assignment to an element"},
      {"x.a = 1\n    return x", "assignment to this"},
      {"print(x)\n    return x", "neither assigned nor returned"},
      {"return None", "None"},
      {"yield x", "a generator"},
      {"raise ValueError", "'raise'"},
      {"for i in x:\n        pass\n    return x", "a loop over this"},
      {"for i in range(3):\n        break\n    return x", "'break'"},
      {"return np.linalg.norm(x)", "this call"},
      {"return f'{x}'", "a string as a value"},
      {"return np.piecewise(x)", "the function 'piecewise'"},
  };
  for (const UnsupportedCase& each : cases) {
    const auto formula = parse_python(
        std::string("def equation(x, v, params):\n    ") + each.lines + "\n");
    ASSERT_FALSE(formula) << each.lines;
    const std::string& message = formula.error().message();
    EXPECT_EQ(formula.error().code(), ErrorCode::Unsupported) << message;
    EXPECT_NE(message.find(each.words), std::string::npos) << message;
    EXPECT_TRUE(message.starts_with("Line ")) << message;
  }
}

TEST(ParsePython, ErrorsNamePositionAndRemedy) {
  EXPECT_EQ(body_error("return np.sine(x)"),
            "Line 2, column 12: unknown function 'sine'; use an elementwise "
            "function of numpy. Did you mean 'sin'?");
  EXPECT_EQ(body_error("speed = x\n    return spede"),
            "Line 3, column 12: the name 'spede' is not defined; assign it "
            "first, or make it an argument. Did you mean 'speed'?");
  EXPECT_EQ(body_error("return (x + 1"),
            "Line 2, column 18: an open bracket needs ')' here, got the end of "
            "the line.");
  EXPECT_EQ(body_error("return np.sin(x, v)"),
            "Line 2, column 12: 'sin' takes 1 argument, got 2.");
  EXPECT_EQ(body_error("while x:\n        x = 1\n"),
            "Line 2, column 5: a while loop is not supported; use a fixed "
            "number of steps, as in 'for i in range(10):'.");
  EXPECT_EQ(parse_python("def f(x):\n  return +\n").error().fields().at("line"),
            "2");
}

TEST(ParsePython, RejectsInvalidSources) {
  for (const char* lines : {"a = x",
                            "if x > 0:\n        return 1",
                            "return a",
                            "return params",
                            "return params + x",
                            "return params[-1]",
                            "return params[1.5]",
                            "return params[x]",
                            "return params[999]",
                            "return x, v",
                            "a, b = params[:3]\n    return a",
                            "a, b = x\n    return a",
                            "if x > 0:\n        a = 1\n    return a",
                            "return 12abc",
                            "return",
                            "return 1__0",
                            "return x +",
                            "return )",
                            "return 'open",
                            "return x $ v",
                            "return x v",
                            "return 3 x",
                            "return \\ x",
                            "  return x\n  return v\n return x",
                            "return x(2)",
                            "return np.sin",
                            "return np",
                            "return params[0:300]",
                            "for i in range(0, 3, 0):\n"
                            "        pass\n    return x",
                            "x, y += 1\n    return x",
                            "return np.sin()",
                            "return range(3)",
                            "else:\n        return x"}) {
    EXPECT_NE(body_error(lines), "no error") << lines;
  }
  for (const char* source :
       {"", "x = 1", "def", "def f", "def f(", "def f(x", "def f(x)",
        "def f(x):", "def f(x):\n", "def f(x, x):\n  return x\n",
        "def f(x=1):\n  return x\n", "def f(*x):\n  return x\n",
        " def f(x):\n  return x\n", "def f(x):\nreturn x\n", "if x:\n  pass\n",
        "def if(x):\n  return x\n", "def 1(x): return x"}) {
    EXPECT_NE(python_error(source), "no error") << source;
  }
}

TEST(ParsePython, AcceptsOneLinersWindowsLineEndsAndTabs) {
  EXPECT_EQ(python_value("def f(x, v, params): return x + v"), 1);
  EXPECT_EQ(python_value("def f(x, v, params):\r\n\treturn x + v\r\n"), 1);
  EXPECT_EQ(python_value("def f(x, v, params):\n\tif x > 0:\n\t\treturn 1\n"
                         "\treturn 2\n\n   # end"),
            1);
}

TEST(ParsePython, AcceptsLettersOfOtherScripts) {
  EXPECT_EQ(python_value("def f(x, v, params):\n    \u03b1 = params[0]\n"
                         "    return \u03b1 * x\n"),
            30);
  EXPECT_NE(python_error("def f(x):\n    return x \u2212 1\n").find("\u2212"),
            std::string::npos);
}

std::string repeated(const std::string& text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

TEST(ParsePython, LargeSourcesTerminate) {
  const std::string head = "def f(x):\n";
  EXPECT_TRUE(
      parse_python(head + repeated("  x = x * x\n", 1000) + "  return x\n"));
  EXPECT_TRUE(parse_python(head + "  return x" + repeated(" + x", 5000)));
  EXPECT_FALSE(parse_python(head + "  return " + repeated("(", 60'000)));
  EXPECT_FALSE(parse_python(head + "  return " + repeated("(", 1'000'000)));
  EXPECT_FALSE(parse_python(head + "  return " + repeated("-", 60'000) + "x"));
  EXPECT_FALSE(
      parse_python(head + "  return " + repeated("x**", 20'000) + "x"));
  EXPECT_FALSE(
      parse_python(head + "  return " + repeated("not ", 15'000) + "x"));
  EXPECT_FALSE(parse_python(head + "  return x" + repeated("[0]", 20'000)));
  EXPECT_FALSE(parse_python(head + "  return x" + repeated(".a", 20'000)));
  EXPECT_FALSE(
      parse_python(head + "  return " + repeated("x if x else ", 5'000) + "x"));
  EXPECT_FALSE(parse_python(
      head + "  for i in range(1000000000):\n    x += i\n  return x\n"));
  EXPECT_TRUE(parse_python(head + "  return x**" + repeated("9", 60'000)));
}

TEST(ParsePython, LongBranchChainsTerminate) {
  std::string ladder = "def f(x):\n  if x > 0: y = 0\n";
  for (int i = 1; i < 1500; ++i) {
    ladder += "  elif x > " + std::to_string(i) + ".5: y = x + 1.5\n";
  }
  EXPECT_TRUE(parse_python(ladder + "  else: y = 1\n  return y\n"));

  std::string returns = "def f(x):\n";
  for (int i = 0; i < 1500; ++i) {
    returns += "  if x > " + std::to_string(i) + ".5: return x\n";
  }
  EXPECT_TRUE(parse_python(returns + "  return 1\n"));
}

TEST(ParsePython, BoundsExponentialCalls) {
  std::string source = "def f0(x):\n  return x + 1.5\n";
  for (int i = 1; i < 60; ++i) {
    const std::string before = "f" + std::to_string(i - 1);
    source += "def f" + std::to_string(i) + "(x):\n  return " + before +
              "(x) + " + before + "(" + before + "(x))\n";
  }

  EXPECT_FALSE(parse_python(source));
}

TEST(ParsePython, BoundsDeepCalls) {
  std::string source = "def f0(x):\n  return x + 1.5\n";
  for (int i = 1; i < 1500; ++i) {
    source += "def f" + std::to_string(i) + "(x):\n  return f" +
              std::to_string(i - 1) + "(x)\n";
  }

  EXPECT_FALSE(parse_python(source));
}

}  // namespace
}  // namespace lamarck::formula
