// A folder whose files an agent may use, and nothing outside of it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"

namespace lamarck::agent {

struct WorkspaceEntry {
  std::string path;  // Relative to the workspace: "data/a.csv".
  bool is_folder = false;
  std::uint64_t size_bytes = 0;
};

// Paths are relative, with '/' between names. Each name is opened by itself and
// symbolic links are refused, so neither ".." nor a link, nor a link that
// appears during the call, leads outside. Thread safety: all members may be
// called from any thread.
class Workspace {
 public:
  // The folder must exist.
  static Result<std::shared_ptr<Workspace>> open(
      const std::filesystem::path& folder);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  const std::filesystem::path& folder() const { return folder_; }

  // At most `max_bytes` from `offset` on; `size_bytes` becomes the file's size.
  Result<std::string> read(std::string_view path, std::uint64_t offset,
                           std::size_t max_bytes,
                           std::uint64_t& size_bytes) const;
  // Creates missing folders, and replaces an existing file in one step.
  Result<void> write(std::string_view path, std::string_view bytes) const;
  // The files and folders in a folder, sorted by path; "" or "." is the
  // workspace itself. Links are left out. Fails if there are more than
  // `max_entries`.
  Result<std::vector<WorkspaceEntry>> list(std::string_view path,
                                           bool is_recursive,
                                           std::size_t max_entries) const;
  // Removes a file or an empty folder.
  Result<void> remove(std::string_view path) const;

 private:
  Workspace(int descriptor, std::filesystem::path folder)
      : descriptor_(descriptor), folder_(std::move(folder)) {}

  int descriptor_;
  std::filesystem::path folder_;
};

}  // namespace lamarck::agent
