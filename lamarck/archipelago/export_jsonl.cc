#include "lamarck/archipelago/export_jsonl.h"

#include <fmt/format.h>

#include <string>
#include <unordered_map>
#include <nlohmann/json.hpp>

#include "lamarck/archipelago/journal_replay.h"
#include "lamarck/base/macros.h"

namespace lamarck::archipelago {
namespace {

// A function that later lines may name as a parent.
struct Ancestor {
  std::string source;
  Json score;
};

void copy(const Json& line, Json& out, const char* field) {
  if (const auto found = line.find(field); found != line.end()) {
    out[field] = *found;
  }
}

bool is_wanted(const Json& line, const ExportOptions& options) {
  const bool is_kept =
      line.value("fate", "") != "duplicate" && !line.value("rejected", false);
  const bool is_improved =
      line.value("island_best", false) || line.value("best", false);
  if (!is_kept || (options.only_improved && !is_improved)) return false;
  if (options.only_chats && !line.contains("prompt")) return false;
  if (line.contains("failure")) return options.include_failed;
  return !options.min_score ||
         line.at("score").get<double>() >= *options.min_score;
}

// A model was asked, but its answer gave no function.
bool is_wanted_error(const Json& line, const ExportOptions& options) {
  return options.include_failed && !options.only_improved &&
         line.contains("prompt");
}

Json chat_messages(const Json& line) {
  Json messages = Json::array();
  const auto add = [&](const char* role, const char* field) {
    if (!line.contains(field)) return;
    messages.push_back({{"role", role}, {"content", line.at(field)}});
  };
  add("system", "system");
  add("user", "prompt");
  add("assistant", "draft");
  add("user", "correction");
  // Older journals have functions without the reply.
  add("assistant", line.contains("reply") ? "reply" : "source");
  return messages;
}

class Exporter {
 public:
  Exporter(std::ostream& out, const ExportOptions& options)
      : out_(out), options_(options) {}

  void add(const Json& line) {
    const std::string event = line.at("event");
    if (event == "error" && is_wanted_error(line, options_)) write_error(line);
    if (event != "first" && event != "function") return;
    if (event == "function" && is_wanted(line, options_)) write(line);
    if (!line.contains("failure")) {
      ancestors_[line.at("id")] = {line.at("source"), line.at("score")};
    }
  }

  std::int64_t count() const { return count_; }

 private:
  void write(const Json& line) {
    Json out = Json::object();
    for (const char* field :
         {"id", "cycle", "island", "engine", "move", "source", "score",
          "scores", "constants", "failure", "prompt"}) {
      copy(line, out, field);
    }
    out["parents"] = find_parents(line);
    out["improved"] = line.value("island_best", false);
    out["best"] = line.value("best", false);
    if (line.contains("prompt")) {
      out["completion"] = line.at("source");
      out["messages"] = chat_messages(line);
    }
    out_ << dump_json(out) << '\n';
    ++count_;
  }

  Json find_parents(const Json& line) const {
    Json parents = Json::array();
    if (!line.contains("parents")) return parents;
    for (const Json& id : line.at("parents")) {
      Json parent = {{"id", id}};
      const auto found = ancestors_.find(id.get<std::uint64_t>());
      if (found != ancestors_.end()) {
        parent["source"] = found->second.source;
        parent["score"] = found->second.score;
      }
      parents.push_back(std::move(parent));
    }
    return parents;
  }

  void write_error(const Json& line) {
    Json out = {{"failure", line.at("message")}};
    for (const char* field :
         {"cycle", "island", "engine", "move", "code", "prompt"}) {
      copy(line, out, field);
    }
    out["parents"] = find_parents(line);
    out["improved"] = false;
    out["best"] = false;
    if (line.contains("reply")) out["completion"] = line.at("reply");
    out["messages"] = chat_messages(line);
    out_ << dump_json(out) << '\n';
    ++count_;
  }

  std::ostream& out_;
  const ExportOptions& options_;
  std::unordered_map<std::uint64_t, Ancestor> ancestors_;
  std::int64_t count_ = 0;
};

}  // namespace

Result<std::int64_t> export_jsonl(const std::filesystem::path& journal,
                                  std::ostream& out,
                                  const ExportOptions& options) {
  Exporter exporter(out, options);
  RETURN_IF_ERROR(
      replay(journal, [&](const Json& line) { exporter.add(line); }));
  if (!out.flush()) {
    return Error(
        ErrorCode::IoFailed,
        fmt::format("Cannot write the export of {}; check the free disk "
                    "space.",
                    journal.string()));
  }
  return exporter.count();
}

}  // namespace lamarck::archipelago
