// Examples to learn from: what goes in beside what should come out.

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
  std::vector<std::string> inputs;   // One for each number of an input row.
  std::vector<std::string> targets;  // Likewise of a target row.
  std::vector<std::string> classes;  // Of one-hot targets; empty otherwise.
};

// Row i of the inputs belongs to row i of the targets. Copies share their
// elements, as tensors do.
class Dataset {
 public:
  // Throws LogicError if the numbers of rows differ or names do not fit.
  Dataset(const Tensor& inputs, const Tensor& targets, DatasetNames names = {});

  std::size_t size() const { return size_; }
  const Tensor& inputs() const { return inputs_; }    // Contiguous.
  const Tensor& targets() const { return targets_; }  // Likewise.
  const DatasetNames& names() const { return names_; }
  const std::vector<std::string>& class_names() const { return names_.classes; }

  // A data set of copies of these rows, in this order; a row may come twice.
  // Throws LogicError if there is no such row.
  Dataset rows(std::span<const std::size_t> indices) const;
  Dataset rows(std::initializer_list<std::size_t> indices) const;

 private:
  Tensor inputs_;
  Tensor targets_;
  DatasetNames names_;
  std::size_t size_;
};

}  // namespace lamarck::data
