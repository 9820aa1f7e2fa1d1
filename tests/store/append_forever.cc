// Appends to a journal from several threads until it is killed, and prints the
// id of each event once it is acknowledged. tests/store/kill_check.py kills it
// and checks that all acknowledged events are in the journal.
//
//   append_forever FILE NAME THREADS    appends to the run NAME
//   append_forever FILE                 verifies the journal and prints its
//   events

#include <unistd.h>

#include <iostream>
#include <mutex>
#include <thread>
#include <vector>

#include "lamarck/base/clock.h"
#include "lamarck/base/entropy.h"
#include "lamarck/base/id.h"
#include "lamarck/base/macros.h"
#include "lamarck/store/sqlite_journal.h"

namespace lamarck::store {
namespace {

// Prints a whole line with one system call, so that a kill cannot cut it.
void print_line(std::string line) {
  line += '\n';
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) return;
}

Event step(const std::string& id, const Clock& clock) {
  Event event;
  event.id = id;
  event.type = "plan_step";
  event.role = "planner";
  event.content = std::string(380, 'x');
  event.ts = clock.wall_time();
  return event;
}

// Appends one event after another. Sends each twice with the same idempotency
// key, like a client that lost the first answer.
void append_forever(Journal& journal, const std::string& run, Rng rng) {
  const SystemClock clock;
  IdGenerator ids(clock, rng);
  for (;;) {
    const std::string id = "evt_" + ids.next();
    const Append request = {.run = run,
                            .events = {step(id, clock)},
                            .answer = {"key " + id, "00", "answer " + id}};
    const Result<Appended> first = journal.append(request);
    if (!first) return print_line("failed: " + first.error().message());
    print_line(id);
    const Result<Appended> second = journal.append(request);
    if (!second || !second->is_repeat || second->answer != first->answer) {
      return print_line("failed: the repeated request was not recognized");
    }
  }
}

int append_all(Journal& journal, const std::string& run, int threads) {
  const Result<Appended> made =
      journal.append({.run = run, .new_run = Run{.kind = "test"}});
  const bool is_there = made || made.error().code() == ErrorCode::AlreadyExists;
  if (!is_there) print_line("failed: " + made.error().message());
  const Rng rng(entropy_seed());
  std::vector<std::jthread> workers;
  for (int i = 0; i < threads; ++i) {
    workers.emplace_back([&, i] {
      append_forever(journal, run, rng.split(static_cast<std::uint64_t>(i)));
    });
  }
  return 1;
}

Result<void> show(Journal& journal) {
  ASSIGN_OR_RETURN(const auto complaints, journal.verify());
  for (const std::string& sentence : complaints) print_line(sentence);
  ASSIGN_OR_RETURN(const auto runs, journal.runs());
  for (const Run& run : runs) {
    ASSIGN_OR_RETURN(const auto events, journal.events(run.id));
    for (const Event& event : events) print_line(event.id);
  }
  return {};
}

}  // namespace
}  // namespace lamarck::store

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() != 1 && words.size() != 3) return 2;
  const auto journal = lamarck::store::open_sqlite_journal({.path = words[0]});
  if (!journal) {
    lamarck::store::print_line("failed: " + journal.error().message());
    return 1;
  }
  if (words.size() == 3) {
    return lamarck::store::append_all(**journal, words[1], std::stoi(words[2]));
  }
  return lamarck::store::show(**journal) ? 0 : 1;
}
