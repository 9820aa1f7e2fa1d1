#include "lamarck/tensor/flush_denormals.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace lamarck {
namespace {

#if defined(__x86_64__)
// Flush to zero (results) and denormals are zero (operands).
constexpr unsigned kFlushBits = 0x8040;

unsigned control_bits() { return _mm_getcsr(); }
void set_control_bits(unsigned bits) { _mm_setcsr(bits); }
#else
constexpr unsigned kFlushBits = 0;

unsigned control_bits() { return 0; }
void set_control_bits(unsigned /*bits*/) {}
#endif

}  // namespace

// Writing the register is slower than reading it, so nested scopes do not.
FlushDenormals::FlushDenormals(bool enabled) : before_(control_bits()) {
  if (enabled && (before_ & kFlushBits) != kFlushBits) {
    set_control_bits(before_ | kFlushBits);
  }
}

FlushDenormals::~FlushDenormals() {
  if ((before_ & kFlushBits) == kFlushBits) return;
  // Keeps the status flags of exceptions that happened meanwhile.
  set_control_bits((control_bits() & ~kFlushBits) | (before_ & kFlushBits));
}

bool FlushDenormals::is_active() {
  return kFlushBits != 0 && (control_bits() & kFlushBits) == kFlushBits;
}

}  // namespace lamarck
