// For tests: members of a crew that are threads, join and are killed at random.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "lamarck/base/rng.h"
#include "lamarck/crew/crew_leader.h"
#include "lamarck/crew/loopback_fixture.h"

namespace lamarck::crew {

class RandomMembers {
 public:
  // Starts two members that call `serve`. The seed decides their fate.
  RandomMembers(std::uint64_t seed, std::function<void(Crew&)> serve);
  // REQUIRES: the leader has ended.
  ~RandomMembers();

  // A leader with one thread that waits for the first member. Called once.
  std::unique_ptr<CrewLeader> leader();
  // Adds a member, kills one, both or neither.
  void disturb();
  // Waits until the members have ended; returns how many pieces they computed.
  // REQUIRES: the leader has ended.
  std::int64_t pieces();

 private:
  void add();
  void wait();

  const std::function<void(Crew&)> serve_;
  const std::shared_ptr<LoopbackHub> hub_ = std::make_shared<LoopbackHub>();
  Rng rng_;
  std::vector<MemberId> alive_;
  std::atomic<std::int64_t> pieces_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace lamarck::crew
