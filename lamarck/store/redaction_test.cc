#include "lamarck/store/redaction.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/ascii.h"
#include "lamarck/base/rng.h"
#include "lamarck/base/unicode.h"
#include "lamarck/store/internal/secret_shapes.h"

namespace lamarck::store {
namespace {

struct Case {
  std::string text;
  std::string expected;
};

void expect(const std::vector<Case>& cases) {
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(redacted(text), expected) << text;
    EXPECT_EQ(redacted(expected), expected) << "Redaction is not idempotent.";
  }
}

// Generated, so that secret scanners do not report them as leaked keys.
std::string key(std::string_view prefix, std::size_t size) {
  static constexpr std::string_view kLetters = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7";
  std::string result(prefix);
  for (std::size_t i = 0; i < size; ++i) result += kLetters[i % 27];
  return result;
}

std::string key(const internal::KeyShape& shape, std::size_t size) {
  std::string result = key(shape.prefix, size);
  if (shape.alphabet == internal::KeyAlphabet::Capitals) {
    for (char& c : result) c = ascii::upper(c);
  }
  return result;
}

TEST(Redaction, FindsKeys) {
  for (const internal::KeyShape& shape : internal::key_shapes()) {
    for (const std::size_t size : {shape.min_length, shape.min_length + 40}) {
      const std::string secret = key(shape, size);
      expect({{secret, "[key]"},
              {"use " + secret + ", please", "use [key], please"},
              {"(" + secret + ")", "([key])"},
              {"https://x.org/?a=" + secret + "&b=1",
               "https://x.org/?a=[key]&b=1"},
              {"\u5bc6\u94a5" + secret + "\u3002", "\u5bc6\u94a5[key]\u3002"}});
    }
  }
}

TEST(Redaction, KeepsStringsTooShortForAKey) {
  for (const internal::KeyShape& shape : internal::key_shapes()) {
    const std::string half = key(shape, shape.min_length - 1);
    expect({{half, half},
            {std::string(shape.prefix), std::string(shape.prefix)},
            {"x" + key(shape, 40), "x" + key(shape, 40)}});
  }
}

TEST(Redaction, KeepsNamesWithKeyPrefixes) {
  for (const std::string_view text :
       {"npm_package_dependencies_typescript2_resolved_version",
        "hf_model_checkpoint_converter_v2_for_the_small_model",
        "ghs_status_of_the_last_build_2024_in_words", "AKIAnd the others",
        "sk-learn-like-pipeline-of-many-words", "ASIAN MARKETS OPENED HIGHER",
        "pypi-publish-action-that-runs-after-a-tag", "github_pat_is_a_prefix",
        "glpat-and-the-other-prefixes", "xoxb-stands-for-a-bot"}) {
    EXPECT_EQ(redacted(text), text);
  }
}

TEST(Redaction, FindsTokens) {
  const std::string jwt =
      key("eyJ", 20) + "." + key("eyJ", 30) + "." + key("", 43);

  expect({{jwt, "[token]"},
          {"Bearer " + key("", 20), "Bearer [token]"},
          {"Authorization: Bearer abc", "Authorization: Bearer [token]"},
          {"-H 'Authorization: Basic dXNlcjpwYXNz'",
           "-H 'Authorization: Basic [token]'"},
          {"\"authorization\": \"Bearer xyz\"",
           "\"authorization\": \"Bearer [token]\""}});
}

TEST(Redaction, FindsPrivateKeys) {
  const std::string begin =
      "-----BEGIN RSA PRIVATE "
      "KEY-----";
  const std::string end =
      "-----END RSA PRIVATE "
      "KEY-----";

  expect({{"a\n" + begin + "\nMIIE\nabc=\n" + end + "\nb", "a\n[key]\nb"},
          {begin + "\nMIIE that never ends", "[key]"},
          {"-----BEGIN CERTIFICATE-----\nMIIE",
           "-----BEGIN CERTIFICATE-----\nMIIE"}});
}

TEST(Redaction, FindsAssignments) {
  expect({{"password=hunter2", "password=[password]"},
          {"PASSWORD = 'two words'", "PASSWORD = '[password]'"},
          {"db_password: correct-horse", "db_password: [password]"},
          {"the password: abc123xyz here", "the password: [password] here"},
          {"{\"password\": \"x\"}", "{\"password\": \"[password]\"}"},
          {"{\\\"password\\\": \\\"x y\\\"}",
           "{\\\"password\\\": \\\"[password]\\\"}"},
          {"token=abc&x=1", "token=[token]&x=1"},
          {"access_token=abc", "access_token=[token]"},
          {"client_secret='s\\'3'", "client_secret='[key]'"},
          {"API_KEY=abc;", "API_KEY=[key];"},
          {"secret := 'x'", "secret := '[key]'"},
          {"password => \"x\"", "password => \"[password]\""},
          {"mysql --password hunter2 -u me",
           "mysql --password [password] -u me"}});
}

TEST(Redaction, FindsPasswordsInUrls) {
  expect({{"postgres://me:p4ss@db.example.com/x",
           "postgres://[password]@db.example.com/x"},
          {"https://a:b@c@host/p", "https://[password]@host/p"},
          {"https://example.com/a:b@c", "https://example.com/a:b@c"}});
}

TEST(Redaction, FindsEmailAddresses) {
  expect(
      {{"Write to ada.lovelace+x@example.co.uk.", "Write to [email]."},
       {"<a@b.de>", "<[email]>"},
       {"\u5199\u4fe1\u7ed9a@b.com\u5427", "\u5199\u4fe1\u7ed9[email]\u5427"},
       {"a@b, c@d.e, @x.com, 1@2.3", "a@b, c@d.e, @x.com, 1@2.3"}});
}

TEST(Redaction, FindsPrivateSections) {
  expect({{"a <private>b\nc</private> d", "a [private] d"},
          {"a <PRIVATE>b</Private> d", "a [private] d"},
          {"a <private >b</private\n> d", "a [private] d"},
          {"a <private>to the end", "a [private]"},
          {"<private></private>", "[private]"},
          {"<private>a</private>b<private>c</private>", "[private]b[private]"},
          {"a </private> b", "a </private> b"},
          {"a <private", "a <private"},
          {"the <private key> and the <privateer>",
           "the <private key> and the <privateer>"}});
}

TEST(Redaction, MatchesNestedPrivateTags) {
  expect({{"a <private>b <private>c</private> d</private> e", "a [private] e"},
          {"<private><Private ><PRIVATE></private></private></private>x",
           "[private]x"},
          {"a <private>b <private>c</private> to the end", "a [private]"},
          {"<private>a < b <privates> </privat> </private> c", "[private] c"}});
}

TEST(Redaction, KeepsOrdinaryText) {
  for (const std::string_view text :
       {"The token budget is used up, and the secret of success is patience.",
        "Passwords: see the manual. The password: it must be long.",
        "A risk-averse task-oriented sk-learn-like-pipeline-of-many-words.",
        "The bearer of good news brought a basic understanding.",
        "max_tokens = 200, token_cost: 12, token=5, tokens=1234567",
        "9f86d081884c7d65 e3b0c44298fc1c14 0123456789abcdef",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "Revert 9fceb02d0ae598e95dc970b74767f19372d61af8, see 9fceb02.",
        "550e8400-e29b-41d4-a716-446655440000",
        "sess_0190b5c7-7c7e-7d3a-8a53-5c1f4b2d9e10 at evt_12",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b8",
        "A private conversation, kept private: <b>private</b>.",
        "The key is to ask. Basic arithmetic, bearer bonds, JSON web tokens.",
        "lodash@4.17.21 and git@github.com:lamarck/lamarck.git",
        "password=$PASSWORD password=${SECRET} password=********",
        "if (password == other) return;",
        "std::vector<std::string_view> a; b ? c : d; x -= --y;",
        "https://example.com:8080/path?x=1",
        "\u4ee4\u724c\uff1a\u9884\u7b97\u5df2\u7528\u5b8c\u3002",
        ""}) {
    EXPECT_EQ(redacted(text), text);
  }
}

TEST(Redaction, KeepsUtf8Valid) {
  static const std::string kParts[] = {"password=",
                                       "token: ",
                                       "secret",
                                       "'",
                                       "\"",
                                       "\\",
                                       " ",
                                       "\n",
                                       ":",
                                       "=",
                                       "abc123",
                                       "x",
                                       "@",
                                       "a.com",
                                       "://",
                                       "<private>",
                                       "<private ",
                                       "</private>",
                                       "Bearer ",
                                       "eyJ",
                                       ".",
                                       "-",
                                       "--password ",
                                       "\u4e2d",
                                       "[token]",
                                       "]",
                                       "$",
                                       "\xff",
                                       key("sk-", 20),
                                       "Authorization: "};
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    Rng rng(seed);
    std::string text;
    for (std::uint64_t i = rng.below(12); i > 0; --i) {
      text += kParts[rng.below(std::size(kParts))];
    }
    if (!is_valid_utf8(text)) continue;
    ASSERT_TRUE(is_valid_utf8(redacted(text))) << "seed " << seed;
  }
}

TEST(Redaction, RedactsJsonMembersByName) {
  const Json json = Json::parse(R"({
    "password": "x", "token": "", "max_tokens": "200", "n": 3,
    "list": ["a@b.com", {"api_key": "y", "api_key_count": 1}], "none": null})");

  EXPECT_EQ(redacted_json(json), Json::parse(R"({
    "password": "[password]", "token": "", "max_tokens": "200", "n": 3,
    "list": ["[email]", {"api_key": "[key]", "api_key_count": 1}],
    "none": null})"));
}

TEST(Redaction, RedactsMemberNamesWithoutLosingMembers) {
  const Json json = {
      {"a@b.com", 1}, {"c@d.com", "x"},   {"e@f.com", {{"g@h.com", true}}},
      {"[email]", 2}, {"[email] (2)", 3}, {key("sk-", 20), "[key]"}};

  const Json shown = redacted_json(json);

  EXPECT_EQ(shown, Json({{"[email]", 2},
                         {"[email] (2)", 3},
                         {"[email] (3)", 1},
                         {"[email] (4)", "x"},
                         {"[email] (5)", {{"[email]", true}}},
                         {"[key]", "[key]"}}));
  EXPECT_EQ(redacted_json(shown), shown) << "Redaction is not idempotent.";
}

// A quadratic algorithm would not finish in time on any of these.
TEST(Redaction, AdversarialTextsTakeLinearTime) {
  std::vector<std::string> pieces = {
      "password:",   "password:'", "token=[token]", "://",        "a@",
      "eyJ-",        "sk-",        "eyJaaaaaaaa.",  "bearer ",    "a ",
      "--",          "\\\"",       "a:b@",          "word ",      "<",
      "-----BEGIN ", "<private",   "<private>",     "</private>", "<private ",
      "--password "};
  for (const internal::KeyShape& shape : internal::key_shapes()) {
    pieces.emplace_back(shape.prefix);
    pieces.push_back(key(shape, shape.min_length - 1) + " ");
  }
  for (const std::string& piece : pieces) {
    std::string text;
    while (text.size() < 100'000) text += piece;
    EXPECT_FALSE(redacted(text).empty()) << piece;
    EXPECT_FALSE(redacted(text + "</private>").empty()) << piece;
  }
}

}  // namespace
}  // namespace lamarck::store
