#include "lamarck/sandbox/internal/box_init.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "lamarck/sandbox/internal/box_program.h"
#include "lamarck/sandbox/internal/box_root.h"
#include "lamarck/sandbox/internal/raw_call.h"

namespace lamarck::internal {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

[[noreturn]] void end(const BoxSetup& setup, const BoxReport& report) {
  raw_call(SYS_write, setup.report, &report, sizeof report);
  for (;;) raw_call(SYS_exit_group, 0);
}

std::int64_t now_nanoseconds() {
  timespec now{};
  raw_call(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return now.tv_sec * kSecond + now.tv_nsec;
}

void close_range(unsigned int first, unsigned int last) {
  if (first > last) return;
  if (raw_call(kCloseRange, first, last, 0) == 0) return;
  for (unsigned int file = first; file <= last && file < 65536; ++file) {
    raw_call(SYS_close, file);
  }
}

// Closes all descriptors inherited from the caller, such as its terminal and
// its other boxes, except those of this box.
void close_other_files(const BoxSetup& setup) {
  int kept[] = {setup.input,  setup.output,  setup.errors,
                setup.result, setup.control, setup.report};
  // Sort without the library: only system calls are safe here.
  for (int& a : kept) {
    for (int* b = &a + 1; b != std::end(kept); ++b) {
      if (*b < a) std::swap(a, *b);
    }
  }
  unsigned int next = 0;
  for (const int file : kept) {
    if (file < 0) continue;
    const auto number = static_cast<unsigned int>(file);
    if (number > next) close_range(next, number - 1);
    next = number + 1;
  }
  close_range(next, ~0u);
}

void await_start(const BoxSetup& setup) {
  char byte = 0;
  long count = 0;
  do {
    count = raw_call(SYS_read, setup.control, &byte, 1);
  } while (count < 0 && errno == EINTR);
  if (count != 1) {
    for (;;) raw_call(SYS_exit_group, 1);
  }
}

void build(const BoxSetup& setup) {
  BoxReport failure;
  if (setup.has_user_namespace && setup.has_own_user) {
    if (const int error = take_identity(setup.user)) {
      end(setup, {.stage = BoxStage::Identity, .error = error});
    }
  }
  raw_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  // This process still maps the caller's memory; prevent others from reading
  // it.
  raw_call(SYS_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0);
  raw_call(SYS_umask, 022);
  if (setup.has_namespaces) {
    raw_call(SYS_sethostname, "box", 3);
    if (!enter_private_root(setup, failure)) end(setup, failure);
    return;
  }
  raw_call(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  if (raw_call(SYS_chdir, setup.work_folder.c_str()) != 0) {
    end(setup, {.stage = BoxStage::Folder, .error = errno});
  }
  if (!write_box_files(setup.files, failure)) end(setup, failure);
}

// A descriptor that becomes readable when a child ends.
int open_child_watch() {
  const std::uint64_t children = std::uint64_t{1} << (SIGCHLD - 1);
  return static_cast<int>(raw_call(SYS_signalfd4, -1, &children,
                                   kSignalSetBytes, O_CLOEXEC | O_NONBLOCK));
}

// Reaps all ended children. Returns whether the program is among them.
bool reap(long program, BoxReport& report) {
  bool has_ended = false;
  int status = 0;
  long child = 0;
  while ((child = raw_call(SYS_wait4, -1, &status, WNOHANG, nullptr)) > 0) {
    if (child != program) continue;
    report.wait_status = status;
    report.last_processes = 1;
    has_ended = true;
  }
  return has_ended;
}

// Waits until the program ends, the time is up or the caller stops it. Returns
// whether the program has ended.
bool watch(const BoxSetup& setup, long program, int child_watch,
           std::int64_t deadline, BoxReport& report) {
  pollfd watched[] = {{child_watch, POLLIN, 0}, {setup.control, POLLIN, 0}};
  for (;;) {
    const std::int64_t left = deadline - now_nanoseconds();
    if (left <= 0) {
      report.has_timed_out = 1;
      return false;
    }
    const timespec wait{static_cast<time_t>(left / kSecond),
                        static_cast<long>(left % kSecond)};
    raw_call(SYS_ppoll, watched, 2, &wait, nullptr, 0);
    char drained[128];
    raw_call(SYS_read, child_watch, drained, sizeof drained);
    if (reap(program, report)) return true;
    if (watched[1].revents != 0) {
      report.was_stopped = 1;
      return false;
    }
  }
}

// Without a PID namespace, orphans become children of this subreaper, which the
// kernel lists here.
void kill_listed_children() {
  const long list =
      raw_call(SYS_openat, AT_FDCWD, "/proc/thread-self/children", O_RDONLY, 0);
  if (list < 0) return;
  char text[4096];
  const long count = raw_call(SYS_read, list, text, sizeof text);
  raw_call(SYS_close, list);
  long pid = 0;
  for (long i = 0; i < count; ++i) {
    if (text[i] >= '0' && text[i] <= '9') {
      pid = pid * 10 + (text[i] - '0');
    } else {
      if (pid > 1) raw_call(SYS_kill, pid, SIGKILL);
      pid = 0;
    }
  }
}

// Whether kill(-1) reaches only the processes of the box: as PID 1 of a PID
// namespace, or as a user that no other process has.
bool can_kill_all_at_once(const BoxSetup& setup) {
  if (setup.has_namespaces) return raw_call(SYS_getpid) == 1;
  return setup.has_own_user && setup.user != 0 &&
         take_identity(setup.user) == 0 &&
         raw_call(SYS_geteuid) == static_cast<long>(setup.user);
}

// Kills every process of the box, even daemons. `program` is 0 once it has
// ended, because its PID may be reused.
void kill_all(const BoxSetup& setup, long program, BoxReport& report) {
  const bool reaches_all = can_kill_all_at_once(setup);
  const timespec pause{0, 500'000};
  // Repeat until no child is left: a process may fork while it is being killed.
  for (;;) {
    if (reaches_all) {
      raw_call(SYS_kill, -1, SIGKILL);
    } else {
      if (program != 0) raw_call(SYS_kill, program, SIGKILL);
      kill_listed_children();
    }
    int status = 0;
    const long child =
        raw_call(SYS_wait4, -1, &status, WNOHANG | __WALL, nullptr);
    if (child < 0 && errno == ECHILD) return;
    if (child > 0) {
      ++report.last_processes;
      if (child == program) report.wait_status = status;
    } else {
      raw_call(SYS_nanosleep, &pause, nullptr);
    }
  }
}

void count_usage(std::int64_t start, BoxReport& report) {
  rusage usage{};
  raw_call(SYS_getrusage, RUSAGE_CHILDREN, &usage);
  report.cpu_microseconds =
      (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1'000'000 +
      usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
  report.peak_kilobytes = usage.ru_maxrss;
  report.wall_microseconds = (now_nanoseconds() - start) / 1000;
}

}  // namespace

void run_box(BoxSetup& setup) {
  close_other_files(setup);
  raw_call(SYS_setsid);
  // The parent first maps this process's user and group.
  await_start(setup);
  build(setup);
  const int child_watch = open_child_watch();
  const std::int64_t start = now_nanoseconds();
  const long program = raw_call(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (program == 0) become_program(setup);
  if (program < 0 || child_watch < 0) {
    end(setup, {.stage = BoxStage::Fork, .error = errno});
  }
  for (const int file :
       {setup.input, setup.output, setup.errors, setup.result}) {
    if (file >= 0) raw_call(SYS_close, file);
  }
  BoxReport report;
  const bool has_ended = watch(setup, program, child_watch,
                               start + setup.wall_nanoseconds, report);
  kill_all(setup, has_ended ? 0 : program, report);
  count_usage(start, report);
  end(setup, report);
}

}  // namespace lamarck::internal
