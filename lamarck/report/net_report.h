// What `lamarck evolve net` tells: as text, as JSON, as a picture, as a page.

#pragma once

#include <filesystem>
#include <string>

#include "lamarck/base/json.h"
#include "lamarck/table/table_evolution.h"

namespace lamarck::report {

// Empty if nothing was written.
struct NetPaths {
  std::filesystem::path model;
  std::filesystem::path picture;
  std::filesystem::path report;
};

Json net_json(const table::TableEvolutionOutcome& outcome, std::uint64_t seed,
              const NetPaths& paths);
std::string net_text(const table::TableEvolutionOutcome& outcome,
                     const NetPaths& paths);

// Over seeds, of what net_json gave for each; `cpu_seconds` of all together.
Json net_summary(Json runs, double cpu_seconds);
std::string net_summary_text(const Json& summary);

std::string net_picture(const table::TableEvolutionOutcome& outcome);
std::string net_report_page(const table::TableEvolutionOutcome& outcome,
                            const table::TableEvolutionOptions& options,
                            const std::string& data,
                            const std::string& picture);

}  // namespace lamarck::report
