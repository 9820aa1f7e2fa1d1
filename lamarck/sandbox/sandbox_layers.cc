#include "lamarck/sandbox/sandbox_layers.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/seccomp.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace lamarck {
namespace {

// What `probe` returns in a child: 0 for success, or an errno. A child that
// dies counts as ENOSYS. Only calls that are safe after fork may be made there.
int in_child(int (*probe)()) {
  const pid_t child = fork();
  if (child < 0) return errno;
  if (child == 0) _exit(probe() & 0xFF);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return errno;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : ENOSYS;
}

int errno_of(bool succeeded) { return succeeded ? 0 : errno; }

int probe_namespaces() {
  return errno_of(unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET |
                          CLONE_NEWPID | CLONE_NEWIPC) == 0);
}

int probe_seccomp() {
  // Asks for the action that stops a program; nothing is installed.
  unsigned int action = SECCOMP_RET_KILL_PROCESS;
  return errno_of(syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) ==
                  0);
}

int probe_no_new_privileges() {
  return errno_of(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
}

int probe_limits() {
  const rlimit limit{1 << 20, 1 << 20};
  return errno_of(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

int probe_landlock() {
  // Landlock's call number is 444 everywhere; flag 1 asks for its version.
  return errno_of(syscall(444, nullptr, 0, 1) > 0);
}

struct Probe {
  const char* name;
  const char* purpose;
  int (*run)();
};

constexpr std::array kProbes = {
    Probe{"namespaces", "other processes, the network and most files",
          probe_namespaces},
    Probe{"seccomp", "system calls that it does not need", probe_seccomp},
    Probe{"no_new_privs", "more rights through setuid programs",
          probe_no_new_privileges},
    Probe{"rlimits", "more memory, time, files and processes than allowed",
          probe_limits},
    Probe{"landlock", "files outside its own folder", probe_landlock},
};

}  // namespace

std::vector<SandboxLayer> sandbox_layers() {
  std::vector<SandboxLayer> layers;
  for (const Probe& probe : kProbes) {
    const int failure = in_child(probe.run);
    layers.push_back({probe.name, probe.purpose, failure == 0,
                      failure == 0 ? "works" : std::strerror(failure)});
  }
  return layers;
}

}  // namespace lamarck
