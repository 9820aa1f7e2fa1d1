#include "lamarck/archipelago/journal_record.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "lamarck/archipelago/evolver_options_json.h"
#include "lamarck/base/hash.h"
#include "lamarck/base/macros.h"

namespace lamarck::archipelago {
namespace {

constexpr std::array kSourceNames = {"fresh", "by_engine", "reused",
                                     "duplicate"};

// JSON has no infinity or NaN: such numbers are written as null and read as
// NaN.
std::vector<double> parse_numbers(const Json& json) {
  std::vector<double> numbers;
  for (const Json& each : json) {
    numbers.push_back(each.is_null() ? std::nan("") : each.get<double>());
  }
  return numbers;
}

std::vector<double> numbers_at(const Json& json, const char* key) {
  return json.contains(key) ? parse_numbers(json.at(key))
                            : std::vector<double>{};
}

// Leaves out empty, false and zero values, which keeps journals small.
void put(Json& json, const char* key, Json value) {
  const bool is_default =
      value.empty() || value == false || value == 0 || value == "";
  if (!is_default) json[key] = std::move(value);
}

Json to_json(const MutationCost& cost) {
  Json json = Json::object();
  put(json, "evaluations", cost.evaluations);
  put(json, "tokens_in", cost.tokens_in);
  put(json, "tokens_out", cost.tokens_out);
  put(json, "money_micros", cost.money_micros);
  return json;
}

// Throws LogicError for an amount that no mutation can cost.
std::int64_t amount_at(const Json& cost, const char* key) {
  constexpr std::int64_t kMax = 1'000'000'000'000'000;
  if (!cost.contains(key)) return 0;
  const Json& amount = cost.at(key);
  if (amount.is_number_unsigned() && amount <= kMax) return amount;
  throw LogicError(
      Error(ErrorCode::DataDamaged,
            fmt::format("the cost in {} must be an integer between 0 "
                        "and {}, got {}",
                        key, kMax, dump_json(amount))));
}

MutationCost parse_cost(const Json& json) {
  if (!json.contains("cost")) return {};
  const Json& cost = json.at("cost");
  return {.evaluations = amount_at(cost, "evaluations"),
          .tokens_in = amount_at(cost, "tokens_in"),
          .tokens_out = amount_at(cost, "tokens_out"),
          .money_micros = amount_at(cost, "money_micros")};
}

void put_chat(Json& json, const Origin& origin) {
  put(json, "system", origin.system);
  put(json, "prompt", origin.prompt);
  put(json, "draft", origin.draft);
  put(json, "correction", origin.correction);
  put(json, "reply", origin.reply);
}

Json function_to_json(const Function& fn) {
  const Skeleton& skeleton = *fn.skeleton();
  const Origin& origin = fn.origin();
  Json json = {{"id", fn.id()},
               {"engine", origin.engine},
               {"source", skeleton.source()},
               {"size", skeleton.size()},
               {"hash", to_hex64(skeleton.hash())}};
  put(json, "move", origin.move);
  put(json, "parents", origin.parents);
  put_chat(json, origin);
  put(json, "cost", to_json(origin.cost));
  put(json, "start",
      Json(std::vector<double>(skeleton.constants().begin(),
                               skeleton.constants().end())));
  put(json, "constants", fn.evaluation().constants);
  if (fn.evaluation().failure) {
    json["failure"] = *fn.evaluation().failure;
  } else {
    json["scores"] = fn.evaluation().scores;
    json["score"] = fn.score();
  }
  return json;
}

std::uint64_t parse_hash(const std::string& text) {
  std::uint64_t hash = 0;
  const char* end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, hash, 16);
  if (fault == std::errc() && rest == end) return hash;
  throw LogicError(Error(ErrorCode::DataDamaged,
                         fmt::format("the hash must be a hexadecimal number, "
                                     "got '{}'",
                                     text)));
}

Evaluation parse_evaluation(const Json& json) {
  Evaluation evaluation{.scores = numbers_at(json, "scores"),
                        .failure = {},
                        .constants = numbers_at(json, "constants")};
  if (json.contains("failure")) evaluation.failure = json.at("failure");
  return evaluation;
}

Origin parse_origin(const Json& json) {
  return {.engine = json.value("engine", ""),
          .move = json.value("move", ""),
          .parents = json.value("parents", std::vector<std::uint64_t>{}),
          .system = json.value("system", ""),
          .prompt = json.value("prompt", ""),
          .draft = json.value("draft", ""),
          .correction = json.value("correction", ""),
          .reply = json.value("reply", ""),
          .cost = parse_cost(json)};
}

// Throws LogicError if the source reads as a different skeleton than the one
// recorded, for example because another version simplifies formulas
// differently.
SkeletonPtr parse_skeleton(const Json& json, const SkeletonReader& reader) {
  const auto recorded = std::make_shared<RecordedSkeleton>(
      json.at("source"), numbers_at(json, "start"), json.at("size"),
      parse_hash(json.at("hash")));
  if (!reader) return recorded;
  auto read = reader(recorded->source(), numbers_at(json, "start"));
  if (!read) throw LogicError(read.error());
  if ((*read)->hash() != recorded->hash() ||
      (*read)->size() != recorded->size()) {
    throw LogicError(Error(ErrorCode::DataDamaged,
                           "the source reads as a different function than "
                           "recorded; the journal was written by another "
                           "version"));
  }
  return *read;
}

FunctionPtr parse_function(const Json& json, const FunctionReading& reading,
                           bool is_stored) {
  // Failed functions and duplicates are never called, so their sources need not
  // be parsed.
  const bool is_read = is_stored && !json.contains("failure");
  auto fn = std::make_shared<Function>(
      json.at("id"),
      parse_skeleton(json, is_read ? reading.reader : SkeletonReader()),
      reading.evaluator, parse_origin(json));
  fn->accept(parse_evaluation(json));
  if (fn->evaluation().failure.has_value() != json.contains("failure")) {
    throw LogicError(
        Error(ErrorCode::DataDamaged,
              fmt::format("the scores of function {} are missing or not "
                          "finite",
                          fn->id())));
  }
  if (!fn->evaluation().failure && json.at("score") != fn->score()) {
    throw LogicError(Error(
        ErrorCode::DataDamaged,
        fmt::format("the score of function {} must be {}, the mean of its "
                    "scores, got {}",
                    fn->id(), fn->score(), dump_json(json.at("score")))));
  }
  return fn;
}

EvaluationSource parse_source(const std::string& name) {
  for (std::size_t i = 0; i < kSourceNames.size(); ++i) {
    if (name == kSourceNames[i]) return static_cast<EvaluationSource>(i);
  }
  throw LogicError(
      Error(ErrorCode::DataDamaged, fmt::format("unknown fate '{}'", name)));
}

// Turns exceptions of the JSON library and of this file into an error.
template <class Read>
auto guarded(const Read& read) -> Result<decltype(read())> {
  try {
    return read();
  } catch (const std::exception& failure) {
    return Error(ErrorCode::DataDamaged, failure.what());
  }
}

}  // namespace

RecordedSkeleton::RecordedSkeleton(std::string source,
                                   std::vector<double> constants,
                                   std::size_t size, std::uint64_t hash)
    : source_(std::move(source)),
      constants_(std::move(constants)),
      size_(size),
      hash_(hash) {}

Result<std::vector<double>> RecordedSkeleton::call(
    std::span<const std::vector<double>> /*arguments*/) const {
  return Error(
      ErrorCode::Unsupported,
      "A function of a replayed journal has only its text and cannot be "
      "called; resume the run instead.");
}

Json to_json(const RunRecord& record) {
  return {{"event", "run"},
          {"format", kJournalFormat},
          {"engine", record.engine},
          {"fingerprint", record.fingerprint},
          {"options", to_json(record.options)}};
}

Json to_json(const FirstRecord& record) {
  Json json = function_to_json(*record.fn);
  json["event"] = "first";
  return json;
}

Json to_json(const FunctionRecord& record) {
  Json json = function_to_json(*record.fn);
  json["event"] = "function";
  json["cycle"] = record.cycle;
  json["island"] = record.island;
  json["fate"] =
      kSourceNames.at(static_cast<std::size_t>(record.evaluation_source));
  json["seconds"] = record.seconds;
  put(json, "rejected", record.is_rejected);
  put(json, "island_best", record.gain.is_island_best);
  put(json, "best", record.gain.is_best);
  return json;
}

Json to_json(const ErrorRecord& record) {
  Json json = {{"event", "error"},          {"cycle", record.cycle},
               {"island", record.island},   {"code", record.code},
               {"message", record.message}, {"seconds", record.seconds}};
  if (!record.origin.prompt.empty()) {
    put(json, "engine", record.origin.engine);
    put(json, "move", record.origin.move);
    put(json, "parents", record.origin.parents);
    put_chat(json, record.origin);
  }
  put(json, "cost", to_json(record.origin.cost));
  return json;
}

Json to_json(const CycleRecord& record) {
  return {{"event", "cycle"},
          {"cycle", record.cycle},
          {"evaluations", record.evaluations},
          {"best", record.best}};
}

Json to_json(const ResetRecord& record) {
  return {{"event", "reset"},
          {"cycle", record.cycle},
          {"removed", record.reset.removed},
          {"founders", record.reset.founders}};
}

Result<MutationCost> cost_record_from(const Json& json) {
  return guarded([&] { return parse_cost(json); });
}

Result<RunRecord> run_record_from(const Json& json) {
  ASSIGN_OR_RETURN(const auto format, json_field<std::int64_t>(json, "format"));
  if (format < 1 || format > kJournalFormat) {
    return Error(ErrorCode::Unsupported,
                 fmt::format("The journal has format {}; this version reads "
                             "formats 1 to {}.",
                             format, kJournalFormat));
  }
  RunRecord record;
  ASSIGN_OR_RETURN(record.engine, json_field<std::string>(json, "engine"));
  ASSIGN_OR_RETURN(record.fingerprint,
                   json_field<std::string>(json, "fingerprint"));
  ASSIGN_OR_RETURN(const Json options, json_field<Json>(json, "options"));
  ASSIGN_OR_RETURN(record.options, evolver_options_from(options));
  return record;
}

Result<FirstRecord> first_record_from(const Json& json,
                                      const FunctionReading& reading) {
  return guarded(
      [&] { return FirstRecord{parse_function(json, reading, true)}; });
}

Result<FunctionRecord> function_record_from(const Json& json,
                                            const FunctionReading& reading) {
  return guarded([&] {
    const EvaluationSource evaluation_source = parse_source(json.at("fate"));
    return FunctionRecord{
        .cycle = json.at("cycle"),
        .island = json.at("island"),
        .fn = parse_function(json, reading,
                             evaluation_source != EvaluationSource::Duplicate),
        .evaluation_source = evaluation_source,
        .is_rejected = json.value("rejected", false),
        .gain = {.is_island_best = json.value("island_best", false),
                 .is_best = json.value("best", false)},
        .seconds = json.value("seconds", 0.0)};
  });
}

Result<ErrorRecord> error_record_from(const Json& json) {
  return guarded([&] {
    return ErrorRecord{.cycle = json.at("cycle"),
                       .island = json.at("island"),
                       .code = json.at("code"),
                       .message = json.at("message"),
                       .origin = parse_origin(json),
                       .seconds = json.value("seconds", 0.0)};
  });
}

Result<CycleRecord> cycle_record_from(const Json& json) {
  return guarded([&] {
    return CycleRecord{.cycle = json.at("cycle"),
                       .evaluations = json.at("evaluations"),
                       .best = json.at("best")};
  });
}

Result<ResetRecord> reset_record_from(const Json& json) {
  return guarded([&] {
    return ResetRecord{.cycle = json.at("cycle"),
                       .reset = {.removed = json.at("removed"),
                                 .founders = json.at("founders")}};
  });
}

}  // namespace lamarck::archipelago
