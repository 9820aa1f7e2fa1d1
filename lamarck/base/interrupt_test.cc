#include "lamarck/base/interrupt.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <gtest/gtest.h>

namespace lamarck {
namespace {

using namespace std::chrono_literals;

TEST(InterruptScope, FirstSignalCancelsToken) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const InterruptScope scope;
    EXPECT_FALSE(scope.token().is_cancelled());

    raise(signal);

    EXPECT_TRUE(scope.token().wait_for(1min)) << signal;
    EXPECT_EQ(scope.signal(), signal);
    EXPECT_NE(scope.token().reason().find("is kept"), std::string::npos);
  }
}

TEST(InterruptScope, SecondSignalExitsImmediately) {
  const pid_t child = fork();
  if (child == 0) {
    const InterruptScope scope;
    raise(SIGINT);
    raise(SIGINT);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
}

// Runs `work` in a child process and returns its exit code.
template <class Work>
int exit_code_of(const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(QuitOnInterrupt, FirstSignalExitsWhileAlive) {
  EXPECT_EQ(exit_code_of([] {
              const InterruptScope scope;
              const QuitOnInterrupt quits("Interrupted.\n");
              raise(SIGTERM);
            }),
            143);
}

TEST(QuitOnInterrupt, EarlierSignalExitsAtStart) {
  EXPECT_EQ(exit_code_of([] {
              const InterruptScope scope;
              raise(SIGINT);
              const QuitOnInterrupt quits("Interrupted.\n");
            }),
            130);
}

TEST(QuitOnInterrupt, LaterSignalCancelsToken) {
  EXPECT_EQ(exit_code_of([] {
              const InterruptScope scope;
              { const QuitOnInterrupt quits("Interrupted.\n"); }
              raise(SIGINT);
              _exit(scope.token().wait_for(1min) ? 7 : 1);
            }),
            7);
}

TEST(InterruptScope, RestoresPreviousHandlers) {
  { const InterruptScope scope; }
  struct sigaction action {};
  sigaction(SIGINT, nullptr, &action);
  EXPECT_EQ(action.sa_handler, SIG_DFL);
}

TEST(InterruptScope, KeepsIgnoredSignalsIgnored) {
  const pid_t child = fork();
  if (child == 0) {
    ::signal(SIGHUP, SIG_IGN);
    const InterruptScope scope;
    raise(SIGHUP);
    _exit(scope.token().wait_for(50ms) ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace lamarck
