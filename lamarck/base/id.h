// Globally unique ids that sort by creation time: UUID version 7 (RFC 9562),
// "018f3c6e-7d2a-7b41-9c55-3f0e8d1a2b4c".

#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "lamarck/base/clock.h"
#include "lamarck/base/rng.h"

namespace lamarck {

// Thread safety: all members may be called from any thread.
class IdGenerator {
 public:
  // `clock` must outlive the generator. Equal clocks and streams yield equal
  // ids.
  IdGenerator(const Clock& clock, Rng rng);

  // Returns an id that compares greater, as text, than all earlier ids of this
  // generator, even within one millisecond or after the clock was set back.
  std::string next();

 private:
  const Clock& clock_;

  std::mutex mutex_;
  // Guarded by mutex_.
  Rng rng_;
  std::uint64_t millis_ = 0;
  std::uint16_t high_ = 0;  // 12 bits: rand_a of the RFC.
  std::uint64_t low_ = 0;   // 62 bits: rand_b.
};

// Whether `text` is a lower-case UUID version 7.
bool is_id(std::string_view text);

// The creation time of the id, in milliseconds; nullopt if it is not an id.
std::optional<Clock::WallTime> id_time(std::string_view id);

}  // namespace lamarck
