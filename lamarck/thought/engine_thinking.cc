#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "lamarck/base/macros.h"
#include "lamarck/thought/internal/engine_state.h"

namespace lamarck::thought {
namespace {

// Answers several requests concurrently, with one thread for each.
class ThinkerPool {
 public:
  ThinkerPool(Thinker& thinker, const Clock& clock, const CancelToken& cancel)
      : thinker_(thinker), clock_(clock), source_(cancel) {}
  ~ThinkerPool() { cancel(); }
  ThinkerPool(const ThinkerPool&) = delete;
  ThinkerPool& operator=(const ThinkerPool&) = delete;

  // Ignores a request that has already begun.
  void begin(const ThinkRequest& request) {
    if (!begun_.insert(request.id).second) return;
    ++busy_;
    threads_.emplace_back([this, request] {
      const auto start = clock_.elapsed();
      Result<ThoughtReply> reply = thought(request);
      const auto latency =
          duration_cast<std::chrono::milliseconds>(clock_.elapsed() - start);
      const std::lock_guard lock(mutex_);
      replies_.push_back({request.id, std::move(reply), latency});
      has_reply_.notify_one();
    });
  }

  bool is_busy() const { return busy_ > 0; }
  void cancel() { source_.cancel("The parallel run has its answer."); }

  // Waits for the next reply. REQUIRES: is_busy().
  RequestReply next() {
    std::unique_lock lock(mutex_);
    has_reply_.wait(lock, [&] { return !replies_.empty(); });
    RequestReply reply = std::move(replies_.front());
    replies_.pop_front();
    --busy_;
    return reply;
  }

 private:
  Result<ThoughtReply> thought(const ThinkRequest& request) {
    try {
      return thinker_.think(request, source_.token());
    } catch (const LogicError& failure) {
      return failure.error();
    } catch (const std::exception& failure) {
      return Error(ErrorCode::Internal, failure.what());
    }
  }

  Thinker& thinker_;
  const Clock& clock_;
  CancelSource source_;
  // Used by the caller's thread only.
  std::set<std::string> begun_;
  std::size_t busy_ = 0;

  std::mutex mutex_;
  std::condition_variable has_reply_;
  std::deque<RequestReply> replies_;  // Guarded by mutex_.

  // Last, so that the threads are joined before other members are destroyed.
  std::vector<std::jthread> threads_;
};

// In a race the first reply counts. Other strategies wait for the whole round
// and accept the replies in the order of their requests, so that the timing of
// the threads does not change the result.
std::vector<RequestReply> next_replies(ThinkerPool& pool, Strategy strategy) {
  std::vector<RequestReply> list;
  list.push_back(pool.next());
  if (strategy == Strategy::Race) return list;
  while (pool.is_busy()) list.push_back(pool.next());
  std::ranges::sort(list, {}, &RequestReply::request);
  return list;
}

}  // namespace

ThoughtEngine::Answer ThoughtEngine::run_parallel(const ParallelRun& run,
                                                  Thinker& thinker,
                                                  const Caller& caller,
                                                  const CancelToken& cancel) {
  ASSIGN_OR_RETURN(const std::string id, begin_parallel(run, caller));
  const internal::DrivenRuns::Mark mark(state_->driven, run.session, id);
  ThinkerPool pool(thinker, state_->clock, cancel);
  // Replies that come too late: only their tokens count.
  const auto settle = [&]() -> Result<void> {
    pool.cancel();
    while (pool.is_busy())
      RETURN_IF_ERROR(accept(run.session, id, {pool.next()}));
    return {};
  };
  while (!cancel.is_cancelled()) {
    ASSIGN_OR_RETURN(const auto requests, wanted(run.session, id));
    for (const ThinkRequest& request : requests) pool.begin(request);
    ASSIGN_OR_RETURN(auto answer, parallel_answer(run.session, id));
    if (answer) {
      RETURN_IF_ERROR(settle());
      return *std::move(answer);
    }
    if (!pool.is_busy()) break;
    const auto replies = next_replies(pool, run.strategy);
    if (cancel.is_cancelled()) break;
    RETURN_IF_ERROR(accept(run.session, id, replies));
  }
  Answer ended = cancel_parallel(run.session, id, caller);
  RETURN_IF_ERROR(settle());
  RETURN_IF_ERROR(cancel.check());
  return ended;
}

ThoughtEngine::Answer ThoughtEngine::cancel_parallel(std::string_view session,
                                                     std::string_view run,
                                                     const Caller& caller) {
  return state_->end_run(session, run, "cancelled", caller.node);
}

}  // namespace lamarck::thought
