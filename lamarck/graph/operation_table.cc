#include "lamarck/graph/operation_table.h"

#include <array>
#include <utility>

#include "lamarck/base/named_entry.h"

namespace lamarck {
namespace {

// One file of operations.
struct Part {
  std::string_view group;
  std::vector<Operation> (*operations)();
};

constexpr std::array kParts = {
    Part{"elementwise", elementwise_operations},
    Part{"matrix", matrix_operations},
    Part{"shape", shape_operations},
    Part{"recurrent", recurrent_operations},
    Part{"reduction", reduction_operations},
    Part{"softmax", softmax_operations},
    Part{"vision", vision_operations},
    Part{"norm", norm_operations},
    Part{"dropout", dropout_operations},
    Part{"embedding", embedding_operations},
};

}  // namespace

std::span<const Operation> operation_table() {
  static const std::vector<Operation> kTable = [] {
    std::vector<Operation> all;
    for (const Part& part : kParts) {
      for (Operation& operation : part.operations()) {
        operation.group = part.group;
        all.push_back(std::move(operation));
      }
    }
    return all;
  }();
  return kTable;
}

const Operation& operation_named(std::string_view name) {
  return find_entry(operation_table(), name, "operation");
}

}  // namespace lamarck
