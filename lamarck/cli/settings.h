// The settings of the program, from flags, then the environment, then
// lamarck.toml, then defaults.

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

// One setting. All names follow from its key: `llm.base_url` is the flag
// --llm-base-url, the variable LAMARCK_LLM_BASE_URL, and `base_url` in the
// table [llm] of lamarck.toml.
struct Setting {
  std::string_view key;
  std::string_view summary;
  std::string_view fallback;       // The default value.
  std::string_view also_env = "";  // A second variable, read after the first.
  bool is_secret = false;          // Never shown, and never a flag.
  std::string_view choices = "";   // "auto|bar|lines"; empty for any text.
  std::size_t largest = 0;         // Largest integer; 0 if not an integer.
  bool is_address = false;         // A URL; shown without passwords.
  bool is_number = false;          // A non-negative number, or empty.
};

// The list of settings. Flags, environment, file, `lamarck doctor` and the
// manual iterate over it.
inline constexpr std::array kSettings = {
    Setting{.key = "data_dir",
            .summary = "Folder for the program's data, such as the journal",
            .fallback = ""},  // ~/.local/share/lamarck; see default_data_dir.
    Setting{.key = "threads",
            .summary = "Number of threads; 0 means one per core",
            .fallback = "0",
            .largest = 4096},
    Setting{.key = "simd",
            .summary = "SIMD instruction set; fix it for identical results",
            .fallback = "auto",
            .choices = "auto|avx512|avx2|sse4|scalar"},
    Setting{.key = "progress",
            .summary = "How to show progress",
            .fallback = "auto",
            .choices = "auto|bar|lines|json|none"},
    Setting{.key = "log_level",
            .summary = "Lowest level of log messages to show",
            .fallback = "warning",
            .choices = "debug|info|warning|error|off"},
    Setting{.key = "runs.record",
            .summary = "Record evolutions in the journal",
            .fallback = "on",
            .choices = "on|off"},
    Setting{.key = "serve.token",
            .summary = "Bearer token that clients of `lamarck serve` must send",
            .fallback = "",
            .is_secret = true},
    Setting{.key = "llm.base_url",
            .summary = "URL of an OpenAI-compatible model server, up to /v1",
            .fallback = "",
            .also_env = "OPENAI_BASE_URL",
            .is_address = true},
    Setting{.key = "llm.model",
            .summary = "Name of a model that the model server offers",
            .fallback = ""},
    Setting{.key = "llm.api_key",
            .summary = "API key for the model server",
            .fallback = "",
            .also_env = "OPENAI_API_KEY",
            .is_secret = true},
    Setting{.key = "llm.price_in",
            .summary = "Price in USD per million input tokens",
            .fallback = "",
            .is_number = true},
    Setting{.key = "llm.price_out",
            .summary = "Price in USD per million output tokens",
            .fallback = "",
            .is_number = true},
    Setting{.key = "llm.max_tokens",
            .summary = "Maximum number of tokens per answer",
            .fallback = "2048",
            .largest = 1'000'000},
    Setting{.key = "llm.temperature",
            .summary = "Sampling temperature (default: chosen by the server)",
            .fallback = "",
            .is_number = true},
    Setting{.key = "llm.timeout",
            .summary = "Seconds allowed per answer, including retries",
            .fallback = "120",
            .largest = 86'400},
    Setting{.key = "llm.calls",
            .summary = "Maximum number of concurrent calls to the model",
            .fallback = "8",
            .largest = 1'024},
    Setting{.key = "llm.patience",
            .summary = "Stop asking after this many answers in a row without "
                       "a new function; 0 means never",
            .fallback = "50",
            .largest = 1'000'000},
};

std::string flag_name(const Setting& setting);         // "--llm-base-url"
std::string environment_name(const Setting& setting);  // "LAMARCK_LLM_BASE_URL"

// Returns the value of an environment variable, or nothing if it is not set.
using Environment =
    std::function<std::optional<std::string>(const std::string& name)>;
Environment process_environment();

// The sources of settings.
struct SettingSources {
  std::map<std::string, std::string, std::less<>> flags;  // Keyed by setting.
  Environment environment;
  // --config. Without it, LAMARCK_CONFIG, ./lamarck.toml and
  // ~/.config/lamarck/lamarck.toml are tried in this order.
  std::optional<std::filesystem::path> file;
};

class Settings {
 public:
  // Reads and validates every setting. Errors name the setting and its source.
  static Result<Settings> resolve(const SettingSources& sources);

  struct Value {
    std::string text;
    std::string origin;  // "flag --threads", "default", ...
  };

  // REQUIRES: `key` is in kSettings.
  const Value& operator[](std::string_view key) const;
  const std::string& text(std::string_view key) const;
  std::size_t count(std::string_view key) const;  // REQUIRES: an integer.
  // Empty if it is not set. REQUIRES: a number.
  std::optional<double> number(std::string_view key) const;

  // Returns the value on one line without secrets: "(set)" for a secret, URLs
  // without passwords and queries. Empty if there is no value.
  std::optional<std::string> shown(std::string_view key) const;

  // The file that was read, if any.
  const std::optional<std::filesystem::path>& file() const { return file_; }

 private:
  std::map<std::string, Value, std::less<>> values_;
  std::optional<std::filesystem::path> file_;
};

}  // namespace lamarck::cli
