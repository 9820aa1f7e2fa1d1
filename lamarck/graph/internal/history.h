// The recorded steps that backpropagation through time walks backward.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lamarck/graph/var.h"
#include "lamarck/tensor/tensor.h"

namespace lamarck {

class Plan;

// What happened to one row of the memories after a step: it took the new value,
// kept the old one (its sequence has ended), or was reset to the initial value.
enum class RowChange : std::uint8_t { Advanced, Held, Reset };

// Everything that the gradients of one step need.
struct StepRecord {
  NodeId target = 0;
  std::shared_ptr<Plan> plan;
  Tensor values;               // A copy of the plan's value buffers.
  std::vector<Tensor> leaves;  // Inputs and memories, in the plan's order.
  std::uint64_t run = 0;
  float target_value = 0;
  std::uint64_t parameter_changes = 0;
  std::uint64_t edits = 0;
  std::vector<RowChange> rows;    // Empty: all rows advanced.
  std::vector<NodeId> set_after;  // Memories that were set by hand after it.
};

// Clearing the history keeps the records' tensors allocated, so a training loop
// does not allocate after its first sequence.
class History {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  StepRecord& operator[](std::size_t at) { return records_[at]; }
  StepRecord& append();
  void clear() { size_ = 0; }

 private:
  std::vector<StepRecord> records_;
  std::size_t size_ = 0;
};

}  // namespace lamarck
