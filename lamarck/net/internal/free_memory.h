// Frees the memory of a string or vector.

#pragma once

namespace lamarck::net::internal {

// Assigning {} or calling clear() would keep the capacity.
template <class Container>
void free_memory(Container& container) {
  Container().swap(container);
}

}  // namespace lamarck::net::internal
