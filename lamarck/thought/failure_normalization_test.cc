#include <string>
#include <string_view>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lamarck/base/rng.h"
#include "lamarck/thought/failure.h"

namespace lamarck::thought {
namespace {

std::string letters(Rng& rng, std::string_view alphabet, std::int64_t min,
                    std::int64_t max) {
  std::string result(static_cast<std::size_t>(rng.integer(min, max)), ' ');
  for (char& c : result) c = alphabet[rng.below(alphabet.size())];
  return result;
}

constexpr std::string_view kLower = "abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kHex = "0123456789abcdef";
constexpr std::string_view kAny =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

std::string random_path(Rng& rng) {
  static constexpr std::string_view kRoots[] = {
      "/",    "./",   "../",       "~/",
      "C:\\", "src/", "/tmp/tmp.", "/home/\u7528\u6237/"};
  std::string path(kRoots[rng.below(std::size(kRoots))]);
  for (std::int64_t i = rng.integer(0, 4); i > 0; --i) {
    path += letters(rng, kAny, 1, 9) + "/";
  }
  return path + letters(rng, kAny, 1, 9) + ".py";
}

std::string random_quoted_path(Rng& rng) {
  static constexpr std::string_view kQuotes[][2] = {
      {"", ""},   {"'", "'"},           {"\"", "\""},        {"`", "'"},
      {"`", "`"}, {"\u2018", "\u2019"}, {"\u201c", "\u201d"}};
  const auto& quotes = kQuotes[rng.below(std::size(kQuotes))];
  return fmt::format("{}{}{}", quotes[0], random_path(rng), quotes[1]);
}

std::string random_uuid(Rng& rng) {
  const auto hex = [&](std::int64_t size) {
    return letters(rng, kHex, size, size);
  };
  return hex(8) + "-" + hex(4) + "-" + hex(4) + "-" + hex(4) + "-" + hex(12);
}

std::string random_time(Rng& rng) {
  const auto date = fmt::format("{}-{:02}-{:02}", rng.integer(1990, 2040),
                                rng.integer(1, 12), rng.integer(1, 28));
  const auto clock = fmt::format("{:02}:{:02}:{:02}", rng.integer(0, 23),
                                 rng.integer(0, 59), rng.integer(0, 59));
  switch (rng.below(5)) {
    case 0:
      return date + " " + clock;
    case 1:
      return date + "T" + clock + "Z";
    case 2:
      return date + "T" + clock + ".123+02:00";
    case 3:
      return date + " " + clock + ",042";
    default:
      return fmt::format("Oct {} {}", rng.integer(1, 28), clock);
  }
}

// Replaces each % sequence with a random value: p path, l path with line and
// column, x address, t time, u UUID, n number, h hash, m temporary name.
std::string substituted(std::string_view form, Rng& rng) {
  std::string result;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] != '%') {
      result += form[i];
      continue;
    }
    switch (form[++i]) {
      case 'p':
        result += random_quoted_path(rng);
        break;
      case 'l':
        result += fmt::format("{}:{}:{}", random_path(rng),
                              rng.integer(1, 99999), rng.integer(1, 200));
        break;
      case 'x':
        result += "0x" + letters(rng, kHex, 6, 16);
        break;
      case 't':
        result += random_time(rng);
        break;
      case 'u':
        result += random_uuid(rng);
        break;
      case 'n':
        result += std::to_string(rng.integer(0, 99999));
        break;
      case 'h':
        result += "1" + letters(rng, kHex, 39, 39);
        break;
      default:
        result += "tmp" + letters(rng, kAny, 6, 8);
        break;
    }
  }
  return result;
}

constexpr std::string_view kForms[] = {
    "PermissionError: [Errno 13] Permission denied: %p",
    "  File %p, line %n, in main\nValueError: bad colour",
    "%l: error: expected a value\n   12 | let x\n      |     ^",
    "<Widget object at %x> is gone",
    "[%t] ERROR worker: process %n was killed by signal 9",
    "request %u: HTTP 404 from localhost:%n",
    "listen EADDRINUSE: address already in use :::%n",
    "could not check out %h: no such commit",
    "the folder %m is not empty (pid=%n)",
    "Traceback\n  at run (%l)\n  at main (%l)\nTypeError: x is not a function",
    "%t took %n ms; segfault at %x ip %x sp %x error 4",
    "\u65e0\u6cd5\u6253\u5f00\u6587\u4ef6 %p",
};

TEST(FailureNormalization, IgnoresValuesThatVaryBetweenRuns) {
  for (const std::string_view form : kForms) {
    Rng first(0);
    const std::string expected = normalized_failure(substituted(form, first));
    for (std::uint64_t seed = 1; seed < 200; ++seed) {
      Rng rng(seed);
      const std::string text = substituted(form, rng);
      ASSERT_EQ(normalized_failure(text), expected)
          << "seed " << seed << ": " << text;
    }
  }
}

TEST(FailureNormalization, DistinguishesDifferentMessages) {
  Rng rng(3);
  for (const std::string_view one : kForms) {
    for (const std::string_view other : kForms) {
      EXPECT_EQ(normalized_failure(substituted(one, rng)) ==
                    normalized_failure(substituted(other, rng)),
                one == other)
          << one << " / " << other;
    }
  }
}

TEST(FailureNormalization, KeepsErrorNumbers) {
  EXPECT_EQ(normalized_failure("[Errno 13] x"), "[Errno 13] x");
  EXPECT_EQ(normalized_failure("HTTP/1.1 404 Not Found"), "HTTP 404 Not Found");
  EXPECT_EQ(normalized_failure("exit status 2"), "exit status 2");
  EXPECT_EQ(normalized_failure("error TS2304: x"), "error TS2304: x");
  EXPECT_EQ(normalized_failure("error[E0308]: x"), "error[E0308]: x");
  EXPECT_EQ(normalized_failure("waited 13 seconds"), "waited # seconds");
}

TEST(FailureNormalization, KeepsNamesOfModulesAndPackages) {
  EXPECT_NE(normalized_failure("No module named 'torch.nn'"),
            normalized_failure("No module named 'torch.optim'"));
  EXPECT_NE(normalized_failure("Cannot find module '@a/b'"),
            normalized_failure("Cannot find module '@a/c'"));
}

TEST(FailureNormalization, RecognizesQuotedPathsWithSpaces) {
  EXPECT_EQ(normalized_failure("can't open '/home/my user/a b.txt'"),
            "can't open <path>");
  EXPECT_EQ(normalized_failure("File \"C:\\My Files\\a.py\", line 3"),
            "File <path>, line #");
}

TEST(FailureNormalization, DropsEscapeSequencesAndMarkers) {
  EXPECT_EQ(normalized_failure("\x1b[31mError\x1b[0m: x\r\n    ^~~~\n\n"),
            "Error: x");
}

TEST(FailureNormalization, KeepsBothEndsOfLongText) {
  std::string middle;
  for (int i = 0; i < 50'000; ++i) middle += "a line of noise\n";

  const std::string one = normalized_failure("a\n" + middle + "ends well");
  EXPECT_TRUE(one.starts_with("a\n"));
  EXPECT_TRUE(one.ends_with("ends well"));
  EXPECT_LT(one.size(), 10'000U);
  EXPECT_EQ(one, normalized_failure("a\n" + middle + middle + "ends well"));
}

TEST(FailureNormalization, AcceptsArbitraryBytes) {
  Rng rng(5);
  for (int i = 0; i < 2000; ++i) {
    std::string text(rng.below(200), ' ');
    for (char& c : text) c = static_cast<char>(rng.below(256));
    EXPECT_LE(normalized_failure(text).size(), 4 * text.size());
  }
  EXPECT_EQ(normalized_failure(""), "");
}

TEST(FailureNormalization, AdversarialTextsTakeLinearTime) {
  for (const std::string_view piece :
       {"'", "`", "\u2018", "a.", "\u4e2da", "tmp", "1:", "/", "\x1b["}) {
    std::string text;
    while (text.size() < 1'000'000) text += piece;
    EXPECT_LE(normalized_failure(text).size(), 1100U) << piece;
  }
}

}  // namespace
}  // namespace lamarck::thought
