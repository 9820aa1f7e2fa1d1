#include "lamarck/agent/provenance.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace lamarck::agent {
namespace {

const std::vector<std::string> kTexts = {"Weather in Bern for 12 days",
                                         R"({"id":"a-7","price":1.5})"};

TEST(Provenance, AcceptsValuesFromTaskAndResults) {
  EXPECT_TRUE(check_provenance({{"city", "bern"}, {"days", 12}}, {}, kTexts));
  EXPECT_TRUE(check_provenance({{"list", {"a-7", 1.5, true}}}, {}, kTexts));
}

TEST(Provenance, AcceptsConstantsOfSchema) {
  const Json schema = {
      {"properties", {{"unit", {{"enum", {"celsius", "kelvin"}}}}}}};
  EXPECT_TRUE(check_provenance({{"unit", "kelvin"}}, schema, kTexts));
  EXPECT_FALSE(check_provenance({{"unit", "rankine"}}, schema, kTexts));
}

TEST(Provenance, RefusesInventedValues) {
  EXPECT_FALSE(check_provenance({{"city", "Paris"}}, {}, kTexts));
  EXPECT_FALSE(check_provenance({{"days", 1}}, {}, kTexts));
  EXPECT_FALSE(check_provenance({{"days", {{"deep", 2}}}}, {}, kTexts));
}

}  // namespace
}  // namespace lamarck::agent
