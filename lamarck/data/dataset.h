// Supervised examples: inputs with their targets.

#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "lamarck/tensor/tensor.h"

namespace lamarck::data {

// Each list is empty or complete.
struct DatasetNames {
  std::vector<std::string> inputs;   // One per number of an input row.
  std::vector<std::string> targets;  // One per number of a target row.
  std::vector<std::string> classes;  // For one-hot targets; else empty.
};

// Row i of the inputs belongs to row i of the targets. Copies share their
// elements, like copies of tensors.
class Dataset {
 public:
  // Throws LogicError if the row counts differ or a list of names is
  // incomplete.
  Dataset(const Tensor& inputs, const Tensor& targets, DatasetNames names = {});

  std::size_t size() const { return size_; }
  const Tensor& inputs() const { return inputs_; }    // Contiguous.
  const Tensor& targets() const { return targets_; }  // Contiguous.
  const DatasetNames& names() const { return names_; }
  const std::vector<std::string>& class_names() const { return names_.classes; }

  // Returns copies of the given rows, in that order; rows may repeat. Throws
  // LogicError if an index is out of range.
  Dataset rows(std::span<const std::size_t> indices) const;
  Dataset rows(std::initializer_list<std::size_t> indices) const;

 private:
  Tensor inputs_;
  Tensor targets_;
  DatasetNames names_;
  std::size_t size_;
};

}  // namespace lamarck::data
