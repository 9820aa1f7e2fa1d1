// Keys under which answers are stored, for repeated requests.

#pragma once

#include <string>
#include <string_view>

#include "lamarck/base/error.h"

namespace lamarck::thought::internal {

struct RequestKey {
  std::string stored;     // Key in the journal; "" = do not store.
  std::string older;      // Key of earlier versions; "" = the same.
  std::string_view what;  // For messages: "idempotency key".
  std::string name;       // As given by the caller.
};

// A key chosen by the caller; unique within the scope, which is a session or
// "start".
RequestKey caller_key(std::string_view scope, std::string_view key);

// Keys of an execution, a document check and a parallel run. They never equal a
// key chosen by a caller.
RequestKey execution_key(std::string_view session, std::string_view id);
RequestKey validation_key(std::string_view session, std::string_view id);
RequestKey run_key(std::string_view session, std::string_view run);

// A Conflict: the key was used for a different request.
Error key_conflict(const RequestKey& key);
// Translates a journal error (key conflict, missing run) into the terms of the
// caller: its key, its session.
Error in_callers_words(const Error& error, const RequestKey& key);

}  // namespace lamarck::thought::internal
