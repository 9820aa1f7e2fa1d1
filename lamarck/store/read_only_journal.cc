#include "lamarck/store/read_only_journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fmt/format.h>

#include "lamarck/base/macros.h"
#include "lamarck/store/internal/journal_schema.h"
#include "lamarck/store/internal/reading_journal.h"

namespace lamarck::store {
namespace {

class ReadOnlyJournal : public internal::ReadingJournal {
 public:
  explicit ReadOnlyJournal(const std::string& path)
      : ReadingJournal(
            path, [path] { return SqliteConnection::open_read_only(path); }),
        path_(path) {}

  Result<Appended> append(Append) override { return refusal(); }
  Result<void> save_checkpoint(const Checkpoint&) override { return refusal(); }
  Result<std::uint64_t> prune(
      std::string_view,
      const std::function<Result<void>(const Event&)>&) override {
    return refusal();
  }
  // Nothing is ever appended.
  Remover use_profiler(Profiler<RunAppended>::Function) override {
    return [] {};
  }

 private:
  Error refusal() const {
    return {ErrorCode::PermissionDenied,
            fmt::format("The journal {} is read-only; copy it to a folder that "
                        "you can write.",
                        path_),
            {{"file", path_}}};
  }

  const std::string path_;
};

bool is_writable(const std::string& path) {
  // With the effective user, as for opening a file.
  return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

}  // namespace

bool can_write_journal(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path();
  return is_writable(path) && is_writable(folder.empty() ? "." : folder);
}

Result<std::unique_ptr<Journal>> open_read_only_journal(
    const std::string& path) {
  ASSIGN_OR_RETURN(const auto checked, internal::open_journal_read_only(path));
  return std::make_unique<ReadOnlyJournal>(path);
}

}  // namespace lamarck::store
