#pragma once

#include <string_view>

namespace lamarck {

// "0.1.0": what the library was built as.
std::string_view version();

// "g++ 12.2.0" or "clang++ 14.0.6".
std::string_view compiler();

}  // namespace lamarck
