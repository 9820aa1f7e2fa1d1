// Where webhooks may connect to. A webhook must not let its owner reach the
// machines behind the server's firewall.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lamarck/base/result.h"

namespace lamarck::server {

// Whether an IPv4 or IPv6 address belongs to the public internet: not to this
// machine, a private network, a link, a provider's shared space, multicast or a
// reserved range. Also looks into IPv6 forms that contain an IPv4 address.
bool is_public_address(std::string_view address);

struct WebhookUrl {
  std::string url;
  std::string host;  // IPv6 without brackets.
  std::uint16_t port = 0;
};
// Accepts http and https without a user name. Without `allows_private`, refuses
// hosts that are not public addresses; names are checked when they are
// resolved.
Result<WebhookUrl> parse_webhook_url(const std::string& url,
                                     bool allows_private);

// Resolves the host to one address to connect to. All its addresses must be
// public, unless `allows_private`. Blocks.
Result<std::string> resolve_webhook_host(const WebhookUrl& url,
                                         bool allows_private);

}  // namespace lamarck::server
