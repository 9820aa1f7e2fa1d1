#include "lamarck/sandbox/internal/box_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/wait.h>

#include <array>
#include <cstring>
#include <stop_token>
#include <fmt/format.h>

#include "lamarck/base/clock.h"
#include "lamarck/base/macros.h"
#include "lamarck/sandbox/internal/box_init.h"
#include "lamarck/sandbox/internal/file_descriptor.h"
#include "lamarck/sandbox/internal/raw_call.h"

namespace lamarck::internal {
namespace {

// Time beyond the limit for killing the program and reporting.
constexpr std::chrono::seconds kGrace{5};
// The box's descriptors start here, above the program's standard streams.
constexpr int kFirstBoxFile = 10;

Error failed(std::string_view what) {
  return Error(ErrorCode::Unavailable,
               fmt::format("Cannot start a sandbox: {}: {}.", what,
                           std::strerror(errno)));
}

struct Pipe {
  FileDescriptor reader;
  FileDescriptor writer;
};

Result<Pipe> open_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return failed("creating a pipe");
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

Result<void> move_up(FileDescriptor& file) {
  const int moved = fcntl(file.number(), F_DUPFD_CLOEXEC, kFirstBoxFile);
  if (moved < 0) return failed("copying a descriptor");
  file.reset(moved);
  return {};
}

void set_nonblocking(const FileDescriptor& file) {
  fcntl(file.number(), F_SETFL, O_NONBLOCK);
}

bool write_text(const std::string& path, const std::string& text) {
  const FileDescriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file.is_open() && write(file.number(), text.data(), text.size()) ==
                               static_cast<ssize_t>(text.size());
}

// Blocks all signals of this thread while a box is cloned, so that none of the
// caller's handlers runs in it.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all{};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &previous_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &previous_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t previous_{};
};

// An output stream of the program.
struct Capture {
  FileDescriptor file;
  std::string* text = nullptr;

  // Reads the available bytes. Returns false if the total exceeds `max_bytes`.
  bool read_some(std::size_t max_bytes) {
    std::array<char, 65536> buffer{};
    while (file.is_open()) {
      const ssize_t count = read(file.number(), buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) break;
      if (count == 0) file.reset();
      if (text->size() + static_cast<std::size_t>(count) > max_bytes) {
        text->append(buffer.data(), max_bytes - text->size());
        return false;
      }
      text->append(buffer.data(), static_cast<std::size_t>(count));
    }
    return true;
  }
};

class BoxRun {
 public:
  BoxRun(BoxRequest request, const CancelToken& cancel)
      : request_(std::move(request)), cancel_(cancel) {}

  Result<BoxOutcome> run() {
    RETURN_IF_ERROR(open_pipes());
    RETURN_IF_ERROR(start());
    const bool is_mapped = map_identity();
    const int map_error = errno;
    // The box waits for this byte before it uses its identity.
    if (is_mapped) send_control('g');
    if (is_mapped) {
      communicate();
    } else {
      outcome_.failure =
          BoxReport{.stage = BoxStage::Identity, .error = map_error};
    }
    finish();
    return std::move(outcome_);
  }

 private:
  Result<void> open_pipes() {
    ASSIGN_OR_RETURN(input_, open_pipe());
    ASSIGN_OR_RETURN(control_, open_pipe());
    ASSIGN_OR_RETURN(report_, open_pipe());
    std::string* texts[] = {&outcome_.output, &outcome_.errors,
                            &outcome_.result};
    for (std::size_t i = 0; i < captures_.size(); ++i) {
      if (i == 2 && !request_.has_result_channel) continue;
      ASSIGN_OR_RETURN(Pipe pipe, open_pipe());
      set_nonblocking(pipe.reader);
      captures_[i] = {std::move(pipe.reader), texts[i]};
      box_ends_[i] = std::move(pipe.writer);
      RETURN_IF_ERROR(move_up(box_ends_[i]));
    }
    for (FileDescriptor* file :
         {&input_.reader, &control_.reader, &report_.writer}) {
      RETURN_IF_ERROR(move_up(*file));
    }
    set_nonblocking(input_.writer);
    set_nonblocking(report_.reader);
    wake_.reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!wake_.is_open()) return failed("creating an event");
    return {};
  }

  Result<void> start() {
    BoxSetup& setup = request_.setup;
    setup.input = input_.reader.number();
    setup.output = box_ends_[0].number();
    setup.errors = box_ends_[1].number();
    setup.result = box_ends_[2].number();
    setup.control = control_.reader.number();
    setup.report = report_.writer.number();
    {
      // Clone without an exit signal, so that neither a SIGCHLD handler of the
      // caller nor its wait for any child sees this process.
      const SignalsBlocked blocked;
      box_ = static_cast<pid_t>(raw_call(SYS_clone, clone_flags(), 0, 0, 0, 0));
      if (box_ == 0) run_box(setup);
    }
    if (box_ < 0) return failed("creating a process");
    for (FileDescriptor& end : box_ends_) end.reset();
    control_.reader.reset();
    report_.writer.reset();
    // Keep the read end of the input open, so that writing never raises
    // SIGPIPE.
    return {};
  }

  int clone_flags() const {
    const BoxSetup& setup = request_.setup;
    if (!setup.has_namespaces) return 0;
    return CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |
           CLONE_NEWUTS | (setup.has_user_namespace ? CLONE_NEWUSER : 0);
  }

  // The kernel requires "deny" before an ordinary user may map a group.
  bool map_identity() {
    const BoxSetup& setup = request_.setup;
    if (!setup.has_user_namespace) return true;
    const std::string folder = fmt::format("/proc/{}/", box_);
    if (!setup.has_own_user && !write_text(folder + "setgroups", "deny")) {
      return false;
    }
    return write_text(
               folder + "gid_map",
               fmt::format("{} {} 1", setup.user, request_.outside_group)) &&
           write_text(folder + "uid_map", fmt::format("{} {} 1", setup.user,
                                                      request_.outside_user));
  }

  void send_control(char byte) {
    if (!control_.writer.is_open()) return;
    // The box may be gone; consume the SIGPIPE of this write.
    const SignalsBlocked blocked;
    if (write(control_.writer.number(), &byte, 1) < 0 && errno == EPIPE) {
      const timespec at_once{};
      sigset_t pipe_signal{};
      sigemptyset(&pipe_signal);
      sigaddset(&pipe_signal, SIGPIPE);
      sigtimedwait(&pipe_signal, nullptr, &at_once);
    }
  }

  // Serves the pipes until the box closes the report pipe.
  void communicate() {
    const std::stop_callback wake_up(cancel_.stop_token(), [this] {
      const std::uint64_t one = 1;
      [[maybe_unused]] const auto written =
          write(wake_.number(), &one, sizeof one);
    });
    const SystemClock clock;
    const auto deadline =
        clock.elapsed() +
        std::chrono::nanoseconds(request_.setup.wall_nanoseconds) + kGrace;
    while (report_.reader.is_open()) {
      const auto left = deadline - clock.elapsed();
      if (left.count() <= 0) {
        outcome_.was_stuck = true;
        return;
      }
      wait_for(std::chrono::ceil<std::chrono::milliseconds>(left));
      write_input();
      read_streams();
      read_reports();
      stop_if_cancelled();
    }
  }

  void wait_for(std::chrono::milliseconds time) {
    std::array<pollfd, 6> files{};
    std::size_t count = 0;
    const auto add = [&](const FileDescriptor& file, short events) {
      if (file.is_open()) files[count++] = {file.number(), events, 0};
    };
    add(report_.reader, POLLIN);
    if (!outcome_.was_cancelled) add(wake_, POLLIN);
    add(input_.writer, POLLOUT);
    if (!outcome_.has_too_much_output) {
      for (const Capture& capture : captures_) add(capture.file, POLLIN);
    }
    poll(files.data(), count, static_cast<int>(time.count()));
  }

  void write_input() {
    while (input_.writer.is_open()) {
      if (input_done_ == request_.input.size()) return input_.writer.reset();
      const ssize_t count =
          write(input_.writer.number(), request_.input.data() + input_done_,
                request_.input.size() - input_done_);
      if (count < 0) return;
      input_done_ += static_cast<std::size_t>(count);
    }
  }

  void read_streams() {
    if (outcome_.has_too_much_output) return;
    for (Capture& capture : captures_) {
      if (!capture.read_some(request_.output_bytes)) {
        outcome_.has_too_much_output = true;
        send_control('s');
        return;
      }
    }
  }

  void read_reports() {
    BoxReport report;
    while (report_.reader.is_open()) {
      const ssize_t count =
          read(report_.reader.number(), &report, sizeof report);
      if (count < 0) return;
      if (count == 0) return report_.reader.reset();
      take_report(report);
    }
  }

  void take_report(const BoxReport& report) {
    if (report.stage == BoxStage::Done) {
      outcome_.report = report;
      has_report_ = true;
    } else if (report.stage == BoxStage::Started) {
      outcome_.start_kilobytes = report.peak_kilobytes;
    } else if (!outcome_.failure) {
      outcome_.failure = report;
    }
  }

  void stop_if_cancelled() {
    if (outcome_.was_cancelled || !cancel_.is_cancelled()) return;
    outcome_.was_cancelled = true;
    send_control('s');
  }

  // Waits for the box; afterwards nothing of it is left.
  void finish() {
    if (!has_report_) kill(box_, SIGKILL);
    int status = 0;
    while (waitpid(box_, &status, __WALL) < 0 && errno == EINTR) {
    }
    read_streams();
    if (!has_report_ && !outcome_.failure) outcome_.was_stuck = true;
  }

  BoxRequest request_;
  const CancelToken& cancel_;
  BoxOutcome outcome_;
  Pipe input_;
  Pipe control_;
  Pipe report_;
  FileDescriptor wake_;
  std::array<Capture, 3> captures_;
  std::array<FileDescriptor, 3> box_ends_;
  std::size_t input_done_ = 0;
  pid_t box_ = -1;
  bool has_report_ = false;
};

}  // namespace

Result<BoxOutcome> run_box_request(BoxRequest request,
                                   const CancelToken& cancel) {
  return BoxRun(std::move(request), cancel).run();
}

}  // namespace lamarck::internal
