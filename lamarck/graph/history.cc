#include "lamarck/graph/internal/history.h"

namespace lamarck {

StepRecord& History::append() {
  // Reuse a cleared record, with its tensors, if there is one.
  if (size_ == records_.size()) records_.emplace_back();
  StepRecord& record = records_[size_++];
  record.rows.clear();
  record.set_after.clear();
  return record;
}

}  // namespace lamarck
