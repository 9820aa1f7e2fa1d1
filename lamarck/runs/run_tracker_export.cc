#include "lamarck/runs/run_tracker_export.h"

#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <set>
#include <string_view>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/ascii.h"
#include "lamarck/base/file.h"
#include "lamarck/base/hash.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/runs/run_event.h"

namespace lamarck::runs {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSeriesPage = 1000;
constexpr std::size_t kMaxParam = 500;  // MLflow's limit for a parameter.

// ---- TensorBoard: records of protocol buffers, each with two checksums.

constexpr std::uint32_t kCastagnoli = 0x82F63B78;

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t crc = ~std::uint32_t{0};
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? kCastagnoli : 0);
    }
  }
  return ~crc;
}

// TFRecord masks its checksums, so that a checksum of them is not weak.
std::uint32_t masked_crc(std::string_view bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8;
}

template <class Number>
std::string little_endian(Number value) {
  std::array<char, sizeof(Number)> bytes{};
  std::memcpy(bytes.data(), &value, sizeof(Number));
  return {bytes.data(), bytes.size()};
}

std::string varint(std::uint64_t value) {
  std::string bytes;
  while (value >= 0x80) {
    bytes += static_cast<char>((value & 0x7F) | 0x80);
    value >>= 7;
  }
  return bytes + static_cast<char>(value);
}

std::string field(std::uint32_t number, std::uint32_t wire) {
  return varint((std::uint64_t{number} << 3) | wire);
}

std::string message_field(std::uint32_t number, const std::string& bytes) {
  return field(number, 2) + varint(bytes.size()) + bytes;
}

std::string record(const std::string& event) {
  const std::string length = little_endian(std::uint64_t{event.size()});
  return length + little_endian(masked_crc(length)) + event +
         little_endian(masked_crc(event));
}

// Event: wall_time = 1, step = 2, file_version = 3, summary = 5.
std::string event_bytes(std::int64_t time) {
  return field(1, 1) + little_endian(static_cast<double>(time) / 1000);
}

std::string scalar_record(const SeriesPoint& point) {
  std::string summary;
  for (const auto& [name, value] : point.values) {
    const std::string scalar = message_field(1, name) + field(2, 5) +
                               little_endian(static_cast<float>(value));
    summary += message_field(1, scalar);
  }
  return record(event_bytes(point.time) + field(2, 0) +
                varint(static_cast<std::uint64_t>(point.step)) +
                message_field(5, summary));
}

// ---- MLflow.

// Names of files: other characters become "_".
std::string file_word(std::string_view text) {
  std::string word;
  for (const char c : text) {
    word += ascii::is_alphanumeric(c) || c == '-' || c == '.' ? c : '_';
  }
  return word;
}

int mlflow_status(const std::string& state) {
  if (state == kDone) return 3;  // FINISHED.
  if (state == kFailed) return 4;
  return state == kRunning || state == kStopping ? 1 : 5;  // KILLED.
}

std::string run_meta(const RunView& run, const std::string& uuid,
                     const fs::path& folder) {
  const RunSummary& summary = run.summary;
  return fmt::format(
      "artifact_uri: {}\nend_time: {}\nentry_point_name: ''\n"
      "experiment_id: '0'\nlifecycle_stage: active\nrun_id: {}\n"
      "run_name: {}\nrun_uuid: {}\nsource_name: ''\nsource_type: 4\n"
      "source_version: ''\nstart_time: {}\nstatus: {}\ntags: []\n"
      "user_id: lamarck\n",
      dump_json((folder / "artifacts").string()),
      summary.ended == 0 ? std::string("null") : std::to_string(summary.ended),
      uuid, run.id, uuid, summary.created, mlflow_status(run.state));
}

Result<void> write_in(const fs::path& path, const std::string& text) {
  std::error_code failure;
  fs::create_directories(path.parent_path(), failure);
  return write_file(path, text);
}

Result<void> write_params(const fs::path& folder, const RunSummary& summary) {
  for (const auto& [name, value] : summary.options.items()) {
    if (value.is_null()) continue;
    const std::string text =
        value.is_string() ? value.get<std::string>() : dump_json(value);
    RETURN_IF_ERROR(write_in(folder / "params" / file_word(name),
                             one_line(text, kMaxParam)));
  }
  return {};
}

Result<void> copy_artifacts(const fs::path& folder, const RunSummary& summary) {
  std::error_code failure;
  fs::create_directories(folder / "artifacts", failure);
  for (const RunArtifact& each : run_artifacts(summary)) {
    fs::copy_file(fs::path(summary.folder) / each.name,
                  folder / "artifacts" / each.name,
                  fs::copy_options::overwrite_existing, failure);
    if (failure) {
      return Error(ErrorCode::IoFailed,
                   "Cannot copy " + each.name + ": " + failure.message() + ".");
    }
  }
  return {};
}

}  // namespace

Result<std::vector<SeriesPoint>> read_run_series(store::Journal& journal,
                                                 const std::string& run) {
  std::vector<SeriesPoint> series;
  std::uint64_t seq = 0;
  while (true) {
    ASSIGN_OR_RETURN(const auto events, journal.events(run, seq, kSeriesPage));
    for (const store::Event& event : events) {
      seq = event.seq;
      if (event.type != "progress") continue;
      const Json payload = event_payload(event);
      SeriesPoint point{.time = milliseconds_since_1970(event.ts)};
      for (const auto& [name, value] : payload.items()) {
        if (value.is_number()) point.values[name] = value.get<double>();
      }
      const char* const step =
          point.values.contains("generation") ? "generation" : "evaluations";
      if (const auto found = point.values.find(step);
          found != point.values.end()) {
        point.step = static_cast<std::int64_t>(found->second);
      }
      series.push_back(std::move(point));
    }
    if (events.size() < kSeriesPage) return series;
  }
}

std::string series_csv(const std::vector<SeriesPoint>& series) {
  std::set<std::string> names;
  for (const SeriesPoint& point : series) {
    for (const auto& [name, value] : point.values) names.insert(name);
  }
  std::string csv = "time_ms,step";
  for (const std::string& name : names) csv += "," + name;
  csv += "\n";
  for (const SeriesPoint& point : series) {
    csv += fmt::format("{},{}", point.time, point.step);
    for (const std::string& name : names) {
      const auto found = point.values.find(name);
      csv +=
          found == point.values.end() ? "," : fmt::format(",{}", found->second);
    }
    csv += "\n";
  }
  return csv;
}

Result<std::string> export_mlflow(const std::string& folder, const RunView& run,
                                  const std::vector<SeriesPoint>& series) {
  const fs::path root = fs::absolute(folder);
  // MLflow expects 32 hex digits; the same run gives the same ones.
  const std::string uuid = sha256_hex(run.id).substr(0, 32);
  const fs::path place = root / "0" / uuid;
  std::error_code ignored;
  fs::remove_all(place, ignored);
  if (!fs::exists(root / "0" / "meta.yaml", ignored)) {
    RETURN_IF_ERROR(
        write_in(root / "0" / "meta.yaml",
                 fmt::format("artifact_location: {}\nexperiment_id: '0'\n"
                             "lifecycle_stage: active\nname: Default\n",
                             dump_json((root / "0").string()))));
  }
  RETURN_IF_ERROR(write_in(place / "meta.yaml", run_meta(run, uuid, place)));
  RETURN_IF_ERROR(write_in(place / "tags" / "mlflow.runName", run.id));
  RETURN_IF_ERROR(
      write_in(place / "tags" / "mlflow.note.content", run.summary.goal));
  RETURN_IF_ERROR(write_in(place / "tags" / "kind", run.summary.kind));
  RETURN_IF_ERROR(write_params(place, run.summary));
  std::map<std::string, std::string> metrics;
  for (const SeriesPoint& point : series) {
    for (const auto& [name, value] : point.values) {
      metrics[file_word(name)] +=
          fmt::format("{} {} {}\n", point.time, value, point.step);
    }
  }
  for (const auto& [name, lines] : metrics) {
    RETURN_IF_ERROR(write_in(place / "metrics" / name, lines));
  }
  RETURN_IF_ERROR(copy_artifacts(place, run.summary));
  return place.string();
}

Result<std::string> export_tensorboard(const std::string& folder,
                                       const RunView& run,
                                       const std::vector<SeriesPoint>& series) {
  std::string bytes = record(event_bytes(run.summary.created) +
                             message_field(3, "brain.Event:2"));
  for (const SeriesPoint& point : series) bytes += scalar_record(point);
  const fs::path path =
      fs::path(folder) / file_word(run.id) /
      fmt::format("events.out.tfevents.{}.lamarck", run.summary.created / 1000);
  RETURN_IF_ERROR(write_in(path, bytes));
  return path.string();
}

}  // namespace lamarck::runs
