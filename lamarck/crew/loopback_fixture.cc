#include "lamarck/crew/loopback_fixture.h"

#include <utility>

namespace lamarck::crew {

class LoopbackTransport final : public Transport {
 public:
  LoopbackTransport(std::shared_ptr<LoopbackHub> hub, MemberId self)
      : hub_(std::move(hub)), self_(self) {}
  ~LoopbackTransport() override { hub_->leave(self_); }

  Result<void> send(std::vector<Letter> letters) override {
    const std::lock_guard lock(hub_->mutex_);
    if (hub_->boxes_[self_].is_dead) return {};
    for (Letter& letter : letters) {
      auto& box = hub_->boxes_[letter.other];
      if (!box.is_dead) box.letters.push_back({self_, std::move(letter.bytes)});
    }
    hub_->changed_.notify_all();
    return {};
  }

  Result<std::vector<Letter>> receive(
      std::chrono::microseconds patience) override {
    std::unique_lock lock(hub_->mutex_);
    auto& box = hub_->boxes_[self_];
    hub_->changed_.wait_for(lock, patience, [&] {
      return !box.letters.empty() || !box.departed.empty() || box.is_woken;
    });
    box.is_woken = false;
    std::vector<Letter> letters(std::make_move_iterator(box.letters.begin()),
                                std::make_move_iterator(box.letters.end()));
    box.letters.clear();
    return letters;
  }

  std::vector<MemberId> departed() override {
    const std::lock_guard lock(hub_->mutex_);
    return std::exchange(hub_->boxes_[self_].departed, {});
  }

  void wake() override {
    const std::lock_guard lock(hub_->mutex_);
    hub_->boxes_[self_].is_woken = true;
    hub_->changed_.notify_all();
  }

 private:
  const std::shared_ptr<LoopbackHub> hub_;
  const MemberId self_;
};

std::unique_ptr<Transport> LoopbackHub::leader() {
  return std::make_unique<LoopbackTransport>(shared_from_this(), kLeader);
}

std::unique_ptr<Transport> LoopbackHub::join(MemberId& id) {
  {
    const std::lock_guard lock(mutex_);
    id = ++last_;
    boxes_[id];
  }
  return std::make_unique<LoopbackTransport>(shared_from_this(), id);
}

void LoopbackHub::kill(MemberId id) {
  const std::lock_guard lock(mutex_);
  Box& box = boxes_[id];
  if (box.is_dead) return;
  box.is_dead = true;
  box.letters.clear();
  box.departed.push_back(kLeader);
  boxes_[kLeader].departed.push_back(id);
  changed_.notify_all();
}

void LoopbackHub::leave(MemberId id) {
  if (id != kLeader) return kill(id);
  const std::lock_guard lock(mutex_);
  for (auto& [member, box] : boxes_) {
    if (member != kLeader) box.departed.push_back(kLeader);
  }
  changed_.notify_all();
}

}  // namespace lamarck::crew
