#include "lamarck/cli/evolve/table_path.h"

#include "lamarck/data/csv.h"

namespace lamarck::cli {

std::string table_stem(const std::filesystem::path& path) {
  if (data::is_standard_input(path)) return "stdin";
  const std::string end = path.extension().string();
  const bool is_packed = end == ".gz" || end == ".zst";
  return (is_packed ? path.stem() : path.filename()).stem().string();
}

std::string stored_table_path(const std::filesystem::path& path) {
  return data::is_standard_input(path)
             ? "-"
             : std::filesystem::absolute(path).string();
}

}  // namespace lamarck::cli
