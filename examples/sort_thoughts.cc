// Sorts 64 digits with a thinker that makes mistakes, as in the paper on Graphs
// of Thoughts: a chain revises one answer, a tree keeps the best of several,
// and a graph splits the list, sorts the parts, and merges them. All three get
// the same number of tokens; the error says how far the result is from sorted.

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/clock.h"
#include "lamarck/base/rng.h"
#include "lamarck/base/string_split.h"
#include "lamarck/store/memory_journal.h"
#include "lamarck/thought/thought_engine.h"
#include "lamarck/thought/token_estimate.h"

using namespace lamarck;
using Digits = std::vector<int>;

namespace {

constexpr std::size_t kLength = 64;
constexpr std::size_t kParts = 8;
constexpr int kTries = 3;
constexpr int kLists = 20;

std::string to_text(const Digits& digits) {
  std::string text;
  for (const int digit : digits) text += std::to_string(digit) + " ";
  return text;
}

Digits to_digits(const std::string& text) {
  Digits digits;
  for (const char c : text) {
    if (c >= '0' && c <= '9') digits.push_back(c - '0');
  }
  return digits;
}

// The error of the paper: neighbours in the wrong order, plus digits that occur
// too often or too rarely.
int error_of(const Digits& input, const Digits& output) {
  int error = 0;
  for (std::size_t i = 1; i < output.size(); ++i) {
    if (output[i - 1] > output[i]) ++error;
  }
  for (int digit = 0; digit < 10; ++digit) {
    error += static_cast<int>(std::abs(std::ranges::count(input, digit) -
                                       std::ranges::count(output, digit)));
  }
  return error;
}

// Sorts what the prompt contains, with mistakes. Like a language model it makes
// more of them in longer lists, and fewer when the parts are already sorted.
class SortingThinker : public thought::Thinker {
 public:
  SortingThinker(double error_rate, Rng rng)
      : error_rate_(error_rate), rng_(rng) {}

  Result<thought::ThoughtReply> think(const thought::ThinkRequest& request,
                                      const CancelToken&) override {
    Digits digits = to_digits(request.prompt);
    const bool is_merge = request.prompt.starts_with("Merge");
    std::ranges::sort(digits);
    const double rate = error_rate_ * (is_merge ? 0.25 : 1) *
                        static_cast<double>(digits.size()) / kLength;
    Digits result;
    for (const int digit : digits) {
      if (!rng_.chance(rate)) {
        result.push_back(digit);
        continue;
      }
      // Drops the digit, repeats it, or puts another one in its place.
      const auto mistake = rng_.below(3);
      if (mistake == 1) result.insert(result.end(), 2, digit);
      if (mistake == 2) {
        result.push_back(static_cast<int>(rng_.integer(0, 9)));
      }
    }
    return thought::ThoughtReply{.text = to_text(result)};
  }

 private:
  const double error_rate_;
  Rng rng_;
};

// A session in which every thought is recorded with its tokens.
class Sorting {
 public:
  Sorting(Digits input, std::int64_t tokens, SortingThinker& thinker)
      : input_(std::move(input)),
        thinker_(thinker),
        journal_(store::make_memory_journal()),
        engine_({}, *journal_, clock_, Rng(1)) {
    const std::string answer =
        engine_
            .start_session({.goal = "Sort 64 digits",
                            .budgets = {.tokens = tokens, .branches = 100}},
                           {})
            .value();
    session_ = parse_json(answer).value()["session"];
  }

  const Digits& input() const { return input_; }
  std::int64_t used() { return engine_.session(session_)->tokens_used; }
  std::int64_t left() {
    return engine_.session(session_)->budgets.tokens - used();
  }

  void fork(const std::string& name) {
    engine_.fork({.session = session_, .children = {{name, "Try " + name}}}, {})
        .value();
  }

  // One thought on a branch, scored by the share of correct digits. Empty if
  // the tokens do not suffice.
  Digits think(const std::string& branch, const std::string& prompt,
               const Digits& of) {
    const std::string reply = thinker_.think({.prompt = prompt}, {})->text;
    const std::int64_t cost =
        thought::estimate_tokens(prompt) + thought::estimate_tokens(reply);
    if (cost > left()) return {};
    engine_
        .add_step({.session = session_,
                   .branch = branch,
                   .content = reply,
                   .token_cost = cost},
                  {})
        .value();
    Digits digits = to_digits(reply);
    const double wrong = static_cast<double>(error_of(of, digits)) /
                         static_cast<double>(of.size());
    engine_
        .score_branch({.session = session_,
                       .branch = branch,
                       .score = {.completeness = std::max(0.0, 1 - wrong),
                                 .risk = std::min(1.0, wrong),
                                 .cost = static_cast<double>(cost)}},
                      {})
        .value();
    return digits;
  }

  // The best of several thoughts; stops at the first without an error.
  Digits best(const std::string& branch, const std::string& prompt,
              const Digits& of, int tries) {
    Digits best;
    for (int i = 0; i < tries; ++i) {
      Digits digits = think(branch, prompt, of);
      if (digits.empty()) break;
      if (best.empty() || error_of(of, digits) < error_of(of, best)) {
        best = std::move(digits);
      }
      if (error_of(of, best) == 0) break;
    }
    return best;
  }

  void merge(const std::string& into, const std::string& from,
             const Digits& digits) {
    engine_
        .merge({.session = session_,
                .into = into,
                .from = {from},
                .content = to_text(digits)},
               {})
        .value();
  }

 private:
  const Digits input_;
  SortingThinker& thinker_;
  SystemClock clock_;
  std::unique_ptr<store::Journal> journal_;
  thought::ThoughtEngine engine_;
  std::string session_;
};

// Revises the answer until the tokens are used up. Nothing tells whether a
// revision is better, so the last one counts.
Digits chain(Sorting& sorting) {
  Digits result;
  while (true) {
    const std::string prompt = "Sort: " + to_text(sorting.input());
    Digits next = sorting.think("main", prompt, sorting.input());
    if (next.empty()) return result;
    result = std::move(next);
  }
}

// Several branches sort the whole list; the best of all thoughts counts.
Digits tree(Sorting& sorting) {
  Digits best;
  for (int i = 0;; ++i) {
    const std::string branch = fmt::format("try {}", i);
    sorting.fork(branch);
    const std::string prompt = "Sort: " + to_text(sorting.input());
    Digits digits = sorting.think(branch, prompt, sorting.input());
    if (digits.empty()) return best;
    if (best.empty() ||
        error_of(sorting.input(), digits) < error_of(sorting.input(), best)) {
      best = std::move(digits);
    }
    if (error_of(sorting.input(), best) == 0) return best;
  }
}

// Splits the list, sorts each part on its own branch, and merges the branches
// in pairs. Every result is scored and, if it is wrong, tried again.
Digits graph(Sorting& sorting) {
  struct Part {
    std::string branch;
    Digits input;
    Digits sorted;
  };
  std::vector<Part> parts(kParts);
  const std::size_t size = kLength / kParts;
  for (std::size_t i = 0; i < kParts; ++i) {
    Part& part = parts[i];
    const auto begin =
        sorting.input().begin() + static_cast<std::ptrdiff_t>(i * size);
    part.branch = fmt::format("part {}", i);
    part.input.assign(begin, begin + static_cast<std::ptrdiff_t>(size));
    sorting.fork(part.branch);
    part.sorted = sorting.best(part.branch, "Sort: " + to_text(part.input),
                               part.input, kTries);
  }
  while (parts.size() > 1) {
    std::vector<Part> next;
    for (std::size_t i = 0; i < parts.size(); i += 2) {
      Part both = parts[i];
      const Part& other = parts[i + 1];
      both.input.insert(both.input.end(), other.input.begin(),
                        other.input.end());
      both.sorted =
          sorting.best(both.branch,
                       fmt::format("Merge: {}| {}", to_text(parts[i].sorted),
                                   to_text(other.sorted)),
                       both.input, kTries);
      sorting.merge(both.branch, other.branch, both.sorted);
      next.push_back(std::move(both));
    }
    parts = std::move(next);
  }
  return parts[0].sorted;
}

struct Total {
  double error = 0;
  double tokens = 0;
};

// All three approaches on the same lists. The graph runs first; what it used is
// the budget of the others.
std::array<Total, 3> compare(double error_rate) {
  std::array<Total, 3> totals;
  for (std::uint64_t list = 0; list < kLists; ++list) {
    const Rng rng = Rng(42).split(list);
    Rng own = rng.split("digits");
    Digits input(kLength);
    for (int& digit : input) digit = static_cast<int>(own.integer(0, 9));
    std::int64_t budget = 100'000;
    const std::array<Digits (*)(Sorting&), 3> approaches = {graph, tree, chain};
    for (std::size_t i = 0; i < approaches.size(); ++i) {
      SortingThinker thinker(error_rate, rng.split(i));
      Sorting sorting(input, budget, thinker);
      const Digits output = approaches[i](sorting);
      if (i == 0) budget = sorting.used();
      totals[i].error += error_of(input, output) / double{kLists};
      totals[i].tokens += static_cast<double>(sorting.used()) / kLists;
    }
  }
  return totals;
}

}  // namespace

int main() {
  bool is_shown = true;
  fmt::print("{:>10} {:>24} {:>24} {:>24}\n", "error rate", "graph", "tree",
             "chain");
  for (const double rate : {0.05, 0.1, 0.2, 0.3}) {
    const std::array<Total, 3> totals = compare(rate);
    fmt::print("{:>10.2f}", rate);
    for (const Total& total : totals) {
      fmt::print(" {:>9.2f} for {:>5.0f} tokens", total.error, total.tokens);
    }
    fmt::print("\n");
    is_shown = is_shown && totals[0].error < totals[1].error &&
               totals[1].error < totals[2].error;
  }
  fmt::print("{}\n", is_shown ? "The graph makes the fewest errors."
                              : "The graph is not the best here.");
  return is_shown ? 0 : 1;
}
