// Runs the required tests of the official JSON Schema test suite, draft
// 2020-12.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/base/file.h"
#include "lamarck/base/json.h"
#include "lamarck/schema/json_schema.h"

namespace lamarck::schema {
namespace {

namespace fs = std::filesystem;

const fs::path kSuite = fs::path(LAMARCK_DATA) / "json-schema-2020-12";

Json read_json(const fs::path& path) {
  return parse_json(read_file(path).value()).value();
}

SchemaOptions options_with_remotes() {
  SchemaOptions options;
  const fs::path remotes = kSuite / "remotes";
  for (const auto& entry : fs::recursive_directory_iterator(remotes)) {
    if (!entry.is_regular_file()) continue;
    const std::string name = fs::relative(entry.path(), remotes).string();
    options.documents["http://localhost:1234/" + name] =
        read_json(entry.path());
  }
  return options;
}

// Runs one group of tests and returns their number.
std::size_t run_group(const Json& group, const SchemaOptions& options) {
  const auto schema = JsonSchema::compile(group["schema"], options);
  EXPECT_TRUE(schema) << group["description"] << ": "
                      << (schema ? "" : schema.error().message());
  if (!schema) return 0;
  for (const Json& test : group["tests"]) {
    const auto violations = schema->validate(test["data"]);
    EXPECT_TRUE(violations)
        << group["description"] << ": " << test["description"];
    if (!violations) continue;
    EXPECT_EQ(violations->empty(), test["valid"].get<bool>())
        << group["description"] << ": " << test["description"] << ": "
        << (violations->empty() ? "" : violations->front().message);
  }
  return group["tests"].size();
}

TEST(JsonSchemaSuite, PassesAllRequiredTests) {
  const SchemaOptions options = options_with_remotes();
  ASSERT_EQ(options.documents.size(), 23U);
  std::size_t test_count = 0;
  for (const auto& entry : fs::directory_iterator(kSuite)) {
    if (entry.path().extension() != ".json") continue;
    SCOPED_TRACE(entry.path().filename().string());
    for (const Json& group : read_json(entry.path())) {
      test_count += run_group(group, options);
    }
  }
  EXPECT_EQ(test_count, 1299U);
}

}  // namespace
}  // namespace lamarck::schema
