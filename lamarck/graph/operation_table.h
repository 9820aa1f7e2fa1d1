// The list of all operations. Evaluation, gradient tests, model files, ONNX
// export and docs/operations.md iterate over it, so a new operation is one new
// entry.

#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "lamarck/graph/operation.h"

namespace lamarck {

std::span<const Operation> operation_table();

// Throws a LogicError that suggests the nearest name if there is no such
// operation.
const Operation& operation_named(std::string_view name);

// The parts of the list, each in its own file.
std::vector<Operation> elementwise_operations();
std::vector<Operation> matrix_operations();
std::vector<Operation> shape_operations();
std::vector<Operation> recurrent_operations();
std::vector<Operation> reduction_operations();
std::vector<Operation> softmax_operations();
std::vector<Operation> vision_operations();
std::vector<Operation> norm_operations();
std::vector<Operation> dropout_operations();
std::vector<Operation> embedding_operations();

}  // namespace lamarck
