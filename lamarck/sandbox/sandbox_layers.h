// The sandbox layers that this machine supports.

#pragma once

#include <string>
#include <vector>

namespace lamarck {

struct SandboxLayer {
  std::string name;     // "namespaces", "seccomp", ...
  std::string purpose;  // What it blocks, for people.
  bool is_available = false;
  std::string detail;  // "works", or why it is missing.
};

// Tests each layer in a child process, because it cannot be undone. The last
// one, own_user, is listed for root only.
std::vector<SandboxLayer> sandbox_layers();

}  // namespace lamarck
