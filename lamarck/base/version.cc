#include "lamarck/base/version.h"

namespace lamarck {

std::string_view version() { return LAMARCK_VERSION; }

std::string_view compiler() {
#if defined(__clang__)
  return "clang++ " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

}  // namespace lamarck
