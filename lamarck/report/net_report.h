// The result of `lamarck evolve net` as text, JSON, picture and HTML page.

#pragma once

#include <filesystem>
#include <string>

#include "lamarck/base/json.h"
#include "lamarck/table/table_evolution.h"

namespace lamarck::report {

// The files of a run. The paths are empty if nothing was written.
struct NetPaths {
  std::filesystem::path model;
  std::filesystem::path picture;
  std::filesystem::path report;
};

Json net_json(const table::TableEvolutionOutcome& outcome, std::uint64_t seed,
              const NetPaths& paths);
// What the network predicts for the held-out rows, for tools that draw it:
// {"kind", "rows", "target"}, and of the target {"classes", "counts"} by actual
// and then predicted class, {"pairs": [[actual, predicted]]}, or for a series
// {"actual", "predicted"} in the order of the rows. Of many rows, some that are
// evenly spread; of a series the last ones.
Json held_out_json(const table::TableEvolutionOutcome& outcome);
std::string net_text(const table::TableEvolutionOutcome& outcome,
                     const NetPaths& paths);

// Summarizes runs with several seeds. `runs` is an array of net_json results,
// `cpu_seconds` their total CPU time.
Json net_summary(Json runs, double cpu_seconds, bool has_goal);
std::string net_summary_text(const Json& summary);

// The network as SVG, with the names of its inputs and outputs.
std::string net_picture(const table::TableEvolutionOutcome& outcome);
// The HTML report. `data` names the data file; `picture` is embedded unescaped.
std::string net_report_page(const table::TableEvolutionOutcome& outcome,
                            const table::TableEvolutionOptions& options,
                            const std::string& data,
                            const std::string& picture);

}  // namespace lamarck::report
