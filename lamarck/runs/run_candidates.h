// The candidates of a run of `evolve fn` or `evolve program`, read from the
// journal in its folder: what was made of which parents, by which engine, for
// which prompt, and what it scored or why it failed.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/runs/run_catalog.h"

namespace lamarck::runs {

struct CandidateQuery {
  // "evaluated", "failed", "model", "improved", or "" for all, with trials that
  // found nothing better.
  std::string only;
  std::int64_t before = 0;  // `next` of the page before; 0 for the newest.
  std::size_t limit = 50;
};

// A page, newest first: {"candidates": [{"at", "id", "engine", "move", "cycle",
// "island", "score", "failure", "improved", "best", "seconds", "tokens",
// "money_micros", "has_prompt", "text"}], "next"}. `at` names a candidate;
// `next` is null at the beginning of the journal. Reads at most
// kMaxCandidateScan bytes, so a page may be short though there are more.
Result<Json> candidates_json(const RunView& run, const CandidateQuery& query);
inline constexpr std::size_t kMaxCandidateScan = std::size_t{16} << 20;

// Everything that the journal tells of one candidate: also "source", "scores",
// "constants", "system", "prompt", "reply", and "parents" with id, source and
// score.
Result<Json> candidate_json(const RunView& run, std::int64_t at);

}  // namespace lamarck::runs
