// Reads ONNX files, so that a model from elsewhere can be trained, evolved and
// exported here.

#pragma once

#include <filesystem>
#include <string_view>

#include "lamarck/base/result.h"
#include "lamarck/graph/graph.h"

namespace lamarck {

// Returns a graph with the inputs and outputs of the model under their names.
// Weights become parameters and the statistics of batch norm become buffers;
// dropout is left out. A size of an input that the model leaves open starts as
// 1 and may change with `set_value`.
//
// Reads matrix products (MatMul, Gemm), Conv and pooling in two dimensions,
// batch and layer norm, LSTM, GRU and RNN in one direction, elementwise
// functions and arithmetic, reductions, softmax, and the operators that change
// shapes, with shapes that are part of the model. Returns an Error that names
// the operator if the model has another one.
Result<Graph> import_onnx(const std::filesystem::path& path);
Result<Graph> graph_from_onnx(std::string_view bytes);

}  // namespace lamarck
