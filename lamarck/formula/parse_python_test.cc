#include <gtest/gtest.h>

#include "lamarck/formula/formula.h"

namespace lamarck::formula {
namespace {

TEST(ParsePython, Smoke) {
  const auto f = parse_python(R"(
import numpy as np
G = 9.81
def helper(a, b):
    return a * b, a / b

def equation(x: np.ndarray, v: float, params: list[float]) -> np.ndarray:
    """Acceleration of
    the oscillator.
    """
    spring = -params[0] * x
    a, b = params[1:3]
    u, w = helper(x, v)
    total = 0
    for i in range(3):
        total += params[i + 3] * x**i
    if v > 0:
        drag = v**2
    elif v < -1:
        return G
    else:
        drag = 0.5 * v
    return (spring - params[1] * np.where(v > 0, v, -2.0 * v) + drag +
            total - a * b * u / w)
)");
  ASSERT_TRUE(f) << f.error().message();
  const std::string text = to_python(*f);
  std::puts(text.c_str());
  std::puts(to_infix(*f).c_str());
  const auto again = parse_python(text);
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->body, f->body);
  EXPECT_EQ(again->docstring, f->docstring);
}

}  // namespace
}  // namespace lamarck::formula
