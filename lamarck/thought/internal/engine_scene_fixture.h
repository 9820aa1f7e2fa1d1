// For tests and benchmarks: an engine over an in-memory journal and a manual
// clock, and plans to submit.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/clock.h"
#include "lamarck/base/json.h"
#include "lamarck/store/journal.h"
#include "lamarck/thought/thought_engine.h"

namespace lamarck::thought::internal {

// Passes validation with a risk below 0.2.
std::string good_plan(std::string_view note = "");
// Lacks most of the required fields.
std::string bad_plan();

// The whole session as JSON.
std::string session_text(const Session& session);

struct EngineScene {
  explicit EngineScene(EngineOptions options = {}, std::uint64_t seed = 1);

  // Parses an answer; throws if it is an error.
  static Json parsed(const ThoughtEngine::Answer& answer);

  // These return the ids of what they create.
  std::string start(SessionBudgets budgets = {});
  std::vector<std::string> fork(const std::string& session,
                                const std::vector<std::string>& names);
  std::string step(const std::string& session, std::string_view content,
                   std::string_view branch = "main");
  Json validate(const std::string& session, const std::string& branch,
                const std::string& plan);
  std::vector<store::Event> events(const std::string& session);
  // Another engine over the same journal, as after a restart.
  std::unique_ptr<ThoughtEngine> another(std::uint64_t seed,
                                         EngineOptions options = {});

  std::unique_ptr<store::Journal> journal;
  ManualClock clock;
  ThoughtEngine engine;
};

}  // namespace lamarck::thought::internal
