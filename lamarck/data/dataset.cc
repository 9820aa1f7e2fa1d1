#include "lamarck/data/dataset.h"

#include <utility>

#include "lamarck/base/ensure.h"
#include "lamarck/data/rows.h"

namespace lamarck::data {
namespace {

bool is_empty_or_complete(const std::vector<std::string>& names,
                          const Tensor& tensor) {
  return names.empty() || names.size() == row_size(tensor, "Dataset");
}

Tensor gathered(const Tensor& from, std::span<const std::size_t> indices) {
  Tensor to = Tensor::uninitialized(
      from.shape().with(0, static_cast<std::int64_t>(indices.size())));
  gather_rows(from, indices, to);
  return to;
}

}  // namespace

Dataset::Dataset(const Tensor& inputs, const Tensor& targets,
                 DatasetNames names)
    // Contiguous, so that rows can be copied as blocks of memory.
    : inputs_(inputs.contiguous()),
      targets_(targets.contiguous()),
      names_(std::move(names)),
      size_(row_count(inputs, "Dataset")) {
  if (row_count(targets, "Dataset") != size_) {
    throw_shape_mismatch("Dataset", inputs.shape(), targets.shape(),
                         "each row of inputs must have one row of targets");
  }
  REQUIRE(is_empty_or_complete(names_.inputs, inputs_) &&
              is_empty_or_complete(names_.targets, targets_) &&
              is_empty_or_complete(names_.classes, targets_),
          "Dataset: each list of names must be empty or have one name per "
          "number of a row, got {} input names for rows of {}, and {} target "
          "names and {} class names for rows of {}.",
          names_.inputs.size(), row_size(inputs_, "Dataset"),
          names_.targets.size(), names_.classes.size(),
          row_size(targets_, "Dataset"));
}

Dataset Dataset::rows(std::span<const std::size_t> indices) const {
  return {gathered(inputs_, indices), gathered(targets_, indices), names_};
}

Dataset Dataset::rows(std::initializer_list<std::size_t> indices) const {
  return rows(std::span(indices.begin(), indices.size()));
}

}  // namespace lamarck::data
