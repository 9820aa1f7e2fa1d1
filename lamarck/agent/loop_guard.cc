#include "lamarck/agent/loop_guard.h"

#include <nlohmann/json.hpp>

#include "lamarck/base/hash.h"

namespace lamarck::agent {
namespace {

// Objects of nlohmann are sorted by name, so the text is canonical.
std::string call_hash(std::string_view tool, const Json& arguments) {
  return sha256_hex(std::string(tool) + '\n' + dump_json(arguments));
}

}  // namespace

LoopVerdict LoopGuard::check(std::string_view tool, const Json& arguments) {
  const auto found = seen_.find(call_hash(tool, arguments));
  if (found == seen_.end() || found->second.count < 2) {
    return LoopVerdict::Proceed;
  }
  ++found->second.count;
  return found->second.count >= 5 ? LoopVerdict::End : LoopVerdict::Refuse;
}

void LoopGuard::record(std::string_view tool, const Json& arguments,
                       const Json& result) {
  Seen& seen = seen_[call_hash(tool, arguments)];
  const std::string digest = sha256_hex(dump_json(result));
  if (seen.result != digest) seen = {.result = digest};
  ++seen.count;
}

}  // namespace lamarck::agent
