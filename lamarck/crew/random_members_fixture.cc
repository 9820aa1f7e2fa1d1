#include "lamarck/crew/random_members_fixture.h"

#include <utility>

#include "lamarck/crew/crew_member.h"

namespace lamarck::crew {

RandomMembers::RandomMembers(std::uint64_t seed,
                             std::function<void(Crew&)> serve)
    : serve_(std::move(serve)), rng_(seed) {
  add();
  add();
}

RandomMembers::~RandomMembers() { wait(); }

std::int64_t RandomMembers::pieces() {
  wait();
  return pieces_;
}

void RandomMembers::wait() {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

std::unique_ptr<CrewLeader> RandomMembers::leader() {
  // A schedule may hit one piece many times.
  return std::make_unique<CrewLeader>(LeaderOptions{.version = "1",
                                                    .simd = "scalar",
                                                    .threads = 1,
                                                    .first_members = 1,
                                                    .max_losses = 1000},
                                      hub_->leader());
}

void RandomMembers::add() {
  MemberId id = 0;
  auto transport = std::make_shared<std::unique_ptr<Transport>>(hub_->join(id));
  alive_.push_back(id);
  threads_.emplace_back([this, transport] {
    auto member = CrewMembership::join({.version = "1",
                                        .name = "thread",
                                        .threads = 1,
                                        .cancel = {},
                                        .use_simd = {}},
                                       std::move(*transport));
    if (!member) return;
    serve_(**member);
    pieces_ += (*member)->counts().pieces;
  });
}

void RandomMembers::disturb() {
  if (rng_.chance(0.3)) add();
  if (alive_.empty() || !rng_.chance(0.3)) return;
  hub_->kill(alive_.back());
  alive_.pop_back();
}

}  // namespace lamarck::crew
