#include "lamarck/thought/internal/evidence_details.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/unicode.h"
#include "lamarck/store/redaction.h"

namespace lamarck::thought::internal {
namespace {

constexpr std::size_t kMaxTailBytes = std::size_t{16} << 10;
constexpr std::size_t kTailCharacters = 2000;
constexpr std::size_t kMaxArgumentBytes = 4000;

// The index of a success criterion given by text or by number, from 1.
Result<std::size_t> find_criterion(const Session& session,
                                   const std::string& name) {
  const auto& all = session.success_criteria;
  const auto found = std::ranges::find(all, name);
  if (found != all.end()) return static_cast<std::size_t>(found - all.begin());
  std::size_t number = 0;
  const char* const end = name.data() + name.size();
  const auto [last, error] = std::from_chars(name.data(), end, number);
  if (error == std::errc() && last == end && number >= 1 &&
      number <= all.size()) {
    return number - 1;
  }
  return Error(ErrorCode::InvalidArgument,
               fmt::format("Session {} has no success criterion {}; give its "
                           "text or a number from 1 to {}.",
                           session.id, in_quotes(name), all.size()));
}

Result<std::set<std::size_t>> find_criteria(
    const Session& session, const std::vector<std::string>& names) {
  std::set<std::size_t> indices;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const std::size_t index, find_criterion(session, name));
    indices.insert(index);
  }
  return indices;
}

// The success criteria of the session that the plan of the branch repeats.
std::set<std::size_t> planned_criteria(const Session& session,
                                       const Branch& branch) {
  std::set<std::size_t> indices;
  const Result<Json> plan = parse_json(branch.plan);
  if (!plan || !plan->is_object()) return indices;
  const auto listed = plan->find("success_criteria");
  if (listed == plan->end() || !listed->is_array()) return indices;
  for (std::size_t i = 0; i < session.success_criteria.size(); ++i) {
    const bool is_listed =
        std::ranges::find(*listed, Json(session.success_criteria[i])) !=
        listed->end();
    if (is_listed) indices.insert(i);
  }
  return indices;
}

// The end of stderr without secrets. Cut before it is redacted, so that the
// work is bounded; a line that was cut is left out, since it may begin inside a
// secret.
std::string stderr_tail(std::string_view text) {
  if (text.size() > kMaxTailBytes) {
    text.remove_prefix(text.size() - kMaxTailBytes);
    const std::size_t end = text.find('\n');
    text.remove_prefix(end == std::string_view::npos ? 0 : end + 1);
  }
  const std::string shown = store::redacted(make_valid_utf8(text));
  const std::size_t length = unicode_length(shown);
  std::string_view rest = shown;
  for (std::size_t i = kTailCharacters; i < length; ++i) {
    rest.remove_prefix(first_character_size(rest));
  }
  return std::string(rest);
}

}  // namespace

Result<void> add_criteria(const Session& session, const Branch& branch,
                          const CriteriaReport& report, Json& details) {
  ASSIGN_OR_RETURN(std::set<std::size_t> met,
                   find_criteria(session, report.met));
  ASSIGN_OR_RETURN(std::set<std::size_t> failed,
                   find_criteria(session, report.failed));
  for (const std::size_t index : met) {
    if (!failed.contains(index)) continue;
    return Error(ErrorCode::InvalidArgument,
                 fmt::format("The success criterion {} is in both criteria_met "
                             "and criteria_failed; give it once.",
                             in_quotes(session.success_criteria[index])));
  }
  for (const std::size_t index : planned_criteria(session, branch)) {
    if (met.contains(index) || failed.contains(index)) continue;
    (report.success ? met : failed).insert(index);
  }
  if (!met.empty()) details["criteria_met"] = met;
  if (!failed.empty()) details["criteria_failed"] = failed;
  return {};
}

void add_execution(const FailureReport& report, bool success, Json& details) {
  if (!report.tool.empty()) {
    details["tool"] = one_line(store::redacted(report.tool));
  }
  if (!report.arguments.empty()) {
    const Json arguments = store::redacted_json(
        parse_json(report.arguments).value_or(Json::object()));
    const std::string text = dump_json(arguments);
    details["arguments"] =
        text.size() <= kMaxArgumentBytes
            ? arguments
            : Json(truncate_characters(text, kMaxArgumentBytes / 4));
  }
  details["exit_code"] = success ? 0 : report.exit_code;
  if (!report.stderr_text.empty()) {
    details["stderr_tail"] = stderr_tail(report.stderr_text);
  }
}

}  // namespace lamarck::thought::internal
