#include "lamarck/archipelago/journal_fold.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"

namespace lamarck::archipelago {
namespace {

Error differs(std::string_view sentence) {
  return {ErrorCode::DataDamaged, std::string(sentence)};
}

std::string_view describe_gain(const Gain& gain) {
  if (gain.is_best) return "the best of the run";
  return gain.is_island_best ? "the best of its island" : "no improvement";
}

}  // namespace

JournalFold::JournalFold(MutationEngine& engine, FunctionReading reading)
    : engine_(&engine), reading_(std::move(reading)) {}

Result<void> JournalFold::apply(const Json& line) {
  ASSIGN_OR_RETURN(const auto event, json_field<std::string>(line, "event"));
  if (!run_) {
    if (event != "run")
      return differs("A journal must start with the event 'run'.");
    ASSIGN_OR_RETURN(run_, run_record_from(line));
    state_ = std::make_unique<EvolverState>(run_->options, *engine_);
    return {};
  }
  if (event == "first") return apply_first(line);
  // The first event of another kind shows that all first functions were read.
  if (!state_->has_islands()) RETURN_IF_ERROR(create_islands());
  if (event == "function") return apply_function(line);
  if (event == "error") return apply_error(line);
  if (event == "cycle") return apply_cycle(line);
  if (event == "reset") return apply_reset(line);
  return differs(fmt::format("Unknown event '{}' in the journal.", event));
}

Result<void> JournalFold::apply_first(const Json& line) {
  if (state_->has_islands()) {
    return differs("The event 'first' must come before all cycles.");
  }
  ASSIGN_OR_RETURN(const FirstRecord record, first_record_from(line, reading_));
  RETURN_IF_ERROR(check_id(record.fn->id()));
  state_->add_first(*record.fn);
  if (!record.fn->evaluation().failure) first_.push_back(record.fn);
  return {};
}

Result<void> JournalFold::create_islands() {
  if (first_.empty()) {
    return differs("The journal has no first function without a failure.");
  }
  state_->create_islands(first_);
  return {};
}

Result<void> JournalFold::check_id(std::uint64_t id) const {
  if (id == state_->next_id()) return {};
  return differs(fmt::format("The id of the function must be {}, got {}.",
                             state_->next_id(), id));
}

Result<void> JournalFold::check_cycle(std::uint64_t cycle) const {
  const std::uint64_t now = state_->counts().cycles + 1;
  if (cycle == now) return {};
  return differs(fmt::format("The cycle must be {}, got {}.", now, cycle));
}

Result<void> JournalFold::check_place(std::uint64_t cycle,
                                      std::size_t island) const {
  RETURN_IF_ERROR(check_cycle(cycle));
  if (island < state_->islands().size()) return {};
  return differs(fmt::format("The island must be less than {}, got {}.",
                             state_->islands().size(), island));
}

Result<void> JournalFold::apply_function(const Json& line) {
  ASSIGN_OR_RETURN(const FunctionRecord record,
                   function_record_from(line, reading_));
  RETURN_IF_ERROR(check_place(record.cycle, record.island));
  RETURN_IF_ERROR(check_id(record.fn->id()));
  for (const std::uint64_t parent : record.fn->origin().parents) {
    if (parent > 0 && parent < record.fn->id()) continue;
    return differs(
        fmt::format("Function {} has the parent {}, which does not exist yet.",
                    record.fn->id(), parent));
  }
  state_->assign_id(*record.fn);
  const Gain gain = state_->take(record.fn, record.island,
                                 record.evaluation_source, record.is_rejected);
  if (gain == record.gain) return {};
  return differs(fmt::format(
      "Function {} was recorded as {}, but the replay finds {}.",
      record.fn->id(), describe_gain(record.gain), describe_gain(gain)));
}

Result<void> JournalFold::apply_error(const Json& line) {
  ASSIGN_OR_RETURN(const ErrorRecord record, error_record_from(line));
  RETURN_IF_ERROR(check_place(record.cycle, record.island));
  state_->take_error(record.message, record.origin.cost);
  return {};
}

Result<void> JournalFold::apply_cycle(const Json& line) {
  ASSIGN_OR_RETURN(const CycleRecord record, cycle_record_from(line));
  RETURN_IF_ERROR(check_cycle(record.cycle));
  const CycleRecord now{.cycle = record.cycle,
                        .evaluations = state_->counts().evaluations,
                        .best = state_->best()->id()};
  state_->end_cycle();
  if (now == record) return {};
  return differs(fmt::format(
      "Cycle {} was recorded with {} evaluations and the best function {}, but "
      "the replay finds {} and {}.",
      record.cycle, record.evaluations, record.best, now.evaluations,
      now.best));
}

Result<void> JournalFold::apply_reset(const Json& line) {
  ASSIGN_OR_RETURN(const ResetRecord record, reset_record_from(line));
  // A reset is drawn from the seed and the cycle alone, so it can be checked.
  const Reset now =
      state_->plan_reset(reset_stream(run_->options.seed, record.cycle));
  if (record.cycle != state_->counts().cycles || record.reset != now) {
    return differs(fmt::format(
        "The reset after cycle {} was recorded with the islands [{}] and the "
        "founders [{}], but the replay finds [{}] and [{}].",
        record.cycle, fmt::join(record.reset.removed, ", "),
        fmt::join(record.reset.founders, ", "), fmt::join(now.removed, ", "),
        fmt::join(now.founders, ", ")));
  }
  return state_->reset(record.reset);
}

Result<void> JournalFold::end() {
  if (!run_) return differs("The journal is empty.");
  if (!state_->has_islands()) RETURN_IF_ERROR(create_islands());
  return {};
}

std::unique_ptr<EvolverState> JournalFold::take_state() {
  REQUIRE(state_ != nullptr && state_->has_islands(),
          "JournalFold::take_state: the state is not complete; call end() "
          "first.");
  return std::move(state_);
}

}  // namespace lamarck::archipelago
