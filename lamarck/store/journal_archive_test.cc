#include "lamarck/store/journal_archive.h"

#include <nlohmann/json.hpp>

#include "lamarck/store/journal_suite_fixture.h"

namespace lamarck::store {
namespace {

std::vector<Json> exported(Journal& journal) {
  std::vector<Json> records;
  EXPECT_TRUE(export_journal(journal, [&](const Json& record) {
    records.push_back(parse_json(dump_json(record)).value());
    return Result<void>();
  }));
  return records;
}

void import(const std::vector<Json>& records, Journal& journal) {
  JournalImport import(journal);
  for (const Json& record : records) {
    const Result<void> added = import.add(record);
    ASSERT_TRUE(added) << added.error().message();
  }
  ASSERT_TRUE(import.finish());
}

// Two runs, one of them pruned before its checkpoint, with all columns.
void fill(Journal& journal) {
  Append first = new_run("run", {full_event("1"), full_event("2", {{"1"}})});
  first.answer = {"key", "00ff", "the answer"};
  journal.append(first).value();
  journal.save_checkpoint({"run", 2, "2", "{\"n\":2}", at_second(7)}).value();
  journal.prune("run", [](const Event&) { return Result<void>(); }).value();
  journal
      .append({.run = "run",
               .events = {full_event("3", {{"2", "refines"}})},
               .new_state = "done",
               .answer = {"another", "01", "text"}})
      .value();
  journal.save_checkpoint({"run", 3, "3", "{}", at_second(9)}).value();
  journal.append(new_run("other", {plain_event("4")})).value();
  journal.append(new_run("empty")).value();
}

TEST_P(JournalSuite, CopiesThroughAnArchive) {
  const auto source = make_memory_journal();
  fill(*source);
  const std::vector<Json> records = exported(*source);

  import(records, *journal_);
  reopen();
  EXPECT_EQ(exported(*journal_), records);
  EXPECT_EQ(journal_digest(*journal_).value(), journal_digest(*source).value());
  EXPECT_EQ(journal_->answer("key").value()->text, "the answer");
  EXPECT_EQ(refused({.run = "other", .events = {plain_event("1")}}).code(),
            ErrorCode::AlreadyExists);
  expect_sound();

  // Back again.
  const auto copy = make_memory_journal();
  import(exported(*journal_), *copy);
  EXPECT_EQ(exported(*copy), records);
}

TEST_P(JournalSuite, InterruptedImportCanBeRepeated) {
  const auto source = make_memory_journal();
  fill(*source);
  const std::vector<Json> records = exported(*source);
  for (std::size_t count = 0; count < records.size(); ++count) {
    import(
        {records.begin(), records.begin() + static_cast<std::ptrdiff_t>(count)},
        *journal_);
  }
  import(records, *journal_);

  EXPECT_EQ(exported(*journal_), records);
  expect_sound();
}

TEST(JournalArchive, RejectsRecordsThatNobodyExported) {
  const auto journal = make_memory_journal();
  for (const Json& wrong :
       {Json{{"record", "thing"}}, Json::object(), Json{{"record", "run"}},
        Json{{"record", "event"}, {"id", 3}}}) {
    JournalImport import(*journal);
    EXPECT_EQ(import.add(wrong).error().code(), ErrorCode::DataDamaged);
  }
}

}  // namespace
}  // namespace lamarck::store
