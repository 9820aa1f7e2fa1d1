// The version of the library and of the compiler that built it.

#pragma once

#include <string_view>

namespace lamarck {

// The library's version, such as "0.1.0".
std::string_view version();

// "g++ 12.2.0" or "clang++ 14.0.6".
std::string_view compiler();

}  // namespace lamarck
