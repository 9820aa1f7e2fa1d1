// The contract of Journal, tested on every implementation: listeners, several
// writers, and random requests compared with a model.

#include <atomic>
#include <thread>

#include "lamarck/base/rng.h"
#include "lamarck/store/journal_suite_fixture.h"

namespace lamarck::store {
namespace {

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

}  // namespace
}  // namespace lamarck::store
