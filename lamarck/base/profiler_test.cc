#include "lamarck/base/profiler.h"

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <thread>

#include "lamarck/base/log.h"

namespace lamarck {
namespace {

struct Born {
  static constexpr std::string_view type = "born";
  int payload;
};
struct Died {
  static constexpr std::string_view type = "died";
  std::string payload;
};
using LifeEvent = std::variant<Born, Died>;

TEST(Profiler, SendsTypedEventsToEveryFunctionInOrder) {
  Profiler<LifeEvent> profiler;
  std::vector<std::string> received;
  profiler.use_profiler([&](const LifeEvent& event) {
    received.push_back("a:" + std::string(event_type(event)));
  });
  profiler.use_profiler([&](const LifeEvent& event) {
    received.push_back("b:" + std::string(event_type(event)));
  });

  profiler.send(Born{1});
  profiler.send(Died{"age"});

  EXPECT_EQ(received,
            (std::vector<std::string>{"a:born", "b:born", "a:died", "b:died"}));
}

TEST(Profiler, RemoverUnregistersOneFunctionAndIsIdempotent) {
  Profiler<LifeEvent> profiler;
  int first = 0;
  int second = 0;
  const Remover remove =
      profiler.use_profiler([&](const LifeEvent&) { ++first; });
  profiler.use_profiler([&](const LifeEvent&) { ++second; });

  profiler.send(Born{1});
  remove();
  remove();
  profiler.send(Born{2});

  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 2);
}

TEST(Profiler, RemoverMayOutliveTheProfiler) {
  Remover remove;
  {
    Profiler<LifeEvent> profiler;
    remove = profiler.use_profiler([](const LifeEvent&) {});
  }
  remove();
}

TEST(Profiler, FunctionMayRemoveItself) {
  Profiler<LifeEvent> profiler;
  int calls = 0;
  Remover remove;
  remove = profiler.use_profiler([&](const LifeEvent&) {
    ++calls;
    remove();
  });
  profiler.send(Born{1});
  profiler.send(Born{2});
  EXPECT_EQ(calls, 1);
}

TEST(Profiler, LogsAndIgnoresExceptions) {
  std::vector<std::string> lines;
  const LogCapture capture(
      [&](LogLevel, std::string_view message) { lines.emplace_back(message); });
  Profiler<LifeEvent> profiler;
  int calls = 0;
  profiler.use_profiler(
      [](const LifeEvent&) { throw std::runtime_error("my own bug"); });
  profiler.use_profiler([](const LifeEvent&) { throw 7; });
  profiler.use_profiler([&](const LifeEvent&) { ++calls; });

  profiler.send(Born{1});

  EXPECT_EQ(calls, 1);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_NE(lines[0].find("my own bug"), std::string::npos);
}

TEST(Profiler, IsSafeWithConcurrentSenders) {
  Profiler<LifeEvent> profiler;
  std::atomic<bool> stop = false;
  int steady = 0;  // Written by several senders, one at a time.
  profiler.use_profiler([&](const LifeEvent&) { ++steady; });
  std::atomic<int> sent = 0;
  {
    std::vector<std::jthread> senders;
    for (int i = 0; i < 3; ++i) {
      senders.emplace_back([&] {
        while (!stop) {
          profiler.send(Born{1});
          ++sent;
        }
      });
    }
    for (int round = 0; round < 300; ++round) {
      auto calls = std::make_unique<int>(0);
      const Remover remove = profiler.use_profiler(
          [raw = calls.get()](const LifeEvent&) { ++*raw; });
      remove();
      calls.reset();  // The function is not called any more.
    }
    stop = true;
  }
  EXPECT_EQ(steady, sent);
}

}  // namespace
}  // namespace lamarck
