// System calls that are safe between fork and exec in a process with several
// threads: they touch no lock of the C library or of a sanitizer.

#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace lamarck::internal {

// The number of close_range(2), which some headers lack.
inline constexpr long kCloseRange = 436;
// The size of the kernel's signal set.
inline constexpr std::size_t kSignalSetBytes = 8;

template <class T>
long raw_argument(T value) {
  if constexpr (std::is_pointer_v<T>) {
    return static_cast<long>(reinterpret_cast<std::intptr_t>(value));
  } else if constexpr (std::is_null_pointer_v<T>) {
    return 0;
  } else {
    return static_cast<long>(value);
  }
}

// Returns -1 and sets errno on failure, like the C library.
template <class... Arguments>
long raw_call(long number, Arguments... arguments) {
  return ::syscall(number, raw_argument(arguments)...);
}

}  // namespace lamarck::internal
