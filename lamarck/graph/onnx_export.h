// Graphs as ONNX files, which ONNX Runtime and many others run.

#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "lamarck/graph/graph.h"

namespace lamarck {

// What the outputs need, in opset 17. Inputs keep their names, or are called
// "input_<node>"; their first axis may have any size. Parameters and constants
// go into the file. A memory becomes an input of its name and an output
// "<name>.next", so that a caller carries it from step to step. Dropout is left
// out and batch norm uses its running statistics, as in eval mode.
Result<std::string> onnx_bytes(std::span<const Var> outputs);

Result<void> export_onnx(const std::filesystem::path& path,
                         std::span<const Var> outputs);

}  // namespace lamarck
