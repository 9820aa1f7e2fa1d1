#include "lamarck/thought/internal/path_memory.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/ascii.h"
#include "lamarck/base/macros.h"
#include "lamarck/store/redaction.h"
#include "lamarck/thought/internal/export_graph.h"
#include "lamarck/thought/internal/failure_words.h"
#include "lamarck/thought/token_estimate.h"

namespace lamarck::thought::internal {
namespace {

// Tokens of a shortened step.
constexpr std::int64_t kMinGist = 10;
constexpr std::int64_t kMaxGist = 40;
// The first steps often state facts that hold for the whole session.
constexpr std::size_t kFirstSteps = 10;
constexpr double kFirstFactor = 1.25;
constexpr double kJudgementFactor = 1.5;

bool is_fork(const store::Event& event) {
  return event.type == "branch" &&
         event.constraints.find(R"("from":)") != std::string::npos;
}

bool is_remembered(const store::Event& event) {
  if (event.type == "plan_step") {
    return event.status != "rejected" && !is_private(event);
  }
  if (event.type == "critique") return !is_private(event);
  return event.type == "merge" || event.type == "validate" ||
         event.type == "evidence" || is_fork(event);
}

bool is_word_byte(char c) {
  return ascii::is_alphanumeric(c) || c == '_' ||
         static_cast<unsigned char>(c) >= 128;
}

// A word and where it is in the text.
struct Word {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string key;  // In lower case.
};

std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> words;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_word_byte(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_word_byte(text[end])) ++end;
    words.push_back({i, end, lowered(text.substr(i, end - i))});
    i = end;
  }
  return words;
}

std::set<std::string> keys_of(std::string_view text) {
  std::set<std::string> keys;
  for (Word& word : words_of(text)) keys.insert(std::move(word.key));
  return keys;
}

// How rare a word is among the steps: a word in every step says nothing.
class Rarity {
 public:
  explicit Rarity(const std::vector<PathStep>& steps)
      : count_(static_cast<double>(steps.size())) {
    for (const PathStep& step : steps) {
      for (const std::string& key : keys_of(step.text)) ++steps_with_[key];
    }
  }

  double of(const std::string& key) const {
    const auto found = steps_with_.find(key);
    return found == steps_with_.end() ? 0 : std::log(count_ / found->second);
  }
  double sum(const std::set<std::string>& keys) const {
    double total = 0;
    for (const std::string& key : keys) total += of(key);
    return total;
  }

 private:
  double count_;
  std::unordered_map<std::string, double> steps_with_;
};

// The part of the text with the rarest words that fits into `max` tokens.
std::string gist(const std::string& text, const Rarity& rarity,
                 std::int64_t max) {
  const std::vector<Word> words = words_of(text);
  if (estimate_tokens(text) <= max || words.empty()) {
    return truncate_tokens(text, max);
  }
  const auto part = [&](std::size_t from, std::size_t to) {
    return std::string_view(text).substr(words[from].begin,
                                         words[to - 1].end - words[from].begin);
  };
  std::size_t from = 0;
  double value = 0;  // Of the words in [from, to).
  std::size_t best_from = 0;
  std::size_t best_to = 0;
  double best_value = -1;
  for (std::size_t to = 1; to <= words.size(); ++to) {
    value += rarity.of(words[to - 1].key);
    // Two tokens are for the ellipses.
    while (from < to && estimate_tokens(part(from, to)) > max - 2) {
      value -= rarity.of(words[from++].key);
    }
    if (from == to || value <= best_value) continue;
    best_value = value;
    best_from = from;
    best_to = to;
  }
  if (best_to == 0) return truncate_tokens(text, max);
  return fmt::format("{}{}{}", best_from > 0 ? "…" : "",
                     part(best_from, best_to),
                     best_to < words.size() ? "…" : "");
}

std::string line_of(const PathStep& step, std::string_view text) {
  return step.type == "plan_step"
             ? fmt::format("#{} {}\n", step.seq, text)
             : fmt::format("#{} {}: {}\n", step.seq, step.type, text);
}

// The number of newest steps that fit whole into `max` tokens, and what they
// use.
struct Newest {
  std::size_t count = 0;
  std::int64_t tokens = 0;
};
Newest newest_that_fit(const std::vector<PathStep>& steps, std::int64_t max) {
  Newest newest;
  while (newest.count < steps.size()) {
    const PathStep& step = steps[steps.size() - 1 - newest.count];
    const std::int64_t cost = estimate_tokens(line_of(step, step.text));
    if (newest.tokens + cost > max) break;
    newest.tokens += cost;
    ++newest.count;
  }
  return newest;
}

struct Candidate {
  std::size_t index = 0;
  double worth = 0;
  std::string line;
};

// How much a step says that the others do not.
double worth_of(const PathStep& step, std::size_t index, const Rarity& rarity,
                const std::set<std::string>& wanted) {
  const std::set<std::string> keys = keys_of(step.text);
  std::set<std::string> shared;
  std::ranges::set_intersection(keys, wanted,
                                std::inserter(shared, shared.end()));
  double worth =
      (rarity.sum(keys) + rarity.sum(shared)) /
      std::sqrt(static_cast<double>(std::max<std::size_t>(1, keys.size())));
  if (index < kFirstSteps) worth *= kFirstFactor;
  if (step.type != "plan_step") worth *= kJudgementFactor;
  return worth;
}

// The most informative of the first `count` steps, the best first; as many as
// fit if each is as short as possible.
std::vector<Candidate> best_of_steps(const std::vector<PathStep>& steps,
                                     std::size_t count, const Rarity& rarity,
                                     std::string_view topic,
                                     std::int64_t max_tokens) {
  const std::set<std::string> wanted = keys_of(topic);
  std::vector<Candidate> list;
  for (std::size_t i = 0; i < count; ++i) {
    list.push_back(
        {.index = i, .worth = worth_of(steps[i], i, rarity, wanted)});
  }
  std::ranges::stable_sort(list, std::greater(), &Candidate::worth);
  const auto max_count = static_cast<std::size_t>(
      std::max<std::int64_t>(0, max_tokens / kMinGist));
  list.resize(std::min(list.size(), max_count));
  return list;
}

// These steps, shortened and in their order. A step that says more gets more
// tokens.
std::vector<Candidate> shortened(std::vector<Candidate> list,
                                 const std::vector<PathStep>& steps,
                                 const Rarity& rarity,
                                 std::int64_t max_tokens) {
  double sum = 0;
  for (const Candidate& one : list) sum += one.worth;
  const auto all = static_cast<double>(max_tokens);
  std::vector<Candidate> kept;
  for (Candidate& one : list) {
    const PathStep& step = steps[one.index];
    const auto share =
        static_cast<std::int64_t>(sum > 0 ? one.worth / sum * all : 0);
    one.line = line_of(
        step, gist(step.text, rarity, std::clamp(share, kMinGist, kMaxGist)));
    const std::int64_t tokens = estimate_tokens(one.line);
    if (tokens > max_tokens) continue;
    max_tokens -= tokens;
    kept.push_back(std::move(one));
  }
  std::ranges::sort(kept, {}, &Candidate::index);
  return kept;
}

std::string whole(const std::vector<PathStep>& steps, std::size_t from) {
  std::string text;
  for (std::size_t i = from; i < steps.size(); ++i) {
    text += line_of(steps[i], steps[i].text);
  }
  return text;
}

}  // namespace

Result<void> PathReader::load() {
  if (is_loaded_) return {};
  ASSIGN_OR_RETURN(events_, journal_.events(session_));
  for (std::size_t i = 0; i < events_.size(); ++i) {
    indices_.emplace(events_[i].id, i);
  }
  is_loaded_ = true;
  return {};
}

Result<std::vector<PathStep>> PathReader::path(std::string_view head) {
  RETURN_IF_ERROR(load());
  std::vector<bool> is_before(events_.size(), false);
  const auto mark = [&](const std::string& id) {
    const auto found = indices_.find(id);
    if (found != indices_.end()) is_before[found->second] = true;
  };
  mark(std::string(head));
  // Parents are earlier than their children, so one pass backwards finds all.
  std::vector<PathStep> steps;
  for (std::size_t i = events_.size(); i-- > 0;) {
    if (!is_before[i]) continue;
    const store::Event& event = events_[i];
    for (const store::Edge& edge : event.parents) mark(edge.from);
    if (!is_remembered(event)) continue;
    steps.push_back({.id = event.id,
                     .seq = event.seq,
                     .type = event.type,
                     .text = store::redacted(event.content)});
  }
  std::ranges::reverse(steps);
  return steps;
}

std::string remembered(const std::vector<PathStep>& steps,
                       std::string_view topic, std::int64_t max_tokens) {
  if (steps.empty() || max_tokens < kMinGist) return "";
  if (newest_that_fit(steps, max_tokens).count == steps.size()) {
    return whole(steps, 0);
  }
  constexpr std::string_view kNote =
      "({} of {} steps; the older ones are shortened)\n";
  const std::int64_t rest =
      max_tokens -
      estimate_tokens(fmt::format(kNote, steps.size(), steps.size()));
  const Newest newest = newest_that_fit(steps, rest / 2);
  const std::size_t older = steps.size() - newest.count;
  const std::int64_t left = rest - newest.tokens;
  const Rarity rarity(steps);
  const auto kept = shortened(best_of_steps(steps, older, rarity, topic, left),
                              steps, rarity, left);
  if (kept.empty() && newest.count == 0) return "";
  std::string text =
      fmt::format(kNote, kept.size() + newest.count, steps.size());
  for (const Candidate& one : kept) text += one.line;
  return text + whole(steps, older);
}

}  // namespace lamarck::thought::internal
