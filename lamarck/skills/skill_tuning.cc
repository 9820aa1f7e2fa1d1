#include "lamarck/skills/skill_tuning.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/string_split.h"
#include "lamarck/skills/internal/request_text.h"
#include "lamarck/skills/skill_safety.h"

namespace lamarck::skills {
namespace {

constexpr std::size_t kMinFittingCases = 4;
constexpr std::size_t kMaxCases = 1000;
constexpr std::size_t kMaxNameWords = 5;
constexpr std::size_t kMaxSentences = 3;

// What new wordings are made of.
struct WordingParts {
  std::vector<std::string> tools;      // "find flight".
  std::vector<std::string> words;      // Of the requests, distinct.
  std::vector<std::string> sentences;  // Generalized requests.
};

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (!text.empty() && std::ranges::find(list, text) == list.end()) {
    list.push_back(text);
  }
}

std::string value_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : dump_json(value);
}

WordingParts collect_parts(const SkillDraft& draft,
                           const std::vector<TuningCase>& cases) {
  WordingParts parts;
  for (const SkillStep& step : draft.steps) {
    std::string_view tool = step.tool;
    tool.remove_prefix(std::min(tool.size(), tool.rfind('.') + 1));
    add_once(parts.tools, internal::spaced_words(tool));
  }
  add_once(parts.sentences, draft.description);
  for (const TuningCase& one : cases) {
    // A request whose values are not known could bring them into the wording.
    if (!one.fits || !one.arguments.is_object() || one.arguments.empty()) {
      continue;
    }
    std::vector<internal::NamedLiteral> literals;
    for (const auto& [name, value] : one.arguments.items()) {
      if (value.is_primitive()) literals.push_back({value_text(value), name});
    }
    std::string sentence =
        internal::generalized_request(one.request, std::move(literals));
    if (!sentence.empty() && !sentence.ends_with('.')) sentence += '.';
    add_once(parts.sentences, sentence);
  }
  for (const std::string& sentence : parts.sentences) {
    for (const std::string& word : internal::request_keywords(sentence)) {
      add_once(parts.words, word);
    }
  }
  return parts;
}

std::string capitalized(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

std::string mutated_name(const SkillWording& parent, const WordingParts& parts,
                         Rng& rng) {
  std::vector<std::string> words;
  switch (rng.below(3)) {
    case 0:  // Some of the tools.
      for (const std::string& tool : parts.tools) {
        if (rng.chance(0.5)) words.push_back(tool);
      }
      break;
    case 1:  // Words of the requests.
      for (auto n = 2 + rng.below(kMaxNameWords - 1);
           n > 0 && !parts.words.empty(); --n) {
        add_once(words, parts.words[rng.below(parts.words.size())]);
      }
      break;
    default:  // The last tool and words of the parent.
      if (!parts.tools.empty()) words.push_back(parts.tools.back());
      for (const std::string_view word : split_text(parent.name, ' ')) {
        if (rng.chance(0.5)) add_once(words, std::string(word));
      }
  }
  return words.empty() ? parent.name : capitalized(join_text(words, " "));
}

std::string mutated_description(const SkillWording& parent,
                                const WordingParts& parts, Rng& rng) {
  if (rng.chance(0.25) && !parts.tools.empty()) {
    return capitalized(join_text(parts.tools, ", ")) + ".";
  }
  std::vector<std::string> sentences;
  for (auto n = 1 + rng.below(kMaxSentences); n > 0; --n) {
    add_once(sentences, parts.sentences[rng.below(parts.sentences.size())]);
  }
  return sentences.empty() ? parent.description : join_text(sentences, " ");
}

SkillWording mutated(const SkillWording& parent, const WordingParts& parts,
                     Rng& rng) {
  SkillWording child = parent;
  const auto kind = rng.below(3);
  if (kind != 1) child.name = mutated_name(parent, parts, rng);
  if (kind != 0) child.description = mutated_description(parent, parts, rng);
  return child;
}

bool is_allowed(SkillDraft draft, const SkillWording& wording) {
  draft.name = wording.name;
  draft.description = wording.description;
  return check_draft(draft).has_value();
}

class Tuning {
 public:
  Tuning(const TuningTrial& trial, const CancelToken& cancel)
      : trial_(trial), cancel_(cancel) {}

  Result<std::size_t> count_right(const SkillWording& wording,
                                  const std::vector<TuningCase>& cases) {
    std::size_t right = 0;
    for (const TuningCase& one : cases) {
      RETURN_IF_ERROR(cancel_.check());
      ASSIGN_OR_RETURN(const TrialOutcome outcome, trial_(wording, one));
      ++trials;
      tokens += outcome.tokens;
      if (outcome.is_right) ++right;
    }
    return right;
  }

  std::int64_t trials = 0;
  std::int64_t tokens = 0;

 private:
  const TuningTrial& trial_;
  const CancelToken& cancel_;
};

// Every second case of each kind is held out.
std::pair<std::vector<TuningCase>, std::vector<TuningCase>> split_cases(
    const std::vector<TuningCase>& cases) {
  std::pair<std::vector<TuningCase>, std::vector<TuningCase>> parts;
  std::map<bool, std::size_t> seen;
  for (const TuningCase& one : cases) {
    (seen[one.fits]++ % 2 == 0 ? parts.first : parts.second).push_back(one);
  }
  return parts;
}

Json wording_json(const SkillWording& wording) {
  return {{"name", wording.name}, {"description", wording.description}};
}

Result<TuningCase> parse_case(const Json& json) {
  TuningCase one;
  ASSIGN_OR_RETURN(one.request, json_field<std::string>(json, "request"));
  ASSIGN_OR_RETURN(one.fits, json_field_or<bool>(json, "fits", true));
  ASSIGN_OR_RETURN(one.arguments,
                   json_field_or<Json>(json, "arguments", Json::object()));
  if (!one.arguments.is_object() || one.request.empty()) {
    return invalid_argument(
        "A case must have a request that is not empty, and its arguments must "
        "be an object.");
  }
  return one;
}

}  // namespace

Json to_json(const TuningReport& report) {
  const auto counts = [](std::size_t before, std::size_t after,
                         std::size_t cases) {
    return Json{{"before", before}, {"after", after}, {"cases", cases}};
  };
  return {{"is_better", report.is_better()},
          {"before", wording_json(report.before)},
          {"after", wording_json(report.after)},
          {"training", counts(report.training_before, report.training_after,
                              report.training_cases)},
          {"held_out", counts(report.held_out_before, report.held_out_after,
                              report.held_out_cases)},
          {"trials", report.trials},
          {"tokens", report.tokens}};
}

Result<TuningReport> tune_wording(const SkillDraft& draft,
                                  const std::vector<TuningCase>& cases,
                                  const TuningOptions& options,
                                  const TuningTrial& trial, Rng& rng,
                                  const CancelToken& cancel) {
  const auto fitting = static_cast<std::size_t>(
      std::ranges::count_if(cases, [](const auto& one) { return one.fits; }));
  if (fitting < kMinFittingCases) {
    return Error(
        ErrorCode::FailedPrecondition,
        fmt::format(
            "Tuning needs at least {} requests that the skill fits, got "
            "{}; add requests with their arguments.",
            kMinFittingCases, fitting));
  }
  const auto [training, held_out] = split_cases(cases);
  const WordingParts parts = collect_parts(draft, training);
  Tuning tuning(trial, cancel);
  TuningReport report;
  report.before = {.name = draft.name, .description = draft.description};
  report.after = report.before;
  report.training_cases = training.size();
  report.held_out_cases = held_out.size();
  ASSIGN_OR_RETURN(report.training_before,
                   tuning.count_right(report.before, training));
  SkillWording best = report.before;
  std::size_t best_right = report.training_before;
  std::set<std::pair<std::string, std::string>> tried = {
      {best.name, best.description}};
  for (std::int64_t i = 0; i < options.generations; ++i) {
    if (best_right == training.size()) break;
    const SkillWording parent = best;
    for (std::int64_t k = 0; k < options.children; ++k) {
      const SkillWording child = mutated(parent, parts, rng);
      if (!tried.emplace(child.name, child.description).second ||
          !is_allowed(draft, child)) {
        continue;
      }
      ASSIGN_OR_RETURN(const std::size_t right,
                       tuning.count_right(child, training));
      if (right <= best_right) continue;
      best = child;
      best_right = right;
    }
  }
  report.training_after = best_right;
  ASSIGN_OR_RETURN(report.held_out_before,
                   tuning.count_right(report.before, held_out));
  report.held_out_after = report.held_out_before;
  if (best != report.before) {
    ASSIGN_OR_RETURN(report.held_out_after, tuning.count_right(best, held_out));
    if (report.held_out_after > report.held_out_before) report.after = best;
  }
  report.trials = tuning.trials;
  report.tokens = tuning.tokens;
  return report;
}

Result<std::vector<TuningCase>> parse_tuning_cases(std::string_view text) {
  std::vector<Json> list;
  if (const auto whole = parse_json(text); whole && whole->is_array()) {
    list.assign(whole->begin(), whole->end());
  } else {
    for (const std::string_view line : split_text(text, '\n')) {
      if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      ASSIGN_OR_RETURN(Json json, parse_json(line));
      list.push_back(std::move(json));
    }
  }
  if (list.size() > kMaxCases) {
    return invalid_argument(fmt::format(
        "There must be at most {} requests, got {}.", kMaxCases, list.size()));
  }
  std::vector<TuningCase> cases;
  for (const Json& json : list) {
    ASSIGN_OR_RETURN(TuningCase one, parse_case(json));
    cases.push_back(std::move(one));
  }
  return cases;
}

std::vector<TuningCase> learned_cases(const SkillDraft& draft, bool fits) {
  std::vector<TuningCase> cases;
  for (const Json& json : draft.evals) {
    auto one = parse_case(json);
    if (!one) continue;
    one->fits = fits;
    cases.push_back(std::move(*one));
  }
  return cases;
}

}  // namespace lamarck::skills
