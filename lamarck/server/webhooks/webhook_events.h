// The events that webhooks report.

#pragma once

#include <array>
#include <string_view>

namespace lamarck::server {

struct WebhookEventEntry {
  std::string_view type;
  std::string_view summary;
};
inline constexpr std::array kWebhookEvents = {
    WebhookEventEntry{"evolution.triggered", "An evolution was started."},
    WebhookEventEntry{"evolution.skill_created", "A skill was learned."},
    WebhookEventEntry{"evolution.skill_approved", "A skill was approved."},
    WebhookEventEntry{"evolution.skill_rejected", "A skill was rejected."},
    WebhookEventEntry{"evolution.skill_deprecated", "A skill was deprecated."},
    WebhookEventEntry{"evolution.skill_promoted",
                      "A skill became a regular skill."},
};

}  // namespace lamarck::server
