#include "lamarck/cli/doctor_report.h"

#include <gtest/gtest.h>

#include <string>
#include <nlohmann/json.hpp>

#include "lamarck/base/version.h"

namespace lamarck::cli {
namespace {

Json report_with(const std::map<std::string, std::string>& variables) {
  const auto settings =
      Settings::resolve({.environment = [&](const std::string& name) {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt
                                        : std::optional(found->second);
      }});
  return doctor_report(settings.value());
}

TEST(DoctorReport, ContainsEverySection) {
  const Json report = report_with({{"HOME", "/nowhere"}});
  EXPECT_EQ(report["version"], version());
  for (const char* key : {"compiler", "cores", "simd", "sqlite", "llm",
                          "data_dir", "sandbox", "settings", "settings_file"}) {
    EXPECT_TRUE(report.contains(key)) << key;
  }
  EXPECT_EQ(report["settings"].size(), kSettings.size());
  for (const Json& setting : report["settings"]) {
    EXPECT_FALSE(setting["from"].get<std::string>().empty());
  }
}

TEST(DoctorReport, NeverContainsKeyOrPassword) {
  const Json report =
      report_with({{"OPENAI_API_KEY", "sk-very-secret"},
                   {"LAMARCK_LLM_BASE_URL", "http://me:hush@127.0.0.1:1/v1"}});
  for (const std::string& text : {dump_json(report), doctor_text(report)}) {
    EXPECT_EQ(text.find("sk-very-secret"), std::string::npos);
    EXPECT_EQ(text.find("hush"), std::string::npos);
    EXPECT_NE(text.find("http://127.0.0.1:1/v1"), std::string::npos);
  }
  EXPECT_EQ(report["llm"]["api_key_set"], true);
}

TEST(DoctorReport, ReportsUnwritableDataFolder) {
  // Not even root can create a folder below a device.
  const Json report = report_with({{"LAMARCK_DATA_DIR", "/dev/null/x"}});
  EXPECT_EQ(report["data_dir"]["writable"], false);
  EXPECT_NE(doctor_text(report).find("not writable"), std::string::npos);
}

TEST(DoctorReport, SaysHowToConfigureModelServer) {
  EXPECT_NE(doctor_text(report_with({})).find("LAMARCK_LLM_BASE_URL"),
            std::string::npos);
}

}  // namespace
}  // namespace lamarck::cli
