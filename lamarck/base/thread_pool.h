// A pool of threads that runs loops in parallel.

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
// loops may nest.
class ThreadPool {
 public:
  // `threads` includes the calling thread, which works too; 0 means one per
  // core. Throws std::system_error if the system cannot create the threads.
  explicit ThreadPool(std::size_t threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::size_t size() const;

  // Calls work(0) .. work(count - 1) concurrently, in any order, and returns
  // when all are done. If the work depends only on its index (use
  // `rng.split(index)`), the result does not depend on the thread count. If
  // calls throw, rethrows the exception of the lowest index, whatever the
  // timing; higher indices may then be skipped.
  void parallel_for(std::size_t count,
                    const std::function<void(std::size_t)>& work);
  // Like above, but starts no more calls once `cancel` is cancelled. Returns
  // whether every index was done.
  [[nodiscard]] bool parallel_for(std::size_t count,
                                  const std::function<void(std::size_t)>& work,
                                  const CancelToken& cancel);

  // Returns {work(0), .., work(count - 1)}.
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
