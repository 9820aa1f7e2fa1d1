#include "lamarck/cli/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/settings_file.h"

namespace lamarck::cli {
namespace {

std::string default_data_dir(const Environment& environment) {
  if (const auto data = environment("XDG_DATA_HOME"); data && !data->empty()) {
    return *data + "/lamarck";
  }
  if (const auto home = environment("HOME"); home && !home->empty()) {
    return *home + "/.local/share/lamarck";
  }
  return ".lamarck";
}

// Returns the settings file to read, or nothing if there is none.
std::optional<std::filesystem::path> find_file(const SettingSources& sources) {
  std::optional<std::filesystem::path> chosen = sources.file;
  if (const auto path = sources.environment("LAMARCK_CONFIG");
      !chosen && path && !path->empty()) {
    chosen = *path;
  }
  if (chosen) return chosen;
  std::error_code ignored;
  if (std::filesystem::exists("lamarck.toml", ignored)) {
    return "lamarck.toml";
  }
  const auto config = sources.environment("XDG_CONFIG_HOME");
  const auto home = sources.environment("HOME");
  std::filesystem::path folder;
  if (config && !config->empty()) {
    folder = *config;
  } else if (home && !home->empty()) {
    folder = std::filesystem::path(*home) / ".config";
  }
  const auto path = folder / "lamarck" / "lamarck.toml";
  if (!folder.empty() && std::filesystem::exists(path, ignored)) {
    return path;
  }
  return std::nullopt;
}

bool is_choice(std::string_view choices, std::string_view text) {
  const auto allowed = split_text(choices, '|');
  return std::ranges::find(allowed, text) != allowed.end();
}

// "a, b or c" for "a|b|c".
std::string choices_text(std::string_view choices) {
  std::vector<std::string> names;
  for (const auto& name : split_text(choices, '|')) names.emplace_back(name);
  return join_choices(names);
}

std::optional<std::size_t> parse_count(const Setting& setting,
                                       std::string_view text) {
  std::size_t value = 0;
  const auto [end, status] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = status == std::errc() &&
                        end == text.data() + text.size() &&
                        value <= setting.largest;
  return is_whole ? std::optional(value) : std::nullopt;
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  // from_chars accepts "inf" and "nan".
  const bool is_good = status == std::errc() && stop == end && value >= 0 &&
                       std::isfinite(value);
  return is_good ? std::optional(value) : std::nullopt;
}

const Setting& entry(std::string_view key) {
  const auto found = std::ranges::find(kSettings, key, &Setting::key);
  ENSURE(found != kSettings.end(), "the key is in the list of settings");
  return *found;
}

Result<void> validate(const Setting& setting, const Settings::Value& value) {
  const auto refuse = [&](const std::string& wanted) {
    // A URL may contain a password, so its value is not repeated.
    const std::string given = setting.is_secret || setting.is_address
                                  ? ""
                                  : ", got " + in_quotes(value.text);
    // A flag is known by its own name.
    const std::string name =
        value.origin.starts_with("flag ")
            ? value.origin.substr(5)
            : fmt::format("The setting {} ({})", setting.key, value.origin);
    return Error(ErrorCode::InvalidArgument,
                 fmt::format("{} must be {}{}.", name, wanted, given),
                 {{"setting", std::string(setting.key)}});
  };
  if (!setting.choices.empty() && !is_choice(setting.choices, value.text)) {
    return refuse(choices_text(setting.choices));
  }
  if (setting.largest > 0 && !parse_count(setting, value.text)) {
    return refuse(fmt::format("an integer between 0 and {}", setting.largest));
  }
  if (setting.is_number && !value.text.empty() && !parse_number(value.text)) {
    return refuse("a non-negative number");
  }
  if (setting.is_address && !value.text.empty() &&
      !value.text.starts_with("http://") &&
      !value.text.starts_with("https://")) {
    return refuse("a URL that begins with http:// or https://");
  }
  return {};
}

// Removes the parts of a URL that may be secret: the name and password before
// the last @, and the query after a question mark. The last @ counts because a
// password may contain one.
std::string without_secrets(std::string address) {
  const std::size_t query = address.find('?');
  if (query != std::string::npos)
    address.replace(query + 1, std::string::npos, "...");
  const std::size_t at = address.rfind('@');
  if (at == std::string::npos) return address;
  const std::size_t scheme = address.find("://");
  const bool has_scheme = scheme != std::string::npos && scheme < at;
  const std::string start = has_scheme ? address.substr(0, scheme + 3) : "";
  return start + address.substr(at + 1);
}

}  // namespace

std::string flag_name(const Setting& setting) {
  std::string name = "--" + std::string(setting.key);
  std::ranges::replace(name, '.', '-');
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string environment_name(const Setting& setting) {
  std::string name = "LAMARCK_" + std::string(setting.key);
  std::ranges::transform(name, name.begin(), [](char c) {
    if (c == '.') return '_';
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return name;
}

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

Result<Settings> Settings::resolve(const SettingSources& sources) {
  Settings settings;
  settings.file_ = find_file(sources);
  std::map<std::string, FileSetting, std::less<>> in_file;
  if (settings.file_) {
    ASSIGN_OR_RETURN(in_file, read_settings_file(*settings.file_));
  }
  // Takes the first source that has the
  // setting: flag, environment, file, default.
  const auto choose = [&](const Setting& setting) -> Value {
    if (const auto flag = sources.flags.find(setting.key);
        flag != sources.flags.end()) {
      return {flag->second, "flag " + flag_name(setting)};
    }
    for (const std::string& name :
         {environment_name(setting), std::string(setting.also_env)}) {
      // An empty variable is how shells unset one for a single command.
      const auto value =
          name.empty() ? std::nullopt : sources.environment(name);
      if (value && !value->empty()) return {*value, "environment " + name};
    }
    if (const auto entry = in_file.find(setting.key); entry != in_file.end()) {
      return {entry->second.text,
              fmt::format("file {}, line {}", settings.file_->string(),
                          entry->second.line)};
    }
    if (setting.key == "data_dir") {
      return {default_data_dir(sources.environment), "default"};
    }
    return {std::string(setting.fallback), "default"};
  };
  for (const Setting& setting : kSettings) {
    Value value = choose(setting);
    RETURN_IF_ERROR(validate(setting, value));
    settings.values_.emplace(setting.key, std::move(value));
  }
  return settings;
}

const Settings::Value& Settings::operator[](std::string_view key) const {
  const auto found = values_.find(key);
  ENSURE(found != values_.end(), "the key is in the list of settings");
  return found->second;
}

const std::string& Settings::text(std::string_view key) const {
  return (*this)[key].text;
}

std::size_t Settings::count(std::string_view key) const {
  const auto value = parse_count(entry(key), text(key));
  ENSURE(value.has_value(), "count() is called for an integer setting");
  return *value;
}

std::optional<double> Settings::number(std::string_view key) const {
  ENSURE(entry(key).is_number, "number() is called for a numeric setting");
  return parse_number(text(key));
}

std::optional<std::string> Settings::shown(std::string_view key) const {
  const std::string& value = text(key);
  if (value.empty()) return std::nullopt;
  const Setting& setting = entry(key);
  if (setting.is_secret) return "(set)";
  return setting.is_address ? without_secrets(value) : one_line(value);
}

}  // namespace lamarck::cli
