// The parallel runs that this process is working on.

#pragma once

#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace lamarck::thought::internal {

// Thread safety: all members may be called from any thread.
class DrivenRuns {
 public:
  // Registers the run for its own lifetime.
  class Mark {
   public:
    Mark(DrivenRuns& runs, std::string session, std::string run)
        : runs_(runs), name_(std::move(session), std::move(run)) {
      const std::lock_guard lock(runs_.mutex_);
      runs_.names_.insert(name_);
    }
    ~Mark() {
      const std::lock_guard lock(runs_.mutex_);
      runs_.names_.erase(runs_.names_.find(name_));
    }
    Mark(const Mark&) = delete;
    Mark& operator=(const Mark&) = delete;

   private:
    DrivenRuns& runs_;
    const std::pair<std::string, std::string> name_;
  };

  bool contains(std::string_view session, std::string_view run) const {
    const std::lock_guard lock(mutex_);
    return names_.contains({std::string(session), std::string(run)});
  }

 private:
  mutable std::mutex mutex_;
  std::multiset<std::pair<std::string, std::string>>
      names_;  // Guarded by mutex_.
};

}  // namespace lamarck::thought::internal
