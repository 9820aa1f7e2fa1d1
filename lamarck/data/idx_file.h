// The files in which MNIST and its kin are published.

#pragma once

#include <filesystem>
#include <string_view>

#include "lamarck/base/result.h"
#include "lamarck/tensor/tensor.h"

namespace lamarck::data {

// The numbers as they are stored (MNIST's pixels are 0 to 255, its labels 0 to
// 9), of any of the format's six types, as floats. Does not decompress.
Result<Tensor> read_idx(const std::filesystem::path& path);
Result<Tensor> parse_idx(std::string_view bytes);

}  // namespace lamarck::data
