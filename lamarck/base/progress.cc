#include "lamarck/base/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/unicode.h"

namespace lamarck {
namespace {

using std::chrono::nanoseconds;

struct StyleName {
  ProgressStyle style;
  std::string_view name;
};

constexpr std::array kStyles = {
    StyleName{ProgressStyle::Bar, "bar"},
    StyleName{ProgressStyle::Lines, "lines"},
    StyleName{ProgressStyle::JsonLines, "json"},
    StyleName{ProgressStyle::Silent, "none"},
};

nanoseconds pause_between_draws(ProgressStyle style) {
  using namespace std::chrono_literals;
  return style == ProgressStyle::Bar ? 100ms : 2s;
}

// The values that one drawing shows.
struct Snapshot {
  std::int64_t done = 0;
  std::int64_t before = 0;  // How many of them were done before.
  nanoseconds elapsed{0};
  std::string remark;
  bool is_final = false;

  double rate() const {
    const double seconds = std::chrono::duration<double>(elapsed).count();
    return seconds > 0 ? static_cast<double>(done - before) / seconds : 0;
  }

  std::optional<nanoseconds> time_left(
      const std::optional<std::int64_t>& total) const {
    if (!total || done <= before || done > *total) return std::nullopt;
    const double share =
        static_cast<double>(*total - done) / static_cast<double>(done - before);
    const auto left = std::chrono::duration<double>(elapsed) * share;
    // An estimate beyond a year is useless, and 292 years overflow nanoseconds.
    constexpr std::chrono::duration<double> kYear = std::chrono::hours(8766);
    if (left > kYear) return std::nullopt;
    return std::chrono::duration_cast<nanoseconds>(left);
  }
};

std::string readable_rate(double rate) {
  if (rate >= 1e6) return fmt::format("{:.1f} M/s", rate / 1e6);
  if (rate >= 1e4) return fmt::format("{:.1f} k/s", rate / 1e3);
  return fmt::format("{:.3g}/s", rate);
}

double share_done(const ProgressOptions& options, std::int64_t done) {
  const double total = static_cast<double>(*options.total);
  return total > 0 ? std::clamp(static_cast<double>(done) / total, 0.0, 1.0)
                   : 1.0;
}

// "12/40 generations, 3.1/s, 9.0 s left, best 0.93"
std::string details(const ProgressOptions& options, const Snapshot& now) {
  std::string text = std::to_string(now.done);
  if (options.total) text += "/" + std::to_string(*options.total);
  text += " " + options.unit;
  if (now.rate() > 0) text += ", " + readable_rate(now.rate());
  if (now.is_final) {
    text += ", took " + to_readable(now.elapsed);
  } else if (const auto left = now.time_left(options.total)) {
    text += ", " + to_readable(*left) + " left";
  }
  if (!now.remark.empty()) text += ", " + one_line(now.remark, 300);
  return text;
}

std::string bar(double share) {
  constexpr int kCells = 20;
  const int full = static_cast<int>(share * kCells);
  std::string text;
  for (int i = 0; i < kCells; ++i) text += i < full ? "█" : "░";
  return text;
}

std::string bar_line(const ProgressOptions& options, const Snapshot& now) {
  std::string text = options.label + " ";
  if (options.total) {
    const double share = share_done(options, now.done);
    text += bar(share) + fmt::format(" {:3.0f} % ", 100 * share);
  }
  text += details(options, now);
  // Leave one column free: some terminals wrap after the last column.
  const std::size_t max_columns = options.width > 1 ? options.width - 1 : 1;
  // Return to the first column and erase the line before drawing.
  return "\r\x1b[K" + truncate_characters(text, max_columns);
}

std::string plain_line(const ProgressOptions& options, const Snapshot& now) {
  std::string text = options.label + ": ";
  if (options.total) {
    text += fmt::format("{:.0f} %, ", 100 * share_done(options, now.done));
  }
  return text + details(options, now) + "\n";
}

std::string json_line(const ProgressOptions& options, const Snapshot& now) {
  Json json = {
      {"type", "progress"},
      {"label", options.label},
      {"unit", options.unit},
      {"done", now.done},
      {"per_second", now.rate()},
      {"elapsed_seconds", std::chrono::duration<double>(now.elapsed).count()},
      {"finished", now.is_final}};
  if (options.total) json["total"] = *options.total;
  if (!now.remark.empty()) json["remark"] = now.remark;
  if (const auto left = now.time_left(options.total)) {
    json["seconds_left"] = std::chrono::duration<double>(*left).count();
  }
  return dump_json(json) + "\n";
}

}  // namespace

Result<ProgressStyle> parse_progress_style(std::string_view name) {
  for (const StyleName& entry : kStyles) {
    if (entry.name == name) return entry.style;
  }
  return Error(ErrorCode::InvalidArgument,
               "Unknown progress style '" + std::string(name) +
                   "'; use one of bar, lines, json, none.");
}

struct Progress::State {
  // REQUIRES: mutex is held.
  void draw_when_due() {
    const nanoseconds now = clock.elapsed();
    if (is_finished || now < next_draw) return;
    next_draw = now + pause_between_draws(options.style);
    draw(now, false);
  }

  // REQUIRES: mutex is held.
  void draw(nanoseconds now, bool is_final) {
    const Snapshot snapshot{done, before, now - start, remark, is_final};
    switch (options.style) {
      case ProgressStyle::Bar:
        out << bar_line(options, snapshot) << (is_final ? "\n" : "");
        break;
      case ProgressStyle::Lines:
        out << plain_line(options, snapshot);
        break;
      case ProgressStyle::JsonLines:
        out << json_line(options, snapshot);
        break;
      case ProgressStyle::Silent:
        return;
    }
    out.flush();
  }

  std::ostream& out;
  Clock& clock;
  const ProgressOptions options;
  const nanoseconds start;

  std::mutex mutex;
  // Guarded by mutex, as is writing to `out`.
  nanoseconds next_draw;
  std::int64_t done = 0;
  std::string remark;
  bool is_finished = false;
  std::int64_t before = 0;
};

Progress::Progress(std::ostream& out, Clock& clock, ProgressOptions options) {
  const nanoseconds now = clock.elapsed();
  const nanoseconds first = now + pause_between_draws(options.style);
  state_.reset(
      new State{out, clock, std::move(options), now, {}, first, 0, {}, false});
}

Progress::~Progress() {
  try {
    finish();
  } catch (...) {  // A throwing stream must not terminate the program.
  }
}

void Progress::begin_at(std::int64_t done) {
  const std::lock_guard lock(state_->mutex);
  state_->before = done;
  state_->done = done;
}

void Progress::advance(std::int64_t steps) {
  const std::lock_guard lock(state_->mutex);
  state_->done += steps;
  state_->draw_when_due();
}

void Progress::update(std::int64_t done, std::string remark) {
  const std::lock_guard lock(state_->mutex);
  state_->done = done;
  state_->remark = std::move(remark);
  state_->draw_when_due();
}

void Progress::finish(std::string remark) {
  const std::lock_guard lock(state_->mutex);
  if (state_->is_finished) return;
  state_->is_finished = true;
  if (!remark.empty()) state_->remark = std::move(remark);
  state_->draw(state_->clock.elapsed(), true);
}

}  // namespace lamarck
