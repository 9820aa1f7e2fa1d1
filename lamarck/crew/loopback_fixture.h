// For tests: members of a crew that are threads of this process.

#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "lamarck/crew/transport.h"

namespace lamarck::crew {

// Passes letters between transports. Thread safety: all members.
class LoopbackHub : public std::enable_shared_from_this<LoopbackHub> {
 public:
  std::unique_ptr<Transport> leader();
  // Each call is a new member.
  std::unique_ptr<Transport> join(MemberId& id);
  // From now on nothing reaches the member or comes from it, as if its process
  // had been killed.
  void kill(MemberId id);

 private:
  friend class LoopbackTransport;
  struct Box {
    std::deque<Letter> letters;
    std::vector<MemberId> departed;
    bool is_woken = false;
    bool is_dead = false;
  };
  void leave(MemberId id);

  std::mutex mutex_;
  // Guarded by mutex_.
  std::condition_variable changed_;
  std::map<MemberId, Box> boxes_;
  MemberId last_ = kLeader;
};

}  // namespace lamarck::crew
