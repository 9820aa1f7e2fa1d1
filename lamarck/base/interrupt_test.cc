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
