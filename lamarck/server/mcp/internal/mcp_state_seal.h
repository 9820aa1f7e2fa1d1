// What a server tells itself through a client: requestState.
//
// The client keeps it between two rounds of one call. It can read it, but it
// cannot change it, nor use it for another call, another user or later than an
// hour.

#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "lamarck/base/clock.h"
#include "lamarck/base/result.h"

namespace lamarck::mcp {

// What a state belongs to.
struct StateOwner {
  std::string principal;
  std::string method;
  std::string digest;  // Of the name and arguments of the call.
};

// Thread safety: any member from any thread.
class StateSeal {
 public:
  static constexpr std::chrono::minutes kLifetime{60};

  // `clock` outlives the seal.
  StateSeal(std::string key, const Clock& clock);

  std::string seal(const StateOwner& owner, std::string_view state) const;
  // The error says that it is not ours, was changed, or is too old.
  Result<std::string> open(const StateOwner& owner,
                           std::string_view sealed) const;

 private:
  std::string signature(const StateOwner& owner, std::string_view body) const;

  std::string key_;
  const Clock& clock_;
};

}  // namespace lamarck::mcp
