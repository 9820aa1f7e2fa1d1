#include "lamarck/graph/operation_table.h"

#include <utility>

#include "lamarck/base/named_entry.h"

namespace lamarck {

std::span<const Operation> operation_table() {
  static const std::vector<Operation> kTable = [] {
    std::vector<Operation> all;
    for (auto part :
         {elementwise_operations, matrix_operations, recurrent_operations,
          reduction_operations, softmax_operations, vision_operations,
          norm_operations, dropout_operations, embedding_operations}) {
      for (Operation& operation : part()) all.push_back(std::move(operation));
    }
    return all;
  }();
  return kTable;
}

const Operation& operation_named(std::string_view name) {
  return entry_named(operation_table(), name, "operation");
}

}  // namespace lamarck
