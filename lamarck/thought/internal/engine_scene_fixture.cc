#include "lamarck/thought/internal/engine_scene_fixture.h"

#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/store/memory_journal.h"

namespace lamarck::thought::internal {

std::string good_plan(std::string_view note) {
  const Json plan = {
      {"dry_run", true},
      {"rollback", {{"strategy", "git_revert"}}},
      {"limits", {{"max_changes", 20}, {"max_files", 2}}},
      {"capabilities_required", {"edit_files"}},
      {"success_criteria", {"all tests pass"}},
      {"risk_estimate", {{"test_coverage", 0.95}}},
      {"context_sufficiency",
       {{"unresolved_symbol_rate", 0.0}, {"callgraph_coverage", 0.99}}},
      {"steps", {note}}};
  return dump_json(plan);
}

std::string bad_plan() { return R"({"dry_run": true})"; }

std::string session_text(const Session& session) {
  return dump_json(to_json(session));
}

EngineScene::EngineScene(EngineOptions options, std::uint64_t seed)
    : journal(store::make_memory_journal()),
      clock(Clock::WallTime(std::chrono::hours(480'000))),
      engine(std::move(options), *journal, clock, Rng(seed)) {}

Json EngineScene::parsed(const ThoughtEngine::Answer& answer) {
  return parse_json(answer.value()).value();
}

std::string EngineScene::start(SessionBudgets budgets) {
  return parsed(engine.start_session({.goal = "Rename the function",
                                      .success_criteria = {"tests pass"},
                                      .budgets = budgets},
                                     {}))["session"];
}

std::vector<std::string> EngineScene::fork(
    const std::string& session, const std::vector<std::string>& names) {
  BranchFork request{.session = session};
  for (const std::string& name : names) {
    request.children.push_back({.name = name, .content = "Try " + name});
  }
  std::vector<std::string> ids;
  const Json answer = parsed(engine.fork(request, {}));
  for (const Json& branch : answer["branches"]) {
    ids.push_back(branch["branch"]);
  }
  return ids;
}

std::string EngineScene::step(const std::string& session,
                              std::string_view content,
                              std::string_view branch) {
  return parsed(engine.add_step({.session = session,
                                 .branch = std::string(branch),
                                 .content = std::string(content)},
                                {}))["event"];
}

Json EngineScene::validate(const std::string& session,
                           const std::string& branch, const std::string& plan) {
  return parsed(engine.validate_plan(
      {.session = session, .branch = branch, .plan = plan}, {}));
}

std::vector<store::Event> EngineScene::events(const std::string& session) {
  return journal->events(session).value();
}

std::unique_ptr<ThoughtEngine> EngineScene::another(std::uint64_t seed,
                                                    EngineOptions options) {
  return std::make_unique<ThoughtEngine>(std::move(options), *journal, clock,
                                         Rng(seed));
}

}  // namespace lamarck::thought::internal
