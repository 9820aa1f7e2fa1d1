#include "lamarck/archipelago/checkpoint.h"

#include <fmt/format.h>

#include <charconv>
#include <string>

#include "lamarck/base/file.h"
#include "lamarck/base/hash.h"
#include "lamarck/base/macros.h"

namespace lamarck::archipelago {
namespace {

constexpr int kFormat = 1;

Json to_json(const Checkpoint& checkpoint) {
  const BudgetAmounts& spent = checkpoint.history.spent;
  return {{"format", kFormat},
          {"cycle", checkpoint.cycle},
          {"journal",
           {{"bytes", checkpoint.journal.bytes},
            {"lines", checkpoint.journal.lines},
            {"chain", to_hex64(checkpoint.journal.chain)},
            {"hashed", checkpoint.journal.is_hashed}}},
          {"spent",
           {{"evaluations", spent.evaluations},
            {"tokens", spent.tokens},
            {"money_micros", spent.money_micros},
            {"milliseconds", checkpoint.history.wall_time.count()}}},
          {"since_reset_milliseconds", checkpoint.since_reset.count()},
          {"engine", checkpoint.engine}};
}

std::uint64_t parse_hex(const std::string& text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

// Throws Json::exception if a field is missing or has the wrong type.
Checkpoint parse_checkpoint(const Json& json) {
  const Json& journal = json.at("journal");
  const Json& spent = json.at("spent");
  Checkpoint checkpoint;
  checkpoint.cycle = json.at("cycle");
  checkpoint.journal = {.bytes = journal.at("bytes"),
                        .lines = journal.at("lines"),
                        .chain = parse_hex(journal.at("chain")),
                        .is_hashed = journal.value("hashed", false)};
  checkpoint.history.spent = {.evaluations = spent.at("evaluations"),
                              .tokens = spent.at("tokens"),
                              .money_micros = spent.at("money_micros")};
  checkpoint.history.wall_time =
      std::chrono::milliseconds(spent.at("milliseconds").get<std::int64_t>());
  checkpoint.since_reset = std::chrono::milliseconds(
      json.at("since_reset_milliseconds").get<std::int64_t>());
  checkpoint.engine = json.at("engine");
  return checkpoint;
}

Error damaged(const std::filesystem::path& path, std::string_view why) {
  return {ErrorCode::DataDamaged,
          fmt::format("Cannot resume from the checkpoint {}: {}.",
                      path.string(), why)};
}

}  // namespace

Result<void> save_checkpoint(const std::filesystem::path& path,
                             const Checkpoint& checkpoint) {
  const Json state = to_json(checkpoint);
  // Json objects are sorted by key, so parsing and dumping again gives the same
  // bytes and the same hash.
  const Json file = {{"sha256", sha256_hex(dump_json(state))},
                     {"state", state}};
  return write_file(path, dump_json(file) + "\n");
}

Result<Checkpoint> load_checkpoint(const std::filesystem::path& path) {
  ASSIGN_OR_RETURN(const std::string text, read_file(path));
  const auto file = parse_json(text, {.size_bytes = text.size() + 1});
  if (!file) return damaged(path, file.error().message());
  try {
    const Json& state = file->at("state");
    if (sha256_hex(dump_json(state)) != file->at("sha256")) {
      return damaged(path, "its SHA-256 does not match its contents");
    }
    if (state.at("format") != kFormat) {
      return damaged(path, "it was written by another version");
    }
    return parse_checkpoint(state);
  } catch (const Json::exception& failure) {
    return damaged(path, failure.what());
  }
}

}  // namespace lamarck::archipelago
