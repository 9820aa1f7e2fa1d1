// Fuzzes parsing and printing with libFuzzer (`make fuzz`).

#include "lamarck/formula/formula.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lamarck/base/ensure.h"
#include "lamarck/formula/internal/round_trip_fixture.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer calls it so.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  const std::string fault = lamarck::formula::round_trip_fault(source);
  ENSURE(fault.empty(), fault);
  return 0;
}
