#include "lamarck/runs/record_file.h"

#include <cstdint>
#include <nlohmann/json.hpp>

#include "lamarck/base/file.h"
#include "lamarck/base/json.h"

namespace lamarck::runs {
namespace {

constexpr std::uint64_t kMaxRecordFile = 4096;

}  // namespace

std::string read_record_id(const std::filesystem::path& folder) {
  const auto text = read_file(folder / kRecordFile, kMaxRecordFile);
  if (!text) return "";
  const auto json = parse_json(*text);
  if (!json || !json->is_object()) return "";
  const auto id = json->find("run");
  return id != json->end() && id->is_string() ? id->get<std::string>() : "";
}

Result<void> write_record_id(const std::filesystem::path& folder,
                             const std::string& id) {
  return write_file(folder / kRecordFile, dump_json(Json{{"run", id}}) + "\n");
}

}  // namespace lamarck::runs
