#include "lamarck/cli/settings.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

namespace lamarck::cli {
namespace {

// Gives each test an empty home folder.
class SettingsTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string name =
        testing::UnitTest::GetInstance()->current_test_info()->name();
    home_ = std::filesystem::path(testing::TempDir()) / ("settings_" + name);
    std::filesystem::remove_all(home_);
    std::filesystem::create_directories(home_);
    variables_["HOME"] = home_.string();
  }
  void TearDown() override { std::filesystem::remove_all(home_); }

  std::filesystem::path write(const std::string& name,
                              const std::string& text) {
    auto path = home_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path;
  }

  Result<Settings> resolve(
      std::map<std::string, std::string, std::less<>> flags = {},
      std::optional<std::filesystem::path> file = std::nullopt) {
    return Settings::resolve({.flags = std::move(flags),
                              .environment =
                                  [this](const std::string& name) {
                                    const auto found = variables_.find(name);
                                    return found == variables_.end()
                                               ? std::nullopt
                                               : std::optional(found->second);
                                  },
                              .file = std::move(file)});
  }

  std::filesystem::path home_;
  std::map<std::string, std::string> variables_;
};

TEST_F(SettingsTest, HasDefaults) {
  const Settings settings = resolve().value();
  EXPECT_EQ(settings.text("data_dir"),
            home_.string() + "/.local/share/lamarck");
  EXPECT_EQ(settings.count("threads"), 0u);
  EXPECT_EQ(settings["progress"].origin, "default");
  EXPECT_EQ(settings.file(), std::nullopt);
}

TEST_F(SettingsTest, FlagsOverrideVariablesOverrideFileOverridesDefaults) {
  const auto file =
      write("own.toml", "threads = 2\n[llm]\nmodel = \"small\"\n");
  EXPECT_EQ(resolve({}, file)->text("threads"), "2");
  EXPECT_EQ((*resolve({}, file))["threads"].origin,
            "file " + file.string() + ", line 1");

  variables_["LAMARCK_THREADS"] = "3";
  EXPECT_EQ(resolve({}, file)->text("threads"), "3");
  EXPECT_EQ((*resolve({}, file))["threads"].origin,
            "environment LAMARCK_THREADS");

  EXPECT_EQ(resolve({{"threads", "4"}}, file)->text("threads"), "4");
  EXPECT_EQ((*resolve({{"threads", "4"}}, file))["threads"].origin,
            "flag --threads");
  EXPECT_EQ(resolve({}, file)->text("llm.model"), "small");
}

TEST_F(SettingsTest, FindsUserFileOrConfiguredFile) {
  write(".config/lamarck/lamarck.toml", "threads = 5\n");
  EXPECT_EQ(resolve()->count("threads"), 5u);
  variables_["XDG_CONFIG_HOME"] = home_.string() + "/xdg";
  EXPECT_EQ(resolve()->count("threads"), 0u);
  write("xdg/lamarck/lamarck.toml", "threads = 6\n");
  EXPECT_EQ(resolve()->count("threads"), 6u);
  variables_["LAMARCK_CONFIG"] = write("x.toml", "threads = 7\n").string();
  EXPECT_EQ(resolve()->count("threads"), 7u);
  variables_["LAMARCK_CONFIG"] = "/no/such/file";
  EXPECT_EQ(resolve().error().message(),
            "Cannot read /no/such/file: No such file or directory.");
}

TEST_F(SettingsTest, ReadsOpenAiVariablesAfterOwn) {
  variables_["OPENAI_BASE_URL"] = "http://127.0.0.1:8080/v1";
  EXPECT_EQ((*resolve())["llm.base_url"].origin, "environment OPENAI_BASE_URL");
  variables_["LAMARCK_LLM_BASE_URL"] = "http://127.0.0.1:9090/v1";
  EXPECT_EQ(resolve()->text("llm.base_url"), "http://127.0.0.1:9090/v1");
  variables_["LAMARCK_LLM_BASE_URL"] = "";
  EXPECT_EQ(resolve()->text("llm.base_url"), "http://127.0.0.1:8080/v1");
}

TEST_F(SettingsTest, ErrorNamesValueAndSource) {
  EXPECT_EQ(resolve({{"threads", "many"}}).error().message(),
            "--threads must be an integer between 0 and 4096, got 'many'.");
  variables_["LAMARCK_PROGRESS"] = "dots";
  EXPECT_EQ(resolve().error().message(),
            "The setting progress (environment LAMARCK_PROGRESS) must be auto, "
            "bar, lines, json or none, got 'dots'.");
  for (const char* text : {"-1", "1.5", "", "4097", "99999999999999999999"}) {
    EXPECT_FALSE(resolve({{"threads", text}})) << text;
  }
}

TEST_F(SettingsTest, ErrorNamesLineOfFile) {
  const auto unknown = write("a.toml", "\n[llm]\nmodle = \"x\"\n");
  EXPECT_EQ(resolve({}, unknown).error().message(),
            unknown.string() +
                ", line 3: unknown setting 'llm.modle'; did you mean "
                "'llm.model'?");
  const auto broken = write("b.toml", "threads = \n");
  EXPECT_EQ(resolve({}, broken)
                .error()
                .message()
                .find(broken.string() + ", line 1: "),
            0u);
  const auto wrong = write("c.toml", "threads = [1, 2]\n");
  EXPECT_EQ(
      resolve({}, wrong).error().message(),
      wrong.string() + ", line 1: 'threads' must be a string or an integer.");
  EXPECT_TRUE(resolve({}, write("empty.toml", "")));
  EXPECT_FALSE(resolve({}, home_)) << "a folder must be rejected";
}

TEST_F(SettingsTest, NeverShowsSecrets) {
  variables_["OPENAI_API_KEY"] = "sk-very-secret";
  variables_["OPENAI_BASE_URL"] = "https://me:hu/sh@example.org/v1?x=a@b";
  const Settings settings = resolve().value();
  EXPECT_EQ(settings.text("llm.api_key"), "sk-very-secret");
  EXPECT_EQ(settings.shown("llm.api_key"), "(set)");
  EXPECT_EQ(settings.shown("llm.base_url"), "https://example.org/v1?...");
  EXPECT_EQ(settings.shown("llm.model"), std::nullopt);
}

TEST(SettingList, GivesEverySettingUniqueNames) {
  std::set<std::string> names;
  for (const Setting& setting : kSettings) {
    EXPECT_TRUE(names.insert(flag_name(setting)).second);
    EXPECT_TRUE(names.insert(environment_name(setting)).second);
    EXPECT_FALSE(setting.summary.empty());
  }
  EXPECT_TRUE(names.contains("--llm-base-url"));
  EXPECT_TRUE(names.contains("LAMARCK_LLM_BASE_URL"));
}

TEST_F(SettingsTest, ReadsNonNegativeNumbers) {
  EXPECT_EQ(resolve()->number("llm.price_in"), std::nullopt);
  EXPECT_EQ(resolve({{"llm.price_in", "0.15"}})->number("llm.price_in"), 0.15);
  for (const char* wrong : {"-1", "free", "1e999", "nan", "inf", "1,5"}) {
    const auto refused = resolve({{"llm.price_in", wrong}});
    ASSERT_FALSE(refused) << wrong;
    EXPECT_NE(refused.error().message().find("non-negative"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace lamarck::cli
