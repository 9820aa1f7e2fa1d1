#include "lamarck/skills/trace_files.h"

#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/string_split.h"
#include "lamarck/skills/internal/trace_reader.h"
#include "lamarck/store/redaction.h"

namespace lamarck::skills {
namespace {

using internal::TraceReader;

class TraceFileReader {
 public:
  explicit TraceFileReader(std::string_view name) : name_(name) {}

  void read_value(const Json& value) {
    if (const Result<Trace> trace = own_trace(value)) {
      add(*trace);
      formats_.insert("lamarck");
      return;
    }
    if (const Json* messages = conversation(value)) {
      TraceReader reader(next_session());
      read_all(*messages, reader);
      finish(reader);
      return;
    }
    if (!rest_) rest_.emplace(next_session());
    if (!rest_->read(value)) ++file_.unknown_lines;
  }

  Result<TraceFile> finish_file() {
    if (rest_) finish(*rest_);
    if (file_.traces.empty()) {
      return invalid_argument(fmt::format(
          "{} contains no tool calls; give chat messages with tool_calls, a "
          "session log of an agent, or OpenTelemetry spans ({} entries were "
          "not understood).",
          name_, file_.unknown_lines));
    }
    file_.formats.assign(formats_.begin(), formats_.end());
    return std::move(file_);
  }

 private:
  static Result<Trace> own_trace(const Json& value) {
    if (!value.is_object() || !value.contains("request") ||
        !value.contains("calls")) {
      return invalid_argument("Not a trace.");
    }
    return parse_trace(value);
  }

  // A list of entries, or an object that has one.
  static const Json* conversation(const Json& value) {
    if (value.is_array()) return &value;
    if (!value.is_object()) return nullptr;
    for (const char* const name :
         {"messages", "conversation", "traj", "spans", "resourceSpans"}) {
      const auto found = value.find(name);
      if (found != value.end() && found->is_array()) return &*found;
    }
    return nullptr;
  }

  void read_all(const Json& entries, TraceReader& reader) {
    for (const Json& entry : entries) {
      const Json* nested = nullptr;
      for (const char* const name : {"scopeSpans", "spans"}) {
        if (entry.is_object() && entry.contains(name)) nested = &entry[name];
      }
      if (nested != nullptr && nested->is_array()) {
        read_all(*nested, reader);
      } else if (!reader.read(entry)) {
        ++file_.unknown_lines;
      }
    }
  }

  void finish(TraceReader& reader) {
    for (const Trace& trace : reader.finish()) add(trace);
    formats_.insert(reader.formats().begin(), reader.formats().end());
  }

  void add(const Trace& trace) {
    const Json json = to_json(trace);
    const Json redacted = store::redacted_json(json);
    if (redacted != json) ++file_.redactions;
    if (Result<Trace> safe = parse_trace(redacted)) {
      file_.traces.push_back(std::move(*safe));
    }
  }

  std::string next_session() {
    return fmt::format("{}#{}", name_, ++sessions_);
  }

  const std::string name_;
  std::size_t sessions_ = 0;
  TraceFile file_;
  std::set<std::string> formats_;
  std::optional<TraceReader> rest_;  // Lines that are one entry each.
};

}  // namespace

Result<TraceFile> read_trace_text(std::string_view text,
                                  std::string_view name) {
  TraceFileReader reader(name);
  if (const Result<Json> whole = parse_json(text)) {
    reader.read_value(*whole);
    return reader.finish_file();
  }
  for (const std::string_view line : split_text(text, '\n')) {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const Result<Json> value = parse_json(line);
    reader.read_value(value ? *value : Json());
  }
  return reader.finish_file();
}

}  // namespace lamarck::skills
