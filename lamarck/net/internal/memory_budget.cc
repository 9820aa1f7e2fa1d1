#include "lamarck/net/internal/memory_budget.h"

#include <utility>

namespace lamarck::net::internal {
namespace {

using std::chrono::nanoseconds;

// The memory times the seconds it is held for. A second is added, so that size
// decides between new holders.
double weight(std::size_t bytes, nanoseconds age) {
  constexpr std::chrono::duration<double> kSecond{1};
  return static_cast<double>(bytes) * (kSecond + age).count();
}

}  // namespace

MemoryBudget::Holder::Holder(MemoryBudget& budget,
                             std::function<void()> give_up)
    : budget_(budget), give_up_(std::move(give_up)) {}

void MemoryBudget::Holder::hold(std::size_t bytes, nanoseconds now) {
  if (bytes != bytes_) budget_.update(*this, bytes, now);
}

bool MemoryBudget::Holder::is_asked() const {
  const std::lock_guard lock(budget_.mutex_);
  return is_asked_;
}

std::size_t MemoryBudget::held_bytes() const {
  const std::lock_guard lock(mutex_);
  return held_bytes_;
}

void MemoryBudget::update(Holder& holder, std::size_t bytes, nanoseconds now) {
  const std::lock_guard lock(mutex_);
  if (!holder.is_asked_) {
    held_bytes_ -= holder.bytes_;
    held_bytes_ += bytes;
  }
  if (holder.bytes_ == 0) {
    holders_.insert(&holder);
    holder.since_ = now;
  }
  holder.bytes_ = bytes;
  if (bytes == 0) {
    holders_.erase(&holder);
    holder.is_asked_ = false;
  }
  while (held_bytes_ > max_bytes_) ask_one(now);
}

// REQUIRES: a holder that was not asked yet holds something.
void MemoryBudget::ask_one(nanoseconds now) {
  Holder* first = nullptr;
  double largest = 0;
  for (Holder* const holder : holders_) {
    if (holder->is_asked_) continue;
    const double its = weight(holder->bytes_, now - holder->since_);
    if (first != nullptr && its <= largest) continue;
    first = holder;
    largest = its;
  }
  first->is_asked_ = true;
  held_bytes_ -= first->bytes_;
  first->give_up_();
}

}  // namespace lamarck::net::internal
