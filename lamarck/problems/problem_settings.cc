#include "lamarck/problems/problem_settings.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <array>
#include <charconv>
#include <cmath>

#include "lamarck/base/file.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"

namespace lamarck::problems {
namespace {

constexpr std::uint64_t kMaxSettingsBytes = 1 << 20;

struct Unit {
  std::string_view name;
  double factor;
};
constexpr std::array kTimeUnits = {Unit{"ms", 1}, Unit{"min", 60'000},
                                   Unit{"s", 1000}, Unit{"h", 3'600'000}};
constexpr double kKilo = 1024;
constexpr std::array kByteUnits = {Unit{"KB", kKilo}, Unit{"MB", kKilo* kKilo},
                                   Unit{"GB", kKilo* kKilo* kKilo},
                                   Unit{"B", 1}, Unit{"", 1}};

// A positive number with one of the units, in the smallest unit.
template <std::size_t Count>
std::optional<double> parse_amount(std::string_view text,
                                   const std::array<Unit, Count>& units) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, number);
  if (status != std::errc() || !std::isfinite(number)) return std::nullopt;
  const std::string_view name(rest, static_cast<std::size_t>(end - rest));
  constexpr double kMax = 1e15;
  for (const Unit& unit : units) {
    if (unit.name != name) continue;
    const double amount = number * unit.factor;
    return amount >= 1 && amount <= kMax ? std::optional(amount) : std::nullopt;
  }
  return std::nullopt;
}

// Reads the keys of a table one by one and rejects those that are left.
class TableReader {
 public:
  TableReader(std::string file, std::string prefix, toml::table table)
      : file_(std::move(file)),
        prefix_(std::move(prefix)),
        table_(std::move(table)) {}

  template <class Read>
  Result<void> take(const char* key, const char* wanted, const Read& read) {
    const auto found = table_.find(key);
    if (found == table_.end()) return {};
    if (!read(found->second)) {
      return invalid_argument(
          fmt::format("{}: {}{} must be {}.", file_, prefix_, key, wanted));
    }
    table_.erase(found);
    return {};
  }

  Result<void> take_number(const char* key, std::optional<double>& value) {
    return take(key, "a number", [&](const toml::node& node) {
      value = node.value<double>();
      return value && std::isfinite(*value);
    });
  }
  Result<void> take_count(const char* key, std::optional<std::size_t>& value) {
    constexpr std::int64_t kMaxCount = 100'000;
    return take(key, "an integer between 1 and 100000",
                [&](const toml::node& node) {
                  const auto number = node.value<std::int64_t>();
                  if (!number || *number < 1 || *number > kMaxCount) {
                    return false;
                  }
                  value = static_cast<std::size_t>(*number);
                  return true;
                });
  }
  Result<TableReader> take_table(const char* key) {
    toml::table inner;
    RETURN_IF_ERROR(take(key, "a table", [&](const toml::node& node) {
      if (const auto* table = node.as_table()) inner = *table;
      return node.is_table();
    }));
    return TableReader(file_, prefix_ + key + ".", std::move(inner));
  }
  Result<void> finish() const {
    if (table_.empty()) return {};
    return invalid_argument(
        fmt::format("{}: unknown key {}{}; see "
                    "docs/howto/evolve-a-program.md for the keys.",
                    file_, prefix_, one_line(table_.begin()->first.str())));
  }
  const toml::table& rest() const { return table_; }

 private:
  std::string file_;
  std::string prefix_;
  toml::table table_;
};

bool read_words(const toml::node& node, std::vector<std::string>& words) {
  if (const auto text = node.value<std::string>()) {
    for (const std::string_view word : split_text(*text, ' ')) {
      if (!word.empty()) words.emplace_back(word);
    }
    return !words.empty();
  }
  const toml::array* array = node.as_array();
  if (array == nullptr) return false;
  for (const toml::node& each : *array) {
    const auto word = each.value<std::string>();
    if (!word || word->empty()) return false;
    words.push_back(*word);
  }
  return !words.empty();
}

Result<void> read_limits(TableReader reader, ProblemSettings& settings) {
  RETURN_IF_ERROR(reader.take("time", "a duration such as \"30s\" or \"5min\"",
                              [&](const toml::node& node) {
                                settings.time = parse_duration(
                                    node.value<std::string>().value_or(""));
                                return settings.time.has_value();
                              }));
  RETURN_IF_ERROR(reader.take("memory", "a size such as \"512MB\" or \"2GB\"",
                              [&](const toml::node& node) {
                                settings.memory_bytes = parse_bytes(
                                    node.value<std::string>().value_or(""));
                                return settings.memory_bytes.has_value();
                              }));
  RETURN_IF_ERROR(reader.take_count("processes", settings.processes));
  RETURN_IF_ERROR(reader.take_count("parallel", settings.parallel));
  return reader.finish();
}

Result<void> read_cascade(TableReader reader, ProblemSettings& settings) {
  RETURN_IF_ERROR(reader.take_number("floor", settings.cascade_floor));
  RETURN_IF_ERROR(
      reader.take("floors", "a table of numbers", [&](const toml::node& node) {
        const toml::table* table = node.as_table();
        if (table == nullptr) return false;
        for (const auto& [name, value] : *table) {
          const auto floor = value.value<double>();
          if (!floor || !std::isfinite(*floor)) return false;
          settings.cascade_floors[std::string(name.str())] = *floor;
        }
        return true;
      }));
  return reader.finish();
}

Result<ProblemSettings> read_settings(const std::string& file,
                                      toml::table table) {
  ProblemSettings settings;
  TableReader reader(file, "", std::move(table));
  RETURN_IF_ERROR(reader.take("evaluate",
                              "a command, as text or as a list of words",
                              [&](const toml::node& node) {
                                return read_words(node, settings.evaluate);
                              }));
  RETURN_IF_ERROR(
      reader.take("inputs", "a list of names", [&](const toml::node& node) {
        return node.is_array() && read_words(node, settings.inputs);
      }));
  if (!settings.inputs.empty() && settings.evaluate.empty()) {
    return invalid_argument(
        file + ": inputs requires evaluate; evaluate.py lists its own.");
  }
  RETURN_IF_ERROR(reader.take_number("goal", settings.goal));
  ASSIGN_OR_RETURN(TableReader limits, reader.take_table("limits"));
  RETURN_IF_ERROR(read_limits(std::move(limits), settings));
  ASSIGN_OR_RETURN(TableReader cascade, reader.take_table("cascade"));
  RETURN_IF_ERROR(read_cascade(std::move(cascade), settings));
  RETURN_IF_ERROR(reader.finish());
  return settings;
}

}  // namespace

Result<ProblemSettings> read_problem_settings(
    const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kProblemSettingsFile;
  const auto text = read_file(path, kMaxSettingsBytes);
  if (!text) {
    if (text.error().code() == ErrorCode::NotFound) return ProblemSettings{};
    return text.error();
  }
  try {
    return read_settings(path.string(), toml::parse(*text));
  } catch (const toml::parse_error& failure) {
    return invalid_argument(fmt::format("{}, line {}: {}.", path.string(),
                                        failure.source().begin.line,
                                        failure.description()));
  }
}

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  const auto amount = parse_amount(text, kTimeUnits);
  if (!amount) return std::nullopt;
  return std::chrono::milliseconds(std::llround(*amount));
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  const auto amount = parse_amount(text, kByteUnits);
  if (!amount) return std::nullopt;
  return static_cast<std::uint64_t>(*amount);
}

}  // namespace lamarck::problems
