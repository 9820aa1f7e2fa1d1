// Names that follow from the file of a table.

#pragma once

#include <filesystem>
#include <string>

namespace lamarck::cli {

// "points" for "data/points.csv" and "points.csv.gz", "stdin" for "-". The name
// of a run's folder begins with it.
std::string table_stem(const std::filesystem::path& path);

// The path as a run stores it: absolute, so that the run can be resumed from
// another folder. Standard input stays "-".
std::string stored_table_path(const std::filesystem::path& path);

}  // namespace lamarck::cli
