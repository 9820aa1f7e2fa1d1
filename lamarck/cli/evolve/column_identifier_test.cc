#include "lamarck/cli/evolve/column_identifier.h"

#include <gtest/gtest.h>

namespace lamarck::cli {
namespace {

using Names = std::vector<std::string>;

TEST(ColumnIdentifier, KeepsValidNames) {
  EXPECT_EQ(column_identifiers({"x", "v_1", "Temp"}),
            (Names{"x", "v_1", "Temp"}));
}

TEST(ColumnIdentifier, ReplacesUnitsAndBlanksByUnderscores) {
  EXPECT_EQ(column_identifiers({"v (m/s)", " mass ", "2nd", "%"}),
            (Names{"v_m_s", "mass", "x2nd", "x"}));
}

TEST(ColumnIdentifier, AppendsUnderscoreToReservedNames) {
  EXPECT_EQ(column_identifiers({"lambda", "params", "sin", "e", "np"}),
            (Names{"lambda_", "params_", "sin_", "e_", "np_"}));
}

TEST(ColumnIdentifier, IdentifiersAreUnique) {
  EXPECT_EQ(column_identifiers({"a b", "a-b", "a_b", "a_b_"}),
            (Names{"a_b__", "a_b___", "a_b", "a_b_"}));
  EXPECT_EQ(column_identifiers({"?", "!"}), (Names{"x", "x_"}));
}

TEST(ColumnIdentifier, KeepsLettersOfOtherAlphabets) {
  EXPECT_EQ(column_identifiers({"größe", "\xff\xfe"}), (Names{"größe", "x"}));
}

}  // namespace
}  // namespace lamarck::cli
