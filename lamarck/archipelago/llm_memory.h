// Remembers what a model has tried in a run: to tell it in its next prompts,
// and to stop asking when its answers help no more.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/archipelago/mutation_engine.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"

namespace lamarck::archipelago {

// When a model is asked no more.
struct LlmPatience {
  // After this many answers in a row without a new function that has a score;
  // 0 means never.
  std::int64_t max_useless_answers = 50;
  // After this many calls in a row without an answer; 0 means never.
  std::int64_t max_failed_calls = 8;
  // Once the best score of the run reaches this: nothing is left to improve.
  std::optional<double> perfect_score;
};

// What came of asking a model once.
struct LlmTry {
  enum class Kind : std::uint8_t {
    New,         // A function that was not known, with a score.
    Repeated,    // A known function.
    Failed,      // A function without a score.
    Unreadable,  // An answer without a usable function.
    NoAnswer,    // The server failed or refused to answer.
    Refused,     // The budget does not allow another call.
  };
  Kind kind = Kind::New;
  // The reason of Failed, Unreadable, NoAnswer and Refused. For New, the
  // formula on one line; may be empty.
  std::string text = {};
  double score = 0;       // Of New.
  bool improved = false;  // Of New: it became the best of its island.
  bool is_final = false;  // Of NoAnswer: asking again is pointless.
};

// Owned by one thread at a time.
class LlmMemory {
 public:
  explicit LlmMemory(LlmPatience patience = {});

  // Adds the tries of one cycle, in the order of the islands.
  void add(const std::vector<LlmTry>& tries);
  void see_best(double score);

  // What did not help lately and why, one line each, for the next prompts. At
  // most six, the latest last.
  std::vector<std::string> lessons() const;
  // Set once the model should not be asked again.
  const std::optional<EngineEnding>& ending() const { return ending_; }

  // A restored memory has the lessons and counts, but never an ending: resuming
  // a run asks the model again.
  Json state() const;
  Result<void> restore(const Json& state);

 private:
  struct Lesson {
    std::string text;
    std::int64_t times = 1;
  };

  void count(const LlmTry& one);
  void add_lesson(std::string text);
  void find_ending(const std::vector<LlmTry>& tries);
  std::optional<EngineEnding> useless_ending() const;

  LlmPatience patience_;
  std::deque<Lesson> lessons_;
  std::int64_t useless_ = 0;       // Answers in a row that gave nothing new.
  std::int64_t repeated_ = 0;      // Those of them that were known functions.
  std::int64_t failed_calls_ = 0;  // In a row.
  std::string last_failure_;
  std::optional<EngineEnding> ending_;
};

}  // namespace lamarck::archipelago
