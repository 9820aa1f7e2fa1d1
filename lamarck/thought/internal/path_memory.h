// What a branch remembers: the events that led to it, and a text of them that
// fits into a number of tokens.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/store/journal.h"

namespace lamarck::thought::internal {

// One remembered event, without secrets.
struct PathStep {
  std::string id;
  std::uint64_t seq = 0;
  std::string type;
  std::string text;
};

// Reads the events of a session once, on the first use. Not thread-safe.
class PathReader {
 public:
  // `journal` must outlive the reader.
  PathReader(store::Journal& journal, std::string session)
      : journal_(journal), session_(std::move(session)) {}

  // The thoughts, critiques, merges, verdicts and evidence that `head` follows
  // from, oldest first and with `head` itself: those of its own branch, of the
  // branches it was forked from, and of the branches merged into them. Private
  // steps, failed requests and pruned events are left out.
  Result<std::vector<PathStep>> path(std::string_view head);

 private:
  Result<void> load();

  store::Journal& journal_;
  const std::string session_;
  bool is_loaded_ = false;
  std::vector<store::Event> events_;
  std::unordered_map<std::string, std::size_t> indices_;  // By event id.
};

// One line for each step: "#12 critique: ...". If not all steps fit into
// `max_tokens`, the newest are whole, and older ones are shortened to their
// rarest words; those with the least information of their own are left out,
// which a first line says. `topic` is what the steps are for: steps that share
// words with it are preferred. "" if nothing fits.
std::string remembered(const std::vector<PathStep>& steps,
                       std::string_view topic, std::int64_t max_tokens);

}  // namespace lamarck::thought::internal
