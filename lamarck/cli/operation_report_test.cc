#include "lamarck/cli/operation_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lamarck/cli/operation_text.h"
#include "lamarck/graph/operation_table.h"

namespace lamarck::cli {
namespace {

TEST(OperationReport, ContainsEveryOperation) {
  const Json report = operations_report();
  ASSERT_EQ(report["operations"].size(), operation_table().size());
  const std::string text = operations_text(report);
  const std::string page = operations_markdown(report);
  for (const Operation& operation : operation_table()) {
    const std::string name(operation.name);
    EXPECT_NE(text.find("\n  " + name + " "), std::string::npos) << name;
    EXPECT_NE(page.find("\n| `" + name + "` |"), std::string::npos) << name;
  }
}

TEST(OperationReport, ListsActivationsAmongUnaryOperations) {
  std::vector<std::string> wanted;
  for (const UnaryOp& op : unary_ops()) {
    if (op.is_activation) wanted.emplace_back(op.name);
  }
  EXPECT_EQ(operations_report()["activations"], Json(wanted));
}

TEST(OperationReport, ContainsOnnxOperatorsOfEveryOperation) {
  const Json report = operations_report();
  for (const Json& operation : report["operations"]) {
    EXPECT_FALSE(operation["onnx"]["operators"].empty()) << operation["name"];
  }
}

TEST(OperationReport, FindsOperatorsOfExpression) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(onnx_operators("Mul(x, Mul(0.5, Erf(x; to=1)))"),
            (Words{"Mul", "Erf"}));
  EXPECT_EQ(onnx_operators("Squeeze(LSTM@2(a, _), [0])"),
            (Words{"Squeeze", "LSTM"}));
  EXPECT_EQ(onnx_operators("LSTM@"), Words{});
  EXPECT_EQ(onnx_operators(""), Words{});
}

TEST(OperationReport, SuggestsNearestName) {
  const auto report = operation_report_named("matmull");
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(report.error().message(),
            "There is no operation 'matmull'; did you mean 'matmul'?");
}

}  // namespace
}  // namespace lamarck::cli
