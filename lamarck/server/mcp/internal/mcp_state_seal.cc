#include "lamarck/server/mcp/internal/mcp_state_seal.h"

#include <charconv>
#include <cstdint>
#include <utility>

#include "lamarck/base/hash.h"
#include "lamarck/net/base64.h"
#include "lamarck/server/mcp/internal/constant_time.h"

namespace lamarck::mcp {
namespace {

constexpr std::string_view kPrefix = "v1.";

// The length prefix makes the concatenation unambiguous.
void append_part(std::string& text, std::string_view part) {
  text.append(std::to_string(part.size())).append(":").append(part);
}

std::int64_t seconds(Clock::WallTime time) {
  return std::chrono::duration_cast<std::chrono::seconds>(
             time.time_since_epoch())
      .count();
}

Error foreign_state() {
  return {ErrorCode::InvalidArgument,
          "The requestState does not belong to this call; repeat the call "
          "without it."};
}

}  // namespace

StateSeal::StateSeal(std::string key, const Clock& clock)
    : key_(std::move(key)), clock_(clock) {}

std::string StateSeal::signature(const StateOwner& owner,
                                 std::string_view body) const {
  std::string signed_text;
  for (const std::string_view part :
       {std::string_view(owner.principal), std::string_view(owner.method),
        std::string_view(owner.digest), body}) {
    append_part(signed_text, part);
  }
  return hmac_sha256_hex(key_, signed_text);
}

// Format: v1.<expiry in seconds>.<state in Base64>.<signature>
std::string StateSeal::seal(const StateOwner& owner,
                            std::string_view state) const {
  const std::string body =
      std::string(kPrefix) +
      std::to_string(seconds(clock_.wall_time() + kLifetime)) + "." +
      net::base64_encoded(state);
  return body + "." + signature(owner, body);
}

Result<std::string> StateSeal::open(const StateOwner& owner,
                                    std::string_view sealed) const {
  const std::size_t last = sealed.rfind('.');
  if (!sealed.starts_with(kPrefix) || last < kPrefix.size()) {
    return foreign_state();
  }
  const std::string_view body = sealed.substr(0, last);
  if (!is_equal_in_constant_time(sealed.substr(last + 1),
                                 signature(owner, body))) {
    return foreign_state();
  }
  const std::size_t dot = body.find('.', kPrefix.size());
  const std::string_view end_text =
      body.substr(kPrefix.size(), dot - kPrefix.size());
  std::int64_t end = 0;
  std::from_chars(end_text.data(), end_text.data() + end_text.size(), end);
  if (seconds(clock_.wall_time()) > end) {
    return Error(ErrorCode::InvalidArgument,
                 "The requestState is more than an hour old; repeat the call "
                 "without it.");
  }
  auto state = net::base64_decoded(body.substr(dot + 1));
  if (!state.has_value()) return foreign_state();
  return *std::move(state);
}

}  // namespace lamarck::mcp
