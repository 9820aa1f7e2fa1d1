#include <iostream>
#include <nlohmann/json.hpp>

#include "lamarck/lamarck.h"

int main() {
  lamarck::Rng rng(42);
  const lamarck::Json json = {{"version", lamarck::version()},
                              {"simd", !lamarck::simd_target().empty()},
                              {"drawn", rng.below(1000)}};
  std::cout << lamarck::dump_json(json) << "\n";
}
