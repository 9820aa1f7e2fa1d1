// Fuzzes expressions with libFuzzer (`make fuzz`): what is read is hashed,
// simplified, printed, read again and evaluated.

#include "lamarck/formula/expression.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lamarck/base/ensure.h"
#include "lamarck/formula/internal/expression_check_fixture.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer calls it so.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  const std::string fault = lamarck::formula::expression_fault(source);
  ENSURE(fault.empty(), fault);
  return 0;
}
