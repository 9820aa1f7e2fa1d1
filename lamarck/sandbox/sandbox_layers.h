// Which walls this machine offers around a program that nobody trusts.

#pragma once

#include <string>
#include <vector>

namespace lamarck {

struct SandboxLayer {
  std::string name;     // "namespaces", "seccomp", ...
  std::string purpose;  // What it keeps away.
  bool is_available = false;
  std::string detail;  // How it was found, or why it is missing.
};

// Tries each layer for real, in a child process where it would stick. The last
// one, own_user, is listed for root alone.
std::vector<SandboxLayer> sandbox_layers();

}  // namespace lamarck
