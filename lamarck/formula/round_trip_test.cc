#include "lamarck/formula/internal/round_trip_fixture.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "lamarck/base/rng.h"

namespace lamarck::formula {
namespace {

constexpr std::array kSeeds = std::to_array<std::string_view>({
    "import numpy as np\n"
    "def equation(x: np.ndarray, v, params):\n"
    "    \"\"\"Acceleration.\"\"\"\n"
    "    a, b = params[0], params[1]\n"
    "    if x > 0 and v < 1:\n"
    "        y = np.sin(a * x) ** 2\n"
    "    elif v == 0:\n"
    "        return b\n"
    "    else:\n"
    "        y = -x / 2.5e-3\n"
    "    return np.where(y < 0, y, b) - np.exp(-v)\n",
    "K = 3\n"
    "def helper(a, b):\n"
    "    return a * b, a - b\n"
    "def f(x, p):\n"
    "    s = 0\n"
    "    for i in range(K):\n"
    "        u, w = helper(x, p[i])\n"
    "        s += u ** i % 7 + (w if i > 1 else 1)\n"
    "    s -= np.clip(x, 0, 1) // 3\n"
    "    return s * (0 < x <= 2) + np.log1p(abs(x))\n",
    "a*x**2 + b*sin(y)/(1 + e) - max(x, 3, c) ^ 2",
});

constexpr std::array kPieces = std::to_array<std::string_view>({
    "(",           ")",      "[",
    "]",           "\n",     "    ",
    "\t",          "**",     "//",
    "-",           "x",      "params",
    "[0]",         "[:2]",   "return ",
    "if x:\n",     "else:",  "for i in range(3):\n",
    "def f(x):\n", "np.",    "1e308",
    "0",           "\"",     "'''",
    "\\",          "#",      ",",
    "=",           "+=",     "lambda",
    " not ",       " and ",  ".",
    ":",           "5e-324", "~",
    "\xce\xb1",    "\xff",   "\0",
    "while",       "np.nan", "np.inf",
    "x = x * x\n", "1_0",    "0x",
});

// Applies a few random edits: changes bytes, inserts pieces, deletes or
// duplicates ranges.
std::string mutated(std::string text, Rng& rng) {
  const std::uint64_t edits = 1 + rng.below(6);
  for (std::uint64_t i = 0; i < edits; ++i) {
    const std::size_t place = rng.below(text.size() + 1);
    const std::size_t length = rng.below(12);
    switch (rng.below(4)) {
      case 0:
        text.insert(place, kPieces[rng.below(kPieces.size())]);
        break;
      case 1:
        text.erase(place, length);
        break;
      case 2:
        text.insert(rng.below(text.size() + 1), text.substr(place, 4 * length));
        break;
      default:
        if (place < text.size()) text[place] = static_cast<char>(rng.bits());
    }
  }
  return text;
}

void check_mutants(std::uint64_t count) {
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    Rng rng(seed);
    const std::string source =
        mutated(std::string(kSeeds[seed % kSeeds.size()]), rng);
    const std::string fault = round_trip_fault(source);
    ASSERT_EQ(fault, "") << "seed " << seed << ":\n" << source;
  }
}

TEST(RoundTrip, SeedsRoundTrip) {
  for (const std::string_view seed : kSeeds) {
    EXPECT_EQ(round_trip_fault(seed), "");
  }
}

TEST(RoundTrip, MutatedSourcesParseOrFailCleanly) { check_mutants(3'000); }

TEST(RoundTripSlow, ManyMutatedSourcesParseOrFailCleanly) {
  check_mutants(200'000);
}

}  // namespace
}  // namespace lamarck::formula
