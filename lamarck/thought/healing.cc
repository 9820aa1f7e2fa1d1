#include "lamarck/thought/healing.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"

namespace lamarck::thought {
namespace {

constexpr auto kStrategies = [] {
  using enum FailureCategory;
  return std::to_array<HealingStrategy>({
      {PermissionDenied, "switch_tool",
       R"({"from": "direct_write", "to": "safe_edit"})"},
      {PermissionDenied, "request_approval",
       R"({"message": "Elevated rights are needed."})"},

      {AccessForbidden, "request_approval",
       R"({"message": "Access to this resource is needed."})"},
      {AccessForbidden, "switch_tool", R"({"to": "fallback"})"},

      {FileNotFound, "expand_context",
       R"({"type": "symbol_search", "query": "find_alternate_location"})"},
      {FileNotFound, "suggest_create", R"({"template": "default"})"},

      {PortInUse, "find_free_port", R"({"range": "8000-9000"})"},
      {PortInUse, "kill_process", R"({"require_approval": true})"},

      {LockHeld, "reduce_concurrency", R"({"max_parallel": 1})"},
      {LockHeld, "retry_with_backoff",
       R"({"max_attempts": 3, "backoff_ms": [100, 500, 2000]})"},

      {DiskFull, "free_space",
       R"({"targets": ["caches", "build_output"], "require_approval": true})"},
      {DiskFull, "batch_reduce", R"({"factor": 0.5})"},

      {MissingDependency, "suggest_install",
       R"({"package_manager": "auto_detect"})"},
      {MissingDependency, "switch_tool", R"({"to": "fallback"})"},

      {VersionMismatch, "pin_version", R"({"source": "lock_file"})"},
      {VersionMismatch, "suggest_install",
       R"({"package_manager": "auto_detect", "version": "required"})"},

      {ImportError, "expand_context",
       R"({"type": "symbol_search", "query": "exported_names"})"},
      {ImportError, "suggest_install",
       R"({"package_manager": "auto_detect", "reinstall": true})"},

      {PathNonCompliant, "doc_suggest",
       R"({"service": "documentation_rules"})"},
      {PathNonCompliant, "ask_user", R"({"options": "auto_fix/manual"})"},

      {PathOutsideProject, "rewrite_path", R"({"base": "project_root"})"},
      {PathOutsideProject, "ask_user", R"({"include_stderr": true})"},

      {TestFailed, "analyze_diff", R"({"tool": "git_diff"})"},
      {TestFailed, "expand_context",
       R"({"type": "test_only", "affected": true})"},
      {TestFailed, "rollback", R"({"strategy": "git_revert"})"},

      {AssertionError, "analyze_diff", R"({"tool": "git_diff"})"},
      {AssertionError, "expand_context",
       R"({"type": "symbol_search", "query": "asserted_condition"})"},
      {AssertionError, "rollback", R"({"strategy": "git_revert"})"},

      {SyntaxError, "rollback", R"({"strategy": "git_revert"})"},
      {SyntaxError, "parse_error", R"({"tool": "ast_parser"})"},

      {Timeout, "batch_reduce", R"({"factor": 0.5})"},
      {Timeout, "increase_timeout", R"({"multiplier": 2})"},

      {OutOfMemory, "batch_reduce", R"({"factor": 0.5})"},
      {OutOfMemory, "reduce_concurrency", R"({"max_parallel": 1})"},

      {RecursionLimit, "analyze_diff", R"({"tool": "git_diff"})"},
      {RecursionLimit, "switch_tool", R"({"to": "iterative"})"},

      {AuthenticationFailed, "request_approval",
       R"({"message": "Valid credentials are needed."})"},
      {AuthenticationFailed, "switch_tool", R"({"to": "fallback"})"},

      {ConnectionFailed, "retry_with_backoff",
       R"({"max_attempts": 3, "backoff_ms": [500, 2000, 8000]})"},
      {ConnectionFailed, "check_service", R"({"target": "host_and_port"})"},

      {RateLimited, "retry_with_backoff",
       R"({"max_attempts": 3, "backoff_ms": [1000, 5000, 20000]})"},
      {RateLimited, "reduce_concurrency", R"({"max_parallel": 1})"},

      {BuildFailed, "analyze_diff", R"({"tool": "git_diff"})"},
      {BuildFailed, "expand_context",
       R"({"type": "symbol_search", "query": "first_error"})"},
      {BuildFailed, "rollback", R"({"strategy": "git_revert"})"},

      {MergeConflict, "analyze_diff", R"({"tool": "git_diff"})"},
      {MergeConflict, "rollback", R"({"strategy": "git_revert"})"},
      {MergeConflict, "ask_user", R"({"options": "ours/theirs/manual"})"},

      {Crashed, "expand_context", R"({"type": "stack_trace"})"},
      {Crashed, "analyze_diff", R"({"tool": "git_diff"})"},
      {Crashed, "rollback", R"({"strategy": "git_revert"})"},

      {Unknown, "log_for_review", R"({"priority": "high"})"},
      {Unknown, "ask_user", R"({"include_stderr": true})"},
  });
}();

// The strategies of one category, in the order of the list.
std::vector<HealingStrategy> listed(FailureCategory category) {
  std::vector<HealingStrategy> result;
  std::ranges::copy_if(kStrategies, std::back_inserter(result),
                       [category](const HealingStrategy& strategy) {
                         return strategy.category == category;
                       });
  return result;
}

std::string retry_key(std::string_view session, std::string_view signature) {
  return session.empty() ? std::string(signature)
                         : fmt::format("{} {}", session, signature);
}

Error damaged(std::string_view what) {
  return {ErrorCode::DataDamaged,
          fmt::format("The healing statistics are damaged: {}.", what)};
}

Result<double> rate_in(const Json& entry) {
  ASSIGN_OR_RETURN(const double rate, json_field<double>(entry, "rate"));
  if (rate >= 0 && rate <= 1) return rate;
  return damaged(fmt::format("the rate {} is not between 0 and 1", rate));
}

Result<std::int64_t> retries_in(std::string_view signature, const Json& count) {
  if (!count.is_number_integer() || count.get<std::int64_t>() < 0) {
    return damaged(
        fmt::format("the retries of {} are not a non-negative integer",
                    in_quotes(signature)));
  }
  return count.get<std::int64_t>();
}

}  // namespace

std::span<const HealingStrategy> healing_strategies() { return kStrategies; }

std::vector<HealingStrategy> Healing::strategies(
    FailureCategory category) const {
  std::vector<HealingStrategy> result = listed(category);
  if (result.empty()) result = listed(FailureCategory::Unknown);
  std::ranges::stable_sort(
      result, std::greater(), [this](const HealingStrategy& strategy) {
        return success_rate(strategy.category, strategy.action);
      });
  return result;
}

double Healing::success_rate(FailureCategory category,
                             std::string_view action) const {
  const auto found = rates_.find({category, std::string(action)});
  return found == rates_.end() ? kFirstRate : found->second;
}

RetryDecision Healing::failed(std::string_view signature,
                              FailureCategory category,
                              std::string_view session) {
  const std::string key = retry_key(session, signature);
  const auto found = retries_.find(key);
  const std::int64_t count = found == retries_.end() ? 0 : found->second;
  if (count >= kMaxRetries) {
    return {false,
            fmt::format("The failure {} has been retried {} times; switch to "
                        "another strategy.",
                        signature.substr(0, 8), count),
            count};
  }
  if (!failure_kind(category).is_retried) {
    return {
        false,
        fmt::format(
            "Failures of the category {} are not retried; fix the cause first.",
            failure_name(category)),
        count};
  }
  retries_.insert_or_assign(key, count + 1);
  // Ids of sessions grow with time, so the first entry is an old one.
  if (retries_.size() > kMaxFailures) retries_.erase(retries_.begin());
  return {true, "", count + 1};
}

void Healing::overcome(std::string_view signature, std::string_view session) {
  retries_.erase(retry_key(session, signature));
}

void Healing::healed(FailureCategory category, std::string_view action,
                     bool success) {
  const double rate = success_rate(category, action);
  rates_[{category, std::string(action)}] =
      kNewestShare * (success ? 1.0 : 0.0) + (1 - kNewestShare) * rate;
}

Json Healing::to_json() const {
  Json rates = Json::array();
  for (const auto& [key, rate] : rates_) {
    rates.push_back({{"category", failure_name(key.first)},
                     {"action", key.second},
                     {"rate", rate}});
  }
  Json retries = Json::object();
  for (const auto& [signature, count] : retries_) retries[signature] = count;
  return {{"rates", std::move(rates)}, {"retries", std::move(retries)}};
}

Result<Healing> Healing::from_json(const Json& json) {
  Healing healing;
  ASSIGN_OR_RETURN(const Json rates, json_field<Json>(json, "rates"));
  ASSIGN_OR_RETURN(const Json retries, json_field<Json>(json, "retries"));
  if (!rates.is_array()) return damaged("'rates' is not an array");
  if (!retries.is_object()) return damaged("'retries' is not an object");
  for (const Json& entry : rates) {
    ASSIGN_OR_RETURN(const std::string name,
                     json_field<std::string>(entry, "category"));
    ASSIGN_OR_RETURN(const FailureCategory category, parse_failure(name));
    ASSIGN_OR_RETURN(std::string action,
                     json_field<std::string>(entry, "action"));
    ASSIGN_OR_RETURN(const double rate, rate_in(entry));
    healing.rates_[{category, std::move(action)}] = rate;
  }
  for (const auto& [signature, count] : retries.items()) {
    ASSIGN_OR_RETURN(const std::int64_t known, retries_in(signature, count));
    healing.retries_[signature] = known;
  }
  return healing;
}

}  // namespace lamarck::thought
