#include "lamarck/server/rest/reply_cache.h"

#include <utility>

namespace lamarck::server {

std::shared_ptr<const CachedReply> ReplyCache::find(std::string_view key,
                                                    std::int64_t number) {
  const std::lock_guard lock(mutex_);
  if (number != number_) return nullptr;
  const auto found = replies_.find(key);
  return found == replies_.end() ? nullptr : found->second;
}

void ReplyCache::insert(std::string key, std::int64_t number,
                        CachedReply reply) {
  const std::size_t size = key.size() + reply.body.size();
  if (size > max_bytes_) return;
  const std::lock_guard lock(mutex_);
  if (number != number_ || bytes_ + size > max_bytes_) {
    replies_.clear();
    bytes_ = 0;
    number_ = number;
  }
  const auto [place, is_new] = replies_.try_emplace(std::move(key));
  if (!is_new) return;
  place->second = std::make_shared<const CachedReply>(std::move(reply));
  bytes_ += size;
}

}  // namespace lamarck::server
