// Reads IDX files, the format of MNIST and similar data sets.

#pragma once

#include <filesystem>
#include <string_view>

#include "lamarck/base/result.h"
#include "lamarck/tensor/tensor.h"

namespace lamarck::data {

// Returns the stored numbers as floats, unscaled (MNIST's pixels are 0 to 255,
// its labels 0 to 9). Supports all six element types of the format. Fails for a
// compressed file, a damaged header, or sizes that do not match the length.
Result<Tensor> read_idx(const std::filesystem::path& path);
Result<Tensor> parse_idx(std::string_view bytes);

}  // namespace lamarck::data
