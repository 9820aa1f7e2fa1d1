// Replies that were sent before and are still true.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace lamarck::server {

struct CachedReply {
  std::string_view route;  // Of the table of routes.
  std::string body;
};

// All replies belong to one number of changes of the store; a reply of another
// number drops them. Thread safety: all members may be called from any thread.
class ReplyCache {
 public:
  explicit ReplyCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  // Null if there is none for this number.
  std::shared_ptr<const CachedReply> find(std::string_view key,
                                          std::int64_t number);
  // REQUIRES: `number` was read before the reply was made.
  void insert(std::string key, std::int64_t number, CachedReply reply);

 private:
  const std::size_t max_bytes_;
  std::mutex mutex_;
  // Guarded by mutex_.
  std::int64_t number_ = -1;
  std::size_t bytes_ = 0;
  std::map<std::string, std::shared_ptr<const CachedReply>, std::less<>>
      replies_;
};

}  // namespace lamarck::server
