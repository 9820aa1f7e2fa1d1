#include "lamarck/evolution/node_function.h"

#include <gtest/gtest.h>

#include "lamarck/evolution/node_kind.h"

namespace lamarck::evolution {
namespace {

template <class Table, class Named>
void expect_names_round_trip(const Table& table, Named named) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(table[i].value), i);
    EXPECT_EQ(name_of(table[i].value), table[i].name);
    const auto back = named(table[i].name);
    ASSERT_TRUE(back) << table[i].name;
    EXPECT_EQ(*back, table[i].value);
  }
}

TEST(NodeFunction, NamesRoundTrip) {
  expect_names_round_trip(activation_table(), activation_named);
  expect_names_round_trip(aggregation_table(), aggregation_named);
  expect_names_round_trip(loss_table(), loss_named);
}

TEST(NodeFunction, ErrorsQuoteUnknownName) {
  for (const char* name : {"", "Tanh", "tan", "tanh "}) {
    const auto found = activation_named(name);
    ASSERT_FALSE(found);
    EXPECT_NE(found.error().message().find("'" + std::string(name) + "'"),
              std::string::npos);
  }
  EXPECT_FALSE(aggregation_named("median"));
  EXPECT_FALSE(loss_named("hinge"));
}

TEST(NodeKind, NamesRoundTrip) {
  for (const Role role : {Role::Input, Role::Hidden, Role::Output}) {
    EXPECT_EQ(role_named(name_of(role)).value(), role);
  }
  for (const Cell cell : {Cell::Dense, Cell::Conv, Cell::Lstm, Cell::Gru}) {
    EXPECT_EQ(cell_named(name_of(cell)).value(), cell);
  }
  EXPECT_FALSE(role_named("hero"));
  EXPECT_FALSE(cell_named("transformer"));
}

}  // namespace
}  // namespace lamarck::evolution
