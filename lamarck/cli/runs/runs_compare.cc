// `lamarck runs compare`.

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <vector>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/journal_flag.h"
#include "lamarck/cli/runs/runs_commands.h"

namespace lamarck::cli {
namespace {

constexpr std::size_t kCompareRows = 10;
constexpr std::size_t kComparePoints = 200;

struct CompareFlags {
  std::string db;
  std::vector<std::string> runs;
};

std::string cell(const std::string& text) {
  return fmt::format(" {:<20}", one_line(text, 20));
}

std::string option_text(const Json& options, const std::string& name) {
  const auto found = options.find(name);
  if (found == options.end() || found->is_null()) return "-";
  return found->is_string() ? found->get<std::string>() : dump_json(*found);
}

// The score of a run at a time: that of the last point before it.
double score_at(const runs::RunSummary& summary, double seconds) {
  double score = std::nan("");
  for (const runs::CurvePoint& point : summary.curve) {
    if (point.seconds > seconds) break;
    score = point.score;
  }
  return score;
}

void print_options(const std::vector<runs::RunView>& all,
                   CommandContext& context) {
  std::set<std::string> names;
  for (const runs::RunView& run : all) {
    for (const auto& [name, value] : run.summary.options.items()) {
      names.insert(name);
    }
  }
  for (const std::string& name : names) {
    std::set<std::string> values;
    std::string line = fmt::format("{:<14}", one_line(name, 14));
    for (const runs::RunView& run : all) {
      values.insert(option_text(run.summary.options, name));
      line += cell(option_text(run.summary.options, name));
    }
    // Only what differs helps to explain a difference.
    if (values.size() > 1) context.out << line << "\n";
  }
}

void print_curves(const std::vector<runs::RunView>& all,
                  CommandContext& context) {
  double longest = 0;
  for (const runs::RunView& run : all) {
    longest = std::max(longest, run.summary.seconds);
  }
  for (std::size_t i = 1; i <= kCompareRows && longest > 0; ++i) {
    const double seconds =
        longest * static_cast<double>(i) / static_cast<double>(kCompareRows);
    std::string line = fmt::format("{:<14}", fmt::format("{:.3g} s", seconds));
    for (const runs::RunView& run : all) {
      const double score = score_at(run.summary, seconds);
      line += cell(std::isfinite(score) ? fmt::format("{:.5g}", score) : "-");
    }
    context.out << line << "\n";
  }
}

Result<void> compare_runs(const CompareFlags& flags, CommandContext& context) {
  ASSIGN_OR_RETURN(const OpenedRuns opened,
                   open_runs(flags.db, false, context));
  std::vector<runs::RunView> all;
  for (const std::string& text : flags.runs) {
    ASSIGN_OR_RETURN(runs::RunView run, opened.catalog->find_by_prefix(text));
    all.push_back(std::move(run));
  }
  if (context.json) {
    Json list = Json::array();
    for (const runs::RunView& run : all) {
      Json json = runs::run_json(run);
      json["curve"] = runs::curve_json(run.summary, kComparePoints);
      list.push_back(std::move(json));
    }
    context.out << dump_json(Json{{"runs", std::move(list)}}) << "\n";
    return {};
  }
  const auto row = [&](const char* name, const auto& text) {
    std::string line = fmt::format("{:<14}", name);
    for (const runs::RunView& run : all) line += cell(text(run));
    context.out << line << "\n";
  };
  row("", [](const runs::RunView& run) { return run.id; });
  row("kind", [](const runs::RunView& run) { return run.summary.kind; });
  row("state", [](const runs::RunView& run) { return run.state; });
  row("score", [](const runs::RunView& run) {
    return std::isfinite(run.summary.score)
               ? fmt::format("{} {:.5g}", run.summary.score_name,
                             run.summary.score)
               : std::string("-");
  });
  row("evaluations", [](const runs::RunView& run) {
    return fmt::format("{:.0f}", run.summary.evaluations);
  });
  row("seconds", [](const runs::RunView& run) {
    return fmt::format("{:.3g}", run.summary.seconds);
  });
  print_options(all, context);
  print_curves(all, context);
  return {};
}

}  // namespace

Command runs_compare_command() {
  return {.name = "compare",
          .summary = "Compare options and scores of runs",
          .description =
              "Puts runs side by side: their scores, the options in which they "
              "differ, and the score over time.",
          .example = "lamarck runs compare net-7k3m9q2x net-2v8c4d6f",
          .configure = [](CLI::App& app) -> CommandAction {
            const auto flags = std::make_shared<CompareFlags>();
            add_journal_flag(app, flags->db);
            add_option(app, "RUNS", &flags->runs,
                       "Ids of two or more runs, or their beginnings",
                       {.is_required = true});
            return [flags](CommandContext& context) {
              return compare_runs(*flags, context);
            };
          }};
}

}  // namespace lamarck::cli
