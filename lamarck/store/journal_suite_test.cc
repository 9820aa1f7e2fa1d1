// The contract of Journal, tested on every implementation: what one caller
// sees.

#include "lamarck/store/journal_suite_fixture.h"

namespace lamarck::store {
namespace {

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

INSTANTIATE_TEST_SUITE_P(Every, JournalSuite,
                         testing::Values("memory", "sqlite"),
                         [](const auto& chosen) {
                           return std::string(chosen.param);
                         });
INSTANTIATE_TEST_SUITE_P(Postgres, JournalSuite,
                         testing::Values("postgres", "pgbouncer"),
                         [](const auto& chosen) {
                           return std::string(chosen.param);
                         });

}  // namespace
}  // namespace lamarck::store
