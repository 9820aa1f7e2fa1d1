#include "lamarck/runs/run_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/runs/run_event.h"

namespace lamarck::runs {
namespace {

using Type = RunOption::Type;

// Options that name files of the server are not among them.
constexpr std::array kRunOptions = {
    RunOption{"target", "net fn neat", Type::Text, "Column to predict"},
    RunOption{"budget", "net fn", Type::Text, "Such as 30s, 500gen, 10000eval"},
    RunOption{"seed", "net fn neat", Type::Integer, "Random seed"},
    RunOption{"encoding", "net fn neat", Type::Text, "Of the file"},
    RunOption{"islands", "net fn", Type::Integer, "Number of islands"},
    RunOption{"ignore", "net", Type::Text, "Columns to ignore"},
    RunOption{"task", "net", Type::Text, "auto, classify or regress"},
    RunOption{"series", "net", Type::Flag, "Rows are steps in time"},
    RunOption{"horizon", "net", Type::Integer, "Rows ahead to predict"},
    RunOption{"lags", "net", Type::Integer, "Past changes that are inputs"},
    RunOption{"single", "net", Type::Flag, "One network, not an ensemble"},
    RunOption{"grain", "net", Type::Text, "neuron, layer or both"},
    RunOption{"strategy", "net", Type::Text, "cascade or hill_climb"},
    RunOption{"metric", "net", Type::Text, "Such as accuracy, r2, rmse"},
    RunOption{"goal", "net neat", Type::Number, "Metric to stop at"},
    RunOption{"test_split", "net", Type::Number, "Share of held-out rows"},
    RunOption{"inputs", "fn", Type::Text, "Columns to use"},
    RunOption{"engine", "fn", Type::Text, "gp, llm or mix"},
    RunOption{"functions", "fn", Type::Text, "Such as sin,exp,pow"},
    RunOption{"max_size", "fn", Type::Integer, "Maximum nodes per formula"},
    RunOption{"population", "neat", Type::Integer, "Genomes per generation"},
    RunOption{"evaluations", "neat", Type::Integer, "Maximum evaluations"},
};

bool takes(const RunOption& option, std::string_view kind) {
  const auto kinds = split_text(option.kinds, ' ');
  return std::ranges::find(kinds, kind) != kinds.end();
}

const RunOption* find_option(std::string_view name, std::string_view kind) {
  const auto* const found =
      std::ranges::find(kRunOptions, name, &RunOption::name);
  if (found == kRunOptions.end() || !takes(*found, kind)) return nullptr;
  return found;
}

std::string option_names(std::string_view kind) {
  std::vector<std::string> names;
  for (const RunOption& each : kRunOptions) {
    if (takes(each, kind)) names.emplace_back(each.name);
  }
  return join_text(names, ", ");
}

Error wrong_option(std::string_view name, const std::string& what) {
  return {ErrorCode::InvalidArgument,
          fmt::format("The option {} {}.", in_quotes(name), what),
          {{"options." + std::string(name), what}}};
}

// The value of a flag; "" for a flag without one.
Result<std::string> option_word(const RunOption& option, const Json& value) {
  switch (option.type) {
    case Type::Integer:
      if (value.is_number_integer()) return dump_json(value);
      return wrong_option(option.name, "must be an integer");
    case Type::Number:
      if (value.is_number()) return dump_json(value);
      return wrong_option(option.name, "must be a number");
    case Type::Flag:
      if (value.is_boolean()) return std::string();
      return wrong_option(option.name, "must be true or false");
    default:
      break;
  }
  constexpr std::size_t kMaxText = 2'000;
  if (!value.is_string() || value.get<std::string>().size() > kMaxText) {
    return wrong_option(option.name, "must be a text of at most 2000 bytes");
  }
  return value.get<std::string>();
}

std::string flag_of(std::string_view name) {
  std::string flag = "--" + std::string(name);
  std::ranges::replace(flag, '_', '-');
  return flag;
}

}  // namespace

std::span<const RunOption> run_options() { return kRunOptions; }

Result<std::vector<std::string>> make_run_words(const RunRequest& request) {
  const std::string& kind = request.kind;
  std::vector<std::string> words;
  if (kind == "neat") {
    words = {"neat"};
  } else {
    words = {"evolve", kind};
  }
  for (const auto& [name, value] : request.options.items()) {
    // The caller has turned "data" into a path; "task" is NEAT's word for it.
    if (name == "data" || (kind == "neat" && name == "task")) continue;
    const RunOption* const option = find_option(name, kind);
    if (option == nullptr) {
      return wrong_option(name, fmt::format("is unknown for {}; use {}", kind,
                                            option_names(kind)));
    }
    ASSIGN_OR_RETURN(const std::string word, option_word(*option, value));
    if (option->type == Type::Flag) {
      if (value.get<bool>()) words.push_back(flag_of(name));
    } else {
      // With "=", a value that begins with - is not taken for a flag.
      words.push_back(flag_of(name) + "=" + word);
    }
  }
  if (!request.data.empty()) words.push_back(request.data);
  return words;
}

std::string make_run_goal(const RunRequest& request, const std::string& table) {
  const std::string target = request.options.value("target", std::string("?"));
  if (request.kind == "fn") {
    return fmt::format("Find a law for {} in {}", target, table);
  }
  if (request.kind == "neat" && !request.options.contains("target")) {
    return "Solve " + table + " with NEAT";
  }
  return fmt::format("Predict {} from {}", target, table);
}

std::vector<std::string> make_resume_words(const RunSummary& summary) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const bool can_resume =
      is_evolving_kind(summary.kind) && summary.kind != "neat" &&
      !summary.folder.empty() &&
      fs::exists(fs::path(summary.folder) / "run.json", ignored);
  if (!can_resume) return {};
  return {"evolve", summary.kind, "--resume=" + summary.folder};
}

}  // namespace lamarck::runs
