#include "lamarck/base/entropy.h"

#include <sys/random.h>

#include "lamarck/base/ensure.h"

namespace lamarck {

std::uint64_t entropy_seed() {
  std::uint64_t seed = 0;
  ENSURE(getrandom(&seed, sizeof seed, 0) == sizeof seed,
         "the kernel provides random bytes");
  return seed;
}

}  // namespace lamarck
