#include "lamarck/runs/run_candidates.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/archipelago/search_journal.h"
#include "lamarck/base/error.h"
#include "lamarck/base/macros.h"

namespace lamarck::runs {
namespace {

constexpr std::int64_t kChunk = 1 << 18;
constexpr std::size_t kMaxExcerpt = 160;

// A journal that may still grow. Lines are addressed by the byte they begin at.
class CandidateFile {
 public:
  static Result<CandidateFile> open(const RunView& run) {
    const std::filesystem::path path =
        std::filesystem::path(run.summary.folder) / archipelago::kJournalName;
    std::error_code code;
    CandidateFile file;
    if (!run.summary.folder.empty() &&
        std::filesystem::is_regular_file(path, code)) {
      file.in_.open(path, std::ios::binary);
      file.in_.seekg(0, std::ios::end);
      file.size_ = file.in_.tellg();
    }
    if (file.in_.is_open() && file.size_ >= 0) return file;
    return Error(ErrorCode::FailedPrecondition,
                 "The candidates of this run cannot be shown: its folder has "
                 "no journal. Runs of `evolve fn` and `evolve program` keep "
                 "one.");
  }

  std::int64_t size() const { return size_; }

  // The bytes of [begin, end); fewer if the file has become shorter.
  std::string read(std::int64_t begin, std::int64_t end) {
    std::string text(static_cast<std::size_t>(end - begin), '\0');
    in_.clear();
    in_.seekg(begin);
    in_.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in_.gcount()));
    return text;
  }

  // Calls `visit` with the complete lines before `end`, last first, until it
  // returns false or more than `budget` bytes were read. Returns where the last
  // visited line begins.
  template <class Visit>
  std::int64_t visit_backwards(std::int64_t end, std::size_t budget,
                               const Visit& visit) {
    std::string tail;  // The end of a line whose beginning is not read yet.
    std::int64_t begin = end;
    std::int64_t visited = end;
    bool is_complete = true;  // Whether a newline ends `tail`.
    std::size_t read_bytes = 0;
    while (begin > 0 && read_bytes <= budget) {
      const std::int64_t from = std::max<std::int64_t>(0, begin - kChunk);
      std::string text = read(from, begin) + tail;
      read_bytes += static_cast<std::size_t>(begin - from);
      if (begin == end) is_complete = !text.empty() && text.back() == '\n';
      std::string_view rest = text;
      if (begin == end && is_complete) rest.remove_suffix(1);
      for (;;) {
        const std::size_t newline = rest.rfind('\n');
        if (newline == std::string_view::npos) break;
        const std::string_view line = rest.substr(newline + 1);
        const std::int64_t at = from + static_cast<std::int64_t>(newline) + 1;
        rest = rest.substr(0, newline);
        const bool is_whole = std::exchange(is_complete, true);
        if (!is_whole) continue;
        visited = at;
        if (!visit(at, line)) return visited;
      }
      tail = std::string(rest);
      begin = from;
    }
    if (begin > 0) return visited;
    if (is_complete && !tail.empty()) visit(std::int64_t{0}, tail);
    return 0;
  }

 private:
  std::ifstream in_;
  std::int64_t size_ = -1;
};

bool is_candidate(const Json& line) {
  if (!line.is_object()) return false;
  const std::string event = line.value("event", "");
  return event == "function" || event == "error" || event == "first";
}

// Whether an engine tried mutations and none was better, which is the usual end
// of a trial and not a failure. A failed call of a model has another code.
bool is_without_gain(const Json& line) {
  return line.value("event", "") == "error" &&
         line.value("code", "") ==
             error_code_name(ErrorCode::FailedPrecondition);
}

bool is_failed(const Json& line) {
  if (is_without_gain(line)) return false;
  return line.value("event", "") == "error" || line.contains("failure");
}

bool is_improved(const Json& line) {
  return line.value("island_best", false) || line.value("best", false);
}

bool is_wanted(const Json& line, const std::string& only) {
  if (!is_candidate(line)) return false;
  if (only == "failed") return is_failed(line);
  if (only == "evaluated") return line.contains("id");
  if (only == "model") return line.contains("prompt");
  if (only == "improved") return is_improved(line);
  return true;
}

// The last line of a program that says something, or a formula.
std::string excerpt(const std::string& source) {
  std::string_view text = source;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) {
    text.remove_suffix(1);
  }
  const std::size_t newline = text.rfind('\n');
  if (newline != std::string_view::npos) text.remove_prefix(newline + 1);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::size_t length = std::min(text.size(), kMaxExcerpt);
  // Never cuts a character of several bytes.
  while (length < text.size() && length > 0 &&
         (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) {
    --length;
  }
  return std::string(text.substr(0, length)) +
         (length < text.size() ? "…" : "");
}

Json reason_of(const Json& line) {
  if (line.contains("failure")) return line.at("failure");
  if (line.value("event", "") == "error") return line.value("message", "");
  if (line.value("fate", "") == "duplicate") return "seen before";
  if (line.value("rejected", false)) return "not kept";
  return nullptr;
}

Json member(const Json& line, const char* name) {
  const auto found = line.find(name);
  return found == line.end() ? Json() : *found;
}

Json candidate_summary(std::int64_t at, const Json& line) {
  Json out = {{"at", at}};
  for (const char* name :
       {"id", "engine", "move", "cycle", "island", "score", "seconds"}) {
    out[name] = member(line, name);
  }
  const Json cost = line.value("cost", Json::object());
  out["tokens"] = cost.value("tokens_in", std::int64_t{0}) +
                  cost.value("tokens_out", std::int64_t{0});
  out["money_micros"] = cost.value("money_micros", std::int64_t{0});
  out["failed"] = is_failed(line);
  out["failure"] = reason_of(line);
  out["improved"] = is_improved(line);
  out["best"] = line.value("best", false);
  out["has_prompt"] = line.contains("prompt");
  out["text"] = excerpt(line.value("source", ""));
  return out;
}

// Marks what cannot be the line of a candidate without parsing all of it.
std::optional<Json> parse_candidate(std::string_view text) {
  if (text.find("\"event\":") == std::string_view::npos) return std::nullopt;
  auto line = parse_json(text);
  if (!line || !is_candidate(*line)) return std::nullopt;
  return std::move(*line);
}

// Looks for the parents in the lines before the candidate.
Json find_parents(CandidateFile& file, std::int64_t at, const Json& line) {
  Json parents = Json::array();
  if (!line.contains("parents")) return parents;
  for (const Json& id : line.at("parents")) parents.push_back({{"id", id}});
  std::size_t missing = parents.size();
  if (missing == 0) return parents;
  file.visit_backwards(
      at, kMaxCandidateScan, [&](std::int64_t, std::string_view text) {
        for (Json& parent : parents) {
          if (parent.contains("source")) continue;
          const std::string mark = "\"id\":" + dump_json(parent.at("id"));
          const std::size_t found = text.find(mark);
          if (found == std::string_view::npos) continue;
          const auto candidate = parse_candidate(text);
          if (!candidate || member(*candidate, "id") != parent.at("id")) {
            continue;
          }
          parent["source"] = member(*candidate, "source");
          parent["score"] = member(*candidate, "score");
          --missing;
        }
        return missing > 0;
      });
  return parents;
}

}  // namespace

Result<Json> candidates_json(const RunView& run, const CandidateQuery& query) {
  ASSIGN_OR_RETURN(CandidateFile file, CandidateFile::open(run));
  Json found = Json::array();
  const std::int64_t end =
      query.before > 0 ? std::min(query.before, file.size()) : file.size();
  const std::int64_t begin = file.visit_backwards(
      end, kMaxCandidateScan, [&](std::int64_t at, std::string_view text) {
        const auto line = parse_candidate(text);
        if (line && is_wanted(*line, query.only)) {
          found.push_back(candidate_summary(at, *line));
        }
        return found.size() < query.limit;
      });
  return Json{{"candidates", std::move(found)},
              {"next", begin > 0 && begin < end ? Json(begin) : Json()}};
}

Result<Json> candidate_json(const RunView& run, std::int64_t at) {
  ASSIGN_OR_RETURN(CandidateFile file, CandidateFile::open(run));
  const bool is_line =
      at == 0 || (at > 0 && at < file.size() && file.read(at - 1, at) == "\n");
  std::string text;
  while (is_line && text.size() < kMaxCandidateScan) {
    const std::int64_t from = at + static_cast<std::int64_t>(text.size());
    const std::string part =
        file.read(from, std::min(from + kChunk, file.size()));
    if (part.empty()) break;
    text += part;
    if (part.find('\n') != std::string::npos) break;
  }
  const std::size_t newline = text.find('\n');
  const auto line =
      newline == std::string::npos
          ? std::nullopt
          : parse_candidate(std::string_view(text).substr(0, newline));
  if (!line) {
    return Error(ErrorCode::NotFound,
                 "The journal of this run has no such candidate; list its "
                 "candidates first.");
  }
  Json out = candidate_summary(at, *line);
  for (const char* name :
       {"source", "scores", "constants", "system", "prompt", "reply"}) {
    if (line->contains(name)) out[name] = line->at(name);
  }
  out["parents"] = find_parents(file, at, *line);
  return out;
}

}  // namespace lamarck::runs
