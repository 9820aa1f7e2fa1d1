// The contract of Journal, tested on every implementation.

#include <unistd.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "lamarck/base/rng.h"
#include "lamarck/store/memory_journal.h"
#include "lamarck/store/sqlite_journal.h"

namespace lamarck::store {
namespace {

std::string event_id(std::uint64_t number) {
  return fmt::format("evt_018f3c6e-7d2a-7b41-9c55-{:012x}", number);
}

Clock::WallTime at_second(std::int64_t second) {
  return Clock::WallTime(std::chrono::seconds(second));
}

Event plain_event(std::string id, std::vector<Edge> parents = {}) {
  Event event;
  event.id = std::move(id);
  event.type = "plan_step";
  event.parents = std::move(parents);
  event.role = "planner";
  event.content = "Read the file.";
  event.ts = at_second(100);
  return event;
}

Event full_event(std::string id, std::vector<Edge> parents = {}) {
  Event event = plain_event(std::move(id), std::move(parents));
  event.vector_clock = {{"client \"a\"", 3}, {"server", 1ull << 40}};
  event.content = std::string("\u601d\u8003 \0 and more", 17);
  event.constraints = R"({"branch": "a"})";
  event.score = R"({"risk":0.25})";
  event.status = "early_stopped";
  event.early_stop_reason = "budget";
  event.failure_signature = "00ff00ff00ff00ff";
  event.retry_count = 2;
  event.token_cost = 120;
  event.walltime_ms = -1;
  event.ts = Clock::WallTime(std::chrono::microseconds(1785230123456789));
  event.version = 3;
  return event;
}

Append new_run(const std::string& id, std::vector<Event> events = {}) {
  return {.run = id,
          .events = std::move(events),
          .new_run = Run{.id = id,
                         .kind = "thought",
                         .title = "A title",
                         .state = "open",
                         .created = at_second(50)}};
}

class JournalSuite : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::string name =
        testing::UnitTest::GetInstance()->current_test_info()->name();
    for (char& letter : name) {
      if (letter == '/') letter = '_';
    }
    folder_ = std::filesystem::path(testing::TempDir()) /
              fmt::format("journal_{}_{}", name, ::getpid());
    reopen();
  }

  void TearDown() override {
    journal_.reset();
    std::filesystem::remove_all(folder_);
  }

  bool is_durable() const { return GetParam() == std::string_view("sqlite"); }

  // Simulates a restart. A memory journal cannot be reopened and stays as it
  // is.
  void reopen() {
    if (!is_durable()) {
      if (journal_ == nullptr) journal_ = make_memory_journal();
      return;
    }
    journal_.reset();
    journal_ = std::move(open_sqlite_journal(
                             {.path = folder_ / "j.db", .durable = false}))
                   .value();
  }

  void append(Append request) {
    const Result<Appended> outcome = journal_->append(std::move(request));
    ASSERT_TRUE(outcome) << outcome.error().message();
  }
  Error refused(Append request) {
    return journal_->append(std::move(request)).error();
  }
  void expect_sound() {
    EXPECT_EQ(journal_->verify().value(), std::vector<std::string>());
  }

  std::filesystem::path folder_;
  std::unique_ptr<Journal> journal_;
};

TEST_P(JournalSuite, RoundTripsEveryColumn) {
  const Event first = full_event(event_id(1));
  Event second = full_event(
      "step two", {{event_id(1), "refines"}, {event_id(1), "supports"}});
  second.failure_signature = "not hex";
  append(new_run("run", {first, second}));
  reopen();

  std::vector<Event> expected = {first, second};
  for (std::size_t i = 0; i < 2; ++i) {
    expected[i].run = "run";
    expected[i].seq = i + 1;
  }
  EXPECT_EQ(journal_->events("run").value(), expected);
  EXPECT_EQ(journal_->event("step two").value(), expected[1]);
  expect_sound();
}

TEST_P(JournalSuite, NumbersEventsOfEachRunFromOne) {
  append(new_run("a", {plain_event("1")}));
  append(new_run("b", {plain_event("2"), plain_event("3")}));
  append({.run = "a", .events = {plain_event("4", {{"1"}})}});

  EXPECT_EQ(journal_->run("a")->head, 2u);
  EXPECT_EQ(journal_->event("4")->seq, 2u);
  EXPECT_EQ(journal_->event("3")->seq, 2u);
  EXPECT_EQ(journal_->event("3")->run, "b");
}

TEST_P(JournalSuite, ReadsEventsInPages) {
  std::vector<Event> events;
  for (int i = 0; i < 10; ++i) events.push_back(plain_event(event_id(i)));
  append(new_run("run", events));

  const auto page = journal_->events("run", 3, 4).value();
  ASSERT_EQ(page.size(), 4u);
  EXPECT_EQ(page.front().seq, 4u);
  EXPECT_EQ(page.back().seq, 7u);
  EXPECT_EQ(journal_->events("run", 9).value().size(), 1u);
  EXPECT_TRUE(journal_->events("run", 10).value().empty());
  EXPECT_TRUE(journal_->events("run", 0, 0).value().empty());
}

TEST_P(JournalSuite, ReportsMissingRecords) {
  EXPECT_EQ(journal_->run("x").error().message(),
            "There is no run 'x' in this journal.");
  EXPECT_EQ(journal_->events("x").error().code(), ErrorCode::NotFound);
  EXPECT_EQ(journal_->event("x").error().code(), ErrorCode::NotFound);
  EXPECT_EQ(journal_->answer("x").value(), std::nullopt);
  EXPECT_EQ(journal_->latest_checkpoint("x").value(), std::nullopt);
  EXPECT_EQ(refused({.run = "x", .events = {plain_event("1")}}).code(),
            ErrorCode::NotFound);
}

TEST_P(JournalSuite, ConflictCarriesCurrentHead) {
  append(new_run("run", {plain_event("1"), plain_event("2")}));

  const Error error =
      refused({.run = "run", .expected_head = 1, .events = {plain_event("3")}});
  EXPECT_EQ(error.code(), ErrorCode::Conflict);
  EXPECT_EQ(error.fields().at("head"), "2");
  EXPECT_EQ(error.message(),
            "Run 'run' is at event 2, not 1: another writer has appended. "
            "Read the new events and try again.");
  EXPECT_EQ(journal_->run("run")->head, 2u);
  append({.run = "run", .expected_head = 2, .events = {plain_event("3")}});
}

TEST_P(JournalSuite, RejectsDuplicateRunsAndEvents) {
  append(new_run("run", {plain_event("1")}));
  append(new_run("other"));

  EXPECT_EQ(refused(new_run("run")).code(), ErrorCode::AlreadyExists);
  for (const char* run : {"run", "other"}) {
    const Error error = refused({.run = run, .events = {plain_event("1")}});
    EXPECT_EQ(error.code(), ErrorCode::AlreadyExists);
    EXPECT_EQ(error.fields().at("event"), "1");
  }
  EXPECT_EQ(
      refused({.run = "run", .events = {plain_event("2"), plain_event("2")}})
          .code(),
      ErrorCode::AlreadyExists);
}

TEST_P(JournalSuite, ParentMustBeEarlierEventOfSameRun) {
  append(new_run("run", {plain_event("1")}));
  append(new_run("other", {plain_event("2")}));

  const std::vector<std::vector<Event>> wrong = {
      {plain_event("3", {{"nothing"}})},
      {plain_event("3", {{"2"}})},
      {plain_event("3", {{"3"}})},
      {plain_event("3", {{"4"}}), plain_event("4")}};
  for (const std::vector<Event>& events : wrong) {
    EXPECT_EQ(refused({.run = "run", .events = events}).code(),
              ErrorCode::NotFound);
  }
  append({.run = "run",
          .events = {plain_event("3", {{"1"}}), plain_event("4", {{"3"}})}});
  expect_sound();
}

TEST_P(JournalSuite, LimitsContentInCharactersNotBytes) {
  append(new_run("run"));
  Event event = plain_event("1");
  event.content.clear();
  for (int i = 0; i < 400; ++i) event.content += "\u601d";
  append({.run = "run", .events = {event}});

  event.id = "2";
  event.content += "x";
  const Error error = refused({.run = "run", .events = {event}});
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(error.message(),
            "The content of event 2 has 401 characters; the limit is 400. "
            "Split it into several events.");
}

TEST_P(JournalSuite, RejectsUnknownNamesAndEmptyRequests) {
  append(new_run("run", {plain_event("1")}));
  Event status = plain_event("2");
  status.status = "opened";
  std::vector<Append> wrong = {
      {.run = "run"},
      {.run = "", .events = {plain_event("2")}},
      {.run = "run", .events = {plain_event("")}},
      {.run = "run", .events = {status}},
      {.run = "run", .events = {plain_event("2", {{"1", "likes"}})}}};
  wrong.push_back(new_run("third"));
  wrong.back().run = "fourth";

  for (const Append& request : wrong) {
    EXPECT_EQ(refused(request).code(), ErrorCode::InvalidArgument);
  }
  EXPECT_EQ(journal_->run("run")->head, 1u);
}

TEST_P(JournalSuite, RefusedAppendWritesNothing) {
  append(new_run("run", {plain_event("1")}));
  Append request = {.run = "run",
                    .events = {plain_event("2"), plain_event("3", {{"no"}})},
                    .new_state = "done",
                    .answer = {"key", "00", "text"}};
  EXPECT_EQ(refused(request).code(), ErrorCode::NotFound);

  EXPECT_EQ(journal_->run("run")->state, "open");
  EXPECT_EQ(journal_->events("run")->size(), 1u);
  EXPECT_EQ(journal_->answer("key").value(), std::nullopt);
  request.events.pop_back();
  append(request);
  expect_sound();
}

TEST_P(JournalSuite, RepeatedKeyReturnsFirstAnswerByteForByte) {
  std::string text = "{\"head\": 1,  \"x\":\"\u601d\"}\n.";
  text.push_back('\0');
  for (const char* digest : {"00ff", "00F", "", "not hex"}) {
    const std::string key = std::string("key of ") + digest;
    Append request = new_run(std::string("run of ") + digest,
                             {plain_event(std::string("event of ") + digest)});
    request.answer = {key, digest, text};
    const Appended first = journal_->append(request).value();
    EXPECT_FALSE(first.is_repeat);
    EXPECT_EQ(first.answer, text);
    reopen();
    request.answer.text = "another";
    const Appended again = journal_->append(request).value();

    EXPECT_TRUE(again.is_repeat);
    EXPECT_EQ(again.answer, text);
    EXPECT_EQ(again.head, 1u);
    EXPECT_EQ(journal_->answer(key).value(), (Answer{key, digest, text}));
  }
}

TEST_P(JournalSuite, ReusedKeyWithOtherContentIsConflict) {
  Append request = new_run("run");
  request.answer = {"key", "01", "text"};
  append(request);
  request.answer.digest = "02";

  const Error error = refused(request);
  EXPECT_EQ(error.code(), ErrorCode::Conflict);
  EXPECT_EQ(error.fields().at("key"), "key");
}

TEST_P(JournalSuite, TracksUpdateTimeAndState) {
  append(new_run("run"));
  EXPECT_EQ(journal_->run("run")->updated, at_second(50));
  append({.run = "run", .events = {plain_event("1")}, .new_state = "done"});
  append({.run = "run", .new_state = "closed"});

  const store::Run run = journal_->run("run").value();
  EXPECT_EQ(run, (store::Run{"run", "thought", "A title", "closed",
                             at_second(50), at_second(100), 1}));
}

TEST_P(JournalSuite, ListsRunsNewestFirstInPages) {
  for (int i = 0; i < 5; ++i) {
    Append request = new_run(std::string(1, static_cast<char>('a' + i)));
    request.new_run->kind = i % 2 == 0 ? "even" : "odd";
    append(request);
  }
  const auto names = [&](const RunFilter& filter) {
    std::string list;
    const auto runs = journal_->runs(filter).value();
    for (const store::Run& run : runs) list += run.id;
    return list;
  };

  EXPECT_EQ(names({}), "edcba");
  EXPECT_EQ(names({.limit = 2}), "ed");
  EXPECT_EQ(names({.after = "d", .limit = 2}), "cb");
  EXPECT_EQ(names({.kind = "even"}), "eca");
  EXPECT_EQ(names({.kind = "even", .after = "e", .limit = 1}), "c");
  EXPECT_EQ(names({.state = "done"}), "");
  append({.run = "b", .new_state = "done"});
  EXPECT_EQ(names({.state = "done"}), "b");
  EXPECT_EQ(journal_->runs({.after = "x"}).error().code(), ErrorCode::NotFound);
}

TEST_P(JournalSuite, CountsRunsOfKind) {
  EXPECT_EQ(journal_->run_count("thought").value(), 0u);
  append(new_run("a"));
  append(new_run("b"));
  EXPECT_EQ(journal_->run_count("thought").value(), 2u);
  Append other = new_run("c");
  other.new_run->kind = "task";
  append(other);
  append(new_run("d"));
  EXPECT_EQ(journal_->run_count("thought").value(), 3u);
  EXPECT_EQ(journal_->run_count("task").value(), 1u);
  EXPECT_EQ(journal_->run_count("").value(), 0u);
}

TEST_P(JournalSuite, KeepsLatestCheckpoint) {
  append(new_run("run", {plain_event("1"), plain_event("2")}));
  const Checkpoint later = {"run", 2, "2", "{\"n\":2}", at_second(7)};
  const Checkpoint earlier = {"run", 1, "1", "{\"n\":1}", at_second(8)};

  ASSERT_TRUE(journal_->save_checkpoint(earlier));
  EXPECT_EQ(journal_->latest_checkpoint("run").value(), earlier);
  ASSERT_TRUE(journal_->save_checkpoint(later));
  ASSERT_TRUE(journal_->save_checkpoint(earlier));
  reopen();
  EXPECT_EQ(journal_->latest_checkpoint("run").value(), later);
  expect_sound();
}

TEST_P(JournalSuite, RejectsCheckpointWithoutEvent) {
  append(new_run("run", {plain_event("1")}));

  for (const Checkpoint& wrong :
       {Checkpoint{"run", 0, "", "{}"}, Checkpoint{"run", 2, "2", "{}"},
        Checkpoint{"run", 1, "2", "{}"}}) {
    EXPECT_EQ(journal_->save_checkpoint(wrong).error().code(),
              ErrorCode::InvalidArgument);
  }
  EXPECT_EQ(journal_->save_checkpoint({"x", 1, "1", "{}"}).error().code(),
            ErrorCode::NotFound);
}

TEST_P(JournalSuite, PrunesExportedEventsUpToCheckpoint) {
  Append request = new_run("run", {plain_event("1"), plain_event("2", {{"1"}}),
                                   plain_event("3", {{"1"}, {"2"}})});
  request.answer = {"key", "00", "text"};
  append(request);
  EXPECT_EQ(journal_->prune("run", [](const Event&) { return Result<void>(); })
                .error()
                .code(),
            ErrorCode::FailedPrecondition);
  ASSERT_TRUE(journal_->save_checkpoint({"run", 2, "2", "{}"}));
  const Event third = journal_->event("3").value();
  std::vector<std::string> kept;
  const auto failing = [](const Event&) -> Result<void> {
    return Error(ErrorCode::IoFailed, "No.");
  };
  const auto keep = [&](const Event& event) {
    kept.push_back(event.id);
    return Result<void>();
  };

  EXPECT_EQ(journal_->prune("run", failing).error().message(), "No.");
  EXPECT_EQ(journal_->events("run")->size(), 3u);
  EXPECT_EQ(journal_->prune("run", keep).value(), 2u);
  EXPECT_EQ(kept, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(journal_->prune("run", keep).value(), 0u);
  reopen();
  EXPECT_EQ(journal_->events("run").value(), std::vector<Event>{third});
  EXPECT_EQ(journal_->event("1").error().code(), ErrorCode::NotFound);
  EXPECT_TRUE(journal_->append(request)->is_repeat);
  EXPECT_EQ(journal_->latest_checkpoint("run").value()->last_event_id, "2");
  expect_sound();
}

TEST_P(JournalSuite, PrunedEventCanStillBeParentAndKeepsItsId) {
  append(new_run("run", {plain_event("1")}));
  ASSERT_TRUE(journal_->save_checkpoint({"run", 1, "1", "{}"}));
  ASSERT_TRUE(
      journal_->prune("run", [](const Event&) { return Result<void>(); }));
  reopen();

  EXPECT_EQ(refused({.run = "run", .events = {plain_event("1")}}).code(),
            ErrorCode::AlreadyExists);
  append({.run = "run", .events = {plain_event("2", {{"1"}})}});
  append({.run = "run", .events = {plain_event("3", {{"2"}, {"1"}})}});
  EXPECT_EQ(journal_->event("2")->seq, 2u);
  EXPECT_EQ(journal_->event("2")->parents, std::vector<Edge>{{"1"}});
  EXPECT_EQ(journal_->event("3")->parents, (std::vector<Edge>{{"2"}, {"1"}}));
  expect_sound();
}

TEST_P(JournalSuite, NotifiesListenersInAppendOrder) {
  std::vector<std::uint64_t> seqs;
  const Remover remove =
      journal_->use_profiler([&](const RunAppended& appended) {
        EXPECT_EQ(appended.payload.run, "run");
        for (const Event& event : appended.payload.events) {
          seqs.push_back(event.seq);
        }
        // A listener may use the journal.
        if (seqs.size() == 2) {
          append({.run = "run", .events = {plain_event("3")}});
        }
      });
  append(new_run("run", {plain_event("1"), plain_event("2")}));
  EXPECT_FALSE(journal_->append({.run = "run", .events = {plain_event("1")}}));
  remove();
  append({.run = "run", .events = {plain_event("4")}});

  EXPECT_EQ(seqs, (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST_P(JournalSuite, ConcurrentWritersLeaveNoGapsOrDuplicates) {
  constexpr int kThreads = 8;
  constexpr int kEach = 25;
  append(new_run("run"));
  std::vector<std::uint64_t> received;
  const Remover remove = journal_->use_profiler([&](const RunAppended& sent) {
    received.push_back(sent.payload.events.at(0).seq);
  });
  std::atomic<int> conflicts = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::uint64_t head = 0;
      for (int i = 0; i < kEach;) {
        const Result<Appended> outcome = journal_->append(
            {.run = "run",
             .expected_head = head,
             .events = {plain_event(event_id(t * kEach + i))}});
        if (outcome) {
          head = outcome->head;
          ++i;
          continue;
        }
        ASSERT_EQ(outcome.error().code(), ErrorCode::Conflict);
        head = std::stoull(outcome.error().fields().at("head"));
        ++conflicts;
      }
    });
  }
  threads.clear();

  const auto events = journal_->events("run").value();
  ASSERT_EQ(events.size(), std::size_t{kThreads} * kEach);
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].seq, i + 1);
    EXPECT_EQ(received.at(i), i + 1);
  }
  expect_sound();
}

TEST_P(JournalSuite, ConcurrentRequestsWithOneKeyWriteOnce) {
  append(new_run("run"));
  std::atomic<int> first = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      const Appended outcome =
          journal_
              ->append({.run = "run",
                        .events = {plain_event(event_id(t))},
                        .answer = {"key", "00", std::to_string(t)}})
              .value();
      if (!outcome.is_repeat) first = t;
    });
  }
  threads.clear();

  EXPECT_EQ(journal_->events("run")->size(), 1u);
  EXPECT_EQ(journal_->answer("key").value()->text, std::to_string(first));
}

// Random valid and invalid requests. The journal and the model must give the
// same results.
class RandomRequests {
 public:
  explicit RandomRequests(Rng& rng) : rng_(rng) {}

  Append next() {
    Append request = {.run = random_name("run", 4)};
    if (rng_.chance(0.3)) {
      request.new_run =
          Run{.kind = random_name("kind", 2), .created = at_second(5)};
    }
    if (rng_.chance(0.3)) request.expected_head = rng_.below(6);
    if (rng_.chance(0.2)) request.new_state = random_name("state", 2);
    if (rng_.chance(0.4)) {
      request.answer = {random_name("key", 30), random_name("0", 2),
                        random_name("text", 9)};
    }
    const std::uint64_t count = rng_.below(4);
    for (std::uint64_t i = 0; i < count; ++i) request.events.push_back(event());
    return request;
  }

  std::string random_name(const char* name, std::uint64_t count) {
    return name + std::to_string(rng_.below(count));
  }

 private:
  Event event() {
    Event event = full_event(event_id(rng_.below(200)));
    if (rng_.chance(0.02)) event.status = "unknown";
    if (rng_.chance(0.02)) event.content = std::string(401, 'x');
    event.ts = at_second(rng_.integer(-100, 100));
    while (rng_.chance(0.4)) {
      event.parents.push_back({event_id(rng_.below(200))});
    }
    return event;
  }

  Rng& rng_;
};

TEST_P(JournalSuite, AgreesWithModelOnRandomRequests) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    TearDown();
    reopen();
    const std::unique_ptr<Journal> model = make_memory_journal();
    Rng rng(seed);
    RandomRequests requests(rng);
    for (int i = 0; i < 150; ++i) {
      const Append request = requests.next();
      const auto expected = model->append(request);
      const auto actual = journal_->append(request);
      ASSERT_EQ(actual.has_value(), expected.has_value());
      if (expected) {
        EXPECT_EQ(actual->head, expected->head);
        EXPECT_EQ(actual->is_repeat, expected->is_repeat);
        EXPECT_EQ(actual->answer, expected->answer);
      } else {
        EXPECT_EQ(actual.error(), expected.error());
      }
      if (expected && rng.chance(0.2) && expected->head > 0) {
        const Checkpoint checkpoint = {request.run, expected->head,
                                       event_id(rng.below(200)), "{}"};
        EXPECT_EQ(journal_->save_checkpoint(checkpoint).has_value(),
                  model->save_checkpoint(checkpoint).has_value());
      }
      if (expected && rng.chance(0.1)) {
        const auto keep = [](const Event&) { return Result<void>(); };
        const auto kept = model->prune(request.run, keep);
        const auto pruned = journal_->prune(request.run, keep);
        ASSERT_EQ(pruned.has_value(), kept.has_value());
        EXPECT_EQ(pruned.value_or(0), kept.value_or(0));
      }
      if (rng.chance(0.05)) reopen();
    }
    expect_sound();
    const auto runs = model->runs().value();
    ASSERT_EQ(journal_->runs().value(), runs);
    for (const store::Run& run : runs) {
      EXPECT_EQ(journal_->events(run.id).value(),
                model->events(run.id).value());
      EXPECT_EQ(journal_->latest_checkpoint(run.id).value(),
                model->latest_checkpoint(run.id).value());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, JournalSuite,
                         testing::Values("memory", "sqlite"),
                         [](const auto& chosen) {
                           return std::string(chosen.param);
                         });

}  // namespace
}  // namespace lamarck::store
