// Three-step tasks in four families with a real model behind HTTP, without
// skills and with skills that were extracted from solved tasks:
// needle_story URL [--verbose]. Fails if skills do not help as they must: three
// times as many tasks right, for half of the tokens.

#include <iostream>
#include <map>
#include <fmt/format.h>

#include "lamarck/agent/agent_runner.h"
#include "lamarck/agent/routing_planner.h"
#include "lamarck/llm/http_chat_model.h"
#include "lamarck/skills/skill_library.h"
#include "lamarck/store/memory_journal.h"
#include "tests/agent/office_tasks.h"

namespace lamarck {
namespace {

constexpr int kSolvedTasks = 3;  // Of each family; the skills come from them.
constexpr int kTasks = 10;       // Of each family.

// Counts calls.
class CountingModel : public llm::ChatModel {
 public:
  explicit CountingModel(llm::ChatModel& model) : model_(model) {}
  const std::string& name() const override { return model_.name(); }
  const std::optional<llm::ModelPrice>& price() const override {
    return model_.price();
  }
  Result<llm::ChatReply> complete(const llm::ChatRequest& request,
                                  const CancelToken& cancel) override {
    ++calls;
    return model_.complete(request, cancel);
  }
  Result<llm::ChatReply> stream(const llm::ChatRequest& request,
                                const OnText& on_text,
                                const CancelToken& cancel) override {
    ++calls;
    return model_.stream(request, on_text, cancel);
  }
  int calls = 0;

 private:
  llm::ChatModel& model_;
};

struct Outcome {
  int right = 0;
  int calls = 0;
  std::int64_t tokens = 0;
  std::map<std::string, int> right_by_family;
};

class NeedleStory {
 public:
  NeedleStory(llm::ChatModel& model, bool is_verbose)
      : model_(model), is_verbose_(is_verbose) {
    add_office_tools(tools_, office_);
    store_ = skills::open_sqlite_skill_store({}, clock_).value();
    skills::AgentRecord record{.org_id = "local", .name = "clerk"};
    record.evolution = {.enabled = true,
                        .auto_approve = true,
                        .max_evolve_per_hour = 1000,
                        .cooldown_minutes = 0};
    record.allowed = {"writes"};
    agent_ = store_->create_agent(record).value();
    library_ = skills::SkillLibrary::open(
                   *store_, {.find_tool = tools_.finder()}, clock_)
                   .value();
  }

  // Solves tasks by given plans and learns a skill of each family.
  void learn() {
    std::map<std::string, std::vector<skills::Trace>> traces;
    for (int number = 0; number < kSolvedTasks; ++number) {
      for (const OfficeTask& task : office_tasks(number)) {
        traces[task.family].push_back(make_trace(solve(task)));
      }
    }
    for (const auto& [family, list] : traces) {
      const auto job = library_->learn_many("local", agent_.id, list);
      if (!job) std::cout << family << ": " << job.error().message() << "\n";
    }
    while (library_->run_one_job({}).value()) {
    }
    const skills::SkillPage page = store_->skills("local", {}).value();
    for (const skills::Skill& skill : page.skills) {
      std::cout << fmt::format(
          "  skill '{}' ({}): {} {}\n", skill.definition.name,
          skills::skill_status_name(skill.status), skill.definition.description,
          is_verbose_ ? dump_json(skill.definition.parameters) : "");
    }
  }

  Outcome work(bool has_skills) {
    Outcome outcome;
    CountingModel counted(model_);
    agent::AgentRunnerOptions options{.agent = agent_, .allows_all = true};
    options.planner = std::make_shared<agent::RoutingPlanner>(
        agent::RoutingPlannerOptions{.agent = agent_, .max_calls = 4}, counted,
        tools_, has_skills ? library_.get() : nullptr);
    for (int number = kSolvedTasks; number < kSolvedTasks + kTasks; ++number) {
      for (const OfficeTask& task : office_tasks(number)) {
        solve(task);
        const std::vector<Json> wanted = office_.changes;
        office_.changes.clear();
        agent::AgentRunner runner(options, tools_, *journal_, clock_,
                                  Rng(++seed_));
        const auto run = runner.run(task.request, std::nullopt, {});
        if (!run) {
          std::cout << task.request << ": " << run.error().message() << "\n";
          continue;
        }
        const bool is_right = office_.changes == wanted;
        outcome.right += is_right ? 1 : 0;
        outcome.right_by_family[task.family] += is_right ? 1 : 0;
        outcome.tokens += run->tokens;
        if (is_verbose_) show(task, *run, is_right);
      }
    }
    outcome.calls = counted.calls;
    return outcome;
  }

 private:
  agent::AgentRun solve(const OfficeTask& task) {
    office_.changes.clear();
    agent::AgentRunner runner({.agent = agent_, .allows_all = true}, tools_,
                              *journal_, clock_, Rng(++seed_));
    return runner.run(task.request, task.plan, {}).value();
  }

  static void show(const OfficeTask& task, const agent::AgentRun& run,
                   bool is_right) {
    std::cout << (is_right ? "right  " : "WRONG  ") << task.request << "\n";
    for (const agent::StepGroup& group : run.groups) {
      std::cout << "         "
                << (group.skill_name.empty()
                        ? group.steps[0].tool + " " +
                              dump_json(group.steps[0].arguments)
                        : group.skill_name + " " + dump_json(group.params))
                << (group.error.empty() ? "" : " " + group.error) << "\n";
    }
  }

  llm::ChatModel& model_;
  bool is_verbose_;
  SystemClock clock_;
  Office office_;
  agent::ToolRegistry tools_;
  std::unique_ptr<store::Journal> journal_ = store::make_memory_journal();
  std::unique_ptr<skills::SkillStore> store_;
  std::unique_ptr<skills::SkillLibrary> library_;
  skills::AgentRecord agent_;
  std::uint64_t seed_ = 0;
};

void report(const char* what, const Outcome& outcome) {
  constexpr int kAll = 4 * kTasks;
  std::cout << fmt::format(
      "{:<15} {:>2} of {} tasks right, {:.2f} calls and {:.0f} tokens per task",
      what, outcome.right, kAll, static_cast<double>(outcome.calls) / kAll,
      static_cast<double>(outcome.tokens) / kAll);
  for (const auto& [family, right] : outcome.right_by_family) {
    std::cout << fmt::format(", {} {}", family, right);
  }
  std::cout << "\n";
}

int run_story(const std::string& url, bool is_verbose) {
  SystemClock clock;
  const auto endpoint = llm::ModelEndpoint::open({.base_url = url}, clock);
  if (!endpoint) {
    std::cerr << endpoint.error().message() << "\n";
    return 1;
  }
  const auto model =
      llm::HttpChatModel::open({.model = "needle"}, *endpoint).value();
  NeedleStory story(*model, is_verbose);
  story.learn();
  const Outcome without = story.work(false);
  report("Without skills:", without);
  const Outcome with = story.work(true);
  report("With skills:", with);
  const bool is_reached = with.right >= 3 * std::max(without.right, 1) &&
                          2 * with.tokens <= without.tokens;
  std::cout << (is_reached ? "Reached" : "NOT reached")
            << ": three times as many right for half of the tokens.\n";
  return is_reached ? 0 : 1;
}

}  // namespace
}  // namespace lamarck

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  return lamarck::run_story(argv[1], argc > 2);
}
