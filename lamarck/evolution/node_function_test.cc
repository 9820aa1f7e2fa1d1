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
  expect_names_round_trip(activation_table(), parse_activation);
  expect_names_round_trip(aggregation_table(), parse_aggregation);
  expect_names_round_trip(loss_table(), parse_loss);
}

TEST(NodeFunction, ErrorsQuoteUnknownName) {
  for (const char* name : {"", "Tanh", "tan", "tanh "}) {
    const auto found = parse_activation(name);
    ASSERT_FALSE(found);
    EXPECT_NE(found.error().message().find("'" + std::string(name) + "'"),
              std::string::npos);
  }
  EXPECT_FALSE(parse_aggregation("median"));
  EXPECT_FALSE(parse_loss("hinge"));
}

TEST(NodeKind, NamesRoundTrip) {
  for (const Role role : {Role::Input, Role::Hidden, Role::Output}) {
    EXPECT_EQ(parse_role(name_of(role)).value(), role);
  }
  for (const Cell cell : {Cell::Dense, Cell::Conv, Cell::Lstm, Cell::Gru}) {
    EXPECT_EQ(parse_cell(name_of(cell)).value(), cell);
  }
  EXPECT_FALSE(parse_role("hero"));
  EXPECT_FALSE(parse_cell("transformer"));
}

}  // namespace
}  // namespace lamarck::evolution
