// Under which an answer is kept for the repetition of its request.

#pragma once

#include <string>
#include <string_view>

#include "lamarck/base/error.h"

namespace lamarck::thought::internal {

struct RequestKey {
  std::string stored;     // In the journal; "" = the answer is not kept.
  std::string older;      // Where earlier versions stored it; "" = there too.
  std::string_view what;  // As the caller calls it: "idempotency key".
  std::string name;       // As the caller chose it.
};

// What a caller chose; its own within the scope: a session, or "start".
RequestKey caller_key(std::string_view scope, std::string_view key);

// What an execution, a document check or a parallel run is known by. No caller
// can choose such a key.
RequestKey execution_key(std::string_view session, std::string_view id);
RequestKey validation_key(std::string_view session, std::string_view id);
RequestKey run_key(std::string_view session, std::string_view run);

// Conflict: it was used for another request.
Error key_conflict(const RequestKey& key);
// The journal's error, in the caller's words: such a conflict, a lost session.
Error in_callers_words(const Error& error, const RequestKey& key);

}  // namespace lamarck::thought::internal
