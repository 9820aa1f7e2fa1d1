#include "lamarck/thought/internal/log_append.h"

#include <utility>

namespace lamarck::thought::internal {

Result<void> append_to_log(store::Journal& journal, const store::Run& run,
                           store::Event event) {
  store::Append append{.run = run.id};
  append.events.push_back(std::move(event));
  Result<store::Appended> appended = journal.append(append);
  if (!appended && appended.error().code() == ErrorCode::NotFound) {
    append.new_run = run;
    appended = journal.append(append);
    append.new_run.reset();
    // Another writer may have created the run or appended the event in between.
    if (!appended && appended.error().code() == ErrorCode::AlreadyExists) {
      appended = journal.append(append);
    }
  }
  if (!appended && appended.error().code() != ErrorCode::AlreadyExists) {
    return appended.error();
  }
  return {};
}

}  // namespace lamarck::thought::internal
