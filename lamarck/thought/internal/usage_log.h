// The tokens of all ended sessions of a journal, computed by replaying the run
// "usage".

#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "lamarck/base/clock.h"
#include "lamarck/base/result.h"
#include "lamarck/store/journal.h"
#include "lamarck/thought/session.h"

namespace lamarck::thought::internal {

struct Usage {
  std::int64_t sessions = 0;
  std::int64_t tokens = 0;
};

// Thread safety: all members may be called from any thread.
class UsageLog {
 public:
  // Both must outlive this.
  UsageLog(store::Journal& journal, const Clock& clock)
      : journal_(journal), clock_(clock) {}

  // Records a session that has ended, once. A failure is ignored: the events of
  // the session are safe without it.
  void record(const Session& session);
  // What was recorded so far.
  Result<Usage> ended();

 private:
  store::Journal& journal_;
  const Clock& clock_;

  std::mutex mutex_;
  // Guarded by mutex_.
  std::uint64_t head_ = 0;
  Usage usage_;
};

}  // namespace lamarck::thought::internal
