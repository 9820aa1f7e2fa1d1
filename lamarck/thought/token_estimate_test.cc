#include "lamarck/thought/token_estimate.h"

#include <algorithm>
#include <map>
#include <gtest/gtest.h>

#include "lamarck/base/rng.h"
#include "lamarck/base/unicode.h"

namespace lamarck::thought {
namespace {

struct Counted {
  std::string_view kind;
  std::string_view text;
  std::int64_t cl100k;  // Exact token counts of the vocabularies.
  std::int64_t o200k;
};

constexpr Counted kCounted[] = {
    {"english", "The quick brown fox jumps over the lazy dog.", 10, 10},
    {"english",
     "We first read the configuration, then validate every field befor"
     "e anything is written to disk.",
     17, 17},
    {"english",
     "A plan is complete when it names its limits, its rollback strate"
     "gy and the criteria of success.",
     19, 19},
    {"english",
     "Refactoring the authentication middleware requires understanding"
     " asynchronous request handling.",
     11, 11},
    {"english",
     "He couldn't believe that they'd already finished; it wasn't even"
     " noon yet!",
     17, 14},
    {"english",
     "Nevertheless, extraordinarily complicated counterexamples occasi"
     "onally contradict straightforward intuition.",
     11, 11},
    {"english",
     "I think so, too. Yes. No? Go on, do it now, as we are at the end"
     " of it.",
     26, 26},
    {"english",
     "Photosynthesis converts carbon dioxide and water into glucose, r"
     "eleasing oxygen as a by-product.",
     17, 17},
    {"english",
     "Split the work into three branches: replace the text, rewrite th"
     "e syntax tree, or generate the code anew.",
     22, 22},
    {"english", "TODO LIST: BUY MILK, CALL THE DENTIST, FIX THE BUILD.", 17,
     17},
    {"english",
     "Her great-grandmother, Wilhelmina Szczepanski, emigrated from By"
     "dgoszcz to Milwaukee.",
     25, 22},
    {"english", "", 0, 0},
    {"english", "a", 1, 1},
    {"english", "Hello", 1, 1},
    {"code", "for (int i = 0; i < n; ++i) {\n  total += values[i];\n}\n", 23,
     23},
    {"code",
     "def read_config(path):\n    with open(path) as file:\n        re"
     "turn json.load(file)\n",
     19, 19},
    {"code",
     "const result = await fetch(`${baseUrl}/users/${id}`, { method: '"
     "GET' });",
     19, 20},
    {"code",
     "std::vector<std::string_view> split_text(std::string_view text, "
     "char separator);",
     19, 19},
    {"code",
     "SELECT name, COUNT(*) FROM events WHERE session_id = ? GROUP BY "
     "name ORDER BY 2 DESC;",
     21, 21},
    {"code",
     "if err != nil {\n\treturn nil, fmt.Errorf(\"open %s: %w\", path,"
     " err)\n}",
     23, 23},
    {"code",
     "public static void main(String[] args) { System.out.println(\"He"
     "llo, world!\"); }",
     18, 19},
    {"code",
     "git rebase -i HEAD~3 && npm run build -- --watch | tee build.log"
     " 2>&1",
     23, 23},
    {"code",
     "let x = matrix.iter().map(|row| row.iter().sum::<f64>()).fold(0."
     "0, f64::max);",
     30, 30},
    {"code",
     "#include <gtest/gtest.h>\n\nTEST(Queue, IsEmptyAtFirst) { EXPECT"
     "_TRUE(Queue<int>().empty()); }\n",
     25, 26},
    {"code",
     "XMLHttpRequest getElementByIdAndClassNameOrNull MAX_RETRY_COUNT_"
     "PER_BRANCH",
     12, 18},
    {"code", "a=b+c*d-e/f%g^h&i|j~k!l<m>n?o:p;q,r.s@t#u$v", 31, 31},
    {"code",
     "////////////////////////////////////////////////////////////////"
     "\n// ======================== helpers =========================="
     "\n",
     8, 8},
    {"json",
     "{\"dry_run\": true, \"rollback\": {\"strategy\": \"git_revert\"}"
     ", \"limits\": {\"max_changes\": 120, \"max_files\": 4}}",
     34, 34},
    {"json",
     "{\"jsonrpc\":\"2.0\",\"id\":17,\"method\":\"tools/call\",\"param"
     "s\":{\"name\":\"think_plan_step\",\"arguments\":{\"session_id\":"
     "\"sess_1\"}}}",
     36, 36},
    {"json", "[1,2,3,4.5,-6.75e-3,null,true,false,\"\",[],{}]", 24, 25},
    {"json",
     "{\n  \"name\": \"example\",\n  \"items\": [\n    {\n      \"id\""
     ": 1,\n      \"tags\": [\"red\", \"green\"]\n    }\n  ]\n}",
     37, 37},
    {"json",
     "{\"id\":\"550e8400-e29b-41d4-a716-446655440000\",\"sha\":\"9f86d"
     "081884c7d659a2feaa0c55ad015\"}",
     44, 44},
    {"json", "{\"a\":[[[[[[1]]]]]],\"b\":{\"c\":{\"d\":{\"e\":{}}}}}", 22, 23},
    {"markdown",
     "# Title\n\n- first item\n- second item\n\n| a | b |\n|---|---|\n"
     "| 1 | 2 |\n",
     28, 28},
    {"markdown",
     "See [the guide](https://example.com/docs/start?lang=en#top) for "
     "**more** details.\n\n```sh\nmake test\n```\n",
     31, 31},
    {"chinese",
     "\u6211\u4eec\u9700\u8981\u5148\u9a8c\u8bc1\u8ba1\u5212\uff0c"
     "\u7136\u540e\u518d\u6267\u884c\u3002",
     13, 9},
    {"chinese",
     "\u4eca\u5929\u5929\u6c14\u5f88\u597d\uff0c\u6211\u60f3\u53bb"
     "\u516c\u56ed\u6563\u6b65\u3002",
     20, 12},
    {"chinese",
     "\u5931\u8d25\u7b7e\u540d\u5df2\u91cd\u8bd5\u4e09\u6b21\uff0c"
     "\u5207\u6362\u7b56\u7565\u5e76\u8bb0\u5f55\u539f\u56e0\u3002",
     21, 16},
    {"chinese",
     "\u9ebb\u96c0\u867d\u5c0f\uff0c\u4e94\u810f\u4ff1\u5168\uff1b"
     "\u7a7f\u8d8a\u5ce1\u8c37\u7684\u7011\u5e03\u6fc0\u8d77\u8584"
     "\u96fe\u3002",
     41, 25},
    {"chinese",
     "\u4f7f\u7528 SQLite \u5b58\u50a8\u4e8b\u4ef6\uff0c\u5e76\u5728 W"
     "AL \u6a21\u5f0f\u4e0b\u8fd0\u884c\u3002",
     17, 14},
    {"japanese",
     "\u8a08\u753b\u3092\u691c\u8a3c\u3057\u3066\u304b\u3089\u5b9f"
     "\u884c\u3057\u307e\u3059\u3002",
     15, 11},
    {"japanese",
     "\u3053\u3093\u306b\u3061\u306f\u3001\u5143\u6c17\u3067\u3059"
     "\u304b\uff1f",
     7, 7},
    {"japanese",
     "\u30c7\u30fc\u30bf\u30d9\u30fc\u30b9\u306e\u30d1\u30d5\u30a9"
     "\u30fc\u30de\u30f3\u30b9\u3092\u6539\u5584\u3059\u308b\u3002",
     20, 13},
    {"korean",
     "\uacc4\ud68d\uc744 \uba3c\uc800 \uac80\uc99d\ud55c \ub2e4\uc74c "
     "\uc2e4\ud589\ud569\ub2c8\ub2e4.",
     20, 11},
    {"korean",
     "\uc548\ub155\ud558\uc138\uc694, \ubc18\uac11\uc2b5\ub2c8\ub2e4!", 11, 7},
    {"other",
     "\u0421\u043d\u0430\u0447\u0430\u043b\u0430 \u043f\u0440\u043e"
     "\u0432\u0435\u0440\u0438\u043c \u043f\u043b\u0430\u043d, \u0437"
     "\u0430\u0442\u0435\u043c \u0432\u044b\u043f\u043e\u043b\u043d"
     "\u0438\u043c \u0435\u0433\u043e.",
     16, 12},
    {"other",
     "\u0391\u03c1\u03c7\u03b9\u03ba\u03ac \u03b5\u03bb\u03ad\u03b3"
     "\u03c7\u03bf\u03c5\u03bc\u03b5 \u03c4\u03bf \u03c3\u03c7\u03ad"
     "\u03b4\u03b9\u03bf.",
     24, 11},
    {"other",
     "\u0646\u062a\u062d\u0642\u0642 \u0645\u0646 \u0627\u0644\u062e"
     "\u0637\u0629 \u0623\u0648\u0644\u0627 \u062b\u0645 \u0646\u0646"
     "\u0641\u0630\u0647\u0627.",
     23, 13},
    {"other",
     "\u05e7\u05d5\u05d3\u05dd \u05d1\u05d5\u05d3\u05e7\u05d9\u05dd "
     "\u05d0\u05ea \u05d4\u05ea\u05d5\u05db\u05e0\u05d9\u05ea.",
     23, 9},
    {"other",
     "\u092a\u0939\u0932\u0947 \u092f\u094b\u091c\u0928\u093e \u0915"
     "\u0940 \u091c\u093e\u0901\u091a \u0915\u0930\u0947\u0902\u0964",
     25, 8},
    {"other",
     "\u0e40\u0e23\u0e32\u0e15\u0e23\u0e27\u0e08\u0e2a\u0e2d\u0e1a"
     "\u0e41\u0e1c\u0e19\u0e01\u0e48\u0e2d\u0e19",
     17, 8},
    {"other",
     "Zuerst pr\u00fcfen wir den Plan, dann f\u00fchren wir ihn gr"
     "\u00fcndlich aus.",
     20, 16},
    {"other",
     "D'abord nous v\u00e9rifions le plan, ensuite nous l'ex\u00e9cuto"
     "ns jusqu'\u00e0 la fin.",
     23, 20},
    {"other",
     "Najpierw sprawdzamy plan, potem go wykonujemy, a\u017c b\u0119dz"
     "ie gotowy.",
     22, 18},
    {"other",
     "Tr\u01b0\u1edbc ti\u00ean ch\u00fang t\u00f4i ki\u1ec3m tra k"
     "\u1ebf ho\u1ea1ch.",
     20, 10},
    {"other", "\u00d6nce plan\u0131 kontrol ediyoruz, sonra uyguluyoruz.", 17,
     14},
    {"emoji", "\U0001f600\U0001f389\U0001f680", 8, 5},
    {"emoji", "Done \u2705 failed \u274c warning \u26a0\ufe0f", 11, 9},
    {"emoji",
     "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 "
     "\U0001f1e9\U0001f1ea \U0001f44d\U0001f3fd",
     29, 18},
    {"emoji",
     "\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2591\u2591 420"
     "0/5000 \u2192 \u2211x\u00b2 \u2265 \u00bd",
     18, 18},
    {"numbers",
     "1234567890 3.14159265358979 1e-9 0xdeadbeef 2025-10-27T12:34:56Z", 37,
     37},
    {"numbers", "42", 1, 1},
    {"numbers", "127.0.0.1:8080 192.168.178.21 +49 170 1234567", 26, 26},
    {"numbers", "0.1 0.22 0.333 0.4444 0.55555 0.666666 0.7777777", 32, 32},
    {"numbers", "00000000000000000000000000000000000000000000000000", 17, 17},
    {"space", "        indented by eight\n                by sixteen\n", 10,
     10},
    {"space", "\n\n\n\n\n\n", 1, 1},
    {"space", "a\t\tb\t\t\tc \t d", 7, 7},
    {"space", " ", 1, 1},
    {"space", "\r\n\r\n  \r\n", 2, 2},
    {"odd", "QmFzZTY0IGVuY29kZWQgdGV4dCBpcyBleHBlbnNpdmUgdG8gdG9rZW5pemU=", 43,
     40},
    {"odd", "asdkjfh qwoeiru zxmcnvb pqlwkdj", 18, 17},
    {"odd", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 6, 6},
    {"odd", "!!!???...---***___+++===###@@@", 11, 11},
    {"odd",
     "evt_01JBX7Q2M3 sess_9f8e branch_12 \u201cquoted\u201d \u2014 das"
     "h\u2026",
     25, 25},
};

TEST(TokenEstimate, NeverUnderestimatesKnownVocabularies) {
  for (const Counted& counted : kCounted) {
    EXPECT_GE(estimate_tokens(counted.text),
              std::max(counted.cl100k, counted.o200k))
        << counted.kind << ": " << counted.text;
  }
}

TEST(TokenEstimate, OverestimatesByLessThanSeventyPercent) {
  std::map<std::string_view, double> estimated;
  std::map<std::string_view, double> counted;
  for (const Counted& entry : kCounted) {
    estimated[entry.kind] += static_cast<double>(estimate_tokens(entry.text));
    counted[entry.kind] +=
        static_cast<double>(std::max(entry.cl100k, entry.o200k));
  }

  for (const auto& [kind, sum] : estimated) {
    EXPECT_LT(sum / counted[kind], kind == "english" ? 1.35 : 1.7) << kind;
  }
}

TEST(TokenEstimate, EmptyTextHasNoTokens) {
  EXPECT_EQ(estimate_tokens(""), 0);
  EXPECT_EQ(estimate_tokens("Hello"), 2);
}

TEST(TokenEstimate, LongRunsCountByLength) {
  EXPECT_EQ(estimate_tokens(std::string(300, '7')), 100);
  EXPECT_LE(estimate_tokens("x" + std::string(200, ' ') + "y"), 10);
  EXPECT_GE(estimate_tokens(std::string(2400, 'e')), 240);
}

TEST(TokenEstimate, CountsInvalidUtf8Bytes) {
  EXPECT_EQ(estimate_tokens("\xff\xfe\x80"), 3);
}

TEST(TruncateTokens, KeepsTextThatFits) {
  EXPECT_EQ(truncate_tokens("A short text.", 10), "A short text.");
  EXPECT_EQ(truncate_tokens("", 0), "");
}

TEST(TruncateTokens, MarksCutWithEllipsis) {
  EXPECT_EQ(truncate_tokens("one two three four five", 4), "one two\u2026");
  EXPECT_EQ(truncate_tokens("one two three", 1), "\u2026");
  EXPECT_EQ(truncate_tokens("one two three", 0), "");
  EXPECT_EQ(truncate_tokens("one two three", -5), "");
}

TEST(TruncateTokens, CutsLongWords) {
  const std::string word(10'000, 'e');

  EXPECT_GT(truncate_tokens(word, 100).size(), 300U);
}

TEST(TruncateTokens, NeverExceedsLimitOrSplitsCharacter) {
  for (const Counted& counted : kCounted) {
    for (std::int64_t max = 0; max < 60; ++max) {
      const std::string cut = truncate_tokens(counted.text, max);
      ASSERT_LE(estimate_tokens(cut), max) << cut;
      ASSERT_TRUE(is_valid_utf8(cut));
    }
  }
}

TEST(TruncateTokens, NeverExceedsLimitForRandomText) {
  static constexpr std::string_view kParts[] = {
      "word",       " ",      "  ",   "\n",    "\t",   "7",
      "1234",       "_",      "{}",   "Camel", "ABC",  "\u4e2d",
      "\U0001f600", "\u00e9", "\xff", "'",     "\r\n", "\u0301"};
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Rng rng(seed);
    std::string text;
    for (std::uint64_t i = rng.below(30); i > 0; --i) {
      text += kParts[rng.below(std::size(kParts))];
    }
    const auto max = rng.integer(0, 20);
    ASSERT_LE(estimate_tokens(truncate_tokens(text, max)), max)
        << "seed " << seed << ": " << text;
  }
}

}  // namespace
}  // namespace lamarck::thought
