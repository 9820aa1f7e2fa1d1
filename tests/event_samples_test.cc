// Backward compatibility: the events of every version still give the same
// session.
//
// tests/data/events/v1/TYPE.json holds the events of a session in which the
// type occurs, and the resulting session. These files never change; a new
// version of events gets its own folder.

#include <gtest/gtest.h>

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/file.h"
#include "lamarck/thought/event_kinds.h"

namespace lamarck::thought {
namespace {

const std::filesystem::path kData = LAMARCK_DATA;

std::vector<std::filesystem::path> sample_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(kData / "events")) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  return files;
}

Json read_sample(const std::filesystem::path& path) {
  return parse_json(read_file(path).value()).value();
}

std::string text_of(const Json& event, const char* column) {
  return event.contains(column) ? dump_json(event[column]) : "";
}

store::Event event_from(const Json& json) {
  store::Event event;
  event.id = json["id"];
  event.type = json["type"];
  event.run = json["run"];
  event.seq = json["seq"];
  event.role = json["role"];
  event.status = json["status"];
  event.content = json["content"];
  event.version = json["version"];
  event.token_cost = json["token_cost"];
  event.walltime_ms = json["walltime_ms"];
  event.ts = Clock::WallTime(std::chrono::microseconds(json["ts_us"]));
  event.vector_clock = json["vector_clock"].get<store::ClockCounts>();
  event.constraints = text_of(json, "constraints");
  event.score = text_of(json, "score");
  return event;
}

// Checks that `now` contains everything in `then`. It may have additional
// fields.
void expect_kept(const Json& then, const Json& now, const std::string& where) {
  if (!then.is_structured()) {
    EXPECT_EQ(then, now) << where;
    return;
  }
  ASSERT_EQ(then.type(), now.type()) << where;
  ASSERT_TRUE(then.is_object() || then.size() == now.size()) << where;
  for (const auto& [key, value] : then.items()) {
    const Json::json_pointer place("/" + key);
    ASSERT_TRUE(now.contains(place)) << where << "/" << key;
    expect_kept(value, now[place], where + "/" + key);
  }
}

TEST(EventSamples, OldEventsGiveSameSession) {
  for (const auto& path : sample_files()) {
    const Json sample = read_sample(path);
    Session session;
    for (const Json& event : sample["events"]) {
      const auto applied = apply(session, event_from(event));
      ASSERT_TRUE(applied) << path << applied.error().message();
    }
    expect_kept(sample["session"], to_json(session), path.string());
  }
}

TEST(EventSamples, OldSessionsCanStillBeRead) {
  for (const auto& path : sample_files()) {
    const Json stored = read_sample(path)["session"];
    const auto session = session_from_json(stored);
    ASSERT_TRUE(session) << path << session.error().message();
    expect_kept(stored, to_json(*session), path.string());
  }
}

TEST(EventSamples, ExistForEveryEventType) {
  for (const EventKind& kind : event_kinds()) {
    const auto path =
        kData / "events" / "v1" / fmt::format("{}.json", kind.type);
    ASSERT_TRUE(std::filesystem::exists(path))
        << "missing sample; add " << path;
    const Json counts = read_sample(path)["session"]["event_counts"];
    EXPECT_TRUE(counts.contains(kind.type)) << path;
  }
}

TEST(EventSamples, DocumentationListsEveryEventType) {
  const std::string page =
      read_file(kData / "../../docs/formats/journal.md").value();
  for (const EventKind& kind : event_kinds()) {
    const std::string row = fmt::format("\n| `{}` | {} | {} |\n", kind.type,
                                        kind.says, kind.details);
    EXPECT_NE(page.find(row), std::string::npos)
        << "missing row in docs/formats/journal.md:" << row;
  }
}

}  // namespace
}  // namespace lamarck::thought
