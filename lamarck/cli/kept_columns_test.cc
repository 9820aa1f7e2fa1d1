#include "lamarck/cli/kept_columns.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/data/csv.h"

namespace lamarck::cli {
namespace {

constexpr const char* kRows = "id,x,name\n007,1.50,=A1\n,2,\"b, c\"\n";

data::Table predictions() {
  return data::parse_csv("prediction\n10\n20\n").value();
}

std::string written(const std::optional<std::string>& list) {
  const auto kept = parse_kept_columns(list).value();
  const auto table = with_kept_columns(kept, kRows, predictions());
  return table ? data::to_csv(*table) : table.error().message();
}

TEST(KeptColumns, AreWrittenExactlyAsRead) {
  EXPECT_EQ(written("all"),
            "id,x,name,prediction\n007,1.50,=A1,10\n,2,\"b, c\",20\n");
  EXPECT_EQ(written("name,x"),
            "x,name,prediction\n1.50,=A1,10\n2,\"b, c\",20\n");
}

TEST(KeptColumns, AreIdsByDefault) {
  EXPECT_EQ(written(std::nullopt), "id,prediction\n007,10\n,20\n");
  EXPECT_EQ(written("none"), "prediction\n10\n20\n");
}

TEST(KeptColumns, RejectsUnknownAndRepeatedNames) {
  EXPECT_EQ(written("nam"), "There is no column 'nam'; did you mean 'name'?");
  const auto kept = parse_kept_columns("all").value();
  EXPECT_EQ(with_kept_columns(kept, "prediction\n1\n2\n", predictions())
                .error()
                .message(),
            "The table already has a column 'prediction', like the "
            "predictions; rename it, or leave it out of --keep.");
}

TEST(KeptColumns, JsonHasOneObjectPerRow) {
  const auto kept = parse_kept_columns("id").value();
  const auto table = with_kept_columns(kept, kRows, predictions()).value();

  EXPECT_EQ(rows_json(table), Json::parse(R"([{"id": "007", "prediction": 10},
                            {"id": null, "prediction": 20}])"));
}

}  // namespace
}  // namespace lamarck::cli
