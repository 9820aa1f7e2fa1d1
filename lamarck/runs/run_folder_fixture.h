// A folder with a journal that is removed at the end of a test.

#pragma once

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "lamarck/base/clock.h"
#include "lamarck/store/sqlite_journal.h"

namespace lamarck::runs {

class RunFolder {
 public:
  RunFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "lamarck-runs-XXXXXX")
            .string();
    path_ = mkdtemp(name.data());
  }
  ~RunFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string journal_path() const { return (path_ / "journal.db").string(); }
  std::unique_ptr<store::Journal> open_journal() const {
    return store::open_sqlite_journal(
               {.path = journal_path(), .durable = false})
        .value();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace lamarck::runs
