// requestState: server state that the client stores between two rounds of a
// call.
//
// The client can read the state, but cannot change it or use it for another
// call, for another user, or after more than an hour.

#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "lamarck/base/clock.h"
#include "lamarck/base/result.h"

namespace lamarck::mcp {

// The call that a state belongs to.
struct StateOwner {
  std::string principal;
  std::string method;
  std::string digest;  // Digest of the name and arguments.
};

// Thread safety: all members may be called from any thread.
class StateSeal {
 public:
  static constexpr std::chrono::minutes kLifetime{60};

  // `clock` must outlive the seal.
  StateSeal(std::string key, const Clock& clock);

  std::string seal(const StateOwner& owner, std::string_view state) const;
  // Fails if the state is foreign, modified or expired.
  Result<std::string> open(const StateOwner& owner,
                           std::string_view sealed) const;

 private:
  std::string signature(const StateOwner& owner, std::string_view body) const;

  std::string key_;
  const Clock& clock_;
};

}  // namespace lamarck::mcp
