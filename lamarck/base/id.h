// Names for things, unique everywhere and sorted by when they were given:
// UUID version 7 (RFC 9562), "018f3c6e-7d2a-7b41-9c55-3f0e8d1a2b4c".

#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "lamarck/base/clock.h"
#include "lamarck/base/rng.h"

namespace lamarck {

// Thread safety: any member from any thread.
class IdGenerator {
 public:
  // `clock` outlives the generator. Equal clocks and streams give equal ids.
  IdGenerator(const Clock& clock, Rng rng);

  // Greater, as text, than every id this generator gave before, even within
  // one millisecond or when the machine's clock was set back.
  std::string next();

 private:
  const Clock& clock_;

  std::mutex mutex_;
  // Guarded by mutex_.
  Rng rng_;
  std::uint64_t millis_ = 0;
  std::uint16_t high_ = 0;  // 12 bits.
  std::uint64_t low_ = 0;   // 62 bits.
};

bool is_id(std::string_view text);

// When the id was given, to the millisecond; nothing if it is not an id.
std::optional<Clock::WallTime> id_time(std::string_view id);

}  // namespace lamarck
