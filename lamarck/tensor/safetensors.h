// Named tensors in the safetensors format, which PyTorch, JAX and others read
// and write.

#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "lamarck/base/result.h"
#include "lamarck/tensor/tensor.h"

namespace lamarck {

using NamedTensors = std::map<std::string, Tensor>;

// As 32-bit floats.
std::string safetensors_to_bytes(const NamedTensors& tensors);
// Floats of 16, 32 and 64 bits, bfloat16, integers and booleans, all turned
// into 32-bit floats. A damaged file is an Error that says what is wrong.
Result<NamedTensors> safetensors_from_bytes(std::string_view bytes);

Result<void> write_safetensors(const std::filesystem::path& path,
                               const NamedTensors& tensors);
Result<NamedTensors> read_safetensors(const std::filesystem::path& path);

}  // namespace lamarck
