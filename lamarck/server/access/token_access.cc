#include "lamarck/server/access/token_access.h"

#include <utility>

#include "lamarck/base/ascii.h"
#include "lamarck/base/entropy.h"
#include "lamarck/base/hash.h"
#include "lamarck/base/macros.h"

namespace lamarck::server {
namespace {

// Beyond it the cache starts again.
constexpr std::size_t kMaxKnownTokens = 10'000;
// No token is longer; the rest would only cost time to hash.
constexpr std::size_t kMaxTokenSize = 1'000;

Error wrong_token() {
  return {ErrorCode::Unauthenticated, "The bearer token is missing or wrong."};
}

Principal local_admin() {
  return {.org = std::string(skills::kLocalOrganization),
          .role = Role::Admin,
          .name = "local"};
}

}  // namespace

std::string make_api_token() {
  std::string token = "lmk_";
  for (int i = 0; i < 4; ++i) token += to_hex64(entropy_seed());
  return token;
}

std::string api_token_hash(std::string_view token) { return sha256_hex(token); }

std::string_view bearer_token(std::string_view authorization) {
  constexpr std::string_view kBearer = "bearer ";
  if (authorization.size() <= kBearer.size()) return "";
  for (std::size_t i = 0; i < kBearer.size(); ++i) {
    if (ascii::lower(authorization[i]) != kBearer[i]) return "";
  }
  return authorization.substr(kBearer.size());
}

std::string token_identity(std::string_view authorization) {
  const std::string_view token = bearer_token(authorization);
  return token.empty() ? "" : api_token_hash(token).substr(0, 16);
}

TokenAccess::TokenAccess(skills::SkillStore& store,
                         std::string_view operator_token, const Clock& clock)
    : store_(store),
      operator_hash_(operator_token.empty() ? ""
                                            : api_token_hash(operator_token)),
      clock_(clock) {}

Result<bool> TokenAccess::is_required() {
  if (!operator_hash_.empty()) return true;
  const std::lock_guard lock(mutex_);
  const auto now = clock_.elapsed();
  if (now < required_until_) return is_required_;
  ASSIGN_OR_RETURN(is_required_, store_.has_tokens());
  required_until_ = now + kCacheTime;
  return is_required_;
}

Result<Principal> TokenAccess::look_up(const std::string& hash) {
  if (hash == operator_hash_) return local_admin();
  ASSIGN_OR_RETURN(const auto record, store_.find_token(hash));
  if (!record) return wrong_token();
  ASSIGN_OR_RETURN(const Role role, parse_role(record->role));
  return Principal{.org = record->org_id,
                   .role = role,
                   .name = record->label.empty() ? record->id : record->label};
}

Result<Principal> TokenAccess::identify(std::string_view authorization) {
  const std::string_view token = bearer_token(authorization);
  if (token.empty() || token.size() > kMaxTokenSize) {
    ASSIGN_OR_RETURN(const bool is_needed, is_required());
    if (is_needed || !authorization.empty()) return wrong_token();
    return local_admin();
  }
  // Hashes are compared, not tokens, so that the time of a comparison says
  // nothing of the token.
  const std::string hash = api_token_hash(token);
  const auto now = clock_.elapsed();
  {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(hash);
    if (found != known_.end() && now < found->second.until) {
      return found->second.principal;
    }
  }
  ASSIGN_OR_RETURN(Principal principal, look_up(hash));
  const std::lock_guard lock(mutex_);
  if (known_.size() >= kMaxKnownTokens) known_.clear();
  known_[hash] = {principal, now + kCacheTime};
  return principal;
}

std::optional<Principal> TokenAccess::known(std::string_view authorization) {
  const std::string_view token = bearer_token(authorization);
  if (token.empty() && !authorization.empty()) return std::nullopt;
  if (token.size() > kMaxTokenSize) return std::nullopt;
  const std::string hash = token.empty() ? "" : api_token_hash(token);
  const auto now = clock_.elapsed();
  const std::lock_guard lock(mutex_);
  if (token.empty()) {
    const bool is_open =
        operator_hash_.empty() && !is_required_ && now < required_until_;
    return is_open ? std::optional(local_admin()) : std::nullopt;
  }
  const auto found = known_.find(hash);
  if (found == known_.end() || now >= found->second.until) return std::nullopt;
  return found->second.principal;
}

bool TokenAccess::is_surely_refused(std::string_view authorization) {
  if (!bearer_token(authorization).empty()) return false;
  if (!operator_hash_.empty()) return true;
  const std::lock_guard lock(mutex_);
  return is_required_ && clock_.elapsed() < required_until_;
}

}  // namespace lamarck::server
