#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/thought/internal/engine_state.h"
#include "lamarck/thought/internal/parallel_turn.h"

namespace lamarck::thought {
namespace {

using internal::RequestDigest;
using internal::Turn;

// Thinks of several requests at a time, one thread for each.
class Crowd {
 public:
  struct Said {
    std::string request;
    Result<ThoughtReply> reply;
  };

  Crowd(Thinker& thinker, const CancelToken& cancel)
      : thinker_(thinker), source_(cancel) {}
  ~Crowd() { source_.cancel("The parallel run has its answer."); }
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  // What is being thought of already is not begun again.
  void begin(const ThinkRequest& request) {
    if (!begun_.insert(request.id).second) return;
    ++busy_;
    threads_.emplace_back([this, request] {
      Result<ThoughtReply> reply = thought(request);
      const std::lock_guard lock(mutex_);
      said_.push_back({request.id, std::move(reply)});
      has_said_.notify_one();
    });
  }

  bool is_busy() const { return busy_ > 0; }

  // REQUIRES: busy.
  Said next() {
    std::unique_lock lock(mutex_);
    has_said_.wait(lock, [&] { return !said_.empty(); });
    Said said = std::move(said_.front());
    said_.pop_front();
    --busy_;
    return said;
  }

 private:
  Result<ThoughtReply> thought(const ThinkRequest& request) {
    try {
      return thinker_.think(request, source_.token());
    } catch (const std::exception& failure) {
      return Error(ErrorCode::Internal, failure.what());
    }
  }

  Thinker& thinker_;
  CancelSource source_;
  std::set<std::string> begun_;
  std::size_t busy_ = 0;

  std::mutex mutex_;
  std::condition_variable has_said_;
  std::deque<Said> said_;  // Guarded by mutex_.

  std::vector<std::jthread> threads_;  // Joined first.
};

// In a race whoever is first counts; else all of a round are heard before the
// first is told on, in the order of the requests, so that the threads' timing
// changes nothing.
std::vector<Crowd::Said> heard(Crowd& crowd, Strategy strategy) {
  std::vector<Crowd::Said> list;
  list.push_back(crowd.next());
  if (strategy == Strategy::Race) return list;
  while (crowd.is_busy()) list.push_back(crowd.next());
  std::ranges::sort(list, {}, &Crowd::Said::request);
  return list;
}

}  // namespace

ThoughtEngine::Answer ThoughtEngine::run_parallel(const ParallelRun& run,
                                                  Thinker& thinker,
                                                  const Caller& caller,
                                                  const CancelToken& cancel) {
  ASSIGN_OR_RETURN(const std::string id, begin_parallel(run, caller));
  const internal::DrivenRuns::Mark mark(state_->driven, run.session, id);
  Crowd crowd(thinker, cancel);
  while (!cancel.is_cancelled()) {
    ASSIGN_OR_RETURN(const auto requests, wanted(run.session, id));
    for (const ThinkRequest& request : requests) crowd.begin(request);
    ASSIGN_OR_RETURN(auto answer, parallel_answer(run.session, id));
    if (answer) return *std::move(answer);
    if (!crowd.is_busy()) break;
    for (Crowd::Said& said : heard(crowd, run.strategy)) {
      if (cancel.is_cancelled()) break;
      RETURN_IF_ERROR(
          accept(run.session, id, said.request, std::move(said.reply)));
    }
  }
  Answer ended = cancel_parallel(run.session, id, caller);
  RETURN_IF_ERROR(cancel.check());
  return ended;
}

ThoughtEngine::Answer ThoughtEngine::cancel_parallel(std::string_view session,
                                                     std::string_view run,
                                                     const Caller& caller) {
  return end_parallel(session, run, "cancelled", caller);
}

ThoughtEngine::Answer ThoughtEngine::end_parallel(std::string_view session,
                                                  std::string_view run,
                                                  const std::string& reason,
                                                  const Caller& caller) {
  const auto decide = [&](Turn& turn) -> Result<Json> {
    ASSIGN_OR_RETURN(const internal::ParallelState state,
                     internal::run_of(turn.session(), run));
    if (is_final(turn.session().state)) return Json::object();
    return internal::end_without_winner(turn, state, reason);
  };
  return state_->transact(session, {.node = caller.node},
                          RequestDigest("cancel"), decide);
}

}  // namespace lamarck::thought
