#include "lamarck/server/mcp/internal/mcp_catalog.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/server/mcp/internal/mcp_fixture.h"

namespace lamarck::mcp {
namespace {

std::string error_after(const std::function<void(Registry&)>& change) {
  Registry registry = example_registry();
  change(registry);
  const auto catalog = McpCatalog::create(std::move(registry), 100);
  return catalog.has_value() ? "" : catalog.error().message();
}

TEST(McpCatalog, ErrorNamesInvalidEntry) {
  EXPECT_EQ(error_after([](Registry&) {}), "");
  const std::vector<std::pair<std::function<void(Registry&)>, std::string>>
      cases = {
          {[](Registry& r) { r.tools[1].name = "echo"; }, "echo"},
          {[](Registry& r) { r.tools[1].name = "a b"; }, "a b"},
          {[](Registry& r) { r.tools[1].call = nullptr; }, "wait"},
          {[](Registry& r) { r.tools[1].input_schema = "{"; }, "wait"},
          {[](Registry& r) { r.tools[1].input_schema = "{}"; }, "wait"},
          {[](Registry& r) {
             r.tools[1].input_schema =
                 R"({"type":"object","properties":{"a":{"$ref":"#/no"}}})";
           },
           "wait"},
          {[](Registry& r) { r.tools[1].output_schema = R"({"type":1})"; },
           "wait"},
          {[](Registry& r) { r.resources[1].uri = "test://static"; },
           "test://static"},
          {[](Registry& r) { r.templates[0].uri_template = "x://{"; }, "x://{"},
          {[](Registry& r) { r.prompts.push_back(r.prompts[0]); }, "greet"},
          {[](Registry& r) { r.completers[0].of = "nobody"; }, "nobody"},
      };
  for (const auto& [change, name] : cases) {
    EXPECT_NE(error_after(change).find(name), std::string::npos)
        << name << ": " << error_after(change);
  }
}

TEST(McpCatalog, PreservesSchemaText) {
  Registry registry = example_registry();
  registry.tools[0].input_schema =
      R"({"type":"object","$schema":"https://json-schema.org/draft/2020-12/)"
      R"(schema","properties":{"z":{},"a":true},"$defs":{}})";
  const std::string written = registry.tools[0].input_schema;
  const auto catalog = McpCatalog::create(std::move(registry), 100).value();
  EXPECT_NE(catalog->list_result(McpMethod::ListTools, Era::Modern, "")
                ->find(written),
            std::string::npos);
}

}  // namespace
}  // namespace lamarck::mcp
