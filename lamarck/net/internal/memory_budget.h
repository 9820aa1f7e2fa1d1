// A limit on the memory that slow clients make a server hold.

#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <unordered_set>

namespace lamarck::net::internal {

// Shared by the connections of a server. When they hold too much together, the
// budget asks holders to give up until the rest fits: first the one with the
// largest product of size and age, so that neither a large upload that makes
// progress nor a small slow one is the first.
// Thread safety: all members may be called from any thread.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  std::size_t max_bytes() const { return max_bytes_; }
  // What holders hold that were not asked to give up.
  std::size_t held_bytes() const;

  // The share of one connection. Thread safety: one thread at a time.
  class Holder {
   public:
    // `give_up` is called from any thread, under the budget's lock, at most
    // once until the holder holds nothing. It must only post to the thread of
    // the connection. The budget must outlive the holder.
    Holder(MemoryBudget& budget, std::function<void()> give_up);
    ~Holder() { hold(0, {}); }
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;

    // Replaces what is held. Cheap if it does not change.
    void hold(std::size_t bytes, std::chrono::nanoseconds now);
    // Whether it was asked to give up what it still holds.
    bool is_asked() const;

   private:
    friend class MemoryBudget;

    MemoryBudget& budget_;
    const std::function<void()> give_up_;
    // Guarded by the budget's mutex; only the holder's thread writes bytes_.
    std::size_t bytes_ = 0;
    std::chrono::nanoseconds since_{0};  // Holds something since then.
    bool is_asked_ = false;              // To give up.
  };

 private:
  void update(Holder& holder, std::size_t bytes, std::chrono::nanoseconds now);
  void ask_one(std::chrono::nanoseconds now);

  const std::size_t max_bytes_;
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::size_t held_bytes_ = 0;
  std::unordered_set<Holder*> holders_;  // That hold something.
};

}  // namespace lamarck::net::internal
