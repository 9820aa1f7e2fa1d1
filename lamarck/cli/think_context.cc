#include "lamarck/cli/think_context.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "lamarck/base/file.h"
#include "lamarck/base/one_line.h"
#include "lamarck/store/redaction.h"

namespace lamarck::cli {

Json ThinkContext::shown(const thought::Session& session) const {
  const Json json = thought::to_json(session);
  return flags.with_private ? json : store::redacted_json(json);
}

void ThinkContext::print(const Json& json, const std::string& text) const {
  context.out << (context.json ? dump_json(json) + "\n" : safe_lines(text));
}

Result<void> check_session(const ThinkContext& think, const std::string& id) {
  const Result<store::Run> run = think.journal.run(id);
  if (!run && run.error().code() != ErrorCode::NotFound) return run.error();
  if (run && run->kind == "thought") return {};
  return Error(ErrorCode::NotFound,
               "There is no session " + in_quotes(id) +
                   " in this journal; see `lamarck think list`.");
}

Result<void> write_private_file(const std::string& file,
                                std::string_view bytes) {
  namespace fs = std::filesystem;
  std::error_code failure;
  const bool is_new = !fs::exists(fs::symlink_status(file, failure));
  // write_file keeps the mode of an existing file, so create it and restrict
  // its mode first.
  if (is_new) std::ofstream{file};
  if (fs::is_regular_file(file, failure)) {
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write,
                    failure);
  }
  Result<void> written = write_file(file, bytes);
  if (!written && is_new) fs::remove(file, failure);
  return written;
}

Result<std::vector<store::Event>> last_events(const ThinkContext& think,
                                              const store::Run& run,
                                              std::size_t count) {
  return think.journal.events(run.id, run.head > count ? run.head - count : 0);
}

}  // namespace lamarck::cli
