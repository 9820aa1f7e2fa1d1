// A sandbox made of what the kernel offers, in layers: each alone stops most
// attacks, and what one lets through the next one stops.
//
//   no_new_privs  no rights beyond the caller's, not by setuid programs either
//   rlimits       time, memory, processes and files within limits
//   namespaces    a root, processes, network and users of its own
//   own_user      a user who owns nothing, if the caller is root
//   landlock      no files but a few, no TCP, no signals to others
//   seccomp       no system calls but those that computing needs
//
// docs/decisions/sandbox.md tells what each stops and what none does.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lamarck/sandbox/sandbox.h"

namespace lamarck {

struct ProcessSandboxOptions {
  // Layers without which nothing is run.
  std::vector<std::string> required = {"no_new_privs", "rlimits", "seccomp"};
  // Other files are hidden by namespaces or by landlock; one will do.
  bool requires_hidden_files = true;
  // The number of processes is limited: for root, only own_user does that.
  bool requires_process_limit = true;
  // Layers that are not tried; "user_namespace" stands for making namespaces as
  // root, without one for users.
  std::vector<std::string> without;
  // Paths that programs may read beside /usr; an interpreter's folder, say.
  std::vector<std::string> readable;
};

class ProcessSandbox : public Sandbox {
 public:
  // Tries the layers for real. An error names those that are required and
  // missing.
  static Result<std::unique_ptr<ProcessSandbox>> open(
      ProcessSandboxOptions options = {});
  ~ProcessSandbox() override;

  struct MissingLayer {
    std::string name;
    std::string detail;  // Why.
  };
  const std::vector<std::string>& layers() const;
  const std::vector<MissingLayer>& missing_layers() const;

  Result<SandboxOutcome> run(const SandboxJob& job,
                             const CancelToken& cancel) const override;

 private:
  struct State;
  explicit ProcessSandbox(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace lamarck
