// What the program is told before it starts: by flags, then by the environment,
// then by lamarck.toml, then by defaults.

#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lamarck/base/result.h"

namespace lamarck::cli {

// One setting. Its key gives all its names: `llm.base_url` is the flag
// --llm-base-url, the variable LAMARCK_LLM_BASE_URL, and `base_url` in the
// table [llm] of lamarck.toml.
struct Setting {
  std::string_view key;
  std::string_view summary;
  std::string_view fallback;       // Used when nobody says anything.
  std::string_view also_env = "";  // A second variable that others use too.
  bool is_secret = false;          // Never shown, and never a flag.
  std::string_view choices = "";   // "auto|bar|lines"; empty for any text.
  std::size_t largest = 0;         // Of a whole number; 0: not a number.
  bool is_address = false;         // http://...; shown without passwords.
  bool is_number = false;          // 0 or more, or empty.
};

// The one list: flags, environment, file, `lamarck doctor` and the manual walk
// it.
inline constexpr std::array kSettings = {
    Setting{.key = "data_dir",
            .summary = "Folder for runs, models and skills",
            .fallback = ""},  // ~/.local/share/lamarck; see default_data_dir.
    Setting{.key = "threads",
            .summary = "Threads to use; 0 means one for each core",
            .fallback = "0",
            .largest = 4096},
    Setting{
        .key = "simd",
        .summary = "SIMD instruction set; fix it for the same bits everywhere",
        .fallback = "auto",
        .choices = "auto|avx512|avx2|sse4|scalar"},
    Setting{.key = "progress",
            .summary = "How long work shows how far it is",
            .fallback = "auto",
            .choices = "auto|bar|lines|json|none"},
    Setting{.key = "log_level",
            .summary = "The least important log lines that are shown",
            .fallback = "warning",
            .choices = "debug|info|warning|error|off"},
    Setting{.key = "serve.token",
            .summary = "What clients of `lamarck serve` must send",
            .fallback = "",
            .is_secret = true},
    Setting{.key = "llm.base_url",
            .summary = "OpenAI-compatible endpoint, up to /v1",
            .fallback = "",
            .also_env = "OPENAI_BASE_URL",
            .is_address = true},
    Setting{.key = "llm.model",
            .summary = "Model to ask at that endpoint",
            .fallback = ""},
    Setting{.key = "llm.api_key",
            .summary = "Key for that endpoint",
            .fallback = "",
            .also_env = "OPENAI_API_KEY",
            .is_secret = true},
    Setting{.key = "llm.price_in",
            .summary = "Price of a million tokens that the model reads",
            .fallback = "",
            .is_number = true},
    Setting{.key = "llm.price_out",
            .summary = "Price of a million tokens that the model writes",
            .fallback = "",
            .is_number = true},
    Setting{.key = "llm.max_tokens",
            .summary = "Tokens of the longest answer",
            .fallback = "2048",
            .largest = 1'000'000},
    Setting{.key = "llm.temperature",
            .summary = "Chance in the model's answers; empty leaves it to it",
            .fallback = "",
            .is_number = true},
    Setting{.key = "llm.timeout",
            .summary = "Seconds for one answer, retries included",
            .fallback = "120",
            .largest = 86'400},
    Setting{.key = "llm.calls",
            .summary = "Questions to the model at the same time",
            .fallback = "8",
            .largest = 1'024},
};

std::string flag_name(const Setting& setting);         // "--llm-base-url"
std::string environment_name(const Setting& setting);  // "LAMARCK_LLM_BASE_URL"

// A variable's value; nothing if it is not set.
using Environment =
    std::function<std::optional<std::string>(const std::string& name)>;
Environment process_environment();

// Where settings come from.
struct SettingSources {
  std::map<std::string, std::string, std::less<>> flags;  // By key.
  Environment environment;
  // --config. Without it LAMARCK_CONFIG, then ./lamarck.toml, then
  // ~/.config/lamarck/lamarck.toml are looked for.
  std::optional<std::filesystem::path> file;
};

class Settings {
 public:
  static Result<Settings> resolve(const SettingSources& sources);

  struct Value {
    std::string text;
    std::string origin;  // "flag --threads", "default", ...
  };

  // REQUIRES: `key` is in kSettings.
  const Value& operator[](std::string_view key) const;
  const std::string& text(std::string_view key) const;
  std::size_t count(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;  // If it is set.

  // What may be shown of a value, on one line: "(set)" for a secret, addresses
  // without passwords and queries. Nothing if it is empty.
  std::optional<std::string> shown(std::string_view key) const;

  // The file that was read, if any.
  const std::optional<std::filesystem::path>& file() const { return file_; }

 private:
  std::map<std::string, Value, std::less<>> values_;
  std::optional<std::filesystem::path> file_;
};

}  // namespace lamarck::cli
