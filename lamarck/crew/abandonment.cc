#include "lamarck/crew/abandonment.h"

namespace lamarck::crew {

CancelToken Abandonment::token() const {
  const std::lock_guard lock(mutex_);
  return source_->token();
}

void Abandonment::set() {
  const std::lock_guard lock(mutex_);
  is_set_ = true;
  source_->cancel("The step was abandoned.");
}

void Abandonment::clear() {
  const std::lock_guard lock(mutex_);
  if (is_set_) source_ = std::make_unique<CancelSource>();
  is_set_ = false;
}

}  // namespace lamarck::crew
