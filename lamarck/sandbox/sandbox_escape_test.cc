// Attacks, each tried against every set of layers that must stop it.

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>
#include <fmt/format.h>

#include "lamarck/sandbox/process_sandbox.h"
#include "lamarck/sandbox/python_interpreter.h"

namespace lamarck {
namespace {

using namespace std::chrono_literals;

struct LayerSet {
  const char* name;
  std::vector<std::string> without;
};

class SandboxEscape : public testing::TestWithParam<LayerSet> {
 protected:
  void SetUp() override {
    auto sandbox = ProcessSandbox::open({.without = GetParam().without});
    if (!sandbox) GTEST_SKIP() << sandbox.error().message();
    sandbox_ = *std::move(sandbox);
    const auto python = find_python();
    if (!python) GTEST_SKIP() << python.error().message();
    python_ = python->path;
  }

  bool has(std::string_view layer) const {
    return std::ranges::find(sandbox_->layers(), layer) !=
           sandbox_->layers().end();
  }

  SandboxOutcome run(const SandboxJob& job) const {
    auto outcome = sandbox_->run(job, {});
    if (!outcome) throw LogicError(outcome.error());
    return *std::move(outcome);
  }

  SandboxJob job(const std::string& script) const {
    SandboxJob job{.command = {python_, "-I", "-c", script}};
    job.limits.wall = 60s;
    job.limits.memory_bytes = 300u << 20;
    return job;
  }

  // Runs the script and returns its output; "stopped" if it raises an OSError.
  std::string attempt(const std::string& body) const {
    std::string script = "import os, sys\ntry:\n";
    std::istringstream lines(body);
    for (std::string line; std::getline(lines, line);) {
      script += "  " + line + "\n";
    }
    script += "except OSError:\n  print('stopped')\n";
    const SandboxOutcome outcome = run(job(script));
    return outcome.output + outcome.errors;
  }

  // Returns the paths for which `act` succeeds.
  std::string reached(const std::string& paths, const std::string& act) const {
    const SandboxOutcome outcome =
        run(job(fmt::format("import os\n"
                            "for path in [{}]:\n"
                            "  try: {}\n"
                            "  except OSError: continue\n"
                            "  print(path)",
                            paths, act)));
    return outcome.output + outcome.errors;
  }

  SandboxReason reason(const std::string& script,
                       std::chrono::milliseconds wall = 700ms) const {
    SandboxJob attack = job(script);
    attack.limits.wall = wall;
    const SandboxOutcome outcome = run(attack);
    last_errors_ = outcome.errors;
    return outcome.reason;
  }

  std::unique_ptr<ProcessSandbox> sandbox_;
  std::string python_;
  mutable std::string last_errors_;
};

// A file that every user of the host can read.
class Secret {
 public:
  Secret() : path_(fmt::format("/tmp/lamarck-secret-{}", getpid())) {
    std::ofstream(path_) << "s3cret";
    std::filesystem::permissions(path_, std::filesystem::perms(0644));
  }
  ~Secret() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Counts the processes whose command line contains `mark`.
int processes_with(const std::string& mark) {
  int count = 0;
  std::error_code ignored;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc", ignored)) {
    std::ifstream file(entry.path() / "cmdline");
    std::string line((std::istreambuf_iterator<char>(file)), {});
    count += line.find(mark) != std::string::npos;
  }
  return count;
}

TEST_P(SandboxEscape, CannotReadFilesOutside) {
  const Secret secret;

  EXPECT_EQ(reached(fmt::format("'{}', '/etc/passwd', '/proc/{}/environ', "
                                "'/proc/1/maps', '/root', '/home'",
                                secret.path(), getpid()),
                    "os.listdir(path) if os.path.isdir(path) else "
                    "open(path).read()"),
            "");
}

TEST_P(SandboxEscape, CannotReadOutsideThroughLinks) {
  const Secret secret;

  EXPECT_EQ(attempt(fmt::format("os.symlink('{}', 'link')\n"
                                "print(open('link').read())",
                                secret.path())),
            "stopped\n");
  EXPECT_EQ(attempt(fmt::format("os.link('{}', 'link')\n"
                                "print(open('link').read())",
                                secret.path())),
            "stopped\n");
}

TEST_P(SandboxEscape, CannotWriteOutside) {
  const Secret secret;

  EXPECT_EQ(reached(fmt::format("'{}'", secret.path()), "open(path, 'r+')"),
            "");
  EXPECT_EQ(reached("'/usr/lamarck-was-here', '/lamarck-was-here', "
                    "'/etc/ld.so.cache', '/proc/sys/kernel/core_pattern', "
                    "'/dev/lamarck-was-here'",
                    "open(path, 'a')"),
            "");
  std::ifstream file(secret.path());
  std::string content;
  file >> content;
  EXPECT_EQ(content, "s3cret");
}

TEST_P(SandboxEscape, CannotWriteToReadOnlyFolder) {
  SandboxJob attack = job(
      "import os\n"
      "for act in (lambda: open('a', 'w').write('x'),\n"
      "            lambda: open('f', 'a').write('x'),\n"
      "            lambda: os.chmod('.', 0o777) or open('f', 'w').write('x'),\n"
      "            lambda: os.remove('f')):\n"
      "  try: act(); print('done')\n"
      "  except OSError: print('stopped')\n"
      "print(open('f').read())");
  attack.files = {{"f", "kept", false}};
  attack.is_read_only = true;

  EXPECT_EQ(run(attack).output, "stopped\nstopped\nstopped\nstopped\nkept\n");
}

TEST_P(SandboxEscape, CannotReachNetwork) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), length), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length);

  const std::string output = attempt(
      fmt::format("import socket\n"
                  "socket.create_connection(('127.0.0.1', {}), 1).send(b'x')\n"
                  "print('arrived')",
                  ntohs(address.sin_port)));

  pollfd arrived{listener, POLLIN, 0};
  EXPECT_EQ(poll(&arrived, 1, 50), 0);
  close(listener);
  EXPECT_EQ(output, "stopped\n");
}

TEST_P(SandboxEscape, CannotCreateSockets) {
  EXPECT_EQ(attempt("import socket\n"
                    "socket.socket(socket.AF_UNIX)\n"
                    "print('made')"),
            "stopped\n");
  EXPECT_EQ(attempt("import socket\n"
                    "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
                    "print('made')"),
            "stopped\n");
}

TEST_P(SandboxEscape, ForbiddenCallsKillProgram) {
  // ptrace, process_vm_readv, mount, unshare, bpf, io_uring_setup, keyctl.
#if defined(__x86_64__)
  const int numbers[] = {101, 310, 165, 272, 321, 425, 250};
#else
  const int numbers[] = {117, 270, 40, 97, 280, 425, 219};
#endif
  for (const int number : numbers) {
    EXPECT_EQ(reason(fmt::format("import ctypes\n"
                                 "ctypes.CDLL(None).syscall({}, 0, 0, 0, 0)",
                                 number),
                     60s),
              SandboxReason::ForbiddenCall)
        << number << last_errors_;
  }
}

TEST_P(SandboxEscape, CannotCreateNamespacesByClone) {
#if defined(__x86_64__)
  const int number = 56;
#else
  const int number = 220;
#endif
  EXPECT_EQ(reason(fmt::format(
                       "import ctypes\n"
                       "ctypes.CDLL(None).syscall({}, 0x10000011, 0, 0, 0, 0)",
                       number),
                   60s),
            SandboxReason::ForbiddenCall);
}

TEST_P(SandboxEscape, CannotSignalCaller) {
  // Signal 0 only checks whether sending is allowed.
  EXPECT_EQ(attempt(fmt::format("os.kill({}, 0)\nprint('reached')", getpid())),
            "stopped\n");
}

TEST_P(SandboxEscape, CannotSignalAllProcesses) {
  EXPECT_EQ(attempt("os.kill(-1, 0)\nprint('reached')"), "stopped\n");
}

TEST_P(SandboxEscape, StopsForkBomb) {
  // Doubles only six times, in case the sandbox fails to stop it.
  const SandboxReason why = reason(
      "import os, time\n"
      "first = os.getpid()\n"
      "for i in range(6):\n"
      "  try: os.fork()\n"
      "  except OSError: pass\n"
      "if os.getpid() != first: time.sleep(100)\n"
      "time.sleep(0.2)\n"
      "os._exit(1)",
      60s);

  EXPECT_EQ(why, SandboxReason::TooManyProcesses) << last_errors_;
}

TEST_P(SandboxEscape, StopsMemoryBomb) {
  EXPECT_EQ(reason("x = []\nwhile True: x.append(bytearray(10_000_000))", 60s),
            SandboxReason::OutOfMemory);
  EXPECT_EQ(reason("x = bytearray(10 ** 12)", 60s), SandboxReason::OutOfMemory);
}

TEST_P(SandboxEscape, StopsEndlessOutput) {
  for (const char* stream : {"stdout", "stderr"}) {
    EXPECT_EQ(reason(fmt::format("import sys\n"
                                 "while True: sys.{}.write('x' * 10000)",
                                 stream),
                     60s),
              SandboxReason::TooMuchOutput);
  }
}

TEST_P(SandboxEscape, StopsEndlessSleep) {
  EXPECT_EQ(reason("import time\ntime.sleep(1000)"), SandboxReason::TimedOut);
}

TEST_P(SandboxEscape, StopsProgramThatIgnoresSignals) {
  EXPECT_EQ(reason("import signal, time\n"
                   "for s in set(signal.Signals) - {9, 19}:\n"
                   "  signal.signal(s, signal.SIG_IGN)\n"
                   "while True: time.sleep(1)"),
            SandboxReason::TimedOut)
      << last_errors_;
}

TEST_P(SandboxEscape, KillsDaemonizedChildren) {
  const std::string mark = fmt::format("lamarck-hidden-{}", getpid());

  // A daemon: its own session, and its parent has exited.
  const SandboxOutcome outcome = run(
      job(fmt::format("import os, sys\n"
                      "if os.fork() == 0:\n"
                      "  os.setsid()\n"
                      "  if os.fork() == 0:\n"
                      "    for f in range(3): os.close(f)\n"
                      "    os.execv(sys.executable, [sys.executable, '-c',\n"
                      "             'import time; time.sleep(100)', '{0}'])\n"
                      "  os._exit(0)\n"
                      "import time; time.sleep(0.2)",
                      mark)));

  EXPECT_TRUE(outcome.has_succeeded()) << outcome.errors;
  EXPECT_EQ(processes_with(mark), 0);
}

TEST_P(SandboxEscape, StopsFillingDisk) {
  EXPECT_EQ(reason("f = open('big', 'wb')\n"
                   "while True: f.write(b'x' * 1000000)",
                   60s),
            SandboxReason::FileTooLarge)
      << last_errors_;
}

TEST_P(SandboxEscape, StopsFillingDiskWithManyFiles) {
  if (!has("namespaces")) {
    GTEST_SKIP() << "only a private file system has a total limit";
  }
  EXPECT_EQ(reason("for i in range(100000):\n"
                   "  open(str(i), 'wb').write(b'x' * 100000)",
                   60s),
            SandboxReason::FileTooLarge)
      << last_errors_;
}

TEST_P(SandboxEscape, StopsOpeningTooManyFiles) {
  EXPECT_EQ(attempt("x = [open('/dev/null') for i in range(10000)]\n"
                    "print('opened')"),
            "stopped\n");
}

TEST_P(SandboxEscape, CannotRaiseLimits) {
  EXPECT_EQ(attempt("import resource\n"
                    "try: resource.setrlimit(resource.RLIMIT_AS, (-1, -1))\n"
                    "except ValueError: raise OSError\n"
                    "print('raised')"),
            "stopped\n");
}

TEST_P(SandboxEscape, CannotRegainRoot) {
  EXPECT_EQ(attempt("os.setuid(0)\nprint('root')"), "stopped\n");
  if (has("own_user")) {
    EXPECT_NE(attempt("print(os.getuid())"), "0\n");
  }
}

TEST_P(SandboxEscape, CannotSeeDescriptorsOfCaller) {
  const int open_file = open("/dev/null", O_RDONLY);  // Without O_CLOEXEC.
  const std::string output = attempt(
      "for f in range(4, 64):\n"
      "  try: os.fstat(f); print('sees', f)\n"
      "  except OSError: pass");
  close(open_file);

  EXPECT_EQ(output, "");
}

const LayerSet kLayerSets[] = {
    {"AllLayers", {}},
    {"WithoutNamespaces", {"namespaces"}},
    {"WithoutLandlock", {"landlock"}},
    {"WithoutUserNamespace", {"user_namespace"}},
};

INSTANTIATE_TEST_SUITE_P(Layers, SandboxEscape, testing::ValuesIn(kLayerSets),
                         [](const auto& set) { return set.param.name; });

}  // namespace
}  // namespace lamarck
