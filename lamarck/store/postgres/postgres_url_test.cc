#include "lamarck/store/postgres/postgres_url.h"

#include <gtest/gtest.h>

#include "lamarck/store/postgres/internal/postgres_text.h"
#include "lamarck/store/postgres/postgres_values.h"

namespace lamarck::store {
namespace {

TEST(DatabaseUrl, RecognizesUrls) {
  EXPECT_TRUE(is_postgres_url("postgresql://host/db"));
  EXPECT_TRUE(is_postgres_url("postgres://"));
  EXPECT_FALSE(is_postgres_url("journal.db"));
  EXPECT_FALSE(is_postgres_url("postgresql:/x"));
  EXPECT_FALSE(is_postgres_url(""));
}

TEST(DatabaseUrl, ShowsNoPassword) {
  const auto shown = [](std::string_view url) {
    return shown_postgres_url(url);
  };
  EXPECT_EQ(shown("postgresql://ada:pw@host:5432/db"),
            "postgresql://ada@host:5432/db");
  EXPECT_EQ(shown("postgres://ada@host/db"), "postgres://ada@host/db");
  EXPECT_EQ(shown("postgresql://ada:p@w/x@host/db"),
            "postgresql://ada@host/db");
  EXPECT_EQ(shown("postgresql:///db?host=/run&password=pw&user=ada"),
            "postgresql:///db?host=/run&user=ada");
  EXPECT_EQ(shown("postgresql://host/db?sslpassword=pw"),
            "postgresql://host/db");
  EXPECT_EQ(shown("journal.db"), "journal.db");
}

TEST(DatabaseUrl, TakesTheSchemaOut) {
  const PostgresPlace plain = parse_postgres_place("postgresql://host/db");
  EXPECT_EQ(plain.url, "postgresql://host/db");
  EXPECT_EQ(plain.schema, "lamarck");
  const PostgresPlace named =
      parse_postgres_place("postgresql:///db?schema=team&host=/run&port=1");
  EXPECT_EQ(named.url, "postgresql:///db?host=/run&port=1");
  EXPECT_EQ(named.schema, "team");
  EXPECT_EQ(with_schema("postgresql:///db?schema=a&host=/run", "b"),
            "postgresql:///db?host=/run&schema=b");
  EXPECT_EQ(with_schema("postgresql://host/db", "b"),
            "postgresql://host/db?schema=b");
}

TEST(StoredText, KeepsEveryByte) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  const std::string half = std::string("\u601d\u8003").substr(0, 5);
  for (const std::string& text :
       {std::string(), std::string("plain"), std::string("a\0b", 3),
        std::string("\x10"), all, half,
        std::string("\x10"
                    "00")}) {
    const std::string stored = internal::to_postgres_text(text);
    EXPECT_EQ(stored.find('\0'), std::string::npos);
    EXPECT_EQ(internal::from_postgres_text(stored), text);
  }
  EXPECT_EQ(internal::to_postgres_text("\u601d"), "\u601d");
}

TEST(StoredText, KeepsEveryCharacterOfJson) {
  for (const char* json :
       {R"({"a":"b"})", R"("\u0000")", R"("\\u0000")", R"("\u0010\u001f00")",
        R"("\\\u0000x")", R"(["\"", "\u0100"])"}) {
    EXPECT_EQ(internal::from_postgres_json(internal::to_postgres_json(json)),
              json);
  }
  EXPECT_EQ(internal::to_postgres_json(R"("\u0000")"), R"("\u001000")");
  EXPECT_EQ(internal::to_postgres_json(R"("\\u0000")"), R"("\\u0000")");
}

TEST(StoredText, WritesArraysAsLiterals) {
  EXPECT_EQ(text_array_literal({}), "{}");
  EXPECT_EQ(text_array_literal({"a", "b\"c", "d\\"}), R"({"a","b\"c","d\\"})");
}

}  // namespace
}  // namespace lamarck::store
