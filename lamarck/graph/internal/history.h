// The steps that backpropagation through time goes back over.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lamarck/graph/var.h"
#include "lamarck/tensor/tensor.h"

namespace lamarck {

class Plan;

// What became of one row of the memories after a step.
enum class RowChange : std::uint8_t { Advanced, Held, Reset };

// One step: all that its gradients need.
struct StepRecord {
  NodeId target = 0;
  std::shared_ptr<Plan> plan;
  Tensor values;               // Of the plan's buffers.
  std::vector<Tensor> leaves;  // Inputs and memories, in the plan's order.
  std::uint64_t run = 0;
  float target_value = 0;
  std::uint64_t parameter_changes = 0;
  std::uint64_t edits = 0;
  std::vector<RowChange> rows;    // Empty: all advanced.
  std::vector<NodeId> set_after;  // Memories given another value after it.
};

// Records keep their memory when the history is cleared.
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
