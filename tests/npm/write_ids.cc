// Writes ids and the times at which they were generated, for ids_check.js.

#include <iostream>

#include "lamarck/base/entropy.h"
#include "lamarck/base/id.h"

int main() {
  const lamarck::SystemClock clock;
  lamarck::IdGenerator ids(clock, lamarck::Rng(lamarck::entropy_seed()));
  for (int i = 0; i < 1000; ++i) {
    const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(
        clock.wall_time().time_since_epoch());
    std::cout << ids.next() << ' ' << millis.count() << '\n';
  }
}
