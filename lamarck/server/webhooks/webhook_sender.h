// Sends the events of the outbox to the webhooks of their organization, at
// least once each.

#pragma once

#include <chrono>
#include <cstdint>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/clock.h"
#include "lamarck/base/result.h"
#include "lamarck/skills/skill_store.h"

namespace lamarck::server {

struct WebhookOptions {
  bool allows_private = false;  // May connect to private addresses.
  std::chrono::milliseconds timeout{10'000};  // Per attempt.
  std::chrono::seconds first_delay{1};        // Doubles with each attempt.
  std::chrono::seconds max_delay{3'600};
  std::int64_t max_attempts = 16;  // Then the delivery is dead.
};

// The pause after attempt number `attempts`, which failed.
std::chrono::seconds retry_delay(const WebhookOptions& options,
                                 std::int64_t attempts);

// Thread safety: `send_one` may be called from any thread.
class WebhookSender {
 public:
  // `store` and `clock` must outlive the sender.
  WebhookSender(skills::SkillStore& store, const WebhookOptions& options,
                const Clock& clock);

  // Attempts one delivery that is due; false if there is none. A receiver that
  // fails is no error: the store says when to try again.
  Result<bool> send_one(const CancelToken& cancel);

 private:
  Result<void> post(const skills::Delivery& delivery,
                    const CancelToken& cancel) const;

  skills::SkillStore& store_;
  const WebhookOptions options_;
  const Clock& clock_;
};

}  // namespace lamarck::server
