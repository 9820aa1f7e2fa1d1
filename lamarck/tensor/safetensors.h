// Named tensors in the safetensors format, which PyTorch, JAX and other
// libraries read and write.

#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "lamarck/base/result.h"
#include "lamarck/tensor/tensor.h"

namespace lamarck {

using NamedTensors = std::map<std::string, Tensor>;

// Writes all tensors as 32-bit floats.
std::string safetensors_to_bytes(const NamedTensors& tensors);
// Reads floats of 16, 32 and 64 bits, bfloat16, integers and booleans, and
// converts all to 32-bit floats. Returns an Error that states what is wrong if
// the file is damaged.
Result<NamedTensors> safetensors_from_bytes(std::string_view bytes);

Result<void> write_safetensors(const std::filesystem::path& path,
                               const NamedTensors& tensors);
Result<NamedTensors> read_safetensors(const std::filesystem::path& path);

}  // namespace lamarck
