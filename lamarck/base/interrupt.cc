#include "lamarck/base/interrupt.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <thread>

#include "lamarck/base/ensure.h"

namespace lamarck {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

// The only state that the signal handler touches.
std::atomic<int> first_signal = 0;
std::atomic<int> wake_pipe = -1;
std::atomic<const char*> quit_message = nullptr;

// Calls only functions that a signal handler may call.
[[noreturn]] void quit(const char* message, int signal) {
  [[maybe_unused]] const auto written =
      write(STDERR_FILENO, message, std::strlen(message));
  _exit(InterruptScope::exit_code(signal));
}

void handle_signal(int signal) {
  const int saved_errno = errno;
  if (const char* message = quit_message; message != nullptr) {
    quit(message, signal);
  }
  int none = 0;
  if (!first_signal.compare_exchange_strong(none, signal)) {
    _exit(InterruptScope::exit_code(signal));
  }
  const char byte = 's';
  // Fails only if the pipe is closed, and then nothing listens.
  [[maybe_unused]] const auto written = write(wake_pipe, &byte, 1);
  errno = saved_errno;
}

}  // namespace

std::string InterruptScope::describe(int signal) {
  switch (signal) {
    case SIGINT:
      return "Interrupted by Ctrl-C";
    case SIGTERM:
      return "Received SIGTERM";
    default:
      return "The terminal was closed";
  }
}

// A signal handler must not take locks, so it only writes a byte to a pipe. A
// thread reads the byte and cancels the token.
struct InterruptScope::State {
  State() {
    REQUIRE(wake_pipe == -1,
            "InterruptScope: only one scope may exist at a time; destroy the "
            "other one first.");
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw std::system_error(errno, std::generic_category(),
                              "Cannot listen for Ctrl-C");
    }
    first_signal = 0;
    wake_pipe = ends[1];
    listener = std::thread([this] { listen(); });
    struct sigaction action {};
    action.sa_handler = handle_signal;
    action.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      sigaction(kSignals[i], &action, &previous[i]);
      // Signals that the parent ignores (nohup) stay ignored.
      if (previous[i].sa_handler == SIG_IGN) {
        sigaction(kSignals[i], &previous[i], nullptr);
      }
    }
  }

  ~State() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      sigaction(kSignals[i], &previous[i], nullptr);
    }
    wake_pipe = -1;
    const char byte = 'q';
    [[maybe_unused]] const auto written = write(ends[1], &byte, 1);
    listener.join();
    close(ends[0]);
    close(ends[1]);
  }

  void listen() {
    char byte = 0;
    while (read(ends[0], &byte, 1) == 1 && byte != 'q') {
      source.cancel(describe(first_signal) + "; progress so far is kept.");
    }
  }

  std::array<int, 2> ends{-1, -1};  // Read end, write end.
  std::array<struct sigaction, kSignals.size()> previous{};
  CancelSource source;
  std::thread listener;
};

InterruptScope::InterruptScope() : state_(std::make_unique<State>()) {}
InterruptScope::~InterruptScope() = default;

CancelToken InterruptScope::token() const { return state_->source.token(); }

int InterruptScope::signal() const { return first_signal; }

QuitOnInterrupt::QuitOnInterrupt(const char* message) {
  quit_message = message;
  // A signal between the start of the scope and here only cancelled its token.
  if (wake_pipe != -1 && first_signal != 0) quit(message, first_signal);
}

QuitOnInterrupt::~QuitOnInterrupt() { quit_message = nullptr; }

}  // namespace lamarck
