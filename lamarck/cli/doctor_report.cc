#include "lamarck/cli/doctor_report.h"

#include <unistd.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <thread>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/base/string_split.h"
#include "lamarck/base/version.h"
#include "lamarck/report/report_text.h"
#include "lamarck/sandbox/sandbox_layers.h"
#include "lamarck/store/sqlite_library.h"
#include "lamarck/tensor/kernel_speed.h"
#include "lamarck/tensor/simd_target.h"

namespace lamarck::cli {
namespace {

using report::labelled_row;

namespace fs = std::filesystem;

// Returns the nearest ancestor that exists, in which `path` would be created.
fs::path existing_ancestor(fs::path path) {
  std::error_code ignored;
  path = fs::absolute(path, ignored);
  while (!fs::exists(path, ignored) && path.has_relative_path()) {
    path = path.parent_path();
  }
  return path;
}

// A folder that does not exist yet is writable if its ancestor is.
Json data_folder(const Settings& settings) {
  const fs::path path = settings.text("data_dir");
  const fs::path ancestor = existing_ancestor(path);
  std::error_code failure;
  Json json = {{"path", path.string()},
               {"exists", fs::is_directory(path, failure)},
               {"writable", fs::is_directory(ancestor, failure) &&
                                access(ancestor.c_str(), W_OK) == 0}};
  const fs::space_info space = fs::space(ancestor, failure);
  if (!failure) json["free_bytes"] = space.available;
  return json;
}

// Returns null if the setting has no value.
Json shown(const Settings& settings, std::string_view key) {
  const auto value = settings.shown(key);
  return value ? Json(*value) : Json(nullptr);
}

Json model_server(const Settings& settings) {
  return {{"configured", !settings.text("llm.base_url").empty()},
          {"base_url", shown(settings, "llm.base_url")},
          {"model", shown(settings, "llm.model")},
          {"api_key_set", !settings.text("llm.api_key").empty()}};
}

Json sandbox() {
  Json layers = Json::array();
  for (const SandboxLayer& layer : sandbox_layers()) {
    layers.push_back({{"name", layer.name},
                      {"keeps_away", layer.purpose},
                      {"available", layer.is_available},
                      {"detail", layer.detail}});
  }
  return layers;
}

// The value and the source of every setting.
Json effective_settings(const Settings& settings) {
  Json list = Json::array();
  for (const Setting& setting : kSettings) {
    list.push_back({{"key", setting.key},
                    {"value", shown(settings, setting.key)},
                    {"from", settings[setting.key].origin}});
  }
  return list;
}

std::string text_or(const Json& value, const char* otherwise) {
  return value.is_null() ? otherwise : value.get<std::string>();
}

std::string gigaflops(const Json& speed) {
  return fmt::format("{:>7.1f} GFLOP/s", speed["gflops"].get<double>());
}

std::string speed_text(const Json& speed) {
  std::string text = fmt::format(
      "Speed of one core (products: rows x inner size x columns)\n  {:<28}{}\n",
      "peak (multiply-adds only)",
      fmt::format("{:>7.1f} GFLOP/s", speed["peak_gflops"].get<double>()));
  for (const Json& kernel : speed["kernels"]) {
    text += fmt::format("  {:<28}{}, {:.0f} % of peak\n",
                        kernel["name"].get<std::string>(), gigaflops(kernel),
                        100 * kernel["share_of_peak"].get<double>());
  }
  return text;
}

std::string llm_text(const Json& llm) {
  if (!llm["configured"].get<bool>()) {
    return "not configured; set LAMARCK_LLM_BASE_URL or llm.base_url";
  }
  return fmt::format("{}, model {}, key {}", llm["base_url"].get<std::string>(),
                     text_or(llm["model"], "not set"),
                     llm["api_key_set"].get<bool>() ? "set" : "not set");
}

std::string data_folder_text(const Json& data) {
  std::string text = data["path"].get<std::string>();
  if (!data["writable"].get<bool>()) {
    return text + " (not writable; choose another one with --data-dir)";
  }
  text += data["exists"].get<bool>() ? "" : " (created when first needed)";
  if (data.contains("free_bytes")) {
    text += fmt::format(", {:.1f} GiB free",
                        data["free_bytes"].get<double>() / 0x1p30);
  }
  return text;
}

// Lists the available layers, then the missing ones with the reason.
std::string sandbox_text(const Json& layers) {
  std::vector<std::string> works;
  std::vector<std::string> missing;
  for (const Json& layer : layers) {
    const auto name = layer["name"].get<std::string>();
    if (layer["available"].get<bool>()) {
      works.push_back(name);
    } else {
      missing.push_back(
          fmt::format("{} ({})", name, layer["detail"].get<std::string>()));
    }
  }
  return join_text(works, ", ") +
         (missing.empty() ? "" : "; missing: " + join_text(missing, ", "));
}

}  // namespace

Json doctor_report(const Settings& settings) {
  return {{"version", version()},
          {"compiler", compiler()},
          {"cores", std::max(1u, std::thread::hardware_concurrency())},
          {"simd",
           {{"target", simd_target()},
            {"supported", supported_simd_targets()},
            {"compiled_for", compiled_simd_targets()}}},
          {"sqlite", sqlite_library().version},
          {"llm", model_server(settings)},
          {"data_dir", data_folder(settings)},
          {"sandbox", sandbox()},
          {"settings_file",
           settings.file() ? Json(settings.file()->string()) : Json(nullptr)},
          {"settings", effective_settings(settings)}};
}

Json speed_report() {
  Json kernels = Json::array();
  for (const KernelSpeed& kernel : measure_kernels()) {
    kernels.push_back({{"name", kernel.name},
                       {"gflops", kernel.flops / 1e9},
                       {"share_of_peak", kernel.flops / peak_flops()}});
  }
  return {{"peak_gflops", peak_flops() / 1e9}, {"kernels", kernels}};
}

std::string doctor_text(const Json& report) {
  const Json& simd = report["simd"];
  std::string text =
      fmt::format("Lamarck {}\n", report["version"].get<std::string>());
  text += labelled_row("compiler", report["compiler"]);
  text +=
      labelled_row("cores", std::to_string(report["cores"].get<unsigned>()));
  text += labelled_row(
      "SIMD",
      fmt::format(
          "{} (available: {})", simd["target"].get<std::string>(),
          join_text(simd["supported"].get<std::vector<std::string>>(), ", ")));
  text += labelled_row("SQLite", report["sqlite"]);
  text += labelled_row("model server", llm_text(report["llm"]));
  text += labelled_row("data folder", data_folder_text(report["data_dir"]));
  text += labelled_row("sandbox", sandbox_text(report["sandbox"]));
  if (report.contains("speed")) text += speed_text(report["speed"]);
  text += "Settings\n";
  for (const Json& setting : report["settings"]) {
    text +=
        fmt::format("  {:<17}{:<28} {}\n", setting["key"].get<std::string>(),
                    text_or(setting["value"], "(not set)"),
                    setting["from"].get<std::string>());
  }
  return text;
}

}  // namespace lamarck::cli
