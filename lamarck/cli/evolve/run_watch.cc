#include "lamarck/cli/evolve/run_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lamarck/cli/evolve/run_folder.h"
#include "lamarck/report/report_text.h"

namespace lamarck::cli {

RunWatch::RunWatch(std::ostream& out, Clock& clock, ProgressOptions options,
                   bool is_resumed)
    : clock_(clock),
      begin_(clock.elapsed()),
      progress_(out, clock, std::move(options)),
      is_resumed_(is_resumed) {}

void RunWatch::begin_at(std::int64_t done) {
  has_begun_ = true;
  if (!is_resumed_) return;
  before_ = done;
  progress_.begin_at(done);
}

void RunWatch::update(std::int64_t done, std::string remark,
                      std::optional<double> seconds_left) {
  if (!has_begun_) begin_at(done);
  last_ = std::move(remark);
  const std::string time =
      seconds_left
          ? fmt::format("{:.0f} s left, ", std::max(0.0, *seconds_left))
          : "";
  progress_.update(done, time + last_);
}

void RunWatch::finish() { progress_.finish(last_); }

double RunWatch::seconds() const {
  return report::seconds_of(clock_.elapsed() - begin_);
}

double RunWatch::steps_per_second(std::int64_t done) const {
  // Without any update, a resumed run made no steps.
  const std::int64_t made = is_idle() ? 0 : done - before_;
  return seconds() > 0 ? static_cast<double>(made) / seconds() : 0;
}

RunWatch watch_search(const SearchRun& run, CommandContext& context) {
  ProgressOptions options = context.progress("Evolving");
  options.unit = "evaluations";
  options.total = run.evolver.budget.evaluations;
  return {context.err, context.clock, std::move(options),
          run.is_resumed && has_checkpoint(run.out)};
}

std::string cost_remark(const archipelago::MutationCost& cost) {
  std::string text;
  const std::int64_t tokens = cost.tokens_in + cost.tokens_out;
  if (tokens > 0) text += fmt::format(", {} tokens", tokens);
  if (cost.money_micros > 0) {
    text += fmt::format(", {:.3f} usd",
                        1e-6 * static_cast<double>(cost.money_micros));
  }
  return text;
}

}  // namespace lamarck::cli
