#include "lamarck/graph/operation_table.h"

#include <string>

#include "lamarck/base/error.h"
#include "lamarck/base/suggestion.h"

namespace lamarck {

std::span<const Operation> operation_table() {
  static const std::vector<Operation> kTable = [] {
    std::vector<Operation> all;
    for (auto part : {elementwise_operations, matrix_operations,
                      reduction_operations, softmax_operations}) {
      for (Operation& operation : part()) all.push_back(std::move(operation));
    }
    return all;
  }();
  return kTable;
}

const Operation& operation_named(std::string_view name) {
  std::vector<std::string> names;
  for (const Operation& operation : operation_table()) {
    if (operation.name == name) return operation;
    names.emplace_back(operation.name);
  }
  const auto nearest = nearest_word(name, names);
  throw LogicError(
      Error(ErrorCode::NotFound,
            "There is no operation '" + std::string(name) + "'" +
                (nearest ? "; did you mean '" + *nearest + "'?" : ".")));
}

}  // namespace lamarck
