// Exports graphs as ONNX files, for ONNX Runtime and other engines.

#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "lamarck/graph/graph.h"

namespace lamarck {

// Exports everything that the outputs need, in opset 17. Inputs keep their
// names or are called "input_<node>"; their first axis accepts any size.
// Parameters and constants are part of the file. A memory becomes an input with
// its name and an output "<name>.next", so the caller carries it from step to
// step. The model is in evaluation mode: dropout is the identity, and batch
// norm uses its running statistics. Returns an Error if an operation has no
// ONNX equivalent.
Result<std::string> onnx_bytes(std::span<const Var> outputs);

// The same, written to a file.
Result<void> export_onnx(const std::filesystem::path& path,
                         std::span<const Var> outputs);

}  // namespace lamarck
