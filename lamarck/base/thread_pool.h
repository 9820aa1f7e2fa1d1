// Threads that share out a loop.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "lamarck/base/cancel_token.h"

namespace lamarck {

// Thread safety: any member from any thread, also from inside the work, so
// loops may be nested.
class ThreadPool {
 public:
  // `threads` counts the caller, who works too; 0 means one for each core.
  // Throws std::system_error when the machine gives no more threads.
  explicit ThreadPool(std::size_t threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::size_t size() const;

  // Calls work(0) .. work(count - 1), in any order and side by side, and
  // returns when all are done. What the work gives must depend on its index
  // alone (`rng.split(index)`); then the thread count changes nothing. If calls
  // throw, the exception of the lowest index is thrown on, whatever the
  // timing; higher indices may then be left out.
  void parallel_for(std::size_t count,
                    const std::function<void(std::size_t)>& work);
  // Likewise, but begins no more calls once `cancel` is cancelled. Returns
  // whether every index was done.
  [[nodiscard]] bool parallel_for(std::size_t count,
                                  const std::function<void(std::size_t)>& work,
                                  const CancelToken& cancel);

  // {work(0), .., work(count - 1)}
  template <class F>
  auto parallel_map(std::size_t count, F&& work) {
    using Value = std::invoke_result_t<F, std::size_t>;
    std::vector<std::optional<Value>> results(count);
    parallel_for(count, [&](std::size_t i) { results[i].emplace(work(i)); });
    std::vector<Value> values;
    values.reserve(count);
    for (auto& result : results) values.push_back(std::move(*result));
    return values;
  }

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lamarck
