// The folder thought: sessions in a journal. Answers are JSON texts.

#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lamarck/base/entropy.h"
#include "lamarck/base/rng.h"
#include "lamarck/store/memory_journal.h"
#include "lamarck/store/sqlite_journal.h"
#include "lamarck/thought/session_export.h"
#include "lamarck/thought/thought_engine.h"
#include "python/bindings/bindings.h"
#include "python/bindings/python_error.h"

namespace lamarck::python {
namespace py = pybind11;
using namespace pybind11::literals;

namespace {

// An engine with the journal and the clock that it needs.
class ThoughtStore {
 public:
  // In memory if `path` is empty.
  explicit ThoughtStore(const std::string& path)
      : journal_(path.empty()
                     ? store::make_memory_journal()
                     : take(store::open_sqlite_journal({.path = path}))),
        engine_({}, *journal_, clock_, Rng(entropy_seed())) {}

  thought::ThoughtEngine& engine() { return engine_; }
  store::Journal& journal() { return *journal_; }

 private:
  std::unique_ptr<store::Journal> journal_;
  SystemClock clock_;
  thought::ThoughtEngine engine_;
};

// The answer of a call that may wait for the disk.
template <class Call>
std::string answer(Call call) {
  Result<std::string> result = [&] {
    const py::gil_scoped_release release;
    return call();
  }();
  return take(std::move(result));
}

const thought::Caller kCaller{.node = "python"};

std::string start(ThoughtStore& store, const std::string& goal,
                  const std::vector<std::string>& criteria, std::int64_t tokens,
                  double seconds, std::int64_t branches) {
  const auto time =
      std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
  return answer([&] {
    return store.engine().start_session({.goal = goal,
                                         .success_criteria = criteria,
                                         .budgets = {.tokens = tokens,
                                                     .wall_time = time,
                                                     .branches = branches}},
                                        kCaller);
  });
}

std::string control(ThoughtStore& store, const std::string& session,
                    const std::string& action, const std::string& note) {
  using thought::SessionAction;
  static const std::pair<const char*, SessionAction> kActions[] = {
      {"status", SessionAction::Status},
      {"pause", SessionAction::Pause},
      {"resume", SessionAction::Resume},
      {"checkpoint", SessionAction::Checkpoint},
      {"restore", SessionAction::Restore},
      {"complete", SessionAction::Complete},
      {"fail", SessionAction::Fail}};
  for (const auto& [name, value] : kActions) {
    if (action != name) continue;
    return answer([&, kept = value] {
      return store.engine().control(session, kept, note, kCaller);
    });
  }
  raise_error(invalid_argument("Unknown action '" + action + "'."));
}

std::string step(ThoughtStore& store, const std::string& session,
                 const std::string& branch, const std::string& content,
                 const std::string& role, bool is_critique,
                 const std::vector<std::string>& parents) {
  return answer([&] {
    return store.engine().add_step({.session = session,
                                    .branch = branch,
                                    .content = content,
                                    .role = role,
                                    .is_critique = is_critique,
                                    .parents = parents},
                                   kCaller);
  });
}

std::string fork(
    ThoughtStore& store, const std::string& session, const std::string& from,
    const std::vector<std::pair<std::string, std::string>>& children) {
  thought::BranchFork request{.session = session, .from = from};
  for (const auto& [name, content] : children) {
    request.children.push_back({.name = name, .content = content});
  }
  return answer([&] { return store.engine().fork(request, kCaller); });
}

std::string merge(ThoughtStore& store, const std::string& session,
                  const std::string& into, const std::vector<std::string>& from,
                  const std::string& content) {
  return answer([&] {
    return store.engine().merge(
        {.session = session, .into = into, .from = from, .content = content},
        kCaller);
  });
}

std::string score(ThoughtStore& store, const std::string& session,
                  const std::string& branch, double completeness, double risk,
                  double cost) {
  return answer([&] {
    return store.engine().score_branch(
        {.session = session,
         .branch = branch,
         .score = {.completeness = completeness, .risk = risk, .cost = cost}},
        kCaller);
  });
}

std::string stop(ThoughtStore& store, const std::string& session,
                 const std::string& branch, const std::string& reason) {
  return answer([&] {
    return store.engine().stop_branch(
        {.session = session, .branch = branch, .reason = reason}, kCaller);
  });
}

std::string validate(ThoughtStore& store, const std::string& session,
                     const std::string& branch, const std::string& plan,
                     const std::string& plan_type, const std::string& schema) {
  return answer([&] {
    return store.engine().validate_plan({.session = session,
                                         .branch = branch,
                                         .plan = plan,
                                         .plan_type = plan_type,
                                         .schema = schema},
                                        kCaller);
  });
}

std::string export_plan(ThoughtStore& store, const std::string& session,
                        const std::string& branch) {
  return answer(
      [&] { return store.engine().export_plan(session, branch, kCaller); });
}

std::string receive(ThoughtStore& store, const std::string& session,
                    const std::string& branch, const std::string& execution,
                    bool success, const std::string& summary) {
  return answer([&] {
    return store.engine().receive_evidence({.session = session,
                                            .branch = branch,
                                            .execution_id = execution,
                                            .success = success,
                                            .summary = summary},
                                           kCaller);
  });
}

std::string digest(ThoughtStore& store, const std::string& session,
                   const std::string& branch, std::int64_t max_tokens) {
  return answer(
      [&] { return store.engine().digest(session, branch, max_tokens); });
}

// "mermaid", "dot", "svg" or "json".
std::string exported(ThoughtStore& store, const std::string& id,
                     const std::string& format) {
  const thought::Session session = take(store.engine().session(id));
  const auto events = take(store.journal().events(id));
  if (format == "mermaid") return thought::to_mermaid(session, events);
  if (format == "dot") return thought::to_dot(session, events);
  if (format == "svg") return thought::to_svg(session, events);
  return thought::to_json_text(session, events);
}

}  // namespace

void bind_thought(py::module_& module) {
  py::class_<ThoughtStore>(module, "ThoughtStore")
      .def(py::init<const std::string&>(), "path"_a = "")
      .def("start", &start, "goal"_a, "criteria"_a, "tokens"_a, "seconds"_a,
           "branches"_a)
      .def("control", &control, "session"_a, "action"_a, "note"_a)
      .def("step", &step, "session"_a, "branch"_a, "content"_a, "role"_a,
           "is_critique"_a, "parents"_a)
      .def("fork", &fork, "session"_a, "of"_a, "children"_a)
      .def("merge", &merge, "session"_a, "into"_a, "branches"_a, "content"_a)
      .def("score", &score, "session"_a, "branch"_a, "completeness"_a, "risk"_a,
           "cost"_a)
      .def("stop", &stop, "session"_a, "branch"_a, "reason"_a)
      .def("validate", &validate, "session"_a, "branch"_a, "plan"_a,
           "plan_type"_a, "schema"_a)
      .def("export_plan", &export_plan, "session"_a, "branch"_a)
      .def("receive", &receive, "session"_a, "branch"_a, "execution"_a,
           "success"_a, "summary"_a)
      .def("digest", &digest, "session"_a, "branch"_a, "max_tokens"_a)
      .def("exported", &exported, "session"_a, "format"_a);
}

}  // namespace lamarck::python
