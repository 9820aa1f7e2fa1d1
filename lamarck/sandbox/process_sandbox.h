// A sandbox built from several layers of kernel isolation. Each layer alone
// stops most attacks, and together they cover each other's gaps.
//
//   no_new_privs  no additional privileges through setuid programs
//   rlimits       limits on time, memory, processes and files
//   namespaces    its own root, processes, network and users
//   own_user      a user that owns nothing, if the caller is root
//   landlock      access to a few files only; no TCP, no signals to others
//   seccomp       only the system calls that a computation needs
//
// docs/decisions/sandbox.md explains what each layer stops and what none does.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lamarck/sandbox/sandbox.h"

namespace lamarck {

struct ProcessSandboxOptions {
  // Layers that must be available.
  std::vector<std::string> required = {"no_new_privs", "rlimits", "seccomp"};
  // Requires namespaces or landlock, either of which hides other files.
  bool requires_hidden_files = true;
  // Requires a limit on the number of processes; for root, only own_user has
  // one.
  bool requires_process_limit = true;
  // Layers to leave out. "user_namespace" means that root creates the other
  // namespaces without a user namespace.
  std::vector<std::string> without;
  // Paths besides /usr that programs may read, such as an interpreter's folder.
  std::vector<std::string> readable;
};

class ProcessSandbox : public Sandbox {
 public:
  // Sets up the layers once to test them. The error names required layers that
  // are missing.
  static Result<std::unique_ptr<ProcessSandbox>> open(
      const ProcessSandboxOptions& options = {});
  ~ProcessSandbox() override;

  struct MissingLayer {
    std::string name;
    std::string detail;  // Why it is missing.
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
