#include "lamarck/thought/internal/digest_text.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "lamarck/base/string_split.h"
#include "lamarck/store/redaction.h"
#include "lamarck/thought/internal/session_views.h"
#include "lamarck/thought/token_estimate.h"

namespace lamarck::thought::internal {
namespace {

// Shares of a digest, in hundredths. What a part leaves is for the steps.
constexpr std::int64_t kGoalShare = 20;
constexpr std::int64_t kCriteriaShare = 15;
constexpr std::int64_t kBranchShare = 20;
constexpr std::int64_t kFailureShare = 15;
constexpr std::int64_t kDecisionShare = 15;
constexpr std::int64_t kNextShare = 20;

constexpr std::string_view kHowToFetch =
    "More: think_digest with format event, events or path.";

bool has_open_failure(const Branch& branch) {
  return branch.state == BranchState::Rejected ||
         (branch.state == BranchState::EvidenceReceived &&
          branch.last_evidence == "failure");
}

std::string seq_text(std::uint64_t seq) {
  return seq == 0 ? "" : fmt::format(" #{}", seq);
}

std::string criteria_line(const Session& session) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < session.success_criteria.size(); ++i) {
    const CriterionState state =
        i < session.criteria.size() ? session.criteria[i] : CriterionState{};
    parts.push_back(fmt::format("[{}{}] {}", state.state, seq_text(state.seq),
                                store::redacted(session.success_criteria[i])));
  }
  return parts.empty() ? "" : "Criteria: " + join_text(parts, "; ");
}

std::string branch_text(const Branch& branch) {
  std::string text = fmt::format("{} {}", branch.id, shown_state(branch));
  if (branch.name != branch.id) {
    text = fmt::format("{} ({}) {}", branch.id, store::redacted(branch.name),
                       shown_state(branch));
  }
  if (branch.is_scored) {
    text += fmt::format(" {:.2f}", reward_of(branch.score));
  }
  if (!branch.outcome.empty() && branch.outcome != shown_state(branch)) {
    text += " " + store::redacted(branch.outcome);
  }
  return text;
}

std::string branches_line(const DigestParts& parts) {
  if (parts.is_alone) return "Branch: " + branch_text(parts.branch);
  // Open branches first: the line is cut at its end.
  std::vector<std::string> texts;
  for (const bool is_open : {true, false}) {
    for (const Branch* branch : branches_of(parts.session)) {
      if (is_final(branch->state) == is_open) continue;
      texts.push_back(branch_text(*branch));
    }
  }
  return "Branches: " + join_text(texts, ", ");
}

std::string failures_line(const DigestParts& parts) {
  std::vector<std::string> texts;
  for (const Branch* branch : branches_of(parts.session)) {
    const bool is_shown = !parts.is_alone || branch == &parts.branch;
    if (!is_shown || !has_open_failure(*branch)) continue;
    const std::string what = branch->state == BranchState::Rejected
                                 ? "plan rejected"
                                 : branch->last_failure;
    texts.push_back(fmt::format("{} {}{}: {}", branch->id, what,
                                seq_text(branch->critique_seq),
                                store::redacted(branch->last_critique)));
  }
  return texts.empty() ? "" : "Open failures: " + join_text(texts, "; ");
}

// The latest decision first.
std::string decisions_line(const Session& session) {
  std::vector<std::string> texts;
  for (auto one = session.decisions.rbegin(); one != session.decisions.rend();
       ++one) {
    texts.push_back(
        fmt::format("#{} {}", one->seq, store::redacted(one->text)));
  }
  return texts.empty() ? "" : "Decided: " + join_text(texts, "; ");
}

class DigestWriter {
 public:
  explicit DigestWriter(std::int64_t max_tokens) : max_(max_tokens) {}

  // Adds at most `share` hundredths of the digest.
  void add(const std::string& line, std::int64_t share = 100) {
    if (line.empty()) return;
    text_ +=
        truncate_tokens(line, std::max<std::int64_t>(1, max_ * share / 100)) +
        '\n';
  }
  std::int64_t left() const { return max_ - estimate_tokens(text_); }
  std::string finish() {
    while (text_.ends_with('\n')) text_.pop_back();
    return truncate_tokens(text_, max_);
  }

 private:
  const std::int64_t max_;
  std::string text_;
};

}  // namespace

const Branch& focus_of(const Session& session) {
  const auto winner = session.branches.find(session.winner);
  if (winner != session.branches.end() && !is_final(winner->second.state)) {
    return winner->second;
  }
  const Branch* focus = nullptr;
  for (const Branch* branch : branches_of(session)) {
    if (is_final(branch->state)) continue;
    if (focus == nullptr || branch->changed > focus->changed) focus = branch;
  }
  return focus != nullptr ? *focus : session.branches.at("main");
}

std::string digest_text(const DigestParts& parts, std::int64_t max_tokens) {
  const Session& session = parts.session;
  DigestWriter writer(max_tokens);
  writer.add("Goal: " + store::redacted(session.goal), kGoalShare);
  writer.add(fmt::format("State: {}; {} events; tokens {}/{}",
                         session_state_name(session.state), session.head,
                         session.tokens_used, session.budgets.tokens));
  if (!session.winner.empty()) {
    writer.add(fmt::format("Winner: {}", session.winner));
  }
  writer.add(criteria_line(session), kCriteriaShare);
  writer.add(failures_line(parts), kFailureShare);
  writer.add(branches_line(parts), kBranchShare);
  writer.add(decisions_line(session), kDecisionShare);
  writer.add("Next: " + std::string(parts.next_step), kNextShare);
  const std::int64_t left =
      writer.left() - estimate_tokens(kHowToFetch) - estimate_tokens("Steps:");
  const std::string steps = remembered(
      parts.path, session.goal + " " + join_text(session.success_criteria, " "),
      left);
  if (!steps.empty()) writer.add("Steps: " + steps.substr(0, steps.size() - 1));
  writer.add(std::string(kHowToFetch));
  return writer.finish();
}

std::vector<std::uint64_t> mentioned_events(std::string_view digest) {
  std::vector<std::uint64_t> list;
  for (std::size_t at = digest.find('#'); at != std::string_view::npos;
       at = digest.find('#', at + 1)) {
    std::uint64_t seq = 0;
    const char* const end = digest.data() + digest.size();
    const auto [last, error] =
        std::from_chars(digest.data() + at + 1, end, seq);
    const bool is_number = error == std::errc() && last != digest.data() + at;
    if (is_number && std::ranges::find(list, seq) == list.end()) {
      list.push_back(seq);
    }
  }
  return list;
}

}  // namespace lamarck::thought::internal
