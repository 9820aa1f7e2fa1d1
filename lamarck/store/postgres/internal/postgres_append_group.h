// Decides and writes a group of appends in one transaction.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/store/internal/append_rules.h"
#include "lamarck/store/postgres/postgres_connection.h"

namespace lamarck::store::internal {

// One append of the group and where its outcome goes.
struct StagedAppend {
  const Append* request = nullptr;
  Result<Appended>* outcome = nullptr;
};

// Reads what the decisions depend on in one statement, decides each append as
// if the earlier ones of the group were stored, and writes all in a second
// statement. Use one object for each attempt.
class PostgresAppendGroup : private JournalIndex {
 public:
  explicit PostgresAppendGroup(const std::vector<StagedAppend>& appends)
      : appends_(appends) {}

  // SQL that locks the runs of the group until the end of the transaction, in
  // an order that is the same for all processes, so that groups cannot
  // deadlock.
  std::string lock_statement() const;
  // REQUIRES: in a transaction that has run `lock_statement`. Fails with
  // please_repeat() if another process took an id or a key meanwhile.
  Result<void> write(PostgresConnection& connection);

 private:
  // A run that is stored, or that the group creates.
  struct GroupRun {
    RunPlace place;
    std::optional<Run> created;  // By the group.
    std::optional<std::string> new_state;
    bool is_changed = false;  // Its stored row must be updated.
  };
  struct NewEvent {
    const Event* event = nullptr;
    std::string_view run;
    std::uint64_t seq = 0;
    std::string_view key;  // "" if it is not the first of a request with a key.
  };

  Result<std::optional<Answer>> find_answer(std::string_view key) override;
  Result<std::optional<RunPlace>> find_run(std::string_view id) override;
  Result<std::optional<EventPlace>> find_event(std::string_view id) override;

  Result<void> look_up(PostgresConnection& connection);
  void decide();
  void add(const Append& request);
  GroupRun& run_for(const Append& request);
  bool is_empty() const;
  PostgresParameters rows_to_insert() const;
  void add_new_runs(PostgresParameters& parameters) const;
  void add_changed_runs(PostgresParameters& parameters) const;
  void add_answers(PostgresParameters& parameters) const;
  void add_events(PostgresParameters& parameters) const;
  Result<void> insert(PostgresConnection& connection);

  const std::vector<StagedAppend>& appends_;
  // The stored data, and what the group adds.
  std::map<std::string, GroupRun, std::less<>> runs_;
  std::map<std::string, EventPlace, std::less<>> events_;
  std::map<std::string, Answer, std::less<>> answers_;
  std::vector<NewEvent> new_events_;
  std::map<std::string_view, const Answer*> new_answers_;  // By key.
  std::vector<std::string> new_runs_;  // In the order of their creation.
};

}  // namespace lamarck::store::internal
