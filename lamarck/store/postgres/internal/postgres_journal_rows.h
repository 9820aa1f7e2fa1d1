// Reads the rows of a journal in PostgreSQL.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/store/journal.h"
#include "lamarck/store/postgres/postgres_connection.h"

namespace lamarck::store::internal {

// The functions return nullopt if the record does not exist.
Result<std::optional<Run>> read_run(PostgresConnection& connection,
                                    std::string_view id);
Result<std::vector<Run>> read_runs(PostgresConnection& connection,
                                   const RunFilter& filter);
Result<std::uint64_t> count_runs(PostgresConnection& connection,
                                 std::string_view kind);
Result<std::optional<Event>> read_event(PostgresConnection& connection,
                                        std::string_view id);
Result<std::vector<Event>> read_events(PostgresConnection& connection,
                                       std::string_view run,
                                       std::uint64_t after_seq,
                                       std::size_t limit);
Result<std::optional<Answer>> read_answer(PostgresConnection& connection,
                                          std::string_view key);
// In the order of their keys.
Result<std::vector<Answer>> read_answers(PostgresConnection& connection,
                                         std::string_view after_key,
                                         std::size_t limit);
Result<std::vector<std::string>> read_pruned_ids(PostgresConnection& connection,
                                                 std::string_view run);
Result<std::optional<Checkpoint>> read_checkpoint(
    PostgresConnection& connection, std::string_view run);
// The id of the event, also of a pruned one; "" if there is none.
Result<std::string> read_event_id(PostgresConnection& connection,
                                  std::string_view run, std::uint64_t seq);

// One sentence per problem.
Result<std::vector<std::string>> check_postgres_journal(
    PostgresConnection& connection);

// A number of the interface as one of PostgreSQL, at most the largest.
std::int64_t as_bigint(std::uint64_t value);

}  // namespace lamarck::store::internal
