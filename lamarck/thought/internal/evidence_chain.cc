#include "lamarck/thought/internal/evidence_chain.h"

#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/store/redaction.h"

namespace lamarck::thought::internal {
namespace {

Json object_in(const std::string& text) {
  Result<Json> json = parse_json(text);
  return json && json->is_object() ? *std::move(json) : Json::object();
}

Json link(const store::Event& event, const Json& details, std::string_view step,
          std::string_view status) {
  Json result = {{"step", step}, {"event_id", event.id}, {"status", status}};
  if (const auto found = details.find("branch"); found != details.end()) {
    result["branch_id"] = *found;
  }
  return result;
}

void copy(const Json& from, const char* name, const char* as, Json& to) {
  const auto found = from.find(name);
  if (found != from.end()) to[as] = *found;
}

Json execution_link(const Json& details) {
  Json result = {
      {"step", "execution"},
      {"status", details.value("success", false) ? "success" : "failure"}};
  for (const char* name :
       {"tool", "arguments", "exit_code", "stderr_tail", "category"}) {
    copy(details, name, name, result);
  }
  return result;
}

// An execution, its tests and the report about both.
void add_evidence_links(const store::Event& event, const Json& details,
                        Json& chain) {
  const Json score = object_in(event.score);
  chain.push_back(execution_link(details));
  if (score.contains("tests_passed")) {
    Json tests = {{"step", "tests"}};
    copy(score, "tests_passed", "passed", tests);
    copy(score, "tests_failed", "failed", tests);
    chain.push_back(std::move(tests));
  }
  Json evidence = link(event, details, "evidence", event.status);
  for (const char* name : {"compliance", "placement_correct"}) {
    copy(score, name, name, evidence);
  }
  copy(details, "success", "success", evidence);
  copy(details, "late", "late", evidence);
  chain.push_back(std::move(evidence));
}

void add_links(const store::Event& event, Json& chain) {
  const Json details = object_in(event.constraints);
  if (event.type == "evidence") {
    return add_evidence_links(event, details, chain);
  }
  if (event.type == "session") {
    chain.push_back(link(event, details, "end", event.status));
  } else if (event.type == "branch" && details.contains("exported")) {
    chain.push_back(link(event, details, "export", event.status));
  } else if (event.type == "validate") {
    // A plan without a thought before it is in the validation itself.
    if (chain.empty()) {
      chain.push_back(link(event, details, "plan", "done"));
    }
    chain.push_back(link(event, details, "validate",
                         event.status == "rejected" ? "fail" : "pass"));
  } else {
    chain.push_back(link(event, details, "plan", "done"));
  }
}

}  // namespace

Json evidence_chain(store::Journal& journal, const Session& session) {
  Json chain = Json::array();
  for (const std::string& id : session.evidence_links.empty()
                                   ? session.evidence_chain
                                   : session.evidence_links) {
    const Result<store::Event> event = journal.event(id);
    if (event) {
      add_links(*event, chain);
    } else {
      chain.push_back({{"event_id", id}});
    }
  }
  return store::redacted_json(chain);
}

}  // namespace lamarck::thought::internal
