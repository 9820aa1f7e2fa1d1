// Progress reports of long-running work, for people and for programs.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "lamarck/base/clock.h"
#include "lamarck/base/result.h"

namespace lamarck {

enum class ProgressStyle {
  Bar,        // One line redrawn in place, for a terminal.
  Lines,      // A plain line every few seconds, for a log.
  JsonLines,  // One JSON object per line, for a program.
  Silent,
};

// Parses "bar", "lines", "json" or "none".
Result<ProgressStyle> parse_progress_style(std::string_view name);

struct ProgressOptions {
  std::string label;                  // "Evolving".
  std::optional<std::int64_t> total;  // Steps; nullopt if unknown.
  std::string unit = "steps";         // Plural, as in "20 generations".
  ProgressStyle style = ProgressStyle::Lines;
  std::size_t width = 80;  // Columns of the terminal.
};

// Draws on `out` at most ten times a second (a bar) or every two seconds
// (lines), and once at the end. Thread safety: any member from any thread.
class Progress {
 public:
  // `out` and `clock` must outlive the object.
  Progress(std::ostream& out, Clock& clock, ProgressOptions options);
  ~Progress();  // Calls `finish`.
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Says that `done` steps were done before, so that rates and times leave them
  // out.
  void begin_at(std::int64_t done);
  void advance(std::int64_t steps = 1);
  // Sets the number of steps done and a short remark such as "best 0.93".
  void update(std::int64_t done, std::string remark = "");
  // Draws the final state and a line end. Later calls have no effect.
  void finish(std::string remark = "");

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lamarck
