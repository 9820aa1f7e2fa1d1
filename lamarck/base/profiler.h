// Typed events that a component sends to the functions registered with it.
//
//   struct BestImproved {
//     static constexpr std::string_view type = "best_improved";
//     double payload;
//   };
//   using IslandEvent = std::variant<BestImproved, Emptied>;
//
//   Remover remove = island.use_profiler([](const IslandEvent& event) { ... });
//   remove();

#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lamarck {

// Unregisters one function. May be called repeatedly, also after the component
// is destroyed. Discarding it leaves the function registered.
using Remover = std::function<void()>;

// The `type` of the event that the variant holds.
template <class... Events>
std::string_view event_type(const std::variant<Events...>& event) {
  return std::visit(
      [](const auto& held) -> std::string_view { return held.type; }, event);
}

namespace internal {
void log_profiler_failure(std::string_view what);
}

// Thread safety: any member from any thread, also from inside a function.
// A function is never called by two threads at once, so it needs no lock; it
// must not wait for another thread that sends to it. An exception that a
// function throws is logged and ignored.
template <class Event>
class Profiler {
 public:
  using Function = std::function<void(const Event&)>;

  // Registers `function` for all events sent from now on. After the remover
  // returns, the function is not called again and no call is in progress,
  // unless the function removed itself.
  Remover use_profiler(Function function) {
    auto slot = std::make_shared<Slot>(std::move(function));
    slots_->add(slot);
    return [slots = std::weak_ptr<Slots>(slots_),
            weak = std::weak_ptr<Slot>(slot)] {
      const auto held = weak.lock();
      if (held == nullptr) return;
      if (const auto list = slots.lock()) list->remove(held);
      held->close();
    };
  }

  void send(const Event& event) const {
    if (slots_->is_empty()) return;
    const std::shared_ptr<const List> list = slots_->current();
    for (const auto& slot : *list) slot->call(event);
  }

 private:
  class Slot {
   public:
    explicit Slot(Function function) : function_(std::move(function)) {}

    void call(const Event& event) {
      const std::lock_guard lock(mutex_);
      if (closed_) return;
      try {
        function_(event);
      } catch (const std::exception& failure) {
        internal::log_profiler_failure(failure.what());
      } catch (...) {
        internal::log_profiler_failure("it is not a std::exception");
      }
    }

    void close() {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }

   private:
    // Recursive, because a function may send events or remove itself.
    std::recursive_mutex mutex_;
    bool closed_ = false;  // Guarded by mutex_.
    const Function function_;
  };

  using List = std::vector<std::shared_ptr<Slot>>;

  // Copy-on-write: `send` iterates over a snapshot without holding the lock.
  class Slots {
   public:
    bool is_empty() const { return count_ == 0; }

    std::shared_ptr<const List> current() const {
      const std::lock_guard lock(mutex_);
      return list_;
    }
    void add(std::shared_ptr<Slot> slot) {
      change([&](List& list) { list.push_back(std::move(slot)); });
    }
    void remove(const std::shared_ptr<Slot>& slot) {
      change([&](List& list) { std::erase(list, slot); });
    }

   private:
    template <class F>
    void change(F&& edit) {
      const std::lock_guard lock(mutex_);
      auto next = std::make_shared<List>(*list_);
      edit(*next);
      count_ = next->size();
      list_ = std::move(next);
    }

    mutable std::mutex mutex_;
    std::shared_ptr<const List> list_ = std::make_shared<List>();  // Guarded.
    std::atomic<std::size_t> count_ = 0;  // Lets `send` skip the lock if empty.
  };

  std::shared_ptr<Slots> slots_ = std::make_shared<Slots>();
};

}  // namespace lamarck
