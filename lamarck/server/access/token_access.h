// Bearer tokens: making them, and finding out whom one belongs to.

#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "lamarck/base/clock.h"
#include "lamarck/base/result.h"
#include "lamarck/server/access/principal.h"
#include "lamarck/skills/skill_store.h"

namespace lamarck::server {

// "lmk_" and 64 hex digits from the system's entropy.
std::string make_api_token();
// What is stored of a token.
std::string api_token_hash(std::string_view token);

// The token of "Authorization: Bearer TOKEN"; "" if the header has another
// form.
// Names the token of a request without revealing it; "" = it has none.
std::string token_identity(std::string_view authorization);
std::string_view bearer_token(std::string_view authorization);

// Thread safety: all members may be called from any thread. They may block on
// the disk.
class TokenAccess {
 public:
  // `operator_token`, if it is not empty, belongs to the administrator of the
  // local organization. `store` and `clock` must outlive the object.
  TokenAccess(skills::SkillStore& store, std::string_view operator_token,
              const Clock& clock);

  // Whether there is any token. Without one, everybody who can connect is the
  // administrator of the local organization.
  Result<bool> is_required();

  // Fails with Unauthenticated. A token that is removed stops working after at
  // most kCacheTime.
  Result<Principal> identify(std::string_view authorization);

  // These two do not block: they know only what a recent call found out.
  std::optional<Principal> known(std::string_view authorization);
  // Whether a token is required and none is given.
  bool is_surely_refused(std::string_view authorization);

  static constexpr std::chrono::seconds kCacheTime{1};

 private:
  struct Entry {
    Principal principal;
    std::chrono::nanoseconds until{0};
  };

  Result<Principal> look_up(const std::string& hash);

  skills::SkillStore& store_;
  const std::string operator_hash_;  // "" = none.
  const Clock& clock_;

  std::mutex mutex_;
  // Guarded by mutex_.
  std::unordered_map<std::string, Entry> known_;  // By hash.
  bool is_required_ = false;
  std::chrono::nanoseconds required_until_{-1};
};

}  // namespace lamarck::server
