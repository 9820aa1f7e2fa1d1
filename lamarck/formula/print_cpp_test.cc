#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lamarck/base/file.h"
#include "lamarck/formula/formula.h"
#include "lamarck/formula/internal/random_expression_fixture.h"

namespace lamarck::formula {
namespace {

constexpr std::array<double, 3> kCppInputs = {0.7, -1.9, 2.3};
constexpr std::array<double, 3> kCppParams = {1.1, -0.6, 3};

TEST(PrintCpp, PrintsFunction) {
  Formula formula = *parse_infix("a*x**2 + min(x, 2)", {"x", "unused"});

  EXPECT_EQ(to_cpp(formula),
            "#include <cmath>\n"
            "\n"
            "inline double equation(double x, double /*unused*/, "
            "const double* params) {\n"
            "  const auto square = [](double a) { return a * a; };\n"
            "  const auto minimum = [](double a, double b) { return a < b || "
            "std::isnan(a) ? a : b; };\n"
            "  return params[0] * square(x) + minimum(x, 2.0);\n"
            "}\n");
}

TEST(PrintCpp, SanitizesNames) {
  Formula formula = *parse_infix("x + y", {"x", "y"});
  formula.name = "new";
  formula.inputs = {"double", "a); system(\"x\""};

  const std::string text = to_cpp(formula);

  EXPECT_NE(
      text.find("inline double new_(double double_, double a___system__x_,"),
      std::string::npos)
      << text;
}

// Every operation alone, and random expressions that mix them.
std::vector<Formula> samples() {
  std::vector<Formula> result;
  for (const Operation& entry : operations()) {
    ExpressionBuilder builder;
    const NodeIndex x = builder.input(0);
    const NodeIndex y = builder.input(1);
    const NodeIndex p = builder.param(0);
    NodeIndex root = x;
    if (entry.arity == 1) root = builder.apply(entry.op, x);
    if (entry.arity == 2) root = builder.apply(entry.op, x, y);
    if (entry.arity == 3) root = builder.apply(entry.op, x, y, p);
    result.push_back({.inputs = {"x", "y", "z"}, .body = builder.finish(root)});
  }
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    Rng rng(seed);
    result.push_back(
        {.inputs = {"x", "y", "z"},
         .body = random_expression(rng, {.operations = 20, .is_wild = true})});
  }
  return result;
}

std::string program(std::vector<Formula>& formulas) {
  std::string functions;
  std::string calls;
  for (std::size_t i = 0; i < formulas.size(); ++i) {
    formulas[i].name = fmt::format("f{}", i);
    functions += to_cpp(formulas[i]);
    calls += fmt::format("  std::printf(\"%.17g\\n\", f{}({}, params));\n", i,
                         fmt::join(kCppInputs, ", "));
  }
  return fmt::format(
      "{}#include <cstdio>\nint main() {{\n"
      "  const double params[] = {{{}}};\n{}}}\n",
      functions, fmt::join(kCppParams, ", "), calls);
}

TEST(PrintCppSlow, CompiledCodeMatchesValues) {
  if (std::system("c++ --version >/dev/null 2>&1") != 0) GTEST_SKIP();
  std::vector<Formula> formulas = samples();
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() /
      fmt::format("lamarck_print_cpp_{}", getpid());
  std::filesystem::create_directories(folder);
  ASSERT_TRUE(write_file(folder / "f.cc", program(formulas)));
  const std::string command = fmt::format(
      "cd {} && c++ -std=c++17 -Wall -Wextra -Wconversion -Werror "
      "-ffp-contract=off f.cc -o f && ./f >out",
      folder.string());
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::istringstream lines(*read_file(folder / "out"));

  for (const Formula& formula : formulas) {
    std::string line;
    lines >> line;
    const double expected = scalar_value(formula.body, kCppInputs, kCppParams);
    const double actual = std::strtod(line.c_str(), nullptr);
    if (std::isfinite(expected)) {
      EXPECT_NEAR(actual, expected, 1e-12 * std::abs(expected))
          << to_cpp(formula);
    } else {
      EXPECT_EQ(std::isnan(actual), std::isnan(expected)) << to_cpp(formula);
    }
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace lamarck::formula
