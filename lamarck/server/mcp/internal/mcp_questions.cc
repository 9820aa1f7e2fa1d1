#include "lamarck/server/mcp/internal/mcp_questions.h"

#include <set>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/server/mcp/internal/mcp_result_codec.h"
#include "lamarck/server/mcp/internal/mcp_session.h"

namespace lamarck::mcp {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

// How often `still_wanted` is polled.
constexpr milliseconds kPollInterval{250};

// URL elicitation needs an elicitationId in the legacy era, but not in the
// modern one.
std::string legacy_params(const InputRequest& request, std::int64_t id) {
  auto params = parse_json(request.params.empty() ? "{}" : request.params);
  if (!params.has_value() || !params->is_object()) return "{}";
  const std::string* mode = find_string(*params, "mode");
  if (mode != nullptr && *mode == "url" && !params->contains("elicitationId")) {
    (*params)["elicitationId"] = "elicitation-" + std::to_string(id);
  }
  return dump_json(*params);
}

std::string rejection_text(const std::string& method, const Json& response) {
  const Json* error = find_member(response, "error");
  const std::string* why =
      error == nullptr ? nullptr : find_string(*error, "message");
  return "The client rejected " + method + (why == nullptr ? "." : ": " + *why);
}

std::string silence_text(const std::string& method, milliseconds limit) {
  return "The client did not answer " + method + " within " +
         std::to_string(limit.count()) + " ms.";
}

}  // namespace

bool is_abandoned(const McpCall& call) {
  return call.cancel().is_cancelled() || call.session()->is_closed();
}

// Sends all requests before waiting, so that the client can answer in parallel.
void McpQuestions::send_new(const InputRequired& required) {
  for (const auto& [key, request] : required.requests) {
    if (open_.contains(key)) continue;
    const std::int64_t id = call_.session()->open_request();
    open_[key] = {id, clock_.elapsed(), request.method};
    call_.send(request_message(std::to_string(id), request.method,
                               legacy_params(request, id)));
  }
}

void McpQuestions::take(const std::string& key,
                        const std::shared_ptr<const Json>& response,
                        const InputRequired& required, Round& round) {
  InputReplies& replies = round.replies;
  const Open& open = open_.at(key);
  replies.arrived.push_back(key);
  replies.waited[key] =
      duration_cast<milliseconds>(clock_.elapsed() - open.sent);
  const Json* result = find_member(*response, "result");
  if (result != nullptr) {
    if (is_answer_to(*result, open.method)) {
      replies.answers[key] = std::shared_ptr<const Json>(response, result);
    }
    return;
  }
  std::string why = rejection_text(open.method, *response);
  if (required.survives_refusals) {
    replies.refusals[key] = std::move(why);
  } else {
    round.rejection = std::move(why);
  }
}

void McpQuestions::take_arrived(const InputRequired& required, Round& round) {
  std::map<std::int64_t, std::string> keys;
  std::set<std::int64_t> ids;
  for (const auto& [key, open] : open_) {
    keys[open.id] = key;
    ids.insert(open.id);
  }
  for (const auto& [id, response] : call_.session()->take_answers(ids)) {
    const std::string& key = keys.at(id);
    take(key, response, required, round);
    open_.erase(key);
  }
}

void McpQuestions::give_up(const InputRequired& required, Round& round) {
  std::vector<std::string> gone;
  for (const auto& [key, open] : open_) {
    if (required.still_wanted && !required.still_wanted(key)) {
      round.replies.answers[key] = nullptr;
      gone.push_back(key);
      continue;
    }
    const bool is_late = required.answer_limit.count() > 0 &&
                         clock_.elapsed() - open.sent >= required.answer_limit;
    if (!is_late) continue;
    round.replies.refusals[key] =
        silence_text(open.method, required.answer_limit);
    round.replies.arrived.push_back(key);
    gone.push_back(key);
  }
  for (const std::string& key : gone) {
    call_.session()->withdraw_request(open_.at(key).id, kNotNeeded);
    open_.erase(key);
  }
}

McpQuestions::Round McpQuestions::ask(const InputRequired& required) {
  for (auto one = open_.begin(); one != open_.end();) {
    const bool is_asked = required.requests.contains(one->first);
    if (!is_asked) {
      call_.session()->withdraw_request(one->second.id, kNotNeeded);
    }
    one = is_asked ? std::next(one) : open_.erase(one);
  }
  send_new(required);
  Round round;
  while (true) {
    const std::size_t before = open_.size();
    take_arrived(required, round);
    if (is_abandoned(call_) || round.rejection) break;
    give_up(required, round);
    const bool has_news = open_.size() < before;
    if (open_.empty() || (required.takes_first && has_news)) break;
    std::set<std::int64_t> ids;
    for (const auto& [key, open] : open_) ids.insert(open.id);
    call_.session()->wait_answers(ids, call_.cancel(), kPollInterval);
  }
  for (const auto& [key, open] : open_) round.replies.pending.insert(key);
  return round;
}

void McpQuestions::withdraw_all(const std::string& reason) {
  for (const auto& [key, open] : open_) {
    call_.session()->withdraw_request(open.id, reason);
  }
  open_.clear();
}

}  // namespace lamarck::mcp
